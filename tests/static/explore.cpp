// SPDX-License-Identifier: MIT
// explore::explorer and its pieces: each type below lacks one thing, and the piece that asks for it says no.
#include "tunekit/explore/concepts.hpp"

#include <cstddef>
#include <span>
#include <vector>

#include "tests/support/archetypes/space.hpp"
#include "tunekit/core/archetypes.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/explore/contextual.hpp"

namespace tk = tunekit;
namespace explore = tunekit::explore;
using any_space = tunekit::archetype::space;
using gen = tunekit::archetype::generator;
using predictions = std::span<tk::stats::prediction>;

namespace {

struct judge {
    void score(std::span<const tk::index>, std::span<double>) const;
    void predict(std::span<const tk::index>, predictions) const;
    double best() const;
};
static_assert(explore::scorer<judge>);

// scorer
struct scores_if_mutable : judge {
    void score(std::span<const tk::index>, std::span<double>);
};
struct predicts_means : judge {
    void predict(std::span<const tk::index>, std::span<double>) const;
};
struct knows_no_best {
    void score(std::span<const tk::index>, std::span<double>) const;
    void predict(std::span<const tk::index>, predictions) const;
};
static_assert(!explore::scorer<scores_if_mutable> && !explore::scorer<predicts_means> &&
              !explore::scorer<knows_no_best>);

struct state {};
using found = std::vector<explore::scored_candidate>;

struct whole {
    state start(const any_space&) const { return {}; }
    found explore(state&, const any_space&, const judge&, const tk::space::index_set&, std::size_t, gen&) const;
};
static_assert(explore::explorer<whole, any_space, judge, gen>);
static_assert(!explore::explorer<whole, any_space, knows_no_best, gen>);

// starts_on
struct starts_nowhere : whole {
    state start(const any_space&) const = delete;
};
static_assert(!explore::starts_on<starts_nowhere, any_space>);
static_assert(!explore::explorer<starts_nowhere, any_space, judge, gen>);

// explores
struct explores_to_indices : whole {
    std::vector<tk::index> explore(state&, const any_space&, const judge&, const tk::space::index_set&, std::size_t,
                                   gen&) const;
};
struct explores_if_mutable : whole {
    found explore(state&, const any_space&, const judge&, const tk::space::index_set&, std::size_t, gen&);
};
static_assert(explore::explores<whole, any_space, judge, gen>);
static_assert(!explore::explores<explores_to_indices, any_space, judge, gen>);
static_assert(!explore::explores<explores_if_mutable, any_space, judge, gen>);

// copyable
struct moves_only : whole {
    moves_only() = default;
    moves_only(moves_only&&) = default;
    moves_only& operator=(moves_only&&) = default;
};
static_assert(explore::explores<moves_only, any_space, judge, gen> &&
              !explore::explorer<moves_only, any_space, judge, gen>);

// contextual: an explorer where what it contains is one
static_assert(explore::explorer<explore::contextual<whole>, any_space, judge, gen>);
static_assert(!explore::explorer<explore::contextual<explores_to_indices>, any_space, judge, gen>);
static_assert(!explore::starts_on<explore::contextual<starts_nowhere>, any_space>);

// Ours need no more than a space, a scorer and a generator.
static_assert(explore::explorer<explore::annealing, any_space, judge, gen> &&
              explore::explorer<explore::contextual_annealing, any_space, judge, gen>);

}  // namespace
