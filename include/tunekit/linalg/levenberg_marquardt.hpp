// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Levenberg-Marquardt: nonlinear least squares in a box.

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include "tunekit/linalg/matrix.hpp"

namespace tunekit::linalg {

/// The Gauss-Newton expansion of a sum of squared residuals S(p) = sum_i r_i(p)^2 near one p.
struct normal_equations {
    double sum_of_squares = 0;  ///< S(p)
    vector gradient;            ///< d; J^T r, half the gradient of S
    matrix hessian;             ///< d x d; J^T J
};

namespace detail {

/// A problem that can be fitted: it expands the sum of squares at `p`. A sum that is not finite marks a p that cannot
/// be used.
template <class P>
concept least_squares_problem = requires(const P& problem, const vector& p) {
    { problem(p) } -> std::same_as<normal_equations>;
};

}  // namespace detail

/// Levenberg-Marquardt with projection: Gauss-Newton steps that stay near the present point and inside a box.
///
///     const auto fit = linalg::levenberg_marquardt{}.minimize(problem, first, low, high);
///
///     (J^T J + lambda D^2) step = -J^T r  over the parameters that are free, with |D step| <= radius
///
/// D has the largest norm so far of each column of J, so a parameter whose effect fades keeps its scale. Lambda is 0 or
/// what makes the step as long as the radius, to a tenth. The step is then clamped into the box. The radius follows how
/// much of the drop of S that J promised came true: it shrinks below a quarter and grows to twice the step from three
/// quarters on. A step with less than 1e-4 of it is dropped. A parameter on its bound whose gradient points outwards is
/// held for that step.
///
/// The run has converged before a step below `tolerance` relative to every parameter (relative to 1 for a parameter
/// below 1), or one that promises no drop of S that doubles can show; after a drop of S below `tolerance` squared
/// relative to S; after a step with lambda 0 that promised less than 1e-12 of S, which is a millionth of the standard
/// deviation of r; or where S is 0. It is flat instead where a column of J has lost its size: then S does not depend on
/// that parameter there, and a minimum may lie elsewhere.
///
/// Errors:     std::invalid_argument for sizes that differ, or a box whose lower bound exceeds the upper.
/// Randomness: none.
/// Cost:       one expansion and one to three d x d Cholesky factors per step.
/// Source:     Levenberg (1944), Quarterly of Applied Mathematics 2, 164-168; Marquardt (1963), J. SIAM 11, 431-441;
///             More (1978), The Levenberg-Marquardt Algorithm: Implementation and Theory, LNM 630, 105-116.
/// Departures: More factors J, whose condition number is the root of that of J^T J, and has no box.
struct levenberg_marquardt {
    /// The result of a fit.
    struct result {
        vector parameters;            ///< d; inside the box
        normal_equations at;          ///< the expansion there
        std::size_t evaluations = 0;  ///< of the problem
        bool converged = false;       ///< false: flat, the limit on evaluations ended it, or the start cannot be used
        bool flat = false;            ///< a column of J is below 1e-8 of its size at the start, both relative to |r|
    };

    std::size_t max_evaluations = 200;  ///< of the problem, at most
    double tolerance = 1e-10;           ///< of convergence
    double first_radius = 100;          ///< of the first step, in units of |D start|, or of 1 where that is 0

