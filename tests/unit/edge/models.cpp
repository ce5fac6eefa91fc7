// SPDX-License-Identifier: MIT
#include "tunekit/surrogate.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tests/unit/edge/sweep.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/screen/diversity.hpp"
#include "tunekit/screen/k_means.hpp"

namespace su = tunekit::surrogate;
namespace screen = tunekit::screen;
namespace explore = tunekit::explore;
using edge::inf, edge::tiny, edge::list, edge::huge, edge::nan_d, edge::sweep;
using tunekit::stats::prediction;
using enum edge::kind;

namespace {

using floats = std::vector<float>;

/// What a model fitted to `y` at 0, 1, 2, ... says at `x`.
template <class Model>
prediction learns(const Model& model, const list& y, float x = 1, const floats& at = {0, 1, 2, 3, 4, 5})
{
    const floats rows(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(y.size())), asked{x};
    tunekit::random::philox gen(1);
    auto state = model.start(1);
    model.fit(state, su::rows_of<float>(rows, 1), y, gen);
    std::vector<prediction> out(1);
    model.predict(state, su::rows_of<float>(asked, 1), out);
    return out[0];
}

/// Models that divide targets by a unit: any scale is like another.
template <class Model>
void of_any_scale(const Model& model, double relative)
{
    sweep s(sweep::lists);
    const auto mean = [&](const list& y) { return learns(model, y).mean; };
    const auto sd = [&](const list& y) { return learns(model, y).sd; };
    const list y{1, 2, 5, 4, 3};
    s.scales(mean, y, 1, relative);
    s.scales(sd, y, 1, relative);
    s.refuses(not_a_number, [&] { (void)mean({1, nan_d, 3}); }, "a target is NaN or infinite");
    s.refuses(infinite, [&] { (void)mean({1, inf, 3}); }, "a target is NaN or infinite");
    for (const float x : {static_cast<float>(nan_d), static_cast<float>(inf)})
        s.refuses(not_a_number, [&] { (void)learns(model, {1, 2, 3}, 1, {0, x, 2}); }, "a feature is NaN or infinite");
    s.refuses(largest, [&] { (void)mean({-huge, huge}); }, "targets span more");
    const prediction wide = learns(model, {-8e307, 1, 8e307, 2, 3}, 2);
    s.between(largest, wide.mean, 1e306, 8.1e307);
    s.between(largest, wide.sd, 1e303, 8e307);
    s.between(denormal, mean({0, 2000 * tiny, 4000 * tiny, 2000 * tiny}), 500 * tiny, 3500 * tiny);
    s.is(equal, mean({0.1, 0.1, 0.1}), 0.1);
    s.between(one, mean({7}), 7, 7);
    s.between(two, mean({7, 8}), 6.9, 8.1);
    s.refuses(none, [&] { (void)mean({}); }, "no rows");
}

}  // namespace

TEST_CASE("edge: surrogate::random_forest::fit, surrogate::random_forest::predict")
{
    for (const auto sd : {su::forest_sd::tree_sd, su::forest_sd::total_variance, su::forest_sd::jackknife})
        of_any_scale(su::random_forest{.trees = 40, .sd = sd}, 1e-9);
    // A NaN goes left, an infinity to its end.
    const auto at = [](double x) {
        return learns(su::random_forest{.trees = 20}, {1, 2, 3, 4}, static_cast<float>(x)).mean;
    };
    CHECK(at(nan_d) == at(-1));
    CHECK(at(inf) == at(9));
    CHECK(at(-inf) == at(-1));
}

TEST_CASE("edge: surrogate::validity::fit, surrogate::validity::log_chances")
{
    const su::validity valid{su::random_forest{.trees = 20, .bootstrap = false}};
    const auto says = [&](const list& ran, double x = 1) {
        const floats all{0, 1, 2, 3}, rows(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(ran.size()));
        const floats asked{static_cast<float>(x)};
        tunekit::random::philox gen(1);
        auto state = valid.start(1);
        valid.fit(state, su::rows_of<float>(rows, 1), ran, gen);
        CHECK(valid.log_chances(state, su::rows_of<float>(floats{}, 1)).empty());
        return valid.log_chances(state, su::rows_of<float>(asked, 1)).at(0);
    };
    CHECK(says({1}) == 0);
    CHECK(says({0}) == std::log(0.1));
    CHECK(says({1, 0}) == std::log(0.1));
    CHECK(says({0, 1}) == 0);
    for (const double more : {5.0, huge, -huge}) CHECK(says({1, more}) == (more > 0 ? 0 : std::log(0.1)));
    CHECK(says({1, 1, 0, 0}, nan_d) == 0);  // as the forest has it
    CHECK(says({1, 1, 0, 0}, -inf) == 0);
    CHECK(says({1, 1, 0, 0}, inf) == std::log(0.1));
    for (const double x : {nan_d, inf, -inf})
        CHECK_THROWS_WITH((void)says({1, x}), doctest::Contains("a target is NaN or infinite"));
    CHECK_THROWS_WITH((void)says({}), doctest::Contains("no rows"));
}

