// SPDX-License-Identifier: MIT
#include "tunekit/stats.hpp"

#include <cmath>
#include <cstdint>
#include <span>

#include "tests/unit/edge/sweep.hpp"
#include "tunekit/random/philox.hpp"

namespace st = tunekit::stats;
using edge::inf, edge::tiny, edge::list, edge::huge, edge::nan_d, edge::sweep;
using enum edge::kind;

TEST_CASE("edge: stats::sum, stats::sum_of")
{
    sweep s(sweep::lists);
    const auto f = [](const list& x) { return st::sum(x); };
    s.scales(f, {1, 2, 4}, 1);
    s.is(not_a_number, f({1, nan_d}), nan_d);
    s.is(infinite, f({1, inf}), inf);
    s.is(infinite, f({-inf, inf}), nan_d);
    s.is(largest, f({huge, 0, 0, 0, 0, 0, 0, 0, huge, -huge}), huge);
    s.is(largest, f({huge, huge}), inf);
    s.is(denormal, f({tiny, 2 * tiny}), 3 * tiny);
    s.is(equal, f({0.5, 0.5, 0.5}), 1.5);
    s.is(one, f({7}), 7);
    s.is(two, f({7, -8}), -1);
    s.is(none, f({}), 0);
    // The naive form: terms in their order.
    s.is(largest, st::sum_of(3, [](std::size_t) { return huge; }), inf);
    s.is(none, st::sum_of(0, [](std::size_t) { return nan_d; }), 0);
}

TEST_CASE("edge: stats::mean")
{
    sweep s(sweep::lists);
    const auto f = [](const list& x) { return st::mean(x); };
    s.scales(f, {1, 2, 6}, 1);
    s.is(not_a_number, f({1, nan_d}), nan_d);
    s.is(infinite, f({1, inf}), inf);
    s.is(infinite, f({-inf, inf}), nan_d);
    s.is(largest, f({huge, huge, huge}), huge);
    s.is(largest, f({huge, -huge}), 0);
    s.is(denormal, f({tiny, 3 * tiny}), 2 * tiny);
    s.is(equal, f({0.1, 0.1, 0.1}), 0.1);
    s.is(one, f({7}), 7);
    s.is(two, f({7, 8}), 7.5);
    s.refuses(none, [&] { (void)f({}); }, "no values");
}

TEST_CASE("edge: stats::variance, stats::sample_variance")
{
    sweep s(sweep::lists);
    const auto f = [](const list& x) { return st::variance(x); };
    const auto sample = [](const list& x) { return st::sample_variance(x); };
    s.scales(f, {1, 2, 6}, 2);
    s.scales(sample, {1, 2, 6}, 2);
    s.is(not_a_number, f({1, nan_d}), nan_d);
    s.is(infinite, f({1, inf}), nan_d);
    s.is(infinite, f({inf, inf}), nan_d);
    s.is(largest, f({huge, -huge}), inf);
    s.is(largest, f({1.2e154, -1.2e154, 1.2e154, -1.2e154}), 1.44e308);  // the sum of squares is none
    s.is(denormal, f({tiny, 3 * tiny}), 0);
    s.is(denormal, f({1e-160, 3e-160}), 1e-320, 1e-3);  // with the few digits that it has
    s.is(equal, f({0.1, 0.1, 0.1}), 0);
    s.is(equal, sample({0.1, 0.1, 0.1}), 0);
    s.is(one, f({7}), 0);
    s.refuses(one, [&] { (void)sample({7}); }, "fewer than two values");
    s.is(two, f({1, 3}), 1);
    s.is(two, sample({1, 3}), 2);
    s.refuses(none, [&] { (void)f({}); }, "no values");
    s.refuses(none, [&] { (void)sample({}); }, "fewer than two values");
}

TEST_CASE("edge: stats::coefficient_of_variation")
{
    sweep s(sweep::lists);
    const auto f = [](const list& x) { return st::coefficient_of_variation(x); };
    s.scales(f, {1, 2, 6}, 0);
    s.is(not_a_number, f({1, nan_d}), nan_d);
    s.is(infinite, f({1, inf}), nan_d);
    s.is(largest, f({huge, huge / 2}), 1.0 / 3);
    s.is(denormal, f({tiny, 2 * tiny}), 1.0 / 3);
    s.is(equal, f({0.1, 0.1, 0.1}), 0);
    s.is(one, f({7}), 0);
    s.is(two, f({1, 3}), 0.5);
    s.is(two, f({-1, 1}), inf);
    s.refuses(none, [&] { (void)f({}); }, "no values");
}

