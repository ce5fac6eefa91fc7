// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "tests/support/curve_families.hpp"
#include "tunekit/curve/families/log_power.hpp"
#include "tunekit/curve/fit.hpp"
#include "tunekit/curve/segment.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace curve = tunekit::curve;

namespace {

/// A point of the box that moderate data could have: the box, narrowed where it is there for safety only.
template <class F>
curve::parameters_of<F> somewhere(tunekit::random::philox& gen)
{
    curve::parameters_of<F> p{};
    const auto from = F::defaults();
    const auto box = F::box(1.5);
    for (std::size_t c = 0; c < p.size(); ++c) {
        p[c] = from[c] * (0.5 + tunekit::random::uniform_01(gen));
        p[c] = (std::clamp)(p[c], box[c].low + 1e-3, box[c].high - 1e-3);
    }
    return p;
}

curve::observations samples_of(const auto& f, std::size_t n)
{
    std::vector<double> x, y;
    for (std::size_t i = 1; i <= n; ++i) {
        x.push_back(static_cast<double>(i));
        y.push_back(f(static_cast<double>(i)));
    }
    return {x, y};
}

}  // namespace

TEST_CASE("log power: the values of the start parameters that the reference lists")
{
    const auto p = curve::log_power::defaults();
    const auto f = [&](double x) { return curve::value<curve::log_power>(p, x); };
    CHECK(f(1) == doctest::Approx(0.138208049).epsilon(1e-8));
    CHECK(f(10) == doctest::Approx(0.319148482).epsilon(1e-8));
    CHECK(f(100) == doctest::Approx(0.536003868).epsilon(1e-8));
    CHECK(f(1000) == doctest::Approx(0.678468525).epsilon(1e-8));
    CHECK(f(1) == doctest::Approx(0.77 / (1 + std::pow(1 / std::exp(2.98), -0.51))).epsilon(1e-14));
}

TEST_CASE("families equal their formulas written with pow, exp and log")
{
    const double x = 37, l = std::log(x);
    const auto near = [](double want) { return doctest::Approx(want).epsilon(1e-13); };
    CHECK(curve::value<support::pow2>({0.1, -0.3}, x) == near(0.1 * std::pow(x, 0.3)));
    CHECK(curve::value<support::pow3>({0.84, 0.52, 0.2}, x) == near(0.84 - 0.52 * std::pow(x, -0.2)));
    CHECK(curve::value<support::pow4>({0.8, 3, 2, 0.7}, x) == near(0.8 - std::pow(3 * x + 2, -0.7)));
    CHECK(curve::value<support::log_linear>({0.3, 0.1}, x) == near(0.3 * l + 0.1));
    CHECK(curve::value<support::log_log_linear>({0.3, 1.1}, x) == near(std::log(0.3 * l + 1.1)));
    CHECK(curve::value<support::hill3>({0.7, 0.6, 2.5}, x) ==
          near(0.7 * std::pow(x, 0.6) / (std::pow(2.5, 0.6) + std::pow(x, 0.6))));
    CHECK(curve::value<support::janoschek>({0.7, 0.1, 0.35, 0.46}, x) ==
          near(0.7 - 0.6 * std::exp(-0.35 * std::pow(x, 0.46))));
    CHECK(curve::value<support::weibull>({0.7, 0.1, 0.01, 0.8}, x) ==
          near(0.7 - 0.6 * std::exp(-std::pow(0.01 * x, 0.8))));
    CHECK(curve::value<support::mmf>({0.7, 0.1, 0.01, 5}, x) == near(0.7 - 0.6 / (1 + std::pow(0.01 * x, 5))));
}

TEST_CASE("log power far outside its box is 0 or a, never NaN")
{
    CHECK(curve::value<curve::log_power>({1, 1e6, -1e3}, 7) < 1e-300);
    CHECK(curve::value<curve::log_power>({1, -1e6, -1e3}, 7) == 1);
}

TEST_CASE_TEMPLATE("a family is a family: gradients equal central differences, curves rise, packs equal numbers", F,
                   curve::log_power, support::hill3, support::pow2, support::pow3, support::pow4, support::log_linear,
                   support::log_log_linear, support::janoschek, support::weibull, support::mmf)
{
    static_assert(curve::family<F>);
    tunekit::random::philox gen{1};
    for (int i = 0; i < 50; ++i) {
        const auto p = somewhere<F>(gen);
        const double x = 1 + 300 * tunekit::random::uniform_01(gen);
        const auto g = curve::gradient<F>(p, x);
        for (std::size_t c = 0; c < p.size(); ++c) {
            auto low = p, high = p;
            const double h = 1e-5 * (std::max)(1e-2, std::abs(p[c]));
            low[c] -= h;
            high[c] += h;
            const double difference = (curve::value<F>(high, x) - curve::value<F>(low, x)) / (2 * h);
            CHECK(g[c] == doctest::Approx(difference).epsilon(1e-4).scale(1e-4));
        }
        CHECK(curve::value<F>(p, 2 * x) >= curve::value<F>(p, x));
        using tunekit::linalg::all, tunekit::core::detail::pack;
        const typename F::at f(p);
        double lanes[tunekit::core::detail::pack_size];
        tunekit::core::detail::store(f(all<pack>(x), all<pack>(std::log(x))), lanes);
        for (const double v : lanes) CHECK(v == curve::value<F>(p, x));
    }
}

