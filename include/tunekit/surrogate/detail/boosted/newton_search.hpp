// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Which split of a node of the boosted model is worth most.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tunekit/core/lanes.hpp"
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
    newton_search(const binned& data, const boosted_growth_options& limits)
        : data_(data),
          limits_(limits),
          prefix_g_(data.slots() + lanes),
          prefix_h_(data.slots() + lanes),
          gain_(data.slots() + lanes)
    {
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
        const std::size_t slots = data_.slots();
        std::int64_t* pg = prefix_g_.data();
        std::int64_t* ph = prefix_h_.data();
        for (std::size_t f = 0; f < data_.dimensions; ++f) {
            newton_sums left;
            for (std::uint32_t s = data_.first[f]; s < data_.first[f + 1]; ++s) {
                left += h[s];
                pg[s] = left.g;
                ph[s] = left.h;
            }
        }
        find_gains(total, slots);
        for (std::size_t f = 0; f < data_.dimensions; ++f) gain_[data_.first[f + 1] - 1] = -1;  // splits nothing off
        newton_split best;
        const std::size_t at = largest(slots, best.gain);
        if (at == slots) return best;
        best.feature = static_cast<std::size_t>(std::upper_bound(data_.first.begin(), data_.first.end(), at) -
                                                data_.first.begin() - 1);
        best.low = static_cast<std::uint32_t>(at);
        best.left = {.g = pg[at], .h = ph[at]};
        best.found = true;
        return best;
    }

private:
    using doubles = core::lanes<double>;
    using integers = core::lanes<std::int64_t>;
    static constexpr std::size_t lanes = core::lane_count<double>;

    /// Integers below 2^51 as doubles, through their bits.
    [[gnu::always_inline]] static inline doubles number(const integers& x)
    {
        return reinterpret_cast<doubles>(x + std::int64_t{0x4338000000000000}) - 0x1.8p52;
    }

    /// The gain of the split after each slot; -1 where a side is too light.
    void find_gains(const newton_sums& total, std::size_t slots)
    {
        const double all_g = gradient(total.g), weight = hessian(total.h) + limits_.lambda;
        const doubles zero{}, before = zero + (weight > 0 ? all_g * all_g / weight : 0);
        const doubles one = zero + 1.0, nothing = zero - 1.0, least = zero + limits_.min_child_weight;
        for (std::size_t s = 0; s < slots; s += lanes) {
            integers g, h;
            core::load(g, prefix_g_.data() + s);
            core::load(h, prefix_h_.data() + s);
            const doubles lg = number(g) * unit_g_, lh = number(h) * unit_h_;
            const doubles rg = number(total.g - g) * unit_g_, rh = number(total.h - h) * unit_h_;
            const doubles lw = lh + limits_.lambda, rw = rh + limits_.lambda;
            const doubles product = lw * rw;  // one division for both sides
            const doubles value = (lg * lg * rw + rg * rg * lw) / (product > zero ? product : one) - before;
            const doubles heavy = lh < rh ? lh : rh;
            const doubles heavy_enough = heavy >= least ? value : nothing;
            const doubles gain = product > zero ? heavy_enough : nothing;
            core::store(gain_.data() + s, gain);
        }
        for (std::size_t s = slots; s < slots + lanes; ++s) gain_[s] = -1;
    }

    /// The first slot of the largest gain above `gain`, which becomes it; `slots` where there is none.
    [[nodiscard]] std::size_t largest(std::size_t slots, double& gain) const
    {
        doubles best = doubles{} + gain;
        integers at = integers{} + static_cast<std::int64_t>(slots), now{};
        for (std::size_t lane = 0; lane < lanes; ++lane) now[lane] = static_cast<std::int64_t>(lane);
        for (std::size_t s = 0; s < slots; s += lanes, now += static_cast<std::int64_t>(lanes)) {
            doubles v;
            core::load(v, gain_.data() + s);
            const auto better = v > best;
            best = better ? v : best;
            at = better ? now : at;
        }
        std::size_t found = slots;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const auto where = static_cast<std::size_t>(at[lane]);
            if (where == slots || best[lane] < gain || (best[lane] == gain && where > found)) continue;
            gain = best[lane];
            found = where;
        }
        return found;
    }

    const binned& data_;
    const boosted_growth_options& limits_;
    std::vector<std::int64_t> prefix_g_, prefix_h_;
    std::vector<double> gain_;
    double unit_g_ = 1, unit_h_ = 1;
};

}  // namespace tunekit::surrogate::detail