TEST_CASE(
    "edge: stats::running_moments::add, stats::running_moments::mean, stats::running_moments::variance, "
    "stats::running_moments::sample_variance")
{
    sweep s(sweep::lists);
    const auto of = [](const list& x) {
        st::running_moments m;
        for (const double v : x) m.add(v);
        return m;
    };
    s.scales([&](const list& x) { return of(x).mean(); }, {1, 2, 6}, 1);
    s.scales([&](const list& x) { return of(x).variance(); }, {1, 2, 6}, 2);
    s.is(not_a_number, of({1, nan_d}).mean(), nan_d);
    s.is(not_a_number, of({1, nan_d, 2}).variance(), nan_d);
    s.is(infinite, of({inf, 1, 2}).mean(), inf);
    s.is(infinite, of({1, -inf, 2}).mean(), -inf);
    s.is(infinite, of({inf, -inf}).mean(), nan_d);
    s.is(infinite, of({inf, 1}).variance(), nan_d);
    s.is(largest, of({huge, -huge}).mean(), 0);
    s.is(largest, of({-huge, huge, huge}).mean(), huge / 3);
    s.is(largest, of({huge, -huge}).variance(), inf);
    s.is(denormal, of({tiny, 3 * tiny}).mean(), 2 * tiny);
    s.is(denormal, of({tiny, 3 * tiny}).variance(), 0);
    s.is(equal, of({0.1, 0.1, 0.1}).mean(), 0.1);
    s.is(equal, of({0.1, 0.1, 0.1}).variance(), 0);
    s.is(one, of({7}).variance(), 0);
    s.is(one, of({7}).sample_variance(), nan_d);
    s.is(two, of({1, 3}).sample_variance(), 2);
    s.is(none, of({}).mean(), 0);
    s.is(none, of({}).variance(), nan_d);
    st::running_moments merged = of({huge});
    merged.merge(of({-huge}));
    s.is(largest, merged.mean(), 0);
    st::running_moments first;
    first.merge(of({1e200}));
    s.is(e200, first.mean(), 1e200);
    s.is(e200, first.variance(), 0);
}

TEST_CASE("edge: stats::quantile, stats::quantile_of_sorted, stats::median")
{
    sweep s(sweep::lists);
    using function = double (*)(const list&);
    for (const function f : {+[](const list& x) { return st::quantile(x, 0.5); },
                             +[](const list& x) { return st::quantile_of_sorted(x, 0.5); },
                             +[](const list& x) { return st::median(x); }}) {
        s.scales(f, {1, 2, 4, 9}, 1);
        s.is(infinite, f({inf, inf}), inf);
        s.is(infinite, f({1, 1.5, inf, inf, inf, inf}), inf);
        s.is(infinite, f({-inf, 1}), -inf);
        s.is(infinite, f({1, inf}), inf);
        s.is(infinite, f({-inf, inf}), nan_d);
        s.is(infinite, f({-inf, 3, inf}), 3);
        s.is(largest, f({-huge, huge}), 0);
        s.is(largest, f({huge, huge}), huge);
        s.is(denormal, f({tiny, 3 * tiny}), 2 * tiny);
        s.is(equal, f({0.1, 0.1, 0.1, 0.1}), 0.1);
        s.is(one, f({7}), 7);
        s.is(two, f({7, 8}), 7.5);
        s.refuses(none, [&] { (void)f({}); }, "no values");
    }
    s.is(not_a_number, st::quantile({1, nan_d, 3}, 0.5), nan_d);
    s.is(not_a_number, st::median({nan_d, 2, 1}), nan_d);
    s.is(not_a_number, st::quantile_of_sorted(list{1, nan_d}, 0.5), nan_d);
    s.is(infinite, st::quantile({1, 2, inf, inf}, 0.9), inf);
    s.is(largest, st::quantile({-huge, huge}, 0.75), huge / 2);
    for (const double p : {nan_d, inf, 1e200}) s.refuses(not_a_number, [&] { (void)st::quantile({1, 2}, p); }, "p is");
    s.is(em200, st::quantile({1, 2}, 1e-200), 1);
}

