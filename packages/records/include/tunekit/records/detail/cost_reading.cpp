// SPDX-License-Identifier: MIT
#include "tunekit/records/detail/cost_reading.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tunekit/stats/moments.hpp"
#include "tunekit/stats/quantile.hpp"

namespace tunekit::io::detail {

void cost_reading::hear(const measure::measurement& m)
{
    if (!m.ok()) return;
    const auto& runs = m.batches;
    all_have_runs = all_have_runs && !runs.empty();
    if (runs.empty()) return;
    const auto is = [&m](double x) { return std::abs(x - m.cost) <= 1e-9 * m.cost; };  // sums in another order
    least = least && is(*std::min_element(runs.begin(), runs.end()));
    mean = mean && is(stats::mean(runs));
    median = median && is(stats::median(runs));
}

std::string cost_reading::text() const
{
    return std::string("the ") +
           (least     ? "least"
            : !median ? "mean"
            : !mean   ? "median"
                      : "mean or median") +
           " of its runs";
}

measure::measurement cost_reading::as_least(measure::measurement m) const
{
    if (m.ok() && all_have_runs && (least || mean || median))
        m.cost = *std::min_element(m.batches.begin(), m.batches.end());
    return m;
}

bool has_times(const log_content::head& h)
{
    const std::string& cost = h.meaning.cost;
    return h.objective.empty() && h.about.unit == "s" && !h.about.maximize &&
           (cost.empty() || cost == "wall" || cost == "cpu");
}

}  // namespace tunekit::io::detail
