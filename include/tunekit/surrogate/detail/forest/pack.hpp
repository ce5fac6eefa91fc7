// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A grown forest as predicting wants it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/surrogate/detail/binned.hpp"
#include "tunekit/surrogate/detail/forest/growth.hpp"
#include "tunekit/surrogate/detail/forest/walk.hpp"

namespace tunekit::surrogate::detail {

inline constexpr std::size_t forest_block = small_walker::block;
static_assert(forest_block == large_walker::block);

/// One node, for looking at a forest.
struct node_view {
    bool leaf = true;
    std::uint32_t feature = 0;
    float threshold = 0;  ///< rows with a greater value go right
    std::uint32_t left = 0, right = 0;
    double value = 0;  ///< of a leaf: the mean of its targets

    friend bool operator==(const node_view&, const node_view&) = default;
};

/// All trees one after another; nodes count from each tree's root.
struct forest {
    core::plain_vector<std::size_t> root;    ///< trees + 1
    core::plain_vector<double> value;        ///< per node
    core::plain_vector<double> variance;     ///< per node; empty unless asked for
    core::plain_vector<large_node> large;    ///< empty where the forest is small enough for the next three
    core::plain_vector<small_node> compact;  ///< the same nodes
    core::plain_vector<crown> crowns;        ///< per tree
    value_codes codes;

    friend bool operator==(const forest&, const forest&) = default;

    [[nodiscard]] node_view view(std::size_t tree, std::size_t i) const
    {
        const std::size_t at = root[tree] + i;
        large_node n;
        if (compact.empty()) n = large[at];
        else if (const small_node& s = compact[at]; s.left == i) n.left = s.left;
        else n = {.feature = s.feature, .threshold = codes.of(s.feature)[s.code], .left = s.left};
        if (n.left == i) return {.value = value[at]};
        return {.leaf = false, .feature = n.feature, .threshold = n.threshold, .left = n.left, .right = n.left + 1};
    }
};

/// The distinct thresholds of a forest, and the code of each split's.
class threshold_table {
public:
    threshold_table(std::span<const grown_tree> trees, const binned& data);

    /// The most thresholds of one feature.
    [[nodiscard]] std::size_t most() const noexcept { return most_; }
    [[nodiscard]] const value_codes& codes() const noexcept { return codes_; }

    [[nodiscard]] std::uint8_t code(const grown_node& node) const
    {
        return static_cast<std::uint8_t>(bins(node.feature) <= table_bins
                                             ? code_[place(node)]
                                             : search(node.feature, data_.threshold(node.low, node.high)));
    }

private:
    static constexpr std::size_t table_bins = 64;  // features of more have their thresholds sorted

    [[nodiscard]] std::size_t bins(std::size_t f) const noexcept { return data_.first[f + 1] - data_.first[f]; }
    [[nodiscard]] std::size_t place(const grown_node& node) const noexcept
    {
        const std::uint32_t begin = data_.first[node.feature];
        return offset_[node.feature] + (node.low - begin) * bins(node.feature) + (node.high - begin);
    }
    [[nodiscard]] std::uint32_t search(std::size_t f, float threshold) const
    {
        const auto cuts = codes_.of(f);
        return static_cast<std::uint32_t>(std::lower_bound(cuts.begin(), cuts.end(), threshold) - cuts.begin());
    }

    const binned& data_;
    core::plain_vector<std::size_t> offset_;
    core::plain_vector<std::uint32_t> code_;
    value_codes codes_;
    std::size_t most_ = 0;
};

/// The crown of a tree of small nodes.
[[nodiscard]] crown make_crown(const small_node* nodes);

[[nodiscard]] forest pack(std::span<const grown_tree> trees, const binned& data, bool with_variance);

}  // namespace tunekit::surrogate::detail

