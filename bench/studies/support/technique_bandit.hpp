// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// OpenTuner's kind of search, from our own parts where they exist: techniques under a bandit that share what they measure.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/random/choice.hpp"
#include "tunekit/random/normal.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/search/any_strategy.hpp"
#include "tunekit/space/unvisited.hpp"

namespace programs {

namespace detail {

/// Costs as searches see them: infinite where nothing is known.
inline double cost_of(const tunekit::measure::measurement& m)
{
    return m.ok() ? m.cost : std::numeric_limits<double>::infinity();
}

/// The configuration with these ordinals where it is one that was not taken yet; takes it.
template <class Space>
std::optional<tunekit::index> take_row(const Space& space, std::span<const std::uint16_t> row,
                                       tunekit::space::unvisited& rest)
{
    const auto i = space.index_of_ordinals(row);
    return i && rest.take(*i) ? i : std::nullopt;
}

constexpr int attempts = 32;  ///< at a new member of the space

}  // namespace detail

/// Differential evolution over ordinals. The oldest member of the population is crossed with a + F (b - c), a, b, c three of the
/// others and the best known, F from [0.5, 1], and replaced where the child is better. A switch takes the value of a where b and c
/// agree, else a random one.
///
/// Source: Ansel et al. (2014), OpenTuner, PACT; opentuner/search/differentialevolution.py of OpenTuner 0.8.8, whose default technique
///         uses the settings below (DifferentialEvolutionAlt; its DifferentialEvolution has a crossing of 0.9).
/// Departures: never a configuration that was measured before, which OpenTuner asks for again, and counts, after 5 attempts.
struct differential_evolution {
    std::size_t population = 30;
    double crossing = 0.2;  ///< share of parameters that a child takes from the mutant; one at least

    struct state {
        tunekit::space::unvisited rest;
        std::vector<tunekit::index> members;
        std::vector<double> costs;        ///< of members
        std::vector<std::uint64_t> ages;  ///< of members: when they were last tried against
        std::uint64_t now = 0;
        std::vector<std::pair<tunekit::index, std::size_t>> out;  ///< children, and the members that they may replace
        tunekit::index best = 0;
        double lowest = std::numeric_limits<double>::infinity();

        friend bool operator==(const state&, const state&) = default;
    };

    template <class Space>
    [[nodiscard]] state start(const Space&) const
    {
        return {};
    }

    template <class Space, tunekit::generator G>
    [[nodiscard]] std::vector<tunekit::index> propose(state& s, const Space& space, std::size_t n, G& gen) const
    {
        std::vector<tunekit::index> batch;
        while (batch.size() < n) {
            const bool beginning = s.members.size() < population;
            const std::size_t target = beginning ? s.members.size() : oldest(s);
            std::optional<tunekit::index> i;
            if (!beginning) i = child(s, space, target, gen);
            if (!i) i = s.rest.draw(space, gen);
            if (!i) break;
            if (beginning) {
                s.members.push_back(*i);
                s.costs.push_back(std::numeric_limits<double>::infinity());
                s.ages.push_back(0);
            }
            s.ages[target] = ++s.now;
            s.out.emplace_back(*i, target);
            batch.push_back(*i);
        }
        return batch;
    }

    template <class Space, tunekit::generator G>
    void observe(state& s, const Space&, std::span<const tunekit::index> batch,
                 std::span<const tunekit::measure::measurement> measured, G&) const
    {
        for (std::size_t k = 0; k < batch.size(); ++k) {
            s.rest.take(batch[k]);
            const double cost = detail::cost_of(measured[k]);
            if (cost < s.lowest) {
                s.lowest = cost;
                s.best = batch[k];
            }
            const auto own =
                std::find_if(s.out.begin(), s.out.end(), [&](const auto& o) { return o.first == batch[k]; });
            if (own == s.out.end()) continue;
            const std::size_t to = own->second;
            s.out.erase(own);
            if (s.members[to] != batch[k] && !(cost < s.costs[to])) continue;
            s.members[to] = batch[k];
            s.costs[to] = cost;
        }
    }

private:
    static std::size_t oldest(const state& s)
    {
        return static_cast<std::size_t>(std::min_element(s.ages.begin(), s.ages.end()) - s.ages.begin());
    }

