// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How a run over the operators of a network ends: what was found is kept, whatever fails then.

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include "tunekit/tune/last_comparison.hpp"
#include "tunekit/tune/task.hpp"

namespace programs {

/// Calls `drive()`, which tells answers to `run`. Returns what ended the run before its time, its log or what measures; empty
/// where nothing did. Throws what `drive` throws where nothing was measured, so that nothing is lost.
template <class Run, class Drive>
[[nodiscard]] std::string trouble_of(Run& run, Drive&& drive)
{
    std::string out;
    try {
        drive();
    } catch (const std::exception& e) {
        out = e.what();
        const auto& tasks = run.record().tasks;
        if (std::all_of(tasks.begin(), tasks.end(), [](const auto& t) { return t.record.trials().empty(); })) throw;
    }
    if constexpr (requires { run.look(); })
        if (!run.look()) out = run.problem();
    return out;
}

/// The plan that was found, after `race(plan)`. A log gets its rounds and the end. Nothing is raced where something ended the run
/// before its time, `problem`, which says what ended the race, too.
template <class Run, class Race>
[[nodiscard]] tunekit::plan raced(Run& run, std::string& problem, Race&& race)
{
    tunekit::plan out = run.record();
    if (!problem.empty()) return out;
    try {
        race(out);
    } catch (const std::exception& e) {
        problem = e.what();
    }
    if constexpr (requires { run.look(); }) {
        for (std::size_t k = 0; k < out.tasks.size(); ++k) run.compared(out.tasks[k].record.rounds, k);
        run.ended(to_text(run.stopped()));
        if (problem.empty() && !run.look()) problem = run.problem();
    }
    return out;
}

/// "the tuned ones: 3 separated from the default, ...": how many tasks end with which verdict.
inline std::string verdicts_text(const std::vector<tunekit::last_comparison>& ends)
{
    using kind = tunekit::verdict::kind;
    std::string out;
    for (const kind says : {kind::separated, kind::tied, kind::unclear, kind::not_raced})
        if (const auto n =
                std::count_if(ends.begin(), ends.end(), [says](const auto& e) { return e.best && e.says == says; });
            n > 0)
            out += (out.empty() ? "of the winners " : ", ") + std::to_string(n) + " " + to_text(says);
    const auto kept = std::count_if(ends.begin(), ends.end(), [](const auto& e) { return e.kept; });
    if (kept > 0) out += "; " + std::to_string(kept) + " stay the default, as nothing was shown to be faster";
    return out;
}

/// What the trials say of every task's best and of its `untuned`, where nothing can be measured afresh.
inline std::vector<tunekit::last_comparison> told_by_trials(const tunekit::plan& found,
                                                            const std::vector<tunekit::index>& untuned,
                                                            bool may_be_worse)
{
    std::vector<tunekit::last_comparison> out;
    for (std::size_t k = 0; k < untuned.size(); ++k)
        out.push_back(tunekit::concluded(found.tasks[k].record, {}, untuned[k], may_be_worse));
    return out;
}

}  // namespace programs
