// SPDX-License-Identifier: MIT
// Search strategies over recorded spaces: how many evaluations, and how much of the recorded time, each needs.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bench/support/load_spaces.hpp"
#include "bench/support/search_score.hpp"
#include "programs/names.hpp"
#include "programs/program.hpp"
#include "tunekit/io/text.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/replay.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/space/any_space.hpp"
#include "tunekit/stats/bootstrap.hpp"

namespace tk = tunekit;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct settings {
    std::string spaces, strategy = "all", out, only;
    std::size_t repeats = 25, batch = 1, evaluations = 220;
    std::uint64_t seed = 1;
    bool json = false;
};

/// What one strategy did on one space, over all repeats.
struct outcome {
    std::string strategy, space;
    double evaluations_to_105 = infinite;  ///< median; infinite where most repeats did not reach it
    double regret_at_200 = 0;              ///< mean of best / optimum - 1 after 200 evaluations
    double failed_share = 0;
    double own_microseconds = 0;             ///< per evaluation
    std::size_t evaluations = 0;             ///< of the longest repeat
    std::vector<double> by_evaluations;      ///< scores of the repeats
    double over_time = 0;                    ///< score of all repeats
    std::vector<std::vector<double>> ranks;  ///< of the repeats, over time
};

/// A score with half of its 95 % interval, and its lowest on a space.
struct aggregate {
    double mean = 0, half = 0, worst = infinite;
};

constexpr std::size_t judged = 200;  ///< evaluations

struct space_to_search {
    programs::loaded_space recorded;
    programs::yardstick by;
};

