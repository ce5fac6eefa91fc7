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
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "tunekit/explore/detail/activation.hpp"
#include "tunekit/explore/detail/actor_critic.hpp"
#include "tunekit/explore/detail/journey.hpp"

namespace tunekit::explore::detail {

/// Generalised advantages of one episode:
///     delta_t = R_t + discount v_{t+1} - v_t,    A_t = delta_t + discount lambda A_{t+1},
/// with v and A equal to 0 after the end.
/// Source: Schulman et al. (2016), High-Dimensional Continuous Control Using Generalized Advantage Estimation, ICLR,
///         equation 16.
template <std::floating_point Real>
void advantages(std::span<const Real> rewards, std::span<const Real> values, double discount, double lambda,
                std::span<double> out)
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

/// Makes mean 0 and standard deviation 1 of `x`; false, and nothing done, where there are fewer than two values or all
/// are equal.
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

/// One vector of rows of a head: probabilities in place of the logits, and those less the largest.
inline void softmax_of(floats (&logit)[3], floats (&shifted)[3])
{
    const floats first = logit[0] < logit[1] ? logit[1] : logit[0], largest = first < logit[2] ? logit[2] : first;
    for (std::size_t k = 0; k < 3; ++k) {
        shifted[k] = logit[k] - largest;
        logit[k] = shifted[k];
        exp(logit[k]);
    }
    const floats share = 1.0F / (logit[0] + logit[1] + logit[2]);
    for (floats& p : logit) p *= share;
}

inline void softmax_of(double (&logit)[3], double (&shifted)[3])
{
    const double largest = (std::max)((std::max)(logit[0], logit[1]), logit[2]);
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        shifted[k] = logit[k] - largest;
        logit[k] = std::exp(shifted[k]);
        sum += logit[k];
    }
    for (double& p : logit) p /= sum;
}

/// Turns the logits of the first `rows` rows into the probabilities of each head. The logits, less the largest of their
/// head, go to `p.logit_slopes()`.
template <std::floating_point Real>
void softmax(typename actor_critic<Real>::passes& p, std::size_t rows)
{
    using value = std::conditional_t<std::same_as<Real, float>, floats, double>;
    auto logits = p.logits();
    auto& shifted = p.logit_slopes();
    for (Eigen::Index h = 0; h < logits.cols(); h += 3)
        for (std::size_t r = 0; r < rows; r += sizeof(value) / sizeof(Real)) {  // whole vectors: the matrices have them
            value in[3], less[3];
            for (Eigen::Index k = 0; k < 3; ++k) std::memcpy(&in[k], logits.col(h + k).data() + r, sizeof(value));
            softmax_of(in, less);
            for (Eigen::Index k = 0; k < 3; ++k) {
                std::memcpy(logits.col(h + k).data() + r, &in[k], sizeof(value));
                std::memcpy(shifted.col(h + k).data() + r, &less[k], sizeof(value));
            }
        }
}

/// What was seen of some steps, one row each: `actions` and `chosen` (the probability that the choice had when it was
/// made) have a column per head, by columns.
template <std::floating_point Real>
struct experience {
    std::span<const std::int32_t> actions;
    std::span<const Real> chosen;
    std::span<const Real> advantage;
    std::span<const Real> target;  ///< of the value
};

/// The loss of proximal policy optimisation, whose slopes along the network's outputs it computes:
///
///     - sum over heads j of { mean_t min(rho_tj A_t, clip(rho_tj) A_t) + entropy_weight mean_t H_tj }
///     + value_weight mean_t (target_t - v_t)^2
///
/// rho_tj = probability now / when chosen, clip to [1 - clip, 1 + clip], H the entropy of a head. With `joint_ratio`
/// the first term is one of rho_t = product over j of rho_tj, as textbooks have it; per head is what Chameleon's code
/// does.
///
/// Source: Schulman et al. (2017), Proximal Policy Optimization Algorithms, arXiv:1707.06347, equations 7 and 9.
struct proximal_loss {
    double clip = 0.3;            ///< > 0
    double entropy_weight = 0.1;  ///< >= 0
    double value_weight = 1;      ///< >= 0
    bool joint_ratio = false;

