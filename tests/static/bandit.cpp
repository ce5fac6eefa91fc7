// SPDX-License-Identifier: MIT
// What a bandit and a policy are, and what just fails to be one.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tunekit/bandit/concepts.hpp"
#include "tunekit/bandit/epsilon_greedy.hpp"
#include "tunekit/bandit/ucb1.hpp"
#include "tunekit/core/archetypes.hpp"

namespace static_bandit {

namespace bandit = tunekit::bandit;
using bandit::arm;
using generator = tunekit::archetype::generator;

struct rule {
    std::size_t select(std::span<const arm>, std::uint64_t, generator&) const;
};
static_assert(bandit::bandit<rule, generator>);

struct forgets_time {
    std::size_t select(std::span<const arm>, generator&) const;
};
struct learns_while_choosing {
    std::size_t select(std::span<const arm>, std::uint64_t, generator&);
};
struct gives_the_arm {
    arm select(std::span<const arm>, std::uint64_t, generator&) const;
};
struct stays : rule {
    std::unique_ptr<int> owned;
};
static_assert(!bandit::bandit<forgets_time, generator>);
static_assert(!bandit::bandit<learns_while_choosing, generator>);
static_assert(!bandit::bandit<gives_the_arm, generator>);
static_assert(!bandit::bandit<stays, generator>);
static_assert(!bandit::bandit<bandit::ucb1, generator>);  // a policy is no bandit, and the other way round
static_assert(!bandit::policy<bandit::epsilon_greedy, generator>);

struct fine {
    struct state {
        friend bool operator==(const state&, const state&) = default;
    };
    state start(std::size_t) const;
    std::size_t select(const state&, generator&) const;
    void update(state&, std::size_t, double) const;
};
static_assert(bandit::policy<fine, generator>);

struct no_state {
    int start(std::size_t) const;
    std::size_t select(int, generator&) const;
    void update(int&, std::size_t, double) const;
};
static_assert(!bandit::detail::has_state<no_state> && !bandit::policy<no_state, generator>);

struct state_without_equality {
    struct state {};
    state start(std::size_t) const;
    std::size_t select(const state&, generator&) const;
    void update(state&, std::size_t, double) const;
};
static_assert(!bandit::detail::has_state<state_without_equality>);

struct select_changes : fine {
    std::size_t select(state&, generator&) const;
};
static_assert(bandit::detail::has_state<select_changes> && !bandit::detail::selects_arm<select_changes, generator>);
static_assert(!bandit::policy<select_changes, generator>);

struct update_without_reward : fine {
    void update(state&, std::size_t) const;
};
static_assert(!bandit::detail::learns_reward<update_without_reward>);
static_assert(!bandit::policy<update_without_reward, generator>);
static_assert(!bandit::policy<fine, int>);

}  // namespace static_bandit
