// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// L-BFGS: smooth minimisation in a box by gradients.

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/core/error.hpp"

namespace tunekit::linalg {

namespace detail {

/// A function that can be minimised. It returns its value at `x` and writes its gradient. A value or a gradient that is
/// not finite marks an x that cannot be used.
template <class F>
concept differentiable_function = requires(const F& f, std::span<const double> x, std::span<double> gradient) {
    { f(x, gradient) } -> std::same_as<double>;
};

}  // namespace detail

/// L-BFGS with projection: quasi-Newton steps from the last few gradients, clamped into a box.
///
///     const auto found = linalg::lbfgs{}.minimize(f, start, lower, upper);
///
///     x(t) = clamp(x - t H g),  H from the last `memory` pairs of step and change of gradient (two-loop recursion)
///
/// A coordinate on its bound whose gradient points outwards is held for that step. t starts at 1 and is halved until
/// the value has fallen by 1e-4 of the fall that the gradient predicts (Armijo). A pair whose product is not positive
/// is left out. The run has converged when the largest component of the projected gradient is at most `tolerance`, or
/// the value fell by less than `tolerance` squared, relative to max(1, |value|).
///
/// Shapes:     start, lower, upper of one size d >= 1; bounds may be infinite.
/// Errors:     std::invalid_argument for sizes that differ, or a box whose lower bound exceeds the upper.
/// Randomness: none.
/// Cost:       about one evaluation and 4 memory d operations per step.
/// Source:     Nocedal (1980), Mathematics of Computation 35, 773-782; projection as in Bertsekas (1982), SIAM J.
///             Control 20.
/// Departures: a backtracking line search instead of the usual Wolfe search. Pairs that break the curvature condition
///             are skipped.
struct lbfgs {
    /// The result of a minimisation.
    struct minimum {
        std::vector<double> x;         ///< inside the box
        double value = 0;              ///< f(x)
        std::vector<double> gradient;  ///< of f at x
        std::size_t evaluations = 0;   ///< of f
        bool converged =
            false;  ///< false: the limit on evaluations ended it, or no step lowers the value, or the start is no use

        friend bool operator==(const minimum&, const minimum&) = default;
    };

    std::size_t max_evaluations = 100;  ///< of f, at most
    std::size_t memory = 8;             ///< pairs of which H is made
    double tolerance = 1e-6;            ///< of convergence
    double first_step = 1;  ///< the longest first step, in the largest coordinate, as the curvature is not known yet

    /// Minimises `f` from `start`, within `lower` and `upper`.
    template <detail::differentiable_function F>
    [[nodiscard]] minimum minimize(const F& f, std::span<const double> start, std::span<const double> lower,
                                   std::span<const double> upper) const
    {
        const std::size_t d = start.size();
        require(lower.size() == d && upper.size() == d, "lbfgs: start and box differ in size");
        minimum at{.x = std::vector<double>(start.begin(), start.end()), .gradient = std::vector<double>(d)};
        for (std::size_t i = 0; i < d; ++i) {
            require(lower[i] <= upper[i], "lbfgs: a lower bound is above the upper, want a box");
            at.x[i] = std::clamp(at.x[i], lower[i], upper[i]);
        }
        at.value = f(std::span<const double>(at.x), std::span<double>(at.gradient));
        at.evaluations = 1;
        if (!finite(at)) return at;
        core::plain_vector<double> pairs;
        minimum next{.x = std::vector<double>(d), .gradient = std::vector<double>(d)};
        while (at.evaluations < max_evaluations) {
            core::plain_vector<char> free(d);
            double steepest = 0;
            for (std::size_t i = 0; i < d; ++i) {
                const double g = at.gradient[i];
                free[i] = (g > 0 && at.x[i] <= lower[i]) || (g < 0 && at.x[i] >= upper[i]) ? 0 : 1;
                if (free[i]) steepest = (std::max)(steepest, std::abs(g));
            }
            if (steepest <= tolerance) {
                at.converged = true;
                return at;
            }
            core::plain_vector<double> step = direction(at.gradient, free, pairs);
            if (!(dot(step, at.gradient) < 0)) {
                pairs.clear();
                step = direction(at.gradient, free, pairs);
            }
            double t = pairs.empty() ? (std::min)(1.0, first_step / steepest) : 1.0;
            bool fell = false;
            for (int halvings = 0; halvings < 40 && at.evaluations < max_evaluations && !fell; ++halvings, t *= 0.5) {
                double promise = 0;
                for (std::size_t i = 0; i < d; ++i) {
                    next.x[i] = std::clamp(at.x[i] + t * step[i], lower[i], upper[i]);
                    promise += at.gradient[i] * (next.x[i] - at.x[i]);
                }
                if (!(promise < 0)) break;
                next.value = f(std::span<const double>(next.x), std::span<double>(next.gradient));
                ++at.evaluations;
                fell = next.value <= at.value + 1e-4 * promise && finite(next);
            }
            if (!fell) return at;
            const double drop = at.value - next.value;
            remember(pairs, at, next);
            std::swap(at.x, next.x);
            std::swap(at.gradient, next.gradient);
            at.value = next.value;
            if (drop <= tolerance * tolerance * (std::max)(1.0, std::abs(at.value))) {
                at.converged = true;
                return at;
            }
        }
        return at;
    }

private:
    [[nodiscard]] static bool finite(const minimum& at)
    {
        const auto number = [](double g) { return std::isfinite(g); };
        return number(at.value) && std::all_of(at.gradient.begin(), at.gradient.end(), number);
    }

