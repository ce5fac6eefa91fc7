// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// DynaTune's figures 2, 3, 4, 12, 13 and 19, from recordings.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bench/studies/support/figure_parts.hpp"
#include "bench/studies/support/replay_network.hpp"
#include "tunekit/curve/belief.hpp"
#include "tunekit/mcmc/diagnostics.hpp"
#include "tunekit/mcmc/ensemble.hpp"
#include "tunekit/mcmc/initial.hpp"
#include "tunekit/mcmc/r_hat.hpp"
#include "tunekit/mcmc/stretch.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/schedule/any_schedule.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/stats/rank.hpp"

namespace programs {

/// What a task of a network has of the whole, in percent: of its operations, of the seconds of its search, and of what that search saves.
struct task_shares {
    std::string name;
    double work = 0, seconds = 0, saved = 0;
};

/// AutoTVM's search of each task alone, medians over the repeats: seconds until the incumbent is within `near` of the task's optimum, and what the
/// model's latency is lower by at the end than with the first valid configuration.
inline std::vector<task_shares> shares_of(const figure_settings& s, std::span<const replayed_layer> layers,
                                          double near = 1.01)
{
    std::vector<task_shares> out;
    task_shares all;
    for (const auto& layer : layers) {
        std::vector<double> seconds, saved;
        for (std::size_t r = 0; r < s.repeats; ++r) {
            const auto points =
                searched(layer, recipe_of("autotvm-paper"), {.trials_per_task = s.trials}, s.seed + 1000 * r);
            seconds.push_back((std::min)(seconds_to(points, near * optimum_of(layer)), points.back().seconds));
            saved.push_back(layer.weight * (points.front().latency - points.back().latency));
        }
        out.push_back({layer.name, layer.flops * layer.weight, tunekit::stats::median(std::move(seconds)),
                       tunekit::stats::median(std::move(saved))});
        all.work += out.back().work;
        all.seconds += out.back().seconds;
        all.saved += out.back().saved;
    }
    for (auto& t : out) {
        t.work *= 100 / all.work;
        t.seconds *= 100 / all.seconds;
        t.saved *= 100 / all.saved;
    }
    return out;
}

// Figure 2: what a task costs to tune, and what that brings, against its operations.
inline void dynatune_2(const figure_settings& s, std::span<const replayed_layer> layers)
{
    auto shares = shares_of(s, layers);
    std::stable_sort(shares.begin(), shares.end(),
                     [](const task_shares& a, const task_shares& b) { return a.work < b.work; });
    tunekit::report::line_chart chart{
        .curves = {{.name = "latency saved"}, {.name = "seconds of search"}, {.name = "operations"}},
        .x_name = "tasks, fewest operations first; share of the network's, %",
        .alternative = "what tuning a task costs and saves against its operations"};
    std::vector<double> work, seconds, saved;
    std::printf(
        "dynatune-2: shares of operations, of seconds until within 1 %% of the optimum, of latency saved, in %%:");
    for (const auto& t : shares) {
        std::printf(" %s %.1f %.1f %.1f;", t.name.c_str(), t.work, t.seconds, t.saved);
        work.push_back(t.work);
        seconds.push_back(t.seconds);
        saved.push_back(t.saved);
    }
    std::printf(
        " rank correlation of operations and seconds %.2f, of operations and latency saved %.2f, of seconds and "
        "latency saved %.2f\n",
        tunekit::stats::spearman(work, seconds), tunekit::stats::spearman(work, saved),
        tunekit::stats::spearman(seconds, saved));
    chart.curves[0].values = std::move(saved);
    chart.curves[1].values = std::move(seconds);
    chart.curves[2].values = std::move(work);
    save(s, "dynatune-2", chart);
}

// Figure 3: the space of one convolution over two of its tiles, all else as in the optimum. It is not smooth, and does not rise to one top.
inline void dynatune_3(const figure_settings& s, const replayed_layer& layer)
{
    std::size_t best = 0;
    for (std::size_t i = 0; i < layer.rows.size(); ++i)
        if (layer.rows[i].result.ok() && layer.rows[i].result.cost < layer.rows[best].result.cost) best = i;
    const auto optimum = layer.space.at(best);
    std::map<std::int64_t, std::map<std::int64_t, double>> slice;  // GFLOPS by tiles of input and output channels
    for (std::size_t i = 0; i < layer.rows.size(); ++i) {
        const auto c = layer.space.at(i);
        if (std::equal(c.begin() + 2, c.end(), optimum.begin() + 2) && layer.rows[i].result.ok())
            slice[std::get<std::int64_t>(c[0])][std::get<std::int64_t>(c[1])] =
                1e-9 * layer.flops / layer.rows[i].result.cost;
    }
    tunekit::report::line_chart chart{
        .x_name = "tile of output channels; GFLOPS, a curve for each tile of input channels",
        .alternative = "GFLOPS of one convolution over two of its tiles",
        .log_x = true};
    double least = std::numeric_limits<double>::infinity(), most = 0;
    std::size_t turns = 0, steps = 0;
    for (const auto& [ic, row] : slice) {
        auto& curve = chart.curves.emplace_back(tunekit::report::line_chart::curve{.name = "ic " + std::to_string(ic)});
        for (const auto& [oc, gflops] : row) {
            curve.at.push_back(static_cast<double>(oc));
            curve.values.push_back(gflops);
            least = (std::min)(least, gflops);
            most = (std::max)(most, gflops);
        }
        for (std::size_t i = 2; i < curve.values.size(); ++i, ++steps)
            if ((curve.values[i] - curve.values[i - 1]) * (curve.values[i - 1] - curve.values[i - 2]) < 0) ++turns;
    }
    std::printf(
        "dynatune-3: %s over tiles of input and output channels, %.1f to %.1f GFLOPS; along output channels it turns "
        "between rising and falling at %zu of %zu places\n",
        layer.name.c_str(), least, most, turns, steps);
    save(s, "dynatune-3", chart);
}

// Figure 4: tuning curves differ in form from task to task.
inline void dynatune_4(const figure_settings& s, std::span<const replayed_layer> layers)
{
    std::printf("dynatune-4: measurements of AutoTVM (rounds of 64) until 95 %% of the optimum, by task:");
    tunekit::report::line_chart chart{.x_name = "measurements; optimum / incumbent, %",
                                      .alternative = "tuning curves of all tasks"};
    const auto how = recipe_of("autotvm-paper");
    for (const auto& layer : layers) {
        auto& curve = chart.curves.emplace_back(tunekit::report::line_chart::curve{.name = layer.name});
        std::size_t reached = 0;
        for (const auto& p : searched(layer, how, {.trials_per_task = s.trials}, s.seed)) {
            curve.values.push_back(100 * optimum_of(layer) / p.latency);
            if (curve.values.back() < 95) reached = curve.values.size();
        }
        std::printf(" %s %zu", layer.name.c_str(), reached + 1);
    }
    std::printf("\n");
    save(s, "dynatune-4", chart);
}

/// A schedule that says what processor time it took.
struct timed_schedule {
    tunekit::schedule::any_schedule inner;
    double* seconds;  ///< of all its calls

