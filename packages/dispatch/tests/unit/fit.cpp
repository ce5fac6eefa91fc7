// SPDX-License-Identifier: MIT
#include "tunekit/dispatch/fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "packages/dispatch/tests/unit/fixtures.hpp"
#include "tunekit/dispatch/detail/cost_table.hpp"
#include "tunekit/dispatch/detail/cover.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace dispatch = tunekit::dispatch;
namespace detail = tunekit::dispatch::detail;
using fixtures::row;

namespace {

/// The sum over `rows` of the least loss among `kept`.
double cover_loss(const detail::cost_table& t, std::span<const std::size_t> rows, std::span<const std::uint32_t> kept)
{
    double sum = 0;
    for (const std::size_t r : rows) {
        double least = std::numeric_limits<double>::infinity();
        for (const std::uint32_t c : kept) least = (std::min)(least, t.loss(r, c));
        sum += least;
    }
    return sum;
}

/// Times at random, 1 to 4 times the best.
dispatch::results random_results(int shapes, int configs, std::uint64_t seed)
{
    tunekit::random::philox gen(seed);
    auto out = fixtures::empty_gemm();
    for (int s = 0; s < shapes; ++s)
        for (int c = 0; c < configs; ++c)
            out.add(row(s + 1, 1, static_cast<tunekit::index>(c), 1e-3 * (1 + 3 * tunekit::random::uniform_01(gen))));
    return out;
}

std::vector<std::size_t> all_rows(const detail::cost_table& t)
{
    std::vector<std::size_t> rows(t.rows.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
}

}  // namespace

TEST_CASE("what was not measured counts as the slowest, and as twice the best at least")
{
    auto all = fixtures::empty_gemm();
    all.add(row(1, 1, 0, 1));
    all.add(row(1, 1, 1, 5));
    all.add(row(2, 1, 0, 1));
    all.add(row(2, 1, 1, 1.1));
    all.add(row(3, 1, 2, 1));
    auto bound = row(3, 1, 1, 3);
    bound.at_least = true;
    all.add(bound);
    const auto t = detail::table_of(all);
    REQUIRE(t.rows.size() == 3);
    REQUIRE(t.columns() == 3);
    CHECK(t.loss(0, 1) == doctest::Approx(std::log(5)));
    CHECK(t.loss(0, 2) == doctest::Approx(std::log(5)));
    CHECK(t.loss(1, 2) == doctest::Approx(std::log(2)));
    CHECK(t.loss(2, 0) == doctest::Approx(std::log(3)));
    CHECK(t.loss(2, 1) == doctest::Approx(std::log(3)));
    CHECK(t.loss(2, 2) == 0);
}

TEST_CASE("cover: one configuration is the best one, and as many as shapes lose nothing")
{
    const auto all = random_results(9, 30, 5);
    const auto t = detail::table_of(all);
    const auto rows = all_rows(t);
    std::vector<std::uint32_t> candidates(t.columns());
    std::iota(candidates.begin(), candidates.end(), 0U);
    double least = std::numeric_limits<double>::infinity();
    for (const std::uint32_t c : candidates) least = (std::min)(least, cover_loss(t, rows, std::vector{c}));
    const auto one = detail::cover(t, rows, candidates, 1, 0);
    REQUIRE(one.size() == 1);
    CHECK(cover_loss(t, rows, one) == least);
    CHECK(cover_loss(t, rows, detail::cover(t, rows, candidates, 9, 0)) == 0);
    CHECK(detail::cover(t, rows, candidates, 30, 0).size() <= 9);  // a tenth would gain nothing
}

TEST_CASE("cover: against every set of three, never below the bound of the greedy step and mostly the best")
{
    int best = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const auto t = detail::table_of(random_results(12, 14, seed));
        const auto rows = all_rows(t);
        std::vector<std::uint32_t> candidates(t.columns());
        std::iota(candidates.begin(), candidates.end(), 0U);
        double least = std::numeric_limits<double>::infinity();
        for (std::uint32_t a = 0; a < 14; ++a)
            for (std::uint32_t b = a + 1; b < 14; ++b)
                for (std::uint32_t c = b + 1; c < 14; ++c)
                    least = (std::min)(least, cover_loss(t, rows, std::vector{a, b, c}));
        const auto kept = detail::cover(t, rows, candidates, 3, 0);
        const double loss = cover_loss(t, rows, kept);
        CHECK(loss >= least - 1e-12);
        double base = 0;  // what is lost with the worst everywhere: gains are counted from there
        for (const std::size_t r : rows) {
            double worst = 0;
            for (const std::uint32_t c : candidates) worst = (std::max)(worst, t.loss(r, c));
            base += worst;
        }
        CHECK(base - loss >= (1 - std::exp(-1.0)) * (base - least));
        best += loss <= least + 1e-12 ? 1 : 0;
        // No single swap is better.
        for (std::size_t out = 0; out < kept.size(); ++out)
            for (const std::uint32_t c : candidates) {
                auto other = kept;
                other[out] = c;
                CHECK(cover_loss(t, rows, other) >= loss - 1e-8);
            }
    }
    CHECK(best >= 30);
}

