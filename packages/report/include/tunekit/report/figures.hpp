// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The pictures of a run, as SVG. Each has a sentence and a text alternative.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/report/detail/markup.hpp"
#include "tunekit/report/detail/plot.hpp"
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

/// Costs in the unit of the winner.
[[nodiscard]] inline std::string unit_label(const time_unit& u) { return std::string("cost of one run, ") + u.name; }

inline void y_axis(drawing& d, const scale& y, const time_unit& unit, double left, double right, double top,
                   std::size_t most)
{
    for (const double t : y.ticks(most)) {
        d.line("grid", left, y(t), right, y(t));
        d.text("tick", left - 8, y(t) + 4, tick_text(t / unit.seconds), "end");
    }
    d.text("tick", 2, top - 4, unit.name);
}

/// Every k-th of the positions, `keep` besides: at most about `most`.
[[nodiscard]] inline std::vector<bool> thinned(std::size_t n, std::size_t most, std::span<const std::size_t> keep)
{
    std::vector<bool> out(n, false);
    const std::size_t stride = n <= most ? 1 : (n + most - 1) / most;
    for (std::size_t i = 0; i < n; i += stride) out[i] = true;
    for (const std::size_t i : keep) out[i] = true;
    return out;
}

/// Costs between which a picture is drawn: the slowest 2 % may lie above, so that one hopeless trial does not flatten the rest.
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
    return {costs.front(), (std::max)(high, costs.front() * 1.05)};
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
    const time_unit unit = unit_of(low);
    const scale x = scale_of(1, static_cast<double>((std::max)(t.trials.size(), std::size_t{2})), m.left,
                             size.width - m.right, false);
    const scale y = scale_of(low, high, size.height - m.bottom, m.top, true);
    std::string alternative = "Cost of each of " + count_of(t.trials.size(), "trial") + " of " + t.name + ".";
    if (f.winner)
        alternative += " The incumbent goes from " + time(t.trials[f.incumbents.front()].measured.cost) + " at trial " +
                       count(f.incumbents.front() + 1) + " to " + time(t.trials[*f.winner].measured.cost) +
                       " at trial " + count(*f.winner + 1) + " in " + count_of(f.incumbents.size(), "step") + ".";
    alternative += " " + count(f.failed) + " failed.";
    drawing d(size.width, size.height, alternative, size.style);
    if (f.winner) y_axis(d, y, unit, m.left, size.width - m.right, f.failed > 0 ? 38 : 18, 6);
    for (const double at : x.ticks(narrow ? 4 : 8))
        if (at >= 1) d.text("tick", x(at), size.height - m.bottom + 18, count(static_cast<std::size_t>(at)), "middle");
    d.text("axis", (m.left + size.width - m.right) / 2, size.height - 6, "trial", "middle");
    const auto shown = thinned(t.trials.size(), size.max_dots, {});
    std::vector<std::pair<double, double>> good, cut, bad;
    for (std::size_t i = 0; i < t.trials.size(); ++i) {
        if (!shown[i]) continue;
        const auto& one = t.trials[i];
        const double at = x(static_cast<double>(i + 1));
        if (one.measured.failed) bad.emplace_back(at, 24.0);
        else if (one.measured.at_least && one.measured.cost > 0) cut.emplace_back(at, y(one.measured.cost));
        else if (one.verified()) good.emplace_back(at, y(one.measured.cost));
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
            const double at = x(static_cast<double>(i + 1)), height = y(t.trials[i].measured.cost);
            step +=
                step.empty() ? 'M' + drawing::at(at, height) : 'H' + drawing::place(at) + 'V' + drawing::place(height);
            before = height;
        }
        step += 'H' + drawing::place(size.width - m.right);
        d.path("best", step);
        const std::size_t from = f.incumbents.size() > 40 ? f.incumbents.size() - 40 : 0;
        for (std::size_t k = from; k < f.incumbents.size(); ++k) {
            const std::size_t i = f.incumbents[k];
            d.circle("mark", x(static_cast<double>(i + 1)), y(t.trials[i].measured.cost),
                     k + 1 == f.incumbents.size() ? 5 : 3.2,
                     "trial " + std::to_string(i + 1) + ": " + time(t.trials[i].measured.cost));
        }
        const std::string best = time(t.trials[*f.winner].measured.cost);
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
        const auto drawn = thinned(run.tasks[k].trials.size(), (std::max)(size.max_dots / rows, std::size_t{60}), {});
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

