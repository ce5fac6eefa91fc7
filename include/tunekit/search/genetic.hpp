// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A genetic algorithm over the ordinals of a space.

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/search/detail/pending.hpp"
#include "tunekit/space/unvisited.hpp"

namespace tunekit::search {

/// Breeds generations of configurations. Parents are drawn with probability proportional to score + 1e-8. A child takes
/// the first coordinates of one parent and the rest of the other (one-point crossover). Each coordinate mutates with
/// probability `mutation`. A child that was proposed before or lies outside the constraints has random coordinates
/// re-drawn.
///
///     tk::search::genetic strategy{.population = 50};
///
/// Score:      lowest cost of the parents / cost, in (0, 1]; 0 for a failed measurement.
/// Failed:     a failed measurement stays in the parents with score 0. An abandoned one (`at_least`) stays with its
///             lower bound as its cost. Neither is ever an elite.
/// Pending:    a generation is bred when the one before is answered in full, so it waits at the end of each. With many
///             workers use a strategy that does not wait. Trials that somebody else chose join the parents.
/// Randomness: per child two `uniform_01` for the parents, one `uniform_index` for the crossover, one `uniform_01` per
///             coordinate, one `uniform_index` per mutated or re-drawn coordinate (two for a re-drawn one).
/// Cost:       O(population) per child.
/// Threads:    const calls on distinct states are safe.
/// Source:     AutoTVM's GATuner (Chen et al. 2018), as in Apache TVM 0.7.
/// Departures: scores are relative to the best, so that 1e-8 means the same in every unit; the last generation of a
///             space may be smaller than the population; with fewer than two in the parents children are random; a
///             child that does not become new and valid in `attempts` re-draws is replaced by a uniform unvisited
///             configuration, where the reference loops on.
struct genetic {
    std::size_t population = 100;  ///< >= 1; children per generation
    std::size_t elites = 3;        ///< number of the best measured that remain parents
    double mutation = 0.1;         ///< in [0, 1]; probability per coordinate
    std::size_t attempts = 64;     ///< re-draws of a coordinate of a child before the child is given up

    /// A measured configuration.
    struct member {
        index candidate = 0;                                    ///< its index in the space
        double cost = std::numeric_limits<double>::infinity();  ///< seconds; +inf where it failed
        bool complete = false;                                  ///< measured to the end, without failure

        friend bool operator==(const member&, const member&) = default;
    };

    /// The state of the generation in progress. A regular value: copy it to replay.
    struct state {
        space::unvisited rest;         ///< configurations that were not bred, drawn or observed yet
        std::vector<index> children;   ///< of the generation in progress
        std::size_t proposed = 0;      ///< how many of `children` were proposed, from the front
        std::vector<member> measured;  ///< answers of the generation in progress, in the order in which they came
        std::vector<member> elites;    ///< parents kept from all generations before, the fastest first
        detail::pending out;           ///< children proposed and not answered

        friend bool operator==(const state&, const state&) = default;
    };

    /// Starts a run. Throws std::invalid_argument where a parameter is out of range.
    template <space::counted Space>
    [[nodiscard]] state start(const Space&) const
    {
        require(population >= 1, "genetic: population is 0, want >= 1");
        require(mutation >= 0 && mutation <= 1, "genetic: mutation is outside [0, 1] or NaN, want a probability");
        return {};
    }

    /// At most `n` of the generation in progress, which is bred when the last one has been measured. Empty while its
    /// last children are out, and when the space is exhausted.
    template <class Space, generator G>
    [[nodiscard]] std::vector<index> propose(state& s, const Space& space, std::size_t n, G& gen) const
    {
        if (n == 0) return {};
        if (s.proposed == s.children.size()) {
            if (!s.out.empty() || s.rest.taken() >= space.size()) return {};
            breed(s, space, gen);
        }
        const std::size_t k = (std::min)(n, s.children.size() - s.proposed);
        const auto from = s.children.begin() + static_cast<std::ptrdiff_t>(s.proposed);
        s.proposed += k;
        std::vector<index> batch(from, from + static_cast<std::ptrdiff_t>(k));
        s.out.add(batch);
        return batch;
    }

    template <class Space, generator G>
    void observe(state& s, const Space&, std::span<const index> batch, std::span<const measure::measurement> measured,
                 G&) const
    {
        assert(batch.size() == measured.size());
        for (std::size_t i = 0; i < batch.size(); ++i) {
            // May be new, or a child that was not proposed yet: somebody else may have chosen it.
            if (!s.rest.take(batch[i]) && !s.out.take(batch[i])) forget(s, batch[i]);
            member m{.candidate = batch[i]};
            if (!measured[i].failed) m.cost = measured[i].cost;
            m.complete = measured[i].ok();
            s.measured.push_back(m);
        }
    }

private:
    /// Takes a child out of those that are still to be proposed.
    static void forget(state& s, index i);

