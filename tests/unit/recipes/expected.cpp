// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/search/any_strategy.hpp"
#include "tunekit/space/any_space.hpp"
#include "tunekit/space/parameter.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tuner.hpp"

namespace tk = tunekit;
using philox = tk::random::philox;

TEST_CASE("the portfolio expects ln cost once its models were fitted, behind an any_strategy, too")
{
    const tk::space::product space{tk::space::integers<"a">(0, 7), tk::space::integers<"b">(0, 7)};
    const auto cost = [&](tk::index i) {
        const auto p = space.at(i);
        return std::exp(0.1 * tk::get<"a">(p) + 0.2 * tk::get<"b">(p));
    };
    const auto how = tk::recipes::combined();
    tk::tuner plain(space, how, {.trials = 40}, philox(1));
    tk::tuner erased(tk::space::any_space(space), tk::search::any_strategy(how.strategy), {.trials = 40}, philox(1));
    std::size_t expected = 0, near = 0;
    while (const auto j = plain.ask()) {
        const auto same = erased.ask();
        REQUIRE(same->candidate == j->candidate);
        const auto p = plain.expected(*j);
        CHECK(p == erased.expected(*same));
        if (p) {
            ++expected;
            if (std::abs(p->mean - std::log(cost(j->candidate))) < 0.1) ++near;
        }
        const tk::measure::measurement m{.cost = cost(j->candidate), .runs = 1};
        plain.tell(*j, m);
        erased.tell(*same, m);
    }
    CHECK(expected == 32);  // all but the first eight
    CHECK(near >= 24);      // the costs are additive and free of noise
}
