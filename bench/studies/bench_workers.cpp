// SPDX-License-Identifier: MIT
// Many workers over recorded spaces, simulated: how much sooner, how idle, and what each evaluation is worth.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/studies/support/load_spaces.hpp"
#include "bench/studies/support/study_app.hpp"
#include "tests/support/simulated_workers.hpp"
#include "tools/support/names.hpp"
#include "tools/support/program.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/scoring/yardstick.hpp"
#include "tunekit/stats/bootstrap.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/tune/tuner.hpp"

namespace tk = tunekit;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::size_t judged = 200;     ///< evaluations of the score
constexpr std::size_t per_worker = 20;  ///< jobs that a run has for each worker at least

struct settings {
    std::string spaces, only, strategy = "combined,adatune,random";
    std::vector<std::size_t> workers{1, 2, 4, 8, 32, 128};
    std::size_t repeats = 11, trials = 1000;
    std::size_t queued = 0;  ///< jobs per worker that may wait for it
    double job_ms = 0;       ///< mean of a job; 0: as recorded
    std::uint64_t seed = 1;
    bool charge = false;  ///< whether asking and telling take the time that they take
    bool json = false;
};

struct space_to_search {
    tk::scoring::recording recorded;
    tk::scoring::yardstick by;
};

/// One run.
struct course {
    double to_105 = infinite;  ///< seconds
    double s200 = 0;           ///< by the order in which jobs went out
    double idle = 0;           ///< share of the workers' time until the last job went out
    double own_ms = 0;         ///< processor time of asking and telling, per job
    double tail = 0;           ///< share of it from then to the end of the run
};

/// All repeats of one strategy on one space with so many workers.
struct cell {
    std::vector<course> runs;

    [[nodiscard]] double median(double course::* what, std::span<const std::uint32_t> of) const
    {
        std::vector<double> all;
        for (const std::uint32_t k : of) all.push_back(runs[k].*what);
        std::sort(all.begin(), all.end());
        return tk::stats::quantile_of_sorted(all, 0.5);
    }
};

struct run_key {
    std::string strategy;
    std::size_t workers = 1;
    bool in_step = false;

    friend auto operator<=>(const run_key&, const run_key&) = default;
};
using table = std::map<run_key, std::vector<cell>>;  ///< a cell per space

/// Simulates one run. A run goes on until it has come within 5 % of the optimum, and has had `judged` evaluations and so
/// many per worker; at most `s.trials`, or as many as each worker is to have.
course simulate(const settings& s, const space_to_search& to, const tk::search::any_strategy& strategy,
                const run_key& how, std::size_t repeat)
{
    const auto& on = to.recorded;
    const std::size_t enough = (std::max)(judged + 20, per_worker * how.workers);
    const std::size_t most = (std::max)(enough, s.trials);
    tk::tuner t(on.space, strategy, {.trials = most}, tk::random::stream(s.seed, 0x776f726bU, repeat));
    std::vector<tk::measure::recorded_row> rows = on.rows;
    double recorded_s = 0;
    for (const auto& r : rows) recorded_s += r.seconds / static_cast<double>(rows.size());
    for (auto& r : rows) r.seconds *= s.job_ms > 0 ? 1e-3 * s.job_ms / recorded_s : 1;
    support::simulated_workers pool(rows, {.workers = how.workers, .queued = s.queued});
    double own = 0;
    const tk::measure::thread_clock cpu;
    const auto charged = [&](const auto& compute) {
        const double begun = cpu();
        compute();
        const double took = cpu() - begun;
        own += took;
        if (s.charge) pool.pass(took);
    };
    struct sent_job {
        tk::job what;
        double cost = infinite;
    };
    std::vector<sent_job> sent;
    std::map<tk::ticket, std::size_t> place;
    std::vector<std::pair<double, double>> busy;  // from, to
    course out;
    double last_sent = 0;
    while (!t.over()) {
        if (!how.in_step || t.outstanding() == 0)
            while (pool.room() > 0) {
                std::vector<tk::job> jobs;
                charged([&] { jobs = t.ask(s.charge ? 1 : pool.room()); });
                if (jobs.empty()) break;
                for (const tk::job& j : jobs) {
                    place[j.ticket] = sent.size();
                    sent.push_back({j});
                    pool.submit(j);
                    last_sent = pool.now();
                }
            }
        if (sent.size() >= enough && out.to_105 < infinite) t.stop();
        for (tk::answer& a : pool.collect(infinite)) {
            sent_job& j = sent[place.at(a.ticket)];
            busy.emplace_back(pool.now() - a.ran_s, pool.now());
            if (a.measured->ok()) j.cost = a.measured->cost;
            if (j.cost <= 1.05 * on.optimum && out.to_105 == infinite) out.to_105 = pool.now();
            charged([&] { t.tell(j.what, *std::move(a.measured), pool.now()); });
        }
    }
    tk::scoring::trajectory by_order;
    double best = infinite;
    for (const sent_job& j : sent) {
        best = (std::min)(best, j.cost);
        by_order.best.push_back(best);
    }
    out.s200 = to.by.score_by_evaluations(by_order);
    double before = 0, after = 0;
    for (const auto& [from, until] : busy) {
        before += (std::max)(0.0, (std::min)(until, last_sent) - from);
        after += (std::max)(0.0, until - (std::max)(from, last_sent));
    }
    const auto n = static_cast<double>(how.workers);
    const double rest = pool.now() - last_sent;
    out.own_ms = 1e3 * own / static_cast<double>(sent.size());
    out.idle = last_sent > 0 ? (std::max)(0.0, 1 - before / (n * last_sent)) : 0;
    out.tail = rest > 0 ? (std::max)(0.0, 1 - after / (n * rest)) : 0;
    return out;
}

