// SPDX-License-Identifier: MIT
#include "tunekit/screen/k_means.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tunekit/random/choice.hpp"
#include "tunekit/random/normal.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/screen/adaptive_sampling.hpp"
#include "tunekit/screen/epsilon_greedy.hpp"

namespace tk = tunekit;
namespace screen = tk::screen;
using support::grid_space;
using philox = tk::random::philox;

static_assert(screen::screen<screen::adaptive_sampling, grid_space, philox>);
static_assert(screen::screen<screen::epsilon_greedy<screen::adaptive_sampling>, grid_space, philox>);

namespace {

screen::point_rows random_points(std::size_t n, std::size_t d, int values, philox& gen)
{
    screen::point_rows p{{}, d};
    for (std::size_t i = 0; i < n * d; ++i)
        p.values.push_back(static_cast<float>(tk::random::uniform_index(static_cast<std::uint64_t>(values), gen)) /
                           static_cast<float>(values - 1));
    return p;
}

/// Lloyd's iteration without any bound: what `fit` must give, to the bit.
screen::k_means::clustering naive(const screen::point_rows& p, std::span<const std::uint32_t> seeds,
                                  std::size_t iterations)
{
    const std::size_t n = p.size(), d = p.d, k = seeds.size();
    std::vector<float> c;
    for (const auto s : seeds) c.insert(c.end(), p[s].begin(), p[s].end());
    std::vector<std::uint32_t> of(n);
    const auto assign = [&] {
        bool changed = false;
        for (std::size_t i = 0; i < n; ++i) {
            float least = INFINITY;
            std::uint32_t best = 0;
            for (std::uint32_t a = 0; a < k; ++a) {
                float sum = 0;
                for (std::size_t j = 0; j < d; ++j) sum += (p[i][j] - c[a * d + j]) * (p[i][j] - c[a * d + j]);
                if (sum < least) least = sum, best = a;
            }
            changed |= of[i] != best;
            of[i] = best;
        }
        return changed;
    };
    assign();
    for (std::size_t t = 0; t < iterations; ++t) {
        std::vector<double> sums(k * d);
        std::vector<int> counts(k);
        for (std::size_t i = 0; i < n; ++i) {
            ++counts[of[i]];
            for (std::size_t j = 0; j < d; ++j) sums[of[i] * d + j] += static_cast<double>(p[i][j]);
        }
        for (std::size_t a = 0; a < k; ++a) {
            REQUIRE(counts[a] > 0);
            for (std::size_t j = 0; j < d; ++j)
                c[a * d + j] = static_cast<float>(sums[a * d + j] * (1 / static_cast<double>(counts[a])));
        }
        if (!assign()) break;
    }
    return {c, of};
}

std::vector<tk::explore::scored_candidate> candidates_of(std::span<const tk::index> which)
{
    std::vector<tk::explore::scored_candidate> out;
    for (std::size_t i = 0; i < which.size(); ++i)
        out.push_back({.candidate = which[i], .score = -static_cast<double>(i)});
    return out;
}

}  // namespace

TEST_CASE("three blobs are recovered exactly")
{
    philox gen(1);
    screen::point_rows p{{}, 2};
    for (int i = 0; i < 90; ++i) {
        for (int j = 0; j < 2; ++j)
            p.values.push_back(static_cast<float>(10 * (i % 3) * (j + 1) + 0.1 * tk::random::normal(gen)));
    }
    const screen::k_means groups;
    const auto starts = groups.starts(p, 3, gen);
    const auto found = groups.cluster(p, 3, starts);
    std::set<std::uint32_t> names;
    for (std::size_t i = 0; i < 90; ++i) {
        CHECK(found.of[i] == found.of[i % 3]);
        names.insert(found.of[i]);
    }
    CHECK(names.size() == 3);
    CHECK(found.loss < 90 * 2 * 0.02);
}

