// SPDX-License-Identifier: MIT
// The concepts hold for the poorest types and for nothing poorer.
#include "tunekit/core/archetypes.hpp"
#include "tests/support/archetypes/measure.hpp"
#include "tests/support/archetypes/space.hpp"
#include "tunekit/core/executor.hpp"
#include "tunekit/random/generator.hpp"
#include "tunekit/random/normal.hpp"
#include "tunekit/random/uniform.hpp"

#include <string>
#include <type_traits>

namespace tk = tunekit;
namespace archetype = tunekit::archetype;

static_assert(tk::generator<archetype::generator>);
static_assert(tk::core::executor<archetype::executor> && tk::core::executor<decltype(tk::core::serial)>);
static_assert(!std::is_copy_constructible_v<archetype::generator> &&
              !std::is_default_constructible_v<archetype::generator>);

struct signed_results {
    static constexpr int(min)() { return 0; }
    static constexpr int(max)() { return 1; }
    int operator()();
};
struct no_range {
    unsigned operator()();
};
static_assert(!tk::generator<signed_results>);
static_assert(!tk::generator<no_range>);
static_assert(!tk::generator<int>);

static_assert(!tk::space::samplable<std::string, archetype::generator>);
static_assert(!tk::measure::measurer<archetype::clock>);
static_assert(!tk::measure::clock<archetype::measurer>);

// What draws needs no more than a generator.
template double tk::random::uniform_01(archetype::generator&);
template double tk::random::normal(archetype::generator&);
template std::uint64_t tk::random::uniform_index(std::uint64_t, archetype::generator&);
