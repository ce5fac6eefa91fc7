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

/// What the trials say of every task's best and of its `untuned`, where nothing can be measured afresh.
inline std::vector<tunekit::last_comparison> told_by_trials(const tunekit::plan& found,
                                                            const std::vector<tunekit::index>& untuned)
{
    std::vector<tunekit::last_comparison> out(untuned.size());
    for (std::size_t k = 0; k < out.size(); ++k) {
        const auto& record = found.tasks[k].record;
        if (record.found()) out[k].best = record.incumbent().candidate;
        out[k].cost = record.best_cost();
        for (const auto& t : record.trials())
            if (t.candidate == untuned[k] && t.measured.ok()) out[k].untuned_cost = t.measured.cost;
    }
    return out;
}

}  // namespace programs
