// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a policy learns from a walk: advantages, the clipped loss of PPO, and Adam's steps.

#include <Eigen/Core>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tunekit/explore/actor_critic.hpp"

namespace tunekit::explore {

/// Generalised advantages of one episode:  delta_t = R_t + discount v_{t+1} - v_t,  A_t = delta_t + discount lambda A_{t+1},
/// with v and A equal to 0 after the end.
/// Source: Schulman et al. (2016), High-Dimensional Continuous Control Using Generalized Advantage Estimation, ICLR, equation 16.
template <std::floating_point Real>
void advantages(std::span<const Real> rewards, std::span<const Real> values, double discount, double lambda, std::span<double> out)
{
    assert(rewards.size() == values.size() && rewards.size() == out.size());
    double next_value = 0, next = 0;
    for (std::size_t t = rewards.size(); t-- > 0;) {
        const double value = static_cast<double>(values[t]);
        next = static_cast<double>(rewards[t]) + discount * next_value - value + discount * lambda * next;
        next_value = value;
        out[t] = next;
    }
}

/// Makes mean 0 and standard deviation 1 of `x`; false, and nothing done, where there are fewer than two values or all are equal.
inline bool standardise(std::span<double> x)
{
    if (x.size() < 2 || std::all_of(x.begin(), x.end(), [&](double v) { return v == x[0]; })) return false;
    double sum = 0, squares = 0;
    for (const double v : x) sum += v;
    const double mean = sum / static_cast<double>(x.size());
    for (const double v : x) squares += (v - mean) * (v - mean);
    const double sd = std::sqrt(squares / static_cast<double>(x.size()));
    for (double& v : x) v = (v - mean) / (sd + 1e-8);
    return true;
}

/// Turns the logits of the first `rows` rows into the probabilities of each head. The logits, less the largest of their head, go
/// to `p.logit_slopes()`.
template <std::floating_point Real>
void softmax(typename actor_critic<Real>::passes& p, std::size_t rows)
{
    const auto n = linalg::eigen_index(rows);
    auto logits = p.logits();
    auto& shifted = p.logit_slopes();
    for (Eigen::Index h = 0; h < logits.cols(); h += 3) {
        const auto column = [&](Eigen::Index k) { return logits.col(h + k).head(n).array(); };
        const auto kept = [&](Eigen::Index k) { return shifted.col(h + k).head(n).array(); };
        kept(2) = column(0).max(column(1)).max(column(2));
        for (Eigen::Index k = 0; k < 3; ++k) {  // the last column holds the maximum until it is its turn
            kept(k) = column(k) - kept(2);
            column(k) = kept(k);
            exp(std::span<Real>(logits.col(h + k).data(), rows));
        }
        const Real one(1);
        for (Eigen::Index r = 0; r < n; ++r) {
            const Real share = one / (logits(r, h) + logits(r, h + 1) + logits(r, h + 2));
            for (Eigen::Index k = 0; k < 3; ++k) logits(r, h + k) *= share;
        }
    }
}

/// What was seen of some steps, one row each: `actions` and `chosen` (the probability that the choice had when it was made) have
/// an entry per head.
template <std::floating_point Real>
struct experience {
    std::span<const std::uint8_t> actions;
    std::span<const Real> chosen;
    std::span<const Real> advantage;
    std::span<const Real> target;  ///< of the value
};

/// The loss of proximal policy optimisation, whose slopes along the network's outputs it computes:
///
///     - sum over heads j of { mean_t min(rho_tj A_t, clip(rho_tj) A_t) + entropy_weight mean_t H_tj } + value_weight mean_t (target_t - v_t)^2
///
/// rho_tj = probability now / when chosen, clip to [1 - clip, 1 + clip], H the entropy of a head. With `joint_ratio` the first term
/// is one of rho_t = product over j of rho_tj, as textbooks have it; per head is what Chameleon's code does.
///
/// Source: Schulman et al. (2017), Proximal Policy Optimization Algorithms, arXiv:1707.06347, equations 7 and 9.
struct proximal_loss {
    double clip = 0.3;            ///< > 0
    double entropy_weight = 0.1;  ///< >= 0
    double value_weight = 1;      ///< >= 0
    bool joint_ratio = false;

