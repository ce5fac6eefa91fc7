// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A tuner with a log: asks, tells and drops are written as they happen, and an interrupted run can be resumed.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/processes/files/log_file.hpp"
#include "tunekit/processes/machine.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/records/detail/logged_view.hpp"
#include "tunekit/records/log.hpp"
#include "tunekit/records/read_log.hpp"
#include "tunekit/tune/tune.hpp"
#include "tunekit/tune/tune_tasks.hpp"

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
    std::string objective{};     ///< text of what made the costs; a resumed run must have the same
    log_content::about about{};  ///< what reports say of it
};

namespace detail {

template <class T>
inline constexpr bool are_tasks = std::is_convertible_v<const T&, std::span<const task>>;

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
/// Slots keep their length; another length is refused.
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
    logged(const std::string& path, Tuner t, const logged_options& options)
        : tuner_(std::move(t)),
          file_(options.resume ? log_file::take_up(path, options.sync) : log_file::create(path, options.sync)),
          past_(detail::parse_log(file_.text(), path)),
          path_(path),
          mixed_(options.mixed_devices)
    {
        if constexpr (requires { tuner_.name_values(options.value_names); })
            if (!options.value_names.empty()) tuner_.name_values(options.value_names);
        detail::check_beginning(file_.text(), past_, path);
        log_content::head is = header_of(options);
        if (past_.whole_bytes > 0) {
            const log_content::head& was = past_.header;
            const auto limit = tuner_.limit();
            if (detail::slots_open(limit)) is.slot_seconds = was.slot_seconds;
            compare(path, was, is);
            detail::begin_as(tuner_, was);
            std::uint64_t workers = replay(path);
            if (workers != is.workers) {
                detail::set_workers(tuner_, is.workers);
                write({.what = log_content::event::kind::workers, .n = is.workers});
            }
            if (detail::budget_of(tuner_.limit()) != is.budget)
                write({.what = log_content::event::kind::budget, .budget = is.budget});
            tuner_.set_limit(limit);
        } else {
            file_.keep(0);
            file_.append(is.line());
            for (log_content::event& e : known(is.tasks.size())) write(std::move(e));
        }
        if (file_.failed()) throw error(file_.problem());
    }

    /// A remark about the resumed log in one line, such as that an older version wrote it; else empty.
    [[nodiscard]] const std::string& note() const noexcept { return past_.note; }

    [[nodiscard]] std::vector<job> ask(std::size_t worker, std::size_t n)
    {
        const std::uint64_t before = tuner_.proposals();
        std::vector<job> out = tuner_.ask(worker, n);
        if (out.empty() && tuner_.proposals() == before) return out;
        if (write({.n = n, .jobs = out, .worker = worker})) return out;
        for (const job& j : out) tuner_.recall(j);  // what is not written down does not go out
        return {};
    }
    [[nodiscard]] std::vector<job> ask(std::size_t n) { return ask(0, n); }
    [[nodiscard]] std::optional<job> ask()
    {
        const std::vector<job> one = ask(0, 1);
        if (one.empty()) return std::nullopt;
        return one.front();
    }

