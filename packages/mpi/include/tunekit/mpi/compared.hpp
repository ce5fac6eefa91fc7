// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The A/A check: the ratio of the costs of one configuration on two workers.

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/stats/interval.hpp"
#include "tunekit/stats/moments.hpp"
#include "tunekit/stats/student_t.hpp"

namespace tunekit::mpi {

/// A ratio of costs with its interval.
struct comparison {
    double ratio = 1;          ///< the ratio; 1 where both cost the same
    stats::interval within{};  ///< its interval at the level that was asked for

    friend bool operator==(const comparison&, const comparison&) = default;
};

/// The cost of one configuration on a worker (`mine`), divided by its cost on another (`theirs`). It is the ratio of
/// geometric means, with Welch's interval of the difference of the mean logarithms,
///
///     exp(d -+ t(level, nu) sqrt(s1^2 / n1 + s2^2 / n2)),   d = mean log mine - mean log theirs,
///
/// with nu by Welch and Satterthwaite. None for fewer than two costs on either side.
///
/// Assumes: independent costs, whose logarithms are close enough to normal. What lasts as long as a worker lives, such
///          as the place of its pages in memory, is part of the ratio.
/// Source:  B. L. Welch, Biometrika 34 (1947).
/// Errors:  std::invalid_argument for a cost that is not positive and finite, and for a level outside (0, 1).
[[nodiscard]] inline std::optional<comparison> compared(std::span<const double> mine, std::span<const double> theirs,
                                                        double level = 0.95)
{
    stats::require_level(level);
    if (mine.size() < 2 || theirs.size() < 2) return std::nullopt;
    const auto logs = [](std::span<const double> x) {
        std::vector<double> out;
        for (const double v : x) {
            require(v > 0 && v < std::numeric_limits<double>::infinity(),
                    "mpi.compared: a cost is not positive and finite, want seconds");
            out.push_back(std::log(v));
        }
        return out;
    };
    const std::vector<double> a = logs(mine), b = logs(theirs);
    const double n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
    const double va = stats::sample_variance(a) / n, vb = stats::sample_variance(b) / m;
    const double d = stats::mean(a) - stats::mean(b);
    comparison out{.ratio = std::exp(d), .within = {std::exp(d), std::exp(d)}};
    if (va + vb <= 0) return out;
    const double nu = (va + vb) * (va + vb) / (va * va / (n - 1) + vb * vb / (m - 1));
    const double half = stats::student_t_quantile(0.5 + level / 2, nu) * std::sqrt(va + vb);
    out.within = {std::exp(d - half), std::exp(d + half)};
    return out;
}

}  // namespace tunekit::mpi
