// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// From costs, which are minimised and fail, to scores, which models are taught.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <vector>

namespace tunekit {

/// What a model is taught: the score of a cost. More is better; `best` is the lowest cost so far.
enum class score_scale : std::uint8_t {
    throughput,  ///< best / cost, in (0, 1]; a failure is 0
    log,         ///< ln(best / cost), <= 0; a failure is 1 below the worst
};

/// The scores of `costs`, +inf being a failure. With `tell_apart` below 1 the valid cost at that quantile stands for
/// dearer ones and for failures. Precondition: 0 < best, a finite cost among `costs`; tell_apart in (0, 1].
[[nodiscard]] inline std::vector<double> scores_of(std::span<const double> costs, double best, score_scale scale,
                                                   double tell_apart)
{
    double most = std::numeric_limits<double>::infinity();  // that is told apart
    if (tell_apart < 1) {
        std::vector<double> valid;
        std::copy_if(costs.begin(), costs.end(), std::back_inserter(valid),
                     [](double cost) { return std::isfinite(cost); });
        const auto at = static_cast<std::ptrdiff_t>(static_cast<double>(valid.size() - 1) * tell_apart);
        std::nth_element(valid.begin(), valid.begin() + at, valid.end());
        most = valid[static_cast<std::size_t>(at)];
    }
    std::vector<double> y;
    double worst = 0;
    for (const double cost : costs) {
        const double seen = (std::min)(cost, most);
        y.push_back(scale == score_scale::throughput ? (std::min)(1.0, best / seen) : std::log(best / seen));
        if (std::isfinite(y.back())) worst = (std::min)(worst, y.back());
    }
    for (double& v : y)
        if (!std::isfinite(v)) v = worst - 1;  // log of a failure
    return y;
}

}  // namespace tunekit