    using state = tunekit::schedule::any_schedule::state;

    [[nodiscard]] state start(std::span<const tunekit::schedule::task_view> tasks,
                              const tunekit::schedule::run_shape& run) const
    {
        return inner.start(tasks, run);
    }
    template <tunekit::generator G>
    [[nodiscard]] std::size_t select(state& s, std::span<const tunekit::schedule::task_view> tasks, G& gen) const
    {
        const tunekit::measure::thread_clock now;
        const double began = now();
        const std::size_t k = inner.select(s, tasks, gen);
        *seconds += now() - began;
        return k;
    }
    void update(state& s, std::size_t k, const tunekit::schedule::slot& last) const
    {
        const tunekit::measure::thread_clock now;
        const double began = now();
        inner.update(s, k, last);
        *seconds += now() - began;
    }
};

// Figure 12: what scheduling takes of a slot.
inline void dynatune_12(const figure_settings& s, const std::vector<replayed_layer>& layers)
{
    const replay_settings how{.seconds = 600, .seed = s.seed};
    std::printf(
        "dynatune-12: processor ms of scheduling for each slot, ResNet-18 under AutoTVM for %.0f s, on this machine:",
        how.seconds);
    const replayed_network on(layers, "autotvm-paper", how);
    for (const char* const name : {"sequential", "random", "round-robin", "ansor", "dynatune", "dynatune-paper"}) {
        double seconds = 0, slots = 0;
        for (std::size_t r = 0; r < s.repeats; ++r)
            slots += static_cast<double>(
                on.run(timed_schedule{find(schedules(), "schedule", name), &seconds}, r).slots.size());
        std::printf(" %s %.3f (%.4f %% of the slot)", name, 1e3 * seconds / slots,
                    100 * seconds / (static_cast<double>(s.repeats) * how.seconds));
    }
    std::printf("\n");
}

/// A tuning curve, and where its segments begin.
struct segmented {
    std::string name;
    std::vector<double> best;         ///< optimum / incumbent after each trial, in percent; from the first valid one on
    std::vector<std::size_t> begins;  ///< ascending, from 0
};

/// The curve among AutoTVM's searches of the spaces whose shortest segment is the longest, of those with two or more.
inline std::optional<segmented> best_segmented(const figure_settings& s, std::span<const replayed_layer> layers)
{
    std::optional<segmented> out;
    std::size_t longest = 0;
    for (const auto& layer : layers)
        for (std::size_t r = 0; r < s.repeats; ++r) {
            segmented one{layer.name, {}, {}};
            for (const auto& p :
                 searched(layer, recipe_of("autotvm-paper"), {.trials_per_task = s.trials}, s.seed + 1000 * r))
                if (p.latency < std::numeric_limits<double>::infinity())
                    one.best.push_back(100 * optimum_of(layer) / p.latency);
            std::size_t end = one.best.size(), shortest = end;
            while (end > 0) {
                const auto part = tunekit::curve::last_segment(std::span(one.best).first(end));
                if (part.x.empty()) break;
                shortest = (std::min)(shortest, end - part.first);
                one.begins.insert(one.begins.begin(), part.first);
                end = part.first;
            }
            if (one.begins.size() < 2 || shortest <= longest) continue;
            longest = shortest;
            out = std::move(one);
        }
    return out;
}

/// The log power curve through values, normalised by their end as a belief does it.
inline std::vector<double> fitted_curve(std::span<const double> y)
{
    using family = tunekit::curve::log_power;
    const double peak = 1.25 * y.back();
    std::vector<double> x, of_peak, out;
    for (std::size_t i = 0; i < y.size(); ++i) {
        x.push_back(static_cast<double>(i + 1));
        of_peak.push_back(y[i] / peak);
    }
    const auto fit = tunekit::curve::fit<family>(tunekit::curve::observations(x, of_peak), family::box(1.5));
    for (const double at : x) out.push_back(peak * tunekit::curve::value<family>(fit.parameters, at));
    return out;
}

// Figure 13: a curve with a jump is fitted well in two segments, and badly in one.
inline void dynatune_13(const figure_settings& s, std::span<const replayed_layer> layers)
{
    const auto curve = best_segmented(s, layers);
    if (!curve) {
        std::printf("dynatune-13: no search has a jump of more than 20 %%\n");
        return;
    }
    const std::span<const double> y(curve->best);
    std::vector<double> pieces;
    for (std::size_t k = 0; k < curve->begins.size(); ++k) {
        const std::size_t end = k + 1 < curve->begins.size() ? curve->begins[k + 1] : y.size();
        for (const double v : fitted_curve(y.subspan(curve->begins[k], end - curve->begins[k]))) pieces.push_back(v);
    }
    const auto whole = fitted_curve(y);
    const auto error = [&](const std::vector<double>& fit) {
        double sum = 0;
        for (std::size_t i = 0; i < y.size(); ++i) sum += (fit[i] / y[i] - 1) * (fit[i] / y[i] - 1);
        return 100 * std::sqrt(sum / static_cast<double>(y.size()));
    };
    std::printf("dynatune-13: %s, segments begin at trial", curve->name.c_str());
    for (const std::size_t b : curve->begins) std::printf(" %zu", b + 1);
    std::printf("; the fit by segments is off by %.1f %%, one for all by %.1f %% (root mean square)\n", error(pieces),
                error(whole));
    tunekit::report::line_chart chart{.curves = {{.name = "best so far", .values = curve->best},
                                                 {.name = "fit by segments", .values = pieces},
                                                 {.name = "one fit", .values = whole}},
                                      .x_name = "measurements; optimum / incumbent, %",
                                      .alternative = "a tuning curve with its fits"};
    save(s, "dynatune-13", chart);
}

// Figure 19: the walkers of the sampler by steps; stationary after about 100.
inline void dynatune_19(const figure_settings& s, const replayed_layer& layer)
{
    using family = tunekit::curve::log_power;
    constexpr std::size_t walkers = 10, steps = 500, settled = 100, dimensions = family::dimensions + 1;
    std::vector<double> best;
    for (const auto& p : searched(layer, recipe_of("autotvm-paper"), {.trials_per_task = s.trials}, s.seed))
        best.push_back(1 / p.latency);
    auto part = tunekit::curve::last_segment(best);
    for (double& v : part.y) v /= 1.25 * best.back();
    const tunekit::curve::observations data(part.x, part.y);
    const auto box = family::box(1.5);
    const auto fit = tunekit::curve::fit<family>(data, box);
    std::vector<double> centre(fit.parameters.begin(), fit.parameters.end()), sd;
    for (std::size_t c = 0; c < family::dimensions; ++c) {
        const double wide = 1e-4 * (std::max)(1e-2, std::abs(centre[c]));
        centre[c] = (std::clamp)(centre[c], box[c].low + 6 * wide, box[c].high - 6 * wide);
        sd.push_back(wide);
    }
    centre.push_back((std::clamp)(fit.sd, 1e-4, 0.999));
    sd.push_back(1e-4 * centre.back());
    auto gen = tunekit::random::stream(s.seed, 0x74726163U, 0);
    const tunekit::curve::log_posterior<family> density(data, {.box = box});
    const tunekit::mcmc::ensemble sampler{tunekit::mcmc::stretch{}};
    auto state = sampler.start(density, tunekit::mcmc::ball(centre, sd, walkers, gen), dimensions);
    const auto chain = sampler.run(state, density, steps, gen);
    std::printf(
        "dynatune-19: %s, %zu points, %zu walkers; mean acceptance %.2f; R-hat of a, b, c over steps 1 to %zu and on "
        "to %zu:",
        layer.name.c_str(), part.x.size(), walkers, tunekit::mcmc::mean_acceptance(chain), settled, steps);
    for (std::size_t c = 0; c < family::dimensions; ++c) {
        const auto over = [&](std::size_t from, std::size_t n) {
            return tunekit::mcmc::r_hat(n, walkers,
                                        [&](std::size_t t, std::size_t k) { return chain.at(from + t, k)[c]; });
        };
        std::printf(" %.2f, %.2f%s", over(0, settled), over(settled, steps - settled),
                    c + 1 < family::dimensions ? ";" : "\n");
        const std::string parameter(1, static_cast<char>('a' + c));
        tunekit::report::line_chart chart{.x_name = "steps; " + parameter,
                                          .alternative = "trace of " + parameter + " of all walkers",
                                          .low = std::numeric_limits<double>::infinity()};
        for (std::size_t k = 0; k < walkers; ++k) {
            auto& curve =
                chart.curves.emplace_back(tunekit::report::line_chart::curve{.name = k == 0 ? "ten walkers" : ""});
            for (std::size_t t = 0; t < steps; t += 4) {
                curve.at.push_back(static_cast<double>(t + 1));
                curve.values.push_back(chain.at(t, k)[c]);
                chart.low = (std::min)(chart.low, curve.values.back());
            }
        }
        save(s, "dynatune-19-" + parameter, chart);
    }
}

}  // namespace programs
