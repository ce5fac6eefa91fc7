// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Training rows as tree growers want them: each feature value replaced by the position of its bin.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/surrogate/concepts.hpp"

namespace tunekit::surrogate::detail {

/// The bits of a float that is no NaN, in an order that is that of the floats: integers are sorted once for all.
[[nodiscard]] inline std::uint32_t ascending_bits(float x) noexcept
{
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return bits ^ ((bits >> 31) != 0 ? 0xffffffffU : 0x80000000U);
}

/// The float of such bits, which are the lower half of `key`.
[[nodiscard]] inline float from_ascending_bits(std::uint64_t key) noexcept
{
    const auto bits = static_cast<std::uint32_t>(key);
    return std::bit_cast<float>(bits ^ ((bits >> 31) != 0 ? 0x80000000U : 0xffffffffU));
}

/// n rows of d features as slots: bin j of feature f is slot first[f] + j, bins ascend with the values they hold.
struct binned {
    std::size_t rows = 0;
    std::size_t dimensions = 0;
    core::plain_vector<std::uint32_t> first;   ///< d + 1
    core::plain_vector<float> low, high;       ///< per slot: the smallest and the largest value in it
    core::plain_vector<std::uint16_t> narrow;  ///< rows x d slots, row-major, where they fit 16 bits; else empty
    core::plain_vector<std::uint32_t> wide;    ///< the same where they do not

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
    decltype(auto) visit(F&& f) const
    {
        return wide.empty() ? f(narrow.data()) : f(wide.data());
    }
};

/// Bins one column. `codes` gets the bin of each row; `low` and `high` are appended to.
class column_binner {
public:
    explicit column_binner(std::size_t max_bins) : max_bins_(max_bins) {}

    /// Precondition: finite values. Returns the number of bins.
    std::uint32_t operator()(std::span<const float> column, std::span<std::uint32_t> codes,
                             core::plain_vector<float>& low, core::plain_vector<float>& high)
    {
        if (count_small_integers(column)) {
            for (std::size_t i = 0; i < column.size(); ++i) codes[i] = table_[static_cast<std::uint32_t>(column[i])];
        } else {
            rank(column, codes);
        }
        const std::size_t k = distinct_.size();
        if (max_bins_ == 0 || k <= max_bins_) {
            low.append(distinct_);
            high.append(distinct_);
            return static_cast<std::uint32_t>(k);
        }
        return quantiles(codes, low, high);
    }

private:
    static constexpr std::size_t table_size = 4096;

    // The distinct values of a column of integers below table_size, by counting; false for any other column.
    bool count_small_integers(std::span<const float> column);

    // The distinct values of any column, and of each row the place of its value among them: by one sort of values that
    // carry their rows, after which no row is searched for.
    void rank(std::span<const float> column, std::span<std::uint32_t> codes);

    // Sorts keys_ by their upper halves, equal ones in their order.
    void sort_keys();

    // At most max_bins_ bins of nearly equal numbers of rows; equal values share a bin. `codes` are places in
    // distinct_.
    std::uint32_t quantiles(std::span<std::uint32_t> codes, core::plain_vector<float>& low,
                            core::plain_vector<float>& high);

