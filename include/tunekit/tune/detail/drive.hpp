// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The body of `tune`, and what a compiler says of calls that lack an argument.

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/measure/jobs.hpp"
#include "tunekit/random/generator.hpp"
#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/detail/loop.hpp"
#include "tunekit/tune/detail/roles.hpp"
#include "tunekit/tune/detail/seen.hpp"
#include "tunekit/tune/recipe.hpp"
#include "tunekit/tune/tuned.hpp"
#include "tunekit/tune/tuner.hpp"

namespace tunekit {

namespace detail {

/// A run that is there already: a tuner, or what has its members.
template <class T>
concept driven = requires(T& t, std::size_t n) {
    t.ask(n);
    t.record();
    t.over();
};

/// Runs `t` to its end with a measurer or a pool.
template <class Tuner, class Carrier, class Options>
void drive(Tuner& t, Carrier& carrier, const Options& options)
{
    const auto end = [&](const job&) { return options.watch && options.watch(t.record()); };
    if constexpr (pool<Carrier>)
        carry_jobs(t, carrier, options.clock, options.checks, [&t](std::size_t n) { return t.ask(n); }, end);
    else carry_batches(t, [&carrier](std::size_t) -> Carrier& { return carrier; }, options.clock, options.checks, end);
}

/// A tuner that borrows its caller's generator and gives it back in its destructor, also after an exception.
template <class Space, class P, generator G>
struct borrowed {
    tuner<Space, typename parts_of<P>::strategy, G> run;
    G& lender;

    borrowed(const Space& space, const P& how, const budget& limit, G& gen)
        : run(space, how, limit, std::move(gen)), lender(gen)
    {
    }
    borrowed(const borrowed&) = delete;
    borrowed& operator=(const borrowed&) = delete;
    ~borrowed() { lender = std::move(run).generator(); }
};

/// The options of `tune`, wherever they are.
struct watched {
    const callable<bool, const tuning&>& watch;
    const callable<double>& clock;
    std::optional<bool> checks;
};

/// `tune` over a measurer, for a strategy that asks about indices alone: neither the types of a product nor that of the
/// measurer are in it. `first` is what to begin with.
template <class Strategy, class Space, class G>
[[nodiscard]] tuning run_over(const Space& space, any_measurer& carrier, const recipe<Strategy>& how,
                              const budget& limit, G& gen, const std::vector<index>& first, const watched& options)
{
    borrowed<lent<Space>, recipe<Strategy>, G> with({&space}, how, limit, gen);
    with.run.begin_with(first);
    drive(with.run, carrier, options);
    return std::move(with.run).record();
}

template <class>
inline constexpr bool no_type = false;

}  // namespace detail

/// Says what is missing. With the package processes there is a better match for every space.
template <class Space, class Kernel>
tuned<Space> tune(const Space&, Kernel&&, const budget&, const std::type_identity_t<tune_options<Space>>& = {})
{
    if constexpr (detail::is_space<detail::argument::first_of_tune, space::counted<Space>>::value)
        static_assert(detail::no_type<Space>,
                      "tunekit: tune(space, kernel, budget) runs the kernel in a child process: include "
                      "tunekit/processes.hpp, of the package tunekit::processes");
}

/// Says what is missing.
template <class Space, class Carrier, class P>
tuned<Space> tune(const Space&, Carrier&&, const P&, const budget&)
{
    static_assert(detail::no_type<Space>,
                  "tunekit: tune, the generator is missing behind the budget: tk::random::philox gen(seed)");
}

/// Says where a watch and a clock are given.
template <class Space, class Carrier, class P, class Watch, generator G>
    requires(!generator<std::remove_cvref_t<Watch>>)
tuned<Space> tune(const Space&, Carrier&&, const P&, const budget&, Watch&&, G&)
{
    static_assert(detail::no_type<Space>,
                  "tunekit: tune, watch and clock go behind the generator: gen, {.watch = ..., .clock = ...}");
}

}  // namespace tunekit
