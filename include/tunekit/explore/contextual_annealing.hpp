// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Annealing whose share of random candidates follows the model's uncertainty: AdaTune's search.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/space/unvisited.hpp"

namespace tunekit::explore {

/// Returns the best n - r candidates of `inner`, then r uniform ones outside `visited`, with
///
///     epsilon_t = min(1, mean over K random configurations of sd / best measured score),    r = floor(epsilon_t n)
///
/// so that it explores while the model does not know and exploits once it does. A best score of 0 or less gives epsilon_t = 1.
/// With `stochastic_rounding` the expectation of r is epsilon_t n; floor never explores once epsilon_t n < 1.
///
/// Randomness: `sample(K)`; what `inner` draws; one `uniform_01` with stochastic rounding; one `uniform_index` per
///             random candidate and rejection.
/// Cost:       `inner`, and 2 K predictions.
/// Source:     Li et al. (2020), AdaTune, NeurIPS, section 3.3; K and the rounding from its code.
/// Departures: epsilon_t is clamped (the code is not, and may ask for more than n); the K configurations are drawn from the
///             unvisited where K draws find any, as the paper says and the code does not.
struct contextual_annealing {
    annealing inner{};
    std::size_t context = 20;  ///< K > 0
    bool stochastic_rounding = false;

    using state = annealing::state;

    template <class Space>
    [[nodiscard]] state start(const Space& space) const
    {
        require(context > 0, "explore::contextual_annealing: context is 0, want >= 1");
        return inner.start(space);
    }

    /// The share of random candidates that the model's uncertainty asks for.
    template <class Space, scorer Scorer, generator G>
    [[nodiscard]] double epsilon(const Space& space, const Scorer& judge, const space::index_set& visited, G& gen) const
    {
        if (!(judge.best() > 0)) return 1;
        std::vector<index> around = space.sample(2 * context, gen);
        std::stable_partition(around.begin(), around.end(), [&](index i) { return !visited.contains(i); });
        around.resize((std::min)(context, around.size()));
        std::vector<stats::prediction> predicted(around.size());
        judge.predict(around, predicted);
        double sum = 0;
        for (const auto& p : predicted) sum += p.sd;
        return (std::min)(1.0, sum / static_cast<double>(predicted.size()) / judge.best());
    }

    template <class Space, scorer Scorer, generator G>
    [[nodiscard]] std::vector<scored_candidate> explore(state& s, const Space& space, const Scorer& judge,
                                                        const space::index_set& visited, std::size_t n, G& gen) const
    {
        std::vector<scored_candidate> found = inner.explore(s, space, judge, visited, n, gen);
        const double share = epsilon(space, judge, visited, gen) * static_cast<double>(n);
        auto random = static_cast<std::size_t>(share);
        if (stochastic_rounding && random::uniform_01(gen) < share - std::floor(share)) ++random;
        found.resize((std::min)(found.size(), n - random));

        space::unvisited rest(visited);
        for (const auto& c : found) rest.take(c.candidate);
        std::vector<index> drawn;
        while (drawn.size() < random) {
            const auto i = rest.draw(space, gen);
            if (!i) break;
            drawn.push_back(*i);
        }
        std::vector<double> scores(drawn.size());
        std::vector<stats::prediction> predicted(drawn.size());
        judge.score(drawn, scores);
        judge.predict(drawn, predicted);
        for (std::size_t i = 0; i < drawn.size(); ++i) found.push_back({drawn[i], scores[i], predicted[i]});
        return found;
    }
};

}  // namespace tunekit::explore
