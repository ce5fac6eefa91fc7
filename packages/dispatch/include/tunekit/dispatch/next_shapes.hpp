// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Ranks shapes for the next measurements: first those where a choice is least certain.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/dispatch/choice.hpp"
#include "tunekit/dispatch/detail/cost_table.hpp"
#include "tunekit/dispatch/fit.hpp"
#include "tunekit/dispatch/results.hpp"

namespace tunekit::dispatch {

namespace detail {

/// A shape, and the loss that its choice is expected to have there.
struct doubtful_shape {
    shape_sizes at{};  ///< the sizes of the shape
    double doubt = 0;  ///< the expected log loss; +inf where nothing was measured yet

    friend bool operator==(const doubtful_shape&, const doubtful_shape&) = default;
};

/// The distance from `s` to the nearest of `of`, in powers of two; else +inf.
[[nodiscard]] inline double gap_to(const shape_sizes& s, const std::vector<shape_sizes>& of, std::uint32_t words)
{
    double least = std::numeric_limits<double>::infinity();
    for (const shape_sizes& k : of) least = (std::min)(least, log2_gap(s, k, words));
    return least;
}

/// What makes shapes doubtful on a device with measured shapes.
struct doubts {
    double slope = 0;             ///< loss for each power of two to the next shape
    std::vector<double> dispute;  ///< of each shape, what its configuration loses next to it
};

/// The doubts about the shapes `open`, where `known` were measured.
[[nodiscard]] inline doubts doubts_of(const results& all, const std::string& device,
                                      const std::vector<shape_sizes>& known, const std::vector<shape_sizes>& open,
                                      const fit_options& options)
{
    const whole_fit f = fit_whole(all, options);
    doubts out;
    double loss = 0, gaps = 0;
    for (const choice::held_out& h : f.seen) {
        if (h.device != device || h.by != rung::nearest) continue;
        std::vector<shape_sizes> others = known;
        std::erase(others, h.at);
        loss += std::log(h.seconds / h.best);
        gaps += gap_to(h.at, others, f.table.words);
    }
    out.slope = gaps > 0 ? loss / gaps : 1;
    const choice c = choice_of(all, f);
    const cost_table& t = f.table;
    for (const shape_sizes& s : open) {
        const std::uint32_t column = f.over_all.kept[c.choose(device, s).config];
        std::vector<std::pair<double, double>> beside;  // distance, loss
        for (std::size_t r = 0; r < t.rows.size(); ++r)
            if (all.devices[t.rows[r].device].device == device)
                beside.emplace_back(log2_gap(s, t.rows[r].at, t.words), t.loss(r, column));
        std::sort(beside.begin(), beside.end());
        beside.resize((std::min)(beside.size(), std::size_t{3}));
        double sum = 0;
        for (const auto& [gap, there] : beside) sum += there / static_cast<double>(beside.size());
        out.dispute.push_back(sum);
    }
    return out;
}

/// How near `s` is to the middle of `open`: 1 / (1 + its distance to the farthest).
[[nodiscard]] inline double middleness(const shape_sizes& s, const std::vector<shape_sizes>& open, std::uint32_t words)
{
    double farthest = 0;
    for (const shape_sizes& other : open) farthest = (std::max)(farthest, log2_gap(other, s, words));
    return 1 / (1 + farthest);
}

}  // namespace detail

/// The `n` of `candidates` that are worth measuring next on `device`, the most doubtful first. Shapes that were
/// measured there are left out.
///
///     doubt(s) = (what choices lose held out, per power of two to the next shape) x (powers of two from s to the next)
///              + (what the configuration chosen for s loses at the three next shapes, on average)
///
/// Once a shape is chosen it counts as measured for the next distances, so that the chosen shapes are spread. Where
/// nothing was measured on the device, the first shape is the one in the middle, and each next one is the farthest from
/// those before it. The doubt is then +inf.
/// Errors: std::invalid_argument for a candidate with another number of sizes, or a size below 1. Cost: candidates x
///         (n + shapes), and one fit.
/// Source: ours. The spreading by the farthest shape is Gonzalez (1985), Clustering to minimize the maximum
///         intercluster distance.
[[nodiscard]] inline std::vector<detail::doubtful_shape> next_shapes(const results& all, const std::string& device,
                                                                     std::span<const shape_sizes> candidates,
                                                                     std::size_t n, const fit_options& options = {})
{
    options.validate();
    for (const shape_sizes& s : candidates) {
        const std::string wrong = detail::wrong_shape(s, all.sizes, all.words);
        require(wrong.empty(), "next_shapes: a candidate has " + wrong);
    }
    std::vector<shape_sizes> open(candidates.begin(), candidates.end()), known;
    std::sort(open.begin(), open.end());
    open.erase(std::unique(open.begin(), open.end()), open.end());
    for (const results::winner& w : all.winners())
        if (w.device == device) known.push_back(w.at);
    std::erase_if(open, [&](const shape_sizes& s) { return std::find(known.begin(), known.end(), s) != known.end(); });

    const std::uint32_t words = detail::bits_of_words(all.sizes, all.words);
    std::optional<detail::doubts> doubts;
    if (!known.empty()) doubts = detail::doubts_of(all, device, known, open, options);
    const auto worth = [&](std::size_t k) {
        if (doubts) return doubts->slope * detail::gap_to(open[k], known, words) + doubts->dispute[k];
        return known.empty() ? detail::middleness(open[k], open, words) : detail::gap_to(open[k], known, words);
    };
    std::vector<detail::doubtful_shape> out;
    std::vector<bool> taken(open.size(), false);
    while (out.size() < (std::min)(n, open.size())) {
        std::size_t best = open.size();
        double most = -1;
        for (std::size_t k = 0; k < open.size(); ++k) {
            if (taken[k]) continue;
            const double here = worth(k);
            if (here > most) {
                most = here;
                best = k;
            }
        }
        taken[best] = true;
        known.push_back(open[best]);
        out.push_back({open[best], doubts ? most : std::numeric_limits<double>::infinity()});
    }
    return out;
}

}  // namespace tunekit::dispatch
