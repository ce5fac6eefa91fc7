// SPDX-License-Identifier: MIT
// Systems live: reads the logs that tune_network left of a network under AutoTVM's CPU templates, measures every incumbent
// afresh, side by side, and says which system had the faster model at equal seconds, and when each came how near to the optimum: T_q,
// as bench_schedule --fair has it of recordings.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bench/studies/support/middle.hpp"
#include "bench/studies/support/replay_network.hpp"
#include "bench/studies/support/to_optimum.hpp"
#include "packages/kernels/operators/operator_task.hpp"
#include "packages/kernels/operators/pools.hpp"
#include "tools/support/program.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/processes/machine.hpp"
#include "tunekit/records/read_log.hpp"
#include "tunekit/scoring/read_recordings.hpp"
#include "tunekit/space/any_space.hpp"
#include "tunekit/space/carried.hpp"
#include "tunekit/stats/quantile.hpp"

namespace tk = tunekit;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double quality = 1.01;                        ///< of the baseline's final latency
constexpr double shares[] = {0.1, 0.25, 0.5, 0.75, 1};  ///< of the seconds, at which latencies are compared

struct options {
    std::string network = "resnet18", baseline = "sequential", against = "dynatune";
    std::vector<std::string> logs;
    std::uint32_t rounds = 5;
    bool json = false;
};

/// When a task had a new incumbent.
struct improvement {
    double seconds = 0;
    std::size_t task = 0;
    tk::index which = 0;
};

/// What one log says.
struct live_run {
    std::string strategy{}, schedule{};
    std::uint64_t seed = 0;
    double seconds = 0;  ///< until its last trial
    std::size_t trials = 0;
    std::vector<improvement> found;

    [[nodiscard]] std::string system() const { return strategy + '/' + schedule; }
    /// Whether it is of the system of that name: STRATEGY/SCHEDULE, or one of the two.
    [[nodiscard]] bool is(const std::string& name) const
    {
        return name == strategy || name == schedule || name == system();
    }
};

live_run read_run(const std::string& path, const std::vector<programs::built_task>& tasks,
                  const tk::kernels::network& network)
{
    const auto log = tk::io::read_log(path);
    const auto wrong = [&](const std::string& what) { throw tk::error("log " + path + ": " + what); };
    if (tk::kinship_of(log.header.machine, to_text(tk::this_machine())) != tk::kinship::same)
        wrong("was written on another machine, " + tk::quoted_device(log.header.machine) + ", want one of this");
    if (log.header.tasks.size() != tasks.size()) wrong("has not the tasks of --network " + std::string(network.name));
    for (std::size_t k = 0; k < tasks.size(); ++k)
        if (log.header.tasks[k].fingerprint != tasks[k].space.fingerprint())
            wrong("task " + log.header.tasks[k].name + " had another space, want --templates autotvm");
    live_run out{.strategy = log.header.strategy,
                 .schedule = log.header.schedule,
                 .seed = log.header.seed,
                 .seconds = 0,
                 .trials = log.trials.size(),
                 .found = {}};
    std::vector<double> best(tasks.size(), infinite);
    for (const auto& t : log.trials) {
        out.seconds = 1e-9 * static_cast<double>(t.ended_ns);
        if (!t.measured.ok() || t.measured.cost >= best[t.task]) continue;
        best[t.task] = t.measured.cost;
        out.found.push_back({out.seconds, t.task, t.candidate});
    }
    return out;
}

/// Fresh medians over rounds, in each of which everything is measured once.
std::vector<std::map<tk::index, double>> measure_all(const std::vector<programs::built_task>& tasks,
                                                     const std::vector<std::set<tk::index>>& wanted,
                                                     std::uint32_t rounds)
{
    auto pool = programs::pool_of(tasks, 1);
    std::vector<std::map<tk::index, std::vector<double>>> seen(tasks.size());
    for (std::uint32_t r = 0; r < rounds; ++r)
        for (std::size_t k = 0; k < tasks.size(); ++k) {
            const std::vector<tk::index> batch(wanted[k].begin(), wanted[k].end());
            const auto measured = pool.alone(0, k).measure(batch, {.run_seconds = 10});
            for (std::size_t i = 0; i < batch.size(); ++i)
                if (measured[i].ok()) seen[k][batch[i]].push_back(measured[i].cost);
        }
    std::vector<std::map<tk::index, double>> out(tasks.size());
    for (std::size_t k = 0; k < tasks.size(); ++k)
        for (const auto& [which, costs] : seen[k]) out[k][which] = tk::stats::median(costs);
    return out;
}

