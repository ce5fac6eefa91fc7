// SPDX-License-Identifier: MIT
#include "tunekit/kernels/config.hpp"

#include <doctest/doctest.h>

#include <string_view>

namespace tk = tunekit;

namespace {

enum class side { left, right };

constexpr std::string_view text_of(side s) { return tk::kernels::detail::name_of(s, {"left", "right"}); }

static_assert(text_of(side::left) == "left");
static_assert(text_of(side::right) == "right");

}  // namespace

TEST_CASE("a value without a name is a question mark")
{
    CHECK(text_of(static_cast<side>(2)) == "?");
    CHECK(text_of(static_cast<side>(-1)) == "?");
}
