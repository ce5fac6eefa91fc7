// SPDX-License-Identifier: MIT
#include "tunekit/surrogate/random_forest.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>
#include <type_traits>

#include "data.hpp"
#include "tests/support/executors.hpp"

namespace tk = tunekit;
using namespace surrogate_test;
using tk::random::philox;
using tk::surrogate::forest_sd;
using tk::surrogate::random_forest;

static_assert(tk::surrogate::model<random_forest, tk::surrogate::features, philox>);
static_assert(tk::surrogate::model<random_forest, tk::surrogate::ordinals, philox>);
static_assert(std::is_aggregate_v<random_forest> && std::regular<random_forest::state>);
static_assert(random_forest::jackknifed().sd == forest_sd::jackknife && random_forest::jackknifed().trees == 100);
static_assert(random_forest::adatune_code().trees == 10 && random_forest::adatune_code().max_features == 10);

namespace {

random_forest::state fitted(const random_forest& model, const table& t, std::uint64_t seed = 1)
{
    philox gen(seed);
    auto s = model.start(t.d);
    model.fit(s, t.rows(), t.y, gen);
    return s;
}

double squared_error(const table& t, const std::vector<std::size_t>& rows, const std::vector<std::uint32_t>& w)
{
    double weight = 0;
    double mean = 0;
    for (const auto r : rows) {
        weight += w[r];
        mean += w[r] * t.y[r];
    }
    mean /= weight;
    double out = 0;
    for (const auto r : rows) out += w[r] * (t.y[r] - mean) * (t.y[r] - mean);
    return out;
}

// Follows the definition: at every node no split of the rows there leaves less squared error than the one made, whose
// threshold is halfway between the values on its sides; leaves are pure or cannot be split and hold the mean.
void check_greedy(const table& t, const random_forest::state& s, std::size_t tree, std::size_t node,
                  const std::vector<std::size_t>& rows, const std::vector<std::uint32_t>& w)
{
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t f = 0; f < t.d; ++f) {
        std::map<float, int> values;
        for (const auto r : rows) values[t.row(r)[f]] = 0;
        for (auto v = values.begin(); v != values.end() && std::next(v) != values.end(); ++v) {
            std::vector<std::size_t> left, right;
            for (const auto r : rows) (t.row(r)[f] > v->first ? right : left).push_back(r);
            best = std::min(best, squared_error(t, left, w) + squared_error(t, right, w));
        }
    }
    const auto here = s.node(tree, node);
    const double error = squared_error(t, rows, w);
    if (here.leaf) {
        CHECK((error < 1e-12 || std::isinf(best)));
        double weight = 0;
        double mean = 0;
        for (const auto r : rows) {
            weight += w[r];
            mean += w[r] * t.y[r];
        }
        CHECK(here.value == doctest::Approx(mean / weight).epsilon(1e-12));
        return;
    }
    CHECK(error > 0);
    std::vector<std::size_t> left, right;
    float below = -std::numeric_limits<float>::infinity();
    float above = std::numeric_limits<float>::infinity();
    for (const auto r : rows) {
        const float x = t.row(r)[here.feature];
        (x > here.threshold ? right : left).push_back(r);
        if (x > here.threshold) above = std::min(above, x);
        else below = std::max(below, x);
    }
    REQUIRE((!left.empty() && !right.empty()));
    CHECK(squared_error(t, left, w) + squared_error(t, right, w) <= best + 1e-9);
    CHECK(here.threshold == (below + above) / 2);
    check_greedy(t, s, tree, here.left, left, w);
    check_greedy(t, s, tree, here.right, right, w);
}

}  // namespace

TEST_CASE("a single deep tree without bootstrap reproduces its targets exactly")
{
    const random_forest model{.trees = 1, .bootstrap = false};
    for (const auto& t : {noise(1, 300, 4, 0), noise(2, 60, 3, 9), separable(3, 500)}) {
        const auto s = fitted(model, t);
        std::map<std::vector<float>, double> first;  // equal rows share a leaf
        const auto p = predict(model, s, t);
        for (std::size_t i = 0; i < t.size(); ++i) {
            std::size_t twins = 0;
            for (std::size_t k = 0; k < t.size(); ++k) twins += std::equal(t.row(i), t.row(i) + t.d, t.row(k));
            if (twins == 1) CHECK(p[i].mean == t.y[i]);
            CHECK(p[i].sd == 0);
        }
    }
}

TEST_CASE("equal targets are predicted exactly, with sd 0")
{
    table t = noise(5, 100, 3, 4);
    t.y.assign(t.size(), 0.1);
    for (const auto sd : {forest_sd::tree_sd, forest_sd::total_variance, forest_sd::jackknife}) {
        const random_forest model{.sd = sd};
        for (const auto& p : predict(model, fitted(model, t), t)) CHECK(p == tk::stats::prediction{0.1, 0});
    }
}

