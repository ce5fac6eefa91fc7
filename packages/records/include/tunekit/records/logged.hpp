// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A tuner with a log: asks, tells and drops are written as they happen, and an interrupted run can be resumed.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/processes/files/log_file.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/records/detail/cost_reading.hpp"
#include "tunekit/records/detail/logged_view.hpp"
#include "tunekit/records/log.hpp"
#include "tunekit/records/read_log.hpp"
#include "tunekit/tune/tune.hpp"
#include "tunekit/tune/tune_tasks.hpp"
#include "tunekit/tune/verdict.hpp"

namespace tunekit::io {

/// Options of a log: facts about the run that tunekit does not know itself.
struct logged_options {
    std::string name = "run";                            ///< of the tuned kernel; several tasks have their own names
    std::string strategy{};                              ///< any text; a resumed run must have the same
    std::string schedule{};                              ///< the same for the schedule of several tasks
    std::string machine{};                               ///< empty: the key of this machine
    std::uint64_t seed = 0;                              ///< of the run; a resumed run must have the same
    std::uint64_t workers = 1;                           ///< of a run over one space; several tasks know theirs
    bool mixed_devices = false;                          ///< workers on different devices may write into one log
    bool resume = false;                                 ///< resume an existing log; a missing one is begun
    log_file::sync sync = log_file::sync::every_second;  ///< when lines are flushed to the disk
    std::vector<std::string> value_names{};              ///< of measurement::values; empty: the tuner's (`name_values`)
    bool fastest = false;            ///< costs are those of the fastest runs (`measure::fastest_quarter`); see `logged`
    std::string objective{};         ///< text of what made the costs; a resumed run must have the same
    log_content::meaning meaning{};  ///< how the costs come about; see there what a resumed run must have
    log_content::about about{};      ///< what reports say of it
};

namespace detail {

template <class T>
inline constexpr bool are_tasks = std::is_convertible_v<const T&, std::span<const task>>;

/// Compares what the costs of a run mean with what those of a log do: names, objective, unit, `meaning`. Throws
/// tunekit::error for what must be the same; returns what else differs, in words.
[[nodiscard]] std::string compare_meaning(const std::string& path, const log_content::head& was,
                                          const log_content::head& is);

/// What `logged` does, for a run that each call is given.
class run_log {
public:
    /// Opens the log at `path` and reads it.
    run_log(const std::string& path, const logged_options& options);

    /// Replays what was read into `run`, or writes the first lines. Whether `run` was replayed: it then has its workers
    /// and still the log's budget, in which time stops nothing.
    bool begin(const logged_view& run, const logged_options& options);

    [[nodiscard]] std::vector<job> ask(const logged_view& run, std::size_t worker, std::size_t n);
    void tell(const logged_view& run, const job& j, measure::measurement m, double stamp, std::size_t worker);
    [[nodiscard]] bool met(std::size_t worker) const { return about_.contains(worker); }
    void meet(const logged_view& run, std::size_t worker, worker_about about);
    void leave(const logged_view& run, std::size_t worker, worker_about about);
    void take_back(const logged_view& run, const job& j, bool lost);
    void compared(const logged_view& run, std::size_t task, std::uint64_t round, index candidate,
                  measure::measurement m);
    void ended(const logged_view& run, std::string why, const std::optional<verdict>& says);
    void set_checks(const logged_view& run, std::size_t task, const machine_checks& seen);
    bool look(const logged_view& run);

    [[nodiscard]] bool failed() const noexcept { return file_.failed(); }
    [[nodiscard]] const std::string& problem() const noexcept { return file_.problem(); }
    [[nodiscard]] const std::string& note() const noexcept { return past_.note; }
    [[nodiscard]] std::size_t replayed() const noexcept { return past_.trials.size(); }

private:
    /// Tells the events again; then, and not before, the file is cut to its whole lines. Returns the number of workers
    /// at the end.
    std::uint64_t replay(const logged_view& run);
    bool write(const logged_view& run, log_content::event e);
    /// Throws where the costs of this run are read in another way than those of the log.
    void require_reading(const cost_reading& is) const;