TEST_CASE("bounds change nothing: the result is that of Lloyd's iteration without them, 40 random cases with ties")
{
    philox gen(2);
    int clean = 0;
    for (int repeat = 0; repeat < 40; ++repeat) {
        const auto p = random_points(300, 5, 6, gen);
        const screen::k_means groups{.tolerance = 0};
        const auto starts = groups.starts(p, 5 + static_cast<std::size_t>(repeat) % 9, gen);
        const auto mine = groups.fit(p, starts[0]);
        const auto theirs = naive(p, starts[0], 100);
        CHECK(mine.of == theirs.of);
        CHECK(mine.centroids == theirs.centroids);
        clean += mine.iterations > 3;
    }
    CHECK(clean > 30);  // the cases are no trifles
}

TEST_CASE("the loss never rises from iteration to iteration, and more seeds of one sequence cost less")
{
    philox gen(3);
    const auto p = random_points(500, 4, 9, gen);
    const auto starts = screen::k_means{}.starts(p, 32, gen);
    double before = std::numeric_limits<double>::infinity();
    for (std::size_t t = 0; t < 12; ++t) {
        const auto c = screen::k_means{.iterations = t, .tolerance = 0}.cluster(p, 8, starts);
        CHECK(c.loss <= before * (1 + 1e-6));  // centroids are rounded to floats
        before = c.loss;
    }
    CHECK(screen::k_means{}.cluster(p, 32, starts).loss < screen::k_means{}.cluster(p, 4, starts).loss);
}

TEST_CASE("duplicates give as many clusters as there are distinct points, no NaN, loss 0")
{
    philox gen(4);
    const screen::point_rows p{{1, 1, 1, 1, 2, 2, 1, 1, 2, 2}, 2};
    const screen::k_means groups;
    const auto starts = groups.starts(p, 4, gen);
    CHECK(starts[0].size() == 2);
    const auto found = groups.cluster(p, 4, starts);
    CHECK(found.loss == 0);
    CHECK(found.of[0] != found.of[2]);
    for (const float x : found.centroids) CHECK(std::isfinite(x));
}

TEST_CASE("an empty cluster takes the point that is worst off; with identical seeds none but the first would have any")
{
    const screen::point_rows p{{0, 1, 10, 30}, 1};
    const std::vector<std::uint32_t> same{0, 0, 0};
    const auto found = screen::k_means{}.fit(p, same);
    std::set<std::uint32_t> used(found.of.begin(), found.of.end());
    CHECK(used.size() == 3);
    CHECK(found.loss == doctest::Approx(0.5));  // {0, 1}, {10}, {30}
    const screen::point_rows alike{{5, 5, 5}, 1};
    const auto one = screen::k_means{}.fit(alike, std::vector<std::uint32_t>{0, 1});
    CHECK(one.loss == 0);
    CHECK(std::isfinite(one.centroids[1]));
}

TEST_CASE("k_means refuses no points, no clusters and no restarts")
{
    philox gen(1);
    const screen::point_rows none{{}, 2}, one{{1, 2}, 2};
    CHECK_THROWS_WITH_AS((void)screen::k_means{}.starts(none, 2, gen),
                         "tunekit: screen::k_means: no points, want at least one", std::invalid_argument);
    CHECK_THROWS_AS((void)screen::k_means{}.starts(one, 0, gen), std::invalid_argument);
    CHECK_THROWS_AS((void)screen::k_means{.restarts = 0}.starts(one, 2, gen), std::invalid_argument);
}

TEST_CASE("diminishing returns: losses 100, 39, 20 end at the third k, 100, 41 at the second, 0 at once")
{
    const screen::diminishing_returns rule;
    const auto answer = [&](std::vector<double> losses) {
        std::size_t next = 0;
        const auto k = rule.search([&](std::size_t) { return losses.at(next++); });
        CHECK(k == 8 * next);
        return k;
    };
    CHECK(answer({100, 39, 20}) == 24);  // 2.5 x 39 < 100, 2.5 x 20 >= 39
    CHECK(answer({100, 41}) == 16);      // 2.5 x 41 >= 100
    CHECK(answer({100, 40}) == 16);      // equal counts as too little
    CHECK(answer({0}) == 8);
    CHECK(answer({1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 10}) == 64);
    const screen::diminishing_returns wrong{.first = 9, .last = 8};
    CHECK_THROWS_AS((void)wrong.search([](std::size_t) { return 1.0; }), std::invalid_argument);
}

