// SPDX-License-Identifier: MIT
#include "tunekit/curve.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "tests/unit/edge/sweep.hpp"
#include "tunekit/random/philox.hpp"

namespace cv = tunekit::curve;
using edge::inf, edge::tiny, edge::list, edge::huge, edge::nan_d, edge::sweep;
using enum edge::kind;

namespace {

using log_power = cv::log_power;

const list rising{1, 1.5, 2, 2.2, 2.5, 2.6, 2.7};

list times(list x, double scale)
{
    for (double& v : x) v *= scale;
    return x;
}

/// A forecast has no NaN, and nothing below 0.
bool sound(const cv::forecast& f)
{
    for (const double x : {f.last, f.mean, f.sd, f.expected_improvement, f.expected_saving, f.low, f.high})
        if (!(x >= 0)) return false;
    return true;
}

template <class Belief>
cv::forecast forecast_of(const Belief& belief, const list& best, double horizon = 20, double peak = 0)
{
    tunekit::random::philox gen(1);
    return belief.predict(best, horizon, peak, gen);
}

cv::observations points(const list& y)
{
    list x;
    for (std::size_t i = 0; i < y.size(); ++i) x.push_back(static_cast<double>(i + 1));
    return cv::observations(x, y);
}

}  // namespace

TEST_CASE("edge: curve::belief::predict, curve::belief::explain")
{
    sweep s(sweep::lists);
    const cv::belief<> belief;
    const auto f = [&](const list& best) { return forecast_of(belief, best); };
    const double want = f(rising).mean;
    s.refuses(not_a_number, [&] { (void)f({1, nan_d}); }, "negative or not finite");
    s.refuses(infinite, [&] { (void)f({1, inf}); }, "negative or not finite");
    for (const auto& [k, scale] : {std::pair{e200, 1e200}, {e160, 1e160}, {largest, huge}})
        s.refuses(k, [&, by = scale] { (void)f({by / 2, by}); }, "beyond 1e100");
    s.is(em200, f(times(rising, 1e-200)).mean, want * 1e-200, 1e-6);
    s.is(largest, f(times(rising, 1e99)).mean, want * 1e99, 1e-6);
    for (const double unit : {tiny, 1e6 * tiny, 1e-310}) s.holds(denormal, sound(f(times(rising, unit))));
    s.is(equal, f(list(7, 0.1)).mean, 0.1);
    s.is(one, f({7}).last, 7);
    s.is(two, f({7, 8}).last, 8);
    s.holds(none, f({}).basis == cv::basis::nothing);
    for (const double peak : {nan_d, inf, huge, tiny, -1.0})
        s.holds(infinite, sound(forecast_of(belief, rising, 20, peak)));
    for (const double horizon : {nan_d, inf, 1e200, 1.0})
        s.refuses(not_a_number, [&] { (void)forecast_of(belief, rising, horizon); }, "horizon");
    tunekit::random::philox gen(1);
    s.holds(one, belief.explain(list{7}, 20, 0, gen).predictions.empty());
}

TEST_CASE("edge: curve::latency_reduction")
{
    sweep s(sweep::numbers);
    const auto f = [](double last, double improvement, double flops = 1) {
        return cv::latency_reduction({.last = last, .expected_improvement = improvement, .basis = cv::basis::fallback},
                                     flops);
    };
    for (const auto& [k, x] : {std::pair{e200, 1e200}, {em200, 1e-200}, {e160, 1e160}}) {
        s.is(k, f(x, x), 0.5 / x);
        s.is(k, f(x, 0), 0);
    }
    s.is(not_a_number, f(1, nan_d), nan_d);
    s.is(not_a_number, cv::latency_reduction({.last = nan_d}, nan_d), 0);
    s.is(infinite, f(4, inf), 0.25);
    s.is(largest, f(huge, huge), 0.5 / huge, 1e-12);
    s.is(denormal, f(tiny, tiny), inf);
    s.is(denormal, f(tiny, 0), 0);
    s.is(denormal, f(1, tiny), tiny);
    s.is(e200, f(1e-200, 1e200), 1e200);
}

TEST_CASE(
    "edge: curve::value, curve::gradient, curve::log_power::at::at, curve::log_power::gradient, curve::log_power::box")
{
    sweep s(sweep::numbers);
    const auto at = [](double x, double level = 0.5) { return cv::value<log_power>({level, 3, -10}, x); };
    for (const auto& [k, x] : {std::pair{not_a_number, nan_d},
                               {infinite, inf},
                               {e200, 1e200},
                               {em200, 1e-200},
                               {e160, 1e160},
                               {largest, huge},
                               {denormal, tiny}}) {
        s.refuses(k, [&, bad = x] { (void)at(bad); }, "a position is NaN, below 1 or beyond 2^64");
        s.refuses(
            k, [bad = x] { (void)cv::gradient<log_power>({0.5, 3, -1}, bad); },
            "a position is NaN, below 1 or beyond 2^64");
        if (x == x) s.is(k, log_power::box(x)[0].high, x);
    }
    for (double x = 1; x < 0x1p64; x *= 16) s.between(largest, at(x), 0, 0.5);
    for (const auto& [k, level] : {std::pair{e200, 1e200}, {em200, 1e-200}, {e160, 1e160}})
        s.is(k, at(20, level), at(20) * (level / 0.5));
    for (const double bend : {inf, -inf, 1e200, -huge, tiny})
        for (const double middle : {-1e200, 0.0, tiny, huge}) {
            const double share = cv::value<log_power>({1, middle, bend}, 20);
            s.holds(infinite, share != share || (share >= 0 && share <= 1));
        }
}

