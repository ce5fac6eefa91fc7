// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The end of a run of tune_command: its best and its default configuration are run afresh, side by side.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/report/run.hpp"
#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/last_comparison.hpp"
#include "tunekit/tune/pareto.hpp"
#include "tunekit/tune/tuning.hpp"

namespace programs {

inline constexpr double race_share = 0.1;    // of the seconds, for the last comparison
inline constexpr double short_seconds = 30;  // where only trials are counted: what separating two may take in any case

/// Who is compared, and the rounds that there is time for; none where one would take longer than the run may. Of `seconds` a
/// tenth may pass, or of the time so far where there is no limit. There it takes the rounds that can separate two, unless they
/// take longer than the run did. A default that failed is not run again.
struct command_race {
    static constexpr std::size_t best = 3;  // beside the default
    static constexpr std::uint32_t max_rounds = 30;

    static constexpr std::size_t front = 12;  // beside the default

    std::vector<tunekit::index> finalists;
    std::vector<std::size_t> goals;  ///< empty where there is one
    std::uint32_t rounds = 0;
    double seconds_to_separate = 0;  ///< of a run whose last comparison separates two, about

    /// With goals it is the front that is compared, of at most `front` configurations, as many as there is time to separate.
    command_race(const tunekit::tuning& record, tunekit::index untuned, double seconds,
                 std::vector<std::size_t> several = {})
        : finalists(of(record, 1, untuned)), goals(std::move(several))
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
        if (auto more = of(record, best, untuned); goals.empty() && left >= enough(more)) finalists = std::move(more);
        if (!goals.empty()) {
            if (!limited) left = (std::max)(left, most);
            auto near_front = tunekit::front_finalists(record, goals, front);
            std::erase(near_front, untuned);
            finalists = of(record, std::move(near_front), untuned);
            while (finalists.size() > 3 && left < enough(finalists))  // the last stays: the default, unless that failed
                finalists.erase(finalists.end() - 2);
        }
        if (finalists.size() > 1) seconds_to_separate = to_separate / race_share;
        if (left >= round(finalists))
            rounds = static_cast<std::uint32_t>((std::min)(double{max_rounds}, left / round(finalists)));
    }

private:
    static std::vector<tunekit::index> of(const tunekit::tuning& record, std::size_t n, tunekit::index untuned)
    {
        return of(record, tunekit::line_up(record, n, untuned), untuned);
    }
    static std::vector<tunekit::index> of(const tunekit::tuning& record, std::vector<tunekit::index> out,
                                          tunekit::index untuned)
    {
        if (std::find(out.begin(), out.end(), untuned) == out.end()) out.push_back(untuned);
        const auto& all = record.trials();
        const bool failed = std::any_of(all.begin(), all.end(), [&](const tunekit::measure::trial& t) {
            return t.candidate == untuned && t.measured.failed;
        });
        if (failed && out.size() > 1) std::erase(out, untuned);
        return out;
    }
};

/// A measurer of rounds that keeps them: `each(round, candidate, measurement)` hears of those of a round that was not interrupted.
template <class Measurer, class Each>
struct kept_rounds {
    Measurer& of;
    Each each;
    std::uint64_t round = 0;

    [[nodiscard]] std::vector<tunekit::measure::measurement> measure(std::span<const tunekit::index> batch,
                                                                     const tunekit::measure::limits& within)
    {
        auto out = of.measure(batch, within);
        if (!of.stopped())
            for (std::size_t k = 0; k < batch.size(); ++k) each(round, batch[k], out[k]);
        ++round;
        return out;
    }
};

/// Runs the rounds of `on`. `measurer` measures by single runs, and can be interrupted.
template <class Measurer, class Each>
void compare(const command_race& on, Measurer& measurer, const tunekit::measure::limits& within, Each&& each)
{
    if (on.rounds == 0) return;
    kept_rounds<Measurer, Each&> rounds{measurer, each};
    tunekit::measure::race_options how{.max_rounds = on.rounds};
    for (const std::size_t k : on.goals)
        if (k > 0) how.values.push_back(k - 1);
    (void)tunekit::measure::race(rounds, on.finalists, within, how);
}

}  // namespace programs