TEST_CASE("edge: stats::median_absolute_deviation")
{
    sweep s(sweep::lists);
    const auto f = [](const list& x) { return st::median_absolute_deviation(x); };
    s.scales(f, {1, 2, 4}, 1);
    s.is(not_a_number, f({1, nan_d, 3}), nan_d);
    s.is(infinite, f({1, 2, inf}), 1);
    s.is(infinite, f({1, inf, inf}), nan_d);
    s.is(largest, f({-huge, 0, huge}), huge);
    s.is(denormal, f({0, tiny, 3 * tiny}), tiny);
    s.is(equal, f({0.1, 0.1, 0.1}), 0);
    s.is(one, f({7}), 0);
    s.is(two, f({1, 3}), 1);
    s.refuses(none, [&] { (void)f({}); }, "no values");
}

TEST_CASE("edge: stats::ranks")
{
    sweep s(sweep::lists);
    const auto last = [](const list& x) { return st::ranks(x).back(); };
    s.scales(last, {1, 4, 2}, 0);
    s.is(not_a_number, last({1, nan_d, 2}), nan_d);
    s.is(infinite, last({inf, 1, -inf, inf}), 3.5);
    s.is(largest, last({huge, -huge, 0}), 2);
    s.is(denormal, last({0, tiny, -tiny}), 1);
    s.is(equal, last({0.1, 0.1, 0.1}), 2);
    s.is(one, last({7}), 1);
    s.is(two, last({8, 7}), 1);
    s.holds(none, st::ranks(list{}).empty());
}

TEST_CASE("edge: stats::pearson, stats::spearman, stats::kendall_tau_b")
{
    sweep s(sweep::lists);
    using function = double (*)(const list&, const list&);
    const function pearson = [](const list& x, const list& y) { return st::pearson(x, y); };
    const function kendall = [](const list& x, const list& y) { return st::kendall_tau_b(x, y); };
    const function spearman = [](const list& x, const list& y) { return st::spearman(x, y); };
    for (const function f : {pearson, kendall, spearman}) {
        s.scales([f](const list& x) { return f(x, {1, 3, 2, 5}); }, {1, 2, 4, 8}, 0);
        s.scales([f](const list& x) { return f({1, 3, 2, 5}, x); }, {1, 2, 4, 8}, 0);
        s.is(not_a_number, f({1, nan_d, 3}, {1, 2, 3}), nan_d);
        s.is(not_a_number, f({1, 2, 3}, {1, 2, nan_d}), nan_d);
        s.is(largest, f({huge, -huge, 0}, {huge, -huge, 0}), 1);
        s.is(denormal, f({tiny, 2 * tiny, 3 * tiny}, {3, 2, 1}), -1);
        s.is(equal, f({0.1, 0.1, 0.1}, {1, 2, 3}), nan_d);
        s.is(equal, f({1, 2, 3}, {0.1, 0.1, 0.1}), nan_d);
        s.is(one, f({1}, {1}), nan_d);
        s.is(two, f({1, 2}, {5, 4}), -1);
        s.is(none, f({}, {}), nan_d);
        for (int n = 2; n <= 100; ++n) {  // what is promised to lie in [-1, 1]
            list up;
            for (int i = 0; i < n; ++i) up.push_back(0.1 * i);
            const list down(up.rbegin(), up.rend());
            s.is(two, f(up, up), 1);
            s.between(two, f(up, up), 1 - 1e-15, 1);
            s.between(two, f(up, down), -1, -1 + 1e-15);
        }
    }
    s.is(infinite, pearson({1, inf, 3}, {1, 2, 3}), nan_d);
    s.is(infinite, spearman({1, inf, -inf}, {2, 3, 1}), 1);
    s.is(infinite, kendall({1, inf, -inf}, {2, 3, 1}), 1);
    s.is(e200, pearson({1e200, 2e200, 4e200}, {1e-200, 2e-200, 4e-200}), 1);
}

