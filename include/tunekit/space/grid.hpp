// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The untyped part of every product: parameters, conditions, and the set of rows that fulfil them.

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/random/uniform.hpp"
#include "tunekit/space/axis.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/tree_builder.hpp"

namespace tunekit::space {

/// The rows of ordinals over some axes that fulfil some conditions; a search_space. `product` and `dynamic_product` are grids whose
/// values have types; a grid is what remains of them where only indices matter.
///
/// Index:      parameters that share a condition form a group; an index is the mixed-radix number of the groups' rows, the group of the
///             first parameter least significant. Without conditions that is AutoTVM's index: the first parameter varies fastest.
/// Throws:     std::invalid_argument naming the parameter that has no or too many values, the condition that leaves nothing, or the
///             size beyond 2^63.
/// Randomness: `sample` draws one uniform_index per configuration, `neighbours` two or three per attempt, each in order.
/// Cost:       decoding and encoding take one division and a few binary searches per group; a neighbour a few attempts, and where 64
///             of them fail, one enumeration of the neighbourhood.
/// Threads:    const calls on one grid are safe.
class grid {
public:
    /// `Condition` is `condition`; what builds a grid is a template so that nobody pays for it who builds none.
    template <class Condition>
    grid(std::vector<axis> axes, const std::vector<Condition>& conditions);

    [[nodiscard]] index size() const noexcept { return size_; }
    [[nodiscard]] std::size_t dimensions() const noexcept { return axes_.size(); }
    [[nodiscard]] std::span<const std::uint16_t> cardinalities() const noexcept { return cardinalities_; }
    [[nodiscard]] std::span<const std::string> names() const noexcept { return names_; }

    /// `n` independent uniform members of the valid set.
    template <generator G>
    [[nodiscard]] std::vector<index> sample(std::size_t n, G& gen) const
    {
        std::vector<index> out(n);
        for (index& i : out) i = random::uniform_index(size_, gen);
        return out;
    }

    /// Fills in.size() x dimensions() ordinals, row-major.
    void ordinals(std::span<const index> in, std::span<std::uint16_t> out) const
    {
        assert(out.size() == in.size() * dimensions());
        for (std::size_t k = 0; k < in.size(); ++k) decode(in[k], out.data() + k * dimensions());
    }

    /// The index of a row of ordinals; empty where it is no member.
    [[nodiscard]] std::optional<index> index_of_ordinals(std::span<const std::uint16_t> row) const
    {
        assert(row.size() == dimensions());
        index i = 0;
        for (const group& g : groups_) {
            const auto r = g.rank(row.data());
            if (!r) return std::nullopt;
            i += *r * g.stride;
        }
        return i;
    }

    /// Puts a uniform random neighbour of in[k] into out[k]; in[k] itself where it has none.
    template <generator G>
    void neighbours(std::span<const index> in, std::span<index> out, neighbourhood kind, G& gen) const
    {
        assert(out.size() == in.size());
        std::vector<std::uint16_t> row(dimensions());
        for (std::size_t k = 0; k < in.size(); ++k) out[k] = neighbour(in[k], kind, row.data(), gen);
    }

    /// All neighbours of `i`, ascending, without `i`.
    [[nodiscard]] std::vector<index> neighbours_of(index i, neighbourhood kind) const;

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
        decode(i, row.data());
        std::vector<std::string> out;
        for (std::size_t j = 0; j < row.size(); ++j) out.push_back(axes_[j].texts[row[j]]);
        return out;
    }

    /// A hash of names, value texts and the numbering of the rows. O(values and tree nodes).
    [[nodiscard]] std::uint64_t fingerprint() const;

private:
    /// Parameters that depend on each other: one parameter without conditions, or a tree.
    struct group {
        index stride = 1;
        index count = 0;
        std::size_t variable = 0;  // the parameter, or the first of several
        bool linked = false;       // by conditions, whose rows are
        tree rows;

        [[nodiscard]] std::optional<index> rank(const std::uint16_t* row) const
        {
            if (linked) return rows.rank(row);
            return row[variable] < count ? std::optional<index>(row[variable]) : std::nullopt;
        }
    };

    /// One parameter takes another ordinal.
    struct change {
        std::size_t parameter;
        std::uint16_t ordinal;
    };

    void decode(index i, std::uint16_t* row) const
    {
        assert(i < size_);
        for (const group& g : groups_) {
            const index r = i % g.count;
            i /= g.count;
            if (g.linked)
                g.rows.row(r, row);
            else
                row[g.variable] = static_cast<std::uint16_t>(r);
        }
    }

