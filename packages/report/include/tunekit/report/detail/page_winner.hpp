// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The section of a page on the winner of a task.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <vector>

#include "tunekit/core/text.hpp"
#include "tunekit/report/detail/markup.hpp"
#include "tunekit/report/document.hpp"
#include "tunekit/report/findings.hpp"
#include "tunekit/report/run.hpp"
#include "tunekit/report/summary.hpp"

namespace tunekit::report::detail {

/// The table of the winner, of those tied with it, and of what it is compared with.
inline void write_winner(document& to, const seen_task& t, const findings& f, double peak_flops)
{
    if (!f.best) return;
    to.begin_section("The winner");
    std::vector<const findings::configuration*> shown{&*f.best};
    for (std::size_t i = 0; i < f.tied.size() && shown.size() < 6; ++i) shown.push_back(&f.tied[i]);
    const auto is_compared = [&](const findings::configuration* c) {
        return f.compared && c->candidate == f.compared->candidate;
    };
    if (f.compared && std::none_of(shown.begin(), shown.end(), is_compared)) shown.push_back(&*f.compared);
    document::table table{.caption = "The winner, those that cannot be told from it, and what it is compared with",
                          .columns = {"configuration"},
                          .sortable = false};
    for (const auto* const c : shown) {
        std::string head = is_compared(c) ? f.against_baseline ? "default" : "first" : "";
        if (c == shown.front()) head = head.empty() ? "winner" : "winner, " + head;
        else if (!f.compared || c != &*f.compared)
            head = (f.verdict.says == verdict::kind::tied ? "tied" : "unclear") + (head.empty() ? "" : ", " + head);
        table.columns.push_back(head);
    }
    const auto row = [&](const std::string& name, auto&& value) {
        auto& cells = table.rows.emplace_back();
        cells.emplace_back(name);
        for (const auto* const c : shown) cells.emplace_back(value(*c));
    };
    row(t.unit.word(), [&](const findings::configuration& c) { return t.unit.text(c.cost); });
    row(f.verdict.rounds > 0 ? "95 %" : "95 %, of its own runs", [&](const findings::configuration& c) {
        const std::string within = t.unit.text(c.within);
        return within.empty() ? "unknown" : within;
    });
    row(f.verdict.rounds > 0 ? "rounds side by side" : "runs",
        [](const findings::configuration& c) { return std::to_string(c.runs); });
    for (std::size_t k = 0; k < t.value_names.size(); ++k)
        row(t.value_names[k], [k](const findings::configuration& c) {
            return k < c.numbers.size() ? core::text_of(c.numbers[k], std::chars_format::general, 5) : std::string();
        });
    if (t.flops > 0 && t.unit.is_time())
        row("GFLOP/s", [&](const findings::configuration& c) { return number(1e-9 * t.flops / c.cost, 3); });
    if (t.flops > 0 && peak_flops > 0 && t.unit.is_time())
        row("of peak", [&](const findings::configuration& c) { return percent(t.flops / c.cost / peak_flops); });
    row("trial",
        [](const findings::configuration& c) { return c.trial ? count(*c.trial + 1) : std::string("known before"); });
    row("index", [](const findings::configuration& c) { return std::to_string(c.candidate); });
    const bool named = f.best->values.size() == t.parameters.size() && !t.parameters.empty();
    if (named)
        for (std::size_t j = 0; j < t.parameters.size(); ++j)
            row(t.parameters[j],
                [j](const findings::configuration& c) { return j < c.values.size() ? c.values[j] : std::string(); });
    to.add_table(table);
    if (!named)
        to.words("p", "note", "The source of this page names no parameters: a configuration has only an index.");
    to.end_section();
}

}  // namespace tunekit::report::detail
