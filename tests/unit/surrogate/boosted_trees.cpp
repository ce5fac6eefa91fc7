// SPDX-License-Identifier: MIT
#include "tunekit/surrogate/boosted_trees.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <tuple>
#include <type_traits>

#include "data.hpp"

namespace tk = tunekit;
using namespace surrogate_test;
using tk::random::philox;
using tk::surrogate::boosted_loss;
using tk::surrogate::boosted_trees;

static_assert(tk::surrogate::model<boosted_trees, tk::surrogate::features, philox>);
static_assert(tk::surrogate::model<boosted_trees, tk::surrogate::ordinals, philox>);
static_assert(std::is_aggregate_v<boosted_trees> && std::regular<boosted_trees::state>);
static_assert(boosted_trees::paper().rounds == 8000 && boosted_trees::paper().stop_after == 20 &&
              boosted_trees::paper().max_depth == 3);
static_assert(boosted_trees::paper().loss == boosted_loss::pairwise && boosted_trees::paper().gamma == 1e-4);

namespace {

boosted_trees::state fitted(const boosted_trees& model, const table& t, std::span<const double> base = {},
                            std::uint64_t seed = 1)
{
    philox gen(seed);
    auto s = model.start(t.d);
    model.fit(s, t.rows(), t.y, base, gen);
    return s;
}

// XGBoost's exact greedy algorithm as the papers write it, for squared and logistic loss.
class naive_booster {
public:
    naive_booster(const boosted_trees& model, const table& t, const table& probe) : m_(model), t_(t), probe_(probe)
    {
        const bool logistic = m_.loss == boosted_loss::logistic;
        const double start = logistic ? std::log(m_.base_score / (1 - m_.base_score)) : m_.base_score;
        std::vector<double> f(t.size(), start);
        out.assign(probe.size(), start);
        std::vector<std::size_t> rows(t.size()), others(probe.size());
        std::iota(rows.begin(), rows.end(), std::size_t{0});
        std::iota(others.begin(), others.end(), std::size_t{0});
        g_.resize(t.size());
        h_.resize(t.size());
        for (std::size_t round = 0; round < m_.rounds; ++round) {
            for (std::size_t i = 0; i < t.size(); ++i) {
                const double p = logistic ? 1 / (1 + std::exp(-f[i])) : f[i];
                g_[i] = p - t.y[i];
                h_[i] = logistic ? p * (1 - p) : 1;
            }
            add(grow(rows, 0), rows, t_, f);
            add(tree_, others, probe_, out);
            tree_.clear();
        }
    }

    std::vector<double> out;

private:
    struct node {
        bool leaf = true;
        std::size_t feature = 0;
        double threshold = 0;
        std::size_t left = 0, right = 0;
        double value = 0;
    };
    using tree = std::vector<node>;

    [[nodiscard]] double sum(const std::vector<double>& v, const std::vector<std::size_t>& rows) const
    {
        double s = 0;
        for (const auto r : rows) s += v[r];
        return s;
    }
    [[nodiscard]] double worth(const std::vector<std::size_t>& rows) const
    {
        return std::pow(sum(g_, rows), 2) / (sum(h_, rows) + m_.lambda);
    }

    const tree& grow(const std::vector<std::size_t>& rows, std::size_t)
    {
        split(rows, 0);
        return tree_;
    }

    std::size_t split(const std::vector<std::size_t>& rows, std::size_t level)
    {
        const std::size_t me = tree_.size();
        tree_.emplace_back();
        tree_[me].value = -m_.eta * sum(g_, rows) / (sum(h_, rows) + m_.lambda);
        double best = 1e-6;
        std::vector<std::size_t> best_left, best_right;
        for (std::size_t f = 0; level < m_.max_depth && f < t_.d; ++f) {
            for (const auto c : rows) {
                std::vector<std::size_t> left, right;
                float low = -std::numeric_limits<float>::infinity();
                float high = std::numeric_limits<float>::infinity();
                for (const auto r : rows) {
                    const float x = t_.row(r)[f];
                    (x > t_.row(c)[f] ? right : left).push_back(r);
                    if (x > t_.row(c)[f]) high = std::min(high, x);
                    else low = std::max(low, x);
                }
                if (right.empty() || sum(h_, left) < m_.min_child_weight || sum(h_, right) < m_.min_child_weight)
                    continue;
                const double gain = worth(left) + worth(right) - worth(rows);
                if (!(gain > best + 1e-10)) continue;
                best = gain;
                best_left = left;
                best_right = right;
                tree_[me] = {.leaf = false,
                             .feature = f,
                             .threshold = (static_cast<double>(low) + static_cast<double>(high)) / 2,
                             .left = 0,
                             .right = 0,
                             .value = tree_[me].value};
            }
        }
        if (tree_[me].leaf) return me;
        const std::size_t left = split(best_left, level + 1);
        const std::size_t right = split(best_right, level + 1);
        tree_[me].left = left;
        tree_[me].right = right;
        if (tree_[left].leaf && tree_[right].leaf && best < m_.gamma) tree_[me].leaf = true;
        return me;
    }

