// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The ask-and-tell interface of a run over one space. Every loop of the library uses it, and yours can.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/random/generator.hpp"
#include "tunekit/search/concepts.hpp"
#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/detail/ledger.hpp"
#include "tunekit/tune/detail/roles.hpp"
#include "tunekit/tune/detail/run.hpp"
#include "tunekit/tune/detail/seen.hpp"
#include "tunekit/tune/options.hpp"
#include "tunekit/tune/recipe.hpp"
#include "tunekit/tune/tuning.hpp"

namespace tunekit {

/// One run over one space, driven from outside: ask for jobs and tell their measurements, in any order.
///
///     tk::tuner t(space, tk::recipes::combined(), {.trials = 512}, gen);
///     while (auto job = t.ask()) t.tell(*job, measure_one(*job));
///     if (t.record().found()) use(space.at(t.record().incumbent().candidate));
///
/// It has no clock, no thread and no files. It refers to nothing outside itself, so a copy of it is a fork of the run.
/// `tune`, the pools, logs and resumption are loops over it.
///
///   * After an empty `ask`, wait while anything is out; where nothing is out, the run has ended. A loop for several
///     jobs at a time is `while (!t.over())`: fill, collect, tell.
///   * A dropped or recalled job goes out again before anything new, under a new ticket and with the limits of that
///     moment. A configuration that is dropped a second time is a failure of kind `lost`.
///   * The answer to a dropped job counts while its configuration has no other answer. Later it is ignored, and counted
///     in `late()`.
///   * A run that has stopped stays stopped. Jobs that are out are still recorded, and may become the incumbent.
///   * The run's time comes from the stamps of `tell` and `time`, in seconds since the run began. It never goes back.
///
/// Everything follows from the generator and the order of events. With one job out at a time, or with `ask(n)` once per
/// batch, a run proposes what its strategy would propose without a tuner.
///
/// Errors:     std::invalid_argument for a setting out of range. tunekit::error for a ticket that was never given out,
///             was answered or dropped already, or belongs to another configuration; for a stamp that is not finite, or
///             a failure of no kind; and for a strategy that proposes more than it was asked for, a configuration
///             twice, or one outside the space.
/// Randomness: only what the strategy draws. A `propose` that returns nothing must not draw.
/// Cost:       0.3 us per job in addition to the strategy's (docs/studies/performance.md); about 60 bytes per job
///             besides its measurement.
template <class Space, class Strategy, class G>
class tuner {
    static_assert(detail::fit_tuner<Space, Strategy, G>());  // has said what is wrong

public:
    /// Begins a run over `space` by the recipe or strategy `how`.
    template <class P>
    tuner(Space space, const P& how, budget limit, G gen)
        : tuner(std::move(space), limit, std::move(gen), detail::as_recipe(how))
    {
    }

    /// Configurations to send out before the strategy is asked, such as the untuned one or the best of another run,
    /// by value or by index. Each counts as a trial. Those that went out or are known already are left out. Throws
    /// std::invalid_argument for one outside the space.
    void begin_with(const detail::configurations<Space>& first)
    {
        run_.books.begin_with(first.in(space_, "tuner: begin_with"));
    }

    /// Tells a result that is known before the run, of another one or of a colleague. It is no trial, and its
    /// configuration is not measured again. The strategy hears of it, and the incumbent may be it. Of two results of a
    /// configuration the first counts: false for the second, which changes nothing. Throws tunekit::error once a job
    /// went out, std::invalid_argument for a configuration outside the space or given to begin_with.
    bool know(index candidate, measure::measurement m) { return run_.know(seen(), record_, candidate, std::move(m)); }
    /// The same by value.
    bool know(const detail::configuration_of<Space>& c, measure::measurement m)
        requires space::typed<Space>
    {
        return know(detail::index_in(space_, c, "tuner: know"), std::move(m));
    }

    /// Names the values of the measurements, in their order: `tuning::value_names` of the record, and the log's.
    /// Errors: std::invalid_argument for more than `measured_values::most`.
    void name_values(std::vector<std::string> names)
    {
        require(names.size() <= measure::measured_values::most,
                "tuner: name_values has more than 8 names, want at most 8");
        record_.value_names = std::move(names);
    }

    /// The next job. If it is empty, wait while anything is out; otherwise the run has ended.
    [[nodiscard]] std::optional<job> ask()
    {
        std::vector<job> one = ask(1);
        if (one.empty()) return std::nullopt;
        return one.front();
    }

    /// Up to `n` jobs of one kind: dropped ones, those of begin_with, or one proposal. Fewer than `n` jobs have no
    /// meaning of their own.
    [[nodiscard]] std::vector<job> ask(std::size_t n) { return run_.ask(seen(), record_, n); }
    /// The same for a worker. All workers of a run over one space get what comes next.
    [[nodiscard]] std::vector<job> ask(std::size_t, std::size_t n) { return ask(n); }

