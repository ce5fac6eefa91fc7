// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>

#include "data.hpp"
#include "tunekit/random/normal.hpp"
#include "tunekit/surrogate/boosted_trees.hpp"

namespace tk = tunekit;
using namespace surrogate_test;
using tk::surrogate::boosted_loss;
using tk::surrogate::boosted_trees;

TEST_CASE("the scale of a spread is the constant alone where the spread says nothing, and steep where it says all")
{
    using tk::surrogate::detail::calibrate;
    using tk::surrogate::detail::unseen_error;
    std::vector<unseen_error> tells, silent;
    tk::random::philox gen(1);
    for (int i = 0; i < 2000; ++i) {
        const double sd = 0.1 + tk::random::uniform_01(gen);
        const double e = sd * tk::random::normal(gen);
        tells.push_back({.square = 9 * e * e, .spread = sd * sd});
        silent.push_back({.square = e * e, .spread = tk::random::uniform_01(gen) < 0.5 ? 1e-6 : 1.0});
    }
    const auto steep = calibrate(tells);
    CHECK(steep.slope == doctest::Approx(9).epsilon(0.1));
    CHECK(steep.sd(0.25) == doctest::Approx(1.5).epsilon(0.1));
    const auto flat = calibrate(silent);
    CHECK(flat.slope == 0);
    CHECK(calibrate({}) == tk::surrogate::detail::spread_scale{});
    CHECK(calibrate(std::vector<unseen_error>{{.square = 4, .spread = 0}}).sd(0) == 2);
}

TEST_CASE("sd covers fresh rows: 50 and 90 % intervals hold between 45 and 75, and between 85 and 99 % of 4000")
{
    for (const auto loss : {boosted_loss::squared, boosted_loss::logistic}) {
        const auto make = [](std::uint64_t seed, std::size_t n) {
            auto t = separable(seed, n);
            tk::random::philox gen(seed + 7);
            for (auto& y : t.y) y = std::exp(y) * (1 + 0.1 * tk::random::normal(gen)) / 1.5;
            for (auto& y : t.y) y = std::clamp(y, 0.0, 1.0);
            return t;
        };
        const boosted_trees model{.loss = loss, .rounds = 60, .stop_after = 0, .members = 6};
        const auto t = make(1, 400);
        tk::random::philox gen(3);
        auto s = model.start(t.d);
        model.fit(s, t.rows(), t.y, gen);
        const auto fresh = make(2, 4000);
        const auto p = predict(model, s, fresh);
        double in50 = 0;
        double in90 = 0;
        for (std::size_t i = 0; i < fresh.size(); ++i) {
            const double e = std::abs(p[i].mean - fresh.y[i]);
            in50 += e <= 0.6744897501960817 * p[i].sd;
            in90 += e <= 1.6448536269514722 * p[i].sd;
        }
        CHECK(in50 / 4000 > 0.45);
        CHECK(in50 / 4000 < 0.75);
        CHECK(in90 / 4000 > 0.85);
        CHECK(in90 / 4000 < 0.99);
    }
}

TEST_CASE("members leave the mean alone, and without them sd is 0")
{
    const auto t = separable(5, 100);
    const boosted_trees plain{.rounds = 10};
    const boosted_trees spread{.rounds = 10, .members = 3};
    tk::random::philox a(1);
    tk::random::philox b(1);
    auto s = plain.start(t.d);
    auto u = spread.start(t.d);
    plain.fit(s, t.rows(), t.y, a);
    spread.fit(u, t.rows(), t.y, b);
    const auto p = predict(plain, s, t);
    const auto q = predict(spread, u, t);
    CHECK(means(p) == means(q));
    for (std::size_t i = 0; i < t.size(); ++i) {
        CHECK(p[i].sd == 0);
        CHECK(q[i].sd > 0);
    }
}
