// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A configuration of one space in another: parameters are matched by name, values by what they are.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::space {

/// The values of one parameter, among which the one next to another space's value is found.
///
/// Equal texts match. Otherwise positive numbers match the nearest positive number by log2; of two that are equally
/// near, the one that comes first. Texts of n positive numbers with blanks between, such as those of a `split`, match
/// the nearest of as many by the sum of the squares. Anything else matches nothing: no order is known of it.
class matched_values {
public:
    /// `texts`: one per value, in the order of the ordinals. An empty one stands for a value that is not known and is
    /// never matched.
    explicit matched_values(std::vector<std::string> texts);

    /// The ordinal that matches the text of a value; else empty. O(values).
    [[nodiscard]] std::optional<std::uint16_t> match(std::string_view text) const;

    /// The text of each value, by ordinal.
    [[nodiscard]] std::span<const std::string> texts() const noexcept { return texts_; }

private:
    std::vector<std::string> texts_;
    std::vector<std::vector<double>> logs_;  // of each value; empty if it has none
};

/// The parameters of a space to which configurations of others are carried.
///
///     const tk::space::matched_parameters there(small);
///     if (const auto i = there.carry(small, large.names(), large.texts(best), fallback)) t.begin_with({*i});
///
/// The texts of values come from configurations: all of a space of at most 65536, as many draws of a larger one or
/// fewer once every value was met. A value that none of them has is never matched.
///
/// Randomness: none but its own; the same space gives the same.
/// Cost:       making one takes some milliseconds, carrying O(values).
class matched_parameters {
public:
    /// Gathers names and values of `space`, and does not keep it.
    template <gridded Space>
        requires samplable<Space, random::philox>
    explicit matched_parameters(const Space& space)
    {
        begin(space.names(), space.cardinalities());
        const std::size_t d = space.dimensions();
        const auto configurations = static_cast<std::size_t>((std::min)(space.size(), index{most}));
        const bool all = configurations == space.size();
        random::philox gen(0);
        for (std::size_t seen = 0; seen < configurations && unknown_ > 0;) {
            std::vector<index> some((std::min)(batch, configurations - seen));
            if (all) std::iota(some.begin(), some.end(), index{seen});
            else some = space.sample(some.size(), gen);
            std::vector<std::uint16_t> rows(some.size() * d);
            space.ordinals(some, rows);
            for (std::size_t k = 0; k < some.size(); ++k)
                if (new_in(&rows[k * d])) learn(&rows[k * d], space.texts(some[k]));
            seen += some.size();
        }
        finish();
    }

    /// Whether a parameter here has one of these names.
    [[nodiscard]] bool shares(std::span<const std::string> names) const;

    /// The values of parameter `j` of the space.
    [[nodiscard]] const matched_values& values(std::size_t j) const { return values_[j]; }

    /// What a configuration of another space, by the names of its parameters and the texts of their values, is in
    /// `space`, of which this was made. Values of parameters that do not match are those of `otherwise`. Empty if no
    /// name is shared, if something does not match and there is no `otherwise`, and if the values are no
    /// configuration.
    template <class Space>
    [[nodiscard]] std::optional<index> carry(const Space& space, std::span<const std::string> names,
                                             std::span<const std::string> texts, std::optional<index> otherwise) const
    {
        std::vector<std::uint16_t> row(space.dimensions());
        const index there_before = otherwise.value_or(0);  // a copy: g++ 12 warns of the optional's own
        if (otherwise) space.ordinals(std::span(&there_before, 1), row);
        const std::size_t matched = replace(row, names, texts);
        if (matched == 0 || (matched < row.size() && !otherwise)) return std::nullopt;
        return space.index_of_ordinals(row);
    }

private:
    static constexpr std::size_t batch = 256;
    static constexpr std::size_t most = 65536;

    void begin(std::span<const std::string> names, std::span<const std::uint16_t> cardinalities);
    [[nodiscard]] bool new_in(const std::uint16_t* row) const;
    void learn(const std::uint16_t* row, std::vector<std::string> texts);
    void finish();
    /// Puts the ordinals of what matches into `row`, and returns their number.
    std::size_t replace(std::vector<std::uint16_t>& row, std::span<const std::string> names,
                        std::span<const std::string> texts) const;

