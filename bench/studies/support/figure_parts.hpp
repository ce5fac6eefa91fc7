// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What the figures of `bench_figures` have in common: searches of one recorded operator, and where pictures go.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "bench/studies/support/replay_network.hpp"
#include "tools/support/names.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/report/figures.hpp"
#include "tunekit/report/line_chart.hpp"
#include "tunekit/schedule/sequential.hpp"
#include "tunekit/tune/tune_tasks.hpp"

namespace programs {

struct figure_settings {
    std::string out = ".", large = "bench/studies/data/large", only;
    std::size_t repeats = 5, trials = 256;
    std::uint64_t seed = 1;
};

/// One search of one operator: a step for each trial, with the incumbent's cost as recorded, +inf before there is one.
inline latency_course searched(const replayed_layer& layer, const tunekit::recipes::any_recipe& how,
                               const tunekit::tasks_budget& limit, std::uint64_t seed)
{
    double now = 0;
    const tunekit::measure::virtual_clock time(now);
    std::vector<tunekit::task> tasks;
    tasks.push_back(detail::measured_by(how.repetition, layer, time, seed));
    auto gen = tunekit::random::stream(seed, 0x66696775U, 0);
    latency_course out;
    const auto watch = [&](const tunekit::plan& p, std::size_t) {
        const auto& record = p.tasks.front().record;
        out.push_back({p.seconds, record.found()
                                      ? layer.rows[static_cast<std::size_t>(record.incumbent().candidate)].result.cost
                                      : std::numeric_limits<double>::infinity()});
    };
    static_cast<void>(
        tunekit::tune_tasks(tasks, how, tunekit::schedule::sequential{}, limit, gen, {.watch = watch, .clock = time}));
    return out;
}

inline double optimum_of(const replayed_layer& layer) { return optimal_latency({&layer, 1}) / layer.weight; }

/// The recipe of that name, with so many runs of a configuration; 0: as it has it.
inline tunekit::recipes::any_recipe recipe_of(const std::string& name, std::uint32_t runs = 0)
{
    auto out = find(recipes(), "strategy", name);
    if (runs > 0) out.repetition = tunekit::measure::any_repetition(tunekit::measure::fixed{runs, 1});
    return out;
}

inline void save(const figure_settings& s, const std::string& name, const std::string& svg)
{
    tunekit::io::write_text(s.out + '/' + name + ".svg", tunekit::report::to_standalone_svg(svg));
}
inline void save(const figure_settings& s, const std::string& name, const tunekit::report::line_chart& chart)
{
    save(s, name, chart.svg({.width = 900, .height = 380}));
}

}  // namespace programs
