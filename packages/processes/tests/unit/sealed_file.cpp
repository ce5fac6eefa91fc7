// SPDX-License-Identifier: MIT
#include "tunekit/processes/files/sealed_file.hpp"

#include <cstdint>
#include <string>

#include <doctest/doctest.h>
#include <rapidcheck.h>

namespace io = tunekit::io;

TEST_CASE("fields: known texts")
{
    CHECK(io::escaped("two words") == "two words");
    CHECK(io::escaped("two words|", " |") == "two%20words%7C");
    CHECK(io::escaped("50%\t\n\x7f\xc3") == "50%25%09%0A%7F%C3");
    CHECK(io::escaped("").empty());
    CHECK(io::detail::unescaped("%7c%7C") == "||");
    CHECK(io::in_hex(0) == "0");
    CHECK(io::in_hex(0xfedcba9876543210U) == "fedcba9876543210");
    CHECK(io::detail::from_hex("FF") == 255);
}

TEST_CASE("fields: what was never written is refused")
{
    for (const char* const bad : {"%", "%1", "a%", "%g0", "%0g", "%+1", "% 1", "%-1"})
        CHECK_FALSE(io::detail::unescaped(bad));
    for (const char* const bad : {"", "g", "0x1", "1 ", "-1", "10000000000000000"})
        CHECK_FALSE(io::detail::from_hex(bad));
}

TEST_CASE("the checksum has the values of the reference")
{
    // Test vectors of the draft's appendix C, FNV-1a with 64 bits.
    static_assert(io::detail::fnv1a("") == 0xcbf29ce484222325U);
    CHECK(io::detail::fnv1a("a") == 0xaf63dc4c8601ec8cU);
    CHECK(io::detail::fnv1a("foobar") == 0x85944171f73967e8U);
}

TEST_CASE("fields read back as they were written, whatever they hold")
{
    const bool held = rc::check([](const std::string& s, std::uint64_t x) {
        for (const char* const also : {"", " |"}) {
            const std::string written = io::escaped(s, also);
            RC_ASSERT(written.find_first_of(also) == std::string::npos || *also == '\0');
            RC_ASSERT(io::detail::unescaped(written) == s);
        }
        RC_ASSERT(io::detail::from_hex(io::in_hex(x)) == x);
    });
    CHECK(held);
}
