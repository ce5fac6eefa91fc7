// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Small networks with two outputs: what to do, and what it is worth.

#include <Eigen/Core>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/explore/detail/activation.hpp"
#include "tunekit/linalg/matrix.hpp"
#include "tunekit/random/uniform.hpp"

namespace tunekit::explore {

/// How the policy and the value network are laid out over d inputs with layers of h units; all hidden layers are tanh.
enum class towers : std::uint8_t {
    shared_first,  ///< d -> h shared; policy h -> h -> 3 d; value h -> h -> 1
    separate,      ///< policy d -> h -> h -> 3 d; value d -> h -> h -> 1
    reference,     ///< policy d -> h -> h, then per head h -> 3 -> 3, times 10, -> 3; value d -> h -> h -> h -> 1
};

namespace detail {

/// An actor and a critic over d inputs: d categorical heads of three choices each, and one value.
///
///     const actor_critic<float> net(d, 20, towers::shared_first);
///     std::vector<float> weights = net.initial(gen);
///     actor_critic<float>::passes p(net, 128);
///     p.input() = ...;                // rows x d
///     net.forward(weights, p, rows);  // p.logits(): rows x 3 d, head j in columns 3 j .. 3 j + 2; p.values(): rows x 1
///
/// The network is a shape; weights are one vector, so that they can be stored, compared and stepped along by anything.
/// Rows are examples; a matrix is stored by columns, so that one instruction works on the same unit of several
/// examples.
///
/// Cost:   forward 2 flops per weight and row, backward 4. Memory: two numbers per unit and row.
/// Source: layouts of Ahn et al. (2020), Chameleon, ICLR, section 3.2 (shared first layer; sizes are ours, the paper
///         gives none) and its code (`reference`); weights of Glorot and Bengio (2010), AISTATS, equation 16, biases 0.
template <std::floating_point Real>
class actor_critic {
public:
    using matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
    using view = Eigen::Block<matrix>;

    actor_critic(std::size_t heads, std::size_t hidden, towers layout) : heads_(heads)
    {
        require(heads > 0, "explore::actor_critic: heads is 0, want >= 1");
        require(hidden > 0, "explore::actor_critic: hidden is 0, want >= 1");
        const std::size_t first = add(input, heads, hidden);
        if (layout == towers::reference) {
            const std::size_t apart = add(add(first, hidden, hidden), hidden, 3 * heads);
            logits_ = add(add(apart, 3 * heads, 3 * heads, heads, 10), 3 * heads, 3 * heads, heads, 0);
        } else {
            logits_ = add(add(first, hidden, hidden), hidden, 3 * heads, 1, 0);
        }
        std::size_t last = add(layout == towers::shared_first ? first : add(input, heads, hidden), hidden, hidden);
        if (layout == towers::reference) last = add(last, hidden, hidden);
        add(last, hidden, 1, 1, 0);
    }

    [[nodiscard]] std::size_t heads() const { return heads_; }

    /// How many weights it has.
    [[nodiscard]] std::size_t size() const
    {
        return layers_.back().offset + (layers_.back().in + 1) * layers_.back().out;
    }

    /// What one batch leaves behind between `forward` and `backward`. Of up to `most` rows.
    class passes {
    public:
        passes(const actor_critic& net, std::size_t most) : logits_(net.logits_)
        {
            most = whole_vectors(most);  // whole vectors: the rows beyond a batch are computed on and never read
            const auto zeros = [&](std::size_t columns) -> matrix {
                return matrix::Zero(linalg::eigen_index(most), linalg::eigen_index(columns));
            };
            input_ = zeros(net.heads_ + 1);
            input_.col(input_.cols() - 1).setOnes();
            for (const layer& l : net.layers_) {
                out_.push_back(zeros(l.out + 1));
                out_.back().col(out_.back().cols() - 1).setOnes();  // the input that a bias weighs
                slope_.push_back(zeros(l.out));
            }
        }

        [[nodiscard]] view input() { return {input_, 0, 0, input_.rows(), input_.cols() - 1}; }
        [[nodiscard]] view logits() { return outputs(logits_); }
        [[nodiscard]] view values() { return outputs(out_.size() - 1); }
        [[nodiscard]] matrix& logit_slopes() { return slope_[logits_]; }  ///< for `backward`: of what is minimised
        [[nodiscard]] matrix& value_slopes() { return slope_.back(); }

    private:
        friend class actor_critic;
        [[nodiscard]] view outputs(std::size_t i) { return {out_[i], 0, 0, out_[i].rows(), out_[i].cols() - 1}; }

        std::size_t logits_;
        matrix input_;
        std::vector<matrix> out_, slope_;
    };

