// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The untyped part of every product: parameters, conditions, and the set of rows that fulfil them.

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/detail/axis.hpp"
#include "tunekit/space/detail/moves.hpp"
#include "tunekit/space/detail/numbering.hpp"

namespace tunekit::space::detail {

/// The rows of ordinals over some axes that fulfil some conditions; a search_space. `product` and `value_product` are
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
    using untyped = grid;  ///< what a product is where only indices matter

    /// Takes what it keeps out of the axes.
    [[gnu::cold]] grid(std::span<axis* const> axes, std::span<const condition> conditions);

    /// The same without conditions, and without the solver in a program that has none.
    [[gnu::cold]] explicit grid(std::span<axis* const> axes);

    grid(const grid&);
    grid(grid&&) noexcept;
    grid& operator=(const grid&);
    grid& operator=(grid&&) noexcept;
    ~grid();

    [[nodiscard]] index size() const noexcept { return rows_.size(); }
    [[nodiscard]] std::size_t dimensions() const noexcept { return columns_.size(); }
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
        const index i = rows_.rank(row.data());
        return i == nowhere ? std::nullopt : std::optional<index>(i);
    }

    /// Puts a uniform random neighbour of in[k] into out[k]; in[k] itself where it has none.
    template <generator G>
    void neighbours(std::span<const index> in, std::span<index> out, neighbourhood kind, G& gen) const
    {
        assert(out.size() == in.size());
        core::plain_vector<std::uint16_t> row(dimensions());
        for (std::size_t k = 0; k < in.size(); ++k) out[k] = neighbour(in[k], kind, row.data(), gen);
    }

    /// All neighbours of `i`, ascending, without `i`.
    [[nodiscard]] std::vector<index> neighbours_of(index i, neighbourhood kind) const
    {
        return moves_.all(rows_, i, kind);
    }

    /// Columns per configuration under an encoding.
    [[nodiscard]] std::size_t feature_count(encoding e) const
    {
        std::size_t n = 0;
        for (std::size_t j = 0; j < columns_.size(); ++j) n += columns(j, e);
        return n;
    }

    /// Fills in.size() x feature_count(e) numbers, row-major, parameter by parameter.
    void features(std::span<const index> in, std::span<float> out, encoding e) const;

    /// The text of each parameter's value.
    [[nodiscard]] std::vector<std::string> texts(index i) const;

    /// The names with the texts of their values: "mr = 4, nv = 2".
    [[nodiscard]] std::string text(index i) const;

    /// A hash of names, value texts and the numbering of the rows. O(values and tree nodes).
    [[nodiscard]] std::uint64_t fingerprint() const;

private:
    [[gnu::cold]] void take(std::span<axis* const> axes);

    [[nodiscard]] std::size_t columns(std::size_t j, encoding e) const
    {
        switch (e) {
            case encoding::ordinals:
                return 1;
            case encoding::one_hot:
                return cardinalities_[j];
            default:
                return columns_[j].width;
        }
    }

    /// A uniform random neighbour of `i`, `i` itself where it has none; `row` is scratch for one row.
    template <generator G>
    [[nodiscard]] index neighbour(index i, neighbourhood kind, std::uint16_t* row, G& gen) const
    {
        const std::uint64_t ways = moves_.count(kind);
        if (ways == 0) return i;
        bool known = false;  // the ordinals
        // All candidates are equally likely, so those that are members are too.
        for (int attempt = 0; attempt < 64; ++attempt) {
            const std::uint64_t r = random::uniform_index(ways, gen);
            const std::uint64_t s = kind == neighbourhood::hamming_2 ? random::uniform_index(ways, gen) : 0;
            index found = kind == neighbourhood::any_value ? moves_.free_step(rows_, i, r) : nowhere;
            if (found != nowhere) return found;
            if (!known) rows_.row(i, row);
            known = true;
            found = moves_.step(rows_, i, row, kind, r, s);
            if (found != nowhere) return found;
        }
        const std::vector<index> there = moves_.all(rows_, i, kind);
        return there.empty() ? i : there[random::uniform_index(there.size(), gen)];
    }

    /// A parameter: where its texts and numbers begin, and how many numbers a value has.
    struct column {
        std::size_t first_text = 0;
        std::size_t first_number = 0;
        std::size_t width = 1;
    };

    std::vector<std::string> names_;
    core::plain_vector<std::uint16_t> cardinalities_;
    core::plain_vector<column> columns_;
    std::vector<std::string> texts_;
    core::plain_vector<float> numbers_;     // of each parameter's values
    core::plain_vector<float> logarithms_;  // sign(x) log2(1 + |x|) of them
    numbering rows_;
    moves moves_;
};

}  // namespace tunekit::space::detail