    template <class Space, class G>
    std::optional<tunekit::index> child(state& s, const Space& space, std::size_t target, G& gen) const
    {
        const std::size_t d = space.dimensions();
        const auto sizes = space.cardinalities();
        for (int attempt = 0; attempt < detail::attempts; ++attempt) {
            std::vector<tunekit::index> others = s.members;
            others[target] = s.best;
            tunekit::random::shuffle(others, gen);
            const tunekit::index from[4]{s.members[target], others[0], others[1], others[2]};
            std::vector<std::uint16_t> rows(4 * d);
            space.ordinals(from, rows);
            const double factor = 0.5 + 0.5 * tunekit::random::uniform_01(gen);
            const std::size_t always = tunekit::random::uniform_index(d, gen);
            for (std::size_t j = 0; j < d; ++j) {
                if (j != always && !(tunekit::random::uniform_01(gen) < crossing)) continue;
                const double a = rows[d + j], b = rows[2 * d + j], c = rows[3 * d + j];
                double x = a + std::round(factor * (b - c));
                if (sizes[j] == 2 && b != c) x = static_cast<double>(tunekit::random::uniform_index(2, gen));
                rows[j] = static_cast<std::uint16_t>((std::clamp)(x, 0.0, sizes[j] - 1.0));
            }
            if (const auto i = detail::take_row(space, std::span(rows).first(d), s.rest)) return i;
        }
        return std::nullopt;
    }
};

/// The best known with a share of its parameters changed, one at least: drawn anew, or moved by a normal step where `sigma` > 0,
/// a switch to its other value.
///
/// Source: opentuner/search/evolutionarytechniques.py of OpenTuner 0.8.8: UniformGreedyMutation as it stands, NormalGreedyMutation with
///         a share of 0.3 and a sigma of 0.1. Departures: never a configuration that was measured before.
struct greedy_mutation {
    double share = 0.1;
    double sigma = 0;  ///< of a normal step, as a share of a parameter's range; 0: drawn anew

    struct state {
        tunekit::space::unvisited rest;
        std::optional<tunekit::index> best;
        double lowest = std::numeric_limits<double>::infinity();

        friend bool operator==(const state&, const state&) = default;
    };

    template <class Space>
    [[nodiscard]] state start(const Space&) const
    {
        return {};
    }

    template <class Space, tunekit::generator G>
    [[nodiscard]] std::vector<tunekit::index> propose(state& s, const Space& space, std::size_t n, G& gen) const
    {
        std::vector<tunekit::index> batch;
        while (batch.size() < n) {
            std::optional<tunekit::index> i;
            for (int attempt = 0; s.best && !i && attempt < detail::attempts; ++attempt) i = mutant(s, space, gen);
            if (!i) i = s.rest.draw(space, gen);
            if (!i) break;
            batch.push_back(*i);
        }
        return batch;
    }

    template <class Space, tunekit::generator G>
    void observe(state& s, const Space&, std::span<const tunekit::index> batch,
                 std::span<const tunekit::measure::measurement> measured, G&) const
    {
        for (std::size_t k = 0; k < batch.size(); ++k) {
            s.rest.take(batch[k]);
            if (!(detail::cost_of(measured[k]) < s.lowest)) continue;
            s.lowest = detail::cost_of(measured[k]);
            s.best = batch[k];
        }
    }

private:
    template <class Space, class G>
    std::optional<tunekit::index> mutant(state& s, const Space& space, G& gen) const
    {
        std::vector<std::uint16_t> row(space.dimensions());
        const auto sizes = space.cardinalities();
        space.ordinals({&*s.best, 1}, row);
        const std::size_t always = tunekit::random::uniform_index(row.size(), gen);
        for (std::size_t j = 0; j < row.size(); ++j)
            if (j == always || tunekit::random::uniform_01(gen) < share) row[j] = changed(row[j], sizes[j], gen);
        return detail::take_row(space, row, s.rest);
    }