    static void add(const tree& nodes, const std::vector<std::size_t>& rows, const table& t, std::vector<double>& f)
    {
        for (const auto r : rows) {
            std::size_t i = 0;
            while (!nodes[i].leaf)
                i = static_cast<double>(t.row(r)[nodes[i].feature]) > nodes[i].threshold ? nodes[i].right
                                                                                         : nodes[i].left;
            f[r] += nodes[i].value;
        }
    }

    const boosted_trees& m_;
    const table& t_;
    const table& probe_;
    std::vector<double> g_, h_;
    tree tree_;
};

}  // namespace

TEST_CASE("a step of one feature is learnt by one tree, whose leaves are -eta G / (H + lambda)")
{
    const table t{.d = 1, .x = {0, 0, 1, 1}, .y = {0, 0, 1, 1}};
    const boosted_trees model{.rounds = 1};
    const auto p = predict(model, fitted(model, t), t);  // G = +-1, H = 2 on either side of 0.5
    CHECK(p[0].mean == doctest::Approx(0.4).epsilon(1e-6));
    CHECK(p[3].mean == doctest::Approx(0.6).epsilon(1e-6));
    const boosted_trees logistic{.loss = boosted_loss::logistic, .rounds = 1, .min_child_weight = 0};
    const auto q = predict(logistic, fitted(logistic, t), t);  // G = +-1, H = 1/2
    CHECK(q[3].mean == doctest::Approx(1 / (1 + std::exp(-0.3 / 1.5))).epsilon(1e-6));
    // a split worth 1/3 + 1/3 - 0 does not survive a more expensive gamma
    const boosted_trees dear{.rounds = 1, .gamma = 0.67};
    CHECK(predict(dear, fitted(dear, t), t)[3].mean == doctest::Approx(0.5));
}

TEST_CASE("boosting equals the exact greedy algorithm written plainly, for both losses and depths 1 to 6")
{
    for (std::size_t depth = 1; depth <= 6; ++depth) {
        for (const auto loss : {boosted_loss::squared, boosted_loss::logistic}) {
            const auto t = noise(10 + depth, 40, 3, depth % 2 == 0 ? 0 : 5);
            const auto probe = noise(20 + depth, 137, 3, depth % 2 == 0 ? 0 : 5);
            const boosted_trees model{.loss = loss,
                                      .rounds = 6,
                                      .max_depth = depth,
                                      .gamma = 0.05,
                                      .min_child_weight = 0.5,
                                      .max_bins = 0,
                                      .stop_after = 0};
            const auto p = predict(model, fitted(model, t), probe);
            const naive_booster naive(model, t, probe);
            for (std::size_t i = 0; i < probe.size(); ++i) {
                const double f = naive.out[i];
                REQUIRE(p[i].mean ==
                        doctest::Approx(loss == boosted_loss::logistic ? 1 / (1 + std::exp(-f)) : f).epsilon(1e-5));
            }
        }
    }
}

TEST_CASE("histogram splits are the exact ones where there are no more values than bins")
{
    const auto t = noise(31, 500, 5, 9);
    const boosted_trees exact{.rounds = 30, .max_bins = 0};
    const boosted_trees histogram{.rounds = 30, .max_bins = 9};
    CHECK(fitted(exact, t) == fitted(histogram, t));
}

TEST_CASE("with fewer bins than values thresholds lie between bins of nearly equal numbers of rows")
{
    table t = noise(32, 1000, 1, 0);
    for (std::size_t i = 0; i < t.size(); ++i) t.y[i] = static_cast<double>(t.row(i)[0]);
    const boosted_trees model{.rounds = 1, .max_depth = 1, .max_bins = 4};
    const auto p = predict(model, fitted(model, t), t);
    std::size_t low = 0;
    for (const auto& q : p) low += q.mean < 0.5;
    CHECK(low == 500);  // the middle of the three cuts
}

