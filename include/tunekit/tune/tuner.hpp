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
#include <utility>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/random/generator.hpp"
#include "tunekit/search/concepts.hpp"
#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/detail/ledger.hpp"
#include "tunekit/tune/detail/roles.hpp"
#include "tunekit/tune/options.hpp"
#include "tunekit/tune/recipe.hpp"
#include "tunekit/tune/tuning.hpp"

namespace tunekit {

namespace detail {

/// A strategy on one space, with the books of its jobs. The record belongs to the caller.
template <class Space, class Strategy, generator G>
struct run {
    Space space;
    Strategy strategy;
    candidate_limits limits;
    G gen;
    search::state_of<Strategy, Space> state;
    ledger books;
    std::uint64_t proposals = 0;

    run(Space s, const Strategy& chosen, const candidate_limits& each, const budget& limit, G g)
        : space(std::move(s)),
          strategy(chosen),
          limits(each),
          gen(std::move(g)),
          state(strategy.start(space)),
          books(limit, space.size())
    {
    }

    [[nodiscard]] std::vector<job> ask(tuning& record, std::size_t n)
    {
        books.decide(record);
        if (record.stopped() != stop_reason::running || n == 0) return {};
        const measure::limits within = limits.at(record.best_cost());
        std::vector<job> out = books.waiting(record, n, within);
        if (!out.empty()) return out;
        n = (std::min)(n, books.room(record));
        if (n == 0) return {};
        while (out.empty()) {
            const std::vector<index> proposed = strategy.propose(state, std::as_const(space), n, gen);
            if (proposed.empty()) {
                if (books.idle()) record.stop(stop_reason::exhausted);
                break;
            }
            ++proposals;
            out = books.accept(proposed, n, within);  // empty: all of it is out already
        }
        return out;
    }

    /// Tells the strategy and the record what is known of a configuration.
    void know(tuning& record, index candidate, measure::measurement m)
    {
        books.check_known(candidate);
        measure::trial t = heard({candidate, std::move(m)});
        books.know(candidate);
        record.know(std::move(t));
    }

    /// True where the answer counted. It came at `stamp`; the record's time grows by `passed`.
    bool tell(tuning& record, const job& j, measure::measurement m, double passed, double stamp, std::size_t worker)
    {
        const bool counts = books.answered(j);
        (void)books.pass_to(stamp);
        if (counts) take(record, {j.candidate, std::move(m), worker}, passed);
        else record.pass(passed);
        if (books.idle()) books.decide(record);
        return counts;
    }

    /// True where it was the second loss of the configuration, which counts as an answer.
    bool drop(tuning& record, const job& j, bool lost)
    {
        if (!books.dropped(j, lost)) return false;
        take(record, {j.candidate, lost_for_good()}, 0);
        if (books.idle()) books.decide(record);
        return true;
    }

private:
    void take(tuning& record, measure::trial t, double passed) { record.append(heard(std::move(t)), passed); }

    /// What the strategy has heard of.
    [[nodiscard]] measure::trial heard(measure::trial t)
    {
        refuse_bad_cost(t.measured);
        strategy.observe(state, std::as_const(space), std::span<const index>(&t.candidate, 1),
                         std::span<const measure::measurement>(&t.measured, 1), gen);
        return t;
    }
};

}  // namespace detail

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
///             was answered or dropped already, or belongs to another configuration; for a stamp that is not finite, or a
///             failure of no kind; and for a strategy that proposes more than it was asked for, a configuration twice, or
///             one outside the space.
/// Randomness: only what the strategy draws. A `propose` that returns nothing must not draw.
/// Cost:       0.3 us per job besides the strategy's own (docs/performance.md); about 60 bytes per job besides its
///             measurement.
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
        run_.books.begin_with(first.in(run_.space, "tuner: begin_with"));
    }

    /// Tells a result that is known before the run, of another one or of a colleague. It is no trial, and its
    /// configuration is not measured again. The strategy hears of it, and the incumbent may be it.
    /// Throws tunekit::error once a job went out, std::invalid_argument for a configuration outside the space, told before,
    /// or given to begin_with.
    void know(index candidate, measure::measurement m) { run_.know(record_, candidate, std::move(m)); }
    /// The same by value.
    void know(const detail::configuration_of<Space>& c, measure::measurement m)
        requires space::typed<Space>
    {
        know(detail::index_in(run_.space, c, "tuner: know"), std::move(m));
    }

    /// The next job. Where it is empty, wait while anything is out; otherwise the run has ended.
    [[nodiscard]] std::optional<job> ask()
    {
        std::vector<job> one = ask(1);
        if (one.empty()) return std::nullopt;
        return one.front();
    }

    /// Up to `n` jobs of one kind: dropped ones, those of begin_with, or one proposal. Fewer than `n` jobs have no
    /// meaning of their own.
    [[nodiscard]] std::vector<job> ask(std::size_t n) { return run_.ask(record_, n); }
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
        run_.tell(record_, j, std::move(m), (std::max)(0.0, stamp - run_.books.stamp()), stamp, worker);
    }

    /// The budget in force.
    [[nodiscard]] const budget& limit() const noexcept { return run_.books.limit(); }
    /// Replaces the budget. A run that the old one has stopped goes on where the new one allows it.
    void set_limit(const budget& limit) { run_.books.set_limit(limit, record_); }

    /// Reports that time passed without an answer.
    void time(double stamp)
    {
        record_.pass(run_.books.pass_to(stamp));
        if (run_.books.idle()) run_.books.decide(record_);
    }

    /// Gives up a job that was lost with what measured it.
    void drop(const job& j) { run_.drop(record_, j, true); }
    /// Takes back a job that nobody lost, such as one that was out when the process ended: it goes out again, unmarked.
    void recall(const job& j) { run_.drop(record_, j, false); }

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
    [[nodiscard]] const Space& space() const& noexcept { return run_.space; }  ///< the space that is searched
    [[nodiscard]] Space space() && { return std::move(run_.space); }           ///< the space, moved out of the run
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
        : ahead_(how.ahead), run_(std::move(space), how.strategy, how.limits, limit, std::move(gen))
    {
        detail::check(how);
        run_.books.decide(record_);
    }

    std::size_t ahead_;
    detail::run<Space, Strategy, G> run_;
    tuning record_;
};

template <class Space, class P, class G>
tuner(Space, P, budget, G) -> tuner<Space, typename detail::parts_of<P>::strategy, G>;

}  // namespace tunekit