// The published analysis of 64 uniform candidates with a step of 8 has 16 in 75 to 97 % of runs and 24 else, with
// single random starts.
TEST_CASE(
    "of 64 uniform candidates adaptive sampling keeps 16, rarely 24: distinct candidates, unvisited, best cluster "
    "first")
{
    const grid_space space({8, 8, 8, 8});
    int sixteen = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        philox gen(seed);
        const auto pool = candidates_of(tk::random::sample_without_replacement(space.size(), 64, gen));
        const auto chosen = screen::adaptive_sampling{}.select(space, pool, {}, 64, gen);
        CHECK((chosen.size() == 16 || chosen.size() == 24));
        sixteen += chosen.size() == 16;
        std::set<tk::index> distinct(chosen.begin(), chosen.end()), known;
        CHECK(distinct.size() == chosen.size());
        for (const auto& c : pool) known.insert(c.candidate);
        for (const auto i : chosen) CHECK(known.contains(i));
    }
    CHECK(sixteen >= 10);
}

TEST_CASE("adaptive sampling gives at most n, all of few candidates, and replaces what was visited")
{
    const grid_space space({6, 6, 6}, [](std::span<const std::uint16_t> x) { return x[0] + x[1] != 5; });
    philox gen(9);
    const auto pool = candidates_of(tk::random::sample_without_replacement(space.size(), 40, gen));
    CHECK(screen::adaptive_sampling{}.select(space, pool, {}, 5, gen).size() == 5);
    CHECK(screen::adaptive_sampling{}.select(space, pool, {}, 0, gen).empty());
    CHECK(screen::adaptive_sampling{}.select(space, {}, {}, 5, gen).empty());
    CHECK(screen::adaptive_sampling{}.select(space, std::span(pool).first(3), {}, 64, gen).size() == 3);
    tk::space::index_set visited;
    for (std::size_t i = 0; i < pool.size(); i += 2) visited.insert(pool[i].candidate);
    for (const auto stands : {screen::representative::nearest_member, screen::representative::rounded_mean}) {
        const auto chosen = screen::adaptive_sampling{.represented_by = stands}.select(space, pool, visited, 64, gen);
        CHECK(chosen.size() >= 8);
        std::set<tk::index> distinct(chosen.begin(), chosen.end());
        CHECK(distinct.size() == chosen.size());
        for (const auto i : chosen) {
            CHECK(i < space.size());
            CHECK_FALSE(visited.contains(i));
        }
    }
}

TEST_CASE("coordinates that floats cannot tell apart, and those that are none, are refused")
{
    constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    philox gen(1);
    const tk::screen::k_means m{};
    for (const std::vector<float>& values : {std::vector<float>{1e20F, -1e20F, 3e20F, 1, 2, 3},
                                             {3e38F, -3e38F, 1},
                                             {1, inf, 3, -inf, 5},
                                             {1, nan, 3, 4},
                                             {1, 2, 2e15F}}) {
        const tk::screen::point_rows points{values, 1};
        CHECK_THROWS_WITH_AS((void)m.starts(points, 2, gen), doctest::Contains("a coordinate is NaN or beyond 1e15"),
                             std::invalid_argument);
        const std::vector<tk::screen::k_means::seeds> seeds{{0, 1}};
        CHECK_THROWS_AS((void)m.cluster(points, 2, seeds), std::invalid_argument);
    }
    const tk::screen::point_rows large{{1e15F, -1e15F, 9e14F, 1, 2, 3}, 1};
    const auto found = m.cluster(large, 3, m.starts(large, 3, gen));
    for (const auto c : found.of) CHECK(c < 3);
    const std::vector<tk::screen::k_means::seeds> outside{{7}};
    CHECK_THROWS_AS((void)m.cluster(large, 1, outside), std::invalid_argument);
}
