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
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/studies/support/load_spaces.hpp"
#include "bench/studies/support/study_app.hpp"
#include "tests/support/simulated_ranks.hpp"
#include "tools/support/names.hpp"
#include "tools/support/program.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/mpi/leased_pool.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/scoring/yardstick.hpp"
#include "tunekit/stats/bootstrap.hpp"
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
    double budget_at_least = 0;
    bool each = false;
};

/// One run.
struct course {
    double to_105 = infinite;  ///< seconds until 5 % from the optimum, rank 0's own work and the network included
    double needed = infinite;  ///< answers until then
    double rate = 0;           ///< jobs handed out per second of rank 0's processor time
    double busy = 0;           ///< share of the run's seconds in which rank 0 worked
};

/// Goes on until 5 % from the optimum and a number of jobs for each rank, at most `trials`, or those. What rank 0 computes
/// takes the time that it takes here.
course simulate(const settings& s, const tk::scoring::recording& on, const tk::search::any_strategy& strategy,
                std::size_t n, std::size_t repeat)
{
    const std::vector<tk::measure::task_identity> tasks{tk::measure::identity_of(on.space)};
    support::simulated_ranks ranks(std::vector{tk::measure::recorded_rows(on.rows)}, tasks,
                                   {.ranks = n, .latency_s = 2e-6});
    tk::mpi::leased_pool pool(ranks, tasks, {.margin_seconds = 1e9, .begin_seconds = 1e9});
    const std::size_t enough = s.per_rank * n;
    tk::tuner t(on.space, strategy, {.trials = (std::max)(s.trials, enough)},
                tk::random::stream(s.seed, 0x72616e6bU, repeat));
    std::map<tk::ticket, tk::job> out;
    course c;
    std::size_t jobs = 0;
    double own = 0;
    tk::measure::thread_clock work;
    double last = work();
    while (!t.over()) {
        while (const std::size_t room = pool.room()) {
            if (jobs >= enough && c.to_105 < infinite) t.stop();
            const auto some = t.ask(room);
            if (some.empty()) break;
            for (const tk::job& j : some) {
                out[j.ticket] = j;
                pool.submit(j);
                ++jobs;
            }
        }
        for (tk::answer& a : pool.collect(infinite)) {
            const tk::job j = out.extract(a.ticket).mapped();
            const bool there = a.measured->ok() && a.measured->cost <= 1.05 * on.optimum;
            t.tell(j, *std::move(a.measured), pool.now());
            if (!there || c.to_105 < infinite) continue;
            c.to_105 = pool.now();
            c.needed = static_cast<double>(t.record().trials().size());
        }
        const double moment = work();
        ranks.spend(moment - last);
        own += moment - last;
        last = moment;
    }
    c.rate = static_cast<double>(jobs) / own;
    c.busy = own / pool.now();
    return c;
}

double median(std::vector<double> x)
{
    std::sort(x.begin(), x.end());
    return tk::stats::quantile_of_sorted(x, 0.5);
}

/// The runs of one space, by seed.
using cell = std::vector<course>;

double median_of(const cell& runs, double course::* what, std::span<const std::uint32_t> some)
{
    std::vector<double> x;
    for (const std::uint32_t k : some) x.push_back(runs[k].*what);
    return median(std::move(x));
}

/// Geometric mean over spaces that both reached of the ratio of medians of `what`.
double ratio_of(const std::vector<cell>& one, const std::vector<cell>& many, double course::* what,
                std::span<const std::uint32_t> some)
{
    double sum = 0;
    std::size_t reached = 0;
    for (std::size_t k = 0; k < one.size(); ++k) {
        const double a = median_of(one[k], what, some), b = median_of(many[k], what, some);
        if (!(a < infinite && b < infinite)) continue;
        ++reached;
        sum += std::log(a / b);
    }
    return reached == 0 ? std::nan("") : std::exp(sum / static_cast<double>(reached));
}

