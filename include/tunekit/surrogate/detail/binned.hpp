// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Training rows as tree growers want them: each feature value replaced by the position of its bin.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/surrogate/concepts.hpp"

namespace tunekit::surrogate::detail {

/// n rows of d features as slots: bin j of feature f is slot first[f] + j, bins ascend with the values they hold.
struct binned {
    std::size_t rows = 0;
    std::size_t dimensions = 0;
    std::vector<std::uint32_t> first;   ///< d + 1
    std::vector<float> low, high;       ///< per slot: the smallest and the largest value in it
    std::vector<std::uint16_t> narrow;  ///< rows x d slots, row-major, where they fit 16 bits; else empty
    std::vector<std::uint32_t> wide;    ///< the same where they do not

    [[nodiscard]] std::size_t slots() const noexcept { return low.size(); }

    /// The value halfway between two bins of one feature; `x > threshold` is the right-hand side.
    [[nodiscard]] float threshold(std::size_t left, std::size_t right) const noexcept
    {
        const float a = high[left];
        const float b = low[right];
        const float middle = 0.5F * a + 0.5F * b;
        return middle < b && middle >= a ? middle : a;  // neighbouring floats have no middle
    }

    /// Calls f with the slots in the type that holds them.
    template <class F>
    void visit(F&& f) const
    {
        if (wide.empty()) f(narrow.data());
        else f(wide.data());
    }
};

/// Bins one column. `codes` gets the bin of each row; `low` and `high` are appended to.
class column_binner {
public:
    explicit column_binner(std::size_t max_bins) : max_bins_(max_bins) {}

    /// Precondition: finite values. Returns the number of bins.
    std::uint32_t operator()(std::span<const float> column, std::span<std::uint32_t> codes, std::vector<float>& low,
                             std::vector<float>& high)
    {
        if (!count_small_integers(column)) {
            distinct_.assign(column.begin(), column.end());
            std::sort(distinct_.begin(), distinct_.end());
            distinct_.erase(std::unique(distinct_.begin(), distinct_.end()), distinct_.end());
        }
        const std::size_t k = distinct_.size();
        if (max_bins_ == 0 || k <= max_bins_) {
            low.insert(low.end(), distinct_.begin(), distinct_.end());
            high.insert(high.end(), distinct_.begin(), distinct_.end());
            encode(column, codes);
            return static_cast<std::uint32_t>(k);
        }
        return quantiles(column, codes, low, high);
    }

private:
    static constexpr std::size_t table_size = 4096;

    // The distinct values of a column of integers below table_size, by counting; false for any other column.
    bool count_small_integers(std::span<const float> column);

    void encode(std::span<const float> column, std::span<std::uint32_t> codes) const;

    // At most max_bins_ bins of nearly equal numbers of rows; equal values share a bin.
    std::uint32_t quantiles(std::span<const float> column, std::span<std::uint32_t> codes, std::vector<float>& low,
                            std::vector<float>& high);

    std::size_t max_bins_;
    bool by_table_ = false;
    std::vector<float> distinct_;
    std::vector<std::uint32_t> table_, counts_, bin_of_;
};

/// Bins rows; `max_bins` = 0 gives every distinct value a bin of its own. Cost: O(n d), with a log n where values are
/// not small integers. Throws std::invalid_argument, naming `who`, where a feature is not finite.
template <class T>
[[nodiscard]] binned bin_rows(const rows_of<T>& rows, std::size_t max_bins, const char* who)
{
    const std::size_t n = rows.size();
    const std::size_t d = rows.dimensions();
    binned out{.rows = n, .dimensions = d, .first = {0}, .low = {}, .high = {}, .narrow = {}, .wide = {}};
    std::vector<float> column(n);
    std::vector<std::uint32_t> codes(n * d);
    column_binner bin(max_bins);
    for (std::size_t f = 0; f < d; ++f) {
        const T* x = rows.data().data() + f;
        for (std::size_t i = 0; i < n; ++i) {
            column[i] = static_cast<float>(x[i * d]);
            if constexpr (std::is_floating_point_v<T>)
                if (!std::isfinite(column[i]))
                    invalid(std::string(who) + ": a feature is NaN or infinite, want finite ones");
        }
        const auto bins = bin(column, {codes.data() + f * n, n}, out.low, out.high);
        out.first.push_back(out.first.back() + bins);
    }
    const auto scatter = [&](auto& slots) {
        slots.resize(n * d);
        using slot = typename std::remove_reference_t<decltype(slots)>::value_type;
        for (std::size_t f = 0; f < d; ++f)
            for (std::size_t i = 0; i < n; ++i) slots[i * d + f] = static_cast<slot>(out.first[f] + codes[f * n + i]);
    };
    if (out.slots() <= std::size_t{(std::numeric_limits<std::uint16_t>::max)()} + 1) scatter(out.narrow);
    else scatter(out.wide);
    return out;
}

}  // namespace tunekit::surrogate::detail

#if TUNEKIT_BODIES
namespace tunekit::surrogate::detail {

TUNEKIT_INLINE bool column_binner::count_small_integers(std::span<const float> column)
{
    table_.assign(table_size, 0);
    std::uint32_t largest = 0;
    for (const float x : column) {
        if (!(x >= 0 && x < static_cast<float>(table_size))) return by_table_ = false;
        const auto i = static_cast<std::uint32_t>(x);
        if (static_cast<float>(i) != x) return by_table_ = false;
        table_[i] = 1;
        largest = (std::max)(largest, i);
    }
    distinct_.clear();
    for (std::uint32_t i = 0; i <= largest; ++i) {
        if (table_[i] == 0) continue;
        table_[i] = static_cast<std::uint32_t>(distinct_.size());
        distinct_.push_back(static_cast<float>(i));
    }
    return by_table_ = true;
}

TUNEKIT_INLINE void column_binner::encode(std::span<const float> column, std::span<std::uint32_t> codes) const
{
    for (std::size_t i = 0; i < column.size(); ++i)
        codes[i] = by_table_ ? table_[static_cast<std::uint32_t>(column[i])]
                             : static_cast<std::uint32_t>(
                                   std::lower_bound(distinct_.begin(), distinct_.end(), column[i]) - distinct_.begin());
}

TUNEKIT_INLINE std::uint32_t column_binner::quantiles(std::span<const float> column, std::span<std::uint32_t> codes,
                                                      std::vector<float>& low, std::vector<float>& high)
{
    encode(column, codes);
    counts_.assign(distinct_.size(), 0);
    for (const std::uint32_t c : codes) ++counts_[c];
    bin_of_.resize(distinct_.size());
    std::size_t left = column.size();  // rows not yet in a closed bin
    std::size_t bins_left = max_bins_;
    std::uint32_t bin = 0;
    std::size_t in_bin = 0;
    for (std::size_t j = 0; j < distinct_.size(); ++j) {
        if (in_bin == 0) low.push_back(distinct_[j]);
        in_bin += counts_[j];
        bin_of_[j] = bin;
        if (j + 1 == distinct_.size() || (bins_left > 1 && in_bin * bins_left >= left)) {
            high.push_back(distinct_[j]);
            left -= in_bin;
            --bins_left;
            in_bin = 0;
            ++bin;
        }
    }
    for (auto& c : codes) c = bin_of_[c];
    return bin;
}

}  // namespace tunekit::surrogate::detail
#endif  // TUNEKIT_BODIES