#if TUNEKIT_BODIES
namespace tunekit::surrogate::detail {

TUNEKIT_INLINE threshold_table::threshold_table(std::span<const grown_tree> trees, const binned& data)
    : data_(data), offset_(data.dimensions)
{
    const std::size_t d = data.dimensions;
    std::size_t pairs = 0;
    for (std::size_t f = 0; f < d; ++f) {
        const std::size_t k = bins(f);
        offset_[f] = pairs;
        if (k <= table_bins) pairs += k * k;
    }
    code_.assign(pairs, 0);
    core::plain_vector<std::uint64_t> cuts;  // a feature, and a threshold in its order
    const auto cut = [&](std::size_t f, float threshold) {
        cuts.push_back(std::uint64_t{f} << 32 | ascending_bits(threshold + 0.0F));  // -0 is 0
    };
    for (const auto& tree : trees) {
        for (const auto& node : tree.nodes) {
            if (node.left == 0) continue;
            if (bins(node.feature) <= table_bins) code_[place(node)] = 1;
            else cut(node.feature, data.threshold(node.low, node.high));
        }
    }
    for (std::size_t f = 0; f < d; ++f) {
        const std::size_t begin = data.first[f], k = bins(f);
        for (std::size_t p = 0; k <= table_bins && p < k * k; ++p)
            if (code_[offset_[f] + p] != 0) cut(f, data.threshold(begin + p / k, begin + p % k));
    }
    std::sort(cuts.begin(), cuts.end());
    std::size_t at = 0;
    codes_.first.push_back(0);
    for (std::size_t f = 0; f < d; ++f) {
        for (; at < cuts.size() && cuts[at] >> 32 == f; ++at)
            if (at == 0 || cuts[at] != cuts[at - 1]) codes_.cut.push_back(from_ascending_bits(cuts[at]));
        codes_.first.push_back(static_cast<std::uint32_t>(codes_.cut.size()));
        most_ = (std::max)(most_, codes_.of(f).size());
        const std::size_t begin = data.first[f], k = bins(f);
        for (std::size_t p = 0; k <= table_bins && p < k * k; ++p)
            if (code_[offset_[f] + p] != 0)
                code_[offset_[f] + p] = search(f, data.threshold(begin + p / k, begin + p % k));
    }
}

TUNEKIT_INLINE crown make_crown(const small_node* nodes)
{
    crown out;
    std::array<std::uint16_t, crown_splits + crown_exits> at{};
    for (std::size_t i = 0; i < crown_splits; ++i) {
        const small_node& node = nodes[at[i]];
        const bool leaf = node.left == at[i];
        out.feature[i] = node.feature;
        out.code[i] = static_cast<std::int8_t>(node.code ^ 0x80U);  // a leaf's is 127: no row passes
        at[2 * i + 1] = node.left;
        at[2 * i + 2] = static_cast<std::uint16_t>(node.left + (leaf ? 0 : 1));
    }
    std::copy(at.begin() + crown_splits, at.end(), out.exit.begin());
    return out;
}

TUNEKIT_INLINE forest pack(std::span<const grown_tree> trees, const binned& data, bool with_variance)
{
    forest out;
    std::size_t total = 0;
    std::size_t largest = 0;
    for (const auto& tree : trees) {
        out.root.push_back(total);
        total += tree.nodes.size();
        largest = (std::max)(largest, tree.nodes.size());
    }
    out.root.push_back(total);
    out.value.resize(total);
    if (with_variance) out.variance.resize(total);
    constexpr std::size_t features = 256;  // what eight bits tell apart
    constexpr std::size_t codes = 255;
    std::optional<threshold_table> table;
    if (data.dimensions <= features && largest <= (std::numeric_limits<std::uint16_t>::max)())
        table.emplace(trees, data);
    const bool fits = table && table->most() <= codes;
    if (fits) out.codes = table->codes();
    if (fits) out.compact.resize(total);
    else out.large.resize(total);
    std::size_t i = 0;
    for (const auto& tree : trees) {
        for (std::size_t k = 0; k < tree.nodes.size(); ++k, ++i) {
            const grown_node& node = tree.nodes[k];
            const bool leaf = node.left == 0;
            const auto left = leaf ? static_cast<std::uint32_t>(k) : node.left;
            if (fits)
                out.compact[i] = {.feature = static_cast<std::uint8_t>(node.feature),
                                  .code = leaf ? std::uint8_t{255} : table->code(node),
                                  .left = static_cast<std::uint16_t>(left)};
            else
                out.large[i] = {
                    .feature = node.feature,
                    .threshold = leaf ? std::numeric_limits<float>::infinity() : data.threshold(node.low, node.high),
                    .left = left};
            out.value[i] = node.value;
            if (with_variance) out.variance[i] = node.variance;
        }
    }
    for (std::size_t b = 0; fits && b < trees.size(); ++b)
        out.crowns.push_back(make_crown(out.compact.data() + out.root[b]));
    return out;
}

}  // namespace tunekit::surrogate::detail
#endif  // TUNEKIT_BODIES