    log_file file_;
    log_content past_;
    std::string path_;
    bool mixed_;
    std::string device_{};  ///< of the latest line that names one
    cost_reading read_{};   ///< of the trials that were read
    std::map<std::size_t, worker_about> about_{};
};

}  // namespace detail

/// A tuner with a log. It has the same members as the tuner, so every loop can run it. `Tuner` is a `tuner` or a
/// `tasks_tuner`.
///
///     tk::io::logged run("run.jsonl", tk::tuner(space, how, {.trials = 512}, tk::random::philox(1)),
///                        {.seed = 1, .resume = true});
///     tk::tune(run, measure);
///     use(run.record());
///
///     tk::io::logged all("model.jsonl", tk::tasks_tuner(tasks, how, {.seconds = 600}, pool.workers(), gen),
///                        {.seed = 1, .resume = true});
///     tk::tune_tasks(all, pool, {.watch = watch});
///
/// The line of an ask is written before its jobs go out, that of a tell once it is in the tuner. So SIGKILL at any
/// moment loses at most the jobs that were out. On resume the events are told again in their order, without measuring,
/// for any number of workers. Jobs that were out when the run was interrupted are recalled: they go out first,
/// unmarked. With one job out at a time the run continues as if it had not been interrupted. The log stores version,
/// machine and the spaces' fingerprints, and a resume compares them.
///
/// In each task the jobs that were out go out first. A run is replayed with the workers and the budget of the log, but
/// without its seconds, because stops by time are not decided again. Afterwards it has the workers and the budget of
/// the new run, which may differ. So a run that its trials or patience had stopped continues if that budget is raised.
/// Slots keep their length; another length is refused. So is another meaning of the costs, or of their unit, and other
/// first configurations; the error names what differs. So are costs that were read from their runs in another way, such
/// as their mean: with `logged_options::fastest` at once, also where the log does not have the runs, else at the first
/// answer that shows it, which is not written.
///
/// A log is read under its lock, and changed only after all of it was told again. So a refused resume changes no byte.
/// An empty log, or one whose first line is torn, is started again.
///
/// Errors: tunekit::error, one line: for a log that cannot be read or written, a log of another run (the line names the
/// difference), or an ask that gives other jobs than in the log. A write that fails later ends the run
/// (stop_reason::asked). So does a log that was deleted, replaced or cut; its lines are then saved beside it.
/// `failed()` and `problem()` tell.
template <class Tuner>
class logged {
public:
    /// Opens the log at `path` and replays it into `t` where there is one.
    logged(const std::string& path, Tuner t, const logged_options& options) : tuner_(std::move(t)), log_(path, options)
    {
        const auto limit = tuner_.limit();
        if (log_.begin(view(tuner_), options)) tuner_.set_limit(limit);
    }

    /// Remarks about the resumed log in one line, such as that the environment was another; else empty.
    [[nodiscard]] const std::string& note() const noexcept { return log_.note(); }

    [[nodiscard]] std::vector<job> ask(std::size_t worker, std::size_t n) { return log_.ask(view(tuner_), worker, n); }
    [[nodiscard]] std::vector<job> ask(std::size_t n) { return ask(0, n); }
    [[nodiscard]] std::optional<job> ask()
    {
        const std::vector<job> one = ask(0, 1);
        if (one.empty()) return std::nullopt;
        return one.front();
    }

