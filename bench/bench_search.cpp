// SPDX-License-Identifier: MIT
// Search strategies over recorded spaces: how many evaluations, and how much of the recorded time, each needs.
#include <dirent.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "../examples/support/names.hpp"
#include "support/program.hpp"
#include "tunekit/io/recorded_space.hpp"
#include "tunekit/io/text.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/replay.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/space/any_space.hpp"

namespace tk = tunekit;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct settings {
    std::string spaces, strategy = "all", out, only;
    std::size_t repeats = 25, batch = 1, evaluations = 220;
    std::uint64_t seed = 1;
    bool json = false;
};

/// What may be spent on one space: at least so many evaluations, and this much recorded time.
struct effort {
    double seconds = 0;
    std::size_t evaluations = 0;
};

struct space_to_search {
    std::string name;
    effort limit;
    tk::io::recorded_space recorded;
    tk::space::any_space space;
    tk::io::replay_table table;
    double optimum = infinite;  ///< seconds
};

/// What one strategy did on one space, over all repeats.
struct outcome {
    std::string strategy, space;
    double evaluations_to_105 = infinite;  ///< median; infinite where most repeats did not reach it
    double regret_at_200 = 0;              ///< mean of best / optimum - 1 after 200 evaluations
    double failed_share = 0;
    double own_microseconds = 0;  ///< per evaluation
    std::size_t evaluations = 0;  ///< of the longest repeat
};

/// Names and efforts: of spaces.csv where the folder has one, else all that lie there, with no time to fill.
std::vector<std::pair<std::string, effort>> list_spaces(const settings& s)
{
    std::vector<std::pair<std::string, effort>> out;
    DIR* folder = opendir(s.spaces.c_str());
    if (folder == nullptr) tk::invalid("--spaces \"" + s.spaces + "\" is no folder, want one with recorded spaces");
    while (const dirent* entry = readdir(folder)) {
        const std::string_view file = entry->d_name;
        if (file.ends_with(".params")) out.emplace_back(file.substr(0, file.size() - 7), effort{0, s.evaluations});
    }
    closedir(folder);
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const std::string path = s.spaces + "/spaces.csv";
    if (std::FILE* there = std::fopen(path.c_str(), "rb")) {
        std::fclose(there);
        const std::string text = tk::io::read_text(path);
        const auto lines = tk::io::lines(text);
        const auto header = lines.empty() ? std::vector<std::string_view>() : tk::io::split(lines[0], ',');
        const auto column = [&](std::string_view name) {
            const auto at = std::find(header.begin(), header.end(), name);
            if (at == header.end()) tk::invalid(path + ":1: " + std::string(name) + ": no such column, want one");
            return static_cast<std::size_t>(at - header.begin());
        };
        const std::size_t name = column("space"), budget = column("budget_s");
        for (std::size_t i = 1; i < lines.size(); ++i) {
            const auto fields = tk::io::split(lines[i], ',');
            const auto seconds = fields.size() == header.size() ? tk::io::number<double>(fields[budget]) : std::nullopt;
            if (!seconds) tk::invalid(path + ':' + std::to_string(i + 1) + ": budget_s: is no number, want seconds");
            for (auto& [known, limit] : out)
                if (known == fields[name]) limit.seconds = 1.1 * *seconds;
        }
    }
    std::erase_if(out, [&](const auto& x) { return x.first.find(s.only) == std::string::npos; });
    if (out.empty()) tk::invalid("--spaces \"" + s.spaces + "\" holds no recorded space" + (s.only.empty() ? "" : " named so") + ", want NAME.params and NAME.csv.gz");
    return out;
}

space_to_search load(const settings& s, const std::string& name, const effort& limit)
{
    auto recorded = tk::io::read_recorded_space(s.spaces + '/' + name);
    tk::space::any_space space = tk::io::space_of(recorded);
    auto table = tk::io::table_of(recorded, space);
    for (const auto* problems : {&recorded.problems, &table.problems})
        for (const auto& p : *problems) std::fprintf(stderr, "bench_search: %s\n", p.text().c_str());
    double optimum = infinite;
    for (const auto& row : table.rows)
        if (row.result.ok()) optimum = (std::min)(optimum, row.result.cost);
    return {name, limit, std::move(recorded), std::move(space), std::move(table), optimum};
}

void add(std::string& text, const char* format, auto... values)
{
    char buffer[160];
    std::snprintf(buffer, sizeof buffer, format, values...);
    text += buffer;
}

