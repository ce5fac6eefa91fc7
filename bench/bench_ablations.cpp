// SPDX-License-Identifier: MIT
// The combined recipe with each part off, or replaced by another: on recorded networks against sequential AutoTVM, and
// on recorded spaces.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "../examples/support/names.hpp"
#include "support/load_spaces.hpp"
#include "support/program.hpp"
#include "support/replay_network.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/explore/contextual_annealing.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/screen/adaptive_sampling.hpp"
#include "tunekit/screen/keep_best.hpp"
#include "tunekit/stats/bootstrap.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/surrogate/boosted_trees.hpp"
#include "tunekit/tune/model_guided.hpp"

namespace tk = tunekit;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct settings {
    std::string network, recorded, spaces, only;
    std::size_t repeats = 25;
    std::uint64_t seed = 1;
    double seconds = 1200;
};

/// A form of the recipe. What differs in measuring or scheduling alone has nothing to say of single spaces, and searches
/// with expected improvement alone are compared there by `bench_search --strategy adatune`.
struct variant {
    std::string name;
    programs::replayed_system system;
    std::string schedule = "dynatune";
    bool single = true;    ///< has something to say of single spaces
    bool setting = false;  ///< differs in settings of the portfolio alone: one to choose from
};

/// The recipe's forest and criterion around another search and another choice.
template <class Explore, class Screen>
auto searching(Explore explore, Screen screen)
{
    const auto parts = tk::recipes::combined();
    return tk::model_guided{parts.model, parts.acquire, std::move(explore), std::move(screen), tk::model_guided_options::growing()};
}

std::vector<variant> variants(double seconds, std::size_t tasks)
{
    programs::replay_settings replay;
    replay.seconds = seconds;
    const auto whole = programs::system_named("combined", replay, tasks);
    std::vector<variant> out{{"combined", whole, "dynatune", true, true}};
    const auto scheduled = [&](const char* name, const char* schedule, double slot_seconds) {
        out.push_back({name, whole, schedule, false});
        out.back().system.budget.slot_seconds = slot_seconds;
    };
    scheduled("one task after another", "sequential", whole.budget.slot_seconds);
    scheduled("round-robin", "round-robin", whole.budget.slot_seconds);
    scheduled("slots of 5 % of a share", "dynatune", seconds / (20 * static_cast<double>(tasks)));
    const auto measured = [&](const char* name, auto repetition, double give_up) {
        out.push_back({name, whole, "dynatune", false});
        out.back().system.budget.limits.abandon_factor = give_up;
        out.back().system.measure = [repetition](const auto& layer, auto time, std::uint64_t seed) {
            return programs::detail::measured_by(repetition, layer, time, seed);
        };
    };
    measured("nothing given up", tk::recipes::combined_repetition(), tk::forever);
    measured("ten runs, nothing given up", tk::measure::fixed{.runs = 10, .batch = 1}, tk::forever);
    measured("AdaTune's evaluator", tk::recipes::adatune_repetition(), tk::forever);
    measured("to 2 %, given up above 1.5", tk::measure::until_confident{.standard_error = 0.02, .group = 3, .runs = 24}, 1.5);
    const auto proposed = [&](const char* name, auto strategy) {
        out.push_back({name, whole});
        out.back().system.strategy = tk::any_strategy(std::move(strategy));
    };
    const auto set = [&](const char* name, auto&& change) {
        auto strategy = tk::recipes::combined();
        change(strategy);
        proposed(name, strategy);
        out.back().setting = true;
    };
    set("without expected improvement", [](auto& s) { s.options.by_criterion = 0; });
    set("without the highest mean", [](auto& s) { s.options.by_mean = 0; });
    set("without steps", [](auto& s) { s.options.by_step = 0; });
    set("none by lot after the first", [](auto& s) { s.options.by_lot = 0; });
    set("the first ones by lot", [](auto& s) { s.options.among = 1; });
    set("16 first", [](auto& s) { s.options.first = 16; });
    set("all costs told apart", [](auto& s) { s.options.tell_apart = 1; });
    set("a quarter told apart", [](auto& s) { s.options.tell_apart = 0.25; });
    set("bootstrapped, all features", [](auto& s) { s.model.bootstrap = true, s.model.max_features = 0; });
    const auto parts = tk::recipes::combined();
    proposed("boosted trees", tk::portfolio{tk::surrogate::boosted_trees{.members = 10}, parts.acquire, parts.explore});
    const std::size_t searches = out.size();
    proposed("EI alone, enumeration", searching(tk::explore::enumeration{}, tk::screen::keep_best{}));
    const tk::explore::annealing annealing{.unit = tk::explore::heat::spread};
    const tk::explore::contextual_annealing contextual{.inner = annealing, .stochastic_rounding = true};
    proposed("EI alone, annealing", searching(annealing, tk::screen::keep_best{}));
    proposed("EI alone, contextual annealing", searching(contextual, tk::screen::keep_best{}));
    proposed("the same, adaptive sampling", searching(contextual, tk::screen::adaptive_sampling{}));
    for (std::size_t i = searches; i < out.size(); ++i) out[i].single = false;
    return out;
}

