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

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/records/detail/json_line.hpp"
#include "tunekit/tune/budget.hpp"

namespace tunekit::io {

/// The content of a log: its whole lines.
struct log_content {
    /// The budget of a run besides its seconds; with several tasks, the budget of each.
    struct budget {
        std::uint64_t trials = unlimited;            ///< of the run
        std::uint64_t patience = unlimited;          ///< trials without improvement
        std::uint64_t workers_per_task = unlimited;  ///< tasks_budget::max_workers_per_task

        friend bool operator==(const budget&, const budget&) = default;
    };

    /// What a report says of a run beside its numbers. A resumed run may have another.
    struct about {
        std::string title{};                             ///< what is tuned; empty: the task's name
        std::string unit = "s";                          ///< of costs; "s": they are times
        bool maximize = false;                           ///< whether costs are 1 / scores, which a report shows
        std::optional<index> untuned{};                  ///< what the winner is compared with
        std::vector<std::vector<std::string>> values{};  ///< by parameter: the texts of its values, in their order
        std::vector<std::string> goals{};  ///< of a front: "cost" and names of `measurement::values`; empty: one goal

        friend bool operator==(const about&, const about&) = default;
    };

    /// The first line of a log. It holds what must be the same in a resumed run.
    struct head {
        static constexpr int of_trials = 1;  ///< a schema: a line per trial, of older versions
        static constexpr int of_events = 2;  ///< a schema: a line per ask, tell or drop, written by `logged`

        int schema = of_trials;  ///< of_trials or of_events

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

        std::string version{};         ///< of tunekit
        std::string machine{};         ///< key of the machine that measures
        std::uint64_t seed = 0;        ///< of the run
        std::string strategy{};        ///< the caller's text
        std::string schedule{};        ///< the caller's text
        double seconds = 0;            ///< budget; a resumed run may have more
        double slot_seconds = 0;       ///< in force
        std::uint64_t batch = 0;       ///< trials asked for at a time; of schema 1
        std::uint64_t workers = 1;     ///< at the beginning; of schema 2, as is the next field
        log_content::budget budget{};  ///< at the beginning
        /// The names of `measurement::values`, in their order; at most measured_values::most.
        std::vector<std::string> value_names{};
        /// The text of the objective that made the costs (`measure::objective`); the costs that were measured are then
        /// the values called "cost". Empty: they are the costs.
        std::string objective{};
        log_content::about about{};       ///< for reports, of the only task
        std::vector<task_entry> tasks{};  ///< one at least

        /// The text of its line, without the line's end.
        [[nodiscard]] std::string line() const;
    };

    /// One line per trial.
    struct trial {
        std::uint64_t task = 0;                  ///< position in head::tasks
        std::uint64_t batch = 0;                 ///< 0, 1, ... over all tasks; of schema 1
        std::uint64_t worker = 0;                ///< the worker that measured it; of schema 2
        std::string device{};                    ///< the key of the device that it used; empty where it was not told
        index candidate = 0;                     ///< its index
        measure::limits limits{};                ///< in force when its run began
        measure::measurement measured{};         ///< its cost or failure
        std::int64_t ended_ns = 0;               ///< end of its measurement, since the start of the run
        std::optional<std::int64_t> stamp_ns{};  ///< of its batch; only on the batch's last trial
        std::vector<std::string> values{};  ///< the texts of its configuration's values; empty where the log has none

        /// The text of its line, without the line's end. A cost that is not a positive number is written as null, and
        /// so are times below 0.
        [[nodiscard]] std::string line() const;
    };

    /// One event of a run: an ask, a tell, a drop, a recall, a change of workers or budget, a result that was known
    /// before, a measurement of the last comparison, or the end. The log has one line each, in their order.
    struct event {
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
        log_content::budget budget{};       ///< of `budget`
        std::vector<std::string> values{};  ///< of a tell, known or round: the texts of its configuration's values
        std::string why{};                  ///< of `ended`

        /// The text of its line, without the line's end.
        [[nodiscard]] std::string line() const;
    };

