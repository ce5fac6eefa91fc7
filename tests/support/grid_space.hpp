// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A small search space for tests: a grid of cardinalities, filtered by a predicate, listed by brute force.

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/random/uniform.hpp"
#include "tunekit/space/concepts.hpp"

namespace support {

/// Members are all ordinal rows that `keep` accepts, numbered in mixed-radix order, first coordinate fastest.
/// For spaces of at most a few million raw points; names are "x0", "x1", ..., values are their ordinals.
class grid_space {
public:
    explicit grid_space(std::vector<std::uint16_t> cardinalities)
        : grid_space(std::move(cardinalities), [](std::span<const std::uint16_t>) { return true; })
    {
    }

    template <std::predicate<std::span<const std::uint16_t>> Keep>
    grid_space(std::vector<std::uint16_t> cardinalities, Keep keep) : cards_(std::move(cardinalities))
    {
        std::uint64_t raw = 1;
        for (std::size_t j = 0; j < cards_.size(); ++j) {
            raw *= cards_[j];
            names_.push_back('x' + std::to_string(j));
        }
        std::vector<std::uint16_t> row(cards_.size());
        for (std::uint64_t code = 0; code < raw; ++code) {
            decode(code, row);
            if (keep(std::span<const std::uint16_t>(row))) members_.push_back(code);
        }
    }

    [[nodiscard]] tunekit::index size() const { return members_.size(); }

    template <tunekit::generator G>
    [[nodiscard]] std::vector<tunekit::index> sample(std::size_t n, G& gen) const
    {
        std::vector<tunekit::index> out(members_.empty() ? 0 : n);
        for (auto& i : out) i = tunekit::random::uniform_index(size(), gen);
        return out;
    }

    template <tunekit::generator G>
    void neighbours(std::span<const tunekit::index> in, std::span<tunekit::index> out,
                    tunekit::space::neighbourhood kind, G& gen) const
    {
        for (std::size_t i = 0; i < in.size(); ++i) {
            const auto all = neighbours_of(in[i], kind);
            out[i] = all.empty() ? in[i] : all[tunekit::random::uniform_index(all.size(), gen)];
        }
    }

    [[nodiscard]] std::vector<tunekit::index> neighbours_of(tunekit::index i, tunekit::space::neighbourhood kind) const
    {
        using tunekit::space::neighbourhood;
        std::vector<tunekit::index> out;
        std::vector<std::uint16_t> row(cards_.size());
        decode(members_[i], row);
        const auto add = [&] {
            if (const auto at = index_of_ordinals(row)) out.push_back(*at);
        };
        const auto others = [&](std::size_t j, const auto& f) {
            const auto was = row[j];
            for (std::uint16_t v = 0; v < cards_[j]; ++v) {
                row[j] = v;
                if (v != was) f();
            }
            row[j] = was;
        };
        for (std::size_t j = 0; j < cards_.size(); ++j) {
            if (kind == neighbourhood::any_value) others(j, add);
            if (kind == neighbourhood::adjacent) {
                const auto was = row[j];
                others(j, [&] {
                    if (row[j] + 1 == was || row[j] == was + 1) add();
                });
            }
            if (kind == neighbourhood::hamming_2)
                for (std::size_t k = 0; k < j; ++k) others(j, [&] { others(k, add); });
        }
        std::sort(out.begin(), out.end());
        return out;
    }

    [[nodiscard]] std::size_t dimensions() const { return cards_.size(); }
    [[nodiscard]] std::span<const std::uint16_t> cardinalities() const { return cards_; }

    void ordinals(std::span<const tunekit::index> in, std::span<std::uint16_t> out) const
    {
        const std::size_t d = cards_.size();
        for (std::size_t i = 0; i < in.size(); ++i) decode(members_[in[i]], out.subspan(i * d, d));
    }

    [[nodiscard]] std::optional<tunekit::index> index_of_ordinals(std::span<const std::uint16_t> row) const
    {
        std::uint64_t code = 0;
        for (std::size_t j = cards_.size(); j-- > 0;) {
            if (row[j] >= cards_[j]) return std::nullopt;
            code = code * cards_[j] + row[j];
        }
        const auto at = std::lower_bound(members_.begin(), members_.end(), code);
        if (at == members_.end() || *at != code) return std::nullopt;
        return static_cast<tunekit::index>(at - members_.begin());
    }

    [[nodiscard]] std::size_t feature_count(tunekit::space::encoding) const { return cards_.size(); }

    /// Every encoding gives the ordinals.
    void features(std::span<const tunekit::index> in, std::span<float> out, tunekit::space::encoding) const
    {
        std::vector<std::uint16_t> rows(out.size());
        ordinals(in, rows);
        std::copy(rows.begin(), rows.end(), out.begin());
    }

    [[nodiscard]] std::span<const std::string> names() const { return names_; }

    [[nodiscard]] std::vector<std::string> texts(tunekit::index i) const
    {
        std::vector<std::uint16_t> row(cards_.size());
        decode(members_[i], row);
        std::vector<std::string> out;
        for (const auto v : row) out.push_back(std::to_string(v));
        return out;
    }

    [[nodiscard]] std::uint64_t fingerprint() const
    {
        std::uint64_t h = cards_.size();
        for (const std::uint64_t code : members_) h = (std::rotl(h, 5) ^ code) * 0x9E3779B97F4A7C15U;
        return h;
    }

private:
    void decode(std::uint64_t code, std::span<std::uint16_t> row) const
    {
        for (std::size_t j = 0; j < cards_.size(); ++j) {
            row[j] = static_cast<std::uint16_t>(code % cards_[j]);
            code /= cards_[j];
        }
    }

    std::vector<std::uint16_t> cards_;
    std::vector<std::uint64_t> members_;
    std::vector<std::string> names_;
};

}  // namespace support
