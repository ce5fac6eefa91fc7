// SPDX-License-Identifier: MIT
// Schedules live: reads the logs that tune_network left of a network under AutoTVM's CPU templates, measures every incumbent
// afresh, side by side, and says which schedule had the faster model at equal seconds.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "support/convolution_layer.hpp"
#include "support/program.hpp"
#include "support/replay_network.hpp"
#include "tunekit/io/machine.hpp"
#include "tunekit/io/read_log.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/measure/repetition.hpp"
#include "tunekit/stats/bootstrap.hpp"
#include "tunekit/stats/quantile.hpp"

namespace tk = tunekit;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double quality = 1.01;  ///< of the baseline's final latency
constexpr double shares[] = {0.1, 0.25, 0.5, 0.75, 1};  ///< of the seconds, at which latencies are compared

struct options {
    std::string network = "resnet18", baseline = "sequential", against = "dynatune";
    std::vector<std::string> logs;
    std::uint32_t rounds = 5;
};

/// When a task had a new incumbent.
struct improvement {
    double seconds = 0;
    std::size_t task = 0;
    tk::index which = 0;
};

/// What one log says.
struct live_run {
    std::string schedule;
    std::uint64_t seed = 0;
    double seconds = 0;  ///< until its last trial
    std::size_t trials = 0;
    std::vector<improvement> found;
};

live_run read_run(const std::string& path, const std::vector<programs::x86_task>& tasks, const tk::kernels::network& network)
{
    const auto log = tk::io::read_log(path);
    const auto wrong = [&](const std::string& what) { throw tk::error("log " + path + ": " + what); };
    if (log.header.machine != tk::io::machine_key()) wrong("was written on another machine, want one of this");
    if (log.header.tasks.size() != tasks.size()) wrong("has not the tasks of --network " + std::string(network.name));
    for (std::size_t k = 0; k < tasks.size(); ++k)
        if (log.header.tasks[k].fingerprint != tasks[k].space.fingerprint())
            wrong("task " + log.header.tasks[k].name + " had another space, want --templates autotvm");
    live_run out{.schedule = log.header.schedule, .seed = log.header.seed, .seconds = 0, .trials = log.trials.size(), .found = {}};
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
std::vector<std::map<tk::index, double>> measure_all(std::vector<programs::x86_task>& tasks, const std::vector<std::set<tk::index>>& wanted,
                                                     std::uint32_t rounds)
{
    std::vector<std::map<tk::index, std::vector<double>>> seen(tasks.size());
    for (std::uint32_t r = 0; r < rounds; ++r)
        for (std::size_t k = 0; k < tasks.size(); ++k) {
            const std::vector<tk::index> batch(wanted[k].begin(), wanted[k].end());
            const auto measured = tasks[k].measure(batch, {.run_seconds = 10});
            for (std::size_t i = 0; i < batch.size(); ++i)
                if (measured[i].ok()) seen[k][batch[i]].push_back(measured[i].cost);
        }
    std::vector<std::map<tk::index, double>> out(tasks.size());
    for (std::size_t k = 0; k < tasks.size(); ++k)
        for (const auto& [which, costs] : seen[k]) out[k][which] = tk::stats::median(costs);
    return out;
}

/// The model's latency under the incumbents, as measured afresh, whenever one changed.
programs::latency_course course_of(const live_run& run, const std::vector<std::map<tk::index, double>>& costs, const tk::kernels::network& network)
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

/// "median [low, high]" of ratios over seeds, with the bootstrap's 95 % interval.
std::string with_interval(const std::vector<double>& ratios)
{
    auto gen = tk::random::philox(1);
    const auto within = tk::stats::median_interval(ratios, {}, gen);
    char text[64];
    std::snprintf(text, sizeof text, "%.3f [%.3f, %.3f]", tk::stats::median(ratios), within.low, within.high);
    return text;
}

void compare(const options& o, const std::vector<live_run>& runs, const std::vector<programs::latency_course>& courses, double untuned)
{
    double seconds = infinite;  // what every run had
    for (const auto& r : runs) seconds = (std::min)(seconds, r.seconds);
    std::printf("untuned %.3f ms; latency in ms after so many seconds\n%-12s %5s %7s", 1e3 * untuned, "schedule", "seed", "trials");
    for (const double share : shares) std::printf(" %8.1fs", share * seconds);
    std::printf(" %14s\n", "s to 1.01x");
    std::map<std::uint64_t, const programs::latency_course*> base;
    for (std::size_t i = 0; i < runs.size(); ++i)
        if (runs[i].schedule == o.baseline) base[runs[i].seed] = &courses[i];
    std::vector<std::vector<double>> ratios(std::size(shares));
    std::vector<double> sooner;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto with = base.find(runs[i].seed);  // run() has seen to it that there is one
        const double want = quality * latency_at(*with->second, seconds), at = programs::seconds_to(courses[i], want);
        std::printf("%-12s %5llu %7zu", runs[i].schedule.c_str(), static_cast<unsigned long long>(runs[i].seed), runs[i].trials);
        for (const double share : shares) std::printf(" %9.3f", 1e3 * latency_at(courses[i], share * seconds));
        std::printf(" %14.1f\n", at);
        if (runs[i].schedule != o.against) continue;
        for (std::size_t s = 0; s < std::size(shares); ++s) {
            const double theirs = latency_at(*with->second, shares[s] * seconds), ours = latency_at(courses[i], shares[s] * seconds);
            if (theirs < infinite && ours < infinite) ratios[s].push_back(theirs / ours);
        }
        sooner.push_back(at < infinite ? programs::seconds_to(*with->second, want) / at : 0);  // never there: no speed
    }
    if (sooner.empty()) return;
    std::printf("latency of %s over that of %s, %zu seeds:\n", o.baseline.c_str(), o.against.c_str(), sooner.size());
    for (std::size_t s = 0; s < std::size(shares); ++s)
        if (!ratios[s].empty()) std::printf("  after %6.1f s  %s\n", shares[s] * seconds, with_interval(ratios[s]).c_str());
    std::printf("seconds to 1.01x of the final latency of %s, over those of %s: %s\n", o.baseline.c_str(), o.against.c_str(),
                with_interval(sooner).c_str());
}

