// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The section of a page on the winner of a task.

#include <cstddef>
#include <string>
#include <vector>

#include "tunekit/report/detail/markup.hpp"
#include "tunekit/report/document.hpp"
#include "tunekit/report/findings.hpp"
#include "tunekit/report/run.hpp"

namespace tunekit::report::detail {

/// The table of the winner, of those tied with it, and of what it is compared with.
inline void write_winner(document& to, const seen_task& t, const findings& f, double peak_flops)
{
    if (!f.winner) return;
    to.begin_section("The winner");
    const auto& w = t.trials[*f.winner];
    const bool named = w.values.size() == t.parameters.size() && !w.values.empty();
    std::vector<std::size_t> rows{*f.winner};
    for (std::size_t i = 0; i < f.tied.size() && rows.size() < 6; ++i) rows.push_back(f.tied[i]);
    if (*f.reference != *f.winner) rows.push_back(*f.reference);
    document::table table{.caption = "The winner, those that cannot be told from it, and what it is compared with",
                          .columns = {"configuration"},
                          .sortable = false};
    for (std::size_t i = 0; i < rows.size(); ++i)
        table.columns.push_back(i == 0                    ? "winner"
                                : rows[i] == *f.reference ? f.against_baseline ? "to beat" : "first"
                                                          : "tied");
    const auto row = [&](const std::string& name, auto&& value) {
        auto& cells = table.rows.emplace_back();
        cells.emplace_back(name);
        for (const std::size_t i : rows) cells.emplace_back(value(t.trials[i]));
    };
    row("cost", [](const seen_trial& x) { return time(x.measured.cost); });
    row("\xC2\xB1 (95 %)", [](const seen_trial& x) {
        return has_spread(x.measured) ? time(margin_of(x.measured), 2) : std::string("unknown");
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
    to.add_table(table);
    if (!named)
        to.words("p", "note",
                 "The source of this page names no parameters: a configuration is known by its index alone.");
    to.end_section();
}

}  // namespace tunekit::report::detail