/// Time to 1.01 times what sequential AutoTVM ends with, against the time that it takes itself.
void on_network(const settings& s)
{
    const auto layers = programs::load_network(s.network, s.recorded);
    programs::replay_settings replay{.seconds = s.seconds, .repeats = s.repeats, .seed = s.seed};
    const programs::replayed_network autotvm(layers, "autotvm-paper", replay);
    const auto sequential = programs::find(programs::schedules(autotvm.plan_of_run()), "schedule", "sequential");
    std::vector<double> goal, needed;
    for (std::size_t r = 0; r < s.repeats; ++r) {
        const auto run = autotvm.run(sequential, r).model;
        if (run.empty()) throw tk::error("--seconds " + std::to_string(s.seconds) + " ends in the warm-up, want more");
        goal.push_back(1.01 * run.back().latency);
        needed.push_back(programs::seconds_to(run, goal.back()));
    }
    std::printf("%s, %zu repeats\n%-34s %9s %17s %10s\n", s.network.c_str(), s.repeats, "", "speed-up", "95 % interval", "final ms");
    for (const auto& v : variants(s.seconds, layers.size())) {
        if (v.name.find(s.only) == std::string::npos) continue;
        const programs::replayed_network on(layers, v.name, v.system, replay);
        const auto schedule = programs::find(programs::schedules(on.plan_of_run()), "schedule", v.schedule);
        std::vector<double> speed_ups, final_ms;
        for (std::size_t r = 0; r < s.repeats; ++r) {
            const auto run = on.run(schedule, r).model;
            const double seconds = programs::seconds_to(run, goal[r]);
            speed_ups.push_back(seconds < infinite ? needed[r] / seconds : 0);  // never there: no speed
            final_ms.push_back(run.empty() ? infinite : 1e3 * run.back().latency);
        }
        auto gen = tk::random::philox(1);
        const auto within = tk::stats::median_interval(speed_ups, {}, gen);
        std::printf("%-34s %9.2f %8.2f %8.2f %10.3f\n", v.name.c_str(), tk::stats::median(speed_ups), within.low, within.high,
                    tk::stats::median(final_ms));
        std::fflush(stdout);
    }
}

constexpr std::size_t evaluations = 200;

/// E ln(best of k of `all`, drawn at random without replacement), k = 1 ... evaluations.
std::vector<double> logs_at_random(std::vector<double> all)
{
    std::sort(all.begin(), all.end());
    const auto n = static_cast<double>(all.size());
    std::vector<double> none_better(all.size() + 1, 1), out;  // the probability that the k draws avoid the i best
    none_better.back() = 0;
    for (std::size_t k = 0; k < evaluations; ++k) {
        double mean = 0;
        for (std::size_t i = 0; i < all.size(); ++i)
            none_better[i] *= (std::max)(0.0, n - static_cast<double>(i + k)) / (std::max)(1.0, n - static_cast<double>(k));
        for (std::size_t i = 0; i < all.size(); ++i) mean += (none_better[i] - none_better[i + 1]) * std::log(all[i]);
        out.push_back(mean);
    }
    return out;
}

/// S200 of each repeat: the mean over k of how much of the way from random search's E ln cost after k evaluations to
/// the optimum's is covered.
/// Before the first valid one, and for what failed, the worst valid cost counts.
std::vector<double> scores_on(const programs::loaded_space& on, const tk::any_strategy& strategy, const settings& s)
{
    double worst = 0;
    for (const auto& row : on.table.rows)
        if (row.result.ok()) worst = (std::max)(worst, row.result.cost);
    std::vector<double> costs;
    for (const auto& row : on.table.rows) costs.push_back(row.result.ok() ? row.result.cost : worst);
    const auto chance = logs_at_random(costs);
    std::vector<double> out;
    for (std::size_t r = 0; r < s.repeats; ++r) {
        auto gen = tk::random::stream(s.seed, 0x61626c61U, r);
        auto state = strategy.start(on.space);
        double best = worst, sum = 0;
        for (std::size_t k = 0; k < evaluations; ++k) {
            const auto batch = strategy.propose(state, on.space, 1, gen);
            if (!batch.empty()) {
                const auto& result = on.table.rows[static_cast<std::size_t>(batch[0])].result;
                if (result.ok()) best = (std::min)(best, result.cost);
                strategy.observe(state, on.space, batch, std::span(&result, 1), gen);
            }
            sum += (chance[k] - std::log(best)) / (chance[k] - std::log(on.optimum));
        }
        out.push_back(sum / static_cast<double>(evaluations));
    }
    return out;
}

