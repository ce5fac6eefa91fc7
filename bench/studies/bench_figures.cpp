// SPDX-License-Identifier: MIT
// The figures of the papers, from our own recordings: SVGs, and the numbers that docs/figures.md quotes.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/studies/support/replay_network.hpp"
#include "bench/studies/support/study_app.hpp"
#include "tools/support/names.hpp"
#include "tunekit/explore/contextual.hpp"
#include "tunekit/io/text.hpp"
#include "tunekit/recipes/adatune.hpp"
#include "tunekit/report/figures.hpp"
#include "tunekit/report/line_chart.hpp"
#include "tunekit/schedule/sequential.hpp"
#include "tunekit/scoring/read_recordings.hpp"
#include "tunekit/screen/dbscan.hpp"
#include "tunekit/screen/k_means.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/surrogate/gaussian_process.hpp"
#include "tunekit/tune/tune_tasks.hpp"

namespace tk = tunekit;

namespace {

using programs::replayed_layer;

struct settings {
    std::string out = ".", large = "bench/studies/data/large", only;
    std::size_t repeats = 5, trials = 256;
    std::uint64_t seed = 1;
};

/// A search's state after a trial.
struct point {
    double seconds = 0, cost = 0;  ///< cost: of the incumbent, as recorded
};

/// One search of one operator.
std::vector<point> searched(const replayed_layer& layer, const tk::recipes::any_recipe& how,
                            const tk::tasks_budget& limit, std::uint64_t seed)
{
    double now = 0;
    const tk::measure::virtual_clock time(now);
    std::vector<tk::task> tasks;
    tasks.push_back(programs::detail::measured_by(how.repetition, layer, time, seed));
    auto gen = tk::random::stream(seed, 0x66696775U, 0);
    std::vector<point> out;
    static_cast<void>(tk::tune_tasks(tasks, how, tk::schedule::sequential{}, limit, gen,
                                     {.watch =
                                          [&](const tk::plan& p, std::size_t) {
                                              const auto& record = p.tasks.front().record;
                                              const auto best = record.found() ? record.incumbent().candidate : 0;
                                              out.push_back(
                                                  {p.seconds, layer.rows[static_cast<std::size_t>(best)].result.cost});
                                          },
                                      .clock = time}));
    return out;
}

double optimum_of(const replayed_layer& layer) { return programs::optimal_latency({&layer, 1}) / layer.weight; }

tk::recipes::any_recipe named(const std::string& name, std::uint32_t runs = 0)
{
    auto out = programs::find(programs::recipes(), "strategy", name);
    if (runs > 0) out.repetition = tk::measure::any_repetition(tk::measure::fixed{runs, 1});
    return out;
}

void save(const settings& s, const std::string& name, tk::report::line_chart chart)
{
    tk::io::write_text(s.out + '/' + name + ".svg",
                       tk::report::to_standalone_svg(tk::report::line_chart_svg(chart, {.width = 900, .height = 380})));
}

/// Of several searches: the mean over operators and repeats of optimum / incumbent after each trial, in percent.
tk::report::chart_curve by_trial(const settings& s, std::span<const replayed_layer> layers, const std::string& name,
                                 const tk::recipes::any_recipe& how)
{
    tk::report::chart_curve out{.name = name, .values = std::vector<double>(s.trials)};
    for (const auto& layer : layers)
        for (std::size_t r = 0; r < s.repeats; ++r) {
            const auto run = searched(layer, how, {.trials_per_task = s.trials}, s.seed + 1000 * r);
            for (std::size_t t = 0; t < s.trials; ++t)
                out.values[t] += 100 * optimum_of(layer) / run[(std::min)(t, run.size() - 1)].cost /
                                 static_cast<double>(layers.size() * s.repeats);
        }
    std::printf("  %-28s", name.c_str());
    for (const std::size_t t : {std::size_t{64}, std::size_t{128}, s.trials})
        if (t <= s.trials) std::printf("  %5.1f %% after %zu", out.values[t - 1], t);
    std::printf("\n");
    std::fflush(stdout);
    return out;
}

// AdaTune, figure 4 and appendix B: static shares of random candidates against epsilon_t, and a process for the forest.
void adatune_4(const settings& s, std::span<const replayed_layer> large)
{
    std::printf(
        "adatune-4: optimum / incumbent after n measurements, mean of %zu large spaces, %zu repeats, rounds of 64\n",
        large.size(), s.repeats);
    const auto forest = tk::surrogate::random_forest{.trees = 32, .max_features = 10};
    const tk::explore::annealing walk{.unit = tk::explore::heat::spread};
    auto plain = named("autotvm-paper");
    tk::report::line_chart chart{
        .x_name = "measurements; optimum / incumbent, %",
        .alternative = "quality over measurements for static shares of random candidates and AdaTune's",
        .low = 50};
    const auto add = [&](const std::string& name, auto strategy) {
        plain.strategy = tk::search::any_strategy(std::move(strategy));
        chart.curves.push_back(by_trial(s, large, name, plain));
    };
    add("epsilon_t (AdaTune)", tk::search::model_guided{forest, tk::acquisition::expected_improvement{},
                                                        tk::explore::contextual{walk}, tk::screen::keep_best{}});
    for (const double epsilon : {0.01, 0.05, 0.1, 0.2, 0.5})
        add("epsilon " + tk::core::text_of(epsilon),
            tk::search::model_guided{forest, tk::acquisition::expected_improvement{}, walk,
                                     tk::screen::epsilon_greedy{tk::screen::keep_best{}, {.epsilon = epsilon}}});
    add("a process for the forest",
        tk::search::model_guided{tk::surrogate::gaussian_process{}, tk::acquisition::expected_improvement{},
                                 tk::explore::contextual{walk}, tk::screen::keep_best{}});
    save(s, "adatune-4", std::move(chart));
}

/// The median over repeats of the operator's GFLOPS at given seconds.
tk::report::chart_curve by_seconds(const settings& s, const replayed_layer& layer, const std::string& name,
                                   const tk::recipes::any_recipe& how, std::span<const double> at)
{
    std::vector<std::vector<double>> found(at.size());
    for (std::size_t r = 0; r < s.repeats; ++r) {
        const auto run = searched(layer, how, {.seconds = at.back()}, s.seed + 1000 * r);
        for (std::size_t i = 0; i < at.size(); ++i) {
            double cost = 0;
            for (const auto& p : run)
                if (p.seconds <= at[i]) cost = p.cost;
            found[i].push_back(cost > 0 ? 1e-9 * layer.flops / cost : 0);
        }
    }
    tk::report::chart_curve out{.name = name, .at = {at.begin(), at.end()}};
    for (auto& x : found) out.values.push_back(tk::stats::median(std::move(x)));
    std::printf("  %-28s", name.c_str());
    for (const std::size_t i : {at.size() / 12 - 1, at.size() / 4 - 1, at.size() / 2 - 1, at.size() - 1})
        std::printf("  %6.1f GFLOPS at %.0f s", out.values[i], at[i]);
    std::printf("\n");
    std::fflush(stdout);
    return out;
}

// AdaTune, figure 6: GFLOPS of one operator at equal time; on the paper's CPU up to 115 % more than AutoTVM's.
void adatune_6(const settings& s, const replayed_layer& layer, std::uint32_t runs, double seconds)
{
    const std::string name = "adatune-6-" + std::to_string(runs);
    std::printf("%s: GFLOPS of %s over seconds, median of %zu repeats; AutoTVM runs each configuration %u times\n",
                name.c_str(), layer.name.c_str(), s.repeats, runs);
    std::vector<double> at;
    for (int i = 1; i <= 60; ++i) at.push_back(seconds * i / 60);
    tk::report::line_chart chart{.x_name = "seconds; GFLOPS",
                                 .alternative = "GFLOPS of one operator over seconds of tuning"};
    for (const auto& [title, how] : {std::pair{std::string("adatune-paper"), named("adatune-paper")},
                                     {std::string("adatune"), named("adatune")},
                                     {std::string("autotvm-paper"), named("autotvm-paper", runs)}})
        chart.curves.push_back(by_seconds(s, layer, title, how, at));
    save(s, name, std::move(chart));
}

// AdaTune, figure 2: what the time of a configuration goes to.
void adatune_2(std::span<const replayed_layer> layers)
{
    for (const double runs : {10.0, 500.0}) {
        double build = 0, check = 0, run = 0;
        for (const auto& layer : layers)
            for (const auto& row : layer.rows) {
                build += row.result.build_seconds;
                check += row.result.run_seconds;
                for (const double t : row.result.batches) check -= t;
                run += runs * row.result.cost;
            }
        const double all = (build + check + run) / 100;
        std::printf("adatune-2: of a configuration's time with %.0f runs, build %.0f %%, check %.0f %%, runs %.0f %%\n",
                    runs, build / all, check / all, run / all);
    }
}

// DynaTune, figure 4: tuning curves differ in form from task to task.
void dynatune_4(const settings& s, std::span<const replayed_layer> layers)
{
    std::printf("dynatune-4: measurements of AutoTVM (rounds of 64) until 95 %% of the optimum, by task:");
    tk::report::line_chart chart{.x_name = "measurements; optimum / incumbent, %",
                                 .alternative = "tuning curves of all tasks"};
    const auto how = named("autotvm-paper");
    for (const auto& layer : layers) {
        auto& curve = chart.curves.emplace_back(tk::report::chart_curve{.name = layer.name});
        std::size_t near = 0;
        for (const auto& p : searched(layer, how, {.trials_per_task = s.trials}, s.seed)) {
            curve.values.push_back(100 * optimum_of(layer) / p.cost);
            if (curve.values.back() < 95) near = curve.values.size();
        }
        std::printf(" %s %zu", layer.name.c_str(), near + 1);
    }
    std::printf("\n");
    save(s, "dynatune-4", std::move(chart));
}

// Chameleon, figure 9: one layer by number of measurements, exploration and sampling each alone and together.
void chameleon_9(const settings& s, const replayed_layer& layer)
{
    std::printf("chameleon-9: optimum / incumbent of %s after n measurements, mean of %zu repeats\n",
                layer.name.c_str(), s.repeats);
    tk::report::line_chart chart{.x_name = "measurements; optimum / incumbent, %",
                                 .alternative = "quality of one layer over measurements",
                                 .low = 50};
    for (const auto& [title, name] : {std::pair{"AE + AS", "chameleon"},
                                      {"AE", "chameleon-ae"},
                                      {"SA + AS", "chameleon-sa-as"},
                                      {"AutoTVM (SA)", "autotvm-paper"}})
        chart.curves.push_back(by_trial(s, {&layer, 1}, title, named(name)));
    save(s, "chameleon-9", std::move(chart));
}

/// Differences of costs, relative to the lower, of all pairs that `together` says belong together.
template <class Together>
std::vector<double> differences(std::span<const double> costs, const Together& together)
{
    std::vector<double> out;
    for (std::size_t i = 0; i < costs.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (together(i, j)) out.push_back((std::max)(costs[i], costs[j]) / (std::min)(costs[i], costs[j]) - 1);
    return out;
}

// Chameleon, figures 5 and 6: candidates lie in clusters, and a cluster's members run alike. Candidates are the best eighth of 2048 random
// configurations, which an ideal model would propose; 16 clusters, as adaptive sampling mostly has, or DBSCAN in their place.
void chameleon_6(const settings& s, std::span<const replayed_layer> large)
{
    std::vector<std::vector<double>> all(5);
    const std::vector<std::string> names{"k-means, 16 clusters", "DBSCAN", "any two candidates",
                                         "any two configurations", "k-means, of any configurations"};
    double groups = 0, noise = 0;
    for (const auto& layer : large) {
        auto gen = tk::random::stream(s.seed, 0x636c7573U, 0);
        const tk::space::any_space space(layer.space);
        std::vector<tk::explore::scored_candidate> found;
        std::vector<double> anywhere;
        std::vector<tk::explore::scored_candidate> others;
        for (const tk::index i : space.sample(2048, gen)) {
            const auto& m = layer.rows[static_cast<std::size_t>(i)].result;
            if (!m.ok()) continue;
            if (anywhere.size() < 256) {
                anywhere.push_back(m.cost);
                others.push_back({i, -m.cost, {}});
            }
            found.push_back({i, -m.cost, {}});
        }
        std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
        found.resize((std::min)(found.size(), std::size_t{256}));
        std::vector<double> costs;
        for (const auto& c : found) costs.push_back(-c.score);
        const auto points = tk::screen::scaled_rows(space, found);
        const tk::screen::k_means means{.restarts = 3};
        const auto clusters = means.cluster(points, 16, means.starts(points, 16, gen));
        const auto scattered = tk::screen::scaled_rows(space, others);
        const auto elsewhere = means.cluster(scattered, 16, means.starts(scattered, 16, gen));
        const auto dense = tk::screen::dbscan{}.labels(points);
        std::vector<std::uint32_t> labels;
        for (const auto l : dense) {
            if (l == tk::screen::dbscan::noise) noise += 1.0 / static_cast<double>(dense.size() * large.size());
            else if (std::find(labels.begin(), labels.end(), l) == labels.end()) labels.push_back(l);
        }
        groups += static_cast<double>(labels.size()) / static_cast<double>(large.size());
        const auto add = [&](std::size_t k, std::vector<double> x) { all[k].insert(all[k].end(), x.begin(), x.end()); };
        add(0, differences(costs, [&](std::size_t i, std::size_t j) { return clusters.of[i] == clusters.of[j]; }));
        add(1, differences(costs, [&](std::size_t i, std::size_t j) {
                return dense[i] == dense[j] && dense[i] != tk::screen::dbscan::noise;
            }));
        add(2, differences(costs, [](std::size_t, std::size_t) { return true; }));
        add(3, differences(anywhere, [](std::size_t, std::size_t) { return true; }));
        add(4, differences(anywhere, [&](std::size_t i, std::size_t j) { return elsewhere.of[i] == elsewhere.of[j]; }));
    }
    std::printf(
        "chameleon-6: difference of two costs, %zu large spaces; DBSCAN finds %.1f groups in the mean, %.0f %% noise\n",
        large.size(), groups, 100 * noise);
    tk::report::line_chart chart{
        .x_name = "difference of two costs, %; share of pairs below, %",
        .alternative = "cumulative distribution of differences of costs inside clusters of candidates"};
    for (std::size_t k = 0; k < all.size(); ++k) {
        auto& x = all[k];
        std::sort(x.begin(), x.end());
        auto& curve = chart.curves.emplace_back(tk::report::chart_curve{.name = names[k]});
        for (int percent = 1; percent <= 100; ++percent) {
            curve.at.push_back(percent);
            curve.values.push_back(
                100 * static_cast<double>(std::upper_bound(x.begin(), x.end(), 0.01 * percent) - x.begin()) /
                static_cast<double>((std::max)(x.size(), std::size_t{1})));
        }
        std::printf("  %-28s median %5.1f %%, below 10 %%: %3.0f %% of %zu pairs\n", names[k].c_str(),
                    x.empty() ? 0 : 100 * tk::stats::quantile_of_sorted(x, 0.5), curve.values[9], x.size());
    }
    save(s, "chameleon-6", std::move(chart));
}

void run(const settings& s)
{
    programs::make_folder("--out", s.out);
    const std::string own = tk::scoring::recordings_folder(TUNEKIT_RECORDINGS);
    const auto resnet = programs::load_network("resnet18", own + "/resnet18");
    const auto large = programs::load_network("spaces", s.large);
    const auto wanted = [&](const char* name) { return s.only.empty() || s.only == name; };
    if (wanted("adatune-2")) adatune_2(resnet);
    if (wanted("dynatune-4")) dynatune_4(s, resnet);
    if (wanted("chameleon-6")) chameleon_6(s, large);
    if (wanted("chameleon-9")) chameleon_9(s, resnet[10]);
    if (wanted("adatune-6")) {
        adatune_6(s, resnet[5], 10, 60);
        adatune_6(s, resnet[5], 500, 600);
    }
    if (wanted("adatune-4")) adatune_4(s, large);
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    programs::study_app app("Draws figures of the papers of AdaTune, Chameleon and DynaTune from recordings.",
                            "bench_figures");
    app.add_option("--out", s.out, "folder for the pictures");
    app.add_option("--large", s.large, "folder of the large recorded spaces");
    app.add_option("--only", s.only,
                   "one figure: adatune-2, adatune-4, adatune-6, chameleon-6, chameleon-9, dynatune-4; empty: all");
    app.repeats(s.repeats);
    app.add_option("--trials", s.trials, "measurements of each search, where a figure counts them")
        ->check(programs::whole_number());
    app.seed(s.seed);
    return app.run(argc, argv, [&] {
        tk::require(s.repeats > 0, "--repeats is 0, want at least 1");
        tk::require(s.trials > 0, "--trials is 0, want at least 1");
        run(s);
    });
}
