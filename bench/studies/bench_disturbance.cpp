// SPDX-License-Identifier: MIT
// The right winner on a disturbed machine, simulated: `tune` over recorded spaces on a virtual clock, with and without
// what is done against disturbances.
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

#include "bench/studies/support/load_spaces.hpp"
#include "bench/studies/support/study_app.hpp"
#include "tools/support/any_recipe.hpp"
#include "tunekit/measure/fastest_quarter.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/random/normal.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/schedule/sequential.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/tune/last_comparison.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

namespace {

constexpr double best_cost = 5e-3;          // seconds of a space's best configuration
constexpr double preparing = 2e-3;          // seconds before each measurement
constexpr double jitter = 0.01;             // standard deviation of ln of a run
constexpr std::size_t life_of_worker = 10;  // measurements of a worker process

struct settings {
    std::string spaces, only, strategy = "combined";
    std::string disturbances = "none,rare,windows,drift,biased,two,busy,parallel", policies = "before,fastest,checks";
    std::size_t repeats = 200;
    std::uint64_t seed = 1;
    double seconds = 5;
};

/// Something that works on the machine for a while, again and again.
struct guest {
    double pause = 0;            ///< mean seconds between two visits; 0: it never comes
    double pause_most = 0;       ///< above 0: the mean of a run is drawn between `pause` and this
    double least = 0, most = 0;  ///< seconds of a visit
    double mild = 1, hard = 1;   ///< times as long as everything takes meanwhile, log-uniform
};

struct disturbance {
    const char* name;
    const char* what;
    std::vector<guest> guests{};
    double drift = 0;  ///< amplitude of a slow wave, of 126 s
    double bias = 0;   ///< standard deviation of what a worker process multiplies all of its times with
    std::size_t workers = 1;
};

const std::vector<disturbance>& disturbances()
{
    constexpr guest frequent{.pause = 2, .pause_most = 10, .least = 0.5, .most = 3, .mild = 1.3, .hard = 8};
    constexpr guest rare{.pause = 10, .least = 0.5, .most = 3, .mild = 1.3, .hard = 8};
    constexpr guest always{.pause = 0.25, .least = 0.5, .most = 1.5, .mild = 1.3, .hard = 3};
    static const std::vector<disturbance> all{
        {"none", "a quiet machine"},
        {"rare", "windows of 0.5 to 3 s every 10 s, 1.3 to 8 times as long", {rare}},
        {"windows", "the same every 2 to 10 s", {frequent}},
        {"drift", "a drift of 5 % up and down", {}, 0.05},
        {"biased", "each worker process has a bias of 2 %", {}, 0, 0.02},
        {"two", "the windows of two at once, and the bias", {frequent, frequent}, 0, 0.02},
        {"busy", "four fifths of the time 1.3 to 3 times as long", {always}},
        {"parallel", "the windows, with four workers", {frequent}, 0, 0, 4},
    };
    return all;
}

/// What a run does about it.
struct policy {
    const char* name;
    bool fastest;  ///< the fastest runs rank, not the mean of all
    bool checks;
    double cut;
    bool race = false;   ///< at the end, as `tune` over a kernel has it
    double pause = 0.0;  ///< seconds before each look of a wait
};
constexpr policy policies[] = {
    {"before", false, false, 1.05},      {"fastest", true, false, 1.05},      {"checks", true, true, 1.05},
    {"before-1.03", false, false, 1.03}, {"fastest-1.03", true, false, 1.03}, {"checks-1.03", true, true, 1.03},
    {"checks-mean", false, true, 1.05},  {"raced", true, true, 1.05, true},   {"paused", true, true, 1.05, false, 0.1}};

/// How slow the machine is at each moment of a run.
class machine {
public:
    machine(const disturbance& of, tk::random::philox gen, double seconds) : of_(of)
    {
        phase_ = 6.283185307179586 * tk::random::uniform_01(gen);
        for (const guest& g : of.guests) {
            const double mean = g.pause_most > 0 ? between(g.pause, g.pause_most, gen) : g.pause;
            for (double at = 0; at < seconds;) {
                at -= mean * std::log1p(-tk::random::uniform_01(gen));
                const double until = at + between(g.least, g.most, gen);
                visits_.push_back({at, until, g.mild * std::exp(between(0, std::log(g.hard / g.mild), gen))});
                at = until;
            }
        }
    }