void run(const options& o)
{
    tk::require(o.rounds > 0, "--rounds is 0, want at least 1");
    const auto* const network = tk::kernels::find_network(o.network);
    if (network == nullptr || network->convolutions.empty())
        tk::invalid("--network \"" + o.network + "\" has no convolutions here, want alexnet, resnet18, squeezenet or vgg16");
    std::vector<programs::x86_task> tasks;
    for (const auto& layer : network->convolutions)
        tasks.push_back(programs::x86_task_of(layer.shape, tk::measure::fixed{.runs = 10, .batch = 1}));
    std::vector<live_run> runs;
    for (const auto& path : o.logs) runs.push_back(read_run(path, tasks, *network));
    for (const auto& r : runs)
        if (std::none_of(runs.begin(), runs.end(), [&](const live_run& b) { return b.schedule == o.baseline && b.seed == r.seed; }))
            throw tk::error("seed " + std::to_string(r.seed) + " has no log of " + o.baseline + ", want one");
    std::vector<std::set<tk::index>> wanted(tasks.size());
    for (std::size_t k = 0; k < tasks.size(); ++k) wanted[k].insert(tasks[k].untuned);
    for (const auto& r : runs)
        for (const auto& f : r.found) wanted[f.task].insert(f.which);
    const auto costs = measure_all(tasks, wanted, o.rounds);
    double untuned = 0;
    for (std::size_t k = 0; k < tasks.size(); ++k) untuned += network->convolutions[k].times * costs[k].at(tasks[k].untuned);
    std::vector<programs::latency_course> courses;
    for (const auto& r : runs) courses.push_back(course_of(r, costs, *network));
    compare(o, runs, courses, untuned);
}

}  // namespace

int main(int argc, char** argv)
{
    options o;
    CLI::App app("Compares schedules by the logs of tune_network --templates autotvm: every incumbent is measured afresh.", "bench_live");
    app.add_option("logs", o.logs, "one per run; runs of one seed are compared")->required();
    app.add_option("--network", o.network, "that was tuned")->capture_default_str();
    app.add_option("--baseline", o.baseline, "the schedule that the other is compared with")->capture_default_str();
    app.add_option("--against", o.against, "the other")->capture_default_str();
    app.add_option("--rounds", o.rounds, "of fresh measurements, the median of which counts")->capture_default_str();
    return programs::run_program(app, argc, argv, [&] { run(o); });
}
