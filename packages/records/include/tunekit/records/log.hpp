// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The lines of a tuning run's log: header, trials and events.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/records/detail/json_line.hpp"
#include "tunekit/tune/budget.hpp"

namespace tunekit::io {

inline constexpr int log_schema = 1;        ///< a line per trial, written by `session`
inline constexpr int event_log_schema = 2;  ///< a line per ask, tell or drop, written by `logged`

/// The budget of a run besides its seconds; with several tasks, the budget of each.
struct log_budget {
    std::uint64_t trials = unlimited;            ///< of the run
    std::uint64_t patience = unlimited;          ///< trials without improvement
    std::uint64_t workers_per_task = unlimited;  ///< tasks_budget::max_workers_per_task

    friend bool operator==(const log_budget&, const log_budget&) = default;
};

/// What a report says of a run beside its numbers. A resumed run may have another.
struct log_about {
    std::string title{};                             ///< what is tuned; empty: the task's name
    std::string unit = "s";                          ///< of costs; "s": they are times
    bool maximize = false;                           ///< whether costs are 1 / scores, which a report shows
    std::optional<index> untuned{};                  ///< what the winner is compared with
    std::vector<std::vector<std::string>> values{};  ///< by parameter: the texts of its values, in their order
    std::vector<std::string> goals{};  ///< of a front: "cost" and names of `measurement::values`; empty: one goal

    friend bool operator==(const log_about&, const log_about&) = default;
};

/// The first line of a log. It holds what must be the same in a resumed run.
struct log_header {
    int schema = log_schema;  ///< log_schema or event_log_schema

    /// What identifies a task.
    struct task_entry {
        std::string name{};             ///< of the task
        index size = 0;                 ///< configurations of its space
        std::uint64_t fingerprint = 0;  ///< of the space

        // For people and reports; not compared when a run is resumed. Of schema 2; older logs have none.
        std::vector<std::string> parameters{};  ///< their names; each trial has the texts of their values
        double flops = 0;                       ///< of one call; 0: not given
        double weight = 1;                      ///< calls in the model

        friend bool operator==(const task_entry& a, const task_entry& b)
        {
            return a.name == b.name && a.size == b.size && a.fingerprint == b.fingerprint;
        }
    };

