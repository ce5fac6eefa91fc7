// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Numbers for the rows of ordinals that fulfil some conditions.

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/tree_builder.hpp"

namespace tunekit::space {

/// One parameter takes another ordinal.
struct change {
    std::size_t parameter = 0;
    std::uint16_t ordinal = 0;
};

/// The rows of ordinals that fulfil some conditions, numbered as `grid` says: a mixed-radix number of groups of
/// parameters that share conditions.
/// Cost: a row or its number takes one division and a few binary searches per group.
class numbering {
public:
    /// No rows.
    numbering() = default;

    /// `Condition` is `condition`; a template so that nobody pays for it who builds none.
    /// Throws: std::invalid_argument naming the condition that leaves nothing, or the size beyond 2^63.
    template <class Condition>
    numbering(std::span<const std::uint16_t> cardinalities, const std::vector<Condition>& conditions);

    [[nodiscard]] index size() const noexcept { return size_; }

    /// Writes the ordinals of row number `i`. Precondition: i < size().
    void row(index i, std::uint16_t* out) const
    {
        assert(i < size_);
        for (const group& g : groups_) {
            const index r = i % g.count;
            i /= g.count;
            if (g.linked)
                g.rows.row(r, out);
            else
                out[g.variable] = static_cast<std::uint16_t>(r);
        }
    }

    /// The number of a row; empty where it is not among them.
    [[nodiscard]] std::optional<index> rank(const std::uint16_t* in) const
    {
        index i = 0;
        for (const group& g : groups_) {
            const auto r = g.rank(in);
            if (!r) return std::nullopt;
            i += *r * g.stride;
        }
        return i;
    }

    /// The number that row `i`, whose ordinals are `row`, gets by `changes` of distinct parameters; empty where that is
    /// none of these rows.
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

    /// Feeds `mix(number)` everything that decides which number means which row.
    template <class Mix>
    void describe(Mix&& mix) const
    {
        for (const group& g : groups_) {
            mix(g.count);
            mix(g.variable);
            if (g.linked) g.rows.describe(mix);
        }
    }

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

    template <class Condition>
    void form_groups(std::span<const std::uint16_t> cardinalities, const std::vector<Condition>& conditions);
    template <class Condition>
    [[nodiscard]] static std::string culprit(const std::vector<std::size_t>& variables,
                                             std::span<const std::uint16_t> cardinalities,
                                             std::span<const Condition* const> conditions,
                                             std::vector<std::uint16_t>& row);

    std::vector<group> groups_;
    std::vector<std::size_t> group_of_;  // by parameter
    index size_ = 0;
};

template <class Condition>
numbering::numbering(std::span<const std::uint16_t> cardinalities, const std::vector<Condition>& conditions)
{
    form_groups(cardinalities, conditions);
    size_ = 1;
    for (group& g : groups_) {
        g.stride = size_;
        size_ = checked_product(size_, g.count);
        require(size_ <= most_configurations,
                "space: has more than 2^63 configurations, want fewer parameters or values");
    }
}

template <class Condition>
void numbering::form_groups(std::span<const std::uint16_t> cardinalities, const std::vector<Condition>& conditions)
{
    const std::size_t d = cardinalities.size();
    std::vector<std::size_t> leader(d);  // the least parameter that one is linked to
    for (std::size_t j = 0; j < d; ++j) leader[j] = j;
    std::vector<std::uint16_t> row(d, 0);
    std::vector<Condition> open;  // conditions on what can vary: a single value links nothing
    for (const Condition& c : conditions) {
        Condition o = c;
        o.scope.clear();
        for (const std::size_t j : c.scope)
            if (cardinalities[j] > 1) o.scope.push_back(j);
        if (o.scope.empty()) {
            require(c.holds(c.context, row.data()),
                    "space: constraint " + c.text + ": leaves nothing, want one that some values fulfil");
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
        g.count = cardinalities[j];
        if (own.empty()) continue;
        g.rows = tree_builder<Condition>::build(members, cardinalities, own, row);
        g.linked = true;
        g.count = g.rows.size();
        if (g.count == 0)
            invalid("space: constraint " + culprit<Condition>(members, cardinalities, own, row) +
                    ": leaves nothing, want one that some values fulfil");
    }
}

/// The first of the conditions that, with those before it, no row fulfils.
template <class Condition>
std::string numbering::culprit(const std::vector<std::size_t>& variables, std::span<const std::uint16_t> cardinalities,
                               std::span<const Condition* const> conditions, std::vector<std::uint16_t>& row)
{
    std::size_t n = 1;
    const auto rows = [&] {
        return tree_builder<Condition>::build(variables, cardinalities, conditions.first(n), row).size();
    };
    while (n < conditions.size() && rows() > 0) ++n;
    return conditions[n - 1]->text;
}

}  // namespace tunekit::space
