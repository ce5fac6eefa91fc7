// SPDX-License-Identifier: MIT
#include "tunekit/core/error.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

namespace tk = tunekit;

TEST_CASE("an error is one line, whatever it quotes")
{
    const std::string quoted = std::string("a\nb\tc\x1b[31m\x7f\r") + '\0' + "\u00e9";
    const std::string want = "tunekit: a\\nb\\tc\\x1b[31m\\x7f\\x0d\\x00\u00e9";
    CHECK(tk::error(quoted).what() == want);
    CHECK(tk::numerical_error(quoted).what() == want);
    CHECK_THROWS_WITH_AS(tk::invalid(quoted), want.c_str(), std::invalid_argument);
    CHECK_THROWS_WITH_AS(tk::invalid({"a\nb\tc", "\x1b[31m\x7f\r", std::string(1, '\0'), "\u00e9"}), want.c_str(),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(tk::require(false, "n is 0, want >= 1"), "tunekit: n is 0, want >= 1", std::invalid_argument);
    CHECK_NOTHROW(tk::require(true, "n is 0, want >= 1"));
}
