// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The untyped part of every product: parameters, conditions, and the set of rows that fulfil them.

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/space/axis.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/moves.hpp"
#include "tunekit/space/numbering.hpp"

namespace tunekit::space {

/// The rows of ordinals over some axes that fulfil some conditions; a search_space. `product` and `dynamic_product` are
/// grids whose values have types; a grid is what remains of them where only indices matter.
///
/// Index:      parameters that share a condition form a group; an index is the mixed-radix number of the groups' rows,
///             the group of the first parameter least significant. Without conditions that is AutoTVM's index: the
///             first parameter varies fastest.
/// Throws:     std::invalid_argument naming the parameter that has no or too many values, the condition that leaves
///             nothing, or the size beyond 2^63.
/// Randomness: `sample` draws one uniform_index per configuration, `neighbours` two or three per attempt, in order.
/// Cost:       decoding and encoding take one division and a few binary searches per group; a neighbour a few attempts,
///             and where 64 of them fail, one enumeration of the neighbourhood.
/// Threads:    const calls on one grid are safe.
class grid {
public:
    /// `Condition` is `condition`; what builds a grid is a template so that nobody pays for it who builds none.
    template <class Condition>
    grid(std::vector<axis> axes, const std::vector<Condition>& conditions);

    [[nodiscard]] index size() const noexcept { return rows_.size(); }
    [[nodiscard]] std::size_t dimensions() const noexcept { return axes_.size(); }
    [[nodiscard]] std::span<const std::uint16_t> cardinalities() const noexcept { return cardinalities_; }
    [[nodiscard]] std::span<const std::string> names() const noexcept { return names_; }

    /// `n` independent uniform members of the valid set.
    template <generator G>
    [[nodiscard]] std::vector<index> sample(std::size_t n, G& gen) const
    {
        std::vector<index> out(n);
        for (index& i : out) i = random::uniform_index(size(), gen);
        return out;
    }

    /// Fills in.size() x dimensions() ordinals, row-major.
    void ordinals(std::span<const index> in, std::span<std::uint16_t> out) const
    {
        assert(out.size() == in.size() * dimensions());
        for (std::size_t k = 0; k < in.size(); ++k) rows_.row(in[k], out.data() + k * dimensions());
    }

    /// The index of a row of ordinals; empty where it is no member.
    [[nodiscard]] std::optional<index> index_of_ordinals(std::span<const std::uint16_t> row) const
    {
        assert(row.size() == dimensions());
        return rows_.rank(row.data());
    }

    /// Puts a uniform random neighbour of in[k] into out[k]; in[k] itself where it has none.
    template <generator G>
    void neighbours(std::span<const index> in, std::span<index> out, neighbourhood kind, G& gen) const
    {
        assert(out.size() == in.size());
        std::vector<std::uint16_t> row(dimensions());
        for (std::size_t k = 0; k < in.size(); ++k) out[k] = moves_.draw(rows_, axes_, in[k], kind, row.data(), gen);
    }

    /// All neighbours of `i`, ascending, without `i`.
    [[nodiscard]] std::vector<index> neighbours_of(index i, neighbourhood kind) const
    {
        return moves::all(rows_, axes_, i, kind);
    }

    /// Columns per configuration under an encoding.
    [[nodiscard]] std::size_t feature_count(encoding e) const
    {
        std::size_t n = 0;
        for (std::size_t j = 0; j < axes_.size(); ++j) n += columns(j, e);
        return n;
    }

    /// Fills in.size() x feature_count(e) numbers, row-major, parameter by parameter.
    void features(std::span<const index> in, std::span<float> out, encoding e) const;

    /// The text of each parameter's value.
    [[nodiscard]] std::vector<std::string> texts(index i) const
    {
        std::vector<std::uint16_t> row(dimensions());
        rows_.row(i, row.data());
        std::vector<std::string> out;
        for (std::size_t j = 0; j < row.size(); ++j) out.push_back(axes_[j].texts[row[j]]);
        return out;
    }

    /// A hash of names, value texts and the numbering of the rows. O(values and tree nodes).
    [[nodiscard]] std::uint64_t fingerprint() const;

private:
    [[nodiscard]] std::size_t columns(std::size_t j, encoding e) const
    {
        switch (e) {
            case encoding::ordinals: return 1;
            case encoding::one_hot: return cardinalities_[j];
            default: return axes_[j].columns;
        }
    }

    std::vector<axis> axes_;
    std::vector<std::string> names_;
    std::vector<std::uint16_t> cardinalities_;
    std::vector<std::vector<float>> logarithms_;  // by parameter: sign(x) log2(1 + |x|) of its numbers
    numbering rows_;
    moves moves_;
};

template <class Condition>
grid::grid(std::vector<axis> axes, const std::vector<Condition>& conditions) : axes_(std::move(axes))
{
    require(!axes_.empty(), "space: has no parameters, want at least one");
    for (const axis& a : axes_) {
        check_value_count(a.name, a.texts.size());
        require(a.numbers.size() == a.texts.size() * a.columns && a.swapped.size() == a.texts.size() * a.pairs,
                "space: parameter '" + a.name + "': numbers or trades do not fit its values");
        require(std::find(names_.begin(), names_.end(), a.name) == names_.end(),
                "space: parameter '" + a.name + "': is there twice, want distinct names");
        names_.push_back(a.name);
        cardinalities_.push_back(static_cast<std::uint16_t>(a.texts.size()));
        auto& logs = logarithms_.emplace_back();
        for (const float x : a.numbers) logs.push_back(std::copysign(std::log2(1 + std::abs(x)), x));
        moves_.add(a);
    }
    rows_ = numbering(cardinalities_, conditions);
}

inline void grid::features(std::span<const index> in, std::span<float> out, encoding e) const
{
    assert(out.size() == in.size() * feature_count(e));
    std::vector<std::uint16_t> row(dimensions());
    auto to = out.begin();
    for (const index i : in) {
        rows_.row(i, row.data());
        for (std::size_t j = 0; j < row.size(); ++j) {
            const auto n = static_cast<std::ptrdiff_t>(columns(j, e));
            if (e == encoding::ordinals) {
                *to = static_cast<float>(row[j]);
            } else if (e == encoding::one_hot) {
                std::fill_n(to, n, 0.0F);
                to[row[j]] = 1;
            } else {
                const auto& numbers = e == encoding::log2 ? logarithms_[j] : axes_[j].numbers;
                std::copy_n(numbers.begin() + row[j] * n, n, to);
            }
            to += n;
        }
    }
}

inline std::uint64_t grid::fingerprint() const
{
    std::uint64_t hash = 0xCBF29CE484222325U;
    const auto mix = [&](std::uint64_t x) {
        hash = (hash ^ x) * 0x9E3779B97F4A7C15U;
        hash ^= hash >> 29;
    };
    const auto mix_text = [&](const std::string& text) {
        mix(text.size());
        for (const char c : text) mix(static_cast<unsigned char>(c));
    };
    for (const axis& a : axes_) {
        mix_text(a.name);
        mix(a.texts.size());
        for (const std::string& text : a.texts) mix_text(text);
    }
    rows_.describe(mix);
    return hash;
}

}  // namespace tunekit::space