#if TUNEKIT_BODIES
#include <cmath>

#include "tunekit/space/detail/solver.hpp"
#include "tunekit/space/text.hpp"

namespace tunekit::space::detail {

TUNEKIT_INLINE std::vector<std::string> grid::texts(index i) const
{
    core::plain_vector<std::uint16_t> row(dimensions());
    rows_.row(i, row.data());
    std::vector<std::string> out;
    for (std::size_t j = 0; j < row.size(); ++j) out.push_back(texts_[columns_[j].first_text + row[j]]);
    return out;
}

TUNEKIT_INLINE std::string grid::text(index i) const { return named_texts(names_, texts(i)); }

TUNEKIT_INLINE grid::grid(const grid&) = default;
TUNEKIT_INLINE grid::grid(grid&&) noexcept = default;
TUNEKIT_INLINE grid& grid::operator=(const grid&) = default;
TUNEKIT_INLINE grid& grid::operator=(grid&&) noexcept = default;
TUNEKIT_INLINE grid::~grid() = default;

TUNEKIT_INLINE grid::grid(std::span<axis* const> axes, std::span<const condition> conditions)
{
    take(axes);
    rows_ = numbering(cardinalities_, conditions);
}

TUNEKIT_INLINE grid::grid(std::span<axis* const> axes)
{
    take(axes);
    rows_ = numbering(cardinalities_);
}

TUNEKIT_INLINE void grid::take(std::span<axis* const> axes)
{
    check_parameter_count(axes.size());
    for (axis* const a : axes) {
        check_value_count(a->name, a->texts.size());
        assert(a->numbers.size() == a->texts.size() * a->columns && a->swapped.size() == a->texts.size() * a->pairs);
        for (const std::string& name : names_)
            if (name == a->name) invalid_parameter(a->name, "is there twice, want distinct names");
        moves_.add(*a);
        columns_.push_back({texts_.size(), numbers_.size(), a->columns});
        cardinalities_.push_back(static_cast<std::uint16_t>(a->texts.size()));
        for (const float x : a->numbers) {
            numbers_.push_back(x);
            logarithms_.push_back(std::copysign(std::log2(1 + std::abs(x)), x));
        }
        for (std::string& text : a->texts) texts_.push_back(std::move(text));
        names_.push_back(std::move(a->name));
    }
}

TUNEKIT_INLINE void grid::features(std::span<const index> in, std::span<float> out, encoding e) const
{
    assert(out.size() == in.size() * feature_count(e));
    core::plain_vector<std::uint16_t> row(dimensions());
    const float* const numbers = e == encoding::log2 ? logarithms_.data() : numbers_.data();
    float* to = out.data();
    bool single = e != encoding::ordinals && e != encoding::one_hot;  // every value is one number
    for (const column& c : columns_) single = single && c.width == 1;
    for (const index i : in) {
        rows_.row(i, row.data());
        if (single) {
            for (std::size_t j = 0; j < row.size(); ++j) *to++ = numbers[columns_[j].first_number + row[j]];
            continue;
        }
        for (std::size_t j = 0; j < row.size(); ++j) {
            const std::size_t n = columns(j, e);
            if (e == encoding::ordinals) {
                *to = static_cast<float>(row[j]);
            } else if (e == encoding::one_hot) {
                for (std::size_t k = 0; k < n; ++k) to[k] = 0;
                to[row[j]] = 1;
            } else {
                const float* const from = numbers + columns_[j].first_number + row[j] * n;
                for (std::size_t k = 0; k < n; ++k) to[k] = from[k];
            }
            to += n;
        }
    }
}

TUNEKIT_INLINE std::uint64_t grid::fingerprint() const
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
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        mix_text(names_[j]);
        mix(cardinalities_[j]);
        for (std::size_t k = 0; k < cardinalities_[j]; ++k) mix_text(texts_[columns_[j].first_text + k]);
    }
    rows_.describe(mix);
    return hash;
}

}  // namespace tunekit::space::detail
#endif  // TUNEKIT_BODIES
