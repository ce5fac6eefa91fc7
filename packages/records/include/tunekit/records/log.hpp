// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The lines of a tuning run's log: header, trials and events.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/tuning.hpp"

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

    /// How the costs of a run come about, in the words of who measures. Empty: not told, and not compared. A resumed
    /// run must have the same up to `limits`; what else differs is told in a note (`logged::note`).
    struct meaning {
        std::string cost{};         ///< how a cost is read
        std::string numbers{};      ///< how the numbers beside it are
        std::string program{};      ///< what is run
        std::string check{};        ///< what a right result is
        std::string limits{};       ///< what one configuration may take
        std::string environment{};  ///< of the program
        std::string build{};        ///< what is run before it
        std::string repeat{};       ///< how often it is run

        friend bool operator==(const meaning&, const meaning&) = default;
    };

    /// What a report says of a run beside its numbers. A resumed run may have another, but for `unit` and `maximize`.
    struct about {
        std::string title{};             ///< what is tuned; empty: the task's name
        std::string unit = "s";          ///< of costs; "s": they are times
        bool maximize = false;           ///< whether costs are 1 / scores, which a report shows
        std::optional<index> untuned{};  ///< what the winner is compared with
        bool never_worse = false;        ///< whether the run ends with it unless another was shown better
        std::vector<std::vector<std::string>> values{};  ///< by parameter: the texts of its values, in their order
        std::vector<std::string> goals{};  ///< of a front: "cost" and names of `measurement::values`; empty: one goal
        std::string space{};               ///< the JSON of a space file, from which the run can be taken up; else empty

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
        log_content::meaning meaning{};   ///< of the costs
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
            ended,    ///< `why` says why the run ended; a resumed one goes on
            checks    ///< what the run has seen of its machine so far, while it measured the task of the job
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
        machine_checks checks{};            ///< of `checks`
        std::string verdict{};              ///< of `ended`: what may be said of the winner; empty: nothing was found
        double seconds_to_separate = 0;     ///< of `ended`, as `tuning` has it

        /// The text of its line, without the line's end.
        [[nodiscard]] std::string line() const;
    };

    head header;                     ///< the first line
    std::vector<trial> trials;       ///< in the order of their answers
    std::vector<event> events;       ///< of a log of events
    std::int64_t whole_bytes = 0;    ///< up to the end of the last whole line; a torn line may follow
    bool torn = false;               ///< whether a line without its end follows, which is left out
    std::string note{};              ///< a remark in one line, such as that it is an older log; else empty
    std::optional<error> problem{};  ///< of `read_log_beginning`: why the line after these could not be read
};

namespace detail {

/// A member of a meaning.
struct meaning_member {
    const char* name;  ///< in a log
    std::string log_content::meaning::* at;
    const char* words;  ///< for a person
    bool same;          ///< whether a resumed run must have the same
};
inline constexpr meaning_member meaning_members[] = {
    {"cost", &log_content::meaning::cost, "the cost", true},
    {"numbers", &log_content::meaning::numbers, "the numbers", true},
    {"program", &log_content::meaning::program, "the program", true},
    {"check", &log_content::meaning::check, "the check", true},
    {"limits", &log_content::meaning::limits, "the limits", true},
    {"environment", &log_content::meaning::environment, "the environment", false},
    {"build", &log_content::meaning::build, "the build", false},
    {"repeat", &log_content::meaning::repeat, "the repeats", false}};

}  // namespace detail

}  // namespace tunekit::io