TEST_CASE("ordinals and features of the same numbers give the same model and predictions")
{
    const auto t = noise(41, 300, 6, 7);
    const auto u = as_ordinals(t);
    const boosted_trees model{.rounds = 20};
    philox gen(1);
    auto s = model.start(t.d);
    model.fit(s, tk::surrogate::ordinals(u, t.d), t.y, gen);
    CHECK(s == fitted(model, t));
    std::vector<tk::stats::prediction> p(t.size());
    model.predict(s, tk::surrogate::ordinals(u, t.d), p);
    CHECK(p == predict(model, s, t));
}

TEST_CASE("a monotone transform of a feature changes no prediction of a training row")
{
    const auto t = noise(51, 200, 4, 0);
    table u = t;
    for (auto& x : u.x) x = std::exp(3 * x);
    const boosted_trees model{.rounds = 20, .max_bins = 16};
    CHECK(predict(model, fitted(model, t), t) == predict(model, fitted(model, u), u));
}

TEST_CASE("pairwise loss recovers the order of separable data, whatever the scale of its targets")
{
    table t = separable(61, 400);
    const boosted_trees model{.loss = boosted_loss::pairwise, .rounds = 300, .stop_after = 0};
    const auto s = fitted(model, t);
    CHECK(spearman(means(predict(model, s, t)), t.y) > 0.97);
    const auto fresh = separable(62, 1000);
    CHECK(spearman(means(predict(model, s, fresh)), fresh.y) > 0.9);
    for (auto& y : t.y) y *= 1024;  // exact, so that no two targets become one
    CHECK(fitted(model, t) == s);
}

TEST_CASE("pairwise gradients of one pair, by hand")
{
    const std::vector<double> y{1, 2};
    const std::vector<std::uint32_t> rows{0, 1};
    tk::surrogate::detail::loss_gradients loss(boosted_loss::pairwise, y, rows, 7, 8);
    std::vector<double> g(2), h(2);
    const std::vector<float> f{1, 0};
    loss(f, 0, g, h);  // each row draws the other: the pair counts twice
    const double p = 1 / (1 + std::exp(1.0));
    CHECK(g[1] == doctest::Approx(2 * (p - 1)).epsilon(1e-12));
    CHECK(g[0] == doctest::Approx(2 * (1 - p)).epsilon(1e-12));
    CHECK(h[0] == doctest::Approx(4 * p * (1 - p)).epsilon(1e-12));
    CHECK(h[1] == h[0]);
}

TEST_CASE("rows of equal targets are never paired; others are all met: 4000 draws, p(false alarm) < 1e-6")
{
    const std::vector<double> y{5, 1, 5, 3, 1};
    const std::vector<std::uint32_t> rows{0, 1, 2, 3, 4};
    tk::surrogate::detail::loss_gradients loss(boosted_loss::pairwise, y, rows, 1, 2);
    std::vector<double> g(5), h(5);
    const std::vector<float> f(5, 0.0F);  // each pair adds 1/2 to the hessian of both
    std::vector<double> pairs(5, 0.0);
    for (std::size_t round = 0; round < 4000; ++round) {
        loss(f, round, g, h);
        for (std::size_t i = 0; i < 5; ++i) pairs[i] += 2 * h[i];
        CHECK(g[0] <= 0);
        CHECK(g[2] <= 0);  // the best never lose
        CHECK(g[1] >= 0);
    }
    // row 3 draws once and is drawn by each of the four others with probability 1/3: mean 1 + 4/3, variance 8/9 a round
    CHECK(std::abs(pairs[3] - 4000 * (1 + 4.0 / 3)) < 5 * std::sqrt(4000 * 8.0 / 9));
}

TEST_CASE("boosting stops when a-recall has not improved for stop_after rounds, and keeps all trees")
{
    const table t{.d = 1, .x = {0, 0, 1, 1}, .y = {0, 0, 1, 1}};
    CHECK(fitted({.stop_after = 5}, t).trees() == 6);  // the first tree ranks as well as any
    CHECK(fitted({.rounds = 4, .stop_after = 5}, t).trees() == 4);
    CHECK(fitted({.rounds = 50, .stop_after = 0}, t).trees() == 50);
}