    std::size_t max_bins_;
    core::plain_vector<float> distinct_;
    core::plain_vector<std::uint64_t> keys_, sorted_;
    core::plain_vector<std::uint32_t> table_, counts_, bin_of_;
};

/// Bins rows; `max_bins` = 0 gives every distinct value a bin of its own. Cost: O(n d), with a log n where values are
/// not small integers. Throws std::invalid_argument, naming `who`, where a feature is not finite.
template <class T>
[[nodiscard]] binned bin_rows(const rows_of<T>& rows, std::size_t max_bins, const char* who)
{
    const std::size_t n = rows.size();
    const std::size_t d = rows.dimensions();
    binned out{.rows = n, .dimensions = d, .first = {0}, .low = {}, .high = {}, .narrow = {}, .wide = {}};
    constexpr std::size_t line =
        16;  // numbers of a line of cache: so many columns, or rows, are read and written together
    core::plain_vector<float> columns(line * n);
    core::plain_vector<std::uint32_t> codes(n * d);
    column_binner bin(max_bins);
    for (std::size_t first = 0; first < d; first += line) {
        const std::size_t some = (std::min)(line, d - first);
        bool finite = true;
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t f = 0; f < some; ++f) {
                const auto x = static_cast<float>(rows.data()[i * d + first + f]);
                columns[f * n + i] = x;
                if constexpr (std::is_floating_point_v<T>) finite &= std::isfinite(x);
            }
        }
        if (!finite) invalid(std::string(who) + ": a feature is NaN or infinite, want finite ones");
        for (std::size_t f = 0; f < some; ++f) {
            const auto bins = bin({columns.data() + f * n, n}, {codes.data() + (first + f) * n, n}, out.low, out.high);
            out.first.push_back(out.first.back() + bins);
        }
    }
    const auto scatter = [&](auto& slots) {
        slots.resize(n * d);
        using slot = typename std::remove_reference_t<decltype(slots)>::value_type;
        for (std::size_t first = 0; first < n; first += line)
            for (std::size_t f = 0; f < d; ++f)
                for (std::size_t i = first; i < (std::min)(first + line, n); ++i)
                    slots[i * d + f] = static_cast<slot>(out.first[f] + codes[f * n + i]);
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
        if (!(x >= 0 && x < static_cast<float>(table_size))) return false;
        const auto i = static_cast<std::uint32_t>(x);
        if (static_cast<float>(i) != x) return false;
        table_[i] = 1;
        largest = (std::max)(largest, i);
    }
    distinct_.clear();
    for (std::uint32_t i = 0; i <= largest; ++i) {
        if (table_[i] == 0) continue;
        table_[i] = static_cast<std::uint32_t>(distinct_.size());
        distinct_.push_back(static_cast<float>(i));
    }
    return true;
}

TUNEKIT_INLINE void column_binner::rank(std::span<const float> column, std::span<std::uint32_t> codes)
{
    keys_.resize(column.size());
    for (std::size_t i = 0; i < column.size(); ++i) {
        keys_[i] = std::uint64_t{ascending_bits(column[i] + 0.0F)} << 32 | i;  // -0 is 0
    }
    sort_keys();
    distinct_.clear();
    for (const std::uint64_t key : keys_) {
        const auto row = static_cast<std::uint32_t>(key);
        if (distinct_.empty() || distinct_.back() != column[row]) distinct_.push_back(column[row] + 0.0F);
        codes[row] = static_cast<std::uint32_t>(distinct_.size() - 1);
    }
}

TUNEKIT_INLINE void column_binner::sort_keys()
{
    constexpr std::size_t few = 256;
    if (keys_.size() < few) {
        std::sort(keys_.begin(), keys_.end());
        return;
    }
    constexpr std::size_t digits = 3, values = 2048;  // 11 bits each, of the 32
    const auto digit = [](std::uint64_t key, std::size_t of) { return key >> (32 + 11 * of) & (values - 1); };
    std::array<std::array<std::uint32_t, values>, digits> begin{};
    for (const std::uint64_t key : keys_)
        for (std::size_t of = 0; of < digits; ++of) ++begin[of][digit(key, of)];
    sorted_.resize(keys_.size());
    for (std::size_t of = 0; of < digits; ++of) {
        std::uint32_t sum = 0;
        for (std::uint32_t& b : begin[of]) {
            const std::uint32_t count = b;
            b = sum;
            sum += count;
        }
        for (const std::uint64_t key : keys_) sorted_[begin[of][digit(key, of)]++] = key;
        keys_.swap(sorted_);
    }
}

TUNEKIT_INLINE std::uint32_t column_binner::quantiles(std::span<std::uint32_t> codes, core::plain_vector<float>& low,
                                                      core::plain_vector<float>& high)
{
    counts_.assign(distinct_.size(), 0);
    for (const std::uint32_t c : codes) ++counts_[c];
    bin_of_.resize(distinct_.size());
    std::size_t left = codes.size();  // rows not yet in a closed bin
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
