// SPDX-License-Identifier: MIT
// What the concepts of core ask for: each type below lacks one thing.
#include "tunekit/core/executor.hpp"
#include "tunekit/core/lanes.hpp"
#include "tunekit/core/state_of.hpp"

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
static_assert(core::starts_on<of_a_number, int> && std::same_as<core::state_of<of_a_number, int>, long>);
static_assert(!core::starts_on<of_a_number>);
static_assert(!core::starts_on<of_a_number, const char*>);
static_assert(!core::starts_on<of_a_number, int, int>);
static_assert(!core::starts_on<changes_when_it_starts, int>);
static_assert(!core::starts_on<int, int>);

static_assert(sizeof(core::lanes<float>) == core::lane_bytes && sizeof(core::lanes<unsigned char>) == core::lane_bytes);
static_assert(core::lane_count<float> == 2 * core::lane_count<double>);