TEST_CASE(
    "edge: surrogate::gaussian_process::fit, surrogate::gaussian_process::predict, surrogate::gaussian_process::keep")
{
    const su::gaussian_process model;
    of_any_scale(model, 1e-6);
    for (const double x : {nan_d, inf, -inf}) {
        const floats asked{static_cast<float>(x)};
        CHECK_THROWS_WITH((void)learns(model, {1, 2, 3}, asked[0]),
                          "tunekit: gaussian_process: a feature is NaN or infinite, want finite ones");
        CHECK_THROWS_WITH((void)model.keep(su::rows_of<float>(asked, 1)),
                          "tunekit: gaussian_process: a feature is NaN or infinite, want finite ones");
    }
    for (const double x : {nan_d, inf, 0.0})
        CHECK_THROWS((void)su::gaussian_process{.given = su::process_parameters{{1}, x, 1e-3}}.start(1));
    // Kept rows, and means by place, are in the unit of the targets, too.
    for (const double scale : {1e200, 1e-200}) {
        const floats rows{0, 1, 2, 3};
        const list y{scale, 3 * scale, 2 * scale, 5 * scale};
        tunekit::random::philox gen(1);
        auto state = model.start(1);
        model.fit(state, su::rows_of<float>(rows, 1), y, gen);
        auto kept = model.keep(su::rows_of<float>(rows, 1));
        std::vector<prediction> out(4);
        model.predict(state, kept, out);
        const su::gaussian_process::means_by_place means(state, std::vector<std::size_t>{4});
        for (std::uint16_t i = 0; i < 4; ++i) {
            CHECK(out[i].mean / y[i] == doctest::Approx(1).epsilon(0.2));
            CHECK(means.mean(std::vector<std::uint16_t>{i}) / out[i].mean == doctest::Approx(1));
        }
    }
}

TEST_CASE("edge: surrogate::boosted_trees::fit, surrogate::boosted_trees::predict, surrogate::boosted_trees::margins")
{
    sweep s(sweep::lists);
    const su::boosted_trees model{.rounds = 50, .members = 2};
    const auto mean = [&](const list& y) { return learns(model, y).mean; };
    s.refuses(not_a_number, [&] { (void)mean({1, nan_d, 3}); }, "a target is NaN or beyond 1e30");
    s.refuses(infinite, [&] { (void)mean({1, inf, 3}); }, "a target is NaN or beyond 1e30");
    s.refuses(e200, [&] { (void)mean({1, 1e200}); }, "beyond 1e30");
    s.refuses(e160, [&] { (void)mean({1, 1e160}); }, "beyond 1e30");
    s.refuses(largest, [&] { (void)mean({1, huge}); }, "beyond 1e30");
    s.between(em200, mean({1e-200, 2e-200, 3e-200}), -0.02, 0.02);  // gamma and base_score are absolute
    s.between(denormal, mean({0, tiny, 0}), -0.02, 0.02);
    s.between(largest, learns(su::boosted_trees{.members = 2}, {1e30, -1e30, 1e30, -1e30}).mean, -2e30, 2e30);
    s.between(largest, learns(su::boosted_trees{.members = 2}, {1e30, -1e30, 1e30, -1e30}).sd, 0, 1e31);
    s.is(equal, mean({0.25, 0.25, 0.25}), 0.25, 0.2);
    s.is(one, mean({7}), 7, 0.2);
    s.between(two, mean({7, 8}), 6, 9);
    s.refuses(none, [&] { (void)mean({}); }, "no rows");
    // Base margins, at fit and later.
    const floats rows{0, 1, 2, 3};
    const su::rows_of<float> four(rows, 1);
    tunekit::random::philox gen(1);
    auto state = model.start(1);
    model.fit(state, four, list{1, 2, 3, 4}, list{0, 1, 1e20, -1e20}, gen);
    list out(4);
    model.margins(state, four, out);
    for (const double m : out) s.between(e160, m, -1e31, 1e31);
    std::vector<prediction> said(4);
    for (const double x : {nan_d, inf, 1e200}) {
        s.refuses(
            not_a_number, [&] { model.fit(state, four, list{1, 2, 3, 4}, list{0, 1, x, 2}, gen); },
            "a base margin is NaN or beyond 1e30");
        s.refuses(
            not_a_number, [&] { model.predict(state, four, list{0, 1, x, 2}, said); },
            "a base margin is NaN or beyond 1e30");
    }
}

