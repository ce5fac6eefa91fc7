// SPDX-License-Identifier: MIT
#include "tunekit/search/second_opinion.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

#include "tests/support/answers.hpp"
#include "tests/support/grid_space.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/search/concepts.hpp"
#include "tunekit/search/portfolio.hpp"
#include "tunekit/surrogate/gaussian_process.hpp"

namespace tk = tunekit;
using support::answers;
using support::grid_space;
using support::round_of;
using philox = tk::random::philox;
using tk::measure::measurement;

namespace {

auto small()
{
    auto s = tk::recipes::combined().strategy;
    s.model.trees = 4;
    s.second.until = 30;
    s.second.model.evaluations = 5;
    return s;
}
static_assert(tk::search::strategy<decltype(small()), grid_space, philox>);

std::vector<tk::index> walk(const grid_space& space, std::size_t n, answers kind)
{
    philox gen(5);
    const auto strategy = small();
    auto state = strategy.start(space);
    std::vector<tk::index> all;
    for (;;) {
        const auto batch = round_of(strategy, state, space, n, kind, gen);
        if (batch.empty()) return all;
        all.insert(all.end(), batch.begin(), batch.end());
    }
}

}  // namespace

TEST_CASE("a portfolio with a second opinion never repeats, exhausts the space and is decided by the seed")
{
    std::vector<grid_space> spaces;
    spaces.push_back(grid_space({5, 4, 3}));
    spaces.push_back(grid_space({7, 5, 1, 2}, [](std::span<const std::uint16_t> x) { return (x[0] + x[1]) % 3 != 0; }));
    spaces.push_back(grid_space({1}));
    spaces.push_back(grid_space({0}));
    for (const grid_space& space : spaces)
        for (const answers kind :
             {answers::bowl, answers::equal, answers::failures, answers::abandoned, answers::mixed})
            for (const std::size_t n : {std::size_t{1}, std::size_t{7}}) {
                CAPTURE(space.size());
                CAPTURE(static_cast<int>(kind));
                CAPTURE(n);
                const auto all = walk(space, n, kind);
                CHECK(all.size() == space.size());
                CHECK(std::set<tk::index>(all.begin(), all.end()).size() == space.size());
                CHECK(walk(space, n, kind) == all);
            }
}

TEST_CASE("a copy of the state of a portfolio with a second opinion replays the run")
{
    const grid_space space({9, 8, 7});
    const auto strategy = small();
    philox gen(3);
    auto state = strategy.start(space);
    for (int k = 0; k < 6; ++k) round_of(strategy, state, space, 3, answers::mixed, gen);
    auto copy = state;
    philox copied = gen;
    for (int k = 0; k < 6; ++k) {
        CHECK(round_of(strategy, copy, space, 3, answers::mixed, copied) ==
              round_of(strategy, state, space, 3, answers::mixed, gen));
        CHECK(copy == state);
    }
}

TEST_CASE("the second opinion is the unproposed configuration that its criterion values most")
{
    const grid_space space({12, 9});
    const auto opinion = small().second;
    std::vector<tk::index> measured, all(space.size());
    std::iota(all.begin(), all.end(), tk::index{0});
    std::vector<double> scores;
    tk::space::unvisited proposed;
    for (tk::index i = 3; i < space.size(); i += 11) {
        measured.push_back(i);
        scores.push_back(-answer(answers::bowl, i).cost);
        proposed.take(i);
    }
    const auto top = std::max_element(scores.begin(), scores.end());
    const std::vector<tk::index> ranking{measured[static_cast<std::size_t>(top - scores.begin())]};
    auto state = opinion.start(space);
    philox gen(9), same(9);
    const auto chosen = opinion.next(state, space, measured, scores, ranking, *top, {}, proposed, gen);

    std::vector<float> rows(measured.size() * 2), candidates(all.size() * 2);
    space.features(measured, rows, opinion.encoding);
    space.features(all, candidates, opinion.encoding);
    auto model = opinion.model.start(2);
    opinion.model.fit(model, tk::surrogate::features(rows, 2), scores, same);
    std::vector<tk::stats::prediction> predicted(all.size());
    opinion.model.predict(model, tk::surrogate::features(candidates, 2), predicted);
    std::vector<double> values;
    for (const auto& p : predicted) values.push_back(opinion.acquire.value(p, *top));
    double highest = -1e300;
    for (const tk::index i : all)
        if (!proposed.contains(i)) highest = (std::max)(highest, values[i]);
    REQUIRE(chosen.has_value());
    CHECK_FALSE(proposed.contains(*chosen));
    CHECK(values[*chosen] == doctest::Approx(highest).epsilon(1e-9));
}