/// Costs by the values of parameter j, with the median of each value and the place of the winner.
[[nodiscard]] inline std::string parameter_svg(const seen_task& t, const findings& f, std::size_t j,
                                               std::size_t max_dots)
{
    using namespace detail;
    const value_axis& a = f.axes[j];
    constexpr double width = 300, height = 210;
    const frame m{.left = 42, .right = 10, .top = 14, .bottom = 34};
    const auto [low, high] = costs_of(t);
    const time_unit unit = unit_of(low);
    const scale y = scale_of(low, high, height - m.bottom, m.top, true);
    const double step = (width - m.left - m.right) / static_cast<double>(a.values.size());
    const auto middle = [&](std::size_t v) { return m.left + step * (static_cast<double>(v) + 0.5); };
    std::vector<std::vector<double>> costs(a.values.size());
    for (std::size_t i = 0; i < t.trials.size(); ++i)
        if (t.trials[i].verified()) costs[a.of_trial[i]].push_back(t.trials[i].measured.cost);
    std::string alternative = "Cost by " + a.name + ".";
    for (std::size_t v = 0; v < a.values.size() && v < 12; ++v)
        alternative += ' ' + a.values[v] + ": " +
                       (costs[v].empty() ? "none ran" : "median " + time(stats::median(costs[v]), 3)) + '.';
    if (f.winner) alternative += " The winner has " + a.values[a.of_trial[*f.winner]] + '.';
    drawing d(width, height, alternative);
    y_axis(d, y, unit, m.left, width - m.right, m.top - 2, 4);
    const auto shown = thinned(t.trials.size(), max_dots, {});
    std::vector<std::pair<double, double>> dots;
    const double spread = (std::min)(step * 0.7, 40.0);
    for (std::size_t i = 0; i < t.trials.size(); ++i)
        if (shown[i] && t.trials[i].verified())  // spread by the golden ratio: no draw, no overlap
            dots.emplace_back(middle(a.of_trial[i]) + spread * (std::fmod(static_cast<double>(i) * 0.618034, 1) - 0.5),
                              y(t.trials[i].measured.cost));
    d.dots("dot faint", dots);
    for (std::size_t v = 0; v < a.values.size(); ++v)
        if (!costs[v].empty() && a.values.size() <= 40) {
            const double at = y(stats::median(costs[v])), half = (std::max)(1.5, (std::min)(step * 0.4, 22.0));
            d.line("median", middle(v) - half, at, middle(v) + half, at);
        }
    if (f.winner)
        d.circle("mark", middle(a.of_trial[*f.winner]), y(t.trials[*f.winner].measured.cost), 5,
                 "the winner: " + a.values[a.of_trial[*f.winner]]);
    double widest = 0;
    for (const auto& v : a.values) widest = (std::max)(widest, width_of(shortened(v, 9)) + 8);
    const auto every = static_cast<std::size_t>(std::ceil(widest / step));
    for (std::size_t v = 0; v < a.values.size(); v += every)
        d.text("tick", middle(v), height - m.bottom + 17, shortened(a.values[v], 9), "middle", a.values[v]);
    return std::move(d).text();
}

/// The best cost of each pair of values of two parameters: darker is better.
[[nodiscard]] inline std::string pair_svg(const seen_task& t, const findings& f, std::size_t a, std::size_t b)
{
    using namespace detail;
    const value_axis &across = f.axes[a], &up = f.axes[b];
    constexpr std::size_t most = 16;  // cells along an axis: of more values neighbours share one
    const std::size_t nx = (std::min)(most, across.values.size()), ny = (std::min)(most, up.values.size());
    const auto cell_of = [](std::size_t v, std::size_t cells, std::size_t values) { return v * cells / values; };
    std::vector<double> best(nx * ny, std::numeric_limits<double>::infinity());
    std::vector<double> all;
    for (std::size_t i = 0; i < t.trials.size(); ++i) {
        if (!t.trials[i].verified()) continue;
        double& c = best[cell_of(up.of_trial[i], ny, up.values.size()) * nx +
                         cell_of(across.of_trial[i], nx, across.values.size())];
        c = (std::min)(c, t.trials[i].measured.cost);
    }
    for (const double c : best)
        if (std::isfinite(c)) all.push_back(c);
    std::sort(all.begin(), all.end());
    double left = 30;
    for (const auto& v : up.values) left = (std::max)(left, width_of(shortened(v, 9)) + 14);
    constexpr double width = 420, cell_height = 26;
    const double step = (width - left - 8) / static_cast<double>(nx);
    const double height = 30 + cell_height * static_cast<double>(ny) + 44;
    std::string alternative = "Best cost by " + across.name + " and " + up.name + ", " + count_of(all.size(), "cell") +
                              " tried of " + count(nx * ny) + ".";
    if (f.winner)
        alternative += " The winner has " + across.values[across.of_trial[*f.winner]] + " and " +
                       up.values[up.of_trial[*f.winner]] + '.';
    drawing d(width, height, alternative);
    d.text("axis", 2, 14, up.name.empty() ? "" : shortened(up.name, 28) + " \xE2\x86\x93");
    const time_unit unit = all.empty() ? time_unit{} : unit_of(all.front());
    for (std::size_t v = 0; v < ny; ++v) {
        const double top = 24 + cell_height * static_cast<double>(v);
        d.text("tick", left - 8, top + 17, shortened(up.values[v * up.values.size() / ny], 9), "end");
        for (std::size_t u = 0; u < nx; ++u) {
            const double c = best[v * nx + u], x = left + step * static_cast<double>(u);
            if (!std::isfinite(c)) {
                d.rect("ground", x, top, step - 2, cell_height - 2);
                continue;
            }
            const auto rank = static_cast<double>(std::lower_bound(all.begin(), all.end(), c) - all.begin());
            const double strength = all.size() < 2 ? 1 : 1 - rank / static_cast<double>(all.size() - 1);
            const bool here = f.winner && cell_of(up.of_trial[*f.winner], ny, up.values.size()) == v &&
                              cell_of(across.of_trial[*f.winner], nx, across.values.size()) == u;
            d.rect(here ? "cell winner" : "cell", x, top, step - 2, cell_height - 2,
                   " fill-opacity=\"" + number(0.1 + 0.9 * strength * strength, 2) + '"', time(c));
            const std::string label = number(c / unit.seconds, 3);
            if (width_of(label) + 4 < step)
                d.text(strength > 0.72 ? "cell-text on" : "cell-text", x + step / 2 - 1, top + 16, label, "middle");
        }
    }
    double widest = 0;
    for (const auto& v : across.values) widest = (std::max)(widest, width_of(shortened(v, 9)) + 6);
    const auto every = static_cast<std::size_t>((std::max)(1.0, std::ceil(widest / step)));
    for (std::size_t u = 0; u < nx; u += every)
        d.text("tick", left + step * (static_cast<double>(u) + 0.5), height - 28,
               shortened(across.values[u * across.values.size() / nx], 9), "middle");
    d.text("axis", width - 8, height - 8, shortened(across.name, 40) + " \xE2\x86\x92, best cost in " + unit.name,
           "end");
    return std::move(d).text();
}

