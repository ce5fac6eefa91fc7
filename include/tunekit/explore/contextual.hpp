// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// An explorer whose share of random candidates follows the model's uncertainty: AdaTune's contextual annealing, and
/// the same with any other explorer.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/explore/concepts.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/space/unvisited.hpp"

namespace tunekit::explore {

/// Returns the first n - r candidates of `inner`, then r uniform ones outside `visited`, with
///
///     epsilon_t = min(1, mean over K random configurations of sd / best measured score),    r = floor(epsilon_t n)
///
/// So it explores while the model is uncertain, and exploits later. A best score of 0 or less gives epsilon_t = 1. With
/// `stochastic_rounding` the expectation of r is epsilon_t n. Without it nothing is explored once epsilon_t n < 1.
///
///     explore::contextual{explore::annealing{}}                                        // the best candidates of annealing
///     explore::contextual{screen::screened{explore::annealing{}, screen::diversity{}}} // the diverse choice among them
///
/// The share of random candidates holds for the round if the strategy's screen is `screen::keep_best`, which keeps
/// candidates in their order. Put another screen inside, as in the second line: a screen after this explorer would
/// choose among the random candidates too.
/// Randomness: what `inner` draws; `sample(2 K)`; one `uniform_01` with stochastic rounding; one `uniform_index` per
///             random candidate and rejection.
/// Cost:       `inner`, and K + r predictions.
/// Source:     Li et al. (2020), AdaTune, NeurIPS, section 4.2.2 and algorithm 1, lines 5 to 9; K and the rounding from
///             its code.
/// Departures: epsilon_t is clamped. The authors' code does not clamp it, and may ask for more than n. The K
///             configurations are unvisited ones where 2 K draws find any. The paper says so; the code differs.
template <class Inner = annealing>
struct contextual {
    Inner inner{};                     ///< the explorer of the other candidates
    std::size_t context = 20;          ///< K > 0
    bool stochastic_rounding = false;  ///< whether r is epsilon_t n in expectation, not rounded down

    template <class Space>
        requires starts_on<Inner, Space>
    [[nodiscard]] auto start(const Space& space) const
    {
        require(context > 0, "explore::contextual: context is 0, want >= 1");
        return inner.start(space);
    }

    /// The share of random candidates for the model's present uncertainty, in [0, 1]; 1 where a prediction or the best
    /// score is NaN.
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

    template <class State, class Space, class Scorer, generator G>
        requires explores<Inner, Space, Scorer, G>
    [[nodiscard]] std::vector<scored_candidate> explore(State& s, const Space& space, const Scorer& judge,
                                                        const space::index_set& visited, std::size_t n, G& gen) const
    {
        static_assert(detail::is_scorer<Scorer>::value);
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

template <class Inner>
contextual(Inner) -> contextual<Inner>;
template <class Inner>
contextual(Inner, std::size_t) -> contextual<Inner>;
template <class Inner>
contextual(Inner, std::size_t, bool) -> contextual<Inner>;

/// AdaTune's contextual annealing.
using contextual_annealing = contextual<annealing>;

}  // namespace tunekit::explore
