// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Spaces given as a list of configurations.

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/index_table.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::space {

/// The integer configurations of a list. It is a search_space, typed by std::vector<std::int64_t>. Use it for samples
/// of spaces too large to enumerate, for configurations that a generator wrote, and for constraints that cannot be
/// stated.
///
///     const space::listed tried({"threads", "tile"}, {{1, 8}, {1, 16}, {2, 8}, {4, 32}});
///     tried.at(2)[0];      // 2: the threads of the third configuration
///
/// Index:      the position in the list.
/// Ordinals:   a value's position among the values of its parameter that occur, ascending.
/// Neighbours: the nearest configurations of the list, because a list may have gaps. The distance is the number of
///             parameters that differ. `any_value` gives those at the least distance that occurs, `hamming_2` those at
///             the next distance that occurs, `adjacent` those of least sum of |difference of ordinals| over
///             parameters. `swap` gives none. For a list of a whole product `any_value`, `hamming_2` and `adjacent` are
///             the product's. Where the list has gaps, i may be a neighbour of j while j is not one of i.
/// Throws:     std::invalid_argument where there is no name or no configuration, a name or a configuration occurs
///             twice, a configuration has another length, or a parameter has more than 65535 values.
/// Randomness: `sample` and `neighbours` draw one uniform_index per configuration.
/// Cost:       neighbours O(n d); everything else O(d) per configuration (`index_of`: expected).
/// Threads:    const calls on one space are safe.
class listed {
public:
    using config = std::vector<std::int64_t>;  ///< one value per parameter

    /// Makes the space of these configurations, numbered in their order.
    listed(std::vector<std::string> names, const std::vector<config>& configurations)
        : names_(std::move(names)), values_(names_.size())
    {
        require(!names_.empty(), "space::listed: has no parameters, want at least one");
        require(!configurations.empty(), "space::listed: has no configurations, want at least one");
        for (std::size_t j = 0; j < names_.size(); ++j)
            if (std::find(names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(j), names_[j]) !=
                names_.begin() + static_cast<std::ptrdiff_t>(j))
                invalid({"space: parameter '", names_[j], "': is there twice, want distinct names"});
        for (std::size_t i = 0; i < configurations.size(); ++i)
            if (configurations[i].size() != names_.size())
                invalid({"space::listed: configuration ", std::to_string(i), " has ",
                         std::to_string(configurations[i].size()), " values, want ", std::to_string(names_.size())});
        for (std::size_t j = 0; j < names_.size(); ++j) {
            auto& of = values_[j];
            for (const config& c : configurations) of.push_back(c[j]);
            std::sort(of.begin(), of.end());
            of.erase(std::unique(of.begin(), of.end()), of.end());
            if (of.size() > 65535)  // ordinals are 16 bits wide
                invalid({"space: parameter '", names_[j], "': has ", std::to_string(of.size()),
                         " values, want at most 65535"});
            cardinalities_.push_back(static_cast<std::uint16_t>(of.size()));
        }
        for (const config& c : configurations)
            for (std::size_t j = 0; j < c.size(); ++j)
                rows_.push_back(static_cast<std::uint16_t>(
                    std::lower_bound(values_[j].begin(), values_[j].end(), c[j]) - values_[j].begin()));
        const auto hash_of = [this](index i) { return hash(row(i)); };
        by_row_.reserve(configurations.size(), hash_of);
        for (index i = 0; i < size(); ++i) {
            const auto same = [&](index other) { return std::equal(row(i), row(i) + dimensions(), row(other)); };
            const index there = by_row_.add(i, hash_of(i), same, hash_of);
            if (there != i)
                invalid({"space::listed: configuration ", std::to_string(i), " is configuration ",
                         std::to_string(there), " again, want each once"});
        }
    }

    [[nodiscard]] index size() const noexcept { return rows_.size() / names_.size(); }
    [[nodiscard]] std::size_t dimensions() const noexcept { return names_.size(); }
    /// How many values each parameter has.
    [[nodiscard]] std::span<const std::uint16_t> cardinalities() const noexcept { return cardinalities_; }
    /// The names of the parameters.
    [[nodiscard]] std::span<const std::string> names() const noexcept { return names_; }

    /// `n` independent uniform configurations of the list.
    template <generator G>
    [[nodiscard]] std::vector<index> sample(std::size_t n, G& gen) const
    {
        std::vector<index> out(n);
        for (index& i : out) i = random::uniform_index(size(), gen);
        return out;
    }

    /// Puts a uniform random neighbour of in[k] into out[k], or in[k] itself where it has none.
    template <generator G>
    void neighbours(std::span<const index> in, std::span<index> out, neighbourhood kind, G& gen) const
    {
        for (std::size_t k = 0; k < in.size(); ++k) {
            const std::vector<index> there = neighbours_of(in[k], kind);
            out[k] = there.empty() ? in[k] : there[random::uniform_index(there.size(), gen)];
        }
    }

    /// All neighbours of `i`, ascending, without `i`.
    [[nodiscard]] std::vector<index> neighbours_of(index i, neighbourhood kind) const
    {
        if (kind == neighbourhood::swap) return {};
        constexpr auto none = (std::numeric_limits<std::size_t>::max)();
        const std::uint16_t* const from = row(i);
        std::vector<std::size_t> away(static_cast<std::size_t>(size()));
        std::size_t least = none, next = none;  // two distances: the least that occurs and the one after it
        for (index k = 0; k < size(); ++k) {
            std::size_t& d = away[static_cast<std::size_t>(k)];
            for (std::size_t j = 0; j < dimensions(); ++j) {
                const int steps = std::abs(from[j] - row(k)[j]);
                d += kind == neighbourhood::adjacent ? static_cast<std::size_t>(steps) : steps != 0;
            }
            if (k == i || d == least || d >= next) continue;
            next = d < least ? least : d;
            least = (std::min)(least, d);
        }
        const std::size_t wanted = kind == neighbourhood::hamming_2 ? next : least;
        std::vector<index> out;
        for (index k = 0; k < size() && wanted != none; ++k)
            if (k != i && away[static_cast<std::size_t>(k)] == wanted) out.push_back(k);
        return out;
    }

    /// Fills in.size() x dimensions() ordinals, row-major.
    void ordinals(std::span<const index> in, std::span<std::uint16_t> out) const
    {
        assert(out.size() == in.size() * dimensions());
        for (std::size_t k = 0; k < in.size(); ++k)
            std::copy_n(row(in[k]), dimensions(), out.begin() + static_cast<std::ptrdiff_t>(k * dimensions()));
    }

    /// The index of a row of ordinals; empty where the list has no such row.
    [[nodiscard]] std::optional<index> index_of_ordinals(std::span<const std::uint16_t> wanted) const
    {
        assert(wanted.size() == dimensions());
        const index i = by_row_.find(hash(wanted.data()),
                                     [&](index k) { return std::equal(wanted.begin(), wanted.end(), row(k)); });
        return i == core::index_table<index>::none ? std::nullopt : std::optional<index>(i);
    }

    /// The number of columns per configuration under an encoding.
    [[nodiscard]] std::size_t feature_count(encoding e) const
    {
        std::size_t n = 0;
        for (const std::uint16_t c : cardinalities_) n += e == encoding::one_hot ? c : 1;
        return n;
    }

    /// Fills in.size() x feature_count(e) numbers, row-major, parameter by parameter.
    void features(std::span<const index> in, std::span<float> out, encoding e) const
    {
        assert(out.size() == in.size() * feature_count(e));
        std::fill(out.begin(), out.end(), 0.0F);
        float* to = out.data();
        for (const index i : in) {
            for (std::size_t j = 0; j < dimensions(); ++j) {
                const std::uint16_t at = row(i)[j];
                const auto x = static_cast<float>(values_[j][at]);
                if (e == encoding::one_hot) to[at] = 1;
                else if (e == encoding::ordinals) *to = at;
                else *to = e == encoding::log2 ? std::copysign(std::log2(1 + std::abs(x)), x) : x;
                to += e == encoding::one_hot ? cardinalities_[j] : 1;
            }
        }
    }

    /// The text of each parameter's value.
    [[nodiscard]] std::vector<std::string> texts(index i) const
    {
        std::vector<std::string> out;
        for (const std::int64_t x : at(i)) out.push_back(std::to_string(x));
        return out;
    }

    /// A hash of names, values and rows. O(n d).
    [[nodiscard]] std::uint64_t fingerprint() const
    {
        std::uint64_t out = core::mixed(0, names_.size());
        for (std::size_t j = 0; j < names_.size(); ++j) {
            out = core::mixed(out, names_[j].size());
            for (const char c : names_[j]) out = core::mixed(out, static_cast<unsigned char>(c));
            for (const std::int64_t x : values_[j]) out = core::mixed(out, static_cast<std::uint64_t>(x));
        }
        for (const std::uint16_t x : rows_) out = core::mixed(out, x);
        return out;
    }

    /// The configuration of index `i`, one value per parameter. Precondition: i < size().
    [[nodiscard]] config at(index i) const
    {
        config out;
        for (std::size_t j = 0; j < dimensions(); ++j) out.push_back(values_[j][row(i)[j]]);
        return out;
    }

    /// The index of a configuration; empty where it is not in the list.
    [[nodiscard]] std::optional<index> index_of(const config& c) const
    {
        if (c.size() != dimensions()) return std::nullopt;
        std::vector<std::uint16_t> wanted;
        for (std::size_t j = 0; j < dimensions(); ++j) {
            const auto at = std::lower_bound(values_[j].begin(), values_[j].end(), c[j]);
            if (at == values_[j].end() || *at != c[j]) return std::nullopt;
            wanted.push_back(static_cast<std::uint16_t>(at - values_[j].begin()));
        }
        return index_of_ordinals(wanted);
    }

private:
    [[nodiscard]] const std::uint16_t* row(index i) const { return rows_.data() + i * names_.size(); }
    [[nodiscard]] std::uint64_t hash(const std::uint16_t* row) const noexcept
    {
        std::uint64_t out = 0;
        for (std::size_t j = 0; j < names_.size(); ++j) out = core::mixed(out, row[j]);
        return out;
    }

    std::vector<std::string> names_;
    std::vector<std::vector<std::int64_t>> values_;  // of each parameter, ascending
    std::vector<std::uint16_t> cardinalities_;
    std::vector<std::uint16_t> rows_;  // ordinals, row-major
    core::index_table<index> by_row_;
};

}  // namespace tunekit::space