    [[nodiscard]] const disturbance& of() const noexcept { return of_; }
    [[nodiscard]] double slowness(double now) const
    {
        double out = 1 + of_.drift * std::sin(phase_ + now / 20);
        for (const visit& v : visits_)
            if (v.from <= now && now < v.until) out *= v.times;
        return out;
    }

private:
    struct visit {
        double from, until, times;
    };
    static double between(double low, double high, tk::random::philox& gen)
    {
        return low + (high - low) * tk::random::uniform_01(gen);
    }

    const disturbance& of_;
    double phase_ = 0;
    std::vector<visit> visits_;
};

/// A worker at its own virtual time. As a kernel of `timed` it prepares a configuration, whose runs return their
/// seconds.
struct worker {
    const machine* on;
    std::span<const double> costs;  // +inf: it is refused
    tk::random::philox gen;
    double now = 0;
    double pause = 0;  // before each look of a wait
    double bias = 1;
    std::size_t measured = 0;
    bool waits = false;  // the last look was slow

    auto operator()(tk::index i)
    {
        if (measured++ % life_of_worker == 0) bias = std::exp(on->of().bias * tk::random::normal(gen));
        now += preparing;
        const double cost = costs[static_cast<std::size_t>(i)];
        if (!(cost < std::numeric_limits<double>::infinity())) tk::invalid("refused");
        return [this, cost]() -> double {
            const double took = cost * bias * std::exp(jitter * tk::random::normal(gen)) * on->slowness(now);
            now += took;
            return took;
        };
    }
};

/// `timed` over a worker.
template <class Repetition>
class simulated {
public:
    simulated(worker& of, const Repetition& repeat) : of_(of), how_{{&of}, repeat} {}

    [[nodiscard]] bool measures_time() const noexcept { return how_.measures_time(); }
    [[nodiscard]] tk::measure::measurement one(tk::index i, const tk::measure::limits& within)
    {
        const bool look = within.max_runs == tk::detail::doubts::look_runs;  // not a race's
        if (look && of_.waits) of_.now += of_.pause;
        const double start = of_.now;
        auto out = how_(i, within);
        out.run_seconds = of_.now - start;
        of_.waits = look && out.at_least;
        return out;
    }
    [[nodiscard]] std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch,
                                                                const tk::measure::limits& within)
    {
        std::vector<tk::measure::measurement> out;
        for (const tk::index i : batch) out.push_back(one(i, within));
        return out;
    }

private:
    struct kernel {
        worker* of;
        auto operator()(tk::index i) const { return (*of)(i); }
    };
    worker& of_;
    tk::measure::timed<kernel, Repetition> how_;
};

/// Several workers, each measuring what it is given.
template <class Repetition>
class simulated_workers {
public:
    simulated_workers(std::vector<worker>& all, const Repetition& repeat) : all_(all), busy_(all.size())
    {
        for (worker& w : all) measure_.emplace_back(w, repeat);
    }

