// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// An explorer that scores every configuration of a small space, and a sample of a large one.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/explore/concepts.hpp"
#include "tunekit/explore/detail/best_list.hpp"
#include "tunekit/space/index_set.hpp"

namespace tunekit::explore {

/// Scores every configuration of a space of at most `max_complete`, and returns the best. Of a larger space it scores
/// `sample` uniform draws and all neighbours of the `centres` best known.
///
///     search::model_guided{model, acquisition::expected_improvement{}, explore::enumeration{}, screen::keep_best{}}
///
/// An explorer does not know measurements, so "best known" are the best that it returned last time.
///
/// State:      the best that it returned last time.
/// Randomness: none up to `max_complete` configurations, one `sample` above.
/// Cost:       one score per configuration looked at; memory 8 bytes each.
/// Threads:    const calls on distinct states are safe.
struct enumeration {
    std::size_t max_complete = 100'000;  ///< configurations; larger spaces are sampled
    std::size_t sample = 8192;           ///< > 0; uniform draws
    std::size_t centres = 16;            ///< of the best known, whose neighbours are scored

    struct state {
        std::vector<index> centres;  ///< the best returned last time, best first

        friend bool operator==(const state&, const state&) = default;
    };

    /// Starts a run. Throws std::invalid_argument where `sample` is 0.
    template <class Space>
    [[nodiscard]] state start(const Space&) const
    {
        require(sample > 0, "explore::enumeration: sample is 0, want >= 1");
        return {};
    }

    /// Whether `list` gives all of `space`, ascending, whatever is known.
    template <class Space>
    [[nodiscard]] bool complete(const Space& space) const
    {
        return space.size() <= max_complete;
    }

    /// The configurations that it would score, distinct, where `best` are the best known, best first.
    template <class Space, generator G>
    [[nodiscard]] std::vector<index> list(const Space& space, std::span<const index> best, G& gen) const
    {
        std::vector<index> out;
        if (complete(space)) {
            out.resize(static_cast<std::size_t>(space.size()));
            std::iota(out.begin(), out.end(), index{0});
            return out;
        }
        space::index_set seen;
        const auto add = [&](std::span<const index> some) {
            for (const index i : some)
                if (seen.insert(i)) out.push_back(i);
        };
        for (const index i : best.first((std::min)(centres, best.size())))
            add(space.neighbours_of(i, space::neighbourhood::any_value));
        add(space.sample(sample, gen));
        return out;
    }

    template <class Space, class Scorer, generator G>
    [[nodiscard]] std::vector<scored_candidate> explore(state& s, const Space& space, const Scorer& judge,
                                                        const space::index_set& visited, std::size_t n, G& gen) const
    {
        static_assert(detail::is_scorer<Scorer>::value);
        const std::vector<index> listed = list(space, s.centres, gen);
        std::vector<double> scores(listed.size());
        judge.score(listed, scores);
        detail::best_list best(n, visited);
        for (std::size_t k = 0; k < listed.size(); ++k) best.offer(listed[k], scores[k]);
        std::vector<scored_candidate> out = best.candidates(judge);
        s.centres.clear();
        for (std::size_t k = 0; k < out.size() && k < centres; ++k) s.centres.push_back(out[k].candidate);
        return out;
    }
};

}  // namespace tunekit::explore
