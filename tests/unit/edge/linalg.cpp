// SPDX-License-Identifier: MIT
#include "tunekit/linalg.hpp"

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "tests/unit/edge/sweep.hpp"

namespace la = tunekit::linalg;
using edge::inf, edge::tiny, edge::list, edge::huge, edge::nan_d, edge::sweep;
using enum edge::kind;

TEST_CASE("edge: linalg::exp, linalg::log, linalg::all")
{
    sweep s(sweep::lists);
    const auto each = [](void (*f)(std::span<const double>, std::span<double>), double x, std::size_t n) {
        const list in(n, x);
        list out(n);
        f(in, out);
        for (const double y : out) CHECK((y == out[0] || y != y));
        return out.back();
    };
    const auto check = [&](edge::kind k, double x, double exp, double log) {
        for (const std::size_t n :
             {std::size_t{1}, std::size_t{2}, std::size_t{9}}) {  // packs, and what is left of them
            s.is(k, each(la::exp, x, n), exp, 1e-15);
            s.is(k, each(la::log, x, n), log, 1e-15);
        }
        s.is(k, la::exp(x), exp, 1e-15);
        s.is(k, la::log(x), log, 1e-15);
        s.is(k, la::all<double>(x), x - x == 0 ? x : x);
    };
    check(not_a_number, nan_d, nan_d, nan_d);
    check(infinite, inf, inf, inf);
    check(infinite, -inf, 0, nan_d);
    check(e200, 1e200, inf, std::log(1e200));
    check(em200, 1e-200, 1, std::log(1e-200));
    check(e160, -1e160, 0, nan_d);
    check(largest, huge, inf, std::log(huge));
    check(denormal, tiny, 1, std::log(tiny));
    check(equal, 0, 1, -inf);
    check(one, 1, std::exp(1.0), 0);
    check(two, -745, std::exp(-745.0), nan_d);
    list nothing;
    la::exp(nothing, nothing);
    la::log(nothing, nothing);
    s.holds(none, nothing.empty());
}

// With it the logarithm of normal numbers, which ensembles take.
TEST_CASE("edge: linalg::falling_logistic_2")
{
    const auto log_of_normals = [](list& of) {
        la::detail::each(of, of, [](const auto& v) { return la::detail::log_of_normal(v); });
    };
    sweep s(sweep::numbers);
    for (const auto& [k, x] : {std::pair{e200, 1e200}, {em200, 1e-200}, {e160, 1e160}, {largest, huge}}) {
        list at{x, 1 / x, 1};
        log_of_normals(at);
        s.is(k, at[0], std::log(x), 1e-15);
        s.is(k, at[2], 0);
    }
    // Neither promises anything for other arguments, but an end.
    for (const auto& [k, x] :
         {std::pair{not_a_number, nan_d}, {infinite, inf}, {denormal, tiny}, {e200, 1e200}, {largest, -huge}}) {
        list at{x, 0, -1};
        log_of_normals(at);
        (void)la::falling_logistic_2(x);
        s.holds(k, at.size() == 3);
    }
    for (const auto& [k, x] : {std::pair{em200, 1e-200}, {denormal, tiny}}) s.is(k, la::falling_logistic_2(x), 0.5);
    s.between(em200, la::falling_logistic_2(990.0), 0, 1e-297);
    s.is(em200, la::falling_logistic_2(-990.0), 1);
}

TEST_CASE("edge: linalg::lbfgs::minimize")
{
    sweep s(sweep::lists);
    struct bowl {
        double scale, offset, slope = 1;  // f = scale sum (x - 1)^2 + offset; its gradient times slope
        double operator()(std::span<const double> x, std::span<double> g) const
        {
            double sum = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                g[i] = slope * 2 * scale * (x[i] - 1);
                sum += (x[i] - 1) * (x[i] - 1);
            }
            return scale * sum + offset;
        }
    };
    const auto f = [](const bowl& of, const list& start, double side = 1e3) {
        return la::lbfgs{}.minimize(of, start, list(start.size(), -side), list(start.size(), side));
    };
    s.holds(one, f({1, 0}, {3}).converged);
    s.is(two, f({1, 0}, {3, -2}).x[1], 1, 1e-6);
    s.is(equal, f({1, 0}, {5, 5, 5}).x[2], 1, 1e-6);
    s.holds(none, f({1, 0}, {}).converged);
    // A gradient that is no number is not small, at the start or later.
    s.holds(not_a_number, !f({1, 0, nan_d}, {3, 3}).converged && !f({1, nan_d}, {3}).converged);
    s.holds(infinite, !f({1, 0, inf}, {3, 3}).converged && !f({1, inf}, {3}).converged);
    const auto later = [](std::span<const double> x, std::span<double> g) {
        g[0] = x[0] < 2 ? nan_d : 1;
        return x[0];
    };
    const auto stopped = la::lbfgs{}.minimize(later, list{4}, list{-9}, list{9});
    s.holds(not_a_number, !stopped.converged && stopped.x[0] >= 2 && stopped.gradient[0] == 1);
    for (const auto& [k, scale] : {std::pair{e200, 1e200}, {e160, 1e160}, {largest, huge / 100}}) {
        const auto found = f({scale, 0}, {3, -2});
        s.between(k, found.value, 0, scale * 13);  // no higher than the start
        s.between(k, found.x[0], -1e3, 1e3);
    }
    // `tolerance` is absolute: a flat bowl is flat enough at its start.
    for (const auto& [k, scale] : {std::pair{em200, 1e-200}, {denormal, tiny}})
        s.holds(k, f({scale, 0}, {3, -2}).converged);
    s.between(largest, f({1, 0}, {huge}, huge).x[0], -huge, huge);
    s.is(infinite, f({1, 0}, {7}, inf).x[0], 1, 1e-6);
}

