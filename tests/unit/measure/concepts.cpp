// SPDX-License-Identifier: MIT
#include "tunekit/measure/concepts.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string>

namespace measure = tunekit::measure;
using measure::failure_kind;

// An enumerator without a name is a warning of to_text's switch, and warnings are errors here.
static_assert(measure::failure_kind_of(std::uint8_t{0}) == failure_kind::invalid);
static_assert(!measure::failure_kind_of(std::uint8_t{255}));
static_assert(measure::failure_kind_of("run_timeout") == failure_kind::run_timeout);
static_assert(!measure::failure_kind_of("") && !measure::failure_kind_of("melted"));

TEST_CASE("every kind of failure has a name of its own, by which it is found again")
{
    std::set<std::string> names;
    for (int k = 0; k < 256; ++k) {
        const auto number = static_cast<std::uint8_t>(k);
        const auto kind = measure::failure_kind_of(number);
        const std::string name = to_text(static_cast<failure_kind>(number));
        CHECK(kind.has_value() == !name.empty());
        if (!kind) continue;
        CHECK(names.insert(name).second);
        CHECK(measure::failure_kind_of(name) == kind);
    }
    CHECK(names.size() >= 12);
    for (const failure_kind last : {failure_kind::bad_cost, failure_kind::lost}) CHECK(names.count(to_text(last)) == 1);
}
