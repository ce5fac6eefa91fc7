// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Least-squares fits of a family of curves to points.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "tunekit/curve/family.hpp"
#include "tunekit/linalg/levenberg_marquardt.hpp"

namespace tunekit::curve {

/// The result of a fit of family F.
template <family F>
struct fitted {
    parameters_of<F> parameters{};  ///< the best parameters; inside the box
    double sd = 0;                  ///< root mean square residual
    linalg::matrix hessian;         ///< D x D; J^T W J at the parameters: the inverse covariance times sd^2
    bool usable = false;     ///< false: no start gave a finite sum of squares, and nothing else here has a meaning
    bool converged = false;  ///< false: the best point within the limit on evaluations
};

/// Least squares within a box. It starts from the family's default parameters and from those guessed from the data, and
/// keeps the better fit.
///
///     const auto best = curve::fit<curve::log_power>(points, curve::log_power::box(1.5));
///
/// Errors:     none; a fit that cannot be used says so, as that of no points, and of squares that overflow.
/// Randomness: none.
/// Cost:       two Levenberg-Marquardt runs, commonly 5 to 20 passes over the points each.
/// Source:     Zhang et al. (2021), DynaTune, ICLR, section 4.3 (maximum likelihood start); solver:
///             `linalg::levenberg_marquardt`.
/// Departures: the public code starts with all parameters 1, which is a decreasing curve. Its second attempt, a bounded
///             quasi-Newton method, is left out, because the projected steps never leave the box.
template <family F>
[[nodiscard]] fitted<F> fit(const observations& data, const box_of<F>& box,
                            const linalg::levenberg_marquardt& solver = {.tolerance = 1e-8})
{
    if (data.size() == 0) return {};
    constexpr std::size_t d = F::dimensions;
    constexpr auto size = linalg::eigen_index(d);
    const auto to_parameters = [](const linalg::vector& v) {
        parameters_of<F> p{};
        for (std::size_t i = 0; i < d; ++i) p[i] = v[linalg::eigen_index(i)];
        return p;
    };
    const auto problem = [&](const linalg::vector& at) {
        const parameters_of<F> p = to_parameters(at);
        core::detail::lane_sum squares, slope[d], curvature[d][d];
        data.each_pack([&](std::size_t part, core::detail::pack x, core::detail::pack log_x, core::detail::pack y,
                           core::detail::pack weight) {
            std::array<core::detail::pack, d> g;
            const core::detail::pack r = F::gradient(p, x, log_x, g) - y;
            squares.add(part, weight * (r * r));
            for (std::size_t i = 0; i < d; ++i) {
                slope[i].add(part, weight * (g[i] * r));
                for (std::size_t j = 0; j <= i; ++j) curvature[i][j].add(part, weight * (g[i] * g[j]));
            }
        });
        linalg::normal_equations out{squares.total(), linalg::vector(size), linalg::matrix(size, size)};
        for (std::size_t i = 0; i < d; ++i) {
            out.gradient[linalg::eigen_index(i)] = slope[i].total();
            for (std::size_t j = 0; j <= i; ++j)
                out.hessian(linalg::eigen_index(i), linalg::eigen_index(j)) =
                    out.hessian(linalg::eigen_index(j), linalg::eigen_index(i)) = curvature[i][j].total();
        }
        return out;
    };
    linalg::vector lower(size), upper(size), start(size);
    for (std::size_t i = 0; i < d; ++i) {
        lower[linalg::eigen_index(i)] = box[i].low;
        upper[linalg::eigen_index(i)] = box[i].high;
    }
    fitted<F> best;
    double least = 0;
    for (const parameters_of<F>& from : {F::guess(data), F::defaults()}) {
        for (std::size_t i = 0; i < d; ++i) start[linalg::eigen_index(i)] = from[i];
        const linalg::levenberg_marquardt::result found = solver.minimize(problem, start, lower, upper);
        if (!std::isfinite(found.at.sum_of_squares) || !found.at.hessian.allFinite()) continue;
        if (best.usable && !(found.at.sum_of_squares < least)) continue;
        least = found.at.sum_of_squares;
        best = {to_parameters(found.parameters), std::sqrt(least / static_cast<double>(data.size())), found.at.hessian,
                true, found.converged};
    }
    return best;
}

namespace detail {

/// Raises the parameter that lifts the whole curve until f(x) >= y. Returns false when the box ends before that; `p` is
/// then at its edge.
template <family F>
[[nodiscard]] bool raise(parameters_of<F>& p, const box_of<F>& box, double x, double y)
{
    double& level = p[F::level];
    for (int i = 0; i < 60; ++i) {
        const double f = value<F>(p, x);
        if (f >= y) return true;
        const double slope = gradient<F>(p, x)[F::level];
        level += (std::max)((y - f) / slope, std::abs(level) * 1e-15);
        if (!(level <= box[F::level].high)) {
            level = box[F::level].high;
            return value<F>(p, x) >= y;
        }
    }
    return false;
}

}  // namespace detail

}  // namespace tunekit::curve
