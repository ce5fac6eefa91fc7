// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Merges the results of many contributors; what they contradict each other in is left out, and said.

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/dispatch/results.hpp"

namespace tunekit::dispatch {

/// Merged results, and what was left out of them.
struct results::merged {
    results all{};  ///< the results of all together
    std::vector<std::string>
        left_out{};  ///< a line for each configuration that was left out: shape, device, both times
};

/// The results of several sources of one kernel, in any order.
///
///     const auto both = dispatch::merge_all(std::vector{dispatch::read_results("mine"), dispatch::read_results("theirs")});
///     for (const std::string& line : both.left_out) log(line);
///
/// Of one configuration at a shape on a device the fastest time counts, as in `results::add`. Where two times
/// contradict, it is decided as in a race: what is not shown counts for nobody. The configuration is left out there, so
/// that it is measured again rather than believed. The order of the sources makes no difference.
/// Errors: those of `results::merge` for another kernel, version, space or set of sizes, and for other values of one
///         configuration; std::invalid_argument for no source.
[[nodiscard]] inline results::merged merge_all(std::span<const results> from, double max_ratio = 2)
{
    require(!from.empty(), "merge_all: no results, want one source at least");
    std::map<std::tuple<std::string, shape_sizes, index>, std::vector<const results::row*>> times;
    for (const results& r : from)
        for (const results::row& row : r.rows) times[{row.device, row.at, row.candidate}].push_back(&row);
    results::merged out;
    std::vector<results> sound(from.begin(), from.end());
    for (const auto& entry : times) {
        const auto& key = entry.first;
        const std::vector<const results::row*>& rows = entry.second;
        const results::row *least = nullptr, *most = nullptr;  // the two farthest apart of those that contradict
        for (const results::row* a : rows)
            for (const results::row* b : rows)
                if (a->seconds < b->seconds && a->contradicts(*b, max_ratio) &&
                    (least == nullptr || b->seconds / a->seconds > most->seconds / least->seconds)) {
                    least = a;
                    most = b;
                }
        if (least == nullptr) continue;
        const results& head = from.front();
        out.left_out.push_back(head.kernel + " at " + detail::shape_text(head.sizes, least->at, head.words) + " on " +
                               least->device + ": configuration " + std::to_string(least->candidate) + " took " +
                               std::to_string(1e6 * least->seconds) + " us and " + std::to_string(1e6 * most->seconds) +
                               " us");
        for (results& r : sound)
            std::erase_if(r.rows,
                          [&](const results::row& row) { return std::tie(row.device, row.at, row.candidate) == key; });
    }
    out.all = sound.front();
    for (std::size_t k = 1; k < sound.size(); ++k) out.all.merge(sound[k], max_ratio);
    std::erase_if(out.all.devices, [&](const results::dated& d) {
        return std::none_of(out.all.rows.begin(), out.all.rows.end(),
                            [&](const results::row& row) { return row.device == d.device; });
    });
    return out;
}

}  // namespace tunekit::dispatch
