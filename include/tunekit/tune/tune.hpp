// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Tuning of one space, from the first configuration to the end of the budget.

#include <cstddef>
#include <type_traits>
#include <utility>

#include "tunekit/measure/clocks.hpp"
#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/detail/loop.hpp"
#include "tunekit/tune/detail/roles.hpp"
#include "tunekit/tune/tuner.hpp"

namespace tunekit {

/// Runs the tuner `t` to its end, with a measurer or a pool. A measurer gets `ahead` configurations of the recipe at a
/// time. A pool is kept full.
///
///     tk::tuner t(space, tk::recipes::combined(), {.trials = 512}, gen);
///     t.begin_with({space.index_of(untuned).value()});
///     tk::tune(t, measure);
///     use(t.record());
///
/// `watch(record)` is called after each answer. Where it returns a value, true ends the run. `clock` is for a measurer.
/// It is read once at the start and once after each answer, or each batch of a measurer that does not stream
/// (`measure::streaming_measurer`). Its jumps are left out (`run_clock`). A pool has a time of its own. Any type with tuner's members can be driven.
template <class Tuner, class Measurer, class Clock, class Watch>
    requires measure::measurer<Measurer>
void tune(Tuner& t, Measurer& measurer, Clock&& clock, Watch&& watch)
{
    detail::carry_batches(
        t, [&t] { return t.ask(t.ahead()); }, [&measurer](std::size_t) -> Measurer& { return measurer; }, clock,
        [&](const job&) { return detail::wants_end(watch, t.record()); });
}

template <class Tuner, class Carrier, class Watch>
    requires measure::measurer<Carrier> || pool<Carrier>
void tune(Tuner& t, Carrier& carrier, Watch&& watch)
{
    if constexpr (pool<Carrier>) {
        detail::carry_jobs(
            t, carrier, [&t](std::size_t n) { return t.ask(n); },
            [&t](const job& j, answer& a, double stamp) { t.tell(j, std::move(*a.measured), stamp, a.worker); },
            [&](const job&) { return detail::wants_end(watch, t.record()); });
    } else {
        tune(t, carrier, measure::wall_clock{}, watch);
    }
}

template <class Tuner, class Carrier>
    requires measure::measurer<Carrier> || pool<Carrier>
void tune(Tuner& t, Carrier& carrier)
{
    tune(t, carrier, detail::unwatched);
}

namespace detail {

/// A tuner that borrows its caller's generator and gives it back in its destructor, also after an exception.
template <class Space, class P, generator G>
struct borrowed {
    tuner<Space, typename strategy_in<P>::type, G> run;
    G& lender;

