// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The pictures of a run, as SVG. Each has a sentence and a text alternative.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/report/detail/markup.hpp"
#include "tunekit/report/detail/plot.hpp"
#include "tunekit/report/detail/style.hpp"
#include "tunekit/report/findings.hpp"
#include "tunekit/report/run.hpp"
#include "tunekit/stats/quantile.hpp"

namespace tunekit::report {

/// The size of a picture. Text has the same size in all pictures, so a narrow screen needs a picture of its own.
struct figure_size {
    double width = 860;           ///< in units of the picture
    double height = 340;          ///< in the same units
    std::size_t max_dots = 1200;  ///< with more trials some are left out, never an incumbent
    const char* style = "";       ///< class of the SVG in addition to `chart`
};

namespace detail {

struct frame {
    double left = 58, right = 20, top = 14, bottom = 44;
};

inline void y_axis(drawing& d, const scale& y, const time_unit& unit, double left, double right, double top,
                   std::size_t most)
{
    for (const double t : y.ticks(most)) {
        d.line("grid", left, y(t), right, y(t));
        d.text("tick", left - 8, y(t) + 4, tick_text(t / unit.seconds), "end");
    }
    d.text("tick", 2, top - 4, unit.name);
}

/// Every k-th of the positions: at most about `most`.
[[nodiscard]] inline std::vector<bool> thinned(std::size_t n, std::size_t most)
{
    std::vector<bool> out(n, false);
    const std::size_t stride = n <= most ? 1 : (n + most - 1) / most;
    for (std::size_t i = 0; i < n; i += stride) out[i] = true;
    return out;
}

/// What is told of the costs between which a picture is drawn: the slowest 2 % may lie above, so that one hopeless
/// trial does not flatten the rest.
struct cost_range {
    double low = 1, high = 2;
};
[[nodiscard]] inline cost_range costs_of(const seen_task& t)
{
    std::vector<double> costs;
    for (const auto& x : t.trials)
        if (x.verified()) costs.push_back(x.measured.cost);
    if (costs.empty()) return {};
    std::sort(costs.begin(), costs.end());
    const double high = stats::quantile_of_sorted(costs, costs.size() > 50 ? 0.98 : 1);
    const stats::interval told = t.unit.shown(stats::interval{costs.front(), (std::max)(high, costs.front() * 1.05)});
    return {told.low, told.high};
}

}  // namespace detail

/// The tuning curve: the cost of each trial in order, the incumbent as a line, failures as crosses above.
[[nodiscard]] inline std::string tuning_curve_svg(const seen_task& t, const findings& f, const figure_size& size)
{
    using namespace detail;
    const bool narrow = size.width < 500;
    frame m{.right = narrow ? 16.0 : 96.0, .top = f.failed > 0 ? 40.0 : 20.0};
    if (narrow) m.left = 46;
    const auto [low, high] = costs_of(t);
    const time_unit unit = t.unit.axis(low);
    const scale x = scale_of(1, static_cast<double>((std::max)(t.trials.size(), std::size_t{2})), m.left,
                             size.width - m.right, false);
    const scale y = scale_of(low, high, size.height - m.bottom, m.top, true);
    std::string alternative = "Cost of each of " + count_of(t.trials.size(), "trial") + " of " + t.name + ".";
    if (f.winner)
        alternative += " The incumbent goes from " + t.unit.text(t.trials[f.incumbents.front()].measured.cost) +
                       " at trial " + count(f.incumbents.front() + 1) + " to " +
                       t.unit.text(t.trials[f.incumbents.back()].measured.cost) + " at trial " +
                       count(f.incumbents.back() + 1) + " in " + count_of(f.incumbents.size(), "step") + ".";
    alternative += " " + count(f.failed) + " failed.";
    drawing d(size.width, size.height, alternative, size.style);
    if (f.winner) y_axis(d, y, unit, m.left, size.width - m.right, f.failed > 0 ? 38 : 18, 6);
    for (const double at : x.ticks(narrow ? 4 : 8))
        if (at >= 1) d.text("tick", x(at), size.height - m.bottom + 18, count(static_cast<std::size_t>(at)), "middle");
    d.text("axis", (m.left + size.width - m.right) / 2, size.height - 6, "trial", "middle");
    const auto shown = thinned(t.trials.size(), size.max_dots);
    std::vector<std::pair<double, double>> good, cut, bad;
    for (std::size_t i = 0; i < t.trials.size(); ++i) {
        if (!shown[i]) continue;
        const auto& one = t.trials[i];
        const double at = x(static_cast<double>(i + 1));
        if (one.measured.failed) bad.emplace_back(at, 24.0);
        else if (one.measured.at_least && one.measured.cost > 0)
            cut.emplace_back(at, y(t.unit.shown(one.measured.cost)));
        else if (one.verified()) good.emplace_back(at, y(t.unit.shown(one.measured.cost)));
    }
    if (f.failed > 0) {
        d.text("tick bad-text", m.left, 13, narrow ? "failed" : "failed \xC3\x97");
        std::string crosses;
        for (const auto& [at, height] : bad) crosses += 'M' + drawing::at(at - 2.5, height - 2.5) + "l5 5m0-5l-5 5";
        d.path("cross", crosses);
    }
    std::string hollow;
    for (const auto& [at, height] : cut) hollow += 'M' + drawing::at(at - 3, height + 2) + "h6l-3-5z";
    if (!hollow.empty()) d.path("hollow", hollow);
    d.dots("dot", good);
    if (f.winner) {
        std::string step;
        double before = 0;
        for (const std::size_t i : f.incumbents) {
            const double at = x(static_cast<double>(i + 1)), height = y(t.unit.shown(t.trials[i].measured.cost));
            step +=
                step.empty() ? 'M' + drawing::at(at, height) : 'H' + drawing::place(at) + 'V' + drawing::place(height);
            before = height;
        }
        step += 'H' + drawing::place(size.width - m.right);
        d.path("best", step);
        const std::size_t from = f.incumbents.size() > 40 ? f.incumbents.size() - 40 : 0;
        for (std::size_t k = from; k < f.incumbents.size(); ++k) {
            const std::size_t i = f.incumbents[k];
            d.circle("mark", x(static_cast<double>(i + 1)), y(t.unit.shown(t.trials[i].measured.cost)),
                     k + 1 == f.incumbents.size() ? 5 : 3.2,
                     "trial " + std::to_string(i + 1) + ": " + t.unit.text(t.trials[i].measured.cost));
        }
        const std::string best = t.unit.text(t.trials[f.incumbents.back()].measured.cost);
        if (narrow) d.text("label", size.width - m.right, before - 8, best, "end");
        else d.text("label", size.width - m.right + 8, before + 4, best);
    }
    return std::move(d).text();
}

/// The latency of the whole model by the run's seconds, and below it the times at which each task got an answer.
[[nodiscard]] inline std::string model_latency_svg(const seen_run& run, const figure_size& size)
{
    using namespace detail;
    const bool narrow = size.width < 500;
    const auto points = latency_of(run);
    const std::size_t rows = run.tasks.size();
    double names = 40;
    for (const auto& t : run.tasks) names = (std::max)(names, width_of(shortened(t.name, narrow ? 8 : 14)) + 14);
    const double left = (std::max)(names, 52.0), right = size.width - (narrow ? 14 : 92), top = 22,
                 curve = narrow ? 190 : 230;
    const double row = 15, strip = curve + 22, height = strip + row * static_cast<double>(rows) + 42;
    const double end = run.seconds > 0 ? run.seconds : 1;
    const bool minutes = end > 300;
    const double shown_unit = minutes ? 60 : 1;
    const scale shown = scale_of(0, end / shown_unit, left, right, false);
    const auto x = [&](double seconds) { return shown(seconds / shown_unit); };
    std::string alternative = "Latency of the model by time.";
    if (points.empty()) alternative += " Not every task has a configuration that ran.";
    else
        alternative += " From " + time(points.front().latency) + " after " + duration(points.front().seconds) + " to " +
                       time(points.back().latency) + " after " + duration(points.back().seconds) + ".";
    alternative += " Below, a mark for each answer of each task.";
    drawing d(size.width, height, alternative, size.style);
    if (!points.empty()) {
        const scale y = scale_of(points.back().latency,
                                 (std::max)(points.front().latency, points.back().latency * 1.05), curve, top, true);
        y_axis(d, y, unit_of(points.back().latency), left, right, 18, 5);
        std::string step = 'M' + drawing::at(x(points.front().seconds), y(points.front().latency));
        for (const auto& p : points) step += 'H' + drawing::place(x(p.seconds)) + 'V' + drawing::place(y(p.latency));
        d.path("best", step + 'H' + drawing::place(right));
        d.circle("mark", x(points.back().seconds), y(points.back().latency), 5);
        const std::string last = time(points.back().latency);
        if (narrow) d.text("label", right, y(points.back().latency) - 9, last, "end");
        else d.text("label", right + 8, y(points.back().latency) + 4, last);
    }
    for (std::size_t k = 0; k < rows; ++k) {
        const double at = strip + row * static_cast<double>(k);
        d.text("tick", left - 8, at + 11, shortened(run.tasks[k].name, narrow ? 8 : 14), "end", run.tasks[k].name);
        d.rect("ground", left, at + 1, right - left, row - 3);
        std::string good, bad;
        const auto drawn = thinned(run.tasks[k].trials.size(), (std::max)(size.max_dots / rows, std::size_t{60}));
        for (std::size_t i = 0; i < drawn.size(); ++i)
            if (drawn[i]) {
                const auto& t = run.tasks[k].trials[i];
                (t.measured.failed ? bad : good) +=
                    'M' + drawing::at(x(t.stamp), at + 2) + 'v' + drawing::place(row - 5);
            }
        if (!good.empty()) d.path("rug", good);
        if (!bad.empty()) d.path("rug-bad", bad);
    }
    for (const double t : shown.ticks(narrow ? 4 : 8)) d.text("tick", shown(t), height - 22, tick_text(t), "middle");
    d.text("axis", (left + right) / 2, height - 5,
           minutes ? "minutes since the run began" : "seconds since the run began", "middle");
    return std::move(d).text();
}

/// A picture as a file of its own, with its colours for light and dark.
[[nodiscard]] inline std::string to_standalone_svg(std::string svg)
{
    const auto at = svg.find('>');
    return svg.substr(0, at + 1) + "<style>" + std::string(detail::svg_colours) + std::string(detail::chart_style) +
           "</style>" + svg.substr(at + 1) + '\n';
}

}  // namespace tunekit::report