    [[nodiscard]] bool measures_time() const noexcept { return measure_.front().measures_time(); }
    [[nodiscard]] std::size_t workers() const noexcept { return all_.size(); }
    [[nodiscard]] std::size_t room() const noexcept { return workers() - out_.size(); }
    [[nodiscard]] double now() const noexcept { return now_; }
    void submit(const tk::job& next)
    {
        const std::size_t k = static_cast<std::size_t>(std::find(busy_.begin(), busy_.end(), false) - busy_.begin());
        busy_[k] = true;
        all_[k].now = now_;
        tk::measure::measurement m = measure_[k].one(next.candidate, next.limits);
        out_.push_back({.ticket = next.ticket, .measured = std::move(m), .worker = k, .ran_s = all_[k].now - now_});
    }
    [[nodiscard]] std::vector<tk::answer> collect(double)
    {
        if (out_.empty()) return {};
        const auto first = std::min_element(out_.begin(), out_.end(), [&](const tk::answer& a, const tk::answer& b) {
            return all_[a.worker].now < all_[b.worker].now;
        });
        now_ = all_[first->worker].now;
        busy_[first->worker] = false;
        std::vector<tk::answer> out{std::move(*first)};
        out_.erase(first);
        return out;
    }

private:
    std::vector<worker>& all_;
    std::vector<simulated<Repetition>> measure_;
    std::vector<bool> busy_;
    std::vector<tk::answer> out_;
    double now_ = 0;
};

struct space_to_search {
    std::string name;
    tk::space::any_space space;
    std::vector<double> costs;
};

space_to_search scaled(const tk::scoring::recording& on)
{
    space_to_search out{on.name, on.space, {}};
    for (const auto& row : on.rows)
        out.costs.push_back(row.result.ok() ? row.result.cost * best_cost / on.optimum
                                            : std::numeric_limits<double>::infinity());
    return out;
}

/// What came of a run.
struct outcome {
    double tried = 0, space = 0;  ///< by how much the winner's true cost is above the best tried, and the space's best
    double trials = 0;
    tk::machine_checks checks{};
};

tk::recipes::any_recipe recipe_of(const std::string& name)
{
    if (name == "combined") return tk::recipes::erased(tk::recipes::combined());
    auto how = tk::recipes::combined().limits;
    if (name == "random")
        return tk::recipes::erased(tk::recipe{tk::search::random{}, tk::measure::fixed{}, how, std::size_t{1}, 20.0,
                                              tk::schedule::sequential{}});
    tk::invalid("no strategy is named \"" + name + "\", want combined or random");
}

/// The winner of the race at the end, in a fresh worker each round.
template <class Repetition>
tk::index raced(const settings& s, tk::tuning& found, worker& w, const Repetition& repeat)
{
    simulated lap(w, repeat);
    const auto fresh = [&]() -> auto& {
        w.measured = 0;
        return lap;
    };
    const tk::final_race on(found, std::nullopt, s.seconds, 4);
    auto race = tk::race_of(found, on, fresh, {}, [&w] { return w.now; });
    return tk::concluded(found, std::move(race), std::nullopt).best.value_or(found.incumbent().candidate);
}

outcome simulate(const settings& s, const space_to_search& on, const disturbance& of, const policy& p,
                 std::uint64_t repeat)
{
    constexpr std::uint32_t purpose = 0x64697374U;  // "dist"
    auto how = recipe_of(s.strategy);
    if (how.limits.abandon_factor < tk::forever) how.limits.abandon_factor = p.cut;
    const tk::measure::fixed runs{.runs = 20, .batch = 1};
    const auto repeats =
        p.fastest ? tk::measure::any_repetition(tk::measure::fastest_quarter{runs}) : tk::measure::any_repetition(runs);
    const machine disturbed(of, tk::random::stream(s.seed, purpose, 2 * repeat), 2 * s.seconds + 10);
    std::vector<worker> workers;
    for (std::size_t k = 0; k < of.workers; ++k)
        workers.push_back({&disturbed, on.costs, tk::random::stream(s.seed + k, purpose, 2 * repeat + 1), 0, p.pause});
    auto gen = tk::random::stream(s.seed, purpose + 1, repeat);
    const tk::budget limit{.seconds = (p.race ? 1 - tk::final_race::kept : 1) * s.seconds};
    tk::tuning found;
    if (of.workers > 1) {
        simulated_workers pool(workers, repeats);
        found = tk::tune(on.space, pool, how, limit, gen, {.checks = p.checks});
    } else {
        worker& w = workers.front();
        simulated measure(w, repeats);
        found = tk::tune(on.space, measure, how, limit, gen, {.clock = [&w] { return w.now; }, .checks = p.checks});
    }
    double tried = std::numeric_limits<double>::infinity();
    for (const auto& t : found.trials()) tried = (std::min)(tried, on.costs[static_cast<std::size_t>(t.candidate)]);
    const auto best = [&] { return p.race ? raced(s, found, workers.front(), repeats) : found.incumbent().candidate; };
    const double winner = found.found() ? on.costs[static_cast<std::size_t>(best())] : tried;
    return {.tried = winner / tried - 1,
            .space = winner / best_cost - 1,
            .trials = static_cast<double>(found.trials().size()),
            .checks = found.checks()};
}

