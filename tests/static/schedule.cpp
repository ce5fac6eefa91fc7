// SPDX-License-Identifier: MIT
// What a schedule is, and what just fails to be one: each type below differs from `fine` in one member.
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "tunekit/core/archetypes.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/schedule/any_schedule.hpp"
#include "tunekit/schedule/concepts.hpp"
#include "tunekit/schedule/round_robin.hpp"

namespace static_schedule {

namespace schedule = tunekit::schedule;
using schedule::run_shape;
using schedule::slot;
using schedule::task_view;
using generator = tunekit::archetype::generator;
using views = std::span<const task_view>;

struct fine {
    struct state {};
    state start(views, const run_shape&) const;
    std::size_t select(state&, views, generator&) const;
    void update(state&, std::size_t, const slot&) const;
};
static_assert(schedule::schedule<fine, generator>);
static_assert(std::same_as<schedule::state_of<fine>, fine::state>);

struct start_without_run : fine {
    state start(views) const;
};
static_assert(!schedule::starts<start_without_run>);
static_assert(!schedule::schedule<start_without_run, generator>);

struct start_not_const : fine {
    state start(views, const run_shape&);
};
static_assert(!schedule::starts<start_not_const>);

struct select_not_const : fine {
    std::size_t select(state&, views, generator&);
};
static_assert(schedule::starts<select_not_const> && schedule::learns_slot<select_not_const>);
static_assert(!schedule::selects_task<select_not_const, generator>);
static_assert(!schedule::schedule<select_not_const, generator>);

struct select_signed : fine {
    int select(state&, views, generator&) const;
};
static_assert(!schedule::selects_task<select_signed, generator>);

struct select_without_generator : fine {
    std::size_t select(state&, views) const;
};
static_assert(!schedule::selects_task<select_without_generator, generator>);

struct update_by_value : fine {
    void update(state&, std::size_t, slot&) const;  // wants to change the slot
};
static_assert(!schedule::learns_slot<update_by_value>);

struct update_returns : fine {
    bool update(state&, std::size_t, const slot&) const;
};
static_assert(!schedule::learns_slot<update_returns>);
static_assert(!schedule::schedule<update_returns, generator>);

struct state_stays {
    struct state {
        std::unique_ptr<int> owned;
    };
    state start(views, const run_shape&) const;
    std::size_t select(state&, views, generator&) const;
    void update(state&, std::size_t, const slot&) const;
};
static_assert(schedule::starts<state_stays> && schedule::learns_slot<state_stays>);
static_assert(!schedule::schedule<state_stays, generator>);

struct schedule_stays : fine {
    std::unique_ptr<int> owned;
};
static_assert(!schedule::schedule<schedule_stays, generator>);
static_assert(!schedule::schedule<int, generator> && !schedule::starts<int>);

// any_schedule
static_assert(std::is_convertible_v<schedule::round_robin, schedule::any_schedule>);
static_assert(!std::is_convertible_v<int, schedule::any_schedule>);
static_assert(schedule::schedule<schedule::any_schedule, tunekit::random::philox>);
static_assert(!schedule::schedule<schedule::any_schedule, tunekit::archetype::generator>);

}  // namespace static_schedule