    void tell(const job& j, measure::measurement m, double stamp, std::size_t worker)
    {
        log_.tell(view(tuner_), j, std::move(m), stamp, worker);
    }
    void tell(const job& j, measure::measurement m, double stamp)
    {
        tell(j, std::move(m), stamp, view(tuner_).worker_of(j));
    }
    void tell(const job& j, measure::measurement m)
    {
        const double stamp = tuner_.stamp() + m.build_seconds + m.run_seconds;
        tell(j, std::move(m), stamp);
    }
    /// Whether a worker's lines name its device, and from where on they do. The loops over a pool with `about` call it
    /// before a worker's first answer. Throws tunekit::error where the log's costs are of another device, unless
    /// `mixed_devices` allows it.
    [[nodiscard]] bool met(std::size_t worker) const { return log_.met(worker); }
    /// Records the device of a worker, before its first answer, also where it has left since.
    void meet(std::size_t worker, worker_about about) { log_.meet(view(tuner_), worker, std::move(about)); }
    /// Records why a worker is used no more (`about.left`), whatever its device.
    void leave(std::size_t worker, worker_about about) { log_.leave(view(tuner_), worker, std::move(about)); }
    void drop(const job& j) { log_.take_back(view(tuner_), j, true); }
    /// Records a measurement of a task's last comparison, which is no trial; rounds count from 0.
    void compared(std::uint64_t round, index candidate, measure::measurement m, std::size_t task = 0)
    {
        log_.compared(view(tuner_), task, round, candidate, std::move(m));
    }
    /// The same of all that a task's record has.
    void compared(std::span<const std::vector<measure::trial>> rounds, std::size_t task = 0)
    {
        for (std::size_t r = 0; r < rounds.size(); ++r)
            for (const measure::trial& t : rounds[r]) compared(r, t.candidate, t.measured, task);
    }
    /// Records why the run ended, and the verdict on its winner.
    void ended(std::string why, const std::optional<verdict>& says = std::nullopt)
    {
        log_.ended(view(tuner_), std::move(why), says);
    }
    /// Sets what is known of the machine, and records it.
    void set_checks(std::size_t task, const machine_checks& seen) { log_.set_checks(view(tuner_), task, seen); }
    /// What the strategy expects of ln cost of a job that is out.
    [[nodiscard]] std::optional<stats::prediction> expected(const job& j) const { return tuner_.expected(j); }
    /// The limits of each candidate, as the recipe has them.
    [[nodiscard]] const candidate_limits& limits() const noexcept { return tuner_.limits(); }
    /// Takes back a job that nobody lost.
    void recall(const job& j) { log_.take_back(view(tuner_), j, false); }
    void time(double stamp) { tuner_.time(stamp); }
    void stop() { tuner_.stop(); }

    /// Checks that the log is still there and unchanged, as every write of a line does. A loop that waits for long may
    /// call it meanwhile. Returns false where the run should end; `problem()` says why.
    bool look() { return log_.look(view(tuner_)); }

    [[nodiscard]] bool over() const { return tuner_.over() || (log_.failed() && tuner_.outstanding() == 0); }
    [[nodiscard]] std::size_t outstanding() const noexcept { return tuner_.outstanding(); }
    [[nodiscard]] stop_reason stopped() const noexcept { return tuner_.stopped(); }
    [[nodiscard]] std::size_t ahead() const noexcept { return tuner_.ahead(); }
    [[nodiscard]] double stamp() const noexcept { return tuner_.stamp(); }
    [[nodiscard]] const auto& record() const noexcept { return tuner_.record(); }
    [[nodiscard]] const auto& limit() const noexcept { return tuner_.limit(); }  ///< the budget in force
    [[nodiscard]] std::size_t workers() const noexcept
        requires requires(const Tuner& t) { t.workers(); }
    {
        return tuner_.workers();
    }

    [[nodiscard]] bool failed() const noexcept { return log_.failed(); }
    [[nodiscard]] const std::string& problem() const noexcept { return log_.problem(); }
    [[nodiscard]] std::size_t replayed() const noexcept { return log_.replayed(); }  ///< answers taken from the log

private:
    using view = detail::view_of<Tuner>;

