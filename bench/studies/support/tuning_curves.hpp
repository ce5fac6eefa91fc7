// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Tuning curves of strategies that search recorded spaces.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "tools/support/names.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/formats/recorded_space.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/replay.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/scoring/read_recordings.hpp"
#include "tunekit/space/any_space.hpp"

namespace programs {

/// The best rate so far, 1 / seconds, after each trial of one search; 0 before the first valid one.
struct tuning_curve {
    std::string space, strategy;
    std::vector<double> best;
    std::vector<double> seconds;  ///< that the search took until then, as recorded
};

/// Paths of the recorded spaces in the folders, without endings, sorted by name in each.
/// Throws std::invalid_argument for what is no folder or has none.
inline std::vector<std::string> recorded_spaces(const std::vector<std::string>& folders)
{
    std::vector<std::string> out;
    for (const auto& path : folders) {
        const auto names = tunekit::scoring::recorded_names(path);
        if (names.empty())
            tunekit::invalid("--spaces \"" + path + "\" holds no recorded space, want NAME.params and NAME.csv.gz");
        for (const auto& name : names) out.push_back(path + '/' + name);
    }
    return out;
}

/// `repeats` searches of each strategy over the space at `path`, of at most `trials` trials in batches.
inline void search_space(std::vector<tuning_curve>& out, const std::string& path,
                         const std::vector<std::string>& strategies, std::size_t repeats, std::size_t trials,
                         std::uint64_t seed, std::size_t batch_size = 8)
{
    const auto known = programs::strategies();
    const auto recorded = tunekit::io::read_recorded_space(path);
    const tunekit::space::any_space space = tunekit::io::space_of(recorded);
    const auto table = tunekit::io::table_of(recorded, space);
    for (const auto& name : strategies) {
        const auto& strategy = find(known, "strategy", name);
        for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
            auto gen = tunekit::random::stream(seed, 0x63757276U, repeat);
            double now = 0, top = 0;
            tunekit::measure::replay measurer(table.rows, tunekit::measure::virtual_clock(now));
            tuning_curve curve{path.substr(path.rfind('/') + 1), name, {}, {}};
            auto state = strategy.start(space);
            while (curve.best.size() < trials) {
                const auto batch =
                    strategy.propose(state, space, (std::min)(batch_size, trials - curve.best.size()), gen);
                if (batch.empty()) break;
                const double begun = now;
                const auto measured = measurer.measure(batch, {});
                for (std::size_t i = 0; i < measured.size(); ++i) {
                    if (measured[i].ok()) top = (std::max)(top, 1 / measured[i].cost);
                    curve.best.push_back(top);
                    const double share = static_cast<double>(i + 1) / static_cast<double>(measured.size());
                    curve.seconds.push_back(begun + share * (now - begun));
                }
                strategy.observe(state, space, batch, measured, gen);
            }
            out.push_back(std::move(curve));
        }
    }
}

}  // namespace programs
