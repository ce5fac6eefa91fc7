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

#include <nlohmann/json.hpp>

#include "bench/studies/support/enumeration.hpp"
#include "bench/studies/support/load_spaces.hpp"
#include "bench/studies/support/middle.hpp"
#include "bench/studies/support/replay_network.hpp"
#include "bench/studies/support/study_app.hpp"
#include "tools/support/names.hpp"
#include "tools/support/program.hpp"
#include "tunekit/acquisition/criteria.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/explore/contextual.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/recipes/adatune.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/scoring/score.hpp"
#include "tunekit/scoring/trajectory.hpp"
#include "tunekit/scoring/yardstick.hpp"
#include "tunekit/screen/adaptive_sampling.hpp"
#include "tunekit/screen/keep_best.hpp"
#include "tunekit/search/model_guided.hpp"
#include "tunekit/search/portfolio.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/surrogate/boosted_trees.hpp"
#include "tunekit/surrogate/gaussian_process.hpp"

namespace tk = tunekit;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct settings {
    std::string network, recorded, spaces, only;
    std::size_t repeats = 25;
    std::uint64_t seed = 1;
    double seconds = 1200;
    bool json = false;
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

/// The recipe's forest with expected improvement, another search and another choice.
template <class Explore, class Screen>
auto searching(Explore explore, Screen screen)
{
    const auto parts = tk::recipes::combined().strategy;
    return tk::search::model_guided{parts.forest, tk::acquisition::expected_improvement{}, std::move(explore),
                                    std::move(screen), tk::search::model_guided_options::growing()};
}

std::vector<variant> variants(double seconds, std::size_t tasks)
{
    programs::replay_settings replay;
    replay.seconds = seconds;
    const auto whole = programs::replayed_by("combined", replay, tasks);
    std::vector<variant> out{{"combined", whole, "dynatune", true, true}};
    const auto scheduled = [&](const char* name, const char* schedule, double slot_seconds) {
        out.push_back({name, whole, schedule, false});
        out.back().system.slot_seconds = slot_seconds;
    };
    scheduled("one task after another", "sequential", whole.slot_seconds);
    scheduled("round-robin", "round-robin", whole.slot_seconds);
    scheduled("slots of 5 % of a share", "dynatune", seconds / (20 * static_cast<double>(tasks)));
    const auto measured = [&](const char* name, auto repetition, double give_up) {
        out.push_back({name, whole, "dynatune", false});
        out.back().system.recipe.limits.abandon_factor = give_up;
        out.back().system.recipe.repetition = tk::measure::any_repetition(repetition);
    };
    measured("nothing given up", tk::recipes::combined().repetition, tk::forever);
    measured("ten runs, nothing given up", tk::measure::fixed{.runs = 10, .batch = 1}, tk::forever);
    measured("AdaTune's evaluator", tk::recipes::adatune().repetition, tk::forever);
    measured("to 2 %, given up above 1.5",
             tk::measure::until_confident{.standard_error = 0.02, .group = 3, .max_runs = 24}, 1.5);
    const auto proposed = [&](const char* name, auto strategy) {
        out.push_back({name, whole});
        out.back().system.recipe.strategy = tk::search::any_strategy(std::move(strategy));
    };
    const auto set = [&](const char* name, auto&& change) {
        auto strategy = tk::recipes::combined().strategy;
        change(strategy);
        proposed(name, strategy);
        out.back().setting = true;
    };
    using tk::surrogate::column_distance;
    set("the Gaussian process sees differences alone",
        [](auto& s) { s.process.distance = column_distance::difference; });
    set("the Gaussian process sees overlaps alone", [](auto& s) { s.process.distance = column_distance::overlap; });
    set("40 evaluations of the evidence", [](auto& s) { s.process.evaluations = 40; });
    set("a sample of 500", [](auto& s) { s.options.sample = 500; });
    set("a sample of 20000", [](auto& s) { s.options.sample = 20'000; });
    set("a shortlist of 512", [](auto& s) { s.options.shortlist = 512; });
    set("the Gaussian process sees 100 rows", [](auto& s) { s.options.process_rows = 100; });
    set("the first ones at random", [](auto& s) { s.options.first_draws = 1; });
    set("16 first", [](auto& s) { s.options.first = 16; });
    set("no cap on the forest's costs", [](auto& s) { s.options.cost_cap_quantile = 1; });
    set("costs capped at the first quartile", [](auto& s) { s.options.cost_cap_quantile = 0.25; });
    set("bootstrapped, all features", [](auto& s) { s.forest.bootstrap = true, s.forest.max_features = 0; });
    const auto parts = tk::recipes::combined().strategy;
    proposed("boosted trees for the forest",
             tk::search::portfolio{tk::surrogate::boosted_trees{.members = 10}, parts.process, parts.options});
    proposed("two forests", tk::search::portfolio{parts.forest, parts.forest, parts.options});
    proposed("two processes", tk::search::portfolio{parts.process, parts.process, parts.options});
    const std::size_t searches = out.size();
    proposed("EI alone, enumeration", searching(programs::enumeration{}, tk::screen::keep_best{}));
    const tk::explore::annealing annealing{.unit = tk::explore::heat::spread};
    const tk::explore::contextual_annealing contextual{.inner = annealing, .stochastic_rounding = true};
    proposed("EI alone, annealing", searching(annealing, tk::screen::keep_best{}));
    proposed("EI alone, contextual annealing", searching(contextual, tk::screen::keep_best{}));
    proposed("the same, adaptive sampling", searching(contextual, tk::screen::adaptive_sampling{}));
    for (std::size_t i = searches; i < out.size(); ++i) out[i].single = false;
    return out;
}

void print_json(const nlohmann::ordered_json& out) { std::printf("%s\n", out.dump(2).c_str()); }

/// What a form is worth on a network.
struct worth {
    programs::middle speed_up;
    double final_ms = 0;  ///< median
};

/// Time to 1.01 times what sequential AutoTVM ends with, against the time that it takes itself.
void on_network(const settings& s)
{
    const auto layers = programs::load_network(s.network, s.recorded);
    programs::replay_settings replay{.seconds = s.seconds, .repeats = s.repeats, .seed = s.seed};
    const programs::replayed_network autotvm(layers, "autotvm-paper", replay);
    const auto sequential = programs::find(programs::schedules(), "schedule", "sequential");
    std::vector<double> goal, needed;
    for (std::size_t r = 0; r < s.repeats; ++r) {
        const auto run = autotvm.run(sequential, r).model;
        if (run.empty()) throw tk::error("--seconds " + std::to_string(s.seconds) + " ends in the warm-up, want more");
        goal.push_back(1.01 * run.back().latency);
        needed.push_back(programs::seconds_to(run, goal.back()));
    }
    const auto worth_of = [&](const variant& v) -> worth {
        const programs::replayed_network on(layers, v.name, v.system, replay);
        const auto schedule = programs::find(programs::schedules(), "schedule", v.schedule);
        std::vector<double> speed_ups, final_ms;
        for (std::size_t r = 0; r < s.repeats; ++r) {
            const auto run = on.run(schedule, r).model;
            const double seconds = programs::seconds_to(run, goal[r]);
            speed_ups.push_back(seconds < infinite ? needed[r] / seconds : 0);  // never there: no speed
            final_ms.push_back(run.empty() ? infinite : 1e3 * run.back().latency);
        }
        return {programs::middle_of(speed_ups), tk::stats::median(final_ms)};
    };
    auto rows = nlohmann::ordered_json::array();
    if (!s.json)
        std::printf(
            "%s, %zu repeats of %.0f s; baseline: autotvm-paper, sequential, an even share each, no early stopping; "
            "goal: 1.01x of its end\n%-34s %9s %17s %10s\n",
            s.network.c_str(), s.repeats, s.seconds, "", "speed-up", "95 % interval", "final ms");
    for (const auto& v : variants(s.seconds, layers.size())) {
        if (v.name.find(s.only) == std::string::npos) continue;
        const auto [speed_up, final_ms] = worth_of(v);
        if (s.json) {
            auto& row = rows.emplace_back(nlohmann::ordered_json{{"form", v.name}});
            programs::add(row, "speedup", speed_up);
            row["final_latency_ms"] = final_ms;
            continue;
        }
        std::printf("%-34s %9.2f %8.2f %8.2f %10.3f\n", v.name.c_str(), speed_up.median, speed_up.low, speed_up.high,
                    final_ms);
        std::fflush(stdout);
    }
    if (s.json)
        print_json(
            {{"network", s.network}, {"seed", s.seed}, {"repeats", s.repeats}, {"seconds", s.seconds}, {"rows", rows}});
}

constexpr std::size_t evaluations = 200;

/// A form on a space, or on several: P, and S200 with the variance of its mean over repeats. P is NaN where random search
/// needs fewer than 20 evaluations: there it is luck.
struct scores {
    double p = std::numeric_limits<double>::quiet_NaN(), s200 = 0, variance = 0;
};

scores scores_on(const tk::scoring::recording& on, const tk::scoring::yardstick& by,
                 const tk::search::any_strategy& strategy, const settings& s)
{
    const bool timed = by.timed();
    std::vector<tk::scoring::trajectory> runs;
    double sum = 0, squares = 0;
    for (std::size_t r = 0; r < s.repeats; ++r) {
        auto gen = tk::random::stream(s.seed, 0x61626c61U, r);
        runs.push_back(tk::scoring::play(strategy, on,
                                         {.evaluations = evaluations, .seconds = timed ? 1.1 * by.seconds : -1}, gen));
        const double score = by.score_by_evaluations(runs.back());
        sum += score;
        squares += score * score;
    }
    const auto n = static_cast<double>(s.repeats);
    scores out{.s200 = sum / n, .variance = n > 1 ? (squares - sum * sum / n) / (n - 1) / n : 0};
    if (timed) out.p = by.score_over_time(runs);
    return out;
}

/// The mean of one score over the spaces `of` that have it.
double mean_of(double scores::* which, const std::vector<scores>& all, const std::vector<std::size_t>& of)
{
    double sum = 0, n = 0;
    for (const std::size_t i : of)
        if (!std::isnan(all[i].*which)) sum += all[i].*which, ++n;
    return sum / n;
}

/// By one score: the setting that is best on the other kernels, and what it has on the one left out.
struct choices {
    struct choice {
        std::string kernel, chosen;
        double there = 0;
    };
    std::string score;
    std::vector<choice> left_out;
    double mean = 0;  ///< over spaces, each with what was chosen without its kernel
};

choices leave_one_out(const char* name, double scores::* which,
                      const std::map<std::string, std::vector<std::size_t>>& kernels,
                      const std::vector<std::string>& settings, const std::vector<std::vector<scores>>& found)
{
    choices out{name, {}};
    double sum = 0, n = 0;
    for (const auto& [kernel, left_out] : kernels) {
        double most = -infinite;
        std::size_t chosen = 0;
        for (std::size_t v = 0; v < found.size(); ++v) {
            double others = 0;
            for (const auto& [other, of] : kernels)
                if (other != kernel) others += mean_of(which, found[v], of);
            if (!settings[v].empty() && others > most) most = others, chosen = v;
        }
        for (const std::size_t i : left_out)
            if (const double x = found[chosen][i].*which; !std::isnan(x)) sum += x, ++n;
        out.left_out.push_back({kernel, settings[chosen], mean_of(which, found[chosen], left_out)});
    }
    out.mean = sum / n;
    return out;
}

void print(const choices& by)
{
    for (const auto& c : by.left_out)
        std::printf("%s, %s left out: \"%s\" is chosen and has %.2f there\n", by.score.c_str(), c.kernel.c_str(),
                    c.chosen.c_str(), c.there);
    std::printf("%s, mean over spaces, each with what was chosen without its kernel: %.3f\n", by.score.c_str(),
                by.mean);
}

nlohmann::ordered_json to_json(const choices& by)
{
    auto kernels = nlohmann::ordered_json::array();
    for (const auto& c : by.left_out)
        kernels.push_back({{"left_out", c.kernel}, {"chosen", c.chosen}, {"score", c.there}});
    return {{"by", by.score}, {"kernels", kernels}, {"mean", by.mean}};
}

void on_spaces(const settings& s)
{
    const auto spaces = programs::load_spaces("bench_ablations", s.spaces, "");
    const auto by = tk::scoring::yardsticks_of(spaces, evaluations);
    std::map<std::string, std::vector<std::size_t>> kernels;
    std::vector<std::size_t> every;
    for (const auto& on : spaces) {
        kernels[on.kernel].push_back(every.size());
        every.push_back(every.size());
    }
    if (!s.json) {
        std::printf("P, S200: %zu repeats\n%-34s", s.repeats, "");
        for (const auto& on : spaces) std::printf(" %22.22s", on.name.c_str());
        std::printf("     P*   S200 +- 95 %%\n");
    }
    auto rows = nlohmann::ordered_json::array();
    std::vector<std::string> settings;  // the names of those to choose from
    std::vector<std::vector<scores>> found;
    for (const auto& v : variants(s.seconds, 1)) {
        if (!v.single || v.name.find(s.only) == std::string::npos) continue;
        std::vector<scores> each;
        double variance = 0;
        if (!s.json) std::printf("%-34s", v.name.c_str());
        for (std::size_t i = 0; i < spaces.size(); ++i) {
            each.push_back(scores_on(spaces[i], by[i], v.system.recipe.strategy, s));
            variance += each[i].variance;
            if (s.json) continue;
            std::printf(" %13.2f %8.2f", each[i].p, each[i].s200);
            std::fflush(stdout);
        }
        const double p = mean_of(&scores::p, each, every), s200 = mean_of(&scores::s200, each, every);
        const double half = 1.96 * std::sqrt(variance) / static_cast<double>(spaces.size());
        if (s.json) {
            auto& row = rows.emplace_back(
                nlohmann::ordered_json{{"form", v.name}, {"p", p}, {"s200", s200}, {"s200_half", half}});
            for (std::size_t i = 0; i < spaces.size(); ++i)
                row["spaces"].push_back({{"space", spaces[i].name}, {"p", each[i].p}, {"s200", each[i].s200}});
        } else std::printf(" %6.3f %6.3f  %6.3f\n", p, s200, half);
        settings.push_back(v.setting ? v.name : "");
        found.push_back(std::move(each));
    }
    std::vector<choices> chosen;
    if (kernels.size() >= 2 && !found.empty())
        chosen = {leave_one_out("P*", &scores::p, kernels, settings, found),
                  leave_one_out("S200", &scores::s200, kernels, settings, found)};
    if (!s.json) {
        for (const auto& c : chosen) print(c);
        return;
    }
    auto by_score = nlohmann::ordered_json::array();
    for (const auto& c : chosen) by_score.push_back(to_json(c));
    print_json({{"seed", s.seed}, {"repeats", s.repeats}, {"rows", rows}, {"choices", by_score}});
}

void run(const settings& s)
{
    if (s.repeats == 0) tk::invalid("--repeats is 0, want >= 1");
    if (s.spaces.empty() == s.network.empty()) tk::invalid("want either --network and --recorded, or --spaces");
    if (!s.network.empty() && s.recorded.empty())
        tk::invalid("--network without --recorded, want the folder of its spaces");
    if (s.spaces.empty()) on_network(s);
    else on_spaces(s);
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    programs::study_app app("The combined recipe with parts off or replaced.", "bench_ablations");
    app.add_option("--network", s.network, "alexnet, resnet18, squeezenet or vgg16: speed-ups over sequential AutoTVM");
    app.add_option("--recorded", s.recorded, "folder of its recorded spaces");
    app.add_option("--spaces", s.spaces,
                   "folder of recorded spaces: the scores P and S200 of docs/combined.md, one space at a time");
    app.add_option("--only", s.only, "forms whose name contains this");
    app.repeats(s.repeats);
    app.add_option("--seconds", s.seconds, "of a run over a network");
    app.seed(s.seed);
    app.json(s.json);
    return app.run(argc, argv, [&] { run(s); });
}
