// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A scoreboard as one self-contained HTML page.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/text.hpp"
#include "tunekit/report/document.hpp"
#include "tunekit/report/figures.hpp"
#include "tunekit/report/line_chart.hpp"
#include "tunekit/study/score.hpp"

namespace tunekit::study {

namespace detail {

[[nodiscard]] inline std::string decimals(double x, int digits = 3)
{
    if (!std::isfinite(x)) return "none";
    return core::text_of(x, std::chars_format::fixed, digits);
}

/// "0.512 (0.470 to 0.553)"
[[nodiscard]] inline std::string with_interval(const aggregate& a)
{
    return decimals(a.mean) + " (" + decimals(a.within.low) + " to " + decimals(a.within.high) + ')';
}

/// What the scoreboard says, in sentences.
[[nodiscard]] inline std::vector<std::string> verdict_of(const scoreboard& all)
{
    std::vector<std::string> out;
    if (all.standings.empty()) return {"No strategy ran on every space, so there is no ranking."};
    const auto best = std::max_element(all.standings.begin(), all.standings.end(),
                                       [](const standing& a, const standing& b) { return a.s.mean < b.s.mean; });
    out.push_back(best->strategy + " scores highest: S" + std::to_string(all.judged) + ' ' + with_interval(best->s) +
                  (best->p ? ", P* " + with_interval(*best->p) : std::string()) + '.');
    for (const difference& d : all.differences) {
        const bool more = d.s.within.low > 0, less = d.s.within.high < 0;
        out.push_back(d.strategy +
                      (more   ? " is better than "
                       : less ? " is worse than "
                              : " cannot be told from ") +
                      d.than + " by S" + std::to_string(all.judged) + ": " + with_interval(d.s) +
                      (more || less ? " apart." : " apart, an interval that holds 0."));
    }
    for (const auto& name : all.incomplete) out.push_back(name + " has not run on every space and is not ranked.");
    return out;
}

}  // namespace detail

/// The scoreboard as an HTML page: which strategy scores highest and by how much, in words; standings; the share of the
/// way to the optimum by evaluation; the results on each space. It is one file, needs no network and can be read
/// without JavaScript. Names are escaped.
[[nodiscard]] inline std::string to_page(const scoreboard& all,
                                         const std::string& title = "Strategies on recorded spaces")
{
    using detail::decimals;
    const std::string s_name = "S" + std::to_string(all.judged);
    std::string out = report::begin_document(
        {.title = title,
         .kicker = "Scores",
         .facts = {std::to_string(all.standings.size()) + " strategies", std::to_string(all.spaces.size()) + " spaces",
                   all.outcomes.empty() ? "" : std::to_string(all.outcomes.front().s.size()) + " repeats"}});
    const auto sentences = detail::verdict_of(all);
    out += "<section id=\"verdict\" aria-labelledby=\"verdict-h\" tabindex=\"-1\">\n";
    out += report::element("h2", sentences.front(), " id=\"verdict-h\" class=\"headline\"");
    out += "<ul class=\"plain\">\n";
    for (std::size_t k = 1; k < sentences.size(); ++k) out += report::element("li", sentences[k]);
    out += "</ul>\n";
    out += report::element("p",
                           "Random search scores 0, the optimum at once 1. P* goes by time and " + s_name +
                               " by the logarithm of cost over the first " + std::to_string(all.judged) +
                               " evaluations. Intervals are 95 % over repeats; the spaces are what they are.",
                           " class=\"note\"");
    out += "</section>\n<section>\n";
    out += report::element("h2", "Standings");
    out += report::begin_table("Means over all spaces", {"strategy", "P*", "95 %", s_name, "95 %", "worst space",
                                                         "regret", "spaces to 5 %", "to 1 %", "own time, \xC2\xB5s"});
    const auto range = [](const aggregate& a) {
        return decimals(a.within.low, 2) + " to " + decimals(a.within.high, 2);
    };
    for (const standing& t : all.standings) {
        out += "<tr>" + report::element("th", t.strategy, " scope=\"row\"");
        out += report::number_cell(t.p ? decimals(t.p->mean) : "none", t.p ? t.p->mean : -1e9);
        out += report::number_cell(t.p ? range(*t.p) : "", t.p ? t.p->within.low : -1e9);
        out += report::number_cell(decimals(t.s.mean), t.s.mean) + report::number_cell(range(t.s), t.s.within.low);
        out += report::number_cell(decimals(t.s.worst, 2), t.s.worst);
        out += report::number_cell(std::isfinite(t.regret) ? decimals(100 * t.regret, 1) + " %" : "none",
                                   std::isfinite(t.regret) ? t.regret : 1e9);
        const auto of = " of " + std::to_string(all.spaces.size());
        out += report::number_cell(std::to_string(t.reached_5) + of, static_cast<double>(t.reached_5));
        out += report::number_cell(std::to_string(t.reached_1) + of, static_cast<double>(t.reached_1));
        out += report::number_cell(std::isfinite(t.own_seconds) ? decimals(1e6 * t.own_seconds, 2) : "unknown",
                                   std::isfinite(t.own_seconds) ? t.own_seconds : 1e9) +
               "</tr>\n";
    }
    out += report::end_table();
    std::vector<report::chart_curve> curves;
    std::string alternative = "Share of the way from random search to the optimum by evaluation, mean over spaces.";
    for (const standing& t : all.standings) {
        report::chart_curve c{t.strategy, {}};
        std::vector<double> spaces;
        for (const outcome& o : all.outcomes) {
            if (o.strategy != t.strategy) continue;
            if (c.values.size() < o.shares.size()) c.values.resize(o.shares.size()), spaces.resize(o.shares.size());
            for (std::size_t k = 0; k < o.shares.size(); ++k) c.values[k] += o.shares[k], spaces[k] += 1;
        }
        for (std::size_t k = 0; k < c.values.size(); ++k) c.values[k] /= spaces[k];
        if (!c.values.empty()) alternative += ' ' + c.name + " ends at " + decimals(c.values.back(), 2) + '.';
        curves.push_back(std::move(c));
    }
    if (!curves.empty())
        out += report::figure(
            "h3", "How far after how many evaluations",
            "0 is what random search has after as many evaluations, 1 the optimum. The mean of a curve is " + s_name +
                ". What lies below -0.5 is not drawn.",
            report::line_chart_svg(curves, "evaluations", alternative, -0.5,
                                   {.width = 860, .height = 340, .style = "wide"}) +
                report::line_chart_svg(curves, "evaluations", alternative, -0.5,
                                       {.width = 360, .height = 300, .style = "narrow"}));
    out += "</section>\n<section>\n";
    out += report::element("h2", "Space by space");
    out += report::begin_table("Every strategy on every space",
                               {"strategy, space", "P", s_name, "evaluations to 5 %", "to 1 %", "regret", "failed"});
    const auto reached = [](double n) { return std::isfinite(n) ? decimals(n, 0) : std::string("not reached"); };
    for (const outcome& o : all.outcomes) {
        out += "<tr>" + report::element("th", o.strategy + ", " + o.space, " scope=\"row\"");
        out += report::number_cell(decimals(o.p, 2), o.p) + report::number_cell(decimals(o.s_mean(), 2), o.s_mean());
        for (const double n : {o.evaluations_to_5, o.evaluations_to_1})
            out += report::number_cell(reached(n), std::isfinite(n) ? n : 1e9);
        out += report::number_cell(std::isfinite(o.regret) ? decimals(100 * o.regret, 1) + " %" : "none",
                                   std::isfinite(o.regret) ? o.regret : 1e9);
        out += report::number_cell(o.failed_share ? decimals(100 * *o.failed_share, 1) + " %" : "unknown",
                                   o.failed_share.value_or(-1)) +
               "</tr>\n";
    }
    out += report::end_table() + "</section>\n";
    return out + report::end_document(
                     "Written by tunekit. P is the aggregate score of Willemsen, van Nieuwpoort, van Werkhoven (2024); "
                     "a space whose optimum random "
                     "search comes near within 20 evaluations is left out of P*, where it would be luck.");
}

}  // namespace tunekit::study