outcome search(const settings& s, const std::string& name, const tk::any_strategy& strategy, const space_to_search& on)
{
    std::string rows = "repeat,eval,sim_time_s,best_ms,overhead_s,row\n";
    std::vector<double> reached;
    outcome out{.strategy = name, .space = on.name};
    double own = 0, regret = 0;
    std::size_t all = 0, failed = 0;
    for (std::size_t repeat = 0; repeat < s.repeats; ++repeat) {
        auto gen = tk::random::stream(s.seed, 0x62656e63U, repeat);
        double now = 0, best = infinite, spent = 0, to_105 = infinite, best_200 = infinite;
        const tk::measure::virtual_clock time(now);
        tk::measure::replay measurer(on.table.rows, time);
        tk::measure::wall_clock wall;
        std::size_t evaluation = 0;
        double begun = wall();
        auto state = strategy.start(on.space);
        while (now <= on.limit.seconds || evaluation < on.limit.evaluations) {
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
                if (evaluation <= 200) best_200 = best;
                add(rows, "%zu,%zu,%.9f,", repeat, evaluation, shown);
                if (best < infinite) rows += tk::io::text_of(1e3 * best);
                const std::size_t k = on.table.source[static_cast<std::size_t>(batch[i])];
                add(rows, ",%.9f,", spent);
                if (k < on.recorded.rows.size()) rows += std::to_string(on.recorded.rows[k].line - 2);
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
    }
    if (!s.out.empty()) tk::io::write_text(s.out + '/' + name + '/' + on.name + ".csv", rows);
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
    std::printf("%-14s %-28s %12s %14s %9s %12s\n", "strategy", "space", "evals to 5 %", "regret at 200", "failed", "own us/eval");
    for (const auto& o : all) {
        char evals[24];
        if (o.evaluations_to_105 < infinite) std::snprintf(evals, sizeof evals, "%.0f", o.evaluations_to_105);
        else std::snprintf(evals, sizeof evals, "> %zu", o.evaluations);
        std::printf("%-14s %-28s %12s %12.2f %% %7.1f %% %12.2f\n", o.strategy.c_str(), o.space.c_str(), evals,
                    100 * o.regret_at_200, 100 * o.failed_share, o.own_microseconds);
    }
}

void print_json(const settings& s, const std::vector<outcome>& all)
{
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    const auto finite = [](double x) { return x < infinite ? nlohmann::ordered_json(x) : nlohmann::ordered_json(nullptr); };
    for (const auto& o : all)
        rows.push_back({{"strategy", o.strategy}, {"space", o.space}, {"evaluations_to_105", finite(o.evaluations_to_105)},
                        {"regret_at_200", finite(o.regret_at_200)}, {"failed_share", o.failed_share},
                        {"own_s_per_evaluation", 1e-6 * o.own_microseconds}, {"evaluations", o.evaluations}});
    const nlohmann::ordered_json out{{"seed", s.seed}, {"repeats", s.repeats}, {"batch", s.batch}, {"rows", rows}};
    std::printf("%s\n", out.dump(2).c_str());
}

void run(const settings& s)
{
    const auto known = programs::strategies();
    std::vector<std::string> names;
    if (s.strategy == "all")
        for (const auto& [name, strategy] : known) names.push_back(name);
    else
        names.push_back(s.strategy);
    for (const auto& name : names) (void)programs::find(known, "strategy", name);
    if (s.repeats == 0 || s.batch == 0) tk::invalid("--repeats and --batch are counts, want >= 1");
    if (!s.out.empty()) {
        programs::make_folder("--out", s.out);
        for (const auto& name : names) programs::make_folder("--out", s.out + '/' + name);
    }
    std::vector<outcome> all;
    for (const auto& [name, limit] : list_spaces(s)) {
        const space_to_search on = load(s, name, limit);
        for (const auto& strategy : names) all.push_back(search(s, strategy, programs::find(known, "strategy", strategy), on));
    }
    std::stable_sort(all.begin(), all.end(), [&](const outcome& a, const outcome& b) {
        const auto place = [&](const outcome& o) { return std::find(names.begin(), names.end(), o.strategy) - names.begin(); };
        return place(a) < place(b);
    });
    if (s.json) print_json(s, all);
    else print(all);
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    CLI::App app("Runs search strategies over recorded spaces and writes their trajectories.", "bench_search");
    app.add_option("--spaces", s.spaces, "folder of recorded spaces: NAME.params, NAME.csv.gz, spaces.csv for time budgets")->required();
    app.add_option("--strategy", s.strategy, "a name, or all: " + programs::list(programs::strategies()));
    app.add_option("--repeats", s.repeats, "runs with different seeds [25]");
    app.add_option("--seed", s.seed, "of the first repeat's stream [1]");
    app.add_option("--out", s.out, "folder for the trajectories, <strategy>/<space>.csv");
    app.add_option("--only", s.only, "spaces whose name contains this");
    app.add_option("--batch", s.batch, "configurations asked for at a time [1]");
    app.add_option("--evaluations", s.evaluations,
                   "a run ends after so many, and not before 1.1 x budget_s of spaces.csv has passed [220]");
    app.add_flag("--json", s.json, "print JSON instead of a table");
    return programs::run_program(app, argc, argv, [&] { run(s); });
}
