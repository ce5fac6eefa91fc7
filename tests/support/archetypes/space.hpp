// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A minimal search space, for compile-time checks of concepts.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tunekit/core/archetypes.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::archetype {

/// A space::search_space with no other members: not copyable, no configurations, declared only.
struct space {
    space() = delete;
    space(const space&) = delete;
    space& operator=(const space&) = delete;
    ~space() = default;

    index size() const;
    template <tunekit::generator G>
    std::vector<index> sample(std::size_t n, G& gen) const;
    template <tunekit::generator G>
    void neighbours(std::span<const index> in, std::span<index> out, tunekit::space::neighbourhood kind, G& gen) const;
    std::vector<index> neighbours_of(index i, tunekit::space::neighbourhood kind) const;
    std::size_t dimensions() const;
    std::span<const std::uint16_t> cardinalities() const;
    void ordinals(std::span<const index> in, std::span<std::uint16_t> out) const;
    std::optional<index> index_of_ordinals(std::span<const std::uint16_t> row) const;
    std::size_t feature_count(tunekit::space::encoding e) const;
    void features(std::span<const index> in, std::span<float> out, tunekit::space::encoding e) const;
    std::span<const std::string> names() const;
    std::vector<std::string> texts(index i) const;
    std::uint64_t fingerprint() const;
};

static_assert(tunekit::space::search_space<space, generator>);

}  // namespace tunekit::archetype
