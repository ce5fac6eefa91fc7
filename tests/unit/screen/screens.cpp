// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/screen/diversity.hpp"
#include "tunekit/screen/epsilon_greedy.hpp"
#include "tunekit/screen/keep_best.hpp"
#include "tunekit/screen/screened.hpp"

namespace tk = tunekit;
namespace screen = tk::screen;
using support::grid_space;
using tk::explore::scored_candidate;
using philox = tk::random::philox;

static_assert(screen::screen<screen::keep_best, grid_space, philox>);
static_assert(screen::screen<screen::epsilon_greedy<>, grid_space, philox>);
static_assert(screen::screen<screen::diversity, grid_space, philox>);

namespace {

std::vector<scored_candidate> ranked(std::size_t n)
{
    std::vector<scored_candidate> out;
    for (std::size_t i = 0; i < n; ++i)
        out.push_back({.candidate = 10 * i, .score = 1 - 0.01 * static_cast<double>(i)});
    return out;
}

}  // namespace

TEST_CASE("keep_best takes the first that were not visited")
{
    const grid_space space({10, 100});
    philox gen(1);
    tk::space::index_set visited;
    visited.insert(10);
    CHECK(screen::keep_best{}.select(space, ranked(5), visited, 3, gen) == std::vector<tk::index>{0, 20, 30});
    CHECK(screen::keep_best{}.select(space, ranked(2), visited, 3, gen) == std::vector<tk::index>{0});
}

TEST_CASE("epsilon_greedy replaces the last floor(epsilon n): 61 and 3 of 64")
{
    const grid_space space({100, 100});
    philox gen(1);
    const screen::epsilon_greedy s{screen::keep_best{}};
    const auto chosen = s.select(space, ranked(80), {}, 64, gen);
    REQUIRE(chosen.size() == 64);
    for (std::size_t i = 0; i < 61; ++i) CHECK(chosen[i] == 10 * i);
    CHECK(std::set<tk::index>(chosen.begin(), chosen.end()).size() == 64);
    std::size_t by_random = 0;
    for (std::size_t i = 61; i < 64; ++i) by_random += chosen[i] != 10 * i;
    CHECK(by_random == 3);
}

TEST_CASE("epsilon_greedy keeps the share of n where fewer were chosen, and is random where nothing was")
{
    const grid_space space({100, 100});
    philox gen(1);
    const screen::epsilon_greedy s{screen::keep_best{}};
    const auto few = s.select(space, ranked(16), {}, 64, gen);
    CHECK(few.size() == 16);
    CHECK(few[12] == 120);
    CHECK(few[13] != 130);
    CHECK(s.select(space, {}, {}, 64, gen).size() == 3);
    const screen::epsilon_greedy wild{screen::keep_best{}, {.epsilon = 1}};
    CHECK(wild.select(space, ranked(8), {}, 8, gen).size() == 8);
    const screen::epsilon_greedy wrong{screen::keep_best{}, {.epsilon = 1.5}};
    CHECK_THROWS_AS((void)wrong.select(space, ranked(8), {}, 8, gen), std::invalid_argument);
}

// 4000 draws of a Bernoulli variable of mean 0.4: 5 standard deviations, p(false alarm) < 1e-6, at a fixed seed.
TEST_CASE("epsilon_greedy with stochastic rounding: 0.4 at random of 8 in the mean, where floor gives none")
{
    const grid_space space({100, 100});
    philox gen(1);
    const auto by_random = [&](const screen::epsilon_greedy<>& s) {
        const auto chosen = s.select(space, ranked(8), {}, 8, gen);
        CHECK(chosen.size() == 8);
        return chosen[7] != 70;
    };
    int floored = 0, rounded = 0;
    for (int k = 0; k < 4000; ++k) {
        floored += by_random({});
        rounded += by_random({screen::keep_best{}, {.stochastic_rounding = true}});
    }
    CHECK(floored == 0);
    CHECK(std::abs(rounded - 1600) < 155);
}

TEST_CASE("epsilon_greedy ends when the space does")
{
    const grid_space space({5});
    philox gen(1);
    const screen::epsilon_greedy wild{screen::keep_best{}, {.epsilon = 1}};
    CHECK(wild.select(space, {}, {}, 64, gen).size() == 5);
}

TEST_CASE("diversity weighs a new value against the score")
{
    // Rows (a, b) of a 4 x 4 grid, best first: (0,0) 1.0, (1,0) 0.9, (0,1) 0.8, (2,2) 0.0.
    const grid_space space({4, 4});
    const std::vector<scored_candidate> pool{{0, 1.0}, {1, 0.9}, {4, 0.8}, {10, 0.0}};
    philox gen(1);
    // alpha = 1: (0,0) gains 1 + 2; then (1,0): 0.9 + 1, (0,1): 0.8 + 1, (2,2): 0 + 2 wins.
    CHECK(screen::diversity{.alpha = 1, .lambda = 2}.select(space, pool, {}, 2, gen) == std::vector<tk::index>{0, 10});
    // alpha = 0.5: (1,0) 1.4 wins over (2,2) 1.0; alpha = 0: the order of the scores.
    CHECK(screen::diversity{.alpha = 0.5, .lambda = 2}.select(space, pool, {}, 2, gen) == std::vector<tk::index>{0, 1});
    CHECK(screen::diversity{.alpha = 0, .lambda = 2}.select(space, pool, {}, 4, gen) ==
          std::vector<tk::index>{0, 1, 4, 10});
    CHECK(screen::diversity{.alpha = 1, .lambda = 1}.select(space, pool, {}, 2, gen) == std::vector<tk::index>{0, 1});
    CHECK(screen::diversity{}.select(space, {}, {}, 2, gen).empty());
}

