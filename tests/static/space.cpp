// SPDX-License-Identifier: MIT
// space::search_space and its pieces: each type below lacks one thing, and the piece that asks for it says no.
#include "tunekit/space/concepts.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/support/archetypes/space.hpp"
#include "tunekit/core/archetypes.hpp"
#include "tunekit/space/any_space.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/space/value_product.hpp"

namespace tk = tunekit;
namespace sp = tunekit::space;
using poorest = tunekit::archetype::space;
using gen = tunekit::archetype::generator;

static_assert(sp::search_space<poorest, gen>);
static_assert(sp::search_space<sp::value_product, gen> && sp::typed<sp::value_product>);
static_assert(sp::search_space<sp::any_space, tk::random::philox>);
static_assert(!sp::search_space<sp::any_space, gen>);  // erased for philox alone
static_assert(!sp::typed<sp::any_space>);

struct signed_size : poorest {
    [[nodiscard]] std::int64_t size() const;
};
static_assert(!sp::counted<signed_size> && !sp::search_space<signed_size, gen>);

struct draws_ints : poorest {
    [[nodiscard]] std::vector<int> sample(std::size_t n, gen& g) const;
};
static_assert(!sp::samplable<draws_ints, gen> && !sp::search_space<draws_ints, gen>);

struct lists_no_neighbours : poorest {
    void neighbours_of(tk::index i, sp::neighbourhood kind) const;
};
static_assert(!sp::walkable<lists_no_neighbours, gen> && !sp::search_space<lists_no_neighbours, gen>);

struct walks_from_one : poorest {
    [[nodiscard]] tk::index neighbours(tk::index in, sp::neighbourhood kind, gen& g) const;
};
static_assert(!sp::walkable<walks_from_one, gen> && !sp::search_space<walks_from_one, gen>);

struct always_inside : poorest {
    [[nodiscard]] tk::index index_of_ordinals(std::span<const std::uint16_t> row) const;
};
static_assert(!sp::gridded<always_inside> && !sp::search_space<always_inside, gen>);

struct wide_ordinals : poorest {
    [[nodiscard]] std::span<const std::uint32_t> cardinalities() const;
};
static_assert(!sp::gridded<wide_ordinals> && !sp::search_space<wide_ordinals, gen>);

struct double_features : poorest {
    void features(std::span<const tk::index> in, std::span<double> out, sp::encoding e) const;
};
static_assert(!sp::featured<double_features> && !sp::search_space<double_features, gen>);

struct one_text : poorest {
    [[nodiscard]] std::string texts(tk::index i) const;
};
static_assert(!sp::described<one_text> && !sp::search_space<one_text, gen>);

struct no_configuration : poorest {
    [[nodiscard]] int at(tk::index i) const;
    [[nodiscard]] std::optional<tk::index> index_of(int c) const;
};
struct configuration_always_inside {
    using config = int;
    [[nodiscard]] int at(tk::index i) const;
    [[nodiscard]] tk::index index_of(const int& c) const;
};
static_assert(!sp::typed<no_configuration> && !sp::typed<configuration_always_inside>);

// What a product is made of
using x = decltype(sp::integers<"x">(0, 1));
using where_x = decltype(sp::where<"x">([](int) { return true; }));
static_assert(sp::detail::parameter_part<x> && !sp::detail::parameter_part<where_x> &&
              !sp::detail::parameter_part<int>);
static_assert(sp::detail::constraint_part<where_x> && !sp::detail::constraint_part<x> &&
              !sp::detail::constraint_part<int>);

// What can be written
namespace words {
enum class written : std::uint8_t { one };
std::string to_text(written w);
enum class counted_in_words : std::uint8_t { one };
int to_text(counted_in_words w);
enum class mute : std::uint8_t { one };
struct ends_alone {
    using value_type = int;
    [[nodiscard]] int* end() const;
};
struct of_no_type {
    [[nodiscard]] int* begin() const;
    [[nodiscard]] int* end() const;
};
}  // namespace words
static_assert(sp::detail::has_text<words::written> && !sp::detail::has_text<words::counted_in_words> &&
              !sp::detail::has_text<words::mute>);
static_assert(sp::detail::sequence<std::vector<int>> && !sp::detail::sequence<words::ends_alone> &&
              !sp::detail::sequence<words::of_no_type>);
static_assert(!sp::detail::sequence<int>);
static_assert(sp::detail::numeric_sequence<std::vector<int>> && !sp::detail::numeric_sequence<std::string>);
static_assert(!sp::detail::numeric_sequence<std::vector<std::string>> && !sp::detail::numeric_sequence<int>);
