// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How sources of an experience are weighed and covered. Their forecasts g are row-major, one row per configuration.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tunekit::search::detail {

/// argmin_w  sum_k (t_k - sum_s w_s g_ks)^2 + 1/4 sum_s (w_s - 1/S)^2,  t and g centred, 0 <= w_s <= 3/2: negative ones
/// are dropped and the rest is solved again, larger ones cut. O(n S^2 + S^4).
[[nodiscard]] std::vector<double> ridge_weights(std::span<const double> g, std::span<const double> t,
                                                std::span<const std::size_t> open, std::size_t sources);

/// At most `most` of the candidates, whose forecasts are the rows of g: greedily the one x with the largest sum_s
/// max(best_s, min(0, g_s(x))), of equals the largest sum_s min(0, g_s(x)), two ordinals at least from those before.
[[nodiscard]] std::vector<std::size_t> cover_of(std::span<const double> g, std::span<const std::uint16_t> ordinals,
                                                std::size_t count, std::size_t most);

/// Positions of the 200 rows of highest value by each source and by their sum, ascending.
[[nodiscard]] std::vector<std::size_t> best_by_each(std::span<const double> g, std::size_t count, std::size_t sources);

}  // namespace tunekit::search::detail
