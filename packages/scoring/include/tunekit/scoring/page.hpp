// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A scoreboard as one self-contained HTML page.

#if !__has_include("tunekit/report.hpp")
#error \
    "tunekit: scoring/page.hpp stands on the package report: link tunekit::scoring, or add -I packages/report/include"
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/text.hpp"
#include "tunekit/report/document.hpp"
#include "tunekit/report/figures.hpp"
#include "tunekit/report/line_chart.hpp"
#include "tunekit/report/text_table.hpp"
#include "tunekit/scoring/score.hpp"

namespace tunekit::scoring {

namespace detail {

[[nodiscard]] inline std::string decimals(double x, int digits = 3)
{
    return std::isfinite(x) ? report::fixed(x, digits) : "none";
}

/// "0.512 (0.470 to 0.553)"
[[nodiscard]] inline std::string with_interval(const scoreboard::aggregate& a)
{
    return decimals(a.mean) + " (" + decimals(a.within.low) + " to " + decimals(a.within.high) + ')';
}

/// What the scoreboard says, in sentences.
[[nodiscard]] inline std::vector<std::string> verdict_of(const scoreboard& all)
{
    std::vector<std::string> out;
    if (all.standings.empty()) return {"No strategy ran on every space, so there is no ranking."};
    const auto best = std::max_element(
        all.standings.begin(), all.standings.end(),
        [](const scoreboard::standing& a, const scoreboard::standing& b) { return a.s.mean < b.s.mean; });
    out.push_back(best->strategy + " scores highest: S" + std::to_string(all.judged) + ' ' + with_interval(best->s) +
                  '.');
    out.push_back("S" + std::to_string(all.judged) +
                  " is the share of the way from random search (0) to the optimum (1) in the "
                  "logarithm of cost, as a mean over the first " +
                  core::detail::counted(all.judged, "evaluation") +
                  (best->p ? "; P* is the same by time, and " + best->strategy + " has " + with_interval(*best->p)
                           : std::string()) +
                  '.');
    for (const scoreboard::difference& d : all.differences) {
        const bool more = d.s.within.low > 0, less = d.s.within.high < 0;
        scoreboard::aggregate apart = d.s;  // "worse by -0.3" would be negated twice
        if (less) apart.mean = -d.s.mean, apart.within = {-d.s.within.high, -d.s.within.low};
        out.push_back(d.strategy +
                      (more   ? " is better than "
                       : less ? " is worse than "
                              : " cannot be told from ") +
                      d.than + " by S" + std::to_string(all.judged) + ": " + with_interval(apart) +
                      (more || less ? " apart." : " apart, an interval that holds 0."));
    }
    if (std::string easy = easy_text(all); !easy.empty()) out.push_back(std::move(easy));
    for (const auto& name : all.incomplete) out.push_back(name + " has not run on every space and is not ranked.");
    return out;
}

using cell = report::document::cell;

[[nodiscard]] inline cell share(double x, int digits) { return {decimals(x, digits), x}; }

/// A share in percent; an empty one sorts last.
[[nodiscard]] inline cell percent_cell(double x)
{
    return std::isfinite(x) ? cell(decimals(100 * x, 1) + " %", x) : cell("none", 1e9);
}

[[nodiscard]] inline report::document::table standings_table(const scoreboard& all)
{
    const std::string s_name = "S" + std::to_string(all.judged), of = " of " + std::to_string(all.spaces.size());
    const auto range = [](const scoreboard::aggregate& a) {
        return cell(decimals(a.within.low, 2) + " to " + decimals(a.within.high, 2), a.within.low);
    };
    const auto reached = [&](std::size_t n) { return cell(std::to_string(n) + of, static_cast<double>(n)); };
    report::document::table out{.caption = "Means over all spaces",
                                .columns = {"strategy", s_name, "95 %", "clamped", "P*", "95 %", "worst space",
                                            "regret", "to 5 %", "to 1 %", "evaluations to 5 %", "own \xC2\xB5s"}};
    for (const scoreboard::standing& t : all.standings)
        out.rows.push_back({t.strategy, share(t.s.mean, 3), range(t.s), share(t.clamped.mean, 3),
                            t.p ? share(t.p->mean, 3) : cell("none", -1e9), t.p ? range(*t.p) : cell("", -1e9),
                            share(t.s.worst, 2), percent_cell(t.regret), reached(t.reached_5), reached(t.reached_1),
                            share(t.to_5, 1),
                            std::isfinite(t.own_seconds) ? cell(decimals(1e6 * t.own_seconds, 2), t.own_seconds)
                                                         : cell("unknown", 1e9)});
    return out;
}

[[nodiscard]] inline report::document::table outcomes_table(const scoreboard& all)
{
    report::document::table out{.caption = "Every strategy on every space",
                                .columns = {"strategy, space", "P", "S" + std::to_string(all.judged), "clamped",
                                            "evaluations to 5 %", "to 1 %", "regret", "failed"}};
    const auto reached = [](double n) { return std::isfinite(n) ? share(n, 0) : cell("not reached", 1e9); };
    for (const outcome& o : all.outcomes)
        out.rows.push_back({o.strategy + ", " + o.space, share(o.p, 2), share(o.s_mean(), 2),
                            share(o.clamped_mean(), 2), reached(o.evaluations_to_5), reached(o.evaluations_to_1),
                            percent_cell(o.regret),
                            o.failed_share ? percent_cell(*o.failed_share) : cell("unknown", -1)});
    return out;
}

[[nodiscard]] inline bool in_means(const scoreboard& all, const std::string& space)
{
    const auto at =
        static_cast<std::size_t>(std::find(all.spaces.begin(), all.spaces.end(), space) - all.spaces.begin());
    return !all.easy[at] || std::find(all.easy.begin(), all.easy.end(), false) == all.easy.end();
}

/// The share of the way by evaluation, mean over spaces, and in words where each curve ends.
[[nodiscard]] inline report::line_chart chart_of(const scoreboard& all)
{
    report::line_chart out{
        .x_name = "evaluations",
        .alternative = "Share of the way from random search to the optimum by evaluation, mean over spaces.",
        .low = -0.5};
    for (const scoreboard::standing& t : all.standings) {
        report::line_chart::curve c{.name = t.strategy};
        std::vector<double> spaces;
        for (const outcome& o : all.outcomes) {
            if (o.strategy != t.strategy || !in_means(all, o.space)) continue;
            if (c.values.size() < o.shares.size()) c.values.resize(o.shares.size()), spaces.resize(o.shares.size());
            for (std::size_t k = 0; k < o.shares.size(); ++k) c.values[k] += o.shares[k], spaces[k] += 1;
        }
        for (std::size_t k = 0; k < c.values.size(); ++k) c.values[k] /= spaces[k];
        if (!c.values.empty()) out.alternative += ' ' + c.name + " ends at " + decimals(c.values.back(), 2) + '.';
        out.curves.push_back(std::move(c));
    }
    return out;
}

}  // namespace detail

/// The scoreboard as an HTML page: which strategy scores highest and by how much, in words; standings; the share of the
/// way to the optimum by evaluation; the results on each space. It is one file, needs no network and can be read
/// without JavaScript. Names are escaped.
[[nodiscard]] inline std::string to_page(const scoreboard& all,
                                         const std::string& title = "Strategies on recorded spaces")
{
    const std::string s_name = "S" + std::to_string(all.judged);
    report::document page(
        {.title = title,
         .kicker = "Scores",
         .facts = {std::to_string(all.standings.size()) + " strategies", std::to_string(all.spaces.size()) + " spaces",
                   all.outcomes.empty() ? "" : std::to_string(all.outcomes.front().s.size()) + " repeats"}});
    const auto sentences = detail::verdict_of(all);
    page.begin_verdict(sentences.front());
    page.list("plain", std::span(sentences).subspan(1));
    page.words("p", "note", "Intervals are 95 % over repeats; the spaces are what they are.");
    page.end_section();
    page.begin_section("Standings");
    page.add_table(detail::standings_table(all));
    page.words("p", "note",
               "To 5 %, to 1 %: spaces on which the optimum came within that. Regret: what the best costs above the "
               "optimum. Own "
               "time: of the strategy, per evaluation.");
    if (!all.standings.empty()) {
        const report::line_chart chart = detail::chart_of(all);
        page.figure("How far after how many evaluations",
                    "0 is what random search has after as many evaluations, 1 the optimum. The mean of a curve is " +
                        s_name + ". What lies below -0.5 is not drawn.",
                    chart.svg({.width = 860, .height = 340, .style = "wide"}) +
                        chart.svg({.width = 360, .height = 300, .style = "narrow"}));
    }
    page.end_section();
    page.begin_section("Space by space");
    page.add_table(detail::outcomes_table(all));
    page.end_section();
    return std::move(page).text(
        "Written by tunekit. P is the aggregate score of Willemsen, van Nieuwpoort, van Werkhoven (2024); a space "
        "whose "
        "optimum random search comes near within 20 evaluations is left out of P*: there it would be luck.");
}

}  // namespace tunekit::scoring