    borrowed(const Space& space, const P& how, const budget& limit, G& gen)
        : run(space, how, limit, std::move(gen)), lender(gen)
    {
    }
    borrowed(const borrowed&) = delete;
    borrowed& operator=(const borrowed&) = delete;
    ~borrowed() { lender = std::move(run).generator(); }
};

template <class Space, class Carrier, class P, class Clock, class Watch, class G>
tuning tune_as_asked(const Space& space, Carrier& carrier, const P& how, const budget& limit, Clock& clock,
                     Watch& watch, G& gen)
{
    borrowed<Space, P, G> with(space, how, limit, gen);
    tune(with.run, carrier, clock, watch);
    return std::move(with.run).record();
}

template <class Space, class Carrier, class P, class Watch, class G>
tuning tune_as_asked(const Space& space, Carrier& carrier, const P& how, const budget& limit, Watch& watch, G& gen)
{
    borrowed<Space, P, G> with(space, how, limit, gen);
    tune(with.run, carrier, watch);
    return std::move(with.run).record();
}

template <class Space, class Carrier, class P, class G>
tuning tune_as_asked(const Space& space, Carrier& carrier, const P& how, const budget& limit, G& gen)
{
    return tune_as_asked(space, carrier, how, limit, unwatched, gen);
}

}  // namespace detail

/// Searches `space` with the recipe or strategy `how` until the budget ends or the space is exhausted.
///
///     auto found = tk::tune(space, measure, tk::search::annealing{}, {.trials = 512}, gen);
///     if (found.found()) use(space.at(found.incumbent().candidate));
///     auto seen  = tk::tune(space, measure, tk::search::annealing{}, {.trials = 512}, watch, gen);
///     auto timed = tk::tune(space, measure, tk::search::annealing{}, {.trials = 512}, clock, watch, gen);
///
/// `carrier` is a measurer or a pool; `how` is a recipe or a strategy. Of a recipe it uses the strategy, the limits and
/// `ahead`. The measurer decides how often a candidate runs. With `tunekit/tune/tune_kernel.hpp` a kernel may take the
/// measurer's place. `clock` and `watch` are those of `tune(tuner, ...)`. The default clock is the wall clock, or that
/// of the pool.
///
/// Errors:     std::invalid_argument for a budget or a parameter out of range; those of `tuner`; whatever the measurer
///             throws. Failures of candidates are data. An empty space or a budget of 0 gives an empty record that says
///             why it stopped.
/// Randomness: only what the strategy draws from `gen`. The generator moves into the run and back at its end, also
///             after an exception.
template <class Space, class Carrier, class P, class... Behind>
    requires(sizeof...(Behind) >= 1 && sizeof...(Behind) <= 3)
[[nodiscard]] tuning tune(const Space& space, Carrier&& carrier, const P& how, const budget& limit, Behind&&... behind)
{
    using detail::carrier_fault, detail::generator_fault, detail::strategy_fault;
    using behind_budget = detail::behind_budget<Behind...>;
    using G = typename behind_budget::generator;
    using source = detail::generator_or_ours<G>;
    constexpr auto second = detail::fault_of_carrier<Carrier, Space, source>();
    constexpr auto third = detail::fault_of_strategy<typename strategy_in<P>::type, Space, source>();
    constexpr auto last = detail::fault_of_generator<G>();
    constexpr bool swapped = second == carrier_fault::strategy && third == strategy_fault::carrier;
    static_assert(space::counted<Space>,
                  "tunekit: tune, argument 1 is no space: size() const -> tunekit::index is missing");
    static_assert(!swapped,
                  "tunekit: tune, argument 2 is a strategy and argument 3 measures: want them the other way round");
    static_assert(swapped || second != carrier_fault::strategy,
                  "tunekit: tune, argument 2 is a strategy, want a measurer or a pool there, the strategy third");
    static_assert(
        second != carrier_fault::constant,
        "tunekit: tune, argument 2 is a const measurer, want a variable that measure(batch, limits) may change");
    static_assert(second != carrier_fault::kernel,
                  "tunekit: tune, argument 2 is a kernel: tunekit/tune/tune_kernel.hpp takes one with a recipe; here "
                  "want a measurer or a pool");
    static_assert(second != carrier_fault::unfit,
                  "tunekit: tune, argument 2 is no measurer: measure(std::span<const index>, const measure::limits&) "
                  "-> std::vector<measure::measurement> is missing");
    static_assert(swapped || third != strategy_fault::carrier,
                  "tunekit: tune, argument 3 is a measurer, want a strategy or a recipe");
    static_assert(third != strategy_fault::copy, "tunekit: tune, argument 3 is no strategy: it cannot be copied");
    static_assert(third != strategy_fault::start,
                  "tunekit: tune, argument 3 is no strategy: start(space) is missing, not const or not for this space");
    static_assert(third != strategy_fault::state,
                  "tunekit: tune, argument 3 is no strategy: the state that start(space) returns cannot be copied");
    static_assert(third != strategy_fault::propose,
                  "tunekit: tune, argument 3 is no strategy: propose(state, space, n, gen) is missing or not const");
    static_assert(third != strategy_fault::proposed,
                  "tunekit: tune, argument 3 is no strategy: propose(state, space, n, gen) does not return "
                  "std::vector<tunekit::index>");
    static_assert(third != strategy_fault::observe,
                  "tunekit: tune, argument 3 is no strategy: observe(state, space, batch, measured, gen) is missing, "
                  "not const or returns something");
    static_assert(
        last != generator_fault::seed,
        "tunekit: tune, the last argument is a number, want a generator made of it: tk::random::philox gen(seed)");
    static_assert(
        last != generator_fault::temporary,
        "tunekit: tune, the last argument is a temporary generator, want a variable, which goes on from where the "
        "run left it");
    static_assert(last != generator_fault::constant,
                  "tunekit: tune, the last argument is a const generator, want one that can be drawn from");
    static_assert(last != generator_fault::unfit,
                  "tunekit: tune, the last argument is no generator: unsigned operator()(), static min() or static "
                  "max() is missing");
    constexpr bool watches = behind_budget::template watches<const tuning&>;
    static_assert(watches,
                  "tunekit: tune, the argument before the generator is no observer: operator()(const tuning&) is "
                  "missing");
    static_assert(behind_budget::tells_time, "tunekit: tune, argument 5 is no clock: double operator()() is missing");
    constexpr bool two_times = behind_budget::clocked && pool<std::remove_reference_t<Carrier>>;
    static_assert(!two_times, "tunekit: tune, argument 5 is a clock, but a pool has a time of its own: leave it out");
    if constexpr (space::counted<Space> && second == carrier_fault::none && third == strategy_fault::none &&
                  last == generator_fault::none && watches && behind_budget::tells_time && !two_times)
        return detail::tune_as_asked(space, carrier, how, limit, behind...);
    else return {};  // said above
}

}  // namespace tunekit