/// The model's latency under the incumbents, as measured afresh, whenever one changed.
programs::latency_course course_of(const live_run& run, const std::vector<std::map<tk::index, double>>& costs,
                                   const tk::kernels::network& network)
{
    std::vector<double> now(costs.size(), infinite);
    programs::latency_course out;
    for (const auto& f : run.found) {
        now[f.task] = costs[f.task].at(f.which);
        double latency = 0;
        for (std::size_t k = 0; k < now.size(); ++k) latency += network.convolutions[k].times * now[k];
        if (latency < infinite) out.push_back({f.seconds, latency});
    }
    return out;
}

double latency_at(const programs::latency_course& course, double seconds)
{
    double latency = infinite;
    for (const auto& step : course)
        if (step.seconds <= seconds) latency = step.latency;
    return latency;
}

/// Adds, of each operator, the recorded configurations that are fastest: they are measured too, so that what is called the optimum does
/// not depend on what the runs found. Nothing where the network has no recording.
void add_recorded_best(const std::string& network, const std::vector<programs::built_task>& tasks,
                       std::vector<std::set<tk::index>>& wanted)
{
    constexpr std::size_t best = 4;
    const std::string folder = tk::scoring::recordings_folder(TUNEKIT_RECORDINGS) + '/' + network;
    if (!std::filesystem::is_directory(folder)) return;
    const auto layers = programs::load_network(network, folder);
    for (std::size_t k = 0; k < tasks.size(); ++k) {
        const tk::space::any_space recorded(layers[k].space);
        const std::vector<std::string> names(recorded.names().begin(), recorded.names().end());
        const tk::space::matched_parameters to(tasks[k].space);
        std::vector<std::size_t> order(layers[k].rows.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto cost = [&](std::size_t i) {
            const auto& m = layers[k].rows[i].result;
            return m.ok() ? m.cost : infinite;
        };
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return cost(a) < cost(b); });
        for (std::size_t i = 0; i < (std::min)(best, order.size()); ++i)
            if (const auto c = to.carry(tasks[k].space, names, recorded.texts(order[i]), std::nullopt))
                wanted[k].insert(*c);
    }
}

/// What one run reached.
struct row {
    std::string system;
    std::uint64_t seed = 0;
    std::size_t trials = 0;
    std::vector<double> latencies;  ///< at each of `shares`
    double seconds_to_quality = 0;
    programs::arrivals arrived{};  ///< within 1, 2 and 5 % of the optimum, to stay
};

/// All runs, and the baseline's latencies and seconds over those of the other system.
struct comparison {
    double untuned = 0, optimum = 0;
    double seconds = 0;  ///< what every run had, and what one that never arrives counts as
    std::vector<row> rows;
    std::vector<std::vector<double>> ratios;  ///< at each of `shares`, of the seeds where both had a model
    std::vector<double> sooner;               ///< of each seed
    /// By system; the i-th runs of two systems have the same seed.
    std::map<std::string, std::vector<programs::arrivals>> arrivals{};
    std::string base{}, other{};  ///< the systems that are compared
};

comparison compare(const options& o, const std::vector<live_run>& runs,
                   const std::vector<programs::latency_course>& courses, double untuned, double optimum)
{
    comparison out{.untuned = untuned, .optimum = optimum, .seconds = infinite, .rows = {}, .ratios = {}, .sooner = {}};
    out.ratios.resize(std::size(shares));
    for (const auto& r : runs) out.seconds = (std::min)(out.seconds, r.seconds);
    std::map<std::uint64_t, const programs::latency_course*> base;
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (runs[i].is(o.baseline)) {
            base[runs[i].seed] = &courses[i];
            out.base = runs[i].system();
        }
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto with = base.find(runs[i].seed);  // run() has seen to it that there is one
        const double want = quality * latency_at(*with->second, out.seconds);
        const double at = programs::seconds_to(courses[i], want);
        auto& to = out.rows.emplace_back(row{runs[i].system(), runs[i].seed, runs[i].trials, {}, at});
        to.arrived = programs::arrivals_of(courses[i], optimum);
        out.arrivals[to.system].push_back(to.arrived);
        for (const double share : shares) to.latencies.push_back(latency_at(courses[i], share * out.seconds));
        if (!runs[i].is(o.against)) continue;
        out.other = to.system;
        for (std::size_t s = 0; s < std::size(shares); ++s) {
            const double theirs = latency_at(*with->second, shares[s] * out.seconds), ours = to.latencies[s];
            if (theirs < infinite && ours < infinite) out.ratios[s].push_back(theirs / ours);
        }
        // never there: no speed
        out.sooner.push_back(at < infinite ? programs::seconds_to(*with->second, want) / at : 0);
    }
    return out;
}

