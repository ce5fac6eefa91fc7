// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A run in words: what was found, what may be said of it, what failed.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "tunekit/core/text.hpp"
#include "tunekit/report/detail/markup.hpp"
#include "tunekit/report/findings.hpp"
#include "tunekit/report/run.hpp"
#include "tunekit/tune/verdict.hpp"

namespace tunekit::report {

/// One task in words: a headline, and sentences that support it. Plain text.
struct summary {
    std::string headline{};                ///< one line
    std::vector<std::string> sentences{};  ///< that support it
};

/// `name = value` of each parameter of a configuration, in one line; of one without values its index.
[[nodiscard]] inline std::string configuration_of(const seen_task& t, index candidate,
                                                  const std::vector<std::string>& values)
{
    if (values.size() != t.parameters.size() || values.empty()) return "configuration " + std::to_string(candidate);
    std::string out;
    for (std::size_t j = 0; j < values.size(); ++j) out += (j == 0 ? "" : ", ") + t.parameters[j] + " = " + values[j];
    return out;
}

namespace detail {

/// What the best is compared with, in words.
[[nodiscard]] inline std::string compared_words(const findings& f)
{
    return f.against_baseline ? "the default" : "the first that ran";
}

/// The numbers beside the cost of a configuration, each with its name and `before` it.
[[nodiscard]] inline std::string numbers_text(const seen_task& t, const findings::configuration& c, const char* before)
{
    std::string out;
    for (std::size_t k = 0; k < t.value_names.size() && k < c.numbers.size(); ++k)
        out += before + t.value_names[k] + ' ' + core::text_of(c.numbers[k], std::chars_format::general, 5);
    return out;
}

/// What the last quarter of the trials, or of the time, brought; `or_else` ends the sentence where that is nothing.
[[nodiscard]] inline std::string last_quarter(const char* of, double gain, const char* or_else)
{
    const std::string begins = std::string("The last quarter of the ") + of;
    if (!(gain > 0)) return begins + " brought nothing" + or_else;
    return begins + " still brought " + percent(gain) +
           (gain > 0.02 ? ": going on may pay." : ": going on would bring little.");
}

[[nodiscard]] inline std::string headline_of(const seen_task& t, const findings& f)
{
    const std::size_t n = t.trials.size();
    if (f.best) {
        const char* const verb = t.unit.is_time() ? "takes " : t.unit.maximize ? "reaches " : "costs ";
        const std::string known = t.goals.size() > 1 ? "one of the front" : to_text(f.verdict.says);
        return std::string(f.verdict.kept ? "Nothing was shown to be better than the default, which "
                                          : "The best configuration ") +
               verb + t.unit.text(f.best->cost) + " (" + known + ").";
    }
    if (n == 0) return "Nothing was measured yet.";
    if (f.nearest) return "No configuration keeps the limit of " + t.objective + '.';
    if (f.failed != n) return "No configuration was measured to its end.";
    return n == 1 ? "The only trial failed." : "All " + count(n) + " trials failed.";
}

/// How the best stands to what it is compared with.
[[nodiscard]] inline std::string gain_sentence(const seen_task& t, const findings& f)
{
    const std::string than = compared_words(f), cost = t.unit.text(f.compared->cost),
                      times = number(f.gain, 3) + " times ";
    if (f.verdict.kept) return "It stays the best, as what seemed to be better may have been lucky.";
    if (f.compared->candidate == f.best->candidate)
        return f.verified == 1 ? "It is the only one that ran."
                               : "Nothing was better than " + than + ": it is the same configuration.";
    const bool bounded = f.verdict.rounds > 0 && f.gain_range.low > 0 && std::isfinite(f.gain_range.high);
    const std::string range =
        bounded ? " (95 %: " + number(f.gain_range.low, 3) + " to " + number(f.gain_range.high, 3) + ")." : ".";
    if (t.unit.is_time()) return "It is " + times + "as fast as " + than + ", which takes " + cost + range;
    if (t.unit.maximize) return "It reaches " + times + "what " + than + " does, which is " + cost + range;
    return "With " + than + " it costs " + times + "as much, " + cost + range;
}

/// How the best stands to the others: the verdict, and the interval of its cost.
[[nodiscard]] inline std::string others_sentence(const seen_task& t, const findings& f)
{
    const std::string within = t.unit.text(f.best->within);
    std::string out = to_text(f.verdict);
    out.front() = static_cast<char>(out.front() - 'a' + 'A');
    if (f.verdict.says != verdict::kind::not_raced)
        return out + (within.empty() ? "." : ". The best: " + within + " (95 %).");
    out += ": that is one trial, at another moment";
    if (!within.empty()) out.append(", whose runs say ").append(within) += " (95 %)";
    if (!f.tied.empty())
        out.append(". ").append(count_of(f.tied.size(), "other configuration")) +=
            " cannot be told from it by such runs";
    return out + ". The best of many is also a little lucky: race them before you choose.";
}

/// How the machine was, as far as the run has looked, and how much its runs differ.
[[nodiscard]] inline std::string machine_sentence(const seen_task& t, const findings& f)
{
    std::string out = "The machine was ";
    out.append(to_text(t.checks, t.trials.back().stamp)) += '.';
    if (f.runs > 0)
        out.append(" ").append(count(f.slow_runs)) +=
            " of " + count_of(f.runs, "run") + " took more than twice as long as the least of its configuration.";
    return out;
}

/// How many trials failed, and of what.
[[nodiscard]] inline std::string failures_sentence(const seen_task& t, const findings& f)
{
    const std::size_t n = t.trials.size();
    std::string out = "Reasons: ";
    if (f.failed != n)
        out = count(f.failed) + " of " + count(n) + " trials (" +
              percent(static_cast<double>(f.failed) / static_cast<double>(n)) + ") failed: ";
    const findings::failure_count& most = f.failures.front();
    for (const findings::failure_count& k : f.failures)
        out += (&k == &most ? "" : ", ") + count(k.trials) + " \xC3\x97 " + words_of(to_text(k.kind));
    out += most.message.empty() ? "." : "; most often: " + shortened(most.message, 300) + '.';
    return most.where.empty() ? out : out + " They are those with " + most.where + '.';
}

/// Which parameters change nothing, the surest three.
[[nodiscard]] inline std::string idle_sentence(const findings& f)
{
    std::string out = "Configurations cost the same to the last bit if they differ only in one of these: ";
    for (std::size_t k = 0; k < f.idle.size() && k < 3; ++k) {
        const findings::idle_parameter& one = f.idle[k];
        out.append(k == 0 ? "" : "; ").append(f.axes[one.parameter].name);
        if (!one.where.empty()) out.append(" while ").append(one.where);
        out.append(" (").append(count_of(one.comparisons, "comparison")) += ')';
    }
    return out + '.';
}

/// How the model's latency stands to that at the beginning; `points` are not empty.
[[nodiscard]] inline std::string model_gain_sentence(const seen_run& run, const std::vector<findings>& all,
                                                     const std::vector<latency_point>& points)
{
    double first = 0;
    bool baseline = true;
    for (std::size_t k = 0; k < run.tasks.size(); ++k) {
        first += run.tasks[k].weight * run.tasks[k].trials[*all[k].reference].measured.cost;
        baseline = baseline && all[k].against_baseline;
    }
    return std::string("With ") + (baseline ? "the configurations to beat" : "the first configurations that ran") +
           " it takes " + time(first) + ", " + number(first / points.back().latency, 3) + " times as long.";
}

[[nodiscard]] inline std::string model_going_on_sentence(const seen_run& run, const std::vector<latency_point>& points)
{
    if (points.front().seconds > 0.75 * run.seconds)
        return "It took more than three quarters of the time until every task had a configuration.";
    double late = points.back().latency;
    for (const auto& p : points)
        if (p.seconds <= 0.75 * run.seconds) late = p.latency;
    return last_quarter("time", 1 - points.back().latency / late, ".");
}

}  // namespace detail

/// The findings of a task in words: winner and gain with their intervals, ties, failures and their reasons, and whether
/// more trials were worth their time.
[[nodiscard]] inline summary summary_of(const seen_task& t, const findings& f)
{
    using namespace detail;
    summary out{.headline = headline_of(t, f)};
    const std::size_t n = t.trials.size();
    if (n == 0 && !f.best) return out;  // a result from before may be the best
    const auto say = [&](bool when, auto sentence) {
        if (when) out.sentences.push_back(sentence());
    };
    say(f.default_failed.has_value(), [&] {
        const std::string& message = f.default_failed->message;
        return "The default failed: " + words_of(to_text(f.default_failed->kind)) +
               (message.empty() ? "" : ", " + shortened(message, 300)) +
               (f.best ? ". Nothing is compared with it." : ".");
    });
    say(!f.best && f.nearest, [&] {
        return "The nearest that was found is " + configuration_of(t, f.nearest->candidate, f.nearest->values) +
               numbers_text(t, *f.nearest, ", ") + '.';
    });
    say(f.best && f.compared, [&] { return gain_sentence(t, f); });
    say(f.best && t.goals.size() < 2, [&] { return others_sentence(t, f); });
    say(t.unit.is_time() && n > 0, [&] { return machine_sentence(t, f); });
    say(f.failed > 0 && !f.failures.empty(), [&] { return failures_sentence(t, f); });
    say(f.failed == 0 && n > 0,
        [&] { return n == 1 ? "The trial did not fail." : "None of the " + count(n) + " trials failed."; });
    say(t.checks.put_off > 0, [&] {
        return count_of(t.checks.put_off, "build") +
               " took too long compared with the others, and waited for the end of the run: no failures.";
    });
    say(f.over_limit > 0 && f.best, [&] {
        return count_of(f.over_limit, "trial") + (f.over_limit == 1 ? " breaks" : " break") + " the limit of " +
               t.objective + '.';
    });
    say(f.cut_short > 0, [&] {
        return count_of(f.cut_short, "trial") + (f.cut_short == 1 ? " was" : " were") +
               " cut short, being slower than the incumbent.";
    });
    say(!f.idle.empty(), [&] { return idle_sentence(f); });
    say(f.winner && n >= 8, [&] {
        return "The winner came as trial " + count(*f.winner + 1) + " of " + count(n) + ". " +
               last_quarter("trials", f.late_gain, ": it was right to stop, or could have been stopped sooner.");
    });
    return out;
}

/// A run in words: its task, or its model where it has several.
[[nodiscard]] inline summary summary_of(const seen_run& run, const std::vector<findings>& all)
{
    using namespace detail;
    if (run.tasks.size() == 1) return summary_of(run.tasks.front(), all.front());
    std::size_t trials = 0, failed = 0, without = 0;
    for (std::size_t k = 0; k < run.tasks.size(); ++k) {
        trials += run.tasks[k].trials.size();
        failed += all[k].failed;
        if (!all[k].winner) ++without;
    }
    if (trials == 0) return {.headline = "Nothing was measured yet."};
    summary out;
    if (const auto points = latency_of(run); points.empty()) {
        out.headline = count(without) + " of " + count_of(run.tasks.size(), "task") +
                       (without == 1 ? " has" : " have") + " no configuration that runs.";
    } else {
        const auto separated = std::count_if(
            all.begin(), all.end(), [](const findings& f) { return f.verdict.says == verdict::kind::separated; });
        out.headline = "One pass of the model takes " + time(points.back().latency) + " (" +
                       count(static_cast<std::size_t>(separated)) + " of " + count_of(all.size(), "winner") +
                       " separated).";
        out.sentences = {model_gain_sentence(run, all, points), model_going_on_sentence(run, points)};
    }
    out.sentences.push_back(count(failed) + " of " + count_of(trials, "trial") + " failed.");
    return out;
}

}  // namespace tunekit::report