    void tell(const job& j, measure::measurement m, double stamp, std::size_t worker)
    {
        tuner_.tell(j, m, stamp, worker);
        write({.what = log_content::event::kind::tell,
               .jobs = {j},
               .worker = worker,
               .about = {.device = met(worker) ? about_.at(worker).device : std::string()},
               .measured = std::move(m),
               .values = detail::space_of(tuner_, j.task).texts(j.candidate)});
    }
    void tell(const job& j, measure::measurement m, double stamp)
    {
        tell(j, std::move(m), stamp, detail::worker_of(tuner_, j));
    }
    void tell(const job& j, measure::measurement m)
    {
        const double stamp = tuner_.stamp() + m.build_seconds + m.run_seconds;
        tell(j, std::move(m), stamp);
    }
    /// Whether a worker's lines name its device, and from where on they do. The loops over a pool with `about` call it
    /// before a worker's first answer. Throws tunekit::error where the log's costs are of another device, unless
    /// `mixed_devices` allows it.
    [[nodiscard]] bool met(std::size_t worker) const { return about_.contains(worker); }
    /// Records the device of a worker, before its first answer, also where it has left since.
    void meet(std::size_t worker, worker_about about)
    {
        about.left.clear();
        if (!mixed_ && !device_.empty() && kinship_of(about.device, device_) != kinship::same)
            throw error("log " + path_ + ": its costs are of the device " + quoted_device(device_) + ", worker " +
                        std::to_string(worker) + " measures on " + quoted_device(about.device) +
                        "; resume on the same, name another file, or let devices mix");
        device_ = about.device;
        write({.what = log_content::event::kind::joined, .worker = worker, .about = about});
        about_.insert_or_assign(worker, std::move(about));
    }
    /// Records why a worker is used no more (`about.left`), whatever its device.
    void leave(std::size_t worker, worker_about about)
    {
        write({.what = log_content::event::kind::joined, .worker = worker, .about = std::move(about)});
    }
    void drop(const job& j)
    {
        tuner_.drop(j);
        write({.what = log_content::event::kind::drop, .jobs = {j}});
    }
    /// Records a measurement of the last comparison, which is no trial; rounds count from 0.
    void compared(std::uint64_t round, index candidate, measure::measurement m)
    {
        write({.what = log_content::event::kind::round,
               .n = round,
               .jobs = {{.candidate = candidate}},
               .measured = std::move(m),
               .values = detail::space_of(tuner_, 0).texts(candidate)});
    }
    /// Records why the run ended.
    void ended(std::string why) { write({.what = log_content::event::kind::ended, .why = std::move(why)}); }
    /// Takes back a job that nobody lost.
    void recall(const job& j)
    {
        tuner_.recall(j);
        write({.what = log_content::event::kind::recall, .jobs = {j}});
    }
    void time(double stamp) { tuner_.time(stamp); }
    void stop() { tuner_.stop(); }

    /// Checks that the log is still there and unchanged, as every write of a line does. A loop that waits for long may
    /// call it meanwhile. Returns false where the run should end; `problem()` says why.
    bool look()
    {
        if (file_.look()) return true;
        tuner_.stop();
        return false;
    }

    [[nodiscard]] bool over() const { return tuner_.over() || (file_.failed() && tuner_.outstanding() == 0); }
    [[nodiscard]] std::size_t outstanding() const noexcept { return tuner_.outstanding(); }
    [[nodiscard]] stop_reason stopped() const noexcept { return tuner_.stopped(); }
    [[nodiscard]] std::size_t ahead() const noexcept { return tuner_.ahead(); }
    [[nodiscard]] double stamp() const noexcept { return tuner_.stamp(); }
    [[nodiscard]] const auto& record() const noexcept { return tuner_.record(); }
    [[nodiscard]] std::size_t workers() const noexcept
        requires requires(const Tuner& t) { t.workers(); }
    {
        return tuner_.workers();
    }

    [[nodiscard]] bool failed() const noexcept { return file_.failed(); }
    [[nodiscard]] const std::string& problem() const noexcept { return file_.problem(); }
    [[nodiscard]] std::size_t replayed() const noexcept { return past_.trials.size(); }  ///< answers taken from the log

private:
    [[nodiscard]] log_content::head header_of(const logged_options& options) const
    {
        log_content::head out{
            .schema = log_content::head::of_events,
            .version = core::version_text(),
            .machine = options.machine.empty() ? to_text(this_machine()) : options.machine,
            .seed = options.seed,
            .strategy = options.strategy,
            .schedule = options.schedule,
            .seconds = tuner_.limit().seconds,
            .budget = detail::budget_of(tuner_.limit()),
            .value_names = options.value_names.empty() ? detail::record_of(tuner_, 0).value_names : options.value_names,
            .objective = options.objective,
            .about = options.about};
        detail::describe(out, tuner_, options.name);
        if (!detail::has_workers(tuner_)) out.workers = (std::max)(options.workers, std::uint64_t{1});
        return out;
    }