TEST_CASE("edge: linalg::levenberg_marquardt::minimize")
{
    sweep s(sweep::lists);
    const auto f = [](double scale, list start, double gradient = 1) {
        const auto d = static_cast<Eigen::Index>(start.size());
        const auto problem = [&](const la::vector& p) {
            const la::vector r = p - la::vector::Ones(d);
            return la::normal_equations{scale * r.squaredNorm(), la::vector(gradient * scale * r),
                                        la::matrix(scale * la::matrix::Identity(d, d))};
        };
        const la::vector from = Eigen::Map<const la::vector>(start.data(), d), high = la::vector::Constant(d, 1e3);
        return la::levenberg_marquardt{}.minimize(problem, from, la::vector(-high), high);
    };
    s.is(one, f(1, {3}).parameters[0], 1, 1e-6);
    s.is(two, f(1, {3, -2}).parameters[1], 1, 1e-6);
    s.is(equal, f(1, {5, 5, 5}).parameters[2], 1, 1e-6);
    s.holds(none, f(1, {}).parameters.size() == 0);
    s.holds(not_a_number, !f(nan_d, {3}).converged && !f(1, {3}, nan_d).converged);
    s.holds(infinite, !f(inf, {3}).converged);
    for (const auto& [k, scale] : {std::pair{e200, 1e200}, {em200, 1e-200}, {e160, 1e160}})
        s.is(k, f(scale, {3, -2}).parameters[0], 1, 1e-4);
    s.between(largest, f(huge / 100, {3, -2}).at.sum_of_squares, 0, huge);
    s.between(denormal, f(1e-310, {3, -2}).at.sum_of_squares, 0, 2e-309);
}

TEST_CASE("edge: linalg::cholesky")
{
    sweep s(sweep::lists);
    const auto f = [](double scale, const list& entries) {
        const auto d = static_cast<Eigen::Index>(std::sqrt(static_cast<double>(entries.size())));
        const la::matrix a = scale * Eigen::Map<const la::matrix>(entries.data(), d, d);
        const la::matrix l = la::cholesky(a);
        return l.size() == 0 ? 0 : l(d - 1, d - 1);
    };
    for (const auto& [k, scale] : {std::pair{e200, 1e200}, {em200, 1e-200}, {e160, 1e160}})
        s.is(k, f(scale, {4, 2, 2, 3}), std::sqrt(2) * std::sqrt(scale));
    for (const auto& [k, x] : {std::pair{largest, huge}, {denormal, tiny}, {one, 9.0}})
        s.is(k, f(1, {x}), std::sqrt(x));
    s.is(two, f(1, {4, 2, 2, 3}), std::sqrt(2));
    s.refuses(equal, [&] { (void)f(1, {1, 1, 1, 1}); }, "not positive definite");
    s.refuses(not_a_number, [&] { (void)f(1, {nan_d}); }, "not positive definite");
    s.refuses(infinite, [&] { (void)f(1, {inf}); }, "not positive definite");
    s.is(none, f(1, {}), 0);
}

TEST_CASE("edge: linalg::singular_values")
{
    sweep s(sweep::lists);
    const auto greatest = [](const list& x) { return la::singular_values(x, 2).front(); };
    const auto smallest = [](const list& x) { return la::singular_values(x, 2).back(); };
    s.scales(greatest, {3, 1, 2, 4}, 1);
    s.scales(smallest, {3, 1, 2, 4}, 1);
    s.is(not_a_number, greatest({1, nan_d, 2, 3}), nan_d);
    s.is(infinite, smallest({1, inf, 2, 3}), nan_d);
    s.is(largest, greatest({huge, 0, 0, huge / 2}), huge);
    s.is(denormal, greatest({3 * tiny, 0, 0, 4 * tiny}), 4 * tiny);
    s.is(equal, greatest({1, 1, 1, 1}), 2);
    s.between(equal, smallest({0.1, 0.1, 0.1, 0.1}), 0, 1e-16);
    s.is(one, la::singular_values({-5}, 1).front(), 5);
    s.is(two, smallest({3, 0, 0, 4}), 3);
    s.refuses(none, [] { (void)la::singular_values({}, 0); }, "fewer rows than columns");
    s.holds(none, la::singular_values({}, 3).empty());
}
