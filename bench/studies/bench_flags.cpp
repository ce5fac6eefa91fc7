// SPDX-License-Identifier: MIT
// Search strategies on synthetic spaces of 2^40 and more flags whose optimum is known, beside OpenTuner's kind of search.
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

#include <nlohmann/json.hpp>

#include "bench/studies/support/study_app.hpp"
#include "bench/studies/support/synthetic_flags.hpp"
#include "bench/studies/support/technique_bandit.hpp"
#include "tools/support/names.hpp"
#include "tools/support/program.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/space/any_space.hpp"
#include "tunekit/stats/moments.hpp"

namespace tk = tunekit;

namespace {

struct settings {
    std::string strategy = "combined,bandit,opentuner,evolution,mutation,hill-climb,annealing,random", only;
    std::vector<std::size_t> evaluations{200, 1000};
    std::size_t repeats = 20;
    std::uint64_t seed = 1;
    bool json = false;
};

/// One strategy on one family: a number per repeat and mark.
struct cell {
    std::string strategy, family;
    std::vector<std::vector<double>> left;  ///< by mark: share of the way from the median to the optimum that is left
    std::vector<std::vector<double>> gain;  ///< by mark: the cost of the best over that of the optimum
    double own_microseconds = 0;            ///< per evaluation
};

/// What programs know by name, and the searches that they are compared with here.
programs::named<tk::search::any_strategy> known_strategies()
{
    auto out = programs::strategies();
    out.emplace_back("evolution", programs::differential_evolution{});
    out.emplace_back("mutation", programs::greedy_mutation{});
    out.emplace_back("bandit",
                     programs::technique_bandit{{programs::differential_evolution{}, programs::greedy_mutation{},
                                                 tk::search::hill_climb{}, tk::search::annealing{}}});
    // OpenTuner's default, AUCBanditMetaTechniqueA, but for its Nelder-Mead, which moves numbers alone and no switch.
    out.emplace_back("opentuner",
                     programs::technique_bandit{{programs::differential_evolution{}, programs::greedy_mutation{},
                                                 programs::greedy_mutation{.share = 0.3, .sigma = 0.1}}});
    return out;
}

cell search(const settings& s, const std::string& name, const tk::search::any_strategy& strategy,
            const programs::flag_family& of)
{
    cell out;
    out.strategy = name;
    out.family = of.name;
    out.left.resize(s.evaluations.size());
    out.gain.resize(s.evaluations.size());
    const tk::measure::wall_clock wall;
    double own = 0;
    std::size_t all = 0;
    for (std::size_t repeat = 0; repeat < s.repeats; ++repeat) {
        const programs::synthetic_flags on(of, s.seed + repeat);
        const tk::space::any_space space(on.space());
        auto gen = tk::random::stream(s.seed, 0x666c7367U, repeat);
        auto noise = tk::random::stream(s.seed, 0x6e6f6973U, repeat);  // the same for all strategies
        double told = std::numeric_limits<double>::infinity();         // the lowest that was measured
        double best = on.median();                                     // what that costs without noise
        double begun = wall();
        auto state = strategy.start(space);
        std::size_t evaluation = 0;
        for (std::size_t mark = 0; mark < s.evaluations.size();) {
            const auto batch = strategy.propose(state, space, 1, gen);
            own += wall() - begun;
            std::vector<tk::measure::measurement> measured;
            for (const tk::index i : batch) {
                measured.push_back(on.measured(i, noise));
                const auto& m = measured.back();
                if (!m.ok() || !(m.cost < told)) continue;
                told = m.cost;
                best = on.log_cost(i);
            }
            ++evaluation;
            begun = wall();
            strategy.observe(state, space, batch, measured, gen);
            if (evaluation < s.evaluations[mark]) continue;
            out.left[mark].push_back((best - on.optimum()) / (on.median() - on.optimum()));
            out.gain[mark].push_back(std::exp(best - on.optimum()));
            ++mark;
        }
        all += evaluation;
    }
    out.own_microseconds = 1e6 * own / static_cast<double>(all);
    return out;
}

/// A mean with half of its 95 % interval, by Student's t for 20 repeats or more.
std::pair<double, double> mean_of(const std::vector<double>& x)
{
    tk::stats::running_moments of;
    for (const double v : x) of.add(v);
    if (of.count() < 2) return {of.mean(), std::numeric_limits<double>::quiet_NaN()};
    return {of.mean(), 2.1 * std::sqrt(of.sample_variance() / static_cast<double>(of.count()))};
}

/// By how much `b` has less left than `a` on the same landscapes.
std::pair<double, double> difference(const std::vector<double>& a, const std::vector<double>& b)
{
    std::vector<double> out;
    for (std::size_t k = 0; k < a.size(); ++k) out.push_back(a[k] - b[k]);
    return mean_of(out);
}

void print(const settings& s, const std::vector<cell>& all)
{
    std::printf("%-12s %-12s", "strategy", "family");
    for (const std::size_t n : s.evaluations) std::printf(" %11s %5zu %9s", "% left at", n, "x optimum");
    std::printf(" %13s\n", "own us/eval");
    for (const cell& c : all) {
        std::printf("%-12s %-12s", c.strategy.c_str(), c.family.c_str());
        for (std::size_t m = 0; m < s.evaluations.size(); ++m) {
            const auto [left, half] = mean_of(c.left[m]);
            std::printf(" %8.1f +- %5.1f %9.4f", 100 * left, 100 * half, mean_of(c.gain[m]).first);
        }
        std::printf(" %13.1f\n", c.own_microseconds);
    }
    std::printf("\nmean over the families, and what the first strategy has more left on the same landscapes\n");
    std::map<std::string, std::vector<std::vector<double>>> pooled;  // by strategy and mark
    std::vector<std::string> order;
    for (const cell& c : all) {
        if (!pooled.contains(c.strategy)) order.push_back(c.strategy);
        auto& to = pooled[c.strategy];
        to.resize(s.evaluations.size());
        for (std::size_t m = 0; m < to.size(); ++m) to[m].insert(to[m].end(), c.left[m].begin(), c.left[m].end());
    }
    for (const std::string& name : order) {
        std::printf("%-12s", name.c_str());
        for (std::size_t m = 0; m < s.evaluations.size(); ++m) {
            const auto [more, half] = difference(pooled[order.front()][m], pooled[name][m]);
            std::printf("   at %zu: %5.1f %%, %+5.1f +- %4.1f", s.evaluations[m], 100 * mean_of(pooled[name][m]).first,
                        100 * more, 100 * half);
        }
        std::printf("\n");
    }
}

void print_json(const settings& s, const std::vector<cell>& all)
{
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const cell& c : all)
        for (std::size_t m = 0; m < s.evaluations.size(); ++m) {
            const auto [left, half] = mean_of(c.left[m]);
            rows.push_back({{"strategy", c.strategy},
                            {"family", c.family},
                            {"evaluations", s.evaluations[m]},
                            {"left", left},
                            {"half_interval", half},
                            {"over_optimum", mean_of(c.gain[m]).first},
                            {"own_s_per_evaluation", 1e-6 * c.own_microseconds}});
        }
    std::printf("%s\n",
                nlohmann::ordered_json{{"seed", s.seed}, {"repeats", s.repeats}, {"rows", rows}}.dump(2).c_str());
}

