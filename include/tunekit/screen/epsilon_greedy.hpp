// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A screen that adds a share of random configurations to the choice of another.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/screen/concepts.hpp"
#include "tunekit/screen/keep_best.hpp"
#include "tunekit/space/unvisited.hpp"

namespace tunekit::screen {

/// Settings of `epsilon_greedy`.
struct epsilon_greedy_options {
    double epsilon = 0.05;             ///< in [0, 1]; share of random configurations
    bool stochastic_rounding = false;  ///< whether the share is kept in expectation, and not rounded down
};

/// The choice of `inner`, with its last floor(epsilon n) replaced by uniform configurations outside `visited`. With
/// `stochastic_rounding` their number is epsilon n in expectation. Without it rounds of fewer than 1 / epsilon have no
/// random ones.
///
///     screen::epsilon_greedy{screen::keep_best{}, {.epsilon = 0.05}}      // AutoTVM: 61 of the model, 3 at random, of 64
///
/// Where `inner` chooses fewer than n, the random share is still that of n. Example: adaptive sampling that keeps 16 of
/// 64 then measures 13 of them and 3 random ones, as Chameleon does.
/// Randomness: what `inner` draws; one `uniform_01` with stochastic rounding; one `uniform_index` per random
///             configuration and rejection.
/// Source:     Chen et al. (2018), Learning to Optimize Tensor Programs, NeurIPS, section 3.3; TVM 0.6
///             model_based_tuner.py.
template <class Inner = keep_best>
struct epsilon_greedy {
    Inner inner{};  ///< makes the rest of the choice
    epsilon_greedy_options options{};

    /// The number of candidates that `inner` needs to choose n.
    [[nodiscard]] constexpr std::size_t candidates_for(std::size_t n) const { return screen::candidates_for(inner, n); }

    template <class Space, generator G>
    [[nodiscard]] std::vector<index> select(const Space& space, std::span<const explore::scored_candidate> candidates,
                                            const space::index_set& visited, std::size_t n, G& gen) const
    {
        require(options.epsilon >= 0 && options.epsilon <= 1,
                "screen::epsilon_greedy: epsilon is out of range, want 0 to 1");
        std::vector<index> out = inner.select(space, candidates, visited, n, gen);
        const double share = options.epsilon * static_cast<double>(n);
        auto lots = static_cast<std::size_t>(share);
        if (options.stochastic_rounding && random::uniform_01(gen) < share - std::floor(share)) ++lots;
        const std::size_t wanted = (std::max)(out.size(), lots);
        out.resize(wanted - lots);
        space::unvisited rest(visited);
        for (const index i : out) rest.take(i);
        while (out.size() < wanted) {
            const auto i = rest.draw(space, gen);
            if (!i) break;
            out.push_back(*i);
        }
        return out;
    }
};

template <class Inner>
epsilon_greedy(Inner) -> epsilon_greedy<Inner>;
template <class Inner>
epsilon_greedy(Inner, epsilon_greedy_options) -> epsilon_greedy<Inner>;

}  // namespace tunekit::screen
