// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a policy learns from a walk: advantages, the clipped loss of PPO, and Adam's steps.

#include <Eigen/Core>
#include <algorithm>
#include <array>
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

    /// After `forward` and `softmax` of the rows of `e`: sets `p.logit_slopes()` and `p.value_slopes()`. Means are over
    /// `total` steps, of which these rows may be a part.
    template <std::floating_point Real>
    void slopes(typename actor_critic<Real>::passes& p, const lesson<Real>& e, std::size_t total) const
    {
        const std::size_t rows = e.advantage.size(), heads = rows == 0 ? 0 : e.actions.size() / rows;
        const Real share = Real(1) / static_cast<Real>(total), low = static_cast<Real>(1 - clip),
                   high = static_cast<Real>(1 + clip);
        const Real entropy = static_cast<Real>(entropy_weight) * share;
        const auto columns = [](auto&& m, std::size_t h) { return m.col(linalg::eigen_index(3 * h)).data(); };
        auto probability = p.logits();
        const auto stride = static_cast<std::size_t>(probability.outerStride());
        std::vector<Real> ratio(rows * heads), joint(rows, Real(1));
        for (std::size_t h = 0; h < heads; ++h) {
            const Real *p0 = columns(probability, h), *p1 = p0 + stride, *p2 = p1 + stride;
            for (std::size_t r = 0; r < rows; ++r) {
                const std::size_t at = h * rows + r;
                const Real later = e.actions[at] == 1 ? p1[r] : p2[r];
                ratio[at] = (e.actions[at] == 0 ? p0[r] : later) / e.chosen[at];
                joint[r] *= ratio[at];
            }
        }
        for (std::size_t h = 0; h < heads; ++h) {
            const Real* rho = joint_ratio ? joint.data() : ratio.data() + h * rows;
            const head<Real> of{rho, e.advantage.data(), e.actions.data() + h * rows, rows, stride};
            head_slopes<Real>({share, low, high, entropy}, of, columns(probability, h), columns(p.logit_slopes(), h));
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

    /// The steps of one head, a row each. Its three columns of a matrix begin `stride` apart.
    template <std::floating_point Real>
    struct head {
        const Real *ratio, *advantage;
        const std::int32_t* action;
        std::size_t rows, stride;
    };

    /// Turns the shifted logits of one head into slopes. No two columns overlap, so that this is a loop over vectors.
    template <std::floating_point Real>
    static void head_slopes(const weighing<Real>& w, const head<Real>& of, const Real* __restrict p0,
                            Real* __restrict s0)
    {
        const Real *p1 = p0 + of.stride, *p2 = p1 + of.stride;
        Real *s1 = s0 + of.stride, *s2 = s1 + of.stride;
        for (std::size_t r = 0; r < of.rows; ++r) {
            const Real a = of.advantage[r], rho = of.ratio[r];
            const Real above = rho > w.high ? Real(0) : a, below = rho < w.low ? Real(0) : a;
            const Real push = -w.share * rho * (a > 0 ? above : below);  // 0 where clipped
            const Real mean =
                p0[r] * s0[r] + p1[r] * s1[r] + p2[r] * s2[r];  // log p_k + H is a shifted logit less this
            const auto slope = [&](std::int32_t k, Real p, Real shifted) {
                return push * ((of.action[r] == k ? Real(1) : Real(0)) - p) + w.entropy * p * (shifted - mean);
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

/// Some records of a journey, in the order in which they are learnt.
struct journey_batch {
    const journey& of;
    std::span<const std::uint32_t> records;
};

/// A network that learns: its shape, the room for its passes, and what changes.
template <std::floating_point Real>
struct learning_network {
    const actor_critic<Real>& shape;
    typename actor_critic<Real>::passes& passes;
    std::vector<Real>& weights;
    adam::state<Real>& moments;
};

/// How a network learns.
struct proximal_options {
    proximal_loss loss;
    adam rule;
};

/// One step of Adam along the mean loss of a batch.
template <std::floating_point Real>
void proximal_update(const journey_batch& batch, const learning_network<Real>& network, const proximal_options& options)
{
    auto& [shape, p, weights, moments] = network;
    std::vector<Real> gradient(weights.size());
    lesson<Real> now;
    for (std::size_t first = 0; first < batch.records.size(); first += max_pass_rows) {
        const auto part = batch.records.subspan(first, (std::min)(max_pass_rows, batch.records.size() - first));
        auto seen = p.input();
        batch.of.read(part, now, [&](std::size_t i, std::size_t k, float x) {
            seen(linalg::eigen_index(i), linalg::eigen_index(k)) = static_cast<Real>(x);
        });
        shape.forward(weights, p, part.size());
        softmax<Real>(p, part.size());
        options.loss.slopes<Real>(p, now, batch.records.size());
        shape.backward(weights, p, part.size(), gradient);
    }
    options.rule.step<Real>(moments, gradient, weights);
}

}  // namespace tunekit::explore::detail
