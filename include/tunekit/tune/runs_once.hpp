// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a program that links `tunekit::compiled` need not compile: the runs of the library's strategies.

#include <cstddef>
#include <optional>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/any_strategy.hpp"
#include "tunekit/tune/detail/drive.hpp"
#include "tunekit/tune/detail/run.hpp"
#include "tunekit/tune/detail/seen.hpp"

/// Says of a strategy, which may be declared only, that it asks about indices alone, and that `tunekit::compiled` has
/// its runs over products: `tune` over a measurer, what any tuner asks of it, and its place in an `any_strategy`. It
/// stands at global scope behind the strategy or recipe, in a header that tunekit/compiled.cpp includes.
#define TUNEKIT_RUNS_ONCE(...)                                                                                    \
    template <>                                                                                                   \
    inline constexpr bool tunekit::detail::by_index<__VA_ARGS__> = true;                                          \
    TUNEKIT_ONCE(tunekit::tuning tunekit::detail::run_over(                                                       \
        const tunekit::space::detail::grid&, tunekit::detail::any_measurer&, const tunekit::recipe<__VA_ARGS__>&, \
        const tunekit::budget&, tunekit::random::philox&, const std::vector<tunekit::index>&,                     \
        const tunekit::detail::watched&))                                                                         \
    TUNEKIT_ONCE(std::vector<tunekit::job> tunekit::detail::asked(                                                \
        tunekit::detail::run<tunekit::space::detail::grid, __VA_ARGS__, tunekit::random::philox>&,                \
        const tunekit::space::detail::grid&, tunekit::tuning&, std::size_t))                                      \
    TUNEKIT_ONCE(tunekit::measure::trial tunekit::detail::heard(                                                  \
        tunekit::detail::run<tunekit::space::detail::grid, __VA_ARGS__, tunekit::random::philox>&,                \
        const tunekit::space::detail::grid&, tunekit::measure::trial))                                            \
    TUNEKIT_ONCE(std::optional<tunekit::stats::prediction> tunekit::detail::expectation(                          \
        const tunekit::detail::run<tunekit::space::detail::grid, __VA_ARGS__, tunekit::random::philox>&,          \
        const tunekit::space::detail::grid&, tunekit::index))                                                     \
    TUNEKIT_ONCE(tunekit::core::polymorphic<tunekit::search::any_strategy::strategy_interface>                    \
                     tunekit::search::any_strategy::hold(const __VA_ARGS__&))

namespace tunekit::space::detail {
class grid;
}
namespace tunekit::search {
struct annealing;
struct genetic;
struct grid;
struct hill_climb;
struct random;
}  // namespace tunekit::search

namespace tunekit::detail {

/// `how` with its strategy held, without the parts that a run over one space with a measurer does not use.
template <class P>
[[nodiscard]] recipe<search::any_strategy> with_any_strategy(const P& how)
{
    const auto& r = as_recipe(how);
    return {r.strategy, {}, r.limits, r.ahead, r.slots_per_task};
}

}  // namespace tunekit::detail

TUNEKIT_RUNS_ONCE(tunekit::search::annealing)
TUNEKIT_RUNS_ONCE(tunekit::search::genetic)
TUNEKIT_RUNS_ONCE(tunekit::search::grid)
TUNEKIT_RUNS_ONCE(tunekit::search::hill_climb)
TUNEKIT_RUNS_ONCE(tunekit::search::random)