    std::string version{};      ///< of tunekit
    std::string machine{};      ///< key of the machine that measures
    std::uint64_t seed = 0;     ///< of the run
    std::string strategy{};     ///< the caller's text
    std::string schedule{};     ///< the caller's text
    double seconds = 0;         ///< budget; a resumed run may have more
    double slot_seconds = 0;    ///< in force
    std::uint64_t batch = 0;    ///< trials asked for at a time; of schema 1
    std::uint64_t workers = 1;  ///< at the beginning; of schema 2, as is the next field
    log_budget budget{};        ///< at the beginning
    /// The names of `measurement::values`, in their order; at most measured_values::most.
    std::vector<std::string> value_names{};
    /// The text of the objective that made the costs (`measure::objective`); the costs that were measured are then the
    /// values called "cost". Empty: they are the costs.
    std::string objective{};
    log_about about{};                ///< for reports, of the only task
    std::vector<task_entry> tasks{};  ///< one at least
};

/// One line per trial.
struct log_trial {
    std::uint64_t task = 0;                  ///< position in log_header::tasks
    std::uint64_t batch = 0;                 ///< 0, 1, ... over all tasks; of schema 1
    std::uint64_t worker = 0;                ///< the worker that measured it; of schema 2
    std::string device{};                    ///< the key of the device that it used; empty where it was not told
    index candidate = 0;                     ///< its index
    measure::limits limits{};                ///< in force when its run began
    measure::measurement measured{};         ///< its cost or failure
    std::int64_t ended_ns = 0;               ///< end of its measurement, since the start of the run
    std::optional<std::int64_t> stamp_ns{};  ///< of its batch; only on the batch's last trial
    std::vector<std::string> values{};       ///< the texts of its configuration's values; empty where the log has none
};

namespace detail {

/// A stamp as a trial's line has it.
[[nodiscard]] inline std::int64_t nanoseconds(double stamp)
{
    constexpr double largest = 9.2e18;
    return static_cast<std::int64_t>(stamp * 1e9 < largest ? stamp * 1e9 : largest);
}

/// A time as a line has it: what is not a time becomes null there.
[[nodiscard]] inline double time_or_none(double seconds)
{
    return seconds >= 0 ? seconds : std::numeric_limits<double>::quiet_NaN();
}

/// The JSON of limits.
[[nodiscard]] inline std::string to_json(const measure::limits& l)
{
    json_line line;
    line.member("abandon_above", l.abandon_above).member("run_s", l.run_seconds).member("build_s", l.build_seconds);
    if (l.abandon_factor < std::numeric_limits<double>::infinity()) line.member("abandon_factor", l.abandon_factor);
    return line.text();
}

/// The JSON of a budget; what has no limit is null.
[[nodiscard]] inline std::string to_json(const log_budget& b)
{
    const auto number = [](std::uint64_t x) { return x == unlimited ? "null" : std::to_string(x); };
    return json_line()
        .member_json("trials", number(b.trials))
        .member_json("patience", number(b.patience))
        .member_json("workers_per_task", number(b.workers_per_task))
        .text();
}

[[nodiscard]] inline std::string to_json(const log_about& a)
{
    json_line line;
    line.member("title", a.title).member("unit", a.unit).member("maximize", a.maximize);
    if (a.untuned) line.member("untuned", *a.untuned);
    line.member("values", a.values);
    if (!a.goals.empty()) line.member("goals", a.goals);
    return line.text();
}

}  // namespace detail

/// The text of a header line, without the line's end.
[[nodiscard]] inline std::string to_line(const log_header& h)
{
    std::string tasks = "[";
    for (const auto& t : h.tasks) {
        if (tasks.size() > 1) tasks += ',';
        detail::json_line one;
        one.member("name", t.name).member("size", t.size).member("fingerprint", t.fingerprint);
        if (!t.parameters.empty()) one.member("parameters", t.parameters);
        if (t.flops > 0) one.member("flops", t.flops).member("weight", t.weight);
        tasks += one.text();
    }
    detail::json_line line;
    line.member("tunekit_log", std::int64_t{h.schema})
        .member("version", h.version)
        .member("machine", h.machine)
        .member("seed", h.seed)
        .member("strategy", h.strategy)
        .member("schedule", h.schedule)
        .member("seconds", h.seconds)
        .member("slot_seconds", h.slot_seconds)
        .member("batch", h.batch);
    if (h.schema == event_log_schema)
        line.member("workers", h.workers).member_json("budget", detail::to_json(h.budget));
    if (!h.value_names.empty()) line.member("measured", h.value_names);
    if (!h.objective.empty()) line.member("objective", h.objective);
    if (h.about != log_about{}) line.member_json("about", detail::to_json(h.about));
    return line.member_json("tasks", tasks + ']').text();
}

namespace detail {

/// The text of a line with a trial behind what it has, with the trial's limits where it has some: what was known before
/// has none, nor has the last comparison.
[[nodiscard]] inline std::string trial_line(json_line line, const log_trial& t, bool limited)
{
    line.member("task", t.task).member("batch", t.batch).member("index", t.candidate);
    if (!t.values.empty()) line.member("values", t.values);
    if (limited) line.member_json("limits", to_json(t.limits));
    const auto& m = t.measured;
    std::vector<double> batches = m.batches;
    for (double& x : batches) x = time_or_none(x);
    line.member("cost", m.cost > 0 ? m.cost : std::numeric_limits<double>::quiet_NaN());
    line.member("spread", time_or_none(m.spread)).member("runs", std::uint64_t{m.runs});
    line.member("at_least", m.at_least).member("build_s", time_or_none(m.build_seconds));
    line.member("run_s", time_or_none(m.run_seconds));
    if (m.failed)
        line.member_json("failed", json_line()
                                       .member("kind", to_text(m.failed->kind))
                                       .member("code", std::int64_t{m.failed->code})
                                       .member("message", m.failed->message)
                                       .text());
    line.member("batches", batches);
    if (m.values.size() != 0) line.member("measured", std::vector<double>(m.values.begin(), m.values.end()));
    if (m.checked == measure::check_state::ok) line.member("checked", "ok");
    line.member("ended_ns", t.ended_ns);
    if (t.stamp_ns) line.member("stamp_ns", *t.stamp_ns);
    return line.text();
}

}  // namespace detail

/// The text of a trial's line, without the line's end. A cost that is not a positive number is written as null, and so
/// are times below 0.
[[nodiscard]] inline std::string to_line(const log_trial& t) { return detail::trial_line({}, t, true); }

/// One event of a run: an ask, a tell, a drop, a recall, a change of workers or budget, a result that was known before,
/// a measurement of the last comparison, or the end. The log has one line each, in their order.
struct log_event {
    enum class kind : std::uint8_t {
        ask,
        tell,
        drop,
        recall,
        workers,  ///< the number of workers is n from here on
        budget,   ///< the run has this budget from here on
        joined,   ///< `about` describes the worker from here on, or says why it is used no more
        known,    ///< a result from before the run, which is no trial
        round,    ///< a measurement of the last comparison, which is no trial; n is its round
        ended     ///< `why` says why the run ended; a resumed one goes on
    };