TEST_CASE("cover: a further configuration must gain")
{
    const auto t = detail::table_of(fixtures::powers(6, 6));
    const auto rows = all_rows(t);
    std::vector<std::uint32_t> candidates{0, 1, 2, 3, 4, 5};
    CHECK(detail::cover(t, rows, candidates, 6, 0).size() == 6);
    CHECK(detail::cover(t, rows, candidates, 6, 0.1).size() < 6);
    CHECK(detail::cover(t, rows, candidates, 6, 10).size() == 1);
}

TEST_CASE("every measured shape gets its own best where there are kernels enough")
{
    const auto all = fixtures::powers(8, 8);
    const auto c = dispatch::fit(all, {.max_kernels = 8, .leaf_penalty = 0.05});
    CHECK(c.configs.size() == 8);
    CHECK(c.fingerprint == all.fingerprint);
    for (int m = 0; m < 8; ++m) {
        const auto p = c.choose("box", {std::int64_t{1} << m, 16});
        CHECK(p.by == dispatch::rung::exact);
        CHECK(c.configs[p.config].candidate == static_cast<tunekit::index>(m));
        // n does not matter: between and beside the measured ones the choice is that of m.
        CHECK(c.configs[c.choose("box", {std::int64_t{1} << m, 5000}).config].candidate ==
              static_cast<tunekit::index>(m));
    }
    CHECK(c.choose("another", {1, 1}).by == dispatch::rung::one);
    const auto exact = c.devices[0].scores.front();
    CHECK(exact.by == dispatch::rung::exact);
    CHECK(exact.share == doctest::Approx(1));
    CHECK(exact.below == 0);
}

TEST_CASE("fewer kernels lose what they must, and no more than the bound says")
{
    const auto all = fixtures::powers(8, 8);
    double before = 0;
    for (std::size_t k = 1; k <= 8; ++k) {
        const auto c = dispatch::fit(all, {.max_kernels = k});
        CHECK(c.configs.size() == k);
        CHECK(c.devices[0].scores.front().share >= before - 1e-12);
        before = c.devices[0].scores.front().share;
    }
    // Four kernels for eight powers: every other one, so half the shapes lose 1.2.
    CHECK(dispatch::fit(all, {.max_kernels = 4}).devices[0].scores.front().share ==
          doctest::Approx(std::sqrt(1 / 1.2)));
}