    /// Weights to begin with: uniform in +-sqrt(6 / (inputs + outputs)), biases 0.
    /// Randomness: one `uniform_01` per weight that is no bias.
    template <generator G>
    [[nodiscard]] std::vector<Real> initial(G& gen) const
    {
        std::vector<Real> w(size());
        for (const layer& l : layers_) {
            const double limit = std::sqrt(6.0 * static_cast<double>(l.blocks) / static_cast<double>(l.in + l.out));
            for (std::size_t o = 0; o < l.out; ++o)
                for (std::size_t i = 0; i < l.in; ++i)
                    if (l.connected(i, o))
                        w[l.offset + o * (l.in + 1) + i] = static_cast<Real>(limit * (2 * random::uniform_01(gen) - 1));
        }
        return w;
    }

    /// Computes the outputs of the first `rows` rows of the input.
    void forward(std::span<const Real> weights, passes& p, std::size_t rows) const
    {
        const auto n = linalg::eigen_index(rows);
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            const layer& l = layers_[i];
            const matrix& in = l.source == input ? p.input_ : p.out_[l.source];
            matrix& out = p.out_[i];
            const auto columns = linalg::eigen_index(l.out);
            out.topLeftCorner(n, columns).noalias() = in.topRows(n) * weights_of(l, weights);
            if (l.gain == 0) continue;
            for (Eigen::Index c = 0; c < columns; ++c) {
                tanh(std::span<Real>(out.col(c).data(), whole_vectors(rows)));
                if (l.gain != 1) out.col(c).head(n) *= static_cast<Real>(l.gain);
            }
        }
    }

    /// Adds to `gradient` that of a sum over the first `rows` rows, whose slopes along the outputs are in `p`; after
    /// `forward`.
    /// Precondition: rows <= 256, so that no sum depends on the size of a cache.
    void backward(std::span<const Real> weights, passes& p, std::size_t rows, std::span<Real> gradient) const
    {
        const auto n = linalg::eigen_index(rows);
        for (std::size_t i = 0; i + 1 < layers_.size(); ++i)
            if (i != logits_) p.slope_[i].topRows(n).setZero();
        for (std::size_t i = layers_.size(); i-- > 0;) {
            const layer& l = layers_[i];
            const auto columns = linalg::eigen_index(l.out);
            auto slope = p.slope_[i].topRows(n);
            const auto out = p.out_[i].topLeftCorner(n, columns);
            if (l.gain == 1) slope.array() *= Real(1) - out.array().square();
            if (l.gain > 1)
                slope.array() *= static_cast<Real>(l.gain) - out.array().square() / static_cast<Real>(l.gain);
            const matrix& in = l.source == input ? p.input_ : p.out_[l.source];
            Eigen::Map<matrix> g(gradient.data() + l.offset, linalg::eigen_index(l.in + 1), columns);
            g.noalias() += in.topRows(n).transpose() * slope;
            if (l.blocks > 1) {
                for (std::size_t o = 0; o < l.out; ++o)
                    for (std::size_t k = 0; k < l.in; ++k)
                        if (!l.connected(k, o)) gradient[l.offset + o * (l.in + 1) + k] = 0;
            }
            if (l.source != input)
                p.slope_[l.source].topRows(n).noalias() +=
                    slope * weights_of(l, weights).topRows(linalg::eigen_index(l.in)).transpose();
        }
    }

private:
    static constexpr std::size_t input = ~std::size_t{0};

    /// `rows` rounded up to what vectors hold: of floats, whatever `Real` is.
    [[nodiscard]] static constexpr std::size_t whole_vectors(std::size_t rows)
    {
        return (rows + float_lanes - 1) / float_lanes * float_lanes;
    }

    /// out = gain tanh(in W + bias), without tanh where gain is 0; inputs and outputs fall into `blocks` groups that
    /// are connected each to its own.
    struct layer {
        std::size_t source, in, out, blocks;
        double gain;
        std::size_t offset;  // of its weights: a column of in + 1 per output, the bias last

        [[nodiscard]] bool connected(std::size_t i, std::size_t o) const
        {
            return i / (in / blocks) == o / (out / blocks);
        }
    };

    std::size_t add(std::size_t source, std::size_t in, std::size_t out, std::size_t blocks = 1, double gain = 1)
    {
        const std::size_t offset = layers_.empty() ? 0 : size();
        layers_.push_back({source, in, out, blocks, gain, offset});
        return layers_.size() - 1;
    }

    static Eigen::Map<const matrix> weights_of(const layer& l, std::span<const Real> weights)
    {
        return {weights.data() + l.offset, linalg::eigen_index(l.in + 1), linalg::eigen_index(l.out)};
    }

    std::size_t heads_, logits_ = 0;
    std::vector<layer> layers_;
};

}  // namespace detail
}  // namespace tunekit::explore
