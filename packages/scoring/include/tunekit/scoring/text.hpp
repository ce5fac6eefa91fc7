// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A scoreboard as text.

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>

#include "tunekit/scoring/score.hpp"

namespace tunekit::scoring {

/// The scoreboard as text: a table of the standings, a table of each strategy's result on each space, and a line for
/// each difference. An interval is 95 %.
[[nodiscard]] inline std::string to_text(const scoreboard& all)
{
    std::string out;
    const auto add = [&](const char* format, auto... values) {
        char buffer[240];
        std::snprintf(buffer, sizeof buffer, format, values...);
        out += buffer;
    };
    const auto s_name = "S" + std::to_string(all.judged);
    const auto evaluations = [](double n) { return std::isfinite(n) ? std::to_string(static_cast<long>(n)) : "-"; };
    add("%-18s %6s %17s %6s %17s %10s %7s %7s %11s\n", "strategy", "P*", "95 %", s_name.c_str(), "95 %", "regret",
        "to 5 %", "to 1 %", "own us/eval");
    for (const standing& t : all.standings) {
        add("%-18.18s", t.strategy.c_str());
        if (t.p) add(" %6.3f %8.3f %8.3f", t.p->mean, t.p->within.low, t.p->within.high);
        else add(" %6s %8s %8s", "-", "-", "-");
        add(" %6.3f %8.3f %8.3f %8.2f %% %3zu/%-3zu %3zu/%-3zu %11.2f\n", t.s.mean, t.s.within.low, t.s.within.high,
            100 * t.regret, t.reached_5, all.spaces.size(), t.reached_1, all.spaces.size(), 1e6 * t.own_seconds);
    }
    for (const difference& d : all.differences) {
        add("%s - %s: %s %+.3f (%+.3f to %+.3f)", d.strategy.c_str(), d.than.c_str(), s_name.c_str(), d.s.mean,
            d.s.within.low, d.s.within.high);
        if (d.p) add(", P* %+.3f (%+.3f to %+.3f)", d.p->mean, d.p->within.low, d.p->within.high);
        out += '\n';
    }
    for (const auto& name : all.incomplete) out += name + ": not on every space, so not ranked\n";
    add("\n%-18s %-28s %6s %6s %7s %7s %10s %8s\n", "strategy", "space", "P", s_name.c_str(), "to 5 %", "to 1 %",
        "regret", "failed");
    for (const outcome& o : all.outcomes) {
        add("%-18.18s %-28.28s %6.2f %6.2f %7s %7s %8.2f %%", o.strategy.c_str(), o.space.c_str(), o.p, o.s_mean(),
            evaluations(o.evaluations_to_5).c_str(), evaluations(o.evaluations_to_1).c_str(), 100 * o.regret);
        if (o.failed_share) add(" %6.1f %%\n", 100 * *o.failed_share);
        else out += "  unknown\n";
    }
    return out;
}

}  // namespace tunekit::scoring
