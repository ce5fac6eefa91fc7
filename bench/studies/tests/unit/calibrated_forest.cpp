// SPDX-License-Identifier: MIT
#include "bench/studies/support/calibrated_forest.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "tests/unit/surrogate/data.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace tk = tunekit;
using namespace surrogate_test;
using programs::calibrated_forest;
using tk::random::philox;
using tk::surrogate::forest_sd;
using tk::surrogate::random_forest;

static_assert(tk::surrogate::model<calibrated_forest, tk::surrogate::features, philox>);

namespace {

calibrated_forest::state fitted(const calibrated_forest& model, const table& t, std::uint64_t seed)
{
    philox gen(seed);
    auto s = model.start(t.d);
    model.fit(s, t.rows(), t.y, gen);
    return s;
}

}  // namespace

TEST_CASE("the calibrated jackknife is the calibration of the jackknife by that of the first half of the trees")
{
    const std::size_t h = 31, half = 16;
    const calibrated_forest model{{.trees = h}};
    const auto t = noise(31, 50, 3, 5);
    const auto s = fitted(model, t, 4);
    const auto p = predict(model, s, t);
    std::vector<std::uint32_t> counts;
    for (std::size_t b = 0; b < h; ++b) {
        const auto m = multiplicity(philox(4), b, t.size());
        counts.insert(counts.end(), m.begin(), m.end());
    }
    const auto variances = [&](std::size_t trees) {
        const auto drawn = std::span<const std::uint32_t>(counts).first(trees * t.size());
        const tk::surrogate::jackknife ij(drawn, trees);
        std::vector<double> out;
        for (std::size_t i = 0; i < t.size(); ++i) {
            std::vector<double> c(trees);
            double mean = 0;
            for (std::size_t b = 0; b < trees; ++b)
                mean += (c[b] = s.all.node(b, leaf_of(s.all, b, t.row(i))).value) / static_cast<double>(trees);
            for (double& x : c) x -= mean;
            out.push_back(ij.variance(c));
        }
        return out;
    };
    const auto all = variances(h), some = variances(half);
    double apart = 0;
    for (std::size_t i = 0; i < all.size(); ++i) apart += (all[i] - some[i]) * (all[i] - some[i]) / 50;
    const double d = 16.0 / 31, e = 15.0 / 31;  // forestci: noise = (d^2 + e^2) / (2 e^2) of it
    const auto want = programs::calibrated(all, (d * d + e * e) / (2 * e * e) * apart);
    for (std::size_t i = 0; i < p.size(); ++i) {
        CHECK(p[i].sd > 0);
        CHECK(p[i].sd * p[i].sd == doctest::Approx(want[i]).epsilon(1e-6));
    }
}

TEST_CASE("twenty points are not calibrated; more are, across blocks")
{
    const auto t = noise(31, 300, 3, 5);
    const calibrated_forest model{{.trees = 30}};
    const auto s = fitted(model, t, 4);
    const random_forest plain{.trees = 30, .sd = forest_sd::jackknife};
    const auto part = [&](std::size_t n) {
        table out = t;
        out.x.resize(n * t.d);
        out.y.resize(n);
        return out;
    };
    CHECK(predict(model, s, part(20)) == predict(plain, s.all, part(20)));
    CHECK_FALSE(predict(model, s, part(21)) == predict(plain, s.all, part(21)));
    const auto sds = predict(model, s, t);
    for (const auto& p : sds) CHECK(p.sd > 0);
}

TEST_CASE("a forest of one tree has no half to be calibrated by")
{
    CHECK_THROWS_WITH_AS((void)calibrated_forest{{.trees = 1}}.start(1),
                         "tunekit: calibrated_forest: one tree to calibrate, want trees >= 2", std::invalid_argument);
}