TEST_CASE("equal rows share the mean of their targets")
{
    const table t{.d = 2, .x = {1, 2, 1, 2, 1, 2, 3, 2}, .y = {1, 2, 6, 10}};
    const random_forest model{.trees = 1, .bootstrap = false};
    const auto p = predict(model, fitted(model, t), t);
    CHECK(p[0].mean == 3);
    CHECK(p[2].mean == 3);
    CHECK(p[3].mean == 10);
}

TEST_CASE("every split of every tree is the best there is: against all splits tried one by one")
{
    const random_forest model{.trees = 4};
    for (const auto& t :
         {noise(11, 40, 3, 0), noise(12, 120, 5, 4, 7), noise(13, 200, 4, 6), noise(14, 64, 2, 40, 3)}) {
        const auto s = fitted(model, t, 9);
        for (std::size_t b = 0; b < model.trees; ++b) {
            const auto w = multiplicity(philox(9), b, t.size());
            std::vector<std::size_t> rows;
            for (std::size_t i = 0; i < t.size(); ++i)
                if (w[i] > 0) rows.push_back(i);
            check_greedy(t, s, b, 0, rows, w);
        }
    }
}

TEST_CASE("mean and sd are those of the trees' predictions, in the packed and in the general walk")
{
    // 300 rows of 6 values go the packed way; 3000 of any float have more thresholds than eight bits
    for (const auto& t : {noise(21, 300, 7, 6), noise(22, 3000, 2, 0), noise(23, 5, 1, 0)}) {
        const random_forest model{.trees = 7};
        const auto s = fitted(model, t);
        const auto p = predict(model, s, t);
        for (std::size_t i = 0; i < t.size(); ++i) {
            double mean = 0;
            double square = 0;
            for (std::size_t b = 0; b < 7; ++b) mean += s.node(b, leaf_of(s, b, t.row(i))).value / 7;
            for (std::size_t b = 0; b < 7; ++b)
                square += std::pow(s.node(b, leaf_of(s, b, t.row(i))).value - mean, 2) / 7;
            REQUIRE(p[i].mean == doctest::Approx(mean).epsilon(1e-12));
            REQUIRE(p[i].sd == doctest::Approx(std::sqrt(square)).epsilon(1e-9));
        }
    }
}

TEST_CASE("the jackknife of a forest is the one of its definition, never below 0")
{
    const random_forest model{.trees = 30, .sd = forest_sd::jackknife};
    const auto t = noise(31, 50, 3, 5);
    const auto s = fitted(model, t, 4);
    const auto p = predict(model, s, t);
    for (std::size_t i = 0; i < t.size(); ++i) {
        std::vector<double> c(30);
        double mean = 0;
        for (std::size_t b = 0; b < 30; ++b) mean += (c[b] = s.node(b, leaf_of(s, b, t.row(i))).value) / 30;
        double v = 0;
        double spread = 0;
        for (auto& x : c) {
            x -= mean;
            spread += x * x / 30;
        }
        std::vector<std::vector<std::uint32_t>> counts;
        for (std::size_t b = 0; b < 30; ++b) counts.push_back(multiplicity(philox(4), b, t.size()));
        double bias = 0;
        for (std::size_t r = 0; r < t.size(); ++r) {
            double cov = 0;
            double n1 = 0;
            double n2 = 0;
            for (std::size_t b = 0; b < 30; ++b) {
                cov += (counts[b][r] - 1.0) * c[b] / 30;
                n1 += counts[b][r] / 30.0;
                n2 += counts[b][r] * counts[b][r] / 30.0;
            }
            v += cov * cov;
            bias += (n2 - n1 * n1) * spread / 30;
        }
        CHECK(p[i].sd * p[i].sd == doctest::Approx(std::max(0.0, v - bias)).epsilon(1e-9));
    }
}

TEST_CASE("total variance adds the variance in the leaves: one leaf knows the sd of all targets")
{
    const table t{.d = 1, .x = {1, 2, 3, 4}, .y = {1, 3, 5, 7}};
    const random_forest model{.trees = 3, .min_leaf = 4, .bootstrap = false, .sd = forest_sd::total_variance};
    for (const auto& p : predict(model, fitted(model, t), t)) {
        CHECK(p.mean == 4);
        CHECK(p.sd == doctest::Approx(std::sqrt(5.0)).epsilon(1e-14));
    }
}