    /// The results that the run knew when it began, as events.
    [[nodiscard]] std::vector<log_content::event> known(std::size_t tasks) const
    {
        std::vector<log_content::event> out;
        for (std::size_t k = 0; k < tasks; ++k)
            for (const measure::trial& t : detail::record_of(tuner_, k).known())
                out.push_back({.what = log_content::event::kind::known,
                               .n = out.size(),
                               .jobs = {{.task = k, .candidate = t.candidate}},
                               .measured = t.measured,
                               .values = detail::space_of(tuner_, k).texts(t.candidate)});
        return out;
    }

    static void compare(const std::string& path, const log_content::head& was, const log_content::head& is)
    {
        const auto same = [&](const std::string& what, const std::string& a, const std::string& b) {
            if (a != b)
                throw error("log " + path + ": was written with " + what + " " + a + ", not " + b +
                            "; resume with the same, delete the log, or name another file");
        };
        same("schema", std::to_string(was.schema), std::to_string(is.schema));
        same("tunekit version", was.version, is.version);
        if (const kinship on = kinship_of(was.machine, is.machine); on != kinship::same)
            throw error("log " + path + ": was written on the machine " + quoted_device(was.machine) +
                        ", this one is " + quoted_device(is.machine) +
                        (on == kinship::kin ? ", a kin, whose times are its own" : "") +
                        "; resume there, delete the log, or name another file");
        same("seed", std::to_string(was.seed), std::to_string(is.seed));
        same("strategy", was.strategy, is.strategy);
        same("schedule", was.schedule, is.schedule);
        const auto listed = [](const log_content::head& h) {
            std::string out;
            for (const std::string& name : h.value_names) out += ' ' + name;
            return out.empty() ? "none" : out.substr(1);
        };
        same("measured values named", listed(was), listed(is));
        same("the objective", was.objective.empty() ? "cost" : was.objective,
             is.objective.empty() ? "cost" : is.objective);
        const auto told = [](const log_content::head& h) { return std::string(h.about.maximize ? "scores" : "costs"); };
        same("what is told as", told(was), told(is));
        same("a number of tasks of", std::to_string(was.tasks.size()), std::to_string(is.tasks.size()));
        for (std::size_t k = 0; k < is.tasks.size(); ++k) {
            same("task", was.tasks[k].name, is.tasks[k].name);
            const std::string which = " of task " + is.tasks[k].name + ',';
            if (was.tasks[k].size != is.tasks[k].size)
                throw error("log " + path + ": the space of its task " + is.tasks[k].name + " has " +
                            std::to_string(was.tasks[k].size) + " configurations, that of this run " +
                            std::to_string(is.tasks[k].size) +
                            "; resume with the same, delete the log, or name another file");
            same("a space of fingerprint" + which, std::to_string(was.tasks[k].fingerprint),
                 std::to_string(is.tasks[k].fingerprint));
        }
        if (was.slot_seconds != is.slot_seconds)
            same("slot seconds", std::to_string(was.slot_seconds), std::to_string(is.slot_seconds));
    }