    /// Minimises the sum of squares of `problem` from `start`, within `lower` and `upper`. `V` is always `vector`. It
    /// is a template parameter so that code that includes this header without a fit does not compile Eigen's
    /// expressions.
    template <detail::least_squares_problem P, std::same_as<vector> V>
    [[nodiscard]] result minimize(const P& problem, const V& start, const V& lower, const V& upper) const
    {
        require(start.size() == lower.size() && start.size() == upper.size(),
                "levenberg_marquardt: start and box differ in size");
        require((lower.array() <= upper.array()).all(),
                "levenberg_marquardt: a lower bound is above the upper, want a box");
        result out{.parameters = start.cwiseMax(lower).cwiseMin(upper), .at = {}, .evaluations = 1};
        out.at = problem(out.parameters);
        if (!usable<V>(out.at)) return out;
        const normal_equations first = out.at;
        trust_region<V> region{.scale = V(first.hessian.diagonal().cwiseSqrt())};
        for (double& s : region.scale)
            if (!(s > 0)) s = 1;
        region.radius = first_radius * region.scale.cwiseProduct(out.parameters).norm();
        if (!(region.radius > 0)) region.radius = first_radius;
        for (bool moved = false; out.evaluations < max_evaluations && region.radius > 0 && !out.converged;) {
            const V wanted = out.parameters + region.step(out, lower, upper);
            const V next = wanted.cwiseMax(lower).cwiseMin(upper), change = next - out.parameters;
            const double slope = out.at.gradient.dot(change), sum = out.at.sum_of_squares,
                         promised = -2 * slope - change.dot(out.at.hessian * change);
            const bool visible = promised > (std::max)(tolerance * tolerance, 0x1p-52) * sum;
            if (is_small(change, out.parameters) || (!visible && next == wanted)) {
                out.converged = true;
                continue;
            }
            if (!visible || !wanted.allFinite()) {  // the box has cut off what is good of the step
                region.radius *= 0.1;
                continue;
            }
            const bool last = region.lambda == 0 && promised <= 0x1p-40 * sum;
            const double length = region.scale.cwiseProduct(change).norm();
            if (!moved) region.radius = (std::min)(region.radius, length);
            const normal_equations there = problem(next);
            ++out.evaluations;
            const double drop = usable<V>(there) ? sum - there.sum_of_squares : std::nan("");
            const double turn = drop < 0 && there.sum_of_squares < 100 * sum ? slope / (slope + drop / 2) : 0;
            region.adapt(drop / promised, length, turn);
            out.converged = last;
            if (!(drop >= 1e-4 * promised)) continue;
            moved = true;
            out.parameters = next;
            out.at = there;
            region.scale = region.scale.cwiseMax(there.hessian.diagonal().cwiseSqrt());
            out.converged |= there.sum_of_squares == 0 || (std::max)(drop, promised) <= tolerance * tolerance * sum;
        }
        for (Eigen::Index i = 0; i < start.size(); ++i)
            out.flat |=
                first.sum_of_squares > 0 && first.hessian(i, i) > 0 &&
                out.at.hessian(i, i) / first.hessian(i, i) < 1e-16 * (out.at.sum_of_squares / first.sum_of_squares);
        out.converged = out.converged && !out.flat;
        return out;
    }

private:
    /// Where steps are believed in: |D step| <= radius.
    template <class V>
    struct trust_region {
        V scale;  // D
        double radius = 0, lambda = 0;

        [[nodiscard]] V step(const result& from, const V& lower, const V& upper)
        {
            const Eigen::Index d = scale.size();
            matrix a = scale.cwiseInverse().asDiagonal() * from.at.hessian * scale.cwiseInverse().asDiagonal();
            V b = -from.at.gradient.cwiseQuotient(scale);
            for (Eigen::Index i = 0; i < d; ++i) {
                const bool held =
                    (from.parameters[i] <= lower[i] && b[i] < 0) || (from.parameters[i] >= upper[i] && b[i] > 0);
                if (!held && a(i, i) > 0) continue;
                a.row(i).setZero();
                a.col(i).setZero();
                a(i, i) = 1;
                b[i] = 0;
            }
            double low = 0, high = b.norm() / radius;
            Eigen::LLT<matrix> factor(a);
            for (int i = 0; i < 40 && factor.info() != Eigen::Success; ++i) {  // singular, to rounding
                low = (std::max)(10 * low, 0x1p-52 * a.trace());
                factor.compute(a + low * matrix::Identity(d, d));
            }
            V q = factor.solve(b);
            double excess = q.norm() - radius, at = low;
            // Newton's method for |q(lambda)| = radius, on 1 / |q| - 1 / radius, which is nearly straight
            for (int i = 0; i < 10 && std::abs(excess) > 0.1 * radius && !(i == 0 && excess < 0); ++i) {
                const V w = factor.matrixL().solve(q / q.norm());
                (excess > 0 ? low : high) = at;
                at += excess / radius / w.squaredNorm();
                if (i == 0) at = (std::max)(at, lambda);
                at = (std::max)(low, (std::min)(high, at));
                factor.compute(a + at * matrix::Identity(d, d));
                q = factor.solve(b);
                excess = q.norm() - radius;
            }
            lambda = at;
            return q.cwiseQuotient(scale);
        }

        /// Follows a step of `length` that kept `ratio` of its promise; `turn` is where on it a parabola has its least.
        void adapt(double ratio, double length, double turn)
        {
            if (!(ratio > 0.25)) {
                const double by = ratio >= 0 ? 0.5 : turn >= 0.2 ? turn / 2 : 0.1;
                radius = by * (std::min)(radius, 10 * length);
                lambda /= by;
            } else if (lambda == 0 || ratio >= 0.75) {
                radius = 2 * length;
                lambda /= 2;
            }
        }
    };

    template <class V>
    [[nodiscard]] static bool usable(const normal_equations& at)
    {
        return std::isfinite(at.sum_of_squares) && at.gradient.allFinite() && at.hessian.allFinite();
    }

    [[nodiscard]] bool is_small(const vector& change, const vector& at) const
    {
        for (Eigen::Index i = 0; i < at.size(); ++i)
            if (!(std::abs(change[i]) <= tolerance * (std::max)(1.0, std::abs(at[i])))) return false;
        return true;
    }
};

}  // namespace tunekit::linalg
