// SPDX-License-Identifier: MIT
// screen::screen: each type below lacks one thing, and the concept says no.
#include "tunekit/screen/concepts.hpp"

#include <cstddef>
#include <span>
#include <vector>

#include "tests/support/archetypes/space.hpp"
#include "tunekit/core/archetypes.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/explore/contextual.hpp"
#include "tunekit/screen/adaptive_sampling.hpp"
#include "tunekit/screen/diversity.hpp"
#include "tunekit/screen/epsilon_greedy.hpp"
#include "tunekit/screen/keep_best.hpp"
#include "tunekit/screen/screened.hpp"

namespace tk = tunekit;
namespace screen = tunekit::screen;
using any_space = tunekit::archetype::space;
using gen = tunekit::archetype::generator;
using candidates = std::span<const tk::explore::scored_candidate>;

namespace {

struct whole {
    std::vector<tk::index> select(const any_space&, candidates, const tk::space::index_set&, std::size_t, gen&) const;
};
static_assert(screen::screen<whole, any_space, gen>);

struct selects_candidates {
    candidates select(const any_space&, candidates, const tk::space::index_set&, std::size_t, gen&) const;
};
struct selects_if_mutable {
    std::vector<tk::index> select(const any_space&, candidates, const tk::space::index_set&, std::size_t, gen&);
};
struct selects_whatever_was_visited {
    std::vector<tk::index> select(const any_space&, candidates, std::size_t, gen&) const;
};
struct moves_only : whole {
    moves_only() = default;
    moves_only(moves_only&&) = default;
    moves_only& operator=(moves_only&&) = default;
};
static_assert(!screen::screen<selects_candidates, any_space, gen>);
static_assert(!screen::screen<selects_if_mutable, any_space, gen>);
static_assert(!screen::screen<selects_whatever_was_visited, any_space, gen>);
static_assert(!screen::screen<moves_only, any_space, gen>);

// Ours need no more than a space and a generator.
static_assert(screen::screen<screen::keep_best, any_space, gen> && screen::screen<screen::diversity, any_space, gen> &&
              screen::screen<screen::adaptive_sampling, any_space, gen> &&
              screen::screen<screen::epsilon_greedy<screen::adaptive_sampling>, any_space, gen>);

// candidates_for: what a screen says of itself, through what wraps it; n where it says nothing or something else
struct says_no_size : whole {
    int candidates_for(std::size_t) const;
};
static_assert(screen::candidates_for(screen::diversity{}, 64) == 128);
static_assert(screen::candidates_for(screen::diversity{.lambda = 3}, 64) == 192);
static_assert(screen::candidates_for(screen::epsilon_greedy{screen::diversity{}}, 64) == 128);
static_assert(screen::candidates_for(screen::keep_best{}, 64) == 64 && screen::candidates_for(whole{}, 64) == 64);
static_assert(screen::candidates_for(says_no_size{}, 64) == 64);

// screened: an explorer, where its parts are an explorer and a screen
struct judge {
    void score(std::span<const tk::index>, std::span<double>) const;
    void predict(std::span<const tk::index>, std::span<tk::stats::prediction>) const;
    double best() const;
};
struct knows_no_best {
    void score(std::span<const tk::index>, std::span<double>) const;
    void predict(std::span<const tk::index>, std::span<tk::stats::prediction>) const;
};
using tk::explore::annealing;
using tk::explore::explorer;
static_assert(explorer<screen::screened<annealing, screen::diversity>, any_space, judge, gen>);
static_assert(explorer<screen::screened<annealing, whole>, any_space, judge, gen>);
static_assert(explorer<tk::explore::contextual<screen::screened<annealing, screen::diversity>>, any_space, judge, gen>);
static_assert(!explorer<screen::screened<annealing, selects_candidates>, any_space, judge, gen>);
static_assert(!explorer<screen::screened<annealing, selects_if_mutable>, any_space, judge, gen>);
static_assert(!explorer<screen::screened<whole, whole>, any_space, judge, gen>);
static_assert(!explorer<screen::screened<annealing, whole>, any_space, knows_no_best, gen>);
static_assert(!screen::screen<screen::screened<annealing, whole>, any_space, gen>);

}  // namespace