    /// The index that member `i`, whose ordinals are `row`, gets by `changes` of distinct parameters; empty where that is no member.
    template <std::size_t N>
    [[nodiscard]] std::optional<index> changed(index i, std::uint16_t* row, const std::array<change, N>& changes) const
    {
        std::array<std::uint16_t, N> old{};
        for (std::size_t c = 0; c < N; ++c) old[c] = std::exchange(row[changes[c].parameter], changes[c].ordinal);
        std::optional<index> out = i;
        for (std::size_t c = 0; c < N && out; ++c) {
            const std::size_t at = group_of_[changes[c].parameter];
            if (c > 0 && at == group_of_[changes[0].parameter]) continue;
            const group& g = groups_[at];
            if (const auto r = g.rank(row))
                *out += (*r - i / g.stride % g.count) * g.stride;  // modulo 2^64, right in the end
            else
                out.reset();
        }
        for (std::size_t c = 0; c < N; ++c) row[changes[c].parameter] = old[c];
        return out;
    }

    /// The parameter within whose share of [0, weights.back()) `r` falls; `r` becomes its place in that share.
    [[nodiscard]] static std::size_t pick(const std::vector<std::uint64_t>& weights, std::uint64_t& r)
    {
        const auto at = std::upper_bound(weights.begin(), weights.end(), r);
        const auto j = static_cast<std::size_t>(at - weights.begin());
        if (j > 0) r -= weights[j - 1];
        return j;
    }

    /// Another ordinal of parameter `j`, the `r`-th after the present one.
    [[nodiscard]] change other(const std::uint16_t* row, std::size_t j, std::uint64_t r) const
    {
        return {j, static_cast<std::uint16_t>((row[j] + 1 + r) % cardinalities_[j])};
    }

    template <generator G>
    [[nodiscard]] index neighbour(index i, neighbourhood kind, std::uint16_t* row, G& gen) const;

    [[nodiscard]] std::size_t columns(std::size_t j, encoding e) const
    {
        switch (e) {
            case encoding::ordinals: return 1;
            case encoding::one_hot: return cardinalities_[j];
            default: return axes_[j].columns;
        }
    }

    template <class Condition>
    void form_groups(const std::vector<Condition>& conditions);
    template <class Condition>
    [[nodiscard]] std::string culprit(const std::vector<std::size_t>& variables, std::span<const Condition* const> conditions,
                                      std::vector<std::uint16_t>& row) const;

    std::vector<axis> axes_;
    std::vector<std::string> names_;
    std::vector<std::uint16_t> cardinalities_;
    std::vector<std::vector<float>> logarithms_;   // by parameter: sign(x) log2(1 + |x|) of its numbers
    std::vector<group> groups_;
    std::vector<std::size_t> group_of_;            // by parameter
    std::vector<std::uint64_t> alternatives_;      // running sum of cardinality - 1
    std::vector<std::uint64_t> steps_;             // running sum of 2 where there is more than one value
    std::vector<std::uint64_t> trades_;            // running sum of pairs
    index size_ = 0;
};

template <generator G>
index grid::neighbour(index i, neighbourhood kind, std::uint16_t* row, G& gen) const
{
    const auto& weights = kind == neighbourhood::adjacent ? steps_ : kind == neighbourhood::swap ? trades_ : alternatives_;
    const std::uint64_t total = weights.back();
    if (total == 0) return i;
    decode(i, row);
    // All candidates are equally likely, so those that are members are too.
    for (int attempt = 0; attempt < 64; ++attempt) {
        std::uint64_t r = random::uniform_index(total, gen);
        const std::size_t j = pick(weights, r);
        std::optional<index> found;
        switch (kind) {
            case neighbourhood::any_value: found = changed<1>(i, row, {other(row, j, r)}); break;
            case neighbourhood::adjacent: {
                const std::uint32_t to = r == 0 ? row[j] + 1U : row[j] - 1U;  // below 0 wraps to a large number
                if (to < cardinalities_[j]) found = changed<1>(i, row, {change{j, static_cast<std::uint16_t>(to)}});
                break;
            }
            case neighbourhood::hamming_2: {
                std::uint64_t s = random::uniform_index(total, gen);
                const std::size_t k = pick(weights, s);
                if (k != j) found = changed<2>(i, row, {other(row, j, r), other(row, k, s)});
                break;
            }
            case neighbourhood::swap: {
                const std::uint16_t to = axes_[j].swapped[row[j] * axes_[j].pairs + r];
                if (to != row[j]) found = changed<1>(i, row, {change{j, to}});
                break;
            }
        }
        if (found) return *found;
    }
    const std::vector<index> all = neighbours_of(i, kind);
    return all.empty() ? i : all[random::uniform_index(all.size(), gen)];
}

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
        const auto add = [](std::vector<std::uint64_t>& sums, std::uint64_t n) { sums.push_back(sums.empty() ? n : sums.back() + n); };
        add(alternatives_, a.texts.size() - 1);
        add(steps_, a.texts.size() > 1 ? 2 : 0);
        add(trades_, a.pairs);
    }
    form_groups(conditions);
    size_ = 1;
    for (group& g : groups_) {
        g.stride = size_;
        size_ = checked_product(size_, g.count);
        require(size_ <= most_configurations, "space: has more than 2^63 configurations, want fewer parameters or values");
    }
}