TEST_CASE("edge: curve::observations::observations, curve::observations::squared_errors, curve::log_power::guess")
{
    sweep s(sweep::lists);
    const auto squares = [](const list& y) {
        return points(y).squared_errors([](const auto& x, const auto&) { return x - x; });
    };
    s.scales(squares, {1, 2, 3}, 2);
    s.refuses(not_a_number, [&] { (void)squares({1, nan_d}); }, "not finite or left of 1");
    s.refuses(infinite, [&] { (void)squares({1, inf}); }, "not finite or left of 1");
    s.is(largest, squares({huge}), inf);
    s.is(denormal, squares({tiny, tiny}), 0);
    s.is(equal, squares({2, 2, 2}), 12);
    s.is(one, squares({3}), 9);
    s.is(two, squares({3, -4}), 25);
    s.is(none, squares({}), 0);
    for (const double x : {nan_d, inf, 0.0, tiny}) CHECK_THROWS((void)cv::observations(list{x}, list{1}));
    for (const double scale : {1e200, 1e-200, tiny}) s.is(e200, log_power::guess(points({scale, 2 * scale}))[1], 0);
}

TEST_CASE("edge: curve::fit")
{
    sweep s(sweep::lists);
    const auto f = [](const list& y, double top = 5) { return cv::fit<log_power>(points(y), log_power::box(top)); };
    s.between(equal, f(list(9, 0.5)).sd, 0, 0.1);
    for (const auto& [k, scale] :
         {std::pair{e200, 1e200}, {em200, 1e-200}, {e160, 1e160}, {largest, huge / 10}, {denormal, 100 * tiny}}) {
        const auto found = f(times(rising, scale), 5 * scale);  // where squares overflow it is not usable, and says so
        for (std::size_t c = 0; c < 3; ++c)
            s.holds(k, !found.usable || log_power::box(5 * scale)[c].contains(found.parameters[c]));
    }
    s.holds(not_a_number, f({0.5, 0.6}, 1).usable);
    CHECK_THROWS((void)f({0.5, 0.6}, nan_d));
    s.holds(infinite, !f({huge, huge, 1}, inf).usable);
    s.holds(none, !f({}).usable);
    s.holds(one, f({1}).usable);
    s.holds(two, f({1, 2}).usable);
}

TEST_CASE(
    "edge: curve::improvement_process::distribution::distribution, curve::improvement_process::distribution::survival, "
    "curve::improvement_process::distribution::quantile, curve::improvement_process::distribution::mean, "
    "curve::improvement_process::distribution::sd, curve::improvement_process::distribution::saved_share")
{
    sweep s(sweep::numbers);
    using distribution = cv::improvement_process::distribution;
    const distribution unit(2, 0.5, 3, 1);
    for (const auto& [k, scale] :
         {std::pair{e200, 1e200}, {em200, 1e-200}, {e160, 1e160}, {denormal, 1e-310}, {largest, huge / 4}}) {
        const distribution d(2, 0.5, 3, scale);
        s.is(k, d.mean(), unit.mean() * scale, 1e-12);
        s.is(k, d.sd(), unit.sd() * scale, 1e-12);
        s.is(k, d.survival(scale), unit.survival(1), 1e-12);
        s.is(k, d.quantile(0.9), unit.quantile(0.9) * scale, 1e-12);
        s.between(k, d.saved_share(), 0, 1);
    }
    s.is(infinite, unit.survival(inf), 0);
    s.is(infinite, unit.survival(-inf), 1);
    s.between(largest, unit.survival(huge), 0, 1e-300);
    s.is(not_a_number, unit.survival(nan_d), nan_d);
    for (const double p : {nan_d, inf, 1.0, -tiny, 1e200})
        s.refuses(not_a_number, [&] { (void)unit.quantile(p); }, "p is outside [0, 1)");
    s.is(denormal, unit.quantile(tiny), 0);
    for (const double x : {nan_d, inf, 0.0, -1.0})
        for (int which = 0; which < 4; ++which) {
            std::array<double, 4> of{2, 0.5, 3, 1};
            of[static_cast<std::size_t>(which)] = x;
            s.refuses(
                not_a_number, [&] { (void)distribution(of[0], of[1], of[2], of[3]); },
                "improvement_process::distribution");
        }
    for (const double x : {1e200, 1e-200, tiny}) {
        s.holds(e200, distribution(2, x, 3, 1).sd() >= 0);
        s.holds(e200, distribution(x, 0.5, 3, 1).sd() >= 0);
    }
}

