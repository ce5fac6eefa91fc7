// SPDX-License-Identifier: MIT
// A pool over many ranks, simulated with the protocol of mpi::pool: how many jobs a second rank 0 hands out, what the network
// costs, and from how many ranks on more do not pay.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "bench/support/load_spaces.hpp"
#include "programs/names.hpp"
#include "programs/program.hpp"
#include "tunekit/io/text.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/mpi/leased_pool.hpp"
#include "tunekit/mpi/simulated_ranks.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/tune/tuner.hpp"

namespace tk = tunekit;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct settings {
    std::string spaces, only, strategy = "combined,random";
    std::vector<std::size_t> ranks{1, 32, 512, 4096};
    std::size_t repeats = 3, trials = 700, per_rank = 4, at_least = 0;
    std::uint64_t seed = 1;
    double latency_us = 2;
};

/// One run.
struct course {
    double to_105 = infinite;  ///< seconds until 5 % from the optimum, rank 0's own work and the network included
    double own_s = 0;          ///< rank 0's processor time
    double total_s = 0;
    std::size_t jobs = 0;
};

/// With `thinking`, what rank 0 computes takes the time that it takes here; else none.
course simulate(const settings& s, const tk::study::recording& on, const tk::search::any_strategy& strategy,
                std::size_t n, std::size_t repeat, bool thinking)
{
    const std::vector<tk::measure::task_identity> tasks{tk::measure::identity_of(on.space)};
    tk::mpi::simulated_ranks ranks(std::vector{tk::measure::recorded_rows(on.rows)}, tasks,
                                   {.ranks = n, .latency_s = thinking ? 1e-6 * s.latency_us : 0});
    tk::mpi::leased_pool pool(ranks, tasks, {.margin_seconds = 1e9, .begin_seconds = 1e9});
    const std::size_t most = (std::max)(s.trials, s.per_rank * n);
    tk::tuner t(on.space, strategy, {.trials = most}, tk::random::stream(s.seed, 0x72616e6bU, repeat));
    std::map<tk::ticket, tk::job> out;
    course c;
    tk::measure::thread_clock work;
    double last = work();
    while (!t.over()) {
        while (const std::size_t room = pool.room()) {
            const auto jobs = t.ask(room);
            if (jobs.empty()) break;
            for (const tk::job& j : jobs) {
                out[j.ticket] = j;
                pool.submit(j);
                ++c.jobs;
            }
        }
        for (tk::answer& a : pool.collect(infinite)) {
            const tk::job j = out.extract(a.ticket).mapped();
            if (a.measured->ok() && a.measured->cost <= 1.05 * on.optimum && c.to_105 == infinite)
                c.to_105 = pool.now();
            t.tell(j, *std::move(a.measured), pool.now());
        }
        const double moment = work();
        if (thinking) ranks.spend(moment - last);
        c.own_s += moment - last;
        last = moment;
    }
    c.total_s = pool.now();
    return c;
}

double median(std::vector<double> x)
{
    std::sort(x.begin(), x.end());
    return tk::stats::quantile_of_sorted(x, 0.5);
}

void run(const settings& s)
{
    const auto known = programs::strategies();
    if (s.repeats == 0 || s.ranks.empty()) tk::invalid("--repeats and --ranks are counts, want >= 1");
    for (const std::size_t n : s.ranks)
        if (n == 0) tk::invalid("--ranks has a 0, want counts >= 1");
    auto spaces = programs::load_spaces("bench_ranks", s.spaces, s.only);
    std::erase_if(spaces, [&](const auto& on) { return on.space.size() < s.at_least; });
    if (spaces.empty()) tk::invalid("--at-least leaves no space, want less");
    const auto names = tk::io::split(s.strategy, ',');
    for (const std::string_view name : names) static_cast<void>(programs::find(known, "strategy", std::string(name)));
    std::printf("%-10s %6s %10s %10s %9s %8s %7s %7s %9s\n", "strategy", "ranks", "jobs/s", "least", "of size",
                "sooner", "spaces", "busy", "overhead");
    for (const std::string_view name : names) {
        const auto& strategy = programs::find(known, "strategy", std::string(name));
        std::vector<double> alone;  // seconds to 5 % on one rank, by space
        for (const auto& on : spaces) {
            std::vector<double> x;
            for (std::size_t r = 0; r < s.repeats; ++r) x.push_back(simulate(s, on, strategy, 1, r, true).to_105);
            alone.push_back(median(x));
        }
        for (const std::size_t n : s.ranks) {
            std::vector<double> rates, busy;
            double least = infinite, log_sooner = 0, log_cost = 0;
            tk::index size_of_least = 0;
            std::size_t reached = 0;
            for (std::size_t k = 0; k < spaces.size(); ++k) {
                std::vector<double> to_105, free, rate;
                for (std::size_t r = 0; r < s.repeats; ++r) {
                    const course c = simulate(s, spaces[k], strategy, n, r, true);
                    to_105.push_back(c.to_105);
                    rate.push_back(static_cast<double>(c.jobs) / c.own_s);
                    busy.push_back(c.own_s / c.total_s);
                    free.push_back(simulate(s, spaces[k], strategy, n, r, false).to_105);
                }
                rates.push_back(median(rate));
                if (rates.back() < least) {
                    least = rates.back();
                    size_of_least = spaces[k].space.size();
                }
                const double here = median(to_105), ideal = median(free);
                if (!(here < infinite && alone[k] < infinite && ideal < infinite)) continue;
                ++reached;
                log_sooner += std::log(alone[k] / here);
                log_cost += std::log(here / ideal);
            }
            const double of = static_cast<double>((std::max)(reached, std::size_t{1}));
            std::printf("%-10s %6zu %10.0f %10.0f %9llu %8.2f %7zu %6.1f%% %9.3f\n", std::string(name).c_str(), n,
                        median(rates), least, static_cast<unsigned long long>(size_of_least), std::exp(log_sooner / of),
                        reached, 100 * median(busy), std::exp(log_cost / of));
            std::fflush(stdout);
        }
    }
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    CLI::App app("Simulates a pool over many ranks, with rank 0's own work and a network.", "bench_ranks");
    app.add_option("--spaces", s.spaces, "folders of recorded spaces, separated by commas")->required();
    app.add_option("--only", s.only, "spaces whose name contains this");
    app.add_option("--at-least", s.at_least, "spaces with so many configurations [0]");
    app.add_option("--strategy", s.strategy,
                   "names, separated by commas [combined,random]: " + programs::list(programs::strategies()));
    app.add_option("--ranks", s.ranks, "how many measure, separated by commas [1,32,512,4096]")->delimiter(',');
    app.add_option("--repeats", s.repeats, "runs with different seeds [3]");
    app.add_option("--trials", s.trials, "jobs of a run at least [700]");
    app.add_option("--per-rank", s.per_rank, "the same for each rank [4]");
    app.add_option("--latency-us", s.latency_us, "microseconds of a message [2]");
    app.add_option("--seed", s.seed, "of the first repeat's stream [1]")->check(programs::whole_number());
    return programs::run_program(app, argc, argv, [&] { run(s); });
}