    // The latest steps with the changes of the gradient along them are rows of 2 d, the oldest first.

    [[nodiscard]] static double dot(std::span<const double> a, std::span<const double> b)
    {
        double sum = 0;
        for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
        return sum;
    }

    /// -H g over the free coordinates, 0 in the others; -g where there is no pair.
    [[nodiscard]] static core::plain_vector<double> direction(std::span<const double> gradient,
                                                              const core::plain_vector<char>& free,
                                                              const core::plain_vector<double>& pairs)
    {
        const std::size_t d = gradient.size(), kept = d == 0 ? 0 : pairs.size() / (2 * d);
        core::plain_vector<double> q(d), share(kept);
        for (std::size_t i = 0; i < d; ++i) q[i] = free[i] ? -gradient[i] : 0;
        // Pairs as they look from the free coordinates: a positive product over all may be negative over them.
        const auto product = [&](std::span<const double> a, std::span<const double> b) {
            double sum = 0;
            for (std::size_t i = 0; i < d; ++i)
                if (free[i]) sum += a[i] * b[i];
            return sum;
        };
        double scale = 1;
        for (std::size_t k = kept; k-- > 0;) {
            const std::span<const double> s(pairs.data() + 2 * d * k, d), y(s.data() + d, d);
            const double sy = product(s, y);
            if (!(sy > 0)) continue;
            share[k] = product(s, q) / sy;
            for (std::size_t i = 0; i < d; ++i)
                if (free[i]) q[i] -= share[k] * y[i];
            if (k + 1 == kept) scale = sy / product(y, y);
        }
        for (double& v : q) v *= scale;
        for (std::size_t k = 0; k < kept; ++k) {
            const std::span<const double> s(pairs.data() + 2 * d * k, d), y(s.data() + d, d);
            const double sy = product(s, y);
            if (!(sy > 0)) continue;
            const double back = product(y, q) / sy;
            for (std::size_t i = 0; i < d; ++i)
                if (free[i]) q[i] += (share[k] - back) * s[i];
        }
        return q;
    }

    void remember(core::plain_vector<double>& pairs, const minimum& from, const minimum& to) const
    {
        const std::size_t d = to.x.size();
        core::plain_vector<double> p;
        for (std::size_t i = 0; i < d; ++i) p.push_back(to.x[i] - from.x[i]);
        for (std::size_t i = 0; i < d; ++i) p.push_back(to.gradient[i] - from.gradient[i]);
        const std::span<const double> step(p.data(), d), change(p.data() + d, d);
        const double product = dot(step, change);
        if (!(product > 1e-10 * std::sqrt(dot(step, step) * dot(change, change)))) return;
        if (memory == 0) return;
        if (pairs.size() == memory * 2 * d) pairs.erase(pairs.begin(), pairs.begin() + 2 * d);
        pairs.append(p);
    }
};

}  // namespace tunekit::linalg