    kind what = kind::ask;     ///< the kind of event
    std::uint64_t n = 0;       ///< ask: the number of jobs asked for; workers: their number; known: which, from 0
    std::vector<job> jobs{};   ///< ask: those given; tell, drop, recall, known: the one, its limits in a tell alone
    std::uint64_t worker = 0;  ///< of an ask, a tell or a joined worker
    worker_about about{};      ///< of a joined worker; in a tell only its device
    double stamp = 0;          ///< the run's time, seconds since it began
    measure::measurement measured{};    ///< of a tell, or known
    log_budget budget{};                ///< of `budget`
    std::vector<std::string> values{};  ///< of a tell, known or round: the texts of its configuration's values
    std::string why{};                  ///< of `ended`
};

/// The text of an event's line, without the line's end.
[[nodiscard]] inline std::string to_line(const log_event& e)
{
    const auto number = [](ticket t) { return static_cast<std::uint64_t>(t); };
    if (e.what == log_event::kind::workers)
        return detail::json_line().member("workers", e.n).member("stamp_s", e.stamp).text();
    if (e.what == log_event::kind::budget)
        return detail::json_line().member_json("budget", detail::to_json(e.budget)).member("stamp_s", e.stamp).text();
    if (e.what == log_event::kind::ended)
        return detail::json_line().member("ended", e.why).member("stamp_s", e.stamp).text();
    if (e.what == log_event::kind::joined) {
        detail::json_line line;
        line.member("joined", e.worker).member("host", e.about.host).member("device", e.about.device);
        line.member("local_rank", e.about.local_rank);
        if (const auto& r = e.about.against_first)
            line.member("against_first", std::vector<double>{r->value, r->low, r->high});
        if (!e.about.left.empty()) line.member("left", e.about.left);
        return line.member("stamp_s", e.stamp).text();
    }
    if (e.what == log_event::kind::drop || e.what == log_event::kind::recall)
        return detail::json_line()
            .member(e.what == log_event::kind::drop ? "drop" : "recall", number(e.jobs.at(0).ticket))
            .member("task", std::uint64_t{e.jobs[0].task})
            .member("index", e.jobs[0].candidate)
            .member("stamp_s", e.stamp)
            .text();
    const bool known = e.what == log_event::kind::known;
    if (e.what == log_event::kind::tell || known || e.what == log_event::kind::round) {
        const log_trial trial{.task = e.jobs.at(0).task,
                              .candidate = e.jobs[0].candidate,
                              .limits = e.jobs[0].limits,
                              .measured = e.measured,
                              .ended_ns = detail::nanoseconds(e.stamp),
                              .stamp_ns = {},
                              .values = e.values};
        detail::json_line line;
        if (e.what != log_event::kind::tell) line.member(known ? "known" : "round", e.n);
        else line.member("tell", number(e.jobs[0].ticket)).member("worker", e.worker);
        if (!e.about.device.empty()) line.member("device", e.about.device);
        line.member("stamp_s", e.stamp);
        return detail::trial_line(std::move(line), trial, e.what == log_event::kind::tell);
    }
    const measure::limits l = e.jobs.empty() ? measure::limits{} : e.jobs.front().limits;
    std::string jobs = "[";
    std::uint64_t carried = 0;
    for (const job& j : e.jobs) carried += j.carried ? 1 : 0;
    for (const job& j : e.jobs)
        jobs +=
            (jobs.size() > 1 ? ",[" : "[") + std::to_string(number(j.ticket)) + ',' + std::to_string(j.candidate) + ']';
    detail::json_line line;
    line.member("ask", e.n)
        .member("worker", e.worker)
        .member("stamp_s", e.stamp)
        .member("task", std::uint64_t{e.jobs.empty() ? 0 : e.jobs.front().task})
        .member_json("jobs", jobs + ']');
    if (carried > 0) line.member("carried", carried);  // they come first
    return line.member_json("limits", detail::to_json(l)).text();
}

}  // namespace tunekit::io
