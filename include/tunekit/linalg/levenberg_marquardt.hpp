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

/// Levenberg-Marquardt with projection: damped Gauss-Newton steps, clamped into a box.
///
///     const auto fit = linalg::levenberg_marquardt{}.minimize(problem, first, low, high);
///
///     (J^T J + lambda diag(J^T J)) step = -J^T r  over the parameters that are free
///
/// A parameter on its bound whose gradient points outwards is held for that step. A step that lowers S is taken, and
/// lambda is divided by 10. Any other step is dropped, and lambda is multiplied by 10. The run has converged after a
/// step below `tolerance` relative to every parameter (relative to 1 for a parameter below 1), after a relative drop of
/// S below `tolerance` squared, or when the gradient of the free parameters is 0.
///
/// Errors:     std::invalid_argument for sizes that differ, or a box whose lower bound exceeds the upper.
/// Randomness: none.
/// Cost:       one expansion and one d x d Cholesky factor per step.
/// Source:     Levenberg (1944), Quarterly of Applied Mathematics 2, 164-168; Marquardt (1963), J. SIAM 11, 431-441.
struct levenberg_marquardt {
    /// The result of a fit.
    struct result {
        vector parameters;            ///< d; inside the box
        normal_equations at;          ///< the expansion there
        std::size_t evaluations = 0;  ///< of the problem
        bool converged = false;       ///< false: the limit on evaluations ended it, or no start was finite
    };

    std::size_t max_evaluations = 200;  ///< of the problem, at most
    double tolerance = 1e-10;           ///< of convergence
    double first_damping = 1e-3;        ///< lambda of the first step

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
        result out{.parameters = start.cwiseMax(lower).cwiseMin(upper), .at = {}, .evaluations = 1, .converged = false};
        out.at = problem(out.parameters);
        if (!std::isfinite(out.at.sum_of_squares)) return out;
        double lambda = first_damping;
        while (out.evaluations < max_evaluations && lambda < 1e16) {
            const V next = step(out, lambda, lower, upper);
            if (!next.allFinite()) {
                lambda *= 10;
                continue;
            }
            if (is_small(V(next - out.parameters), out.parameters)) {
                out.converged = true;
                return out;
            }
            const normal_equations there = problem(next);
            ++out.evaluations;
            if (there.sum_of_squares < out.at.sum_of_squares) {
                const double drop = out.at.sum_of_squares - there.sum_of_squares;
                out.converged = drop <= tolerance * tolerance * out.at.sum_of_squares;
                out.parameters = next;
                out.at = there;
                if (out.converged) return out;
                lambda = (std::max)(lambda * 0.1, 1e-15);
            } else {
                lambda *= 10;
            }
        }
        out.converged = lambda >= 1e16;  // no direction goes down any further
        return out;
    }

private:
    [[nodiscard]] bool is_small(const vector& change, const vector& at) const
    {
        for (Eigen::Index i = 0; i < at.size(); ++i)
            if (std::abs(change[i]) > tolerance * (std::max)(1.0, std::abs(at[i]))) return false;
        return true;
    }

    template <class V>
    [[nodiscard]] static V step(const result& from, double lambda, const V& lower, const V& upper)
    {
        const Eigen::Index d = from.parameters.size();
        matrix a = from.at.hessian;
        V b = -from.at.gradient;
        for (Eigen::Index i = 0; i < d; ++i) {
            const bool held =
                (from.parameters[i] <= lower[i] && b[i] < 0) || (from.parameters[i] >= upper[i] && b[i] > 0);
            if (held || !(a(i, i) > 0)) {
                a.row(i).setZero();
                a.col(i).setZero();
                a(i, i) = 1;
                b[i] = 0;
            } else {
                a(i, i) *= 1 + lambda;
            }
        }
        const Eigen::LLT<matrix> factor(a);  // where it fails, a step to nowhere
        const V change = factor.info() == Eigen::Success ? V(factor.solve(b)) : V(V::Constant(d, std::nan("")));
        return (from.parameters + change).cwiseMax(lower).cwiseMin(upper);
    }
};

}  // namespace tunekit::linalg