void print(const settings& s, const std::string& name, std::size_t n, const std::vector<tk::scoring::recording>& spaces,
           const std::vector<cell>& one, const std::vector<cell>& many)
{
    std::vector<std::uint32_t> all(s.repeats);
    std::iota(all.begin(), all.end(), 0U);
    std::vector<double> rates, busy;
    std::size_t least = 0, reached = 0;
    for (std::size_t k = 0; k < spaces.size(); ++k) {
        rates.push_back(median_of(many[k], &course::rate, all));
        busy.push_back(median_of(many[k], &course::busy, all));
        if (rates[k] < rates[least]) least = k;
        const double a = median_of(one[k], &course::to_105, all), b = median_of(many[k], &course::to_105, all);
        if (a < infinite && b < infinite) ++reached;
        if (s.each)
            std::printf(
                "  %-26s %6zu ranks: %8.0f jobs/s, 5 %% after %6.0f answers, %10.2f s; one after %6.0f, %10.2f s: "
                "%6.2f\n",
                spaces[k].name.c_str(), n, rates[k], median_of(many[k], &course::needed, all), b,
                median_of(one[k], &course::needed, all), a, a / b);
    }
    const auto sooner = [&](std::span<const std::uint32_t> some) { return ratio_of(one, many, &course::to_105, some); };
    const auto more = [&](std::span<const std::uint32_t> some) { return ratio_of(many, one, &course::needed, some); };
    std::string within = "-";
    if (s.repeats > 1) {
        auto gen = tk::random::philox(1);
        const auto i = tk::stats::bootstrap_interval(s.repeats, sooner, {.resamples = 300}, gen);
        char text[64];
        std::snprintf(text, sizeof text, "[%.2f, %.2f]", i.low, i.high);
        within = text;
    }
    std::printf("%-10s %6zu %10.0f %10.0f %9llu %8.2f %16s %7zu %9.2f %6.1f%%\n", name.c_str(), n, median(rates),
                rates[least], static_cast<unsigned long long>(spaces[least].space.size()), sooner(all), within.c_str(),
                reached, more(all), 100 * median(busy));
    std::fflush(stdout);
}

void run(const settings& s)
{
    const auto known = programs::strategies();
    if (s.repeats == 0 || s.ranks.empty()) tk::invalid("--repeats and --ranks are counts, want >= 1");
    for (const std::size_t n : s.ranks)
        if (n == 0) tk::invalid("--ranks has a 0, want counts >= 1");
    auto spaces = programs::load_spaces("bench_ranks", s.spaces, s.only);
    std::erase_if(spaces, [&](const auto& on) {
        return on.space.size() < s.at_least ||
               (s.budget_at_least > 0 && tk::scoring::yardstick_of(on, 1).budget < s.budget_at_least);
    });
    if (spaces.empty()) tk::invalid("--at-least and --budget-at-least leave no space, want less");
    const auto names = tk::io::split(s.strategy, ',');
    for (const std::string_view name : names) static_cast<void>(programs::find(known, "strategy", std::string(name)));
    std::printf("%-10s %6s %10s %10s %9s %8s %16s %7s %9s %7s\n", "strategy", "ranks", "jobs/s", "least", "of size",
                "sooner", "95 %", "spaces", "answers", "busy");
    for (const std::string_view name : names) {
        const auto& strategy = programs::find(known, "strategy", std::string(name));
        const auto of_all = [&](std::size_t n) {
            std::vector<cell> out(spaces.size());
            for (std::size_t k = 0; k < spaces.size(); ++k)
                for (std::size_t r = 0; r < s.repeats; ++r) out[k].push_back(simulate(s, spaces[k], strategy, n, r));
            return out;
        };
        const std::vector<cell> one = of_all(1);
        for (const std::size_t n : s.ranks) print(s, std::string(name), n, spaces, one, n == 1 ? one : of_all(n));
    }
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    programs::study_app app("Simulates a pool over many ranks, with rank 0's own work and a network.", "bench_ranks");
    app.spaces(s.spaces, s.only);
    app.add_option("--at-least", s.at_least, "spaces with so many configurations");
    app.add_option("--budget-at-least", s.budget_at_least,
                   "spaces on which random search needs so many evaluations for 95 % of the way to the optimum");
    app.add_option("--strategy", s.strategy, "names, separated by commas: " + programs::list(programs::strategies()));
    app.add_option("--ranks", s.ranks, "how many measure, separated by commas")->delimiter(',');
    app.repeats(s.repeats);
    app.add_option("--trials", s.trials, "jobs of a run at most, if each rank has had its number");
    app.add_option("--per-rank", s.per_rank, "jobs of a run at least, for each rank");
    app.add_flag("--each", s.each, "a line for each space besides");
    app.seed(s.seed);
    return app.run(argc, argv, [&] { run(s); });
}