    template <class G>
    [[nodiscard]] std::uint16_t changed(std::uint16_t value, std::size_t size, G& gen) const
    {
        if (sigma == 0) return static_cast<std::uint16_t>(tunekit::random::uniform_index(size, gen));
        if (size == 2) return static_cast<std::uint16_t>(1 - value);
        const auto n = static_cast<double>(size);
        double x = std::abs((value + 0.5) / n + sigma * tunekit::random::normal(gen));
        if (x > 1) x = 1 - std::fmod(x, 1.0);
        return static_cast<std::uint16_t>((std::min)(std::floor(x * n), n - 1));
    }
};

/// Asks one of several techniques at a time, that with the highest
///     AUC_k + exploration sqrt(2 log2 |window| / uses_k),
/// AUC_k the area under the curve of a technique's new bests over its uses in the window: recent successes count most. All
/// techniques hear every measurement.
///
/// Source: Ansel et al. (2014), section 3.2; opentuner/search/bandittechniques.py of OpenTuner 0.8.8: the same credit, window and
///         exploration; Fialho et al. (2010), Analyzing Bandit-based Adaptive Operator Selection Mechanisms.
/// Departures: equals by their order instead of at random; one measurement at a time, where OpenTuner's default is to ask for four before
///         it looks; no seed configuration, which OpenTuner has on request only.
struct technique_bandit {
    std::vector<tunekit::search::any_strategy> techniques;
    std::size_t window = 500;
    double exploration = 0.05;

    struct state {
        std::vector<tunekit::search::any_strategy::state> runs;
        std::deque<std::pair<std::size_t, bool>> history;  ///< technique, and whether it found a new best
        std::optional<tunekit::index> out;
        std::size_t asked = 0;  ///< whose proposal that is
        double lowest = std::numeric_limits<double>::infinity();
    };

    [[nodiscard]] state start(const tunekit::space::any_space& space) const
    {
        state s;
        for (const auto& t : techniques) s.runs.push_back(t.start(space));
        return s;
    }

    /// One, and none while that is out: two techniques would propose the same.
    [[nodiscard]] std::vector<tunekit::index> propose(state& s, const tunekit::space::any_space& space, std::size_t n,
                                                      tunekit::random::philox& gen) const
    {
        std::vector<tunekit::index> one;
        if (n == 0 || s.out) return one;
        auto worth = worths(s);
        for (std::size_t tries = 0; one.empty() && tries < worth.size(); ++tries) {
            s.asked = static_cast<std::size_t>(std::max_element(worth.begin(), worth.end()) - worth.begin());
            worth[s.asked] = -std::numeric_limits<double>::infinity();
            one = techniques[s.asked].propose(s.runs[s.asked], space, 1, gen);
        }
        if (!one.empty()) s.out = one.front();
        return one;
    }

    void observe(state& s, const tunekit::space::any_space& space, std::span<const tunekit::index> batch,
                 std::span<const tunekit::measure::measurement> measured, tunekit::random::philox& gen) const
    {
        for (std::size_t k = 0; k < techniques.size(); ++k)
            techniques[k].observe(s.runs[k], space, batch, measured, gen);
        for (std::size_t k = 0; k < batch.size(); ++k) {
            const double cost = detail::cost_of(measured[k]);
            const bool better = cost < s.lowest;
            s.lowest = (std::min)(s.lowest, cost);
            if (s.out != batch[k]) continue;
            s.out.reset();
            s.history.emplace_back(s.asked, better);
            if (s.history.size() > window) s.history.pop_front();
        }
    }

private:
    [[nodiscard]] std::vector<double> worths(const state& s) const
    {
        std::vector<double> uses(techniques.size()), area(techniques.size());
        for (const auto& [k, better] : s.history) {
            ++uses[k];
            if (better) area[k] += uses[k];
        }
        for (std::size_t k = 0; k < uses.size(); ++k) {
            if (uses[k] == 0) area[k] = std::numeric_limits<double>::infinity();
            else
                area[k] = 2 * area[k] / (uses[k] * (uses[k] + 1)) +
                          exploration * std::sqrt(2 * std::log2(static_cast<double>(s.history.size())) / uses[k]);
        }
        return area;
    }
};

}  // namespace programs
