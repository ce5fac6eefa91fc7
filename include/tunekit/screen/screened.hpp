// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// An explorer made of an explorer and a screen.

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tunekit/explore/concepts.hpp"
#include "tunekit/screen/concepts.hpp"

namespace tunekit::screen {

/// Makes an explorer from an explorer and a screen. It explores for as many candidates as `rule` needs for `n`, and
/// returns those that `rule` chooses, in the order of `rule`.
///
///     screen::screened{explore::annealing{}, screen::diversity{}}      // 2 n candidates of annealing, the diverse n of them
///
/// A part around it sees the chosen configurations only. So `explore::contextual` replaces the last of them by random
/// configurations, and no screen removes those.
///
/// Configurations that the screen makes itself (synthesis) are scored and predicted too. There are fewer than n where
/// the screen chooses fewer.
/// Randomness: what `search` draws, then what `rule` draws. Cost: of both.
/// Source:     Li et al. (2020), AdaTune, NeurIPS, algorithm 1, line 8: a subset of the candidates is picked before the
///             random ones join it.
template <class Explorer, class Screen>
struct screened {
    Explorer search{};  ///< finds the candidates
    Screen rule{};      ///< chooses among them

    template <class Space>
        requires explore::starts_on<Explorer, Space>
    [[nodiscard]] auto start(const Space& space) const
    {
        return search.start(space);
    }

    /// The candidates that `rule` chooses among those that `search` finds.
    template <class State, class Space, explore::scorer Scorer, generator G>
        requires explore::explores<Explorer, Space, Scorer, G> && screen<Screen, Space, G>
    [[nodiscard]] std::vector<explore::scored_candidate> explore(State& s, const Space& space, const Scorer& judge,
                                                                 const space::index_set& visited, std::size_t n,
                                                                 G& gen) const
    {
        const std::vector<explore::scored_candidate> found =
            search.explore(s, space, judge, visited, candidates_for(rule, n), gen);
        const std::vector<index> chosen = rule.select(space, found, visited, n, gen);
        std::unordered_map<index, std::size_t> place;
        for (std::size_t i = 0; i < found.size(); ++i) place.emplace(found[i].candidate, i);
        std::vector<explore::scored_candidate> out(chosen.size());
        std::vector<index> made;
        std::vector<std::size_t> made_at;
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            if (const auto at = place.find(chosen[i]); at != place.end()) {
                out[i] = found[at->second];
            } else {
                made.push_back(chosen[i]);
                made_at.push_back(i);
            }
        }
        std::vector<double> scores(made.size());
        std::vector<stats::prediction> predicted(made.size());
        judge.score(made, scores);
        judge.predict(made, predicted);
        for (std::size_t i = 0; i < made.size(); ++i) out[made_at[i]] = {made[i], scores[i], predicted[i]};
        return out;
    }
};

template <class Explorer, class Screen>
screened(Explorer, Screen) -> screened<Explorer, Screen>;

}  // namespace tunekit::screen