/// One bar of a bar chart.
struct bar {
    std::string name{};          ///< written before the bar
    double share = 0;            ///< of the longest possible one
    double sd = 0;               ///< drawn as a whisker where it is not 0
    double second = -1;          ///< a thinner bar below, where it is not negative
    std::string value{};         ///< written beside it
    std::string second_value{};  ///< beside that
    bool bad = false;            ///< drawn in the colour of failures
};

/// A bar chart: bars below each other, with their names and values in words. `head` and `second_head` stand above the
/// values.
[[nodiscard]] inline std::string bars_svg(const std::vector<bar>& bars, std::string_view alternative,
                                          const figure_size& size, std::string_view head = {},
                                          std::string_view second_head = {})
{
    using namespace detail;
    const bool narrow = size.width < 500;
    double left = 40, first = width_of(head) + 14, second = width_of(second_head);
    for (const auto& b : bars) {
        left = (std::max)(left, width_of(shortened(b.name, narrow ? 14 : 30)) + 16);
        first = (std::max)(first, width_of(b.value) + 14);
        second = (std::max)(second, width_of(b.second_value));
    }
    const bool two = std::any_of(bars.begin(), bars.end(), [](const bar& b) { return b.second >= 0; });
    if (!two) second = 0;
    else second += 14;
    const double above = head.empty() ? 4 : 22;
    const double row = two ? 34 : 28, height = above + row * static_cast<double>(bars.size()) + 2;
    const double length = (std::max)(20.0, size.width - left - first - second);
    drawing d(size.width, height, alternative, size.style);
    if (!head.empty()) d.text("tick", size.width - 2 - second, 13, head, "end");
    if (two && !second_head.empty()) d.text("tick", size.width - 2, 13, second_head, "end");
    for (std::size_t k = 0; k < bars.size(); ++k) {
        const bar& b = bars[k];
        const double top = above + row * static_cast<double>(k);
        d.text("name", left - 10, top + 15, shortened(b.name, narrow ? 14 : 30), "end", b.name);
        d.rect("ground", left, top + 4, length, 14);
        const double to = length * std::clamp(b.share, 0.0, 1.0);
        d.rect(b.bad ? "bar bad" : "bar", left, top + 4, (std::max)(to, 1.0), 14);
        if (b.second >= 0)
            d.rect("bar thin", left, top + 20, (std::max)(1.0, length * std::clamp(b.second, 0.0, 1.0)), 5);
        if (b.sd > 0)
            d.line("whisker", left + length * (std::max)(0.0, b.share - b.sd), top + 11,
                   left + length * (std::min)(1.0, b.share + b.sd), top + 11);
        d.text("value", size.width - 2 - second, top + 15, b.value, "end");
        if (!b.second_value.empty()) d.text("tick", size.width - 2, top + 15, b.second_value, "end");
    }
    return std::move(d).text();
}

}  // namespace tunekit::report