TEST_CASE("ordinals and features of the same numbers give the same forest and the same predictions")
{
    const auto t = noise(41, 400, 6, 7, 50);
    const auto u = as_ordinals(t);
    for (const auto& model : {random_forest{.trees = 8}, random_forest{.trees = 8, .max_features = 2}}) {
        philox a(3);
        philox b(3);
        auto s = model.start(t.d);
        auto o = model.start(t.d);
        model.fit(s, t.rows(), t.y, a);
        model.fit(o, tk::surrogate::ordinals(u, t.d), t.y, b);
        CHECK(s == o);
        std::vector<tk::stats::prediction> p(t.size());
        model.predict(o, tk::surrogate::ordinals(u, t.d), p);
        CHECK(p == predict(model, s, t));
    }
}

TEST_CASE("a monotone transform of a feature parts the training rows the same way")
{
    const auto t = noise(51, 200, 4, 8);
    table u = t;
    for (auto& x : u.x) x = std::exp(2 * x) - 5;
    const random_forest model{.trees = 10, .max_features = 2, .bootstrap = false};  // rows left out may lie between
    CHECK(predict(model, fitted(model, t), t) == predict(model, fitted(model, u), u));
}

TEST_CASE("any executor gives the forest of the serial one: backwards and by threads")
{
    const auto t = noise(61, 1500, 5, 5);
    const random_forest model{.trees = 6};
    const auto serial = fitted(model, t);
    const auto known = predict(model, serial, t);
    const auto check = [&](const auto& executor) {
        philox gen(1);
        auto s = model.start(t.d);
        model.fit(s, t.rows(), t.y, executor, gen);
        CHECK(s == serial);
        std::vector<tk::stats::prediction> p(t.size());
        model.predict(s, t.rows(), p, executor);
        CHECK(p == known);
    };
    check(support::backwards);
    check(support::on_threads);
}

TEST_CASE("one draw of 64 bits is taken per fit, and another seed gives another forest")
{
    const auto t = noise(71, 100, 3, 0);
    const random_forest model{.trees = 2};
    philox gen(5);
    philox same(5);
    auto s = model.start(t.d);
    model.fit(s, t.rows(), t.y, gen);
    (void)tk::random::bits(same);
    CHECK(gen == same);
    CHECK(s != fitted(model, t, 6));
}

TEST_CASE("max_depth, min_leaf and max_features are kept")
{
    const auto t = noise(81, 200, 4, 0);
    const auto shallow = fitted({.trees = 3, .max_depth = 2}, t);
    for (std::size_t b = 0; b < 3; ++b) CHECK(shallow.nodes(b) == 7);
    const auto coarse = fitted({.trees = 1, .min_leaf = 20, .bootstrap = false}, t);
    std::map<std::size_t, int> size;
    for (std::size_t i = 0; i < t.size(); ++i) ++size[leaf_of(coarse, 0, t.row(i))];
    CHECK(size.size() > 1);
    for (const auto& [leaf, n] : size) CHECK(n >= 20);
    // the target is feature 0: with all features every root splits on it, with one of four about a quarter do
    table clear = t;
    for (std::size_t i = 0; i < t.size(); ++i) clear.y[i] = static_cast<double>(t.row(i)[0]);
    const auto all = fitted({.trees = 100}, clear);
    const auto one = fitted({.trees = 100, .max_features = 1}, clear);
    int with_all = 0;
    int with_one = 0;
    for (std::size_t b = 0; b < 100; ++b) {
        with_all += all.node(b, 0).feature == 0;
        with_one += one.node(b, 0).feature == 0;
    }
    CHECK(with_all == 100);
    CHECK(with_one > 3);  // binomial(100, 1/4): p(false alarm) < 1e-7 on either side
    CHECK(with_one < 52);
}

TEST_CASE("features that are constant in a node do not count among max_features")
{
    // The target is feature 0, feature 1 is noise, ten others are constant: two of the two that vary are compared at every root.
    // Were constant ones counted, as in scikit-learn, feature 0 would be among the two of twelve at 33 of 200 roots.
    table t{.d = 12, .x = {}, .y = {}};
    const auto varying = noise(82, 64, 2, 0);
    for (std::size_t i = 0; i < varying.size(); ++i) {
        for (std::size_t j = 0; j < t.d; ++j) t.x.push_back(j < 2 ? varying.row(i)[j] : 1.0F);
        t.y.push_back(static_cast<double>(varying.row(i)[0]));
    }
    const auto s = fitted({.trees = 200, .max_features = 2}, t);
    for (std::size_t b = 0; b < 200; ++b) CHECK(s.node(b, 0).feature == 0);
}