TEST_CASE_TEMPLATE("least squares reproduces a curve of the family without noise", F, curve::log_power, support::hill3,
                   support::pow2, support::pow3, support::log_linear, support::log_log_linear, support::mmf,
                   support::weibull)
{
    tunekit::random::philox gen{2};
    for (int i = 0; i < 5; ++i) {
        const auto p = somewhere<F>(gen);
        const auto fit = curve::fit<F>(samples_of([&](double x) { return curve::value<F>(p, x); }, 120), F::box(5));
        REQUIRE(fit.usable);
        CHECK(fit.sd < 1e-4);
    }
}

TEST_CASE("least squares recovers log power parameters to 1e-6 from points without noise")
{
    for (const auto& p : {std::array{0.77, 2.98, -0.51}, std::array{0.9, 3.5, -1.3}, std::array{0.4, 1.0, -2.0}}) {
        const auto data = samples_of([&](double x) { return curve::value<curve::log_power>(p, x); }, 260);
        const auto fit = curve::fit<curve::log_power>(data, curve::log_power::box(1.5));
        CHECK(fit.converged);
        for (std::size_t c = 0; c < 3; ++c) CHECK(std::abs(fit.parameters[c] - p[c]) < 1e-6);
    }
}

TEST_CASE("least squares stays in the box and reports its own residual")
{
    const auto data = samples_of([](double x) { return 0.9 - 0.5 / x; }, 50);
    const curve::box_of<curve::log_power> box{{{0, 0.8}, {-10, 15}, {-10, -1e-3}}};
    const auto fit = curve::fit<curve::log_power>(data, box);
    CHECK(fit.parameters[0] == 0.8);
    double squares = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
        const double r = data.y()[i] - curve::value<curve::log_power>(fit.parameters, data.x()[i]);
        squares += r * r;
    }
    CHECK(fit.sd == doctest::Approx(std::sqrt(squares / 50)));
}

TEST_CASE_TEMPLATE("raise lifts a curve to the value asked for, or to the edge of its box", F, curve::log_power,
                   support::pow2, support::pow4, support::log_linear, support::log_log_linear, support::janoschek)
{
    auto p = F::guess(samples_of([](double x) { return 0.5 + 0.01 * std::log(x); }, 20));
    const auto box = F::box(1.5);
    CHECK(curve::detail::raise<F>(p, box, 100, 0.9));
    CHECK(curve::value<F>(p, 100) >= 0.9);
    CHECK(curve::value<F>(p, 100) < 0.9 + 1e-6);
    CHECK_FALSE(curve::detail::raise<F>(p, box, 2, 50));
    CHECK(p[F::level] == box[F::level].high);
}

TEST_CASE("segments start after jumps of more than 20 %, leading zeros belong to none")
{
    using starts = std::vector<std::size_t>;
    CHECK(curve::detail::segment_starts(std::vector{1.0, 1.1, 1.15, 2.0, 2.1}, 0.2) == starts{0, 3});
    CHECK(curve::detail::segment_starts(std::vector{0.0, 0.0, 5.0, 5.5, 7.0}, 0.2) == starts{2, 4});
    CHECK(curve::detail::segment_starts(std::vector{1.0, 1.2}, 0.2) == starts{0});  // exactly 20 % is no jump
    CHECK(curve::detail::segment_starts(std::vector{0.0, 0.0}, 0.2).empty());
    CHECK(curve::detail::segment_starts({}, 0.2).empty());
}

TEST_CASE("the last segment of a curve with one jump at 80 starts there, renumbered from 1")
{
    std::vector<double> best;
    for (int i = 1; i <= 150; ++i) best.push_back((i < 80 ? 1.0 : 1.5) + 0.001 * i);
    const auto part = curve::last_segment(best);
    CHECK(part.first == 79);
    CHECK(part.x.front() == 1);
    CHECK(part.x.size() == 71);
    CHECK(part.y.front() == best[79]);
}

TEST_CASE("a short last segment is completed from before, as far as there are points above 0")
{
    const auto jump_at_end = curve::last_segment(std::vector{0.0, 1.0, 1.1, 1.1, 1.1, 1.1, 2.0});
    CHECK(jump_at_end.first == 2);
    CHECK(jump_at_end.y == std::vector{1.1, 1.1, 1.1, 1.1, 2.0});
    CHECK(curve::last_segment(std::vector{0.0, 1.0, 2.0}).y == std::vector{1.0, 2.0});
    CHECK(curve::last_segment(std::vector{0.0, 0.0}).x.empty());
    CHECK_THROWS_AS((void)curve::last_segment(std::vector{1.0, std::nan("")}), std::invalid_argument);
    CHECK_THROWS_AS((void)curve::last_segment(std::vector{1.0}, -1), std::invalid_argument);
}

TEST_CASE("long segments lose the insides of their plateaus only")
{
    std::vector<double> best;
    for (int i = 0; i < 600; ++i) best.push_back(1 + 0.01 * (i / 100));
    const auto part = curve::last_segment(best);
    CHECK(part.x.size() == 12);
    CHECK(part.x[0] == 1);
    CHECK(part.x[1] == 100);
    CHECK(part.x[2] == 101);
    CHECK(part.x.back() == 600);
    best.resize(curve::segment::max_points);
    CHECK(curve::last_segment(best).x.size() == curve::segment::max_points);
}
