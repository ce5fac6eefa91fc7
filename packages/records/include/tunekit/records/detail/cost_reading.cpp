// SPDX-License-Identifier: MIT
#include "tunekit/records/detail/cost_reading.hpp"

#include <cmath>
#include <span>
#include <utility>

#include "tunekit/measure/fastest_quarter.hpp"
#include "tunekit/stats/moments.hpp"
#include "tunekit/stats/quantile.hpp"

namespace tunekit::io::detail {

namespace {

double by_fastest_runs(std::span<const double> runs) { return measure::fastest_quarter<>{}.estimate_of(runs).cost; }

}  // namespace

void cost_reading::hear(const measure::measurement& m)
{
    if (!m.ok()) return;
    const auto& runs = m.batches;
    all_have_runs = all_have_runs && !runs.empty();
    if (runs.empty()) return;
    const auto is = [&m](double x) { return std::abs(x - m.cost) <= 1e-9 * m.cost; };  // sums in another order
    fastest = fastest && is(by_fastest_runs(runs));
    mean = mean && is(stats::mean(runs));
    median = median && is(stats::median(runs));
}

std::string cost_reading::text() const
{
    return std::string("the ") +
           (fastest   ? "mean of the fastest quarter"
            : !median ? "mean"
            : !mean   ? "median"
                      : "mean or median") +
           " of its runs";
}

measure::measurement cost_reading::by_fastest(measure::measurement m) const
{
    if (m.ok() && all_have_runs && (fastest || mean || median)) m.cost = by_fastest_runs(m.batches);
    return m;
}

bool has_times(const log_content::head& h)
{
    const std::string& cost = h.meaning.cost;
    return h.objective.empty() && h.about.unit == "s" && !h.about.maximize &&
           (cost.empty() || cost == "wall" || cost == "cpu");
}

}  // namespace tunekit::io::detail
