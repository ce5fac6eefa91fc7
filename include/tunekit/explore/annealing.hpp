// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Simulated annealing on predicted scores: AutoTVM's search for the next configurations.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/explore/concepts.hpp"
#include "tunekit/explore/detail/best_list.hpp"
#include "tunekit/random/uniform.hpp"

namespace tunekit::explore {

/// The unit of temperature.
enum class heat : std::uint8_t {
    absolute,  ///< the unit of the score
    spread,    ///< the interquartile range of the chains' scores at the start
};

/// Walks `chains` configurations for `steps` steps, each step to a neighbour in one parameter, and returns the best
/// that it saw.
///
///     explore::annealing{.unit = explore::heat::spread}
///
/// A neighbour of score s' is accepted from score s at temperature t with probability exp(min(1, (s' - s) / (h t +
/// 1e-5))), where t falls linearly from `temperature` to 0 in units h. Every proposal, accepted or not, may enter the
/// list that is returned. The search ends early when that list has not changed for `patience` steps. Where chains have
/// a score that is NaN or infinite, `heat::spread` is 0: only better neighbours are accepted.
///
/// State:      the chains. With `persistent` the next search continues them.
/// Randomness: `sample` for new chains; per step one `neighbours` over all chains, then one `uniform_01` per chain that
///             might step down.
/// Cost:       at most chains (steps + 1) scores and as many neighbours.
/// Source:     Chen et al. (2018), Learning to Optimize Tensor Programs, NeurIPS; TVM 0.6 sa_model_optimizer.py for the
///             numbers.
/// Departures: TVM drops candidates of negative score. With ranking losses that discards good ones, so here none is
///             dropped. `heat::spread` is ours: with temperatures from 1 to 0 nearly every move is accepted when scores
///             lie in [0, 1].
struct annealing {
    std::size_t chains = 128;    ///< > 0
    std::size_t steps = 500;     ///< of each chain
    std::size_t patience = 50;   ///< steps without a better list of the best; > 0
    double temperature = 1;      ///< temperature at the start; >= 0
    heat unit = heat::absolute;  ///< the unit h of temperature
    bool persistent = true;      ///< whether the next search continues the chains

    struct state {
        std::vector<index> points;  ///< the chains' configurations; none before the first search

        friend bool operator==(const state&, const state&) = default;
    };

    template <class Space>
    [[nodiscard]] state start(const Space&) const
    {
        require(chains > 0, "explore::annealing: chains is 0, want >= 1");
        require(patience > 0, "explore::annealing: patience is 0, want >= 1");
        require(temperature >= 0, "explore::annealing: temperature is negative or NaN, want >= 0");
        return {};
    }

    template <class Space, class Scorer, generator G>
    [[nodiscard]] std::vector<scored_candidate> explore(state& s, const Space& space, const Scorer& judge,
                                                        const space::index_set& visited, std::size_t n, G& gen) const
    {
        static_assert(detail::is_scorer<Scorer>::value);
        if (s.points.empty() || !persistent)
            s.points = space.sample(static_cast<std::size_t>((std::min)(index{chains}, space.size())), gen);
        detail::best_list best(n, visited);
        std::vector<double> scores(s.points.size()), proposed_scores(s.points.size());
        judge.score(s.points, scores);
        for (std::size_t c = 0; c < s.points.size(); ++c) best.offer(s.points[c], scores[c]);

        const double h = unit == heat::spread ? interquartile_range(scores) : 1;
        const double cooling = temperature / static_cast<double>(steps + 1);
        double t = temperature;
        std::vector<index> proposed(s.points.size());
        std::size_t changed = 0;
        for (std::size_t k = 0; k < steps && k < changed + patience; ++k, t -= cooling) {
            space.neighbours(s.points, proposed, space::neighbourhood::any_value, gen);
            judge.score(proposed, proposed_scores);
            const double now = h * (t + 1e-5);  // 0 where the chains' scores have no spread
            bool better = false;
            for (std::size_t c = 0; c < proposed.size(); ++c) {
                better |= best.offer(proposed[c], proposed_scores[c]);
                const double rise = proposed_scores[c] - scores[c];
                if (rise >= 0 || (random::uniform_01(gen) < (now > 0 ? std::exp(rise / now) : 0.0))) {
                    s.points[c] = proposed[c];
                    scores[c] = proposed_scores[c];
                }
            }
            if (better) changed = k;
        }
        return best.candidates(judge);
    }

private:
    [[nodiscard]] static double interquartile_range(std::vector<double> x)
    {
        if (x.size() < 2 || !std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); })) return 0;
        const auto at = [&](std::size_t i) {
            std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(i), x.end());
            return x[i];
        };
        const double upper = at(3 * x.size() / 4);
        return upper - at(x.size() / 4);
    }
};

}  // namespace tunekit::explore
