// SPDX-License-Identifier: MIT
// The front that strategies find of a recorded space of several goals, its cost and its numbers. goals_peers.py puts other tuners beside them.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/studies/support/study_app.hpp"
#include "tools/support/client_lines.hpp"
#include "tools/support/names.hpp"
#include "tools/support/program.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/formats/recorded_space.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/space/any_space.hpp"
#include "tunekit/stats/interval.hpp"
#include "tunekit/stats/moments.hpp"
#include "tunekit/tune/pareto.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

namespace {

struct settings {
    std::string space, strategies = "parego,combined,random";
    std::size_t repeats = 25, trials = 200;
    std::uint64_t seed = 1;
    bool json = false;
};

/// What was recorded, as a measurer: each configuration has its cost and its values, and scales of their logarithms.
struct recorded {
    tk::space::any_space space;
    std::vector<tk::measure::measurement> rows;
    std::vector<std::size_t> goals;  ///< 0, 1, ...: the cost and every value
    std::vector<double> low, high;

    std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&)
    {
        std::vector<tk::measure::measurement> out;
        for (const tk::index i : batch) out.push_back(rows[static_cast<std::size_t>(i)]);
        return out;
    }
    /// The hypervolume of a front, of goals by their logarithms from the least that was recorded (0) to the greatest (1).
    [[nodiscard]] double volume(const tk::pareto& front) const
    {
        std::vector<std::vector<double>> points;
        for (const auto& m : front.members) {
            auto& p = points.emplace_back();
            for (const std::size_t g : goals) p.push_back(std::log(m.goals[g] / low[g]) / std::log(high[g] / low[g]));
        }
        return tk::hypervolume(std::move(points), std::vector<double>(goals.size(), 1.0));
    }
};

recorded read(const std::string& stem)
{
    const auto from = tk::io::read_recorded_space(stem);
    if (!from.problems.empty()) throw tk::error(from.problems.front().text());
    if (from.value_names.empty())
        tk::invalid("space " + stem + ": has no number beside the cost, want a line 'value NAME'");
    constexpr double most = std::numeric_limits<double>::infinity();
    recorded out{from.sample ? tk::space::any_space(tk::io::listed_space_of(from))
                             : tk::space::any_space(tk::io::space_of(from)),
                 {},
                 {0},
                 {},
                 {}};
    for (std::size_t k = 1; k <= from.value_names.size(); ++k) out.goals.push_back(k);
    out.low.assign(out.goals.size(), most);
    out.high.assign(out.goals.size(), 0);
    for (const auto& row :
         (from.sample ? tk::io::table_of(from) : tk::io::table_of(from, tk::io::space_of(from))).rows) {
        const auto& m = out.rows.emplace_back(row.result);
        if (!m.ok()) continue;
        for (const std::size_t g : out.goals) {
            const double one = g == 0 ? m.cost : m.values[g - 1];
            if (!(one > 0)) tk::invalid("space " + stem + ": a goal is not positive, want positive ones");
            out.low[g] = (std::min)(out.low[g], one);
            out.high[g] = (std::max)(out.high[g], one);
        }
    }
    return out;
}

void run(const settings& s)
{
    tk::require(s.repeats > 0 && s.trials > 0, "--repeats or --trials is 0, want at least 1");
    recorded of = read(s.space);
    tk::tuning all;
    for (tk::index i = 0; i < of.rows.size(); ++i) all.append({i, of.rows[static_cast<std::size_t>(i)]}, 0);
    const auto front = tk::front_of(all, of.goals);
    const double whole = of.volume(front);
    nlohmann::ordered_json out{{"space", s.space},
                               {"configurations", of.rows.size()},
                               {"front", front.members.size()},
                               {"trials", s.trials},
                               {"repeats", s.repeats}};
    if (!s.json)
        std::printf("%zu configurations, %zu of them the front; %zu trials, %zu seeds\n%-12s %12s %20s %14s\n",
                    of.rows.size(), front.members.size(), s.trials, s.repeats, "strategy", "hypervolume", "95 %",
                    "own ms/trial");
    const auto known = programs::recipes();
    for (const std::string& name : programs::fields_of(s.strategies)) {
        const auto how = programs::find(known, "strategy", name).strategy;
        std::vector<double> shares;
        tk::measure::thread_clock spent;
        const double begun = spent();
        std::size_t trials = 0;
        for (std::size_t r = 0; r < s.repeats; ++r) {
            tk::random::philox gen(s.seed + r);
            const auto found = tk::tune(of.space, of, how, {.trials = s.trials}, gen);
            trials += found.trials().size();
            shares.push_back(of.volume(tk::front_of(found, of.goals)) / whole);
        }
        const double own = 1e3 * (spent() - begun) / static_cast<double>(trials);
        const auto within = tk::stats::mean_interval(shares);
        if (!s.json)
            std::printf("%-12s %12.4f   [%.4f, %.4f] %14.3f\n", name.c_str(), tk::stats::mean(shares), within.low,
                        within.high, own);
        out["rows"].push_back({{"strategy", name},
                               {"share", tk::stats::mean(shares)},
                               {"low", within.low},
                               {"high", within.high},
                               {"own_ms", own}});
    }
    if (s.json) std::printf("%s\n", out.dump(2).c_str());
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    programs::study_app app("The share of the recorded front's hypervolume that strategies find.", "bench_goals");
    app.add_option("space", s.space, "recorded space with a number beside the cost, without .params")->required();
    app.add_option("--strategies", s.strategies, "names, separated by commas");
    app.add_option("--trials", s.trials, "of each run");
    app.repeats(s.repeats);
    app.seed(s.seed, "of the first repeat");
    app.json(s.json);
    return app.run(argc, argv, [&] { run(s); });
}