TEST_CASE("of a large space the second opinion looks at the best one's neighbours, at what is liked and at random ones")
{
    const grid_space space({40, 40, 40});
    auto opinion = small().second;
    opinion.candidates = 200;
    opinion.climb_rounds = 0;
    const std::vector<tk::index> measured{5, 1640, 33'000}, ranking{1640};
    const std::vector<tk::index> liked{7, 8};
    const std::vector<double> scores{-3, -1, -2};
    tk::space::unvisited proposed;
    for (const tk::index i : measured) proposed.take(i);
    auto state = opinion.start(space);
    opinion.shortlist = 250;  // all of what is listed
    philox gen(2);
    (void)opinion.next(state, space, measured, scores, ranking, -1, liked, proposed, gen);
    const std::set<tk::index> listed(state.listed.begin(), state.listed.end());
    for (const tk::index i : space.neighbours_of(1640, tk::space::neighbourhood::any_value))
        CHECK(listed.count(i) == (proposed.contains(i) ? 0 : 1));
    for (const tk::index i : liked) CHECK(listed.count(i) == 1);
    CHECK(listed.size() > 150);  // 117 neighbours at most
}

TEST_CASE("in a large space the second opinion proposes what no neighbour of it beats, near a new best too")
{
    const grid_space space({9, 9, 9, 9, 9});
    auto opinion = small().second;
    opinion.candidates = 100;
    opinion.shortlist = 60;
    opinion.climb_rounds = 50;
    std::vector<tk::index> measured, ranking;
    std::vector<double> scores;
    tk::space::unvisited proposed;
    auto state = opinion.start(space);
    philox gen(4);
    const auto add = [&](tk::index i) {
        std::vector<std::uint16_t> x(5);
        space.ordinals(std::span(&i, 1), x);
        double cost = 0;
        for (const double v : x) cost += (v - 6) * (v - 6);
        measured.push_back(i);
        scores.push_back(-cost);
        proposed.take(i);
        ranking = measured;
        std::sort(ranking.begin(), ranking.end(), [&](tk::index a, tk::index b) {
            return scores[static_cast<std::size_t>(std::find(measured.begin(), measured.end(), a) - measured.begin())] >
                   scores[static_cast<std::size_t>(std::find(measured.begin(), measured.end(), b) - measured.begin())];
        });
    };
    for (tk::index i = 17; i < space.size(); i += 2953) add(i);
    for (int turn = 0; turn < 12; ++turn) {
        const double best = *std::max_element(scores.begin(), scores.end());
        const auto chosen = opinion.next(state, space, measured, scores, ranking, best, {}, proposed, gen);
        REQUIRE(chosen.has_value());
        CHECK_FALSE(proposed.contains(*chosen));
        std::vector<tk::index> around = space.neighbours_of(*chosen, tk::space::neighbourhood::any_value);
        around.insert(around.begin(), *chosen);
        std::vector<float> rows(around.size() * 5);
        space.features(around, rows, opinion.encoding);
        std::vector<tk::stats::prediction> predicted(around.size());
        opinion.model.predict(state.model, tk::surrogate::features(rows, 5), predicted);
        const double own = opinion.acquire.value(predicted[0], best);
        for (std::size_t k = 1; k < around.size(); ++k)
            if (!proposed.contains(around[k])) CHECK(opinion.acquire.value(predicted[k], best) <= own + 1e-9);
        add(*chosen);
    }
    CHECK(*std::max_element(scores.begin(), scores.end()) >= -3);  // from at best -20 or so: it does climb
}

TEST_CASE("the second opinion has two turns of five, and not any more from `until` on")
{
    const grid_space space({12, 9, 7});
    const auto strategy = small();
    philox gen(6);
    auto state = strategy.start(space);
    std::vector<std::size_t> asked;
    while (state.measured.size() < 60) {
        const std::size_t before = state.second.known;
        round_of(strategy, state, space, 1, answers::bowl, gen);
        if (state.second.known != before) asked.push_back(state.second.known);
    }
    CHECK(asked == std::vector<std::size_t>{8, 9, 13, 14, 18, 19, 23, 24, 28, 29});
}

TEST_CASE("a second opinion refuses settings out of range")
{
    const grid_space space({4});
    const auto refused = [&](auto&& change) {
        auto s = small();
        change(s.second);
        CHECK_THROWS_AS((void)s.start(space), std::invalid_argument);
    };
    refused([](auto& s) { s.cost_cap_quantile = 0; });
    refused([](auto& s) { s.cost_cap_quantile = 1.5; });
    refused([](auto& s) { s.shortlist = 0; });
    refused([](auto& s) { s.candidates = 0; });
    refused([](auto& s) { s.work = 0; });
}