    std::vector<std::string> names_;
    std::vector<std::vector<std::string>> texts_;  // while they are gathered
    std::vector<matched_values> values_;
    std::size_t unknown_ = 0;  // values without a text so far
};

}  // namespace tunekit::space

#if TUNEKIT_BODIES
namespace tunekit::space {

namespace detail {

/// log2 of the positive numbers that make up `text`, with one blank between them; empty if it is anything else.
[[nodiscard]] inline std::vector<double> positive_logs(std::string_view text)
{
    std::vector<double> out;
    for (;;) {
        const auto end = (std::min)(text.find(' '), text.size());
        const std::optional<double> x = core::number<double>(text.substr(0, end));
        if (!x || !(*x > 0) || !std::isfinite(*x)) return {};
        out.push_back(std::log2(*x));
        if (end == text.size()) return out;
        text.remove_prefix(end + 1);
    }
}

}  // namespace detail

TUNEKIT_INLINE matched_values::matched_values(std::vector<std::string> texts) : texts_(std::move(texts))
{
    for (const std::string& t : texts_) logs_.push_back(detail::positive_logs(t));
}

TUNEKIT_INLINE std::optional<std::uint16_t> matched_values::match(std::string_view text) const
{
    if (text.empty()) return std::nullopt;
    for (std::size_t v = 0; v < texts_.size(); ++v)
        if (texts_[v] == text) return static_cast<std::uint16_t>(v);
    const std::vector<double> at = detail::positive_logs(text);
    std::optional<std::uint16_t> best;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t v = 0; v < logs_.size(); ++v) {
        if (at.empty() || logs_[v].size() != at.size()) continue;
        double gap = 0;
        for (std::size_t k = 0; k < at.size(); ++k) gap += (at[k] - logs_[v][k]) * (at[k] - logs_[v][k]);
        if (!(gap < least)) continue;
        least = gap;
        best = static_cast<std::uint16_t>(v);
    }
    return best;
}

TUNEKIT_INLINE bool matched_parameters::shares(std::span<const std::string> names) const
{
    return std::find_first_of(names.begin(), names.end(), names_.begin(), names_.end()) != names.end();
}

TUNEKIT_INLINE void matched_parameters::begin(std::span<const std::string> names,
                                              std::span<const std::uint16_t> cardinalities)
{
    names_.assign(names.begin(), names.end());
    for (const std::uint16_t n : cardinalities) texts_.emplace_back(n);
    unknown_ = std::accumulate(cardinalities.begin(), cardinalities.end(), std::size_t{0});
}

TUNEKIT_INLINE bool matched_parameters::new_in(const std::uint16_t* row) const
{
    for (std::size_t j = 0; j < texts_.size(); ++j)
        if (texts_[j][row[j]].empty()) return true;
    return false;
}

TUNEKIT_INLINE void matched_parameters::learn(const std::uint16_t* row, std::vector<std::string> texts)
{
    for (std::size_t j = 0; j < texts_.size(); ++j) {
        std::string& known = texts_[j][row[j]];
        if (known.empty() && !texts[j].empty()) --unknown_;
        if (known.empty()) known = std::move(texts[j]);
    }
}

TUNEKIT_INLINE void matched_parameters::finish()
{
    for (std::vector<std::string>& t : texts_) values_.emplace_back(std::move(t));
    texts_.clear();
}

TUNEKIT_INLINE std::size_t matched_parameters::replace(std::vector<std::uint16_t>& row,
                                                       std::span<const std::string> names,
                                                       std::span<const std::string> texts) const
{
    std::size_t out = 0;
    for (std::size_t j = 0; j < names_.size(); ++j) {
        const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), names_[j]) - names.begin());
        if (at >= (std::min)(names.size(), texts.size())) continue;
        if (const auto match = values_[j].match(texts[at])) {
            row[j] = *match;
            ++out;
        }
    }
    return out;
}

}  // namespace tunekit::space
#endif  // TUNEKIT_BODIES