TEST_CASE("edge: curve::improvement_process::gains, curve::improvement_process::predict")
{
    sweep s(sweep::lists);
    const cv::improvement_process process;
    const auto gain = [&](const list& best) { return process.gains(best, 20).mean(); };
    const auto mean = [&](const list& best) { return forecast_of(process, best).mean; };
    s.scales(gain, rising, 0);
    s.scales(mean, rising, 1);
    s.refuses(not_a_number, [&] { (void)gain({1, nan_d}); }, "negative or not finite");
    s.refuses(infinite, [&] { (void)gain({1, inf}); }, "negative or not finite");
    s.holds(largest, sound(forecast_of(process, {huge / 2, huge})));
    s.holds(denormal, sound(forecast_of(process, {tiny, 2 * tiny, 2 * tiny})));
    s.between(equal, gain({0.1, 0.1, 0.1}), 0, 1);
    s.between(one, gain({7}), 0, 1);
    s.between(two, gain({7, 8}), 0, 1);
    s.is(none, gain({}), 0);
    s.is(none, mean({}), 0);
    for (const double horizon : {nan_d, 1.0, -inf})
        s.refuses(not_a_number, [&] { (void)process.gains(rising, horizon); }, "horizon");
    s.refuses(infinite, [&] { (void)process.gains(rising, inf); }, "not positive and finite");
    s.holds(largest, std::isfinite(process.gains(rising, huge).mean()));
}

TEST_CASE("edge: curve::log_posterior::log_posterior, curve::log_posterior::one, curve::log_posterior::operator()")
{
    sweep s(sweep::lists);
    const auto f = [](const list& y, double sigma = 0.1, double level = 0.5) {
        const cv::log_posterior<log_power> density(points(y), {.box = log_power::box(1.5)});
        return density.one({level, 3, -1}, sigma);
    };
    s.is(not_a_number, f({0.5}, nan_d), -inf);
    s.is(not_a_number, f({0.5}, 0.1, nan_d), -inf);
    s.is(infinite, f({0.5}, inf), -inf);
    s.is(infinite, f({0.5}, 0.1, inf), -inf);
    for (const auto& [k, y] : {std::pair{e200, 1e200}, {e160, 1e160}, {largest, huge}}) s.is(k, f({y}), -inf);
    for (const auto& [k, y] : {std::pair{em200, 1e-200}, {denormal, tiny}}) s.is(k, f({y}), f({0}));
    s.is(equal, f({0.5, 0.5}), f({0.5, 0.5}));
    s.between(one, f({0.1}), -1e3, 1e3);
    s.between(two, f({0.1, 0.2}), -1e3, 1e3);
    s.is(none, f({}), 0);
    for (const double x : {nan_d, inf, -1.0}) {
        CHECK_THROWS((void)cv::log_posterior<log_power>(points({1}), {.scale = x}));
        CHECK_THROWS((void)cv::log_posterior<log_power>(points({1}), {.known_noise = x}));
        CHECK_THROWS((void)cv::log_posterior<log_power>(points({1}), {.noise = {x == x ? -1 : x, 1}}));
    }
    const cv::log_posterior<log_power> density(points({0.1, 0.2}), {.box = log_power::box(1.5)});
    const list columns{0.5, nan_d, 3, 3, -1, -1, 0.1, 0.1};
    list out(2);
    density(tunekit::mcmc::points(columns.data(), 2, 4, 2), out);
    s.is(two, out[0], f({0.1, 0.2}));
    s.is(not_a_number, out[1], -inf);
}

TEST_CASE("edge: curve::last_segment")
{
    sweep s(sweep::lists);
    const auto f = [](const list& y) {
        const cv::segment part = cv::last_segment(y);
        return part.y.empty() ? -1 : part.y.back();
    };
    s.refuses(not_a_number, [&] { (void)f({1, nan_d}); }, "negative or not finite");
    s.refuses(not_a_number, [] { (void)cv::last_segment(list{1}, nan_d); }, "jump is negative or NaN");
    s.refuses(infinite, [&] { (void)f({1, inf}); }, "negative or not finite");
    for (const auto& [k, y] : {std::pair{e200, 1e200}, {e160, 1e160}, {largest, huge}})
        s.refuses(k, [&, big = y] { (void)f({1, big}); }, "beyond 1e100");
    for (const auto& [k, y] : {std::pair{em200, 1e-200}, {denormal, tiny}, {one, 7.0}}) s.is(k, f({y}), y);
    s.is(equal, f({0.1, 0.1, 0.1}), 0.1);
    s.is(two, f({7, 8}), 8);
    s.is(none, f({}), -1);
}
