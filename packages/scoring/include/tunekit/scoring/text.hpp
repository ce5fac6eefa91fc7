// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A scoreboard as text.

#if !__has_include("tunekit/report.hpp")
#error \
    "tunekit: scoring/text.hpp stands on the package report: link tunekit::scoring, or add -I packages/report/include"
#endif

#include <charconv>
#include <cmath>
#include <cstdio>
#include <string>

#include "tunekit/core/text.hpp"
#include "tunekit/report/text_table.hpp"
#include "tunekit/scoring/score.hpp"

namespace tunekit::scoring {

/// The scoreboard as text: a table of the standings, a table of each strategy's result on each space, and a line for
/// each difference. An interval is 95 %.
[[nodiscard]] inline std::string to_text(const scoreboard& all)
{
    const std::string s_name = "S" + std::to_string(all.judged), of = '/' + std::to_string(all.spaces.size());
    const auto percent = [](double share, int digits) {
        return core::text_of(100 * share, std::chars_format::fixed, digits) + " %";
    };
    const auto signed_text = [](const aggregate& a) {
        char text[80];
        std::snprintf(text, sizeof text, "%+.3f (%+.3f to %+.3f)", a.mean, a.within.low, a.within.high);
        return std::string(text);
    };
    using table = report::text_table;
    table standings({{"strategy", -18},
                     {"P*", 6},
                     {"", 8},
                     {"95 %", 8},
                     {s_name, 6},
                     {"", 8},
                     {"95 %", 8},
                     {"regret", 10},
                     {"to 5 %", 7},
                     {"to 1 %", 7},
                     {"own us/eval", 11}});
    for (const standing& t : all.standings) {
        const auto p = [&](double x) { return t.p ? table::cell(x, 3) : table::cell("-"); };
        const aggregate over_time = t.p.value_or(aggregate{});
        standings.row({t.strategy,
                       p(over_time.mean),
                       p(over_time.within.low),
                       p(over_time.within.high),
                       {t.s.mean, 3},
                       {t.s.within.low, 3},
                       {t.s.within.high, 3},
                       percent(t.regret, 2),
                       std::to_string(t.reached_5) + of,
                       std::to_string(t.reached_1) + of,
                       {1e6 * t.own_seconds, 2}});
    }
    std::string out = standings.text();
    for (const difference& d : all.differences) {
        out += d.strategy + " - " + d.than + ": " + s_name + ' ' + signed_text(d.s);
        if (d.p) out += ", P* " + signed_text(*d.p);
        out += '\n';
    }
    for (const auto& name : all.incomplete) out += name + ": not on every space, so not ranked\n";
    table outcomes({{"strategy", -18},
                    {"space", -28},
                    {"P", 6},
                    {s_name, 6},
                    {"to 5 %", 7},
                    {"to 1 %", 7},
                    {"regret", 10},
                    {"failed", 8}});
    const auto evaluations = [](double n) {
        return std::isfinite(n) ? table::cell(static_cast<long>(n)) : table::cell("-");
    };
    for (const outcome& o : all.outcomes)
        outcomes.row({o.strategy,
                      o.space,
                      {o.p, 2},
                      {o.s_mean(), 2},
                      evaluations(o.evaluations_to_5),
                      evaluations(o.evaluations_to_1),
                      percent(o.regret, 2),
                      o.failed_share ? percent(*o.failed_share, 1) : "unknown"});
    return out + '\n' + outcomes.text();
}

}  // namespace tunekit::scoring
