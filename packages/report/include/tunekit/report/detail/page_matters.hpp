// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The section of a page on what matters in the space of a task.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tunekit/report/detail/markup.hpp"
#include "tunekit/report/detail/parameter_figures.hpp"
#include "tunekit/report/document.hpp"
#include "tunekit/report/findings.hpp"
#include "tunekit/report/run.hpp"
#include "tunekit/stats/prediction.hpp"

namespace tunekit::report::detail {

/// Shares of the variance, the cost by each parameter, and the pairs that interact most. A picture has at most `dots`
/// marks.
inline void write_matters(document& to, const seen_task& t, const findings& f, std::size_t dots)
{
    if (!f.winner || f.axes.empty()) return;
    to.begin_section("What matters");
    constexpr std::size_t most = 12;
    if (!f.shares) {
        to.words("p", "note",
                 "Fewer than " + std::to_string(min_rows_of_forest) +
                     " configurations ran: too few to say which parameters matter.");
    } else if (f.shares->trees > 0) {
        std::vector<bar> bars;
        std::string alternative = "Shares of the variance of log cost.";
        const bool good = f.shares_good->trees > 0;
        const auto push = [&](const std::string& name, const stats::prediction& share, double second) {
            bars.push_back({.name = name,
                            .share = share.mean,
                            .sd = share.sd,
                            .second = second,
                            .value = percent(share.mean),
                            .second_value = second >= 0 ? percent(second) : ""});
            alternative += ' ' + name + ": " + percent(share.mean) +
                           (second >= 0 ? ", near the optimum " + percent(second) : "") + '.';
        };
        for (std::size_t k = 0; k < (std::min)(most, f.order.size()); ++k) {
            const std::size_t j = f.order[k];
            push(f.axes[j].name, f.shares->singles[j], good ? f.shares_good->singles[j].mean : -1);
        }
        for (const auto& p : f.shares->strongest_pairs(2)) {
            double second = -1;
            for (const auto& q : f.shares_good->pairs)
                if (good && q.a == p.a && q.b == p.b) second = q.share.mean;
            push(f.axes[p.a].name + " \xC3\x97 " + f.axes[p.b].name, p.share, second);
        }
        to.figure("Shares of the variance",
                  good ? "Thick bars: over all that ran, with one standard deviation over the trees of the model. "
                         "Thin bars: among the better half. "
                         "A pair's share is the effect of both together, without the effect of each."
                       : "Bars: over all that ran, with one standard deviation over the trees of the model.",
                  bars_svg(bars, alternative, {.width = 860, .style = "wide"}, "all", "better half") +
                      bars_svg(bars, alternative, {.width = 360, .style = "narrow"}, "all", "better"));
    }
    std::vector<document::part> singles, pairs;
    for (std::size_t k = 0; k < (std::min)(most, f.order.size()); ++k)
        singles.push_back({f.axes[f.order[k]].name, parameter_svg(t, f, f.order[k], dots)});
    to.figure("Cost by each parameter",
              std::string("Dots ran, short lines are medians, the ring is the winner.") +
                  (f.order.size() > most ? " The " + std::to_string(most) + " that matter most." : ""),
              singles);
    if (f.shares && f.shares->trees > 0 && f.axes.size() >= 2) {
        for (const auto& p : f.shares->strongest_pairs(2))
            pairs.push_back({f.axes[p.a].name + " and " + f.axes[p.b].name, pair_svg(t, f, p.a, p.b)});
        to.figure("The pairs that interact most",
                  "The best cost of each pair of values that was tried, the darker the better; the frame is the "
                  "winner's. Empty fields were not tried, or did not run.",
                  pairs, true);
    }
    to.end_section();
}

}  // namespace tunekit::report::detail
