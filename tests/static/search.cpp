// SPDX-License-Identifier: MIT
// search::strategy and its pieces: each type below lacks one thing, and the piece that asks for it says no.
#include "tunekit/search/concepts.hpp"

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "tests/support/archetypes/space.hpp"
#include "tunekit/core/archetypes.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/search/any_strategy.hpp"
#include "tunekit/search/genetic.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/search/random.hpp"

namespace tk = tunekit;
namespace search = tunekit::search;
using any_space = tunekit::archetype::space;
using gen = tunekit::archetype::generator;
using measured = std::span<const tk::measure::measurement>;

namespace {

struct state {};

struct whole {
    state start(const any_space&) const;
    std::vector<tk::index> propose(state&, const any_space&, std::size_t, gen&) const;
    void observe(state&, const any_space&, std::span<const tk::index>, measured, gen&) const;
};
static_assert(search::strategy<whole, any_space, gen>);

// starts_on
struct starts_nowhere : whole {
    state start(const any_space&) const = delete;
};
struct starts_if_mutable : whole {
    state start(const any_space&);
};
static_assert(!search::starts_on<starts_nowhere, any_space> && !search::strategy<starts_nowhere, any_space, gen>);
static_assert(!search::starts_on<starts_if_mutable, any_space> && !search::strategy<starts_if_mutable, any_space, gen>);

// proposes
struct proposes_one : whole {
    tk::index propose(state&, const any_space&, std::size_t, gen&) const;
};
struct proposes_without_a_generator : whole {
    std::vector<tk::index> propose(state&, const any_space&, std::size_t) const;
};
struct proposes_if_mutable : whole {
    std::vector<tk::index> propose(state&, const any_space&, std::size_t, gen&);
};
static_assert(search::proposes<whole, any_space, gen>);
static_assert(!search::proposes<proposes_one, any_space, gen> && !search::strategy<proposes_one, any_space, gen>);
static_assert(!search::proposes<proposes_without_a_generator, any_space, gen>);
static_assert(!search::proposes<proposes_if_mutable, any_space, gen>);

// observes
struct observes_nothing {
    state start(const any_space&) const;
    std::vector<tk::index> propose(state&, const any_space&, std::size_t, gen&) const;
};
struct observes_costs : observes_nothing {
    void observe(state&, const any_space&, std::span<const tk::index>, std::span<const double>, gen&) const;
};
struct observes_and_answers : observes_nothing {
    bool observe(state&, const any_space&, std::span<const tk::index>, measured, gen&) const;
};
static_assert(search::observes<whole, any_space, gen>);
static_assert(!search::observes<observes_nothing, any_space, gen> &&
              !search::strategy<observes_nothing, any_space, gen>);
static_assert(!search::observes<observes_costs, any_space, gen>);
static_assert(!search::observes<observes_and_answers, any_space, gen>);

// copyable, both of them
struct moves_only : whole {
    moves_only() = default;
    moves_only(moves_only&&) = default;
    moves_only& operator=(moves_only&&) = default;
};
struct fixed_state {
    fixed_state() = default;
    fixed_state(const fixed_state&) = delete;
    fixed_state& operator=(const fixed_state&) = delete;
};
struct starts_fixed {
    fixed_state start(const any_space&) const;
    std::vector<tk::index> propose(fixed_state&, const any_space&, std::size_t, gen&) const;
    void observe(fixed_state&, const any_space&, std::span<const tk::index>, measured, gen&) const;
};
static_assert(search::proposes<moves_only, any_space, gen> && !search::strategy<moves_only, any_space, gen>);
static_assert(search::proposes<starts_fixed, any_space, gen> && !search::strategy<starts_fixed, any_space, gen>);

// Ours need no more than a space and a generator.
static_assert(search::strategy<search::random, any_space, gen> && search::strategy<search::grid, any_space, gen> &&
              search::strategy<search::hill_climb, any_space, gen> &&
              search::strategy<search::annealing, any_space, gen> && search::strategy<search::genetic, any_space, gen>);

// any_strategy
static_assert(std::is_convertible_v<search::annealing, search::any_strategy>);
static_assert(!std::is_convertible_v<int, search::any_strategy> &&
              !std::is_convertible_v<tk::archetype::space, search::any_strategy>);
static_assert(search::strategy<search::any_strategy, tk::space::any_space, tk::random::philox>);
static_assert(!search::strategy<search::any_strategy, tk::archetype::space, tk::archetype::generator>);

}  // namespace
