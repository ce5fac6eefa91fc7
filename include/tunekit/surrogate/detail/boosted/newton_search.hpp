// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Which split of a node of the boosted model is worth most.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

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
        : data_(data), limits_(limits), prefix_g_(data.slots()), prefix_h_(data.slots()), gain_(data.slots())
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
        const double lambda = limits_.lambda;
        const double least = limits_.min_child_weight;
        const double ug = unit_g_;
        const double uh = unit_h_;
        const double all_g = gradient(total.g);
        const double all_h = hessian(total.h);
        const double weight = all_h + lambda;
        const double before = weight > 0 ? all_g * all_g / weight : 0;
        double* gain = gain_.data();
        // an integer below 2^51 becomes a double through its bits, which vectorises where a conversion does not
        const auto number = [](std::int64_t x) {
            return std::bit_cast<double>(static_cast<std::uint64_t>(x) + 0x4338000000000000U) - 0x1.8p52;
        };
        for (std::size_t s = 0; s < slots; ++s) {
            const double lg = number(pg[s]) * ug;
            const double lh = number(ph[s]) * uh;
            const double rg = number(total.g - pg[s]) * ug;
            const double rh = number(total.h - ph[s]) * uh;
            const double lw = lh + lambda;
            const double rw = rh + lambda;
            const double product = lw * rw;  // one division for both sides
            const double value = (lg * lg * rw + rg * rg * lw) / (product > 0 ? product : 1.0) - before;
            const double heavy = lh < rh ? lh : rh;
            gain[s] = heavy >= least && product > 0 ? value : -1.0;
        }
        newton_split best;
        std::uint32_t at = 0;
        for (std::size_t f = 0; f < data_.dimensions; ++f) {
            for (std::uint32_t s = data_.first[f]; s + 1 < data_.first[f + 1]; ++s) {
                if (!(gain[s] > best.gain)) continue;  // the lowest feature and threshold of those that tie
                best.gain = gain[s];
                best.feature = f;
                best.found = true;
                at = s;
            }
        }
        best.low = at;
        if (best.found) best.left = {.g = pg[at], .h = ph[at]};
        return best;
    }

private:
    const binned& data_;
    const boosted_growth_options& limits_;
    std::vector<std::int64_t> prefix_g_, prefix_h_;
    std::vector<double> gain_;
    double unit_g_ = 1, unit_h_ = 1;
};

}  // namespace tunekit::surrogate::detail
