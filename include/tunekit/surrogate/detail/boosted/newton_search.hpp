// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Which split of a node of the boosted model is worth most.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tunekit/core/detail/lanes.hpp"
#include "tunekit/surrogate/detail/binned.hpp"

namespace tunekit::surrogate::detail {

/// A gradient and a hessian, or sums of them, as multiples of a power of two: exact in any order.
struct newton_sums {
    std::int64_t g = 0, h = 0;

    newton_sums& operator+=(const newton_sums& o) noexcept
    {
        g += o.g;
        h += o.h;
        return *this;
    }
    newton_sums& operator-=(const newton_sums& o) noexcept
    {
        g -= o.g;
        h -= o.h;
        return *this;
    }
};

struct boosted_growth_options {
    std::size_t depth = 3;
    double eta = 0.3;
    double gamma = 0;
    double lambda = 1;
    double min_child_weight = 1;
};

/// A split: of slots up to `low` of a feature from the others.
struct newton_split {
    double gain = 1e-6;  ///< XGBoost's least gain of any split
    std::size_t feature = 0;
    std::uint32_t low = 0;
    newton_sums left;
    bool found = false;
};

/// Searches the splits of the nodes of one model's trees.
class newton_search {
public:
    newton_search(const binned& data, const boosted_growth_options& limits) : data_(data), limits_(limits)
    {
        std::size_t longest = 0;
        block_.push_back(0);
        for (std::size_t f = 1; f <= data.dimensions; ++f) {
            const std::size_t length = data.first[f] - data.first[block_.back()];
            if (f < data.dimensions && data.first[f + 1] - data.first[block_.back()] <= room) continue;
            block_.push_back(f);
            longest = (std::max)(longest, length);
        }
        prefix_g_.resize(longest + lanes);
        prefix_h_.resize(longest + lanes);
    }

    /// What gradients and hessians are multiples of.
    void units(double of_g, double of_h) noexcept
    {
        unit_g_ = of_g;
        unit_h_ = of_h;
    }

    [[nodiscard]] double gradient(std::int64_t g) const noexcept { return static_cast<double>(g) * unit_g_; }
    [[nodiscard]] double hessian(std::int64_t h) const noexcept { return static_cast<double>(h) * unit_h_; }

    /// The best split of the rows whose sums by slot are `h` and in all `total`.
    [[nodiscard]] newton_split operator()(const newton_sums* h, const newton_sums& total)
    {
        const double weight = hessian(total.h) + limits_.lambda;
        const double before = weight > 0 ? gradient(total.g) * gradient(total.g) / weight : 0;
        newton_split best;
        leaders lead{doubles{} + (before + best.gain), doubles{} + 1.0, integers{} - 1};
        for (std::size_t k = 0; k + 1 < block_.size(); ++k) {
            add_up(block_[k], block_[k + 1], h);
            compare(block_[k], block_[k + 1], total, lead);
        }
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            if (lead.at[lane] < 0) continue;
            const double gain = lead.value[lane] / lead.weight[lane] - before;
            const auto low = static_cast<std::uint32_t>(lead.at[lane]);
            if (gain < best.gain || (gain == best.gain && best.found && low > best.low)) continue;
            best.gain = gain;
            best.low = low;
            best.found = true;
        }
        if (!best.found) return best;
        const auto next = std::upper_bound(data_.first.begin(), data_.first.end(), best.low);
        best.feature = static_cast<std::size_t>(next - data_.first.begin() - 1);
        for (std::uint32_t s = data_.first[best.feature]; s <= best.low; ++s) best.left += h[s];
        return best;
    }

private:
    using doubles = core::detail::lanes<double>;
    using integers = core::detail::lanes<std::int64_t>;
    static constexpr std::size_t lanes = core::detail::lane_count<double>;
    static constexpr std::size_t room = 512;  // slots whose sums and gains stay in the first cache

    /// The best splits so far, lane by lane: value / weight is the two sides' sum of G^2 / H, `at` the slot or -1.
    struct leaders {
        doubles value, weight;
        integers at;
    };

    /// Integers below 2^51 as doubles, through their bits.
    [[gnu::always_inline]] static inline doubles number(const integers& x)
    {
        return reinterpret_cast<doubles>(x + std::int64_t{0x4338000000000000}) - 0x1.8p52;
    }

    /// What lies left of the split after each slot of features `from` ... `to - 1`, whose slots have the sums `h`; too
    /// light after a feature's last slot, and behind the last one.
    void add_up(std::size_t from, std::size_t to, const newton_sums* h)
    {
        constexpr std::int64_t light = -(std::int64_t{1} << 50);
        const std::uint32_t first = data_.first[from];
        std::int64_t* const pg = prefix_g_.data();
        std::int64_t* const ph = prefix_h_.data();
        for (std::size_t f = from; f < to; ++f) {
            newton_sums left;
            for (std::uint32_t s = data_.first[f]; s < data_.first[f + 1]; ++s) {
                left += h[s];
                pg[s - first] = left.g;
                ph[s - first] = left.h;
            }
            ph[data_.first[f + 1] - first - 1] = light;
        }
        std::fill_n(ph + (data_.first[to] - first), lanes, light);
    }

    /// Those of the splits that `add_up` has prepared which are worth more take the lead. Fractions are compared by
    /// multiplying crosswise: a division would take as long as all the rest.
    void compare(std::size_t from, std::size_t to, const newton_sums& total, leaders& lead) const
    {
        const std::size_t slots = data_.first[to] - data_.first[from];
        const double all_g = gradient(total.g), all_h = hessian(total.h);
        const doubles zero{}, one = zero + 1.0, nothing = zero - 1.0, least = zero + limits_.min_child_weight;
        leaders best = lead;
        integers at{};
        for (std::size_t lane = 0; lane < lanes; ++lane) at[lane] = static_cast<std::int64_t>(data_.first[from] + lane);
        for (std::size_t s = 0; s < slots; s += lanes, at += static_cast<std::int64_t>(lanes)) {
            integers g, h;
            core::detail::load(g, prefix_g_.data() + s);
            core::detail::load(h, prefix_h_.data() + s);
            const doubles lg = number(g) * unit_g_, lh = number(h) * unit_h_;
            const doubles rg = all_g - lg, rh = all_h - lh;  // exact: all are such multiples
            const doubles lw = lh + limits_.lambda, rw = rh + limits_.lambda;
            const doubles product = lw * rw;
            const doubles heavy = lh < rh ? lh : rh;
            const doubles sum = heavy >= least ? lg * lg * rw + rg * rg * lw : nothing;
            const doubles value = product > zero ? sum : nothing;
            const doubles weight = product > zero ? product : one;
            const auto better = value * best.weight > best.value * weight;
            best.value = better ? value : best.value;
            best.weight = better ? weight : best.weight;
            best.at = better ? at : best.at;
        }
        lead = best;
    }

    const binned& data_;
    const boosted_growth_options& limits_;
    std::vector<std::size_t> block_;  // features that are searched together begin at these
    std::vector<std::int64_t> prefix_g_, prefix_h_;
    double unit_g_ = 1, unit_h_ = 1;
};

}  // namespace tunekit::surrogate::detail