TEST_CASE("edge: stats::student_t_cdf")
{
    sweep s(sweep::numbers);
    const auto f = [](double t, double df) { return st::student_t_cdf(t, df); };
    s.is(not_a_number, f(nan_d, 3), nan_d);
    s.refuses(not_a_number, [&] { (void)f(1, nan_d); }, "degrees of freedom");
    s.is(infinite, f(1, inf), 0.84134474606854295);
    s.is(infinite, f(-inf, 3), 0);
    s.is(infinite, f(inf, inf), 1);
    s.is(e200, f(-1e200, 1), 3.1830988618379069e-201);
    s.is(e200, f(-2, 1e200), 0.022750131948179207);
    s.is(em200, f(-1e-200, 5), 0.5);
    s.is(em200, f(-3, 1e-200), 0.5);
    s.is(e160, f(-1e160, 1), 3.1830988618379069e-161);
    s.is(e160, f(-2, 1e160), 0.022750131948179207);
    s.is(largest, f(-huge, 1), 1.87241109519876866e-309, 1e-12);
    s.is(largest, f(1, huge), 0.84134474606854295);
    s.is(denormal, f(tiny, 1), 0.5);
    s.is(denormal, f(-1, tiny), 0.5);
    for (const double df : {1e-19, 1e-3, 1.0, 1e10, 1e20, 1e24, 1e26})
        for (double t = 1e-300; t < 1e300; t *= 1e10) s.between(e160, f(t, df), 0.5, 1);
    for (double t = -1e150; t < -1; t /= 1e10) {  // closed forms of one and two degrees
        s.is(e160, f(t, 1), std::atan(-1 / t) / 3.14159265358979323846);
        if (t > -1e140) s.is(e160, f(t, 2), 1 / (t * t + 2 + std::sqrt(t * t + 2) * -t), 1e-12);
    }
    for (double t = -6; t < 0; t += 0.25) s.is(e200, f(t, 1e24), st::normal_cdf(t), 1e-12);
}

TEST_CASE("edge: stats::student_t_quantile")
{
    sweep s(sweep::numbers);
    const auto f = [](double p, double df) { return st::student_t_quantile(p, df); };
    s.refuses(not_a_number, [&] { (void)f(nan_d, 3); }, "p is not between");
    s.refuses(not_a_number, [&] { (void)f(0.9, nan_d); }, "df is not above 0");
    s.is(infinite, f(0.975, inf), 1.9599639845400545);
    s.is(e200, f(0.975, 1e200), 1.9599639845400545);
    s.is(em200, f(1e-200, 1), -3.1830988618379066e199);
    s.is(em200, f(0.975, 1e-200), inf);
    s.is(e160, f(0.025, 1e160), -1.9599639845400545);
    s.is(largest, f(0.025, huge), -1.9599639845400545);
    s.is(largest, f(2e-309, 1), -1 / (3.14159265358979323846 * 2e-309));
    s.is(denormal, f(tiny, 1), -inf);
    s.is(denormal, f(0.3, tiny), -inf);
    s.is(denormal, f(0.5 - 0x1p-40, 1), -2.85726187356867125e-12);  // beside the median
    s.is(denormal, f(0.5 + 0x1p-40, 1), 2.85726187356867125e-12);
}

TEST_CASE("edge: stats::normal_pdf, stats::normal_cdf, stats::normal_log_cdf")
{
    sweep s(sweep::numbers);
    s.is(not_a_number, st::normal_pdf(nan_d), nan_d);
    s.is(not_a_number, st::normal_cdf(nan_d), nan_d);
    s.is(not_a_number, st::normal_log_cdf(nan_d), nan_d);
    for (const auto& [k, z] : {std::pair{infinite, inf}, {e200, 1e200}, {e160, 1e160}, {largest, huge}}) {
        s.is(k, st::normal_pdf(z), 0);
        s.is(k, st::normal_cdf(z), 1);
        s.is(k, st::normal_cdf(-z), 0);
        s.is(k, st::normal_log_cdf(z), 0);
        s.is(k, st::normal_log_cdf(-z), -inf);
    }
    s.is(e160, st::normal_log_cdf(-1e150), -5e299);
    for (const auto& [k, z] : {std::pair{em200, 1e-200}, {denormal, tiny}}) {
        s.is(k, st::normal_pdf(z), 0.39894228040143268);
        s.is(k, st::normal_cdf(-z), 0.5);
        s.is(k, st::normal_log_cdf(-z), std::log(0.5));
    }
}