void run(settings s)
{
    if (s.repeats == 0) tk::invalid("--repeats is 0, want a count");
    if (s.evaluations.empty() || *std::min_element(s.evaluations.begin(), s.evaluations.end()) == 0)
        tk::invalid("--evaluations has a 0, want counts");
    std::sort(s.evaluations.begin(), s.evaluations.end());
    const auto known = known_strategies();
    std::vector<std::pair<std::string, tk::search::any_strategy>> chosen;
    for (std::size_t at = 0; at <= s.strategy.size();) {
        const std::size_t end = (std::min)(s.strategy.find(',', at), s.strategy.size());
        const std::string name = s.strategy.substr(at, end - at);
        chosen.emplace_back(name, programs::find(known, "strategy", name));
        at = end + 1;
    }
    std::vector<cell> all;
    for (const auto& [name, strategy] : chosen)
        for (const auto& of : programs::flag_families())
            if (of.name.find(s.only) != std::string::npos) all.push_back(search(s, name, strategy, of));
    if (all.empty())
        tk::invalid("--only '" + s.only +
                    "': no family is called so, want alone, pairs, triples, values, conflicts or noisy");
    if (s.json) print_json(s, all);
    else print(s, all);
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    programs::study_app app("Runs search strategies over synthetic flag spaces of which the optimum is known.",
                            "bench_flags");
    app.add_option("--strategy", s.strategy, "names, separated by commas: " + programs::list(known_strategies()));
    app.add_option("--only", s.only,
                   "families whose name contains this: alone, pairs, triples, values, conflicts, noisy");
    app.repeats(s.repeats, "runs, each on a landscape of its own");
    app.seed(s.seed, "of the first landscape");
    app.add_option("--evaluations", s.evaluations, "after how many to look")->delimiter(',');
    app.json(s.json);
    return app.run(argc, argv, [&] { run(s); });
}