/// A number with its 95 % interval, over seeds.
struct number {
    double value = 0, low = 0, high = 0;
};

/// What is said of one strategy with so many workers.
struct summary {
    run_key what;
    number sooner;                  ///< than with one worker: geometric mean over spaces of the ratio of medians
    std::optional<number> in_step;  ///< than in lock-step
    std::size_t spaces = 0;         ///< of those ratios: where the medians came within 5 %
    double idle = 0, idle_worst = 0, own_ms = 0, tail = 0;
    number s200, s200_loss;  ///< mean over spaces of medians; against one worker
};

template <class Of>
number over_seeds(std::size_t repeats, const Of& of)
{
    std::vector<std::uint32_t> all(repeats);
    std::iota(all.begin(), all.end(), 0U);
    auto gen = tk::random::philox(1);
    const auto within = tk::stats::bootstrap_interval(
        repeats, [&](std::span<const std::uint32_t> some) { return of(some); }, {.resamples = 300}, gen);
    return {of(std::span<const std::uint32_t>(all)), within.low, within.high};
}

summary summary_of(const settings& s, const table& all, const run_key& what)
{
    const std::vector<cell>& own = all.at(what);
    const std::vector<cell>& one = all.at({what.strategy, 1, false});
    std::vector<std::uint32_t> every(s.repeats);
    std::iota(every.begin(), every.end(), 0U);
    summary out;
    out.what = what;
    const auto ratio_to = [&](const std::vector<cell>& other) {
        std::vector<std::size_t> reached;
        for (std::size_t k = 0; k < own.size(); ++k)
            if (own[k].median(&course::to_105, every) < infinite && other[k].median(&course::to_105, every) < infinite)
                reached.push_back(k);
        out.spaces = reached.size();
        return over_seeds(s.repeats, [&, reached](std::span<const std::uint32_t> some) {
            double sum = 0;
            std::size_t n = 0;
            for (const std::size_t k : reached) {
                const double a = other[k].median(&course::to_105, some), b = own[k].median(&course::to_105, some);
                if (!(a < infinite && b < infinite && b > 0)) continue;
                sum += std::log(a / b);
                ++n;
            }
            return n == 0 ? 1.0 : std::exp(sum / static_cast<double>(n));
        });
    };
    const auto step = all.find({what.strategy, what.workers, true});
    if (!what.in_step && step != all.end()) out.in_step = ratio_to(step->second);
    out.sooner = ratio_to(one);
    const auto mean_s200 = [&](const std::vector<cell>& cells, std::span<const std::uint32_t> some) {
        double sum = 0;
        for (const cell& c : cells) sum += c.median(&course::s200, some);
        return sum / static_cast<double>(cells.size());
    };
    out.s200 = over_seeds(s.repeats, [&](std::span<const std::uint32_t> some) { return mean_s200(own, some); });
    out.s200_loss = over_seeds(
        s.repeats, [&](std::span<const std::uint32_t> some) { return mean_s200(one, some) - mean_s200(own, some); });
    for (const cell& c : own) {
        const double idle = c.median(&course::idle, every);
        out.idle += idle / static_cast<double>(own.size());
        out.idle_worst = (std::max)(out.idle_worst, idle);
        out.own_ms += c.median(&course::own_ms, every) / static_cast<double>(own.size());
        out.tail += c.median(&course::tail, every) / static_cast<double>(own.size());
    }
    return out;
}

void print(const std::vector<summary>& all)
{
    std::printf("%-10s %7s %-9s %20s %20s %7s %7s %7s %7s %24s %7s\n", "strategy", "workers", "mode", "sooner than one",
                "than in lock-step", "idle", "worst", "tail", "S200", "S200 lost", "own ms");
    for (const summary& s : all) {
        const auto text = [](const number& n) {
            char buffer[64];
            std::snprintf(buffer, sizeof buffer, "%.2f [%.2f, %.2f]", n.value, n.low, n.high);
            return std::string(buffer);
        };
        std::printf("%-10s %7zu %-9s %20s %20s %6.1f%% %6.1f%% %6.1f%% %7.3f %24s %7.2f\n", s.what.strategy.c_str(),
                    s.what.workers, s.what.in_step ? "lock-step" : "any order", text(s.sooner).c_str(),
                    s.in_step ? text(*s.in_step).c_str() : "-", 100 * s.idle, 100 * s.idle_worst, 100 * s.tail,
                    s.s200.value, text(s.s200_loss).c_str(), s.own_ms);
    }
}