TEST_CASE("edge: stats::normal_quantile")
{
    sweep s(sweep::numbers);
    for (const auto& [k, p] : {std::pair{not_a_number, nan_d},
                               {infinite, inf},
                               {e200, 1e200},
                               {e160, 1e160},
                               {largest, huge},
                               {em200, -1e-200}})
        s.refuses(k, [p = p] { (void)st::normal_quantile(p); }, "p is outside [0, 1]");
    s.is(em200, st::normal_quantile(1e-200), -30.2055941795796431);
    s.is(e160, st::normal_quantile(1e-160), -26.9888082684184043);
    s.is(denormal, st::normal_quantile(tiny), -38.467405617144337);
    s.is(denormal, st::normal_quantile(0), -inf);
    s.is(denormal, st::normal_quantile(1), inf);
}

TEST_CASE("edge: stats::expected_excess, stats::log_expected_excess")
{
    sweep s(sweep::numbers);
    const auto f = [](double mean, double sd, double bound) { return st::expected_excess({mean, sd}, bound); };
    const auto ln = [](double mean, double sd, double bound) { return st::log_expected_excess({mean, sd}, bound); };
    for (const auto g : {+f, +ln}) {
        s.is(not_a_number, g(nan_d, 1, 0), nan_d);
        s.is(not_a_number, g(nan_d, 0, 0), nan_d);
        s.is(not_a_number, g(0, 1, nan_d), nan_d);
        s.refuses(not_a_number, [&] { (void)g(0, nan_d, 0); }, "sd is negative or NaN");
        s.is(infinite, g(inf, 1, 0), inf);
        s.is(infinite, g(0, inf, 1), inf);
        s.is(infinite, g(inf, 1, inf), nan_d);
        s.is(largest, g(huge, 0, -huge), inf);
    }
    s.is(infinite, f(-inf, 1, 0), 0);
    s.is(infinite, ln(-inf, 1, 0), -inf);
    constexpr double at_one = 1.0833154705876863;  // cdf(1) + pdf(1)
    for (const auto& [k, x] : {std::pair{e200, 1e200}, {em200, 1e-200}, {e160, 1e160}}) {
        s.is(k, f(x, x, 0), x * at_one);
        s.is(k, f(x, 0, 0), x);
        s.is(k, ln(x, x, 0), std::log(x) + std::log(at_one));
        s.is(k, ln(0, x, 20 * x), std::log(x) + ln(0, 1, 20));
    }
    s.is(largest, f(0, 1, huge), 0);
    s.is(largest, ln(0, 1, huge), -inf);
    s.is(largest, ln(0, 1, 1e150), -5e299);
    s.is(denormal, f(3 * tiny, 0, tiny), 2 * tiny);
    s.is(denormal, f(1, tiny, 0), 1);
    s.is(denormal, ln(0, tiny, 0), std::log(tiny) + std::log(0.39894228040143268));
    s.is(denormal, ln(1, tiny, 0), 0);
}

TEST_CASE("edge: stats::interval::contains, stats::require_level")
{
    sweep s(sweep::numbers);
    const st::interval all;
    s.holds(not_a_number, !all.contains(nan_d) && !st::interval{nan_d, nan_d}.contains(0));
    for (const auto& [k, x] :
         {std::pair{infinite, inf}, {e200, 1e200}, {em200, -1e-200}, {e160, 1e160}, {largest, huge}}) {
        s.holds(k, all.contains(x) && st::interval{x, x}.contains(x) && !st::interval{0, 0}.contains(x));
        s.refuses(k, [x = x] { st::require_level(x); }, "interval: level is not between");
    }
    s.refuses(not_a_number, [] { st::require_level(nan_d); }, "level is not between");
    st::require_level(1e-200);
    st::require_level(tiny);
    s.holds(denormal, st::interval{0, tiny}.contains(tiny) && !st::interval{0, 0}.contains(tiny));
}

TEST_CASE("edge: stats::mean_interval")
{
    sweep s(sweep::lists);
    const auto low = [](const list& x) { return st::mean_interval(x).low; };
    const auto high = [](const list& x) { return st::mean_interval(x).high; };
    s.scales(low, {1, 2, 6}, 1, 1e-12);
    s.scales(high, {1, 2, 6}, 1);
    s.is(not_a_number, low({1, nan_d}), nan_d);
    s.is(infinite, high({1, inf}), nan_d);
    s.is(largest, low({huge, huge}), huge);
    s.is(largest, high({huge, -huge}), inf);
    s.is(denormal, high({tiny, tiny}), tiny);
    s.is(denormal, high({0, 2 * tiny}), 14 * tiny);  // 1 + 12.7, rounded
    s.is(equal, high({0.1, 0.1, 0.1}) - low({0.1, 0.1, 0.1}), 0);
    s.is(one, low({7}), -inf);
    s.is(two, high({-1, 1}), 12.706204736174698);
    s.is(none, high({}), inf);
    s.refuses(not_a_number, [] { (void)st::mean_interval(list{1, 2}, nan_d); }, "level is not between");
}