template <class Condition>
void grid::form_groups(const std::vector<Condition>& conditions)
{
    const std::size_t d = axes_.size();
    std::vector<std::size_t> leader(d);  // the least parameter that one is linked to
    for (std::size_t j = 0; j < d; ++j) leader[j] = j;
    std::vector<std::uint16_t> row(d, 0);
    std::vector<Condition> open;  // conditions on what can vary: a single value links nothing
    for (const Condition& c : conditions) {
        Condition o = c;
        o.scope.clear();
        for (const std::size_t j : c.scope)
            if (cardinalities_[j] > 1) o.scope.push_back(j);
        if (o.scope.empty()) {
            require(c.holds(c.context, row.data()), "space: constraint " + c.text + ": leaves nothing, want one that some values fulfil");
            continue;
        }
        for (const std::size_t j : o.scope) {
            const std::size_t a = leader[j], b = leader[o.scope.front()];
            for (std::size_t& l : leader)
                if (l == a || l == b) l = (std::min)(a, b);
        }
        open.push_back(std::move(o));
    }
    group_of_.resize(d);
    for (std::size_t j = 0; j < d; ++j) {
        if (leader[j] != j) {
            group_of_[j] = group_of_[leader[j]];
            continue;
        }
        std::vector<std::size_t> members;
        for (std::size_t k = j; k < d; ++k)
            if (leader[k] == j) members.push_back(k);
        std::vector<const Condition*> own;
        for (const Condition& c : open)
            if (leader[c.scope.front()] == j) own.push_back(&c);
        group_of_[j] = groups_.size();
        group& g = groups_.emplace_back();
        g.variable = j;
        g.count = cardinalities_[j];
        if (own.empty()) continue;
        g.rows = tree_builder<Condition>::build(members, cardinalities_, own, row);
        g.linked = true;
        g.count = g.rows.size();
        if (g.count == 0)
            invalid("space: constraint " + culprit<Condition>(members, own, row) + ": leaves nothing, want one that some values fulfil");
    }
}

/// The first of the conditions that, with those before it, no row fulfils.
template <class Condition>
std::string grid::culprit(const std::vector<std::size_t>& variables, std::span<const Condition* const> conditions,
                          std::vector<std::uint16_t>& row) const
{
    std::size_t n = 1;
    while (n < conditions.size() && tree_builder<Condition>::build(variables, cardinalities_, conditions.first(n), row).size() > 0) ++n;
    return conditions[n - 1]->text;
}

inline std::vector<index> grid::neighbours_of(index i, neighbourhood kind) const
{
    std::vector<std::uint16_t> row(dimensions());
    decode(i, row.data());
    std::vector<index> out;
    const auto keep = [&](const std::optional<index>& found) {
        if (found) out.push_back(*found);
    };
    for (std::size_t j = 0; j < dimensions(); ++j) {
        const std::size_t n = cardinalities_[j];
        switch (kind) {
            case neighbourhood::any_value:
                for (std::size_t r = 0; r + 1 < n; ++r) keep(changed<1>(i, row.data(), {other(row.data(), j, r)}));
                break;
            case neighbourhood::adjacent:
                if (row[j] > 0) keep(changed<1>(i, row.data(), {change{j, static_cast<std::uint16_t>(row[j] - 1)}}));
                if (row[j] + std::size_t{1} < n) keep(changed<1>(i, row.data(), {change{j, static_cast<std::uint16_t>(row[j] + 1)}}));
                break;
            case neighbourhood::hamming_2:
                for (std::size_t r = 0; r + 1 < n; ++r)
                    for (std::size_t k = j + 1; k < dimensions(); ++k)
                        for (std::size_t s = 0; s + 1 < cardinalities_[k]; ++s)
                            keep(changed<2>(i, row.data(), {other(row.data(), j, r), other(row.data(), k, s)}));
                break;
            case neighbourhood::swap:
                for (std::size_t p = 0; p < axes_[j].pairs; ++p) {
                    const std::uint16_t to = axes_[j].swapped[row[j] * axes_[j].pairs + p];
                    if (to != row[j]) keep(changed<1>(i, row.data(), {change{j, to}}));
                }
                break;
        }
    }
    std::sort(out.begin(), out.end());
    return out;
}

inline void grid::features(std::span<const index> in, std::span<float> out, encoding e) const
{
    assert(out.size() == in.size() * feature_count(e));
    std::vector<std::uint16_t> row(dimensions());
    auto to = out.begin();
    for (const index i : in) {
        decode(i, row.data());
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
    for (const group& g : groups_) {
        mix(g.count);
        mix(g.variable);
        if (g.linked) g.rows.describe(mix);
    }
    return hash;
}

}  // namespace tunekit::space
