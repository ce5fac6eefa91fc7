// SPDX-License-Identifier: MIT
// What the concepts of random ask for: each type below lacks one thing.
#include "tunekit/random/fill.hpp"
#include "tunekit/random/generator.hpp"

#include <cstdint>
#include <span>

#include "tunekit/core/archetypes.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;

static_assert(tk::generator<tk::archetype::generator> && tk::generator<tk::random::philox>);

struct floats {
    static constexpr float(min)() { return 0; }
    static constexpr float(max)() { return 1; }
    float operator()();
};
struct no_maximum {
    static constexpr std::uint32_t(min)() { return 0; }
    std::uint32_t operator()();
};
struct other_minimum {
    static constexpr std::uint64_t(min)() { return 0; }
    static constexpr std::uint32_t(max)() { return 9; }
    std::uint32_t operator()();
};
struct no_draw {
    static constexpr std::uint32_t(min)() { return 0; }
    static constexpr std::uint32_t(max)() { return 9; }
};
static_assert(!tk::generator<floats>);
static_assert(!tk::generator<no_maximum>);
static_assert(!tk::generator<other_minimum>);
static_assert(!tk::generator<no_draw>);
static_assert(!tk::generator<const tk::random::philox>);  // a draw changes it

static_assert(tk::random::detail::bulk_generator<tk::random::philox>);
static_assert(!tk::random::detail::bulk_generator<tk::archetype::generator>);  // no copies, no fill

struct narrow {
    static constexpr std::uint32_t(min)() { return 0; }
    static constexpr std::uint32_t(max)() { return ~0U; }
    std::uint32_t operator()();
    void fill(std::span<std::uint64_t> out);
};
struct no_fill {
    static constexpr std::uint64_t(min)() { return 0; }
    static constexpr std::uint64_t(max)() { return ~std::uint64_t{0}; }
    std::uint64_t operator()();
};
static_assert(tk::generator<narrow> && !tk::random::detail::bulk_generator<narrow>);
static_assert(tk::generator<no_fill> && !tk::random::detail::bulk_generator<no_fill>);