TEST_CASE("features that split equally well are chosen alike: 400 roots of 4, p(false alarm) < 1e-6")
{
    table t{.d = 4, .x = {}, .y = {}};
    for (int i = 0; i < 64; ++i) {
        for (int j = 0; j < 4; ++j) t.x.push_back(static_cast<float>(i % 2));
        t.y.push_back(i % 2);
    }
    const auto s = fitted({.trees = 400}, t);
    std::array<double, 4> count{};
    for (std::size_t b = 0; b < 400; ++b) ++count[s.node(b, 0).feature];
    double chi = 0;
    for (const double c : count) chi += (c - 100) * (c - 100) / 100;
    CHECK(chi < 30.7);  // chi-squared with 3 degrees of freedom
}

TEST_CASE("128 samples of a separable function of 8 parameters rank 2000 others with Spearman above 0.7")
{
    const auto t = separable(91, 128);
    const auto u = separable(92, 2000);
    const random_forest model;
    CHECK(spearman(means(predict(model, fitted(model, t), u)), u.y) > 0.7);
}

TEST_CASE("the sd is larger far from the data than at training rows")
{
    table t = noise(93, 200, 3, 0);
    table far = noise(94, 200, 3, 0);
    for (std::size_t i = 0; i < 200; ++i) {
        t.y[i] = 0;
        for (std::size_t j = 0; j < 3; ++j) {
            const double x = static_cast<double>(t.row(i)[j]);
            t.y[i] += x * x;
            far.x[i * 3 + j] = 1.5F + far.x[i * 3 + j];
        }
    }
    for (const auto sd : {forest_sd::tree_sd, forest_sd::total_variance}) {
        const random_forest model{.sd = sd};
        const auto s = fitted(model, t);
        double near_sd = 0;
        double far_sd = 0;
        for (const auto& p : predict(model, s, t)) near_sd += p.sd;
        for (const auto& p : predict(model, s, far)) far_sd += p.sd;
        CHECK(far_sd > 1.2 * near_sd);
    }
}

TEST_CASE("one row, a constant feature and a NaN to predict are no trouble")
{
    const random_forest model;
    const table one{.d = 2, .x = {1, 2}, .y = {7}};
    CHECK(predict(model, fitted(model, one), one)[0] == tk::stats::prediction{7, 0});
    table t = noise(95, 80, 2, 0);
    for (std::size_t i = 0; i < t.size(); ++i) t.x[2 * i] = 3;
    const auto s = fitted(model, t);
    for (std::size_t b = 0; b < model.trees; ++b)
        for (std::size_t i = 0; i < s.nodes(b); ++i)
            if (const auto node = s.node(b, i); !node.leaf) REQUIRE(node.feature == 1);
    const table nan{.d = 2, .x = {3, std::numeric_limits<float>::quiet_NaN()}, .y = {0}};
    const table low{.d = 2, .x = {3, -1}, .y = {0}};
    CHECK(predict(model, s, nan) == predict(model, s, low));
    std::vector<tk::stats::prediction> none;
    model.predict(s, tk::surrogate::features{}, none);
}

TEST_CASE("start and fit refuse what cannot be fitted and leave the state alone")
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH_AS((void)random_forest{}.start(0), "tunekit: random_forest.start: 0 features, want >= 1",
                         std::invalid_argument);
    CHECK_THROWS_AS((void)random_forest{.trees = 0}.start(1), std::invalid_argument);
    CHECK_THROWS_AS((void)random_forest{.min_leaf = 0}.start(1), std::invalid_argument);
    CHECK_THROWS_AS((void)(random_forest{.bootstrap = false, .sd = forest_sd::jackknife}.start(1)),
                    std::invalid_argument);
    const random_forest model{.trees = 2};
    const auto t = noise(96, 10, 2, 0);
    auto s = fitted(model, t);
    const auto before = s;
    philox gen(1);
    const auto refuses = [&](const table& bad) {
        CHECK_THROWS_AS(model.fit(s, bad.rows(), bad.y, gen), std::invalid_argument);
        CHECK(s == before);
    };
    refuses({.d = 2, .x = {1, 2}, .y = {nan}});
    refuses({.d = 2, .x = {1, 2}, .y = {std::numeric_limits<double>::infinity()}});
    refuses({.d = 2, .x = {1, std::numeric_limits<float>::quiet_NaN()}, .y = {1}});
    refuses({.d = 2, .x = {}, .y = {}});
    refuses({.d = 2, .x = {1, 2}, .y = {1, 2}});
    refuses({.d = 1, .x = {1}, .y = {1}});
    refuses({.d = 2, .x = {1, 2, 3, 4}, .y = {-1.7e308, 1.7e308}});
}
