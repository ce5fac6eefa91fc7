// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A scoreboard as text.

#if !__has_include("tunekit/report.hpp")
#error \
    "tunekit: scoring/text.hpp stands on the package report: link tunekit::scoring, or add -I packages/report/include"
#endif

#include <cmath>
#include <cstdio>
#include <string>

#include "tunekit/report/text_table.hpp"
#include "tunekit/scoring/score.hpp"

namespace tunekit::scoring {

/// The scoreboard as text: a table of the standings, a table of each strategy's result on each space, and a line for
/// each difference. An interval is 95 %.
[[nodiscard]] inline std::string to_text(const scoreboard& all)
{
    const std::string s_name = "S" + std::to_string(all.judged), of = '/' + std::to_string(all.spaces.size());
    const auto percent = [](double share, int digits) { return report::fixed(100 * share, digits) + " %"; };
    const auto signed_text = [](const scoreboard::aggregate& a) {
        char text[80];
        std::snprintf(text, sizeof text, "%+.3f (%+.3f to %+.3f)", a.mean, a.within.low, a.within.high);
        return std::string(text);
    };
    report::text_table standings({"strategy", "P*", "", "95 %", s_name, "", "95 %", "clamped", "regret", "to 5 %",
                                  "to 1 %", "evals", "own us/eval"},
                                 {-18, 6, 8, 8, 6, 8, 8, 8, 10, 7, 7, 6, 11});
    for (const scoreboard::standing& t : all.standings) {
        const auto p = [&](double x) { return t.p ? report::fixed(x, 3) : std::string("-"); };
        const scoreboard::aggregate timed = t.p.value_or(scoreboard::aggregate{});
        standings.row(t.strategy, p(timed.mean), p(timed.within.low), p(timed.within.high), report::fixed(t.s.mean, 3),
                      report::fixed(t.s.within.low, 3), report::fixed(t.s.within.high, 3),
                      report::fixed(t.clamped.mean, 3), percent(t.regret, 2), std::to_string(t.reached_5) + of,
                      std::to_string(t.reached_1) + of, report::fixed(t.to_5, 1),
                      report::fixed(1e6 * t.own_seconds, 2));
    }
    std::string out = standings.text();
    for (const scoreboard::difference& d : all.differences) {
        out +=
            report::printable(d.strategy) + " - " + report::printable(d.than) + ": " + s_name + ' ' + signed_text(d.s);
        if (d.p) out += ", P* " + signed_text(*d.p);
        out += '\n';
    }
    if (const std::string easy = easy_text(all); !easy.empty()) out += report::printable(easy) + '\n';
    for (const auto& name : all.incomplete) out += report::printable(name) + ": not on every space, so not ranked\n";
    report::text_table outcomes({"strategy", "space", "P", s_name, "clamped", "to 5 %", "to 1 %", "regret", "failed"},
                                {-18, -28, 6, 6, 8, 7, 7, 10, 8});
    const auto evaluations = [](double n) { return std::isfinite(n) ? report::fixed(n, 0) : std::string("-"); };
    for (const outcome& o : all.outcomes)
        outcomes.row(o.strategy, o.space, report::fixed(o.p, 2), report::fixed(o.s_mean(), 2),
                     report::fixed(o.clamped_mean(), 2), evaluations(o.evaluations_to_5),
                     evaluations(o.evaluations_to_1), percent(o.regret, 2),
                     o.failed_share ? percent(*o.failed_share, 1) : std::string("unknown"));
    return out + '\n' + outcomes.text();
}

}  // namespace tunekit::scoring