    /// After `forward` and `softmax` of rows that `e` belongs to: sets `p.logit_slopes()` and `p.value_slopes()`. Means
    /// are over `total` steps, of which these rows may be a part.
    template <std::floating_point Real>
    void slopes(typename actor_critic<Real>::passes& p, const experience<Real>& e, std::size_t total) const
    {
        const std::size_t rows = e.advantage.size(), heads = rows == 0 ? 0 : e.actions.size() / rows;
        const Real share = Real(1) / static_cast<Real>(total), low = static_cast<Real>(1 - clip),
                   high = static_cast<Real>(1 + clip);
        const Real entropy = static_cast<Real>(entropy_weight) * share;
        const auto column = [](auto&& m, std::size_t h, Eigen::Index k) {
            return m.col(linalg::eigen_index(3 * h) + k).data();
        };
        auto probability = p.logits();
        std::vector<Real> ratio(rows * heads), joint(rows, Real(1));
        for (std::size_t h = 0; h < heads; ++h) {
            const Real *p0 = column(probability, h, 0), *p1 = column(probability, h, 1),
                       *p2 = column(probability, h, 2);
            for (std::size_t r = 0; r < rows; ++r) {
                const std::size_t at = h * rows + r;
                const Real later = e.actions[at] == 1 ? p1[r] : p2[r];
                ratio[at] = (e.actions[at] == 0 ? p0[r] : later) / e.chosen[at];
                joint[r] *= ratio[at];
            }
        }
        for (std::size_t h = 0; h < heads; ++h) {
            const Real* rho = joint_ratio ? joint.data() : ratio.data() + h * rows;
            head_slopes<Real>(rows, {share, low, high, entropy}, rho, e.advantage.data(), e.actions.data() + h * rows,
                              column(probability, h, 0), column(probability, h, 1), column(probability, h, 2),
                              column(p.logit_slopes(), h, 0), column(p.logit_slopes(), h, 1),
                              column(p.logit_slopes(), h, 2));
        }
        const Real pull = 2 * static_cast<Real>(value_weight) * share;
        for (std::size_t r = 0; r < rows; ++r) {
            const auto row = linalg::eigen_index(r);
            p.value_slopes()(row, 0) = pull * (p.values()(row, 0) - e.target[r]);
        }
    }

private:
    template <std::floating_point Real>
    struct weighing {
        Real share, low, high, entropy;
    };

    /// Turns the shifted logits s of one head, whose probabilities are p, into slopes. No two columns overlap, so that
    /// this is a loop over vectors.
    template <std::floating_point Real>
    static void head_slopes(std::size_t rows, weighing<Real> w, const Real* __restrict rho,
                            const Real* __restrict advantage, const std::int32_t* __restrict action,
                            const Real* __restrict p0, const Real* __restrict p1, const Real* __restrict p2,
                            Real* __restrict s0, Real* __restrict s1, Real* __restrict s2)
    {
        for (std::size_t r = 0; r < rows; ++r) {
            const Real a = advantage[r];
            const Real above = rho[r] > w.high ? Real(0) : a, below = rho[r] < w.low ? Real(0) : a;
            const Real push = -w.share * rho[r] * (a > 0 ? above : below);  // 0 where clipped
            const Real mean =
                p0[r] * s0[r] + p1[r] * s1[r] + p2[r] * s2[r];  // log p_k + H is a shifted logit less this
            const auto slope = [&](std::int32_t k, Real probability, Real shifted) {
                return push * ((action[r] == k ? Real(1) : Real(0)) - probability) +
                       w.entropy * probability * (shifted - mean);
            };
            s0[r] = slope(0, p0[r], s0[r]);
            s1[r] = slope(1, p1[r], s1[r]);
            s2[r] = slope(2, p2[r], s2[r]);
        }
    }
};

/// Adam: steps along a gradient that are scaled, per weight, by its recent size.
/// Source: Kingma and Ba (2015), Adam: A Method for Stochastic Optimization, ICLR, section 2 (the efficient form).
struct adam {
    double rate = 1e-3;          ///< >= 0
    double keep_mean = 0.9;      ///< beta_1
    double keep_square = 0.999;  ///< beta_2
    double floor = 1e-5;         ///< epsilon

    template <std::floating_point Real>
    struct state {
        std::vector<Real> mean, square;             ///< of past gradients, weighted; one per weight
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
        const Real m = static_cast<Real>(1 - keep_mean), q = static_cast<Real>(1 - keep_square),
                   least = static_cast<Real>(floor);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            const Real g = gradient[i];
            s.mean[i] += m * (g - s.mean[i]);
            s.square[i] += q * (g * g - s.square[i]);
        }
        std::vector<Real> root = s.square;
        sqrt(std::span<Real>(root));
        for (std::size_t i = 0; i < weights.size(); ++i) weights[i] -= length * s.mean[i] / (root[i] + least);
    }
};

/// Rows of a pass that is differentiated, at most.
inline constexpr std::size_t max_pass_rows = 256;

/// One step of Adam along the mean loss of the records `batch` of a journey.
template <std::floating_point Real>
void proximal_update(const journey& j, const proximal_loss& loss, const adam& rule, const actor_critic<Real>& net,
                     typename actor_critic<Real>::passes& p, std::span<const float> scale,
                     std::span<const std::uint32_t> batch, adam::state<Real>& moments, std::span<Real> weights)
{
    std::vector<Real> gradient(weights.size());
    lesson<Real> now;
    for (std::size_t first = 0; first < batch.size(); first += max_pass_rows) {
        const auto part = batch.subspan(first, (std::min)(max_pass_rows, batch.size() - first));
        const std::size_t rows = part.size();
        auto seen = p.input();
        j.read(part, scale, now, [&](std::size_t i, std::size_t k, float x) {
            seen(linalg::eigen_index(i), linalg::eigen_index(k)) = static_cast<Real>(x);
        });
        net.forward(weights, p, rows);
        softmax<Real>(p, rows);
        loss.slopes<Real>(p, {now.actions, now.chosen, now.advantage, now.target}, batch.size());
        net.backward(weights, p, rows, gradient);
    }
    rule.step<Real>(moments, gradient, weights);
}

}  // namespace tunekit::explore::detail
