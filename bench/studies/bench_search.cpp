// SPDX-License-Identifier: MIT
// Search strategies over recorded spaces: how many evaluations, and how much of the recorded time, each needs.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/studies/support/load_spaces.hpp"
#include "bench/studies/support/study_app.hpp"
#include "tools/support/names.hpp"
#include "tools/support/program.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/scoring/score.hpp"
#include "tunekit/scoring/trajectory_file.hpp"
#include "tunekit/search/any_strategy.hpp"
#include "tunekit/search/portfolio.hpp"

namespace tk = tunekit;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::size_t judged = 200;  // evaluations

struct settings {
    std::string spaces, strategy = "all", out, only;
    std::size_t repeats = 25, batch = 1, evaluations = 220;
    std::uint64_t seed = 1;
    bool json = false;
};

void print(const std::vector<tk::scoring::outcome>& all)
{
    std::printf("%-14s %-28s %6s %6s %8s %12s %14s %9s %12s\n", "strategy", "space", "P", "S200", "clamped",
                "evals to 5 %", "regret at 200", "failed", "own us/eval");
    for (const auto& o : all) {
        char evals[24];
        if (o.evaluations_to_5 < infinite) std::snprintf(evals, sizeof evals, "%.0f", o.evaluations_to_5);
        else std::snprintf(evals, sizeof evals, "> %zu", o.evaluations);
        std::printf("%-14s %-28s %6.2f %6.2f %8.2f %12s %12.2f %% %7.1f %% %12.2f\n", o.strategy.c_str(),
                    o.space.c_str(), o.p, o.s_mean(), o.clamped_mean(), evals, 100 * o.regret,
                    100 * o.failed_share.value_or(0), 1e6 * o.own_seconds);
    }
}

void print(const std::vector<tk::scoring::scoreboard::standing>& all)
{
    std::printf("\n%-14s %6s %8s %6s %6s %8s %6s %8s %8s %6s %6s %12s\n", "strategy", "P*", "+- 95 %", "worst", "S200",
                "+- 95 %", "worst", "clamped", "+- 95 %", "worst", "to 5 %", "own us/eval");
    for (const auto& t : all) {
        std::printf("%-14s", t.strategy.c_str());
        if (t.p) std::printf(" %6.3f %8.3f %6.2f", t.p->mean, t.p->half(), t.p->worst);
        else std::printf(" %6s %8s %6s", "-", "-", "-");
        std::printf(" %6.3f %8.3f %6.2f %8.3f %8.3f %6.2f %6.1f %12.2f\n", t.s.mean, t.s.half(), t.s.worst,
                    t.clamped.mean, t.clamped.half(), t.clamped.worst, t.to_5, 1e6 * t.own_seconds);
    }
}

void print(const std::vector<tk::scoring::scoreboard::difference>& all)
{
    for (const auto& d : all) {
        std::printf("%s less %s:", d.strategy.c_str(), d.than.c_str());
        if (d.p) std::printf(" P* %+.3f +- %.3f, worst %+.2f;", d.p->mean, d.p->half(), d.p->worst);
        std::printf(" S200 %+.3f +- %.3f, worst %+.2f; clamped %+.3f +- %.3f, worst %+.2f\n", d.s.mean, d.s.half(),
                    d.s.worst, d.clamped.mean, d.clamped.half(), d.clamped.worst);
    }
}