/// Shares of runs within 1, 2 and 5 %, mean and worst.
struct regret {
    double within[3] = {}, mean = 0, worst = 0;

    void add(double x, double weight)
    {
        constexpr double bounds[] = {0.01, 0.02, 0.05};
        for (int k = 0; k < 3; ++k) within[k] += x <= bounds[k] ? 100 * weight : 0;
        mean += 100 * x * weight;
        worst = (std::max)(worst, 100 * x);
    }
};

void run(const settings& s)
{
    if (s.repeats == 0) tk::invalid("--repeats is 0, want >= 1");
    if (!(s.seconds > 0)) tk::invalid("--seconds is not positive, want > 0");
    std::vector<space_to_search> spaces;
    for (const auto& on : programs::load_spaces("bench_disturbance", s.spaces, s.only)) spaces.push_back(scaled(on));
    const auto named = [](const auto& all, const char* what, std::string_view name) -> const auto& {
        for (const auto& one : all)
            if (name == one.name) return one;
        tk::invalid(std::string("no ") + what + " is named \"" + std::string(name) + '"');
    };
    std::printf(
        "| disturbance | what is done | within 1, 2, 5 %% of the best tried | mean | worst | of the space | mean | "
        "trials | checks | disturbed | again | waited s |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (const std::string_view d : tk::io::split(s.disturbances, ','))
        for (const std::string_view name : tk::io::split(s.policies, ',')) {
            const policy& p = named(policies, "policy", name);
            const disturbance& of = named(disturbances(), "disturbance", d);
            const double weight = 1 / static_cast<double>(s.repeats * spaces.size());
            regret tried, space;
            double trials = 0, made = 0, disturbed = 0, again = 0, waited = 0;
            for (const space_to_search& on : spaces)
                for (std::uint64_t repeat = 0; repeat < s.repeats; ++repeat) {
                    const outcome o = simulate(s, on, of, p, repeat);
                    tried.add(o.tried, weight);
                    space.add(o.space, weight);
                    trials += o.trials * weight;
                    made += static_cast<double>(o.checks.made) * weight;
                    disturbed += static_cast<double>(o.checks.disturbed) * weight;
                    again += static_cast<double>(o.checks.measured_again) * weight;
                    waited += o.checks.waited_seconds * weight;
                }
            std::printf(
                "| %s | %s | %.0f %.0f %.0f | %.2f | %.0f | %.0f %.0f %.0f | %.2f | %.0f | %.1f | %.1f | %.1f | %.2f "
                "|\n",
                of.name, p.name, tried.within[0], tried.within[1], tried.within[2], tried.mean, tried.worst,
                space.within[0], space.within[1], space.within[2], space.mean, trials, made, disturbed, again, waited);
            std::fflush(stdout);
        }
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    programs::study_app app("The right winner on a disturbed machine, simulated over recorded spaces.",
                            "bench_disturbance");
    app.spaces(s.spaces, s.only);
    app.add_option("--strategy", s.strategy, "the recipe's name");
    app.add_option("--disturbances", s.disturbances, "separated by commas");
    app.add_option("--policies", s.policies, "what is done about them, separated by commas");
    app.repeats(s.repeats);
    app.seed(s.seed);
    app.add_option("--seconds", s.seconds, "of a run, virtual");
    return app.run(argc, argv, [&] { run(s); });
}
