// SPDX-License-Identifier: MIT
#include "tunekit/dispatch/header.hpp"

#include <sys/stat.h>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "packages/dispatch/tests/unit/by_hand_header.golden"
#include "packages/dispatch/tests/unit/fixtures.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace dispatch = tunekit::dispatch;

// by_hand_header.golden is what `header_text` makes of `by_hand()`; here it is compiled. In a constant expression it chooses:
static_assert(by_hand::choose("AMD, 2 cores", 8, 8, 8).tile == 8);
static_assert(by_hand::pick_for("AMD, 2 cores", 8, 8, 8).by == by_hand::rung::exact);
static_assert(by_hand::pick_for("a \"GPU\" \\", 500, 500, 1).by == by_hand::rung::nearest);
static_assert(by_hand::pick_for("nobody's", 8, 8, 8).by == by_hand::rung::one);
static_assert(by_hand::choose(8, 8, 8).candidate == 18446744073709551615ULL);

TEST_CASE("the header is, byte for byte, that which was compiled into this test")
{
    CHECK(dispatch::header_text(fixtures::by_hand(), {.name = "by_hand"}) ==
          tunekit::io::read_text("packages/dispatch/tests/unit/by_hand_header.golden"));
}

TEST_CASE("the header's values are those of the choice")
{
    const auto c = fixtures::by_hand();
    CHECK(by_hand::fingerprint == c.fingerprint);
    REQUIRE(sizeof(by_hand::configs) / sizeof(by_hand::config) == c.configs.size());
    for (std::size_t k = 0; k < c.configs.size(); ++k) {
        const by_hand::config& h = by_hand::configs[k];
        const auto& v = c.configs[k].values;
        CHECK(h.candidate == c.configs[k].candidate);
        CHECK((h.pack ? "true" : "false") == v[0]);
        CHECK(std::to_string(h.tile) == v[1]);
        CHECK(std::to_string(h.bytes) == v[2]);
        CHECK(h.share == *tunekit::core::number<double>(v[3]));
        CHECK(h.order == v[4]);
    }
}

TEST_CASE("the header chooses as the choice does, at any shape")
{
    const auto c = fixtures::by_hand();
    tunekit::random::philox gen(7);
    const auto size = [&]() -> std::int64_t {
        const auto bits = tunekit::random::uniform_index(64, gen);
        return static_cast<std::int64_t>(tunekit::random::bits(gen) >> bits) - 2;
    };
    for (int k = 0; k < 20000; ++k) {
        const dispatch::shape_sizes at{size(), size(), size()};
        for (const char* device : {"AMD, 2 cores", "a \"GPU\" \\", "no such"}) {
            const auto want = c.choose(device, at);
            const auto have = by_hand::pick_for(device, at[0], at[1], at[2]);
            CHECK(static_cast<std::uint32_t>(have.config) == want.config);
            CHECK(static_cast<int>(have.by) == static_cast<int>(want.by));
            CHECK(have.untuned == want.untuned);
        }
        CHECK(&by_hand::choose(at[0], at[1], at[2]) == &by_hand::choose("AMD, 2 cores", at[0], at[1], at[2]));
    }
}

TEST_CASE("names that C++ does not take are refused in one line, and no header is left behind")
{
    const support::temporary_folder folder;
    const std::string path = folder / "choice.hpp";
    const auto refused = [&](auto&& spoil, const char* why, dispatch::header_options options = {}) {
        auto c = fixtures::by_hand();
        spoil(c);
        CHECK_THROWS_WITH_AS(dispatch::write_header(path, c, options), doctest::Contains(why), std::invalid_argument);
        struct stat s;
        CHECK(::stat(path.c_str(), &s) != 0);
    };
    const auto nothing = [](auto&) {};
    for (const char* name : {"", "2m", "a b", "a-b", "_a", "a__b", "\xC3\xA9", "m;", "class", "co_await", "xor",
                             "linux", "unix", "restrict", "errno", "NULL"}) {
        refused([&](auto& c) { c.parameters[1] = name; }, "want another name");
        refused([&](auto& c) { c.sizes[1] = name; }, "want another name");
        refused(nothing, "want another name", {.name = name});
    }
    refused([](auto& c) { c.parameters[1] = "candidate"; }, "means something in the header");
    refused([](auto& c) { c.parameters[1] = "config"; }, "means something in the header");
    refused([](auto& c) { c.sizes[1] = "device"; }, "means something in the header");
    refused([](auto& c) { c.parameters[1] = c.parameters[0]; }, "occurs twice");
    refused([](auto& c) { c.sizes[1] = c.sizes[0]; }, "occurs twice");
    refused(nothing, "means something in the header", {.name = "std"});
    refused([](auto& c) { c.devices.clear(); }, "knows no device");
    refused(nothing, "is not a device of the choice", {.home = "elsewhere"});
}

TEST_CASE("a header is put in place whole, and left alone where it would be the same")
{
    const support::temporary_folder folder;
    const std::string path = folder / "choice.hpp";
    auto c = fixtures::by_hand();
    dispatch::write_header(path, c, {.name = "by_hand"});
    CHECK(tunekit::io::read_text(path) == dispatch::header_text(c, {.name = "by_hand"}));
    struct stat first, second;
    REQUIRE(::stat(path.c_str(), &first) == 0);
    dispatch::write_header(path, c, {.name = "by_hand"});
    REQUIRE(::stat(path.c_str(), &second) == 0);
    CHECK(first.st_ino == second.st_ino);
    c.one = 0;
    dispatch::write_header(path, c, {.name = "by_hand"});
    CHECK(tunekit::io::read_text(path) == dispatch::header_text(c, {.name = "by_hand"}));
    CHECK_THROWS_AS(dispatch::write_header(folder / "no/folder.hpp", c), tunekit::error);
    CHECK_THROWS_AS(dispatch::write_header(folder / "", c), tunekit::error);
}

TEST_CASE("texts of a comment and of a literal stay where they are")
{
    namespace detail = dispatch::detail;
    CHECK(detail::as_comment("a\\") == "a.");
    CHECK(detail::as_comment("a\nint x;") == "a.int x;");
    CHECK(detail::as_literal(detail::value_type::text, "a\"\n1\\") == "\"a\\\"\\0121\\\\\"");
    CHECK(detail::as_literal(detail::value_type::number, "3") == "3.0");
    CHECK(detail::type_of({"1", "2.5"}) == detail::value_type::number);
    CHECK(detail::type_of({"1", "nan"}) == detail::value_type::text);
    CHECK(detail::type_of({"true", "1"}) == detail::value_type::text);
    CHECK(detail::type_of({"-2147483648"}) == detail::value_type::long_integer);
    CHECK(detail::type_of({"010", "-007"}) == detail::value_type::integer);
    CHECK(detail::as_literal(detail::value_type::integer, "020") == "20");
    CHECK(detail::as_literal(detail::value_type::integer, "-09") == "-9");
    CHECK(detail::as_literal(detail::value_type::long_integer, "00000000000000000000010") == "10LL");
    CHECK(detail::as_literal(detail::value_type::number, "020.50") == "20.5");
    CHECK(detail::three_digits(0.98765) == "0.988");
    CHECK(detail::three_digits(12) == "12.000");
}