TEST_CASE("edge: surrogate::jackknife::variance, surrogate::jackknife::variances")
{
    sweep s(sweep::lists);
    const auto of = [](const list& centred) {
        std::vector<std::uint32_t> counts;
        for (std::size_t b = 0; b < centred.size(); ++b)
            for (std::size_t i = 0; i < 4; ++i) counts.push_back(static_cast<std::uint32_t>((b + i) % 3));
        return su::jackknife(counts, centred.size()).variance(centred);
    };
    s.scales(of, {1, -3, 2}, 2);
    s.is(not_a_number, of({1, nan_d, 2}), nan_d);
    s.holds(infinite, !std::isfinite(of({1, inf, 2})));
    s.holds(largest, !std::isfinite(of({huge, -huge, 0})));
    s.is(denormal, of({tiny, -tiny, 0}), 0);
    s.is(equal, of({0, 0, 0}), 0);
    s.is(one, of({0}), 0);
    s.holds(two, std::isfinite(of({1, -1})));
    s.refuses(none, [&] { (void)of({}); }, "jackknife: counts are not trees x rows");
    const su::jackknife two_trees(std::vector<std::uint32_t>{1, 0, 0, 1}, 2);
    const list centred{1, -1};
    double same = 0;
    two_trees.variances(centred.data(), 1, &same);
    s.is(two, same, two_trees.variance(centred));
}

TEST_CASE("edge: screen::k_means::starts, screen::k_means::cluster, screen::k_means::fit")
{
    sweep s(sweep::lists);
    const auto found = [](const list& x) {
        screen::point_rows points{{}, 1};
        for (const double v : x)
            points.values.push_back(static_cast<float>((std::clamp)(v, -inf, inf) > 3e38 ? inf : v));
        const screen::k_means groups;
        tunekit::random::philox gen(1);
        const auto starts = groups.starts(points, 2, gen);
        (void)groups.fit(points, std::vector<std::uint32_t>{0});
        return groups.cluster(points, 2, starts);
    };
    for (const auto& [k, x] :
         {std::pair{not_a_number, nan_d}, {infinite, inf}, {e200, 1e200}, {e160, 1e160}, {largest, huge}})
        s.refuses(k, [&, bad = x] { (void)found({1, bad, 2}); }, "a coordinate is NaN or beyond 1e15");
    for (const auto& [k, x] :
         {std::pair{em200, 1e-200}, {denormal, 1e-44}, {denormal, 1e-25}}) {  // nearer than 1e-19: one
        s.holds(k, found({0, x, 2 * x}).centroids.size() == 1);
        s.between(k, found({0, x, 2 * x}).loss, 0, 1e-40);
    }
    s.is(largest, found({1e15, 1e15, -1e15}).loss, 0);
    s.is(equal, found({0.1, 0.1, 0.1}).loss, 0);
    s.is(one, found({7}).loss, 0);
    s.is(two, found({7, 8}).loss, 0);
    s.refuses(none, [&] { (void)found({}); }, "no points");
}

TEST_CASE("edge: screen::diversity::select")
{
    sweep s(sweep::lists);
    const support::grid_space space({8});
    const auto first = [&](const list& scores) {
        std::vector<explore::scored_candidate> candidates;
        for (const double score : scores) candidates.push_back({.candidate = candidates.size(), .score = score});
        tunekit::random::philox gen(1);
        const auto chosen = screen::diversity{.lambda = 9}.select(space, candidates, {},
                                                                  (std::min)(scores.size(), std::size_t{2}), gen);
        CHECK(chosen.size() == (std::min)(scores.size(), std::size_t{2}));
        return chosen.empty() ? -1.0 : static_cast<double>(chosen[0]);
    };
    s.scales(first, {1, 4, 2}, 0);
    s.refuses(not_a_number, [&] { (void)first({1, nan_d, 2}); }, "a score is NaN");
    s.refuses(
        not_a_number,
        [&] {
            tunekit::random::philox gen(1);
            (void)screen::diversity{.alpha = nan_d}.select(space, {}, {}, 1, gen);
        },
        "alpha is negative or NaN");
    s.is(infinite, first({1, -inf, 2}), 2);
    s.is(infinite, first({-inf, -inf, -inf}), 0);
    s.is(infinite, first({1, inf, -inf}), 1);
    s.is(largest, first({0, -huge, huge}), 2);
    s.is(denormal, first({0, tiny, -tiny}), 1);
    s.is(equal, first({0.1, 0.1, 0.1}), 0);
    s.is(one, first({7}), 0);
    s.is(two, first({7, 8}), 1);
    s.is(none, first({}), -1);
}