TEST_CASE("training on a base that is right already leaves nothing to learn")
{
    const auto t = noise(71, 100, 3, 0);
    const boosted_trees model{.rounds = 5};
    const auto s = fitted(model, t, t.y);
    std::vector<tk::stats::prediction> p(t.size());
    model.predict(s, t.rows(), t.y, p);
    for (std::size_t i = 0; i < t.size(); ++i) CHECK(p[i].mean == doctest::Approx(t.y[i]).epsilon(1e-6));
}

TEST_CASE("base margins stay with their rows: permuting both changes nothing")
{
    const auto t = noise(72, 100, 3, 0);
    std::vector<double> base(t.size());
    for (std::size_t i = 0; i < t.size(); ++i) base[i] = t.y[i] * t.y[i];
    table u{.d = t.d, .x = {}, .y = {}};
    std::vector<double> base_u;
    for (std::size_t i = t.size(); i-- > 0;) {
        u.x.insert(u.x.end(), t.row(i), t.row(i) + t.d);
        u.y.push_back(t.y[i]);
        base_u.push_back(base[i]);
    }
    const boosted_trees model{.rounds = 10, .stop_after = 0};
    CHECK(fitted(model, t, base) == fitted(model, u, base_u));
}

TEST_CASE("a model of history helps where there are few rows of one's own")
{
    const auto history = separable(73, 600);
    table own = separable(74, 20);
    auto fresh = separable(75, 1000);
    const boosted_trees model{.rounds = 60, .stop_after = 0};
    const auto past = fitted(model, history);
    const auto base_of = [&](const table& t) {
        std::vector<double> base(t.size());
        model.margins(past, t.rows(), base);
        for (auto& b : base) b *= boosted_trees::discount(own.size());
        return base;
    };
    const auto alone = fitted(model, own);
    const auto taught = fitted(model, own, base_of(own));
    std::vector<tk::stats::prediction> p(fresh.size());
    model.predict(taught, fresh.rows(), base_of(fresh), p);
    CHECK(spearman(means(p), fresh.y) > spearman(means(predict(model, alone, fresh)), fresh.y) + 0.2);
    CHECK(boosted_trees::discount(0) == 1);
    CHECK(boosted_trees::discount(64) == 0.5);
    CHECK(boosted_trees::discount(276) > 0.05);
    CHECK(boosted_trees::discount(277) == 0);
}

TEST_CASE("predictions of training rows are the margins that boosting ended with, to the bit")
{
    // depth 1 and 6: one and eight registers of leaves; 900 trees of one feature: more cuts than a column has
    for (const auto& [d, rounds, depth] :
         {std::tuple(4, 10, 3), std::tuple(4, 10, 1), std::tuple(40, 10, 6), std::tuple(1, 900, 2)}) {
        const auto t = noise(81, 300, static_cast<std::size_t>(d), 0);
        boosted_trees few{.rounds = static_cast<std::size_t>(rounds),
                          .max_depth = static_cast<std::size_t>(depth),
                          .gamma = 0,
                          .max_bins = 0,
                          .stop_after = 0};
        const auto a = fitted(few, t);
        if (d == 1) CHECK(a.used.feature.size() > 1);
        std::vector<double> m(t.size());
        few.margins(a, t.rows(), m);
        ++few.rounds;
        const auto b = fitted(few, t);
        CHECK(std::equal(a.models[0].leaf.begin(), a.models[0].leaf.end(), b.models[0].leaf.begin()));
        few.rounds = 1;
        const auto continued = fitted(few, t, m);  // the last tree, from the margins before it
        const auto leaves = static_cast<std::ptrdiff_t>(continued.models[0].leaves());
        CHECK(std::equal(continued.models[0].leaf.begin(), continued.models[0].leaf.end(),
                         b.models[0].leaf.end() - leaves));
    }
}

TEST_CASE("128 samples of a separable function of 8 parameters rank 2000 others with Spearman above 0.7")
{
    const auto t = separable(91, 128);
    const auto u = separable(92, 2000);
    const boosted_trees model;
    CHECK(spearman(means(predict(model, fitted(model, t), u)), u.y) > 0.7);
}

