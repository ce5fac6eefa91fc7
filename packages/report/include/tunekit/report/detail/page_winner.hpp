// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The section of a page on the winner of a task.

#include <cstddef>
#include <string>
#include <vector>

#include "tunekit/report/detail/markup.hpp"
#include "tunekit/report/detail/page_text.hpp"
#include "tunekit/report/findings.hpp"
#include "tunekit/report/run.hpp"

namespace tunekit::report::detail {

/// The table of the winner, of those tied with it, and of what it is compared with.
inline void write_winner(page_text& to, const seen_task& t, const findings& f, double peak_flops)
{
    if (!f.winner) return;
    to.section("The winner");
    const auto& w = t.trials[*f.winner];
    const bool named = w.values.size() == t.parameters.size() && !w.values.empty();
    std::vector<std::size_t> rows{*f.winner};
    for (std::size_t i = 0; i < f.tied.size() && rows.size() < 6; ++i) rows.push_back(f.tied[i]);
    if (*f.reference != *f.winner) rows.push_back(*f.reference);
    to.add(
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Winner and those beside "
        "it\"><table>\n<caption>The winner, those that cannot be told from it, and what it is compared "
        "with</caption>\n"
        "<thead><tr><th scope=\"col\">configuration</th>");
    for (std::size_t i = 0; i < rows.size(); ++i)
        to.words("th",
                 i == 0                    ? "winner"
                 : rows[i] == *f.reference ? f.against_baseline ? "to beat" : "first"
                                           : "tied",
                 " scope=\"col\" class=\"n\"");
    to.add("</tr></thead>\n<tbody>\n");
    const auto row = [&](const std::string& name, auto&& value) {
        to.add("<tr><th scope=\"row\">" + escaped(name) + "</th>");
        for (const std::size_t i : rows) to.words("td", value(t.trials[i]), " class=\"n\"");
        to.add("</tr>\n");
    };
    row("cost", [](const seen_trial& x) { return time(x.measured.cost); });
    row("\xC2\xB1 (95 %)", [](const seen_trial& x) {
        return has_spread(x.measured) ? time(two_sided_95 * x.measured.spread, 2) : std::string("unknown");
    });
    row("runs", [](const seen_trial& x) { return std::to_string(x.measured.runs); });
    if (t.flops > 0) row("GFLOP/s", [&](const seen_trial& x) { return number(1e-9 * t.flops / x.measured.cost, 3); });
    if (t.flops > 0 && peak_flops > 0)
        row("of peak", [&](const seen_trial& x) { return percent(t.flops / x.measured.cost / peak_flops); });
    row("trial", [&](const seen_trial& x) { return count(static_cast<std::size_t>(&x - t.trials.data()) + 1); });
    row("index", [](const seen_trial& x) { return std::to_string(x.candidate); });
    if (named)
        for (std::size_t j = 0; j < t.parameters.size(); ++j)
            row(t.parameters[j], [j](const seen_trial& x) { return x.values[j]; });
    to.add("</tbody></table></div>\n");
    if (!named)
        to.words("p", "The source of this page names no parameters: a configuration is known by its index alone.",
                 " class=\"note\"");
    to.add("</section>\n");
}

}  // namespace tunekit::report::detail
