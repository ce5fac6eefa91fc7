// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The concepts of a search space: a finite set of configurations, each known by its index.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tunekit/random/generator.hpp"

namespace tunekit {

/// A configuration is its index in [0, space.size()); typed values are read through the space.
using index = std::uint64_t;

namespace space {

/// The configurations that count as neighbours of one. All are members of the space.
enum class neighbourhood : std::uint8_t {
    any_value,  ///< one parameter takes any other value
    adjacent,   ///< one parameter moves to the next or the previous of its values
    hamming_2,  ///< two parameters take any other values
    swap,       ///< two entries of one permutation parameter change places
};

/// How a configuration becomes numbers for a model. Every encoding has a fixed number of columns per space.
enum class encoding : std::uint8_t {
    values,    ///< numbers as they are; the ordinal of a value that is not a number; one column per factor of a split
    ordinals,  ///< the position of the value in its parameter's list
    one_hot,   ///< one column per value
    log2,      ///< sign(x) log2(1 + |x|) of `values`
};

/// A space that knows its exact number of configurations. An empty space has size 0.
template <class S>
concept counted = requires(const S& s) {
    { s.size() } -> std::same_as<index>;
};

/// A space from which configurations can be drawn. `sample(n, gen)` gives n independent uniform ones; repeats are
/// possible. For n = 0 or an empty space it gives none.
template <class S, class G>
concept samplable = requires(const S& s, std::size_t n, G& gen) {
    { s.sample(n, gen) } -> std::same_as<std::vector<index>>;
};

/// A space with neighbours: `neighbours(in, out, kind, gen)` puts a uniform random neighbour of in[i] into out[i], or
/// in[i] itself if it has none; `neighbours_of(i, kind)` lists them all, ascending, without i.
template <class S, class G>
concept walkable =
    requires(const S& s, index i, std::span<const index> in, std::span<index> out, neighbourhood kind, G& gen) {
        { s.neighbours(in, out, kind, gen) } -> std::same_as<void>;
        { s.neighbours_of(i, kind) } -> std::same_as<std::vector<index>>;
    };

/// A space with coordinates: d = dimensions() parameters, the j-th with cardinalities()[j] values. `ordinals(indices,
/// out)` fills n x d ordinals, row-major; `index_of_ordinals(row)` is empty outside the space.
template <class S>
concept gridded =
    requires(const S& s, std::span<const index> in, std::span<std::uint16_t> out, std::span<const std::uint16_t> row) {
        { s.dimensions() } -> std::same_as<std::size_t>;
        { s.cardinalities() } -> std::convertible_to<std::span<const std::uint16_t>>;
        { s.ordinals(in, out) } -> std::same_as<void>;
        { s.index_of_ordinals(row) } -> std::same_as<std::optional<index>>;
    };

/// A space that gives features to models: `features(indices, out, encoding)` fills n x feature_count(encoding) floats,
/// row-major.
template <class S>
concept featured = requires(const S& s, std::span<const index> in, std::span<float> out, encoding e) {
    { s.feature_count(e) } -> std::same_as<std::size_t>;
    { s.features(in, out, e) } -> std::same_as<void>;
};

/// A space with texts: parameter names, the text of each value of a configuration, and a fingerprint. Two spaces in
/// which one index means different configurations have different fingerprints (except for a chance collision).
template <class S>
concept described = requires(const S& s, index i) {
    { s.names() } -> std::convertible_to<std::span<const std::string>>;
    { s.texts(i) } -> std::same_as<std::vector<std::string>>;
    { s.fingerprint() } -> std::same_as<std::uint64_t>;
};

/// A search space with all that a strategy needs. Preconditions of all members: indices are below size(), spans have
/// the stated sizes.
template <class S, class G>
concept search_space = counted<S> && samplable<S, G> && walkable<S, G> && gridded<S> && featured<S> && described<S>;

/// A space that also hands out typed configurations: `at(i)`, and `index_of(config)`, empty for one outside the space.
template <class S>
concept typed = requires(const S& s, index i, const typename S::config& c) {
    { s.at(i) } -> std::same_as<typename S::config>;
    { s.index_of(c) } -> std::same_as<std::optional<index>>;
};

}  // namespace space
}  // namespace tunekit
