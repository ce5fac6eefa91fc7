// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The verdict on a run, in words.

#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "tunekit/core/text.hpp"
#include "tunekit/report/detail/markup.hpp"
#include "tunekit/report/findings.hpp"
#include "tunekit/report/run.hpp"

namespace tunekit::report {

/// The verdict on one task: a headline, and sentences that support it. Plain text.
struct verdict {
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

/// Whether too few rounds were run to separate any two, so that ties say nothing.
[[nodiscard]] inline bool unclear(const findings& f) { return f.rounds < f.rounds_to_separate; }

/// What the best is compared with, in words.
[[nodiscard]] inline std::string compared_words(const findings& f)
{
    return f.against_baseline ? "the default" : "the first that ran";
}

/// How the best stands to what it is compared with.
[[nodiscard]] inline std::string gain_sentence(const seen_task& t, const findings& f)
{
    const std::string than = compared_words(f), cost = t.unit.text(f.compared->cost),
                      times = number(f.gain, 3) + " times ";
    if (f.compared->candidate == f.best->candidate)
        return f.verified == 1 ? "It is the only one that ran."
                               : "Nothing was better than " + than + ": it is the same configuration.";
    const bool bounded = f.gain_range.low > 0 && std::isfinite(f.gain_range.high);
    const std::string range =
        bounded ? " (95 %: " + number(f.gain_range.low, 3) + " to " + number(f.gain_range.high, 3) + ")." : ".";
    if (t.unit.is_time()) return "It is " + times + "as fast as " + than + ", which takes " + cost + range;
    if (t.unit.maximize) return "It reaches " + times + "what " + than + " does, which is " + cost + range;
    return "With " + than + " it costs " + times + "as much, " + cost + range;
}

}  // namespace detail

/// The findings of a task in words: winner and gain with their intervals, ties, failures and their reasons, and whether
/// more trials were worth their time.
[[nodiscard]] inline verdict verdict_of(const seen_task& t, const findings& f)
{
    using namespace detail;
    verdict out;
    const std::size_t n = t.trials.size();
    if (n == 0 && !f.best) {  // a result from before may be the best
        out.headline = "Nothing was measured yet.";
        return out;
    }
    if (f.default_failed)
        out.sentences.push_back(
            "The default failed: " + words_of(to_text(f.default_failed->kind)) +
            (f.default_failed->message.empty() ? "" : ", " + shortened(f.default_failed->message, 300)) +
            (f.best ? ". Nothing is compared with it." : "."));
    if (!f.best && f.nearest) {
        out.headline = "No configuration keeps the limit of " + t.objective + '.';
        std::string line =
            "The nearest that was found is " + configuration_of(t, f.nearest->candidate, f.nearest->values);
        for (std::size_t k = 0; k < t.value_names.size() && k < f.nearest->numbers.size(); ++k)
            line += ", " + t.value_names[k] + ' ' + core::text_of(f.nearest->numbers[k], std::chars_format::general, 5);
        out.sentences.push_back(line + '.');
    } else if (!f.best) {
        out.headline = f.failed == n ? (n == 1 ? "The only trial failed." : "All " + count(n) + " trials failed.")
                                     : "No configuration was measured to its end.";
    } else {
        const bool time = t.unit.is_time();
        out.headline = std::string("The best configuration ") +
                       (time              ? "takes "
                        : t.unit.maximize ? "reaches "
                                          : "costs ") +
                       t.unit.text(f.best->cost) + '.';
        if (f.compared) out.sentences.push_back(gain_sentence(t, f));
        const std::string within = t.unit.text(f.best->within);
        const std::string others =
            (f.tied.size() == 1 ? "One other configuration" : count(f.tied.size()) + " other configurations") +
            " cannot be told from it";
        if (f.rounds > 1)  // not where the default alone was run again
            out.sentences.push_back(
                count_of(f.rounds, "round") + " side by side" + (within.empty() ? "" : " (95 %: " + within + ')') +
                ": " +
                (f.tied.empty() ? "no other is as good."
                 : unclear(f)   ? others + ", as with fewer than " + count(f.rounds_to_separate) + " rounds none can."
                                : others + '.'));
        else if (within.empty())
            out.sentences.push_back(
                "It was not measured often enough to say how sure that is. Measure it again before you trust it.");
        else if (f.tied.empty())
            out.sentences.push_back("It is sure to " + within +
                                    " (95 %), and no other configuration comes within that.");
        else
            out.sentences.push_back(others + " by these measurements (95 %: " + within +
                                    "). The best of many is also a little lucky: race them before you choose.");
    }
    if (f.failed > 0 && !f.failures.empty()) {
        const auto& most = f.failures.front();
        std::string line = f.failed == n
                               ? "Reasons: "
                               : count(f.failed) + " of " + count(n) + " trials (" +
                                     percent(static_cast<double>(f.failed) / static_cast<double>(n)) + ") failed: ";
        for (std::size_t k = 0; k < f.failures.size(); ++k)
            line += (k == 0 ? "" : ", ") + count(f.failures[k].trials) + " \xC3\x97 " +
                    words_of(to_text(f.failures[k].kind));
        line += most.message.empty() ? "." : "; most often: " + shortened(most.message, 300) + '.';
        if (!most.where.empty()) line += " They are those with " + most.where + '.';
        out.sentences.push_back(line);
    } else if (f.failed == 0 && n > 0) {
        out.sentences.push_back(n == 1 ? "The trial did not fail." : "None of the " + count(n) + " trials failed.");
    }
    if (f.over_limit > 0 && f.best)
        out.sentences.push_back(count_of(f.over_limit, "trial") + (f.over_limit == 1 ? " breaks" : " break") +
                                " the limit of " + t.objective + '.');
    if (f.cut_short > 0)
        out.sentences.push_back(count_of(f.cut_short, "trial") + (f.cut_short == 1 ? " was" : " were") +
                                " cut short, being slower than the incumbent.");
    if (f.winner && n >= 8) {
        std::string line = "The winner came as trial " + count(*f.winner + 1) + " of " + count(n) + ". ";
        if (f.late_gain > 0)
            line += "The last quarter of the trials still brought " + percent(f.late_gain) +
                    (f.late_gain > 0.02 ? ": going on may pay." : ": going on would bring little.");
        else
            line +=
                "The last quarter of the trials brought nothing: it was right to stop, or could have been stopped "
                "sooner.";
        out.sentences.push_back(line);
    }
    return out;
}

/// The verdict on a run: that of its task, or of its model where it has several.
[[nodiscard]] inline verdict verdict_of(const seen_run& run, const std::vector<findings>& all)
{
    using namespace detail;
    if (run.tasks.size() == 1) return verdict_of(run.tasks.front(), all.front());
    verdict out;
    std::size_t trials = 0, failed = 0, without = 0;
    for (std::size_t k = 0; k < run.tasks.size(); ++k) {
        trials += run.tasks[k].trials.size();
        failed += all[k].failed;
        if (!all[k].winner) ++without;
    }
    const auto points = latency_of(run);
    if (trials == 0) {
        out.headline = "Nothing was measured yet.";
        return out;
    }
    if (points.empty()) {
        out.headline = count(without) + " of " + count(run.tasks.size()) + " tasks have no configuration that runs.";
    } else {
        out.headline = "One pass of the model takes " + time(points.back().latency) + '.';
        double first = 0;
        for (std::size_t k = 0; k < run.tasks.size(); ++k)
            first += run.tasks[k].weight * run.tasks[k].trials[*all[k].reference].measured.cost;
        bool baseline = true;
        for (const auto& f : all) baseline = baseline && f.against_baseline;
        out.sentences.push_back(
            "With " + std::string(baseline ? "the configurations to beat" : "the first configurations that ran") +
            " it takes " + time(first) + ", " + number(first / points.back().latency, 3) + " times as long.");
        double late = points.back().latency;
        for (const auto& p : points)
            if (p.seconds <= 0.75 * run.seconds) late = p.latency;
        const double gain = 1 - points.back().latency / late;
        if (points.front().seconds > 0.75 * run.seconds)
            out.sentences.push_back(
                "It took more than three quarters of the time until every task had a configuration.");
        else
            out.sentences.push_back(gain > 0
                                        ? "The last quarter of the time still brought " + percent(gain) +
                                              (gain > 0.02 ? ": going on may pay." : ": going on would bring little.")
                                        : "The last quarter of the time brought nothing.");
    }
    out.sentences.push_back(count(failed) + " of " + count_of(trials, "trial") + " failed.");
    return out;
}

}  // namespace tunekit::report