TEST_CASE("both rungs find the rule at shapes that they have not seen")
{
    // m up to 16 wants configuration 0, from there on 1, whatever n.
    auto all = fixtures::empty_gemm();
    for (const std::int64_t m : {1, 2, 3, 5, 8, 13, 16, 17, 24, 40, 100, 128, 300, 512})
        for (const std::int64_t n : {1, 10, 100})
            for (const tunekit::index c : {tunekit::index{0}, tunekit::index{1}})
                all.add(row(m, n, c, (c == 0) == (m <= 16) ? 1.0 : 1.5));
    const auto c = dispatch::fit(all);
    CHECK(c.devices[0].tree.size() == 3);  // one question
    CHECK(c.devices[0].tree[0].of == 1);
    CHECK(c.devices[0].tree[0].at_most == 16);
    for (const auto& h : dispatch::cross_validate(all)) {
        CHECK(h.of_kept == h.best);  // both are kept, whichever the rung chooses
        if (h.by == dispatch::rung::tree || (h.by == dispatch::rung::nearest && (h.at[0] <= 5 || h.at[0] >= 100)))
            CHECK_MESSAGE(h.seconds == h.best,
                          h.at[0]);  // nearest cannot know on which side of 16 a shape beside it lies
    }
    CHECK(c.choose("box", {7, 7}) == dispatch::pick{0, dispatch::rung::tree});
    CHECK(c.choose("box", {70, 7}) == dispatch::pick{1, dispatch::rung::tree});
}

TEST_CASE("a tree that nothing speaks for is a leaf")
{
    auto all = fixtures::empty_gemm();
    for (std::int64_t m = 1; m < 30; ++m) {
        all.add(row(m, 1, 0, 1));
        all.add(row(m, 1, 1, m == 17 ? 0.99 : 1.3));  // one shape that noise decided
    }
    CHECK(dispatch::fit(all).devices[0].tree.size() == 1);
}

TEST_CASE("a held-out shape's own finds are not candidates")
{
    // Each shape is best with a configuration that only its own search tried; carried over they were measured everywhere.
    auto all = fixtures::empty_gemm();
    for (std::int64_t m = 0; m < 6; ++m)
        for (std::int64_t c = 0; c < 6; ++c) {
            auto r = row(m + 1, 1, static_cast<tunekit::index>(c), m == c ? 1 : 2);
            r.searched = m == c;
            all.add(r);
        }
    for (const auto& h : dispatch::cross_validate(all)) {
        CHECK(h.measured);
        CHECK(h.of_kept == h.seconds);  // all others are as slow
        if (h.by == dispatch::rung::exact) CHECK(h.seconds == 1);
        else CHECK_MESSAGE(h.seconds == doctest::Approx(2), to_text(h.by));
    }
}

TEST_CASE("scores: shares, the worst, and who is below the untuned default by more than the intervals")
{
    const std::vector<dispatch::choice::held_out> rows{
        {.device = "a", .at = {1}, .by = dispatch::rung::tree, .seconds = 2, .best = 1, .untuned = 4},
        {.device = "a", .at = {2}, .by = dispatch::rung::tree, .seconds = 1, .best = 1, .untuned = 0.5, .below = true},
        {.device = "b", .at = {2}, .by = dispatch::rung::tree, .seconds = 4, .best = 1},
        {.device = "a", .at = {2}, .by = dispatch::rung::one, .seconds = 9, .best = 1}};
    const auto s = dispatch::choice::score::of(rows, dispatch::rung::tree);
    CHECK(s.shapes == 3);
    CHECK(s.share == doctest::Approx(0.5));
    CHECK(s.worst == 0.25);
    CHECK(s.against == 2);
    CHECK(s.gain == doctest::Approx(1));
    CHECK(s.least_gain == 0.5);
    CHECK(s.below == 1);
    CHECK(dispatch::choice::score::of(rows, dispatch::rung::tree, "b").shapes == 1);
    CHECK(dispatch::choice::score::of(rows, dispatch::rung::nearest).shapes == 0);
}