void on_spaces(const settings& s)
{
    const auto spaces = programs::load_spaces("bench_ablations", s.spaces, "");
    std::vector<std::string> names;
    std::vector<std::vector<double>> scores;  // of each variant on each space
    std::vector<bool> setting;
    std::printf("S200, %zu repeats\n%-34s", s.repeats, "");
    for (const auto& on : spaces) std::printf(" %.22s", on.name.c_str());
    std::printf("   mean  +- 95 %%\n");
    for (const auto& v : variants(s.seconds, 1)) {
        if (!v.single || v.name.find(s.only) == std::string::npos) continue;
        std::vector<double> means;
        double mean = 0, variance = 0;
        for (const auto& on : spaces) {
            const auto each = scores_on(on, v.system.strategy, s);
            const auto n = static_cast<double>(each.size());
            double sum = 0, squares = 0;
            for (const double x : each) sum += x, squares += x * x;
            means.push_back(sum / n);
            mean += sum / n;
            variance += n > 1 ? (squares - sum * sum / n) / (n - 1) / n : 0;
        }
        const auto m = static_cast<double>(spaces.size());
        std::printf("%-34s", v.name.c_str());
        for (std::size_t i = 0; i < spaces.size(); ++i)
            std::printf(" %*.2f", static_cast<int>((std::min)(spaces[i].name.size(), std::size_t{22})), means[i]);
        std::printf(" %6.3f   %.3f\n", mean / m, 1.96 * std::sqrt(variance) / m);
        std::fflush(stdout);
        names.push_back(v.name);
        scores.push_back(std::move(means));
        setting.push_back(v.setting);
    }
    // The setting that is best on the other kernels, and what it has on the one left out.
    std::map<std::string, std::vector<std::size_t>> kernels;
    for (std::size_t i = 0; i < spaces.size(); ++i) kernels[spaces[i].kernel].push_back(i);
    if (kernels.size() < 2) return;
    double sum = 0;
    for (const auto& [kernel, left_out] : kernels) {
        double most = -infinite;
        std::size_t chosen = 0;
        for (std::size_t v = 0; v < scores.size(); ++v) {
            double others = 0;
            for (const auto& [other, of] : kernels) {
                if (other == kernel) continue;
                double mean = 0;
                for (const std::size_t i : of) mean += scores[v][i] / static_cast<double>(of.size());
                others += mean;
            }
            if (setting[v] && others > most) most = others, chosen = v;
        }
        double mean = 0;
        for (const std::size_t i : left_out) sum += scores[chosen][i], mean += scores[chosen][i] / static_cast<double>(left_out.size());
        std::printf("%s left out: \"%s\" is chosen and has %.2f there\n", kernel.c_str(), names[chosen].c_str(), mean);
    }
    std::printf("mean over spaces, each with what was chosen without its kernel: %.3f\n", sum / static_cast<double>(spaces.size()));
}

void run(const settings& s)
{
    if (s.repeats == 0) tk::invalid("--repeats is 0, want >= 1");
    if (s.spaces.empty() == s.network.empty()) tk::invalid("want either --network and --recorded, or --spaces");
    if (!s.network.empty() && s.recorded.empty()) tk::invalid("--network without --recorded, want the folder of its spaces");
    if (s.spaces.empty()) on_network(s);
    else on_spaces(s);
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    CLI::App app("The combined recipe with parts off or replaced.", "bench_ablations");
    app.add_option("--network", s.network, "alexnet, resnet18, squeezenet or vgg16: speed-ups over sequential AutoTVM");
    app.add_option("--recorded", s.recorded, "folder of its recorded spaces");
    app.add_option("--spaces", s.spaces, "folder of recorded spaces: the score S200 of docs/combined.md, one space at a time");
    app.add_option("--only", s.only, "forms whose name contains this");
    app.add_option("--repeats", s.repeats, "runs with different seeds [25]");
    app.add_option("--seconds", s.seconds, "of a run over a network [1200]");
    app.add_option("--seed", s.seed, "of the first repeat's streams [1]");
    return programs::run_program(app, argc, argv, [&] { run(s); });
}
