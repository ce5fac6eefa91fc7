// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The section of a page on what failed in a task.

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/report/detail/markup.hpp"
#include "tunekit/report/detail/parameter_figures.hpp"
#include "tunekit/report/document.hpp"
#include "tunekit/report/findings.hpp"
#include "tunekit/report/run.hpp"

namespace tunekit::report::detail {

/// The table of failures by kind, and the values of parameters by which failing differs most.
inline void write_failures(document& to, const seen_task& t, const findings& f)
{
    if (f.failures.empty()) return;
    to.begin_section("What failed");
    document::table table{.caption = "Failures by kind",
                          .columns = {"kind", "trials", "with", "what the first said"},
                          .sortable = false,
                          .messages = true};
    for (const auto& k : f.failures)
        table.rows.push_back({words_of(to_text(k.kind)), count(k.trials), k.where, shortened(k.message, 300)});
    to.add_table(table);
    struct rate {
        double spread;
        std::size_t axis;
    };
    std::vector<rate> rates;  // the parameters by which failing differs most
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> of(f.axes.size());
    const double all = static_cast<double>(f.failed) / static_cast<double>(t.trials.size());
    for (std::size_t j = 0; j < f.axes.size(); ++j) {
        of[j].resize(f.axes[j].values.size());
        for (std::size_t i = 0; i < t.trials.size(); ++i) {
            auto& [bad, n] = of[j][f.axes[j].of_trial[i]];
            bad += t.trials[i].measured.failed ? 1U : 0U;
            ++n;
        }
        double spread = 0;
        for (const auto& [bad, n] : of[j]) {
            const double share = static_cast<double>(bad) / static_cast<double>(n);
            spread += static_cast<double>(n) * (share - all) * (share - all);
        }
        if (f.axes[j].values.size() > 1 && spread > 0)
            rates.push_back({spread / static_cast<double>(f.axes[j].values.size() - 1), j});
    }
    std::stable_sort(rates.begin(), rates.end(), [](const rate& a, const rate& b) { return a.spread > b.spread; });
    if (rates.size() > 3) rates.resize(3);
    std::vector<document::part> parts;
    for (const auto& r : rates) {
        std::vector<bar> bars;
        const findings::value_axis& a = f.axes[r.axis];
        std::string alternative = "Failures by " + a.name + '.';
        std::vector<std::size_t> shown(a.values.size());
        for (std::size_t v = 0; v < shown.size(); ++v) shown[v] = v;
        if (shown.size() > 10) {  // those with the most failures
            std::stable_sort(shown.begin(), shown.end(),
                             [&](std::size_t x, std::size_t y) { return of[r.axis][x].first > of[r.axis][y].first; });
            shown.resize(10);
            std::sort(shown.begin(), shown.end());
        }
        for (const std::size_t v : shown) {
            const auto& [bad, n] = of[r.axis][v];
            bars.push_back({.name = a.values[v],
                            .share = static_cast<double>(bad) / static_cast<double>(n),
                            .value = count(bad) + " of " + count(n),
                            .bad = true});
            alternative += ' ' + a.values[v] + ": " + bars.back().value + '.';
        }
        parts.push_back({a.name, bars_svg(bars, alternative, {.width = 300})});
    }
    if (!parts.empty())
        to.figure("Failures by parameter value",
                  "The share of trials with this value that failed, for the parameters where it differs most.", parts);
    to.end_section();
}

}  // namespace tunekit::report::detail
