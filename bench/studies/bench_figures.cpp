// SPDX-License-Identifier: MIT
// The figures of the papers, from our own recordings: SVGs, and the numbers that docs/studies/figures.md quotes.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/studies/support/dbscan.hpp"
#include "bench/studies/support/dynatune_figures.hpp"
#include "bench/studies/support/figure_parts.hpp"
#include "bench/studies/support/middle.hpp"
#include "bench/studies/support/recorded_runs.hpp"
#include "bench/studies/support/replay_network.hpp"
#include "bench/studies/support/study_app.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/explore/contextual.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/recipes/adatune.hpp"
#include "tunekit/report/figures.hpp"
#include "tunekit/report/line_chart.hpp"
#include "tunekit/scoring/read_recordings.hpp"
#include "tunekit/screen/k_means.hpp"
#include "tunekit/stats/interval.hpp"
#include "tunekit/stats/moments.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/surrogate/gaussian_process.hpp"
#include "tunekit/tune/tune_tasks.hpp"

namespace tk = tunekit;

namespace {

using programs::optimum_of;
using programs::recipe_of;
using programs::replayed_layer;
using programs::save;
using programs::searched;
using settings = programs::figure_settings;

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Several searches.
struct by_trials {
    tk::report::line_chart::curve
        mean;                    ///< over operators and repeats of optimum / incumbent after each trial, in percent
    std::vector<double> ends{};  ///< of each repeat: the mean over operators at the end
};

/// With `base`, the ends are told against its own: the mean of the differences, with an interval over repeats.
by_trials by_trial(const settings& s, std::span<const replayed_layer> layers, const std::string& name,
                   const tk::recipes::any_recipe& how, const by_trials* base = nullptr)
{
    by_trials out{{.name = name, .values = std::vector<double>(s.trials)}, std::vector<double>(s.repeats)};
    const auto operators = static_cast<double>(layers.size());
    for (const auto& layer : layers)
        for (std::size_t r = 0; r < s.repeats; ++r) {
            const auto run = searched(layer, how, {.trials_per_task = s.trials}, s.seed + 1000 * r);
            const auto quality = [&](std::size_t t) {
                return 100 * optimum_of(layer) / run[(std::min)(t, run.size() - 1)].latency / operators;
            };
            for (std::size_t t = 0; t < s.trials; ++t)
                out.mean.values[t] += quality(t) / static_cast<double>(s.repeats);
            out.ends[r] += quality(s.trials - 1);
        }
    std::printf("  %-28s", name.c_str());
    for (const std::size_t t : {std::size_t{64}, std::size_t{128}, s.trials})
        if (t <= s.trials) std::printf("  %5.1f %% after %zu", out.mean.values[t - 1], t);
    if (base != nullptr) {
        std::vector<double> apart;
        for (std::size_t r = 0; r < s.repeats; ++r) apart.push_back(out.ends[r] - base->ends[r]);
        const auto range = tk::stats::mean_interval(apart);
        std::printf("  %+.2f [%+.2f, %+.2f]", tk::stats::mean(apart), range.low, range.high);
    }
    std::printf("\n");
    std::fflush(stdout);
    return out;
}

// AdaTune, figure 4 and appendix B: static shares of random candidates against epsilon_t, and a process for the forest.
void adatune_4(const settings& s, std::span<const replayed_layer> large)
{
    std::printf(
        "adatune-4: optimum / incumbent after n measurements, mean of %zu large spaces, %zu repeats, rounds of 64; "
        "behind "
        "it the ends less that of epsilon_t, with a 95 %% interval\n",
        large.size(), s.repeats);
    const auto forest = tk::surrogate::random_forest{.trees = 32, .max_features = 10};
    const tk::explore::annealing walk{.unit = tk::explore::heat::spread};
    auto plain = recipe_of("autotvm-paper");
    tk::report::line_chart chart{
        .x_name = "measurements; optimum / incumbent, %",
        .alternative = "quality over measurements for static shares of random candidates and AdaTune's",
        .low = 50};
    std::optional<by_trials> first;
    const auto add = [&](const std::string& name, auto strategy) {
        plain.strategy = tk::search::any_strategy(std::move(strategy));
        auto found = by_trial(s, large, name, plain, first ? &*first : nullptr);
        chart.curves.push_back(found.mean);
        if (!first) first = std::move(found);
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
    save(s, "adatune-4", chart);
}

/// An operator's searches, all repeats.
struct searches {
    std::string name;
    std::vector<programs::latency_course> runs;
};

/// The operator's GFLOPS at given seconds: the curve of the medians, printed at four of them with its intervals.
tk::report::line_chart::curve by_seconds(const replayed_layer& layer, const searches& all, std::span<const double> at)
{
    tk::report::line_chart::curve out{.name = all.name, .at = {at.begin(), at.end()}};
    std::printf("  %-16s", all.name.c_str());
    for (std::size_t i = 0; i < at.size(); ++i) {
        std::vector<double> found;
        for (const auto& run : all.runs) {
            double cost = infinite;
            for (const auto& p : run)
                if (p.seconds <= at[i]) cost = p.latency;
            found.push_back(1e-9 * layer.flops / cost);
        }
        const auto middle = programs::middle_of(found);
        out.values.push_back(middle.median);
        if (i + 1 == at.size() / 12 || i + 1 == at.size() / 4 || i + 1 == at.size() / 2 || i + 1 == at.size())
            std::printf("  %.1f [%.1f, %.1f] GFLOPS at %.0f s", middle.median, middle.low, middle.high, at[i]);
    }
    std::printf("\n");
    std::fflush(stdout);
    return out;
}

// AdaTune, figure 6: GFLOPS of one operator at equal time; on the paper's CPU up to 115 % more than AutoTVM's. And, as its text has
// it, how much sooner AutoTVM's final quality is there.
void adatune_6(const settings& s, const replayed_layer& layer, const std::string& name, std::uint32_t runs,
               double seconds)
{
    std::printf(
        "%s: GFLOPS of %s over seconds, median of %zu repeats and its interval; AutoTVM runs each configuration %u "
        "times\n",
        name.c_str(), layer.name.c_str(), s.repeats, runs);
    std::vector<double> at;
    for (int i = 1; i <= 60; ++i) at.push_back(seconds * i / 60);
    tk::report::line_chart chart{.x_name = "seconds; GFLOPS",
                                 .alternative = "GFLOPS of one operator over seconds of tuning"};
    std::vector<searches> all;
    for (const auto& [title, how] : {std::pair{std::string("adatune-paper"), recipe_of("adatune-paper")},
                                     {std::string("adatune"), recipe_of("adatune")},
                                     {std::string("autotvm-paper"), recipe_of("autotvm-paper", runs)}}) {
        auto& those = all.emplace_back(searches{title, {}});
        for (std::size_t r = 0; r < s.repeats; ++r)
            those.runs.push_back(searched(layer, how, {.seconds = seconds}, s.seed + 1000 * r));
        chart.curves.push_back(by_seconds(layer, those, at));
    }
    const auto& autotvm = all.back().runs;
    for (std::size_t k = 0; k + 1 < all.size(); ++k) {
        std::vector<double> sooner;
        for (std::size_t r = 0; r < s.repeats; ++r) {
            const double good = 1.01 * autotvm[r].back().latency;
            sooner.push_back(programs::seconds_to(autotvm[r], good) / programs::seconds_to(all[k].runs[r], good));
        }
        const auto middle = programs::middle_of(sooner);
        std::printf("  %-16s  %.2f [%.2f, %.2f] times sooner than AutoTVM within 1 %% of what that ends with\n",
                    all[k].name.c_str(), middle.median, middle.low, middle.high);
    }
    save(s, name, chart);
}

/// The batched product QK^T of a transformer's encoder, of the large spaces.
replayed_layer batched_product(std::span<const replayed_layer> large)
{
    const auto found =
        std::find_if(large.begin(), large.end(), [](const auto& layer) { return layer.name == "gemm_QKT_large"; });
    tk::require(found != large.end(), "--large: gemm_QKT_large is not there, want the folder of the large spaces");
    auto out = *found;
    const auto products = tk::kernels::find_network("transformer")->products;
    out.flops =
        std::find_if(products.begin(), products.end(), [](const auto& p) { return p.name == "QK^T"; })->shape.flops();
    return out;
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
        chart.curves.push_back(by_trial(s, {&layer, 1}, title, recipe_of(name)).mean);
    save(s, "chameleon-9", chart);
}

/// Of every configuration: the coefficient of variation of the mean of n consecutive runs, by the groups of n in its recorded ones; where
/// `whole`, of both passes, else of the first. Times what the median of such a variation from few groups is too small by
/// (Wilson and Hilferty, 1931).
std::vector<double> variation_of_means(std::span<const tk::measure::recorded_row> rows, std::size_t n, bool whole)
{
    std::vector<double> out;
    for (const auto& row : rows) {
        std::span<const double> runs(row.result.batches);
        if (!whole) runs = runs.first(runs.size() / 2);
        std::vector<double> means;
        for (std::size_t at = 0; at + n <= runs.size(); at += n) means.push_back(tk::stats::mean(runs.subspan(at, n)));
        if (!row.result.ok() || means.size() < 2) continue;
        const double usual = std::pow(1 - 2 / (9 * static_cast<double>(means.size() - 1)), 3);
        out.push_back(100 * std::sqrt(tk::stats::sample_variance(means) / usual) / tk::stats::mean(means));
    }
    return out;
}

// AdaTune, figure 3: the more runs are averaged, the less the mean varies. Networks have 10 batches of runs in each of two passes at most,
// the layer that was recorded run by run 500 runs.
void adatune_3(const settings& s, const std::string& own)
{
    tk::report::line_chart chart{.x_name = "runs that are averaged; coefficient of variation, %",
                                 .alternative = "variation of the mean of n runs",
                                 .log_x = true};
    const auto add = [&](const std::string& name, std::span<const tk::measure::recorded_row> rows, bool whole) {
        auto& curve =
            chart.curves.emplace_back(tk::report::line_chart::curve{.name = name + (whole ? "" : ", one pass")});
        std::printf("adatune-3: coefficient of variation of the mean of n runs, median over configurations, %s:",
                    curve.name.c_str());
        for (const std::size_t n : std::array<std::size_t, 10>{1, 2, 3, 5, 10, 25, 50, 100, 250, 500}) {
            auto x = variation_of_means(rows, n, whole);
            if (x.empty()) continue;
            curve.at.push_back(static_cast<double>(n));
            curve.values.push_back(tk::stats::median(std::move(x)));
            std::printf(" %zu: %.2f %%", n, curve.values.back());
        }
        std::printf("\n");
    };
    for (const auto& layer : programs::load_runs(own + "/runs"))
        for (const bool whole : {true, false}) add(layer.name, layer.rows, whole);
    auto& ideal = chart.curves.emplace_back(tk::report::line_chart::curve{.name = "independent runs"});
    for (const double n : chart.curves.front().at) {
        ideal.at.push_back(n);
        ideal.values.push_back(chart.curves.front().values.front() / std::sqrt(n));
    }
    for (const auto& [network, whole] :
         {std::pair{"resnet18", true}, {"resnet18", false}, {"squeezenet", true}, {"alexnet", true}}) {
        std::vector<tk::measure::recorded_row> rows;
        for (const auto& layer : programs::load_network(network, own + '/' + network))
            rows.insert(rows.end(), layer.rows.begin(), layer.rows.end());
        add(network, rows, whole);
    }
    save(s, "adatune-3", chart);
}

/// The best eighth of 2048 random configurations of a space, or of all, which an ideal model would propose: the best first.
std::vector<tk::explore::scored_candidate> candidates_of(const replayed_layer& layer, const tk::space::any_space& space,
                                                         std::uint64_t seed)
{
    auto gen = tk::random::stream(seed, 0x636c7573U, 0);
    std::vector<tk::explore::scored_candidate> out;
    for (const tk::index i : space.sample((std::min)(space.size(), tk::index{2048}), gen)) {
        const auto& m = layer.rows[static_cast<std::size_t>(i)].result;
        if (m.ok()) out.push_back({i, -m.cost, {}});
    }
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
    out.resize((std::min)((out.size() + 7) / 8, std::size_t{256}));
    return out;
}

/// Points in the plane of their two main directions, by power iteration: two coordinates for each.
std::vector<std::array<double, 2>> in_main_plane(const tk::screen::point_rows& points)
{
    const std::size_t n = points.size(), d = points.d;
    std::vector<double> mean(d);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < d; ++j) mean[j] += static_cast<double>(points[i][j]) / static_cast<double>(n);
    std::vector<std::vector<double>> axes;
    const auto along = [&](std::size_t i, const std::vector<double>& axis) {
        double sum = 0;
        for (std::size_t j = 0; j < d; ++j) sum += axis[j] * (static_cast<double>(points[i][j]) - mean[j]);
        return sum;
    };
    for (std::size_t a = 0; a < 2; ++a) {
        std::vector<double> axis(d, 1);
        for (std::size_t j = 0; j < d; ++j) axis[j] += 0.1 * static_cast<double>(j);
        for (int step = 0; step < 200; ++step) {
            std::vector<double> next(d);
            for (std::size_t i = 0; i < n; ++i) {
                const double t = along(i, axis);
                for (std::size_t j = 0; j < d; ++j) next[j] += t * (static_cast<double>(points[i][j]) - mean[j]);
            }
            double norm = 0;
            for (const auto& before : axes) {
                double t = 0;
                for (std::size_t j = 0; j < d; ++j) t += next[j] * before[j];
                for (std::size_t j = 0; j < d; ++j) next[j] -= t * before[j];
            }
            for (const double x : next) norm += x * x;
            if (!(norm > 0)) break;
            for (std::size_t j = 0; j < d; ++j) axis[j] = next[j] / std::sqrt(norm);
        }
        axes.push_back(std::move(axis));
    }
    std::vector<std::array<double, 2>> out;
    for (std::size_t i = 0; i < n; ++i) out.push_back({along(i, axes[0]), along(i, axes[1])});
    return out;
}

/// The points of a plane, each joined to the middle of its cluster.
std::string stars_svg(const std::vector<std::array<double, 2>>& at, std::span<const std::uint32_t> of,
                      const std::string& alternative)
{
    using tk::report::detail::drawing;
    const double width = 900, height = 420, room = 24;
    std::array<double, 2> low = at.front(), high = at.front();
    std::vector<std::array<double, 3>> middles(1 + *std::max_element(of.begin(), of.end()));
    for (std::size_t i = 0; i < at.size(); ++i) {
        for (std::size_t a = 0; a < 2; ++a) {
            low[a] = (std::min)(low[a], at[i][a]);
            high[a] = (std::max)(high[a], at[i][a]);
            middles[of[i]][a] += at[i][a];
        }
        middles[of[i]][2] += 1;
    }
    const auto x = tk::report::detail::scale_of(low[0], high[0], room, width - room, false),
               y = tk::report::detail::scale_of(low[1], high[1], height - room, room, false);
    drawing d(width, height, alternative);
    std::string rays;
    std::vector<std::pair<double, double>> dots;
    for (std::size_t i = 0; i < at.size(); ++i) {
        const auto& m = middles[of[i]];
        dots.emplace_back(x(at[i][0]), y(at[i][1]));
        rays += 'M' + drawing::at(x(m[0] / m[2]), y(m[1] / m[2])) + 'L' +
                drawing::at(dots.back().first, dots.back().second);
    }
    d.path("hollow", rays);
    for (const auto& m : middles)
        if (m[2] > 0) d.circle("mark", x(m[0] / m[2]), y(m[1] / m[2]), 2 + std::sqrt(m[2]));
    d.dots("dot", dots);
    return std::move(d).text();
}

// Chameleon, figure 5: candidates lie in clusters of very different sizes.
void chameleon_5(const settings& s, const replayed_layer& resnet, std::span<const replayed_layer> large)
{
    std::printf(
        "chameleon-5: k-means with 16 clusters; the loss over that of as many random configurations, and the sizes of "
        "clusters\n");
    const auto tell = [&](const replayed_layer& layer, const std::string& picture) {
        const tk::space::any_space space(layer.space);
        const tk::screen::k_means means{.restarts = 3};
        auto gen = tk::random::stream(s.seed, 0x6d65616eU, 0);
        const auto clustered = [&](const tk::screen::point_rows& points) {
            return means.cluster(points, 16, means.starts(points, 16, gen));
        };
        const auto candidates = candidates_of(layer, space, s.seed);
        std::vector<tk::explore::scored_candidate> anywhere;
        for (const tk::index i : space.sample(candidates.size(), gen)) anywhere.push_back({i, 0, {}});
        const auto points = tk::screen::scaled_rows(space, candidates);
        const auto found = clustered(points), random = clustered(tk::screen::scaled_rows(space, anywhere));
        std::vector<double> sizes(16);
        for (const auto c : found.of) ++sizes[c];
        std::sort(sizes.begin(), sizes.end());
        std::printf("  %-28s %3zu candidates  loss %.2f  clusters of %.0f to %.0f, median %.0f\n", layer.name.c_str(),
                    candidates.size(), found.loss / random.loss, sizes.front(), sizes.back(), tk::stats::median(sizes));
        if (!picture.empty())
            save(s, picture, stars_svg(in_main_plane(points), found.of, "clusters of candidates of " + layer.name));
    };
    tell(resnet, "chameleon-5-resnet18");
    for (const auto& layer : large) tell(layer, &layer == &large.front() ? "chameleon-5-large" : "");
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
        auto gen = tk::random::stream(s.seed, 0x616e79U, 0);
        const tk::space::any_space space(layer.space);
        const auto found = candidates_of(layer, space, s.seed);
        std::vector<double> anywhere;
        std::vector<tk::explore::scored_candidate> others;
        for (const tk::index i : space.sample(2048, gen)) {
            const auto& m = layer.rows[static_cast<std::size_t>(i)].result;
            if (!m.ok() || anywhere.size() == found.size()) continue;
            anywhere.push_back(m.cost);
            others.push_back({i, -m.cost, {}});
        }
        std::vector<double> costs;
        for (const auto& c : found) costs.push_back(-c.score);
        const auto points = tk::screen::scaled_rows(space, found);
        const tk::screen::k_means means{.restarts = 3};
        const auto clusters = means.cluster(points, 16, means.starts(points, 16, gen));
        const auto scattered = tk::screen::scaled_rows(space, others);
        const auto elsewhere = means.cluster(scattered, 16, means.starts(scattered, 16, gen));
        const auto dense = programs::dbscan{}.labels(points);
        std::vector<std::uint32_t> labels;
        for (const auto l : dense) {
            if (l == programs::dbscan::noise) noise += 1.0 / static_cast<double>(dense.size() * large.size());
            else if (std::find(labels.begin(), labels.end(), l) == labels.end()) labels.push_back(l);
        }
        groups += static_cast<double>(labels.size()) / static_cast<double>(large.size());
        const auto add = [&](std::size_t k, std::vector<double> x) { all[k].insert(all[k].end(), x.begin(), x.end()); };
        add(0, differences(costs, [&](std::size_t i, std::size_t j) { return clusters.of[i] == clusters.of[j]; }));
        add(1, differences(costs, [&](std::size_t i, std::size_t j) {
                return dense[i] == dense[j] && dense[i] != programs::dbscan::noise;
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
        auto& curve = chart.curves.emplace_back(tk::report::line_chart::curve{.name = names[k]});
        for (int percent = 1; percent <= 100; ++percent) {
            curve.at.push_back(percent);
            curve.values.push_back(
                100 * static_cast<double>(std::upper_bound(x.begin(), x.end(), 0.01 * percent) - x.begin()) /
                static_cast<double>((std::max)(x.size(), std::size_t{1})));
        }
        std::printf("  %-28s median %5.1f %%, below 10 %%: %3.0f %% of %zu pairs\n", names[k].c_str(),
                    x.empty() ? 0 : 100 * tk::stats::quantile_of_sorted(x, 0.5), curve.values[9], x.size());
    }
    save(s, "chameleon-6", chart);
}

void run(const settings& s)
{
    programs::make_folder("--out", s.out);
    const std::string own = tk::scoring::recordings_folder(TUNEKIT_RECORDINGS);
    const auto resnet = programs::load_network("resnet18", own + "/resnet18");
    const auto large = programs::load_network("spaces", s.large);
    const auto wanted = [&](const char* name) { return s.only.empty() || s.only == name; };
    if (wanted("adatune-2")) adatune_2(resnet);
    if (wanted("adatune-3")) adatune_3(s, own);
    if (wanted("dynatune-2")) programs::dynatune_2(s, resnet);
    if (wanted("dynatune-3")) programs::dynatune_3(s, resnet[5]);
    if (wanted("dynatune-4")) programs::dynatune_4(s, resnet);
    if (wanted("dynatune-12")) programs::dynatune_12(s, resnet);
    if (wanted("dynatune-13")) programs::dynatune_13(s, large);
    if (wanted("dynatune-19")) programs::dynatune_19(s, resnet[5]);
    if (wanted("chameleon-5")) chameleon_5(s, resnet[10], large);
    if (wanted("chameleon-6")) chameleon_6(s, large);
    if (wanted("chameleon-9")) chameleon_9(s, resnet[10]);
    if (wanted("adatune-6")) {
        adatune_6(s, resnet[5], "adatune-6-10", 10, 60);
        adatune_6(s, resnet[5], "adatune-6-500", 500, 600);
        adatune_6(s, batched_product(large), "adatune-6-product", 500, 12);
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
                   "one figure: adatune-2, -3, -4, -6, chameleon-5, -6, -9, dynatune-2, -3, -4, -12, -13, -19; empty: "
                   "all")
        ->check(CLI::IsMember({"adatune-2", "adatune-3", "adatune-4", "adatune-6", "chameleon-5", "chameleon-6",
                               "chameleon-9", "dynatune-2", "dynatune-3", "dynatune-4", "dynatune-12", "dynatune-13",
                               "dynatune-19"}));
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