    /// Reports the measurement of a job. The run's time grows by the seconds that the measurement took.
    void tell(const job& j, measure::measurement m)
    {
        const double took = m.build_seconds + m.run_seconds;
        tell(j, std::move(m), run_.books.stamp() + took);
    }

    /// The same at `stamp`, in seconds since the run began.
    void tell(const job& j, measure::measurement m, double stamp) { tell(j, std::move(m), stamp, 0); }

    /// The same from a worker, which the record names.
    void tell(const job& j, measure::measurement m, double stamp, std::size_t worker)
    {
        detail::ledger::check_answer(m, stamp);
        run_.tell(seen(), record_, j, std::move(m), (std::max)(0.0, stamp - run_.books.stamp()), stamp, worker);
    }

    /// The budget in force.
    [[nodiscard]] const budget& limit() const noexcept { return run_.books.limit(); }
    /// Replaces the budget. A run that the old one has stopped goes on if the new one allows it.
    void set_limit(const budget& limit) { run_.books.set_limit(limit, record_); }

    /// Reports that time passed without an answer.
    void time(double stamp)
    {
        record_.pass(run_.books.pass_to(stamp));
        if (run_.books.idle()) run_.books.decide(record_);
    }

    /// Gives up a job that was lost with what measured it.
    void drop(const job& j) { run_.drop(seen(), record_, j, true); }
    /// Takes back a job that nobody lost, such as one that was out when the process ended: it goes out again, unmarked.
    void recall(const job& j) { run_.drop(seen(), record_, j, false); }

    /// What the strategy expects of ln cost of a job that is out; empty if it has no model, or none yet.
    [[nodiscard]] std::optional<stats::prediction> expected(const job& j) const
    {
        return detail::expectation(run_, seen(), j.candidate);
    }

    /// The limits of each candidate, as the recipe has them.
    [[nodiscard]] const candidate_limits& limits() const noexcept { return run_.limits; }

    /// Sets what is known of the machine (`tuning::checks`); a run over one space has task 0 alone.
    void set_checks(std::size_t, const machine_checks& seen) noexcept { record_.set_checks(seen); }

    /// Ends the run. Jobs that are out may still be told.
    void stop()
    {
        if (record_.stopped() == stop_reason::running) record_.stop(stop_reason::asked);
    }

    /// Whether the run is over: nothing is out, and nothing will go out again. An empty `ask` tells a run that its
    /// space is exhausted.
    [[nodiscard]] bool over() const { return run_.books.idle() && record_.stopped() != stop_reason::running; }

    [[nodiscard]] std::size_t outstanding() const noexcept { return run_.books.out(); }
    [[nodiscard]] stop_reason stopped() const noexcept { return record_.stopped(); }
    [[nodiscard]] std::uint64_t late() const noexcept
    {
        return run_.books.late();
    }  ///< answers that came too late to count

    [[nodiscard]] const tuning& record() const& noexcept { return record_; }
    [[nodiscard]] tuning record() && { return std::move(record_); }
    [[nodiscard]] const Space& space() const& noexcept { return space_; }  ///< the space that is searched
    [[nodiscard]] Space space() && { return std::move(space_); }           ///< the space, moved out of the run
    /// The generator, as far as it has been drawn from.
    [[nodiscard]] const G& generator() const& noexcept { return run_.gen; }
    [[nodiscard]] G generator() && { return std::move(run_.gen); }  ///< the generator, moved out of the run

    [[nodiscard]] std::size_t ahead() const noexcept { return ahead_; }  ///< configurations per request, by the recipe
    [[nodiscard]] double stamp() const noexcept { return run_.books.stamp(); }  ///< the run's time, in seconds
    /// The number of proposals of the strategy. It changes with every `ask` that changed the strategy's state.
    [[nodiscard]] std::uint64_t proposals() const noexcept { return run_.proposals; }

private:
    template <class R, class D>
    tuner(Space space, const budget& limit, G gen, const recipe<Strategy, R, D>& how)
        : space_(std::move(space)), ahead_(how.ahead), run_(seen(), how.strategy, how.limits, limit, std::move(gen))
    {
        detail::check(how);
        run_.books.decide(record_);
    }

    using seen_space = detail::seen_by<Strategy, Space>;
    [[nodiscard]] const seen_space& seen() const noexcept { return detail::seen<Strategy>(space_); }

    Space space_;
    std::size_t ahead_;
    detail::run<seen_space, Strategy, G> run_;
    tuning record_;
};

template <class Space, class P, class G>
tuner(Space, P, budget, G) -> tuner<Space, typename detail::parts_of<P>::strategy, G>;

}  // namespace tunekit
