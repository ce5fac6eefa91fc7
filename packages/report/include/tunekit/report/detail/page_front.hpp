// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The section of a page on the front of several goals, and its table for a terminal.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "tunekit/core/text.hpp"
#include "tunekit/report/detail/markup.hpp"
#include "tunekit/report/detail/plot.hpp"
#include "tunekit/report/document.hpp"
#include "tunekit/report/figures.hpp"
#include "tunekit/report/findings.hpp"
#include "tunekit/report/run.hpp"
#include "tunekit/report/summary.hpp"
#include "tunekit/report/text_table.hpp"

namespace tunekit::report::detail {

/// What goal g of a task is called.
[[nodiscard]] inline std::string goal_name(const seen_task& t, std::size_t g)
{
    const std::size_t k = t.goals[g];
    return k == 0 ? t.unit.word() : t.value_names[k - 1];
}

/// A value of goal g, in its unit.
[[nodiscard]] inline std::string goal_text(const seen_task& t, std::size_t g, double x)
{
    return t.goals[g] == 0 ? t.unit.text(x) : core::text_of(x, std::chars_format::general, 5);
}

/// The interval of goal g of a member; empty where it is not known.
[[nodiscard]] inline std::string goal_range(const seen_task& t, std::size_t g, const front_member& m)
{
    const stats::interval& within = m.within[g];
    if (!std::isfinite(within.low) || !std::isfinite(within.high)) return {};
    if (t.goals[g] == 0) return t.unit.text(within);
    return goal_text(t, g, within.low) + " to " + goal_text(t, g, within.high);
}

/// Those of a front and those that it dropped, in one list.
[[nodiscard]] inline std::vector<const front_member*> all_of(const pareto& front)
{
    std::vector<const front_member*> out;
    for (const auto* const part : {&front.members, &front.dropped})
        for (const front_member& m : *part) out.push_back(&m);
    return out;
}

/// The first two goals of every trial, with the front, its intervals, and the default.
[[nodiscard]] inline std::string front_svg(const seen_task& t, const pareto& front, const figure_size& size)
{
    struct point {
        double x, y;
    };
    const auto of = [&](std::size_t g, const measure::measurement& m) {
        const std::size_t k = t.goals[g];
        return k == 0 ? m.cost : k <= m.values.size() ? m.values[k - 1] : std::nan("");
    };
    std::vector<point> tried;
    double low[2], high[2];
    low[0] = low[1] = std::numeric_limits<double>::infinity();
    high[0] = high[1] = -low[0];
    const auto widen = [&](std::size_t g, double x) {
        if (!std::isfinite(x)) return;
        low[g] = (std::min)(low[g], x);
        high[g] = (std::max)(high[g], x);
    };
    for (const seen_task::trial& x : t.trials) {
        const point p{of(0, x.measured), of(1, x.measured)};
        if (x.verified() && std::isfinite(p.y)) tried.push_back(p);
    }
    // The slowest tenth may lie beyond the picture, so that one hopeless trial does not flatten the rest.
    std::vector<double> firsts, seconds;
    for (const point& p : tried) firsts.push_back(p.x), seconds.push_back(p.y);
    if (!tried.empty())
        for (std::size_t g = 0; g < 2; ++g)
            for (const double q : {0.0, 0.9}) widen(g, stats::quantile(g == 0 ? firsts : seconds, q));
    for (const front_member* m : all_of(front))
        for (std::size_t g = 0; g < 2; ++g)
            for (const double x : {m->goals[g], m->within[g].low, m->within[g].high}) widen(g, x);
    const frame f{.left = 66};
    const bool logs[] = {low[0] > 0, low[1] > 0};
    const scale x = scale_of(low[0], high[0], f.left, size.width - f.right, logs[0]);
    const scale y = scale_of(low[1], high[1], size.height - f.bottom, f.top + 10, logs[1]);
    drawing d(size.width, size.height,
              goal_name(t, 0) + " against " + goal_name(t, 1) + ": " + count(front.members.size()) +
                  " configurations that no other is shown to beat in both.",
              size.style);
    for (const double tick : y.ticks(5)) {
        d.line("grid", f.left, y(tick), size.width - f.right, y(tick));
        d.text("tick", f.left - 8, y(tick) + 4, tick_text(tick), "end");
    }
    for (const double tick : x.ticks(size.width < 500 ? 3 : 7))
        d.text("tick", x(tick), size.height - f.bottom + 18, tick_text(tick), "middle");
    d.text("axis", (f.left + size.width - f.right) / 2, size.height - 6,
           goal_name(t, 0) + (t.goals[0] == 0 && !t.unit.name.empty() ? ", " + t.unit.name : ""), "middle");
    d.text("tick", 2, f.top, goal_name(t, 1));
    std::vector<std::pair<double, double>> dots;
    const std::vector<bool> shown = thinned(tried.size(), size.max_dots);
    for (std::size_t k = 0; k < tried.size(); ++k)
        if (shown[k]) dots.emplace_back(x(tried[k].x), y(tried[k].y));
    d.dots("dot", dots);
    for (const front_member& m : front.members) {
        const auto end = [&](const scale& s, double at, double otherwise) {
            return s(std::isfinite(at) ? at : otherwise);
        };
        d.line("best", end(x, m.within[0].low, m.goals[0]), y(m.goals[1]), end(x, m.within[0].high, m.goals[0]),
               y(m.goals[1]));
        d.line("best", x(m.goals[0]), end(y, m.within[1].low, m.goals[1]), x(m.goals[0]),
               end(y, m.within[1].high, m.goals[1]));
        d.circle("mark", x(m.goals[0]), y(m.goals[1]), 4,
                 goal_name(t, 0) + ' ' + goal_text(t, 0, m.goals[0]) + ", " + goal_name(t, 1) + ' ' +
                     goal_text(t, 1, m.goals[1]));
    }
    for (const front_member* m : all_of(front))
        if (t.baseline == m->candidate) d.text("label", x(m->goals[0]) + 8, y(m->goals[1]) - 6, "default");
    return std::move(d).text();
}

/// Calls `row` with each member of a front and what stands for it in a table: nothing, "default", or `not_in_it` of a
/// default that was dropped.
template <class Row>
void each_choice(const seen_task& t, const pareto& front, const char* not_in_it, Row&& row)
{
    for (const front_member& m : front.members) row(m, t.baseline == m.candidate ? "default" : "");
    for (const front_member& m : front.dropped)
        if (t.baseline == m.candidate) row(m, not_in_it);
}

/// The section on the front.
inline void write_front(document& to, const seen_task& t, const findings& f, std::size_t dots)
{
    if (!f.front || f.front->members.empty()) return;
    to.begin_section("The front");
    const std::string how =
        f.front->rounds > 0
            ? "Of " + count(all_of(*f.front).size()) + " that were run side by side in " + count(f.front->rounds) +
                  " rounds, these are the ones that no other is shown to beat in every goal. Lines are 95 % intervals."
            : "These were measured in no round side by side: by single measurements no other beats them in every goal.";
    to.figure(goal_name(t, 0) + " against " + goal_name(t, 1), how + " Each small dot is a configuration that ran.",
              front_svg(t, *f.front, {.max_dots = dots, .style = "wide"}) +
                  front_svg(t, *f.front, {.width = 360, .height = 300, .max_dots = 500, .style = "narrow"}));
    document::table table{.caption = "To choose from", .columns = {"configuration"}, .sortable = true};
    for (std::size_t g = 0; g < t.goals.size(); ++g) {
        table.columns.push_back(goal_name(t, g));
        table.columns.push_back("95 %");
    }
    table.columns.emplace_back("");
    each_choice(t, *f.front, "default, not in it", [&](const front_member& m, const char* name) {
        auto& row = table.rows.emplace_back();
        row.emplace_back(configuration_of(t, m.candidate, told_of(t, m.candidate).values));
        for (std::size_t g = 0; g < t.goals.size(); ++g) {
            row.emplace_back(goal_text(t, g, m.goals[g]), m.goals[g]);
            row.emplace_back(goal_range(t, g, m));
        }
        row.emplace_back(name);
    });
    to.add_table(table);
    to.end_section();
}

/// The front as lines of a terminal.
[[nodiscard]] inline std::string front_text(const seen_task& t, const findings& f, const std::string& indent)
{
    if (!f.front || f.front->members.empty()) return {};
    std::string out = '\n' + indent + "the front of ";
    for (std::size_t g = 0; g < t.goals.size(); ++g) out += (g > 0 ? " and " : "") + printable(goal_name(t, g));
    out += f.front->rounds > 0 ? ", by " + count_of(f.front->rounds, "round") + " side by side\n"
                               : ", by single measurements\n";
    std::vector<std::string> heads{""};
    std::vector<int> widths{-8};
    for (std::size_t g = 0; g < t.goals.size(); ++g) {
        heads.push_back(printable(goal_name(t, g)));
        heads.emplace_back("95 %");
        widths.push_back(12);
        widths.push_back(-24);
    }
    heads.emplace_back("configuration");
    widths.push_back(-1);
    text_table table(heads, widths);
    each_choice(t, *f.front, "(default)", [&](const front_member& m, const char* name) {
        std::vector<std::string> cells{name};
        for (std::size_t g = 0; g < t.goals.size(); ++g) {
            cells.push_back(plain_blanks(goal_text(t, g, m.goals[g])));
            cells.push_back(plain_blanks(goal_range(t, g, m)));
        }
        cells.push_back(printable(configuration_of(t, m.candidate, told_of(t, m.candidate).values)));
        table.row_of(cells);
    });
    return out + table.text(indent);
}

}  // namespace tunekit::report::detail
