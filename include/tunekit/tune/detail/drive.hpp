// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The body of `tune`, and what a compiler says of calls that lack an argument.

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/random/generator.hpp"
#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/detail/loop.hpp"
#include "tunekit/tune/detail/roles.hpp"
#include "tunekit/tune/detail/seen.hpp"
#include "tunekit/tune/options.hpp"
#include "tunekit/tune/recipe.hpp"
#include "tunekit/tune/tuned.hpp"
#include "tunekit/tune/tuner.hpp"
#include "tunekit/tune/tuning.hpp"
#include "tunekit/tune/verdict.hpp"

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

/// What to measure first, in its order: the baseline, then what else the options begin with.
template <class Space>
[[nodiscard]] std::vector<index> first_of(const Space& space, const tune_options<Space>& options,
                                          std::optional<index> baseline)
{
    auto out = options.begin_with.in(space, "tuner: begin_with");
    if (!baseline) return out;
    std::erase(out, *baseline);
    out.insert(out.begin(), *baseline);
    return out;
}

/// What may be said of the best of a run without a race. One whose costs are times ends with the baseline unless
/// another was shown to be faster, or `may_be_worse`.
[[nodiscard]] verdict unraced(const tuning& record, index baseline, bool may_be_worse);

/// The record with its space, and what may be said of its best.
template <class Space>
[[nodiscard]] tuned<Space> ended_with(const Space& space, tuning record, std::optional<index> baseline,
                                      bool may_be_worse)
{
    tuned<Space> out{space, std::move(record), baseline};
    if (baseline) out.conclude(unraced(out, *baseline, may_be_worse));
    return out;
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

#if TUNEKIT_BODIES
#include "tunekit/tune/last_comparison.hpp"

namespace tunekit::detail {

TUNEKIT_INLINE verdict unraced(const tuning& record, index baseline, bool may_be_worse)
{
    return concluded(record, {}, baseline, may_be_worse);
}

}  // namespace tunekit::detail
#endif  // TUNEKIT_BODIES