    /// Running sums of score + 1e-8: the chance of parents[k] to be a parent is sums[k] - sums[k - 1].
    [[nodiscard]] static std::vector<double> chances(const std::vector<member>& parents);

    /// A position with chance proportional to its share of `sums`, but not `barred`.
    template <generator G>
    [[nodiscard]] static std::size_t pick(std::span<const double> sums, std::size_t barred, G& gen)
    {
        const auto below = [&](std::size_t k) { return k == 0 ? 0.0 : sums[k - 1]; };
        const bool bars = barred < sums.size();
        const double hole = bars ? sums[barred] - below(barred) : 0;
        double x = tunekit::random::uniform_01(gen) * (sums.back() - hole);
        if (bars && x >= below(barred)) x += hole;
        auto k = static_cast<std::size_t>(std::upper_bound(sums.begin(), sums.end(), x) - sums.begin());
        k = (std::min)(k, sums.size() - 1);
        if (k == barred) k = k + 1 < sums.size() ? k + 1 : k - 1;  // x was rounded into the hole or past the end
        return k;
    }

    template <class Space, generator G>
    void breed(state& s, const Space& space, G& gen) const
    {
        std::vector<member> parents = std::move(s.measured);
        parents.insert(parents.end(), s.elites.begin(), s.elites.end());
        s.measured.clear();
        s.children.clear();
        s.proposed = 0;
        s.elites.clear();
        for (const member& m : parents)
            if (m.complete) s.elites.push_back(m);
        const auto better = [](const member& a, const member& b) {
            return a.cost < b.cost || (a.cost == b.cost && a.candidate < b.candidate);
        };
        std::sort(s.elites.begin(), s.elites.end(), better);
        if (s.elites.size() > elites) s.elites.resize(elites);

        const std::size_t d = space.dimensions();
        std::vector<index> candidates;
        for (const member& m : parents) candidates.push_back(m.candidate);
        std::vector<std::uint16_t> genes(parents.size() * d);
        space.ordinals(candidates, genes);
        const std::vector<double> sums = chances(parents);
        const auto wanted = (std::min<index>)(population, space.size() - s.rest.taken());
        while (s.children.size() < wanted) {
            if (parents.size() < 2 || d == 0) {
                s.children.push_back(s.rest.draw(space, gen).value());
                continue;
            }
            const std::size_t a = pick(sums, parents.size(), gen);
            const std::size_t b = pick(sums, a, gen);
            std::vector<std::uint16_t> child(genes.begin() + static_cast<std::ptrdiff_t>(a * d),
                                             genes.begin() + static_cast<std::ptrdiff_t>((a + 1) * d));
            const auto point = static_cast<std::size_t>(tunekit::random::uniform_index(d, gen));
            for (std::size_t j = point; j < d; ++j) child[j] = genes[b * d + j];
            s.children.push_back(finish(s, space, child, gen));
        }
    }

    /// Mutates the child and re-draws coordinates until it is a configuration that is new.
    template <class Space, generator G>
    [[nodiscard]] index finish(state& s, const Space& space, std::vector<std::uint16_t>& child, G& gen) const
    {
        const std::span<const std::uint16_t> values = space.cardinalities();
        const auto redraw = [&](std::size_t j) {
            child[j] = static_cast<std::uint16_t>(tunekit::random::uniform_index(values[j], gen));
        };
        for (std::size_t j = 0; j < child.size(); ++j)
            if (tunekit::random::uniform_01(gen) < mutation) redraw(j);
        for (std::size_t attempt = 0; attempt <= attempts; ++attempt) {
            const auto i = space.index_of_ordinals(child);
            if (i && s.rest.take(*i)) return *i;
            redraw(static_cast<std::size_t>(tunekit::random::uniform_index(child.size(), gen)));
        }
        return s.rest.draw(space, gen).value();
    }
};

}  // namespace tunekit::search

#if TUNEKIT_BODIES
namespace tunekit::search {

TUNEKIT_INLINE void genetic::forget(state& s, index i)
{
    const auto waiting = s.children.begin() + static_cast<std::ptrdiff_t>(s.proposed);
    s.children.erase(std::remove(waiting, s.children.end(), i), s.children.end());
}

TUNEKIT_INLINE std::vector<double> genetic::chances(const std::vector<member>& parents)
{
    double best = std::numeric_limits<double>::infinity();
    for (const member& m : parents) best = (std::min)(best, m.cost);
    std::vector<double> sums;
    double sum = 0;
    for (const member& m : parents) {
        const bool scored = m.cost < std::numeric_limits<double>::infinity();
        sums.push_back(sum += (scored ? best / m.cost : 0.0) + 1e-8);
    }
    return sums;
}

}  // namespace tunekit::search
#endif  // TUNEKIT_BODIES