void print_json(const settings& s, const std::vector<space_to_search>& spaces, const table& cells,
                const std::vector<summary>& all)
{
    using json = nlohmann::ordered_json;
    const auto finite = [](double x) { return x < infinite ? json(x) : json(nullptr); };
    const auto with_interval = [](const number& n) {
        return json{{"value", n.value}, {"low", n.low}, {"high", n.high}};
    };
    const auto mode = [](const run_key& k) { return k.in_step ? "lock-step" : "any order"; };
    std::vector<std::uint32_t> every(s.repeats);
    std::iota(every.begin(), every.end(), 0U);
    json rows = json::array(), scores = json::array();
    for (const auto& [key, own] : cells)
        for (std::size_t k = 0; k < own.size(); ++k)
            rows.push_back({{"strategy", key.strategy},
                            {"workers", key.workers},
                            {"mode", mode(key)},
                            {"space", spaces[k].recorded.name},
                            {"seconds_to_105", finite(own[k].median(&course::to_105, every))},
                            {"idle", own[k].median(&course::idle, every)},
                            {"own_ms", own[k].median(&course::own_ms, every)},
                            {"tail", own[k].median(&course::tail, every)},
                            {"s200", own[k].median(&course::s200, every)}});
    for (const summary& x : all)
        scores.push_back({{"strategy", x.what.strategy},
                          {"workers", x.what.workers},
                          {"mode", mode(x.what)},
                          {"sooner_than_one", with_interval(x.sooner)},
                          {"sooner_than_lock_step", x.in_step ? with_interval(*x.in_step) : json(nullptr)},
                          {"spaces_reached", x.spaces},
                          {"idle", x.idle},
                          {"idle_worst", x.idle_worst},
                          {"own_ms", x.own_ms},
                          {"tail", x.tail},
                          {"s200", with_interval(x.s200)},
                          {"s200_lost", with_interval(x.s200_loss)}});
    std::printf("%s\n",
                json{{"seed", s.seed}, {"repeats", s.repeats}, {"rows", rows}, {"scores", scores}}.dump(2).c_str());
}

void run(const settings& s)
{
    const auto known = programs::strategies();
    if (s.repeats == 0 || s.workers.empty()) tk::invalid("--repeats and --workers are counts, want >= 1");
    std::vector<run_key> keys;
    for (const std::string_view name : tk::io::split(s.strategy, ',')) {
        (void)programs::find(known, "strategy", name);
        keys.push_back({std::string(name), 1, false});
        for (const std::size_t w : s.workers) {
            if (w == 0) tk::invalid("--workers has a 0, want counts >= 1");
            if (w == 1) continue;
            keys.push_back({std::string(name), w, false});
            keys.push_back({std::string(name), w, true});
        }
    }
    std::vector<space_to_search> spaces;
    for (auto& on : programs::load_spaces("bench_workers", s.spaces, s.only)) {
        auto by = tk::scoring::yardstick_of(on, judged);
        spaces.push_back({std::move(on), std::move(by)});
    }
    table cells;
    for (const run_key& p : keys) {
        const auto& strategy = programs::find(known, "strategy", p.strategy);
        for (const space_to_search& on : spaces) {
            cell c;
            for (std::size_t repeat = 0; repeat < s.repeats; ++repeat)
                c.runs.push_back(simulate(s, on, strategy, p, repeat));
            cells[p].push_back(std::move(c));
        }
    }
    std::vector<summary> all;
    for (const run_key& p : keys) all.push_back(summary_of(s, cells, p));
    if (s.json) return print_json(s, spaces, cells, all);
    std::printf("%zu spaces, %zu seeds each\n", spaces.size(), s.repeats);
    print(all);
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    programs::study_app app("Simulates many workers over recorded spaces, in any order and in lock-step.",
                            "bench_workers");
    app.spaces(s.spaces, s.only);
    app.add_option("--strategy", s.strategy, "names, separated by commas: " + programs::list(programs::strategies()));
    app.add_option("--workers", s.workers, "how many, separated by commas; 1 is always run")->delimiter(',');
    app.repeats(s.repeats);
    app.seed(s.seed);
    app.add_option("--trials", s.trials, "jobs after which a run ends that has not come within 5 % by then");
    app.add_flag("--charge", s.charge,
                 "workers wait for the processor time that asking and telling take on this machine");
    app.add_option("--job-ms", s.job_ms,
                   "mean milliseconds of a job, to which a space's times are scaled; 0: as recorded");
    app.add_option("--queued", s.queued, "jobs per worker that may wait for it");
    app.json(s.json);
    return app.run(argc, argv, [&] { run(s); });
}