void print_json(const settings& s, const tk::scoring::scoreboard& all)
{
    using nlohmann::ordered_json;
    const auto finite = [](double x) { return x < infinite ? ordered_json(x) : ordered_json(nullptr); };
    const auto json = [](const tk::scoring::scoreboard::aggregate& a) {
        return ordered_json{{"mean", a.mean}, {"half_interval", a.half()}, {"worst", a.worst}};
    };
    ordered_json rows = ordered_json::array(), scores = ordered_json::array();
    for (const auto& o : all.outcomes)
        rows.push_back({{"strategy", o.strategy},
                        {"space", o.space},
                        {"evaluations_to_105", finite(o.evaluations_to_5)},
                        {"p", o.p},
                        {"s200", o.s_mean()},
                        {"clamped", o.clamped_mean()},
                        {"regret_at_200", finite(o.regret)},
                        {"failed_share", o.failed_share.value_or(0)},
                        {"own_s_per_evaluation", o.own_seconds},
                        {"evaluations", o.evaluations}});
    for (const auto& t : all.standings)
        scores.push_back({{"strategy", t.strategy},
                          {"p", t.p ? json(*t.p) : ordered_json(nullptr)},
                          {"s200", json(t.s)},
                          {"clamped", json(t.clamped)},
                          {"evaluations_to_105", t.to_5},
                          {"own_s_per_evaluation", t.own_seconds}});
    ordered_json easy = ordered_json::array();
    for (std::size_t i = 0; i < all.spaces.size(); ++i)
        if (all.easy[i]) easy.push_back(all.spaces[i]);
    const ordered_json out{{"easy", easy},     {"seed", s.seed}, {"repeats", s.repeats},
                           {"batch", s.batch}, {"rows", rows},   {"scores", scores}};
    std::printf("%s\n", out.dump(2).c_str());
}

/// What programs know by name, and for comparison, no recipes: the rule of `combined` with one of its models in both places.
programs::named<tk::search::any_strategy> strategies()
{
    auto out = programs::strategies();
    const auto parts = tk::recipes::combined().strategy;
    const auto alone = [&](const char* name, const auto& model) {
        out.emplace_back(name, tk::search::any_strategy(tk::search::portfolio{model, model, parts.options}));
    };
    alone("forest-alone", parts.forest);
    alone("process-alone", parts.process);
    return out;
}

void run(const settings& s)
{
    const auto known = strategies();
    std::vector<std::string> names;
    if (s.strategy == "all")
        for (const auto& [name, strategy] : known) names.push_back(name);
    else
        for (const std::string_view name : tk::io::split(s.strategy, ',')) names.emplace_back(name);
    for (const auto& name : names) (void)programs::find(known, "strategy", name);
    if (s.repeats == 0 || s.batch == 0) tk::invalid("--repeats and --batch are counts, want >= 1");
    if (!s.out.empty()) {
        programs::make_folder("--out", s.out);
        for (const auto& name : names) programs::make_folder("--out", s.out + '/' + name);
    }
    const auto spaces = programs::load_spaces("bench_search", s.spaces, s.only);
    const auto by = tk::scoring::yardsticks_of(spaces, judged);
    const tk::scoring::score_options how{
        .repeats = s.repeats, .seed = s.seed, .batch = s.batch, .judged = judged, .evaluations = s.evaluations};
    std::vector<tk::scoring::outcome> outcomes;
    for (const auto& name : names) {
        const auto& strategy = programs::find(known, "strategy", name);
        for (std::size_t i = 0; i < spaces.size(); ++i) {
            const auto runs = tk::scoring::play_all(strategy, spaces[i], by[i], how);
            if (!s.out.empty())
                tk::scoring::write_trajectories(s.out + '/' + name + '/' + spaces[i].name + ".csv", runs);
            outcomes.push_back(tk::scoring::outcome_of(name, spaces[i], by[i], runs, judged));
        }
    }
    const auto all = tk::scoring::scoreboard_of(spaces, by, std::move(outcomes), judged);
    if (s.json) return print_json(s, all);
    print(all.outcomes);
    print(all.standings);
    print(all.differences);
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    programs::study_app app("Runs search strategies over recorded spaces and writes their trajectories.",
                            "bench_search");
    app.spaces(s.spaces);
    app.add_option("--strategy", s.strategy, "names, separated by commas, or all: " + programs::list(strategies()));
    app.repeats(s.repeats);
    app.seed(s.seed);
    app.add_option("--out", s.out, "folder for the trajectories, <strategy>/<space>.csv");
    app.add_option("--only", s.only, "spaces whose name contains this");
    app.add_option("--batch", s.batch, "configurations asked for at a time");
    app.add_option("--evaluations", s.evaluations,
                   "a run ends after so many, and not before 1.1 times what random search needs has passed");
    app.json(s.json);
    return app.run(argc, argv, [&] { run(s); });
}