TEST_CASE("two devices share the kernels, and each has its own rule")
{
    auto all = fixtures::powers(5, 5, "box");
    auto other = fixtures::empty_gemm();
    for (const auto& r : all.rows) {
        auto moved = r;
        moved.device = "slow box";
        moved.seconds =
            10 * 1e-3 * (1 + 0.2 * std::abs(4 - static_cast<int>(std::log2(r.at[0])) - static_cast<int>(r.candidate)));
        moved.within = {moved.seconds, moved.seconds};
        other.add(moved);  // the other way round
    }
    all.merge(other);
    const auto c = dispatch::fit(all, {.max_kernels = 5});
    CHECK(c.devices.size() == 2);
    CHECK(c.configs.size() == 5);
    for (int m = 0; m < 5; ++m) {
        const dispatch::shape_sizes at{std::int64_t{1} << m, 16};
        CHECK(c.configs[c.choose("box", at).config].candidate == static_cast<tunekit::index>(m));
        CHECK(c.configs[c.choose("slow box", at).config].candidate == static_cast<tunekit::index>(4 - m));
    }
    CHECK(c.configs[c.one].candidate == 2);  // the middle loses least on both
}

TEST_CASE("no shape, one shape, settings out of range")
{
    CHECK_THROWS_WITH_AS(static_cast<void>(dispatch::fit(fixtures::empty_gemm())),
                         doctest::Contains("no shape was measured"), tunekit::error);
    auto cut = fixtures::empty_gemm();
    auto bound = row(1, 1, 0, 1);
    bound.at_least = true;
    cut.add(bound);
    CHECK_THROWS_AS(static_cast<void>(dispatch::fit(cut)), tunekit::error);

    auto single = fixtures::empty_gemm();
    single.add(row(64, 64, 3, 1));
    const auto c = dispatch::fit(single);
    CHECK(c.configs.size() == 1);
    CHECK(c.choose("box", {64, 64}) == dispatch::pick{0, dispatch::rung::exact});
    CHECK(c.choose("box", {1, 4096}).config == 0);
    CHECK(c.devices[0].scores.size() == 1);  // nothing could be held out

    const auto refused = [&](dispatch::fit_options o) {
        CHECK_THROWS_AS(static_cast<void>(dispatch::fit(single, o)), std::invalid_argument);
    };
    refused({.max_kernels = 0});
    refused({.min_leaf = 0});
    refused({.leaf_penalty = -1});
    refused({.leaf_penalty = std::nan("")});
    refused({.folds = 1});
}

TEST_CASE("the same results give the same choice, and folds hold whole shapes out")
{
    const auto all = random_results(20, 10, 3);
    CHECK(dispatch::fit(all) == dispatch::fit(all));
    const auto seen = dispatch::cross_validate(all, {.folds = 4});
    for (const auto by : {dispatch::rung::nearest, dispatch::rung::tree, dispatch::rung::one})
        CHECK(std::count_if(seen.begin(), seen.end(), [&](const auto& h) { return h.by == by; }) == 20);
}

TEST_CASE("the untuned default may be the answer, and is kept for nothing")
{
    // The default is best at m = 1 .. 16, by 1 against 3. Beyond, kernel 0 is best.
    auto all = fixtures::empty_gemm();
    for (std::int64_t m = 1; m <= 40; ++m)
        for (tunekit::index c = 0; c < 3; ++c) {
            auto r = row(m, 1, c, c == 2 ? (m <= 16 ? 1.0 : 5.0) : (m <= 16 ? 3.0 : c == 0 ? 1.0 : 1.2));
            r.untuned = c == 2;
            r.searched = c != 2;
            all.add(r);
        }
    const auto plain = dispatch::fit(all, {.max_kernels = 1});
    CHECK(plain.configs[0].candidate == 0);
    CHECK(!plain.choose("box", {5, 1}).untuned);
    CHECK(plain.devices[0].scores[0].below == 16);
    const auto c = dispatch::fit(all, {.max_kernels = 1, .or_untuned = true});
    REQUIRE(c.configs.size() == 1);
    CHECK(c.configs[0].candidate == 0);
    CHECK(c.choose("box", {5, 1}) == dispatch::pick{0, dispatch::rung::exact, true});
    CHECK(c.choose("box", {25, 1}) == dispatch::pick{0, dispatch::rung::exact, false});
    CHECK(c.choose("box", {5, 2}).untuned);
    CHECK(!c.choose("box", {400, 2}).untuned);
    for (const auto& h : dispatch::cross_validate(all, {.max_kernels = 1, .or_untuned = true}))
        if (h.by == dispatch::rung::tree && h.at[0] != 16 && h.at[0] != 17)  // held out, they may be on either side
            CHECK_MESSAGE(h.seconds == 1, h.at[0]);
    CHECK(c.devices[0].scores[0].below == 0);
}