/// "median [low, high]" of ratios over seeds.
std::string with_interval(const std::vector<double>& ratios)
{
    const auto m = programs::middle_of(ratios);
    char text[64];
    std::snprintf(text, sizeof text, "%.3f [%.3f, %.3f]", m.median, m.low, m.high);
    return text;
}

/// The lead by T_q, where both systems have a run of each seed.
programs::estimated lead_of(const comparison& c)
{
    return programs::tq_ratio(c.arrivals.at(c.base), c.arrivals.at(c.other), c.seconds);
}

void print(const options& o, const comparison& c)
{
    std::printf("untuned %.3f ms, best known %.3f ms; latency in ms after so many seconds\n%-26s %5s %7s",
                1e3 * c.untuned, 1e3 * c.optimum, "system", "seed", "trials");
    for (const double share : shares) std::printf(" %8.1fs", share * c.seconds);
    std::printf(" %14s\n", "s to 1.01x");
    for (const auto& r : c.rows) {
        std::printf("%-26s %5llu %7zu", r.system.c_str(), static_cast<unsigned long long>(r.seed), r.trials);
        for (const double latency : r.latencies) std::printf(" %9.3f", 1e3 * latency);
        std::printf(" %14.1f\n", r.seconds_to_quality);
    }
    std::printf(
        "T_q: seconds until the model stays within 1, 2 and 5 %% of the best known; one that never does counts as %.0f "
        "s\n"
        "%-26s %7s %7s %7s %9s %17s %8s\n",
        c.seconds, "system", "T_1 s", "T_2 s", "T_5 s", "T_q s", "95 % interval", "arrived");
    for (const auto& [system, runs] : c.arrivals) {
        const auto t = programs::medians(runs, c.seconds);
        const auto tq = programs::tq_of(runs, c.seconds);
        char text[24];
        std::snprintf(text, sizeof text, "%s%.1f", programs::is_bound(runs, c.seconds) ? ">=" : "", tq.value);
        std::printf("%-26s %7.1f %7.1f %7.1f %9s %8.1f %8.1f %4zu/%-3zu\n", system.c_str(), t[0], t[1], t[2], text,
                    tq.low, tq.high, programs::arrived(runs, c.seconds), runs.size());
    }
    if (c.sooner.empty()) return;
    const auto ahead = lead_of(c);
    std::printf("%s ahead of %s by T_q: %.2f [%.2f, %.2f]\n", c.other.c_str(), c.base.c_str(), ahead.value, ahead.low,
                ahead.high);
    std::printf("latency of %s over that of %s, %zu seeds:\n", o.baseline.c_str(), o.against.c_str(), c.sooner.size());
    for (std::size_t s = 0; s < std::size(shares); ++s)
        if (!c.ratios[s].empty())
            std::printf("  after %6.1f s  %s\n", shares[s] * c.seconds, with_interval(c.ratios[s]).c_str());
    std::printf("seconds to 1.01x of the final latency of %s, over those of %s: %s\n", o.baseline.c_str(),
                o.against.c_str(), with_interval(c.sooner).c_str());
}

void print_json(const options& o, const comparison& c)
{
    using nlohmann::ordered_json;
    auto rows = ordered_json::array(), ratios = ordered_json::array();
    for (const auto& r : c.rows) {
        auto latencies = ordered_json::array();
        for (std::size_t s = 0; s < std::size(shares); ++s)
            latencies.push_back({{"after_s", shares[s] * c.seconds}, {"latency_ms", 1e3 * r.latencies[s]}});
        const auto seconds = [](double t) { return t < infinite ? ordered_json(t) : ordered_json(nullptr); };
        rows.push_back({{"system", r.system},
                        {"seed", r.seed},
                        {"trials", r.trials},
                        {"latencies", latencies},
                        {"t1_s", seconds(r.arrived[0])},
                        {"t2_s", seconds(r.arrived[1])},
                        {"t5_s", seconds(r.arrived[2])},
                        {"seconds_to_quality", seconds(r.seconds_to_quality)}});
    }
    for (std::size_t s = 0; s < std::size(shares); ++s) {
        if (c.ratios[s].empty()) continue;
        auto& ratio = ratios.emplace_back(ordered_json{{"after_s", shares[s] * c.seconds}});
        programs::add(ratio, "latency_ratio", programs::middle_of(c.ratios[s]));
    }
    ordered_json out{{"network", o.network},
                     {"baseline", o.baseline},
                     {"against", o.against},
                     {"rounds", o.rounds},
                     {"seconds", c.seconds},
                     {"untuned_ms", 1e3 * c.untuned},
                     {"best_known_ms", 1e3 * c.optimum},
                     {"rows", rows},
                     {"seeds", c.sooner.size()},
                     {"ratios", ratios}};
    out["systems"] = ordered_json::array();
    for (const auto& [system, runs] : c.arrivals) {
        const auto t = programs::medians(runs, c.seconds);
        const auto tq = programs::tq_of(runs, c.seconds);
        out["systems"].push_back({{"system", system},
                                  {"t1_s", t[0]},
                                  {"t2_s", t[1]},
                                  {"t5_s", t[2]},
                                  {"tq_s", tq.value},
                                  {"low", tq.low},
                                  {"high", tq.high},
                                  {"arrived", programs::arrived(runs, c.seconds)},
                                  {"bound", programs::is_bound(runs, c.seconds)}});
    }
    if (!c.sooner.empty()) {
        programs::add(out, "speedup", programs::middle_of(c.sooner));
        const auto ahead = lead_of(c);
        out["ahead"] = {{"value", ahead.value}, {"low", ahead.low}, {"high", ahead.high}};
    }
    std::printf("%s\n", out.dump(2).c_str());
}

