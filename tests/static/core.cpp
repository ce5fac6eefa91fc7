// SPDX-License-Identifier: MIT
// What the concepts of core ask for: each type below lacks one thing.
#include "tunekit/core/detail/lanes.hpp"
#include "tunekit/core/detail/state_of.hpp"
#include "tunekit/core/executor.hpp"

#include <concepts>
#include <cstddef>

#include "tunekit/core/archetypes.hpp"

namespace core = tunekit::core;

static_assert(core::executor<tunekit::archetype::executor> && core::executor<decltype(core::serial)>);

struct changes_itself {
    template <class F>
    void operator()(std::size_t n, F&& f);
};
struct takes_no_function {
    void operator()(std::size_t n) const;
};
static_assert(!core::executor<changes_itself>);
static_assert(!core::executor<takes_no_function>);
static_assert(!core::executor<int>);

struct of_a_number {
    [[nodiscard]] long start(int n) const;
};
struct changes_when_it_starts {
    [[nodiscard]] long start(int n);
};
static_assert(core::detail::starts_on<of_a_number, int> &&
              std::same_as<core::detail::state_of<of_a_number, int>, long>);
static_assert(!core::detail::starts_on<of_a_number>);
static_assert(!core::detail::starts_on<of_a_number, const char*>);
static_assert(!core::detail::starts_on<of_a_number, int, int>);
static_assert(!core::detail::starts_on<changes_when_it_starts, int>);
static_assert(!core::detail::starts_on<int, int>);

static_assert(sizeof(core::detail::lanes<float>) == core::detail::lane_bytes &&
              sizeof(core::detail::lanes<unsigned char>) == core::detail::lane_bytes);
static_assert(core::detail::lane_count<float> == 2 * core::detail::lane_count<double>);