// The greedy choice against all subsets: at least 1 - 1/e of the best value, as the theorem says.
TEST_CASE("diversity is at least 1 - 1/e of the best subset on 200 random pools")
{
    const grid_space space({4, 4, 4});
    philox gen(7);
    for (int repeat = 0; repeat < 200; ++repeat) {
        std::vector<scored_candidate> pool;
        tk::space::index_set seen;
        while (pool.size() < 9) {
            const auto i = tk::random::uniform_index(64, gen);
            if (seen.insert(i)) pool.push_back({i, tk::random::uniform_01(gen)});
        }
        std::sort(pool.begin(), pool.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
        const double low = pool.back().score, range = pool.front().score - low, alpha = 0.3;
        const auto value = [&](const std::vector<tk::index>& subset) {
            std::vector<std::uint16_t> rows(subset.size() * 3);
            space.ordinals(subset, rows);
            std::set<std::pair<std::size_t, int>> values;
            double v = 0;
            for (std::size_t i = 0; i < subset.size(); ++i) {
                for (std::size_t j = 0; j < 3; ++j) values.insert({j, rows[3 * i + j]});
                for (const auto& c : pool)
                    if (c.candidate == subset[i]) v += (c.score - low) / range;
            }
            return v + alpha * static_cast<double>(values.size());
        };
        double best = 0;
        for (unsigned mask = 0; mask < 512; ++mask) {
            std::vector<tk::index> subset;
            for (std::size_t i = 0; i < 9; ++i)
                if (mask >> i & 1) subset.push_back(pool[i].candidate);
            if (subset.size() == 3) best = (std::max)(best, value(subset));
        }
        const auto chosen = screen::diversity{.alpha = alpha, .lambda = 3}.select(space, pool, {}, 3, gen);
        CHECK(value(chosen) >= (1 - std::exp(-1.0)) * best);
    }
}

namespace {

/// An explorer that knows all candidates; the judge scores a configuration by its index.
struct all_known {
    struct state {
        std::size_t asked = 0;
    };
    [[nodiscard]] state start(const grid_space&) const { return {}; }
    template <class Judge>
    [[nodiscard]] std::vector<scored_candidate> explore(state& s, const grid_space&, const Judge&,
                                                        const tk::space::index_set&, std::size_t n, philox&) const
    {
        s.asked = n;
        return ranked(n);
    }
};
struct by_index {
    [[nodiscard]] double best() const { return 1; }
    void score(std::span<const tk::index> in, std::span<double> out) const
    {
        for (std::size_t i = 0; i < in.size(); ++i) out[i] = -static_cast<double>(in[i]);
    }
    void predict(std::span<const tk::index> in, std::span<tk::stats::prediction> out) const
    {
        for (std::size_t i = 0; i < in.size(); ++i) out[i] = {static_cast<double>(in[i]), 2};
    }
};

/// Chooses the third candidate, one that nobody proposed, and the first.
struct third_made_first {
    template <class Space>
    [[nodiscard]] std::vector<tk::index> select(const Space&, std::span<const scored_candidate> found,
                                                const tk::space::index_set&, std::size_t, philox&) const
    {
        return {found[2].candidate, 7, found[0].candidate};
    }
};

}  // namespace

TEST_CASE("screened explores for what its screen wants to see, and keeps the screen's order")
{
    const grid_space space({10, 100});
    philox gen(1), same(1);
    const screen::screened s{all_known{}, screen::diversity{.lambda = 3}};
    auto state = s.start(space);
    const auto found = s.explore(state, space, by_index{}, {}, 5, gen);
    CHECK(state.asked == 15);
    const auto chosen = screen::diversity{.lambda = 3}.select(space, ranked(15), {}, 5, same);
    REQUIRE(found.size() == 5);
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(found[i].candidate == chosen[i]);
        CHECK(found[i].score == 1 - 0.01 * static_cast<double>(chosen[i] / 10));
    }
}

TEST_CASE("screened scores what its screen made itself")
{
    const grid_space space({10, 100});
    philox gen(1);
    const screen::screened s{all_known{}, third_made_first{}};
    auto state = s.start(space);
    const auto found = s.explore(state, space, by_index{}, {}, 4, gen);
    CHECK(state.asked == 4);
    CHECK(found == std::vector<scored_candidate>{{20, 0.98, {}}, {7, -7, {7, 2}}, {0, 1, {}}});
}