void run(const options& o)
{
    tk::require(o.rounds > 0, "--rounds is 0, want at least 1");
    const auto* const network = tk::kernels::find_network(o.network);
    if (network == nullptr || network->convolutions.empty())
        tk::invalid("--network \"" + o.network +
                    "\" has no convolutions here, want alexnet, resnet18, squeezenet or vgg16");
    std::vector<programs::built_task> tasks;
    for (const auto& layer : network->convolutions)
        tasks.push_back(
            programs::x86_task(layer.shape, tk::measure::any_repetition{tk::measure::fixed{.runs = 10, .batch = 1}}));
    std::vector<live_run> runs;
    for (const auto& path : o.logs) runs.push_back(read_run(path, tasks, *network));
    std::stable_sort(runs.begin(), runs.end(), [](const live_run& a, const live_run& b) { return a.seed < b.seed; });
    for (const std::string& name : {o.baseline, o.against}) {
        std::set<std::string> systems;
        for (const auto& r : runs) {
            if (r.is(name)) systems.insert(r.system());
            const auto has = std::count_if(runs.begin(), runs.end(),
                                           [&](const live_run& b) { return b.is(name) && b.seed == r.seed; });
            if (has != 1)
                throw tk::error("seed " + std::to_string(r.seed) + " has " + (has == 0 ? "no log" : "several logs") +
                                " of " + name + ", want one");
        }
        if (systems.size() > 1)
            tk::invalid("\"" + name + "\" is several systems in these logs, " + *systems.begin() + " and " +
                        *systems.rbegin() + ", want STRATEGY/SCHEDULE");
    }
    std::vector<std::set<tk::index>> wanted(tasks.size());
    for (std::size_t k = 0; k < tasks.size(); ++k) wanted[k].insert(tasks[k].untuned);
    for (const auto& r : runs)
        for (const auto& f : r.found) wanted[f.task].insert(f.which);
    add_recorded_best(o.network, tasks, wanted);
    const auto costs = measure_all(tasks, wanted, o.rounds);
    double untuned = 0, optimum = 0;
    for (std::size_t k = 0; k < tasks.size(); ++k) {
        untuned += network->convolutions[k].times * costs[k].at(tasks[k].untuned);
        double best = infinite;
        for (const auto& [which, cost] : costs[k]) best = (std::min)(best, cost);
        optimum += network->convolutions[k].times * best;
    }
    std::vector<programs::latency_course> courses;
    for (const auto& r : runs) courses.push_back(course_of(r, costs, *network));
    const auto found = compare(o, runs, courses, untuned, optimum);
    if (o.json) print_json(o, found);
    else print(o, found);
}

}  // namespace

int main(int argc, char** argv)
{
    options o;
    CLI::App app(
        "Compares systems by the logs of tune_network --templates autotvm: every incumbent is measured afresh.",
        "bench_live");
    app.add_option("logs", o.logs, "one per run; runs of one seed are compared")->required();
    app.add_option("--network", o.network, "that was tuned")->capture_default_str();
    app.add_option("--baseline", o.baseline, "what the other is compared with: STRATEGY, SCHEDULE or STRATEGY/SCHEDULE")
        ->capture_default_str();
    app.add_option("--against", o.against, "the other")->capture_default_str();
    app.add_option("--rounds", o.rounds, "of fresh measurements, the median of which counts")->capture_default_str();
    app.add_flag("--json", o.json, "print JSON instead of a table");
    return programs::run_program(app, argc, argv, [&] { run(o); });
}
