// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Reads a run for a report from its log.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/objective.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/records/read_log.hpp"
#include "tunekit/report/run.hpp"

namespace tunekit::report {

namespace detail {

using io::detail::bytes_of_log;

/// Gives a task the goals of these names; none where one of them is unknown.
inline void take_goals(seen_task& to, const std::vector<std::string>& names)
{
    for (const std::string& name : names) {
        const auto at = std::find(to.value_names.begin(), to.value_names.end(), name);
        if (name != "cost" && at == to.value_names.end()) return to.goals.clear();
        to.goals.push_back(name == "cost" ? 0 : static_cast<std::size_t>(at - to.value_names.begin()) + 1);
    }
}

/// Judges all measurements of a task by another objective.
inline void judge(seen_task& t, const std::string& text)
{
    const measure::objective goal(text, t.value_names);
    const std::vector<std::string> before = t.value_names;
    t.rounds.clear();       // their finalists were the best by what was lowered then,
    t.never_worse = false;  // and so was what the run ended with
    t.seconds_to_separate = 0;
    for (auto* const all : {&t.known, &t.trials})
        for (seen_task::trial& x : *all) x.measured = measure::judged(std::move(x.measured), goal, before);
    t.value_names = measure::judged_names(before);
    t.objective = text;
    t.goals.clear();
}

}  // namespace detail

/// Reads the run from the log at `path`, of either schema. A torn or broken log is read as far as possible, and
/// `problems` says so. Logs of schema 1 have no names of parameters and no values. With an `objective` (the text of a
/// `measure::objective`) all is judged by that, and what was measured is what the log kept.
/// Errors: tunekit::error where not even the header can be read; std::invalid_argument for an objective that the log
///         has no numbers for, or where it has several tasks.
[[nodiscard]] inline seen_run seen_run_of_log(const std::string& path, const std::string& objective = {})
{
    const io::log_content log = io::read_log_beginning(path);
    seen_run out;
    if (log.problem) out.problems.emplace_back(log.problem->what());
    if (log.torn) out.problems.push_back("log " + path + ": its last line has no end, and is left out");
    const auto& h = log.header;
    for (const auto& t : h.tasks) {
        seen_task one{.name = detail::bytes_of_log(t.name), .size = t.size, .flops = t.flops, .weight = t.weight};
        for (const auto& p : t.parameters) one.parameters.push_back(detail::bytes_of_log(p));
        out.tasks.push_back(std::move(one));
    }
    out.workers = h.workers;
    std::map<ticket, double> went_out;
    double separable = 0;
    std::vector<std::optional<double>> asked;  // of each trial: its tell is the event of the same order
    const auto measured_of = [](measure::measurement m) {
        if (m.failed) m.failed->message = detail::bytes_of_log(m.failed->message);
        return m;
    };
    const auto all_bytes = [](const std::vector<std::string>& from) {
        std::vector<std::string> to;
        for (const auto& v : from) to.push_back(detail::bytes_of_log(v));
        return to;
    };
    for (const io::log_content::event& e : log.events) {
        if (e.what == io::log_content::event::kind::ended)
            out.stopped = detail::bytes_of_log(e.why), out.seconds = e.stamp, separable = e.seconds_to_separate;
        if (e.what == io::log_content::event::kind::known || e.what == io::log_content::event::kind::round) {
            seen_task& of = out.tasks[e.jobs.front().task];
            const bool round = e.what == io::log_content::event::kind::round;
            auto& to = round ? of.rounds : of.known;
            if (round && e.n == 0 && !to.empty() &&
                (to.back().round > 0 || to.front().candidate == e.jobs.front().candidate))
                to.clear();  // a comparison that was made again
            to.push_back({.candidate = e.jobs.front().candidate,
                          .values = all_bytes(e.values),
                          .measured = measured_of(e.measured),
                          .stamp = e.stamp,
                          .round = e.n});
        }
        if (e.what == io::log_content::event::kind::checks) out.tasks[e.jobs.front().task].checks = e.checks;
        if (e.what == io::log_content::event::kind::tell)
            out.tasks[e.jobs.front().task].rounds.clear(), out.stopped.clear();
        if (e.what == io::log_content::event::kind::ask)
            for (const job& j : e.jobs) went_out[j.ticket] = e.stamp;
        if (e.what != io::log_content::event::kind::tell) continue;
        const auto out_at = went_out.find(e.jobs.front().ticket);
        asked.push_back(out_at == went_out.end() ? std::nullopt : std::optional(out_at->second));
    }
    for (const io::log_content::trial& t : log.trials) {
        seen_task::trial one{.candidate = t.candidate,
                             .measured = measured_of(t.measured),
                             .stamp = static_cast<double>(t.stamp_ns.value_or(t.ended_ns)) / 1e9,
                             .worker = t.worker};
        if (const auto k = static_cast<std::size_t>(&t - log.trials.data()); k < asked.size()) one.asked = asked[k];
        one.values = all_bytes(t.values);
        out.seconds = (std::max)(out.seconds, one.stamp);
        out.workers = (std::max)(out.workers, t.worker + 1);
        out.tasks[t.task].trials.push_back(std::move(one));
    }
    out.title =
        h.tasks.size() == 1 ? out.tasks.front().name : "A model of " + std::to_string(h.tasks.size()) + " tasks";
    require(objective.empty() || out.tasks.size() == 1,
            "log " + path + ": has several tasks, want one for another objective");
    if (out.tasks.size() == 1) {
        seen_task& of = out.tasks.front();
        of.unit = {detail::bytes_of_log(h.about.unit), h.about.maximize};
        of.baseline = h.about.untuned;
        of.seconds_to_separate = separable;
        of.never_worse = h.about.never_worse;
        of.value_names = all_bytes(h.value_names);
        of.objective = detail::bytes_of_log(h.objective);
        detail::take_goals(of, all_bytes(h.about.goals));
        if (!objective.empty()) detail::judge(of, objective);
        for (const auto& texts : h.about.values) of.texts.push_back(all_bytes(texts));
        if (!h.about.title.empty()) out.title = detail::bytes_of_log(h.about.title);
    }
    const auto fact = [&](const std::string& name, const std::string& text) {
        if (!text.empty()) out.facts.push_back(name + ' ' + detail::bytes_of_log(text));
    };
    fact("strategy", h.strategy);
    fact("schedule", h.schedule);
    fact("seed", std::to_string(h.seed));
    fact("machine", h.machine);
    fact("tunekit", h.version);
    return out;
}

}  // namespace tunekit::report