TEST_CASE("one row, equal targets, a constant feature and a NaN to predict are no trouble")
{
    for (const auto loss : {boosted_loss::squared, boosted_loss::logistic, boosted_loss::pairwise}) {
        const boosted_trees model{.loss = loss, .rounds = 50};
        const table one{.d = 2, .x = {1, 2}, .y = {0.5}};
        CHECK(predict(model, fitted(model, one), one)[0].mean == doctest::Approx(0.5).epsilon(1e-6));
        table t = noise(95, 80, 2, 0);
        for (std::size_t i = 0; i < t.size(); ++i) t.x[2 * i] = 3;
        const auto s = fitted(model, t);
        CHECK(s.used.feature.back() == 1);
        const table nan{.d = 2, .x = {3, std::numeric_limits<float>::quiet_NaN()}, .y = {0}};
        const table low{.d = 2, .x = {3, -1}, .y = {0}};
        CHECK(predict(model, s, nan) == predict(model, s, low));
        t.y.assign(t.size(), 0.25);
        const auto flat = predict(model, fitted(model, t), t);
        for (const auto& p : flat) CHECK(p == flat[0]);
        std::vector<tk::stats::prediction> none;
        model.predict(s, tk::surrogate::features{}, none);
    }
    const boosted_trees free_of_penalty{.rounds = 3, .lambda = 0, .min_child_weight = 0};
    CHECK(std::isfinite(
        predict(free_of_penalty, fitted(free_of_penalty, noise(96, 20, 2, 3)), noise(97, 20, 2, 3))[0].mean));
}

TEST_CASE("start and fit refuse what cannot be fitted and leave the state alone")
{
    CHECK_THROWS_WITH_AS((void)boosted_trees{}.start(0), "tunekit: boosted_trees.start: 0 features, want >= 1",
                         std::invalid_argument);
    for (const auto& bad :
         {boosted_trees{.rounds = 0}, boosted_trees{.max_depth = 0}, boosted_trees{.max_depth = 7},
          boosted_trees{.eta = 0}, boosted_trees{.gamma = -1}, boosted_trees{.lambda = -1},
          boosted_trees{.min_child_weight = -1}, boosted_trees{.loss = boosted_loss::logistic, .base_score = 1},
          boosted_trees{.max_bins = 1}, boosted_trees{.recall_at = 0}, boosted_trees{.members = 1},
          boosted_trees{.loss = boosted_loss::pairwise, .members = 4}})
        CHECK_THROWS_AS((void)bad.start(1), std::invalid_argument);
    const boosted_trees model{.loss = boosted_loss::logistic, .rounds = 2};
    auto s = fitted(model, noise(96, 10, 2, 0));
    const auto before = s;
    philox gen(1);
    const auto refuses = [&](const table& bad, std::vector<double> base = {}) {
        CHECK_THROWS_AS(model.fit(s, bad.rows(), bad.y, base, gen), std::invalid_argument);
        CHECK(s == before);
    };
    refuses({.d = 2, .x = {1, 2}, .y = {std::numeric_limits<double>::quiet_NaN()}});
    refuses({.d = 2, .x = {1, std::numeric_limits<float>::infinity()}, .y = {1}});
    refuses({.d = 2, .x = {}, .y = {}});
    refuses({.d = 2, .x = {1, 2}, .y = {1, 2}});
    refuses({.d = 1, .x = {1}, .y = {1}});
    refuses({.d = 2, .x = {1, 2}, .y = {1.5}});
    refuses({.d = 2, .x = {1, 2}, .y = {0.5}}, {1, 2});
    refuses({.d = 2, .x = {1, 2}, .y = {0.5}}, {std::numeric_limits<double>::quiet_NaN()});
}

TEST_CASE("targets whose sums floats do not hold are refused")
{
    philox gen(1);
    const boosted_trees m{};
    const std::vector<float> rows{1, 2, 3, 4};
    auto s = m.start(1);
    for (const double t : {1e308, -1e308, 1.1e30, std::numeric_limits<double>::quiet_NaN()}) {
        const std::vector<double> y{1, t, -t, 2};
        CHECK_THROWS_WITH_AS(m.fit(s, tk::surrogate::features(rows, 1), y, gen), doctest::Contains("beyond 1e30"),
                             std::invalid_argument);
    }
    const std::vector<double> y{1e30, -1e30, 1e30, -1e30};
    m.fit(s, tk::surrogate::features(rows, 1), y, gen);
    std::vector<tk::stats::prediction> out(4);
    m.predict(s, tk::surrogate::features(rows, 1), out);
    for (const auto& p : out) CHECK(std::isfinite(p.mean));
    CHECK_THROWS_AS(m.predict(s, tk::surrogate::features(rows, 2), out), std::invalid_argument);
}