TEST_CASE("the untuned default answers where the gain over it is not sure")
{
    // Three shapes: the kernel gains 50 %, 50 % and loses 70 %: more than nothing on average, by less than a standard error.
    auto all = fixtures::empty_gemm();
    for (std::int64_t m = 1; m <= 3; ++m) {
        all.add(row(m, 1, 0, m < 3 ? 1.0 : 2.0));
        auto untuned = row(m, 1, 1, m < 3 ? 1.5 : 1.2);
        untuned.untuned = true;
        untuned.searched = false;
        all.add(untuned);
    }
    CHECK(dispatch::fit(all, {.max_kernels = 1, .min_leaf = 3, .or_untuned = true}).devices[0].tree[0].untuned);
    CHECK(!dispatch::fit(all, {.max_kernels = 1, .min_leaf = 3}).devices[0].tree[0].untuned);
}

TEST_CASE("the penalty of leaves is chosen within the shapes of the fit: small for a rule, large for noise")
{
    auto rule =
        fixtures::empty_gemm();  // four runs of twelve shapes, in turn 30 % better with one kernel and the other
    for (std::int64_t m = 0; m < 48; ++m)
        for (tunekit::index c = 0; c < 2; ++c)
            rule.add(row(10 * m + 1, 1, c, static_cast<std::int64_t>(c) == m / 12 % 2 ? 1.0 : 1.3));
    const auto leaves = [](const dispatch::choice& c) {
        const auto& tree = c.devices[0].tree;
        return std::count_if(tree.begin(), tree.end(), [](const auto& n) { return n.of == 0; });
    };
    CHECK(leaves(dispatch::fit(rule)) >= 4);  // where several cuts gain as little, the first is taken: one leaf more
    CHECK(leaves(dispatch::fit(rule, {.leaf_penalty = 4.0})) == 1);
    const auto noise = random_results(48, 2, 11);
    CHECK(2 * leaves(dispatch::fit(noise)) <= leaves(dispatch::fit(noise, {.leaf_penalty = 0.0})));
}

TEST_CASE("a choice is judged at shapes that its fit did not have")
{
    const auto learned = fixtures::powers(6, 6);
    const auto c = dispatch::fit(learned, {.max_kernels = 6, .leaf_penalty = 0.05});
    auto judged = fixtures::empty_gemm();
    judged.add(row(3, 1, 1, 2));
    judged.add(row(3, 1, 2, 2.5));
    judged.add(row(3, 1, 77, 1));  // what the choice does not have
    judged.add(row(64, 1, 0, 3, "unknown box"));
    const auto seen = dispatch::costs_at(c, judged);
    REQUIRE(seen.size() == 4);
    for (std::size_t k = 0; k < 2; ++k) {
        CHECK(seen[k].measured);
        CHECK(seen[k].best == 1);
        const auto chosen = c.configs[dispatch::choice::by_rung(c.devices[0], seen[k].by, judged.rows[0].at).config];
        CHECK(seen[k].candidate == chosen.candidate);
        CHECK(seen[k].seconds == doctest::Approx(chosen.candidate == 1 ? 2 : 2.5));
    }
    CHECK(seen[3].by == dispatch::rung::one);
    CHECK(!seen[3].measured);  // assumed: not measured on that box
    CHECK(seen[3].seconds == doctest::Approx(6));
    auto other = judged;
    other.fingerprint = 1;
    CHECK_THROWS_AS(static_cast<void>(dispatch::costs_at(c, other)), tunekit::error);
    CHECK_THROWS_AS(static_cast<void>(dispatch::costs_at(c, fixtures::empty_gemm())), tunekit::error);
}