double mean(const std::vector<double>& x)
{
    return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

void add(std::string& text, const char* format, auto... values)
{
    char buffer[160];
    std::snprintf(buffer, sizeof buffer, format, values...);
    text += buffer;
}

outcome search(const settings& s, const std::string& name, const tk::search::any_strategy& strategy,
               const space_to_search& to)
{
    const auto& on = to.recorded;
    std::string rows = "repeat,eval,sim_time_s,best_ms,overhead_s,row\n";
    std::vector<double> reached;
    std::vector<programs::progress> runs;
    outcome out;
    out.strategy = name;
    out.space = on.name;
    double own = 0, regret = 0;
    std::size_t all = 0, failed = 0;
    for (std::size_t repeat = 0; repeat < s.repeats; ++repeat) {
        auto gen = tk::random::stream(s.seed, 0x62656e63U, repeat);
        double now = 0, best = infinite, spent = 0, to_105 = infinite, best_200 = infinite;
        const tk::measure::virtual_clock time(now);
        tk::measure::replay measurer(on.table.rows, time);
        tk::measure::wall_clock wall;
        std::size_t evaluation = 0;
        programs::progress& run = runs.emplace_back();
        double begun = wall();
        auto state = strategy.start(on.space);
        while (now <= 1.1 * to.by.seconds || evaluation < s.evaluations) {
            const auto batch = strategy.propose(state, on.space, s.batch, gen);
            spent += wall() - begun;
            if (batch.empty()) break;
            double shown = now;
            const auto measured = measurer.measure(batch, {});
            for (std::size_t i = 0; i < batch.size(); ++i) {
                ++evaluation;
                shown += on.table.rows[static_cast<std::size_t>(batch[i])].seconds;
                if (measured[i].failed) ++failed;
                if (measured[i].ok()) best = (std::min)(best, measured[i].cost);
                if (best <= 1.05 * on.optimum && to_105 == infinite) to_105 = static_cast<double>(evaluation);
                if (evaluation <= judged) best_200 = best;
                run.seconds.push_back(shown);
                run.best.push_back(best);
                add(rows, "%zu,%zu,%.9f,", repeat, evaluation, shown);
                if (best < infinite) rows += tk::io::text_of(1e3 * best);
                const std::size_t line = on.lines[static_cast<std::size_t>(batch[i])];
                add(rows, ",%.9f,", spent);
                if (line > 0) rows += std::to_string(line - 2);
                rows += '\n';
            }
            begun = wall();
            strategy.observe(state, on.space, batch, measured, gen);
        }
        own += spent;
        all += evaluation;
        reached.push_back(to_105);
        regret += best_200 / on.optimum - 1;
        out.evaluations = (std::max)(out.evaluations, evaluation);
        out.by_evaluations.push_back(programs::score_by_evaluations(to.by, run));
        out.ranks.push_back(programs::ranks_over_time(to.by, run));
    }
    if (!s.out.empty()) tk::io::write_text(s.out + '/' + name + '/' + on.name + ".csv", rows);
    out.over_time = programs::score_over_time(to.by, runs);
    const auto middle = reached.begin() + static_cast<std::ptrdiff_t>(reached.size() / 2);
    std::nth_element(reached.begin(), middle, reached.end());
    out.evaluations_to_105 = *middle;
    out.regret_at_200 = regret / static_cast<double>(s.repeats);
    out.failed_share = all == 0 ? 0 : static_cast<double>(failed) / static_cast<double>(all);
    out.own_microseconds = all == 0 ? 0 : 1e6 * own / static_cast<double>(all);
    return out;
}

void print(const std::vector<outcome>& all)
{
    std::printf("%-14s %-28s %6s %6s %12s %14s %9s %12s\n", "strategy", "space", "P", "S200", "evals to 5 %",
                "regret at 200", "failed", "own us/eval");
    for (const auto& o : all) {
        char evals[24];
        if (o.evaluations_to_105 < infinite) std::snprintf(evals, sizeof evals, "%.0f", o.evaluations_to_105);
        else std::snprintf(evals, sizeof evals, "> %zu", o.evaluations);
        std::printf("%-14s %-28s %6.2f %6.2f %12s %12.2f %% %7.1f %% %12.2f\n", o.strategy.c_str(), o.space.c_str(),
                    o.over_time, mean(o.by_evaluations), evals, 100 * o.regret_at_200, 100 * o.failed_share,
                    o.own_microseconds);
    }
}

/// The interval is a bootstrap over repeats of the mean over spaces of `of_repeats(space, repeats)`.
template <class OfRepeats>
aggregate over_spaces(const std::vector<double>& scores, std::size_t repeats, const OfRepeats& of_repeats)
{
    auto gen = tk::random::philox(1);
    const auto resampled = [&](std::span<const std::uint32_t> of) {
        double sum = 0;
        for (std::size_t i = 0; i < scores.size(); ++i) sum += of_repeats(i, of);
        return sum / static_cast<double>(scores.size());
    };
    const auto within = tk::stats::bootstrap_interval(repeats, resampled, {.resamples = 500}, gen);
    return {mean(scores), 0.5 * (within.high - within.low), *std::min_element(scores.begin(), scores.end())};
}

/// Of one strategy: P* over the spaces where a score over time says something, none where it does on none, and S200 over all.
struct total {
    std::string strategy;
    std::optional<aggregate> p;
    aggregate s200;
    double own_microseconds = 0;  ///< per evaluation
};

total total_of(const std::vector<space_to_search>& spaces, std::span<const outcome> of)
{
    std::vector<std::size_t> timed;
    std::vector<double> p, s200;
    total out;
    out.strategy = of[0].strategy;
    for (std::size_t i = 0; i < of.size(); ++i) {
        out.own_microseconds += of[i].own_microseconds / static_cast<double>(of.size());
        s200.push_back(mean(of[i].by_evaluations));
        if (!spaces[i].by.timed()) continue;
        timed.push_back(i);
        p.push_back(of[i].over_time);
    }
    const std::size_t repeats = of[0].ranks.size();
    if (!timed.empty())
        out.p = over_spaces(p, repeats, [&](std::size_t i, std::span<const std::uint32_t> which) {
            return programs::score_by_steps(spaces[timed[i]].by, of[timed[i]].ranks, which);
        });
    out.s200 = over_spaces(s200, repeats, [&](std::size_t i, std::span<const std::uint32_t> which) {
        double sum = 0;
        for (const std::uint32_t r : which) sum += of[i].by_evaluations[r];
        return sum / static_cast<double>(which.size());
    });
    return out;
}

void print(const std::vector<total>& all)
{
    std::printf("\n%-14s %6s %8s %6s %6s %8s %6s %12s\n", "strategy", "P*", "+- 95 %", "worst", "S200", "+- 95 %",
                "worst", "own us/eval");
    for (const total& t : all) {
        std::printf("%-14s", t.strategy.c_str());
        if (t.p) std::printf(" %6.3f %8.3f %6.2f", t.p->mean, t.p->half, t.p->worst);
        else std::printf(" %6s %8s %6s", "-", "-", "-");
        std::printf(" %6.3f %8.3f %6.2f %12.2f\n", t.s200.mean, t.s200.half, t.s200.worst, t.own_microseconds);
    }
}

nlohmann::ordered_json json_of(const std::vector<total>& all)
{
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    const auto json = [](const aggregate& a) {
        return nlohmann::ordered_json{{"mean", a.mean}, {"half_interval", a.half}, {"worst", a.worst}};
    };
    for (const total& t : all)
        rows.push_back({{"strategy", t.strategy},
                        {"p", t.p ? json(*t.p) : nlohmann::ordered_json(nullptr)},
                        {"s200", json(t.s200)},
                        {"own_s_per_evaluation", 1e-6 * t.own_microseconds}});
    return rows;
}

void print_json(const settings& s, const std::vector<outcome>& all, const std::vector<total>& totals)
{
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    const auto finite = [](double x) {
        return x < infinite ? nlohmann::ordered_json(x) : nlohmann::ordered_json(nullptr);
    };
    for (const auto& o : all)
        rows.push_back({{"strategy", o.strategy},
                        {"space", o.space},
                        {"evaluations_to_105", finite(o.evaluations_to_105)},
                        {"p", o.over_time},
                        {"s200", mean(o.by_evaluations)},
                        {"regret_at_200", finite(o.regret_at_200)},
                        {"failed_share", o.failed_share},
                        {"own_s_per_evaluation", 1e-6 * o.own_microseconds},
                        {"evaluations", o.evaluations}});
    const nlohmann::ordered_json out{
        {"seed", s.seed}, {"repeats", s.repeats}, {"batch", s.batch}, {"rows", rows}, {"scores", json_of(totals)}};
    std::printf("%s\n", out.dump(2).c_str());
}

void run(const settings& s)
{
    const auto known = programs::strategies();
    std::vector<std::string> names;
    if (s.strategy == "all")
        for (const auto& [name, strategy] : known) names.push_back(name);
    else names.push_back(s.strategy);
    for (const auto& name : names) (void)programs::find(known, "strategy", name);
    if (s.repeats == 0 || s.batch == 0) tk::invalid("--repeats and --batch are counts, want >= 1");
    if (!s.out.empty()) {
        programs::make_folder("--out", s.out);
        for (const auto& name : names) programs::make_folder("--out", s.out + '/' + name);
    }
    std::vector<space_to_search> spaces;
    for (auto& on : programs::load_spaces("bench_search", s.spaces, s.only)) {
        const auto by = programs::yardstick_of(on, judged);
        spaces.push_back({std::move(on), by});
    }
    std::vector<outcome> all;
    for (const auto& name : names)
        for (const auto& on : spaces) all.push_back(search(s, name, programs::find(known, "strategy", name), on));
    std::vector<total> totals;
    for (std::size_t i = 0; i < all.size(); i += spaces.size())
        totals.push_back(total_of(spaces, std::span(all).subspan(i, spaces.size())));
    if (s.json) return print_json(s, all, totals);
    print(all);
    print(totals);
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    CLI::App app("Runs search strategies over recorded spaces and writes their trajectories.", "bench_search");
    app.add_option("--spaces", s.spaces, "folders of recorded spaces, separated by commas: NAME.params, NAME.csv.gz")
        ->required();
    app.add_option("--strategy", s.strategy, "a name, or all: " + programs::list(programs::strategies()));
    app.add_option("--repeats", s.repeats, "runs with different seeds [25]");
    app.add_option("--seed", s.seed, "of the first repeat's stream [1]")->check(programs::whole_number());
    app.add_option("--out", s.out, "folder for the trajectories, <strategy>/<space>.csv");
    app.add_option("--only", s.only, "spaces whose name contains this");
    app.add_option("--batch", s.batch, "configurations asked for at a time [1]");
    app.add_option("--evaluations", s.evaluations,
                   "a run ends after so many, and not before 1.1 times what random search needs has passed [220]");
    app.add_flag("--json", s.json, "print JSON instead of a table");
    return programs::run_program(app, argc, argv, [&] { run(s); });
}