    Tuner tuner_;
    detail::run_log log_;
};

namespace detail {

/// `logged_run` over a measurer, for a strategy that asks about indices alone.
[[nodiscard]] tuning logged_over(const std::string& path, const space::any_space& space,
                                 tunekit::detail::any_measurer& carrier, const recipe<search::any_strategy>& how,
                                 const budget& limit, const logged_options& log, const std::vector<index>& first,
                                 const tunekit::detail::watched& options);

}  // namespace detail

/// `tune` with a log, in one call. An existing log is resumed with `options.resume`, and is an error without.
///
///     auto found = tk::io::logged_run("run.jsonl", space, measure, tk::recipes::combined(), {.trials = 512},
///                                     {.name = "conv1", .strategy = "combined", .seed = 1, .resume = true});
///
/// `log` is the log's, `options` are those of `tune`: its watch is not called for trials from the log. The generator is
/// a philox of the seed.
/// Errors: those of `logged` and `tune`. If the log can no longer be written, it throws at the end, after the jobs that
/// were out have been answered.
template <class Space, class Carrier, class P>
    requires(!detail::are_tasks<Space>)
[[nodiscard]] tuned<Space> logged_run(const std::string& path, const Space& space, Carrier&& carrier, const P& how,
                                      const budget& limit, const logged_options& log,
                                      const std::type_identity_t<tune_options<Space>>& options = {})
{
    if constexpr (tunekit::detail::fit_tune<Space, Carrier, P, random::philox&>()) {
        using strategy = typename tunekit::detail::parts_of<P>::strategy;
        logged_options is = log;
        const auto baseline = options.baseline.in(space, "tune: baseline");
        const bool may_be_worse = options.may_be_worse || !measure::measures_time(carrier);
        if (baseline) is.about.untuned = baseline;
        is.about.never_worse = is.about.never_worse || (baseline && !may_be_worse);
        const auto first = tunekit::detail::first_of(space, options, baseline);
        const auto chosen = tunekit::detail::with_experience(how, options.experience);
        if constexpr (tunekit::detail::by_index<strategy> && !pool<std::remove_reference_t<Carrier>>) {
            tunekit::detail::any_measurer measurer(carrier);
            return tunekit::detail::ended_with(
                space,
                detail::logged_over(path, space, measurer, tunekit::detail::with_any_strategy(chosen), limit, is, first,
                                    {options.watch, options.clock, options.checks}),
                baseline, may_be_worse);
        } else {
            if constexpr (pool<std::remove_reference_t<Carrier>>) {
                tunekit::detail::require_no_clock(options.clock);
                is.workers = carrier.workers();
            }
            tuner t(space, chosen, limit, random::philox(log.seed));
            t.begin_with(first);
            logged run(path, std::move(t), is);
            tunekit::detail::drive(run, carrier, options);
            if (!run.look()) throw error(run.problem());
            return tunekit::detail::ended_with(space, run.record(), baseline, may_be_worse);
        }
    }
}

/// The same for several tasks with a pool. The run has a worker for each job that the pool can hold.
template <pool Pool, class P>
[[nodiscard]] plan logged_run(const std::string& path, std::span<const task> tasks, Pool& carrier, const P& how,
                              const tasks_budget& limit, const logged_options& log,
                              const tune_tasks_options& options = {})
{
    tunekit::detail::require_no_clock(options.clock);  // before there is a log
    random::philox gen(log.seed);
    logged run(path, tasks_tuner(tasks, how, limit, (std::max)(carrier.workers(), carrier.room()), gen), log);
    tune_tasks(run, carrier, options);
    if (!run.look()) throw error(run.problem());
    return run.record();
}

/// The same by the tasks' own measurers, one configuration at a time.
template <class P>
    requires(!pool<P>)
[[nodiscard]] plan logged_run(const std::string& path, std::span<task> tasks, const P& how, const tasks_budget& limit,
                              const logged_options& log, const tune_tasks_options& options = {})
{
    random::philox gen(log.seed);
    logged run(path, tasks_tuner(tasks, how, limit, 1, gen), log);
    tune_tasks(run, tasks, options);
    if (!run.look()) throw error(run.problem());
    return run.record();
}

}  // namespace tunekit::io