TEST_CASE("edge: stats::order_interval")
{
    sweep s(sweep::lists);
    const auto low = [](const list& x) { return st::order_interval(x).within.low; };
    s.scales(low, {1, 2, 3, 4, 5, 6, 7, 8, 9}, 1);
    s.is(not_a_number, low({1, nan_d, 2}), nan_d);
    s.is(not_a_number, st::order_interval({1, nan_d, 2}).coverage, nan_d);
    s.is(infinite, low({-inf, 1, inf}), -inf);
    s.is(largest, low({-huge, huge}), -huge);
    s.is(denormal, low({tiny, 2 * tiny}), tiny);
    s.is(equal, low({0.1, 0.1, 0.1}), 0.1);
    s.is(one, low({7}), 7);
    s.is(two, st::order_interval({1, 2}).coverage, 0.5);
    s.is(none, low({}), -inf);
    s.is(none, st::order_interval({}).coverage, 1);
    for (std::size_t n = 1; n < 3000; n += 1 + n / 3)
        s.between(one, st::order_interval(list(n, 1.0), 0.95).coverage, 0, 1);
    for (const double level : {tiny, 1e-200, 0.5, 1 - 1e-16})
        s.between(em200, st::order_interval(list(50, 1.0), level).coverage, 0, 1);
}

TEST_CASE("edge: stats::wilson_interval")
{
    sweep s(sweep::numbers);
    for (const auto& [k, level] :
         {std::pair{not_a_number, nan_d}, {infinite, inf}, {e200, 1e200}, {e160, 1e160}, {largest, huge}})
        s.refuses(k, [level = level] { (void)st::wilson_interval(1, 2, level); }, "level is not between");
    s.is(em200, st::wilson_interval(1, 4, 1e-200).low, 0.25);
    s.is(denormal, st::wilson_interval(1, 4, tiny).high, 0.25);
    constexpr std::uint64_t all_ones = ~std::uint64_t{0};
    for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1000}, all_ones})
        for (const std::uint64_t hits : {std::uint64_t{0}, std::uint64_t{1}, n / 2, n - 1, n})
            for (const double level : {tiny, 0.5, 0.95, 1 - 1e-15}) {
                const st::interval i = st::wilson_interval(hits, n, level);
                s.between(denormal, i.low, 0, 1);
                s.between(denormal, i.high, i.low, 1);
            }
}

TEST_CASE("edge: stats::bootstrap_interval, stats::median_interval")
{
    sweep s(sweep::lists);
    const auto of = [](const list& x) {
        tunekit::random::philox gen(1);
        return st::median_interval(x, {.resamples = 100}, gen);
    };
    const auto high = [&](const list& x) { return of(x).high; };
    s.scales(high, {1, 2, 4, 8}, 1);
    s.is(not_a_number, high({1, nan_d, 3}), nan_d);
    s.between(infinite, of({1, 2, 3, inf, inf, inf}).low, 1, 3);
    s.is(infinite, high({1, 2, 3, inf, inf, inf}), inf);
    s.is(infinite, high({inf, inf}), inf);
    s.is(infinite, high({-inf, inf}), nan_d);
    s.is(largest, of({-huge, huge}).low, -huge);
    s.is(largest, high({-huge, huge}), huge);
    s.between(denormal, high({tiny, 3 * tiny}), tiny, 3 * tiny);
    s.is(equal, high({0.1, 0.1, 0.1}), 0.1);
    s.is(one, high({7}), 7);
    s.between(two, high({7, 8}), 7, 8);
    s.is(none, high({}), inf);
    tunekit::random::philox gen(1);
    const auto constant = [&](double value) {
        return st::bootstrap_interval(
                   3, [=](std::span<const std::uint32_t>) { return value; }, {.resamples = 3}, gen)
            .low;
    };
    for (const double value : {nan_d, inf, 1e200, tiny, huge}) s.is(not_a_number, constant(value), value);
    s.refuses(
        not_a_number, [&] { (void)of({1}), (void)st::median_interval({1}, {.level = nan_d}, gen); }, "level is not");
}