    head header;                     ///< the first line
    std::vector<trial> trials;       ///< in the order of their answers
    std::vector<event> events;       ///< of a log of events
    std::int64_t whole_bytes = 0;    ///< up to the end of the last whole line; a torn line may follow
    std::string note{};              ///< a remark in one line, such as that it is an older log; else empty
    std::optional<error> problem{};  ///< of `read_log_beginning`: why the line after these could not be read
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
[[nodiscard]] inline std::string to_json(const log_content::budget& b)
{
    const auto number = [](std::uint64_t x) { return x == unlimited ? "null" : std::to_string(x); };
    return json_line()
        .member_json("trials", number(b.trials))
        .member_json("patience", number(b.patience))
        .member_json("workers_per_task", number(b.workers_per_task))
        .text();
}

[[nodiscard]] inline std::string to_json(const log_content::about& a)
{
    json_line line;
    line.member("title", a.title).member("unit", a.unit).member("maximize", a.maximize);
    if (a.untuned) line.member("untuned", *a.untuned);
    line.member("values", a.values);
    if (!a.goals.empty()) line.member("goals", a.goals);
    return line.text();
}

}  // namespace detail

inline std::string log_content::head::line() const
{
    std::string entries = "[";
    for (const auto& t : tasks) {
        if (entries.size() > 1) entries += ',';
        detail::json_line one;
        one.member("name", t.name).member("size", t.size).member("fingerprint", t.fingerprint);
        if (!t.parameters.empty()) one.member("parameters", t.parameters);
        if (t.flops > 0) one.member("flops", t.flops).member("weight", t.weight);
        entries += one.text();
    }
    detail::json_line out;
    out.member("tunekit_log", std::int64_t{schema})
        .member("version", version)
        .member("machine", machine)
        .member("seed", seed)
        .member("strategy", strategy)
        .member("schedule", schedule)
        .member("seconds", seconds)
        .member("slot_seconds", slot_seconds)
        .member("batch", batch);
    if (schema == of_events) out.member("workers", workers).member_json("budget", detail::to_json(budget));
    if (!value_names.empty()) out.member("measured", value_names);
    if (!objective.empty()) out.member("objective", objective);
    if (about != log_content::about{}) out.member_json("about", detail::to_json(about));
    return out.member_json("tasks", entries + ']').text();
}

namespace detail {

/// The text of a line with a trial behind what it has, with the trial's limits where it has some: what was known before
/// has none, nor has the last comparison.
[[nodiscard]] inline std::string trial_line(json_line line, const log_content::trial& t, bool limited)
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

inline std::string log_content::trial::line() const { return detail::trial_line({}, *this, true); }

inline std::string log_content::event::line() const
{
    const auto number = [](ticket t) { return static_cast<std::uint64_t>(t); };
    if (what == kind::workers) return detail::json_line().member("workers", n).member("stamp_s", stamp).text();
    if (what == kind::budget)
        return detail::json_line().member_json("budget", detail::to_json(budget)).member("stamp_s", stamp).text();
    if (what == kind::ended) return detail::json_line().member("ended", why).member("stamp_s", stamp).text();
    if (what == kind::joined) {
        detail::json_line out;
        out.member("joined", worker).member("host", about.host).member("device", about.device);
        out.member("local_rank", about.local_rank);
        if (const auto& r = about.against_first)
            out.member("against_first", std::vector<double>{r->value, r->low, r->high});
        if (!about.left.empty()) out.member("left", about.left);
        return out.member("stamp_s", stamp).text();
    }
    if (what == kind::drop || what == kind::recall)
        return detail::json_line()
            .member(what == kind::drop ? "drop" : "recall", number(jobs.at(0).ticket))
            .member("task", std::uint64_t{jobs[0].task})
            .member("index", jobs[0].candidate)
            .member("stamp_s", stamp)
            .text();
    const bool known = what == kind::known;
    if (what == kind::tell || known || what == kind::round) {
        const trial told{.task = jobs.at(0).task,
                         .candidate = jobs[0].candidate,
                         .limits = jobs[0].limits,
                         .measured = measured,
                         .ended_ns = detail::nanoseconds(stamp),
                         .stamp_ns = {},
                         .values = values};
        detail::json_line out;
        if (what != kind::tell) out.member(known ? "known" : "round", n);
        else out.member("tell", number(jobs[0].ticket)).member("worker", worker);
        if (!about.device.empty()) out.member("device", about.device);
        out.member("stamp_s", stamp);
        return detail::trial_line(std::move(out), told, what == kind::tell);
    }
    const measure::limits l = jobs.empty() ? measure::limits{} : jobs.front().limits;
    std::string given = "[";
    std::uint64_t carried = 0;
    for (const job& j : jobs) carried += j.carried ? 1 : 0;
    for (const job& j : jobs)
        given += (given.size() > 1 ? ",[" : "[") + std::to_string(number(j.ticket)) + ',' +
                 std::to_string(j.candidate) + ']';
    detail::json_line out;
    out.member("ask", n)
        .member("worker", worker)
        .member("stamp_s", stamp)
        .member("task", std::uint64_t{jobs.empty() ? 0 : jobs.front().task})
        .member_json("jobs", given + ']');
    if (carried > 0) out.member("carried", carried);  // they come first
    return out.member_json("limits", detail::to_json(l)).text();
}

}  // namespace tunekit::io