    /// After `forward` and `softmax` of rows that `e` belongs to: sets `p.logit_slopes()` and `p.value_slopes()`. Means are over
    /// `total` steps, of which these rows may be a part.
    template <std::floating_point Real>
    void slopes(typename actor_critic<Real>::passes& p, const experience<Real>& e, std::size_t total) const
    {
        const std::size_t rows = e.advantage.size(), heads = e.actions.size() / (rows == 0 ? 1 : rows);
        const Real share = Real(1) / static_cast<Real>(total), low = static_cast<Real>(1 - clip), high = static_cast<Real>(1 + clip);
        const Real entropy = static_cast<Real>(entropy_weight) * share;
        const auto probability = p.logits();
        auto& slope = p.logit_slopes();
        const auto ratio = [&](std::size_t r, std::size_t h) {
            const std::size_t at = r * heads + h;
            return probability(linalg::eigen_index(r), linalg::eigen_index(3 * h + e.actions[at])) / e.chosen[at];
        };
        for (std::size_t r = 0; r < rows; ++r) {
            const auto row = linalg::eigen_index(r);
            const Real a = e.advantage[r];
            Real joint = 1;
            if (joint_ratio)
                for (std::size_t h = 0; h < heads; ++h) joint *= ratio(r, h);
            for (std::size_t h = 0; h < heads; ++h) {
                const Real rho = joint_ratio ? joint : ratio(r, h);
                const bool clipped = a > 0 ? rho > high : rho < low;
                const Real push = clipped ? Real(0) : -share * rho * a;
                const auto column = linalg::eigen_index(3 * h);
                Real mean = 0;  // of the shifted logits: log p_k + H is their difference from it
                for (Eigen::Index k = 0; k < 3; ++k) mean += probability(row, column + k) * slope(row, column + k);
                for (Eigen::Index k = 0; k < 3; ++k) {
                    const Real q = probability(row, column + k);
                    const Real hit = e.actions[r * heads + h] == k ? Real(1) : Real(0);
                    slope(row, column + k) = push * (hit - q) + entropy * q * (slope(row, column + k) - mean);
                }
            }
            p.value_slopes()(row, 0) = 2 * static_cast<Real>(value_weight) * share * (p.values()(row, 0) - e.target[r]);
        }
    }
};

/// Adam: steps along a gradient that are scaled, per weight, by its recent size.
/// Source: Kingma and Ba (2015), Adam: A Method for Stochastic Optimization, ICLR, section 2 (the efficient form).
struct adam {
    double rate = 1e-3;         ///< >= 0
    double keep_mean = 0.9;     ///< beta_1
    double keep_square = 0.999; ///< beta_2
    double floor = 1e-5;        ///< epsilon

    template <std::floating_point Real>
    struct state {
        std::vector<Real> mean, square;        ///< of past gradients, weighted; one per weight
        double unseen_mean = 1, unseen_square = 1;  ///< beta^steps

        friend bool operator==(const state&, const state&) = default;
    };

    template <std::floating_point Real>
    void step(state<Real>& s, std::span<const Real> gradient, std::span<Real> weights) const
    {
        s.mean.resize(weights.size());
        s.square.resize(weights.size());
        s.unseen_mean *= keep_mean;
        s.unseen_square *= keep_square;
        const Real length = static_cast<Real>(rate * std::sqrt(1 - s.unseen_square) / (1 - s.unseen_mean));
        const Real m = static_cast<Real>(1 - keep_mean), q = static_cast<Real>(1 - keep_square), least = static_cast<Real>(floor);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            const Real g = gradient[i];
            s.mean[i] += m * (g - s.mean[i]);
            s.square[i] += q * (g * g - s.square[i]);
            weights[i] -= length * s.mean[i] / (std::sqrt(s.square[i]) + least);
        }
    }
};

}  // namespace tunekit::explore
