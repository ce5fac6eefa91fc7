// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The pictures of parameters: their values' costs, two of them together, and bars.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/report/detail/markup.hpp"
#include "tunekit/report/detail/plot.hpp"
#include "tunekit/report/figures.hpp"
#include "tunekit/report/findings.hpp"
#include "tunekit/report/run.hpp"
#include "tunekit/stats/quantile.hpp"

namespace tunekit::report::detail {

/// Costs by the values of parameter j, with the median of each value and the place of the winner.
[[nodiscard]] inline std::string parameter_svg(const seen_task& t, const findings& f, std::size_t j,
                                               std::size_t max_dots)
{
    const findings::value_axis& a = f.axes[j];
    constexpr double width = 300, height = 210;
    const frame m{.left = 42, .right = 10, .top = 14, .bottom = 34};
    const auto [low, high] = costs_of(t);
    const time_unit unit = t.unit.axis(low);
    const scale y = scale_of(low, high, height - m.bottom, m.top, true);
    const double step = (width - m.left - m.right) / static_cast<double>(a.values.size());
    const auto middle = [&](std::size_t v) { return m.left + step * (static_cast<double>(v) + 0.5); };
    std::vector<std::vector<double>> costs(a.values.size());
    for (std::size_t i = 0; i < t.trials.size(); ++i)
        if (t.trials[i].verified()) costs[a.of_trial[i]].push_back(t.trials[i].measured.cost);
    std::string alternative = "Cost by " + a.name + ".";
    for (std::size_t v = 0; v < a.values.size() && v < 12; ++v)
        alternative += ' ' + a.values[v] + ": " +
                       (costs[v].empty() ? "none ran" : "median " + t.unit.text(stats::median(costs[v]), 3)) + '.';
    if (f.winner) alternative += " The winner has " + a.values[a.of_trial[*f.winner]] + '.';
    drawing d(width, height, alternative);
    y_axis(d, y, unit, m.left, width - m.right, m.top - 2, 4);
    const auto shown = thinned(t.trials.size(), max_dots);
    std::vector<std::pair<double, double>> dots;
    const double spread = (std::min)(step * 0.7, 40.0);
    for (std::size_t i = 0; i < t.trials.size(); ++i)
        if (shown[i] && t.trials[i].verified())  // spread by the golden ratio: no draw, no overlap
            dots.emplace_back(middle(a.of_trial[i]) + spread * (std::fmod(static_cast<double>(i) * 0.618034, 1) - 0.5),
                              y(t.unit.shown(t.trials[i].measured.cost)));
    d.dots("dot faint", dots);
    for (std::size_t v = 0; v < a.values.size(); ++v)
        if (!costs[v].empty() && a.values.size() <= 40) {
            const double at = y(t.unit.shown(stats::median(costs[v]))),
                         half = (std::max)(1.5, (std::min)(step * 0.4, 22.0));
            d.line("median", middle(v) - half, at, middle(v) + half, at);
        }
    if (f.winner)
        d.circle("mark", middle(a.of_trial[*f.winner]), y(t.unit.shown(t.trials[*f.winner].measured.cost)), 5,
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
    const findings::value_axis &across = f.axes[a], &up = f.axes[b];
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
    const time_unit unit = all.empty() ? time_unit{} : t.unit.axis(t.unit.shown(all.front()));
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
            d.rect(here ? "cell winner" : "cell", x, top, step - 2, cell_height - 2, t.unit.text(c),
                   number(0.1 + 0.9 * strength * strength, 2));
            const std::string label = number(t.unit.shown(c) / unit.seconds, 3);
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
    d.text(
        "axis", width - 8, height - 8,
        shortened(across.name, 40) + " \xE2\x86\x92, best" + (*unit.name == 0 ? "" : std::string(" in ") + unit.name),
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

}  // namespace tunekit::report::detail
