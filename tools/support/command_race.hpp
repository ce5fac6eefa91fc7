// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The end of a run of tune_command: what is told of its best and of its default configuration.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tools/support/command_report.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/last_comparison.hpp"
#include "tunekit/tune/tuning.hpp"

namespace programs {

inline constexpr double race_share = 0.1;    // of the seconds, for the last comparison
inline constexpr double short_seconds = 30;  // where only trials are counted: what separating two may take in any case

/// What the trials say of the best and of the default: where nothing is measured afresh.
inline void tell_trials(command_report& r, const tunekit::tuning& record, tunekit::index untuned)
{
    if (!record.found()) return;
    r.best = {.candidate = record.incumbent().candidate, .cost = record.best_cost()};
    for (const auto& t : record.trials())
        if (t.candidate == untuned && t.measured.ok() && !r.untuned)
            r.untuned = {.candidate = untuned, .cost = t.measured.cost};
}

/// Who is compared, and the rounds that there is time for; none where one would take longer than the run may. Of `seconds` a
/// tenth may pass, or of the time so far where there is no limit. There it takes the rounds that can separate two, unless they
/// take longer than the run did.
struct command_race {
    static constexpr std::size_t best = 3;  // beside the default
    static constexpr std::uint32_t max_rounds = 30;

    std::vector<tunekit::index> finalists;
    std::uint32_t rounds = 0;

    command_race(command_report& r, const tunekit::tuning& record, tunekit::index untuned, double seconds)
        : finalists(tunekit::line_up(record, 1, untuned))
    {
        const auto round = [&](const std::vector<tunekit::index>& all) {
            return tunekit::round_seconds(record, all, true);
        };
        const auto enough = [&](const std::vector<tunekit::index>& all) {
            return tunekit::measure::rounds_to_separate(all.size()) * round(all);
        };
        const bool limited = seconds < tunekit::forever;
        const double to_separate = enough(finalists), most = (std::max)(short_seconds, record.seconds());
        double left = limited ? race_share * seconds : (std::max)(1.0, race_share * record.seconds());
        if (!limited && to_separate <= most)  // 1.5: one disturbed round does no harm then
            left = (std::max)(left, (std::min)(1.5 * to_separate, most));
        if (auto more = tunekit::line_up(record, best, untuned); left >= enough(more)) finalists = std::move(more);
        if (finalists.size() > 1) {
            r.rounds_to_separate = tunekit::measure::rounds_to_separate(finalists.size());
            r.seconds_to_separate = to_separate / race_share;
        }
        if (left >= round(finalists))
            rounds = static_cast<std::uint32_t>((std::min)(double{max_rounds}, left / round(finalists)));
    }
};

/// What `tell_trials` told is replaced by the best and the default, run afresh side by side. `measurer` measures by single runs, and can be interrupted.
template <class Measurer>
void compare(command_report& r, const tunekit::tuning& record, tunekit::index untuned, Measurer& measurer,
             const tunekit::measure::limits& within, double seconds)
{
    if (!record.found()) return;
    const command_race on(r, record, untuned, seconds);
    if (on.rounds == 0) return;
    const auto found = tunekit::compare_finalists(measurer, on.finalists, untuned, within, {.max_rounds = on.rounds});
    r.rounds = found.race.rounds;
    if (!found.best || measurer.stopped()) return;
    for (const auto& s : found.race.standings) {
        if (s.failed || s.costs.empty()) continue;
        const told_configuration t{.candidate = s.candidate, .cost = s.cost, .within = median_interval(s.costs)};
        if (s.candidate == untuned) r.untuned = t;
        if (s.candidate == *found.best) r.best = t;
        else if (s.tied) r.tied.push_back(t);
    }
}

}  // namespace programs
