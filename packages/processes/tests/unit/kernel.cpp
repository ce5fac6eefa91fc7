// SPDX-License-Identifier: MIT
#include "tunekit/processes/tune_kernel.hpp"

#include <doctest/doctest.h>

#include "tunekit/processes/front_door.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;

TEST_CASE("a kernel is measured as its recipe says, in a child process, and checked")
{
    const tk::space::product space{tk::space::integers<"n">(1, 6)};
    const auto kernel = [](const auto& p) {
        if (tk::get<"n">(p) == 2) __builtin_trap();
        return 1e-3 * tk::get<"n">(p);  // reports its seconds
    };
    const tk::recipe how{tk::search::grid{}, tk::measure::fixed{.runs = 4, .batch = 2}};
    tk::random::philox gen(1);
    const auto plain = tk::tune(space, kernel, how, {.trials = 6}, gen);
    CHECK(plain.failed() == 1);
    CHECK(plain.incumbent().candidate == 0);
    CHECK(plain.incumbent().measured.runs == 4);
    std::size_t seen = 0;
    const auto checked = tk::tune(space, kernel, how, [](const auto& p) { return tk::get<"n">(p) != 1; }, {.trials = 6},
                                  gen, {.watch = [&](const tk::tuning&) { ++seen; }});
    CHECK(checked.failed() == 2);
    CHECK(checked.incumbent().candidate == 2);
    CHECK(seen == 6);
}

TEST_CASE("the front door takes a space, a kernel and a budget, and options")
{
    const tk::space::product space{tk::space::integers<"n">(1, 6)};
    const auto kernel = [](const auto& p) { return 1e-3 * tk::get<"n">(p); };
    CHECK(tk::tune(space, kernel, {.trials = 6}).incumbent().candidate == 0);
    std::size_t seen = 0;
    const auto found = tk::tune(space, kernel, {.trials = 6},
                                {.watch = [&](const tk::tuning&) { ++seen; }, .baseline = space.of(tk::value<"n">(4))});
    CHECK(seen == 6);
    CHECK(found.trials()[0].candidate == 3);
    CHECK(to_text(found) == "best of 6: n 1, 1 ms (the baseline takes 4 ms, 4 times as long)");
}