    /// Tells the events again; then, and not before, the file is cut to its whole lines. Returns the number of workers
    /// at the end.
    std::uint64_t replay(const std::string& path)
    {
        std::vector<job> out;
        std::uint64_t workers = past_.header.workers;
        const std::vector<log_content::event> before = known(past_.header.tasks.size());
        std::size_t told = 0;  // of these
        detail::set_limit(tuner_, past_.header.budget);
        for (std::size_t i = 0; i < past_.events.size(); ++i) {
            const log_content::event& e = past_.events[i];
            const auto differs = [&](const std::string& what) {
                throw error("log " + path + ", line " + std::to_string(i + 2) + ": " + what +
                            "; the seed, the strategy's settings, the budget, the space or the version changed");
            };
            if (e.what == log_content::event::kind::known) {
                if (told == before.size() || before[told++].line() != e.line())
                    differs("this run knows something else from before");
                continue;
            }
            if (told != before.size()) differs("this run knows more from before");
            if (e.what == log_content::event::kind::round || e.what == log_content::event::kind::ended)
                continue;          // changes no tuner
            tuner_.time(e.stamp);  // by which slots end
            if (e.what == log_content::event::kind::workers) {
                detail::set_workers(tuner_, e.n);
                workers = e.n;
                continue;
            }
            if (e.what == log_content::event::kind::budget) {
                detail::set_limit(tuner_, e.budget);
                continue;
            }
            if (e.what == log_content::event::kind::joined) {
                if (e.about.left.empty()) device_ = e.about.device;  // who it is now is told when it answers
                continue;
            }
            if (e.what == log_content::event::kind::ask) {
                if (detail::has_workers(tuner_) && e.worker >= workers)
                    differs("a worker asks that the run does not have");
                std::vector<job> jobs;
                try {
                    jobs = tuner_.ask(e.worker, e.n);
                } catch (const std::exception& bad) {
                    differs(std::string("this run cannot ask for it: ") + bad.what());
                }
                if (jobs != e.jobs) differs("this run asks for something else");
                out.insert(out.end(), jobs.begin(), jobs.end());
                continue;
            }
            const job& j = e.jobs.front();
            std::erase_if(out, [&](const job& o) { return o.ticket == j.ticket; });
            try {
                if (e.what == log_content::event::kind::tell) tuner_.tell(j, e.measured, e.stamp, e.worker);
                else if (e.what == log_content::event::kind::drop) tuner_.drop(j);
                else tuner_.recall(j);
            } catch (const error& bad) {
                differs(bad.what());
            }
        }
        file_.keep(static_cast<std::size_t>(past_.whole_bytes));
        for (; told < before.size(); ++told) write(before[told]);
        for (const job& j : out) recall(j);
        return workers;
    }

    bool write(log_content::event e)
    {
        e.stamp = tuner_.stamp();
        if (file_.append(e.line())) return true;
        tuner_.stop();
        return false;
    }

    Tuner tuner_;
    log_file file_;
    log_content past_;
    std::string path_;
    bool mixed_;
    std::string device_{};  ///< of the latest line that names one
    std::map<std::size_t, worker_about> about_{};
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
        if constexpr (tunekit::detail::by_index<strategy> && !pool<std::remove_reference_t<Carrier>>) {
            tunekit::detail::any_measurer measurer(carrier);
            return {space, detail::logged_over(path, space, measurer, tunekit::detail::with_any_strategy(how), limit,
                                               log, options.begin_with.in(space, "tuner: begin_with"),
                                               {options.watch, options.clock})};
        } else {
            logged_options is = log;
            if constexpr (pool<std::remove_reference_t<Carrier>>) {
                tunekit::detail::require_no_clock(options.clock);
                is.workers = carrier.workers();
            }
            tuner t(space, how, limit, random::philox(log.seed));
            t.begin_with(options.begin_with);
            logged run(path, std::move(t), is);
            tunekit::detail::drive(run, carrier, options);
            if (!run.look()) throw error(run.problem());
            return {space, run.record()};
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

}  // namespace tunekit::io

#if TUNEKIT_BODIES || defined(TUNEKIT_RECORDS_BODIES)
namespace tunekit::io {

TUNEKIT_INLINE tuning detail::logged_over(const std::string& path, const space::any_space& space,
                                          tunekit::detail::any_measurer& carrier,
                                          const recipe<search::any_strategy>& how, const budget& limit,
                                          const logged_options& log, const std::vector<index>& first,
                                          const tunekit::detail::watched& options)
{
    tuner t(space, how, limit, random::philox(log.seed));
    t.begin_with(first);
    logged run(path, std::move(t), log);
    tunekit::detail::drive(run, carrier, options);
    if (!run.look()) throw error(run.problem());
    return run.record();
}

}  // namespace tunekit::io
#endif  // TUNEKIT_BODIES
