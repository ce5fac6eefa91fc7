// SPDX-License-Identifier: MIT
// Programs that take a recipe by its name measure by that recipe's evaluator.
#include "tools/support/names.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

/// Runs of a configuration whose batches all take as long.
std::uint32_t runs_of(const std::string& recipe)
{
    const auto how = programs::find(programs::recipes(), "strategy", recipe).repetition;
    std::vector<double> seen;
    std::uint32_t runs = 0;
    while (const std::uint32_t n = how.next(seen)) {
        runs += n;
        seen.push_back(1e-3);
    }
    return runs;
}

}  // namespace

TEST_CASE("a recipe by its name has its own evaluator: AdaTune's 3 batches of 50, AutoTVM's 10 runs, combined's 20")
{
    CHECK(runs_of("adatune-paper") == 150);
    CHECK(runs_of("adatune") == 150);
    CHECK(runs_of("autotvm-paper") == 10);
    CHECK(runs_of("chameleon") == 10);
    CHECK(runs_of("combined") == 20);
}
