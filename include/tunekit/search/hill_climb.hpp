// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Greedy search over neighbours, with restarts.

#include <cassert>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/space/unvisited.hpp"

namespace tunekit::search {

/// Climbs from the best of a few random configurations: proposes unmeasured neighbours of the centre in random order and
/// moves the centre to the best of the first batch that holds a better one. With all neighbours measured and none better,
/// it starts again from new random configurations.
///
///     tk::search::hill_climb strategy{.starts = 16};
///
/// Failed and abandoned measurements: never a centre; a failed one counts as a start all the same.
/// Randomness: one `uniform_index` per random start and rejection, and a shuffle of the neighbours per centre.
/// Cost:       one `neighbours_of` per centre, O(1) per proposal else.
/// Threads:    const calls on distinct states are safe.
/// Source:     multi-start local search with first improvement; textbook.
struct hill_climb {
    std::size_t starts = 8;                                            ///< >= 1; random configurations per climb
    space::neighbourhood steps = space::neighbourhood::any_value;      ///< what a neighbour is

    /// The climb. A regular value: copy it to replay.
    struct state {
        space::unvisited rest;
        std::size_t seeds_left = 0;     ///< random starts still to propose before the climb begins
        std::optional<index> centre;    ///< best of this climb
        double cost = std::numeric_limits<double>::infinity();  ///< seconds, of the centre
        bool listed = false;            ///< whether `around` is of this centre
        std::vector<index> around;      ///< its neighbours not yet looked at, the next one last

        friend bool operator==(const state&, const state&) = default;
    };

    /// Throws std::invalid_argument where `starts` is 0.
    template <space::counted Space>
    [[nodiscard]] state start(const Space&) const
    {
        require(starts >= 1, "hill_climb: starts is 0, want >= 1");
        state s;
        s.seeds_left = starts;
        return s;
    }

    /// At most `n`: starts or neighbours of one centre, never both. Empty when the space is exhausted.
    template <class Space, generator G>
    [[nodiscard]] std::vector<index> propose(state& s, const Space& space, std::size_t n, G& gen) const
    {
        std::vector<index> batch;
        if (s.seeds_left == 0 && s.centre) {
            if (!s.listed) list(s, space, gen);
            while (batch.size() < n && !s.around.empty()) {
                if (s.rest.take(s.around.back())) batch.push_back(s.around.back());
                s.around.pop_back();
            }
        }
        if (batch.empty() && s.seeds_left == 0) restart(s);
        while (batch.size() < n && s.seeds_left > 0) {
            const auto i = s.rest.draw(space, gen);
            if (!i) break;
            batch.push_back(*i);
            --s.seeds_left;
        }
        return batch;
    }

    template <class Space, generator G>
    void observe(state& s, const Space&, std::span<const index> batch, std::span<const measure::measurement> measured,
                 G&) const
    {
        assert(batch.size() == measured.size());
        for (std::size_t i = 0; i < batch.size(); ++i) {
            s.rest.take(batch[i]);  // news where somebody else chose it
            if (!measured[i].ok() || !(measured[i].cost < s.cost)) continue;
            s.centre = batch[i];
            s.cost = measured[i].cost;
            s.listed = false;
        }
    }

private:
    void restart(state& s) const
    {
        s.seeds_left = starts;
        s.centre.reset();
        s.cost = std::numeric_limits<double>::infinity();
        s.listed = false;
    }

    template <class Space, generator G>
    void list(state& s, const Space& space, G& gen) const
    {
        s.around = space.neighbours_of(*s.centre, steps);
        for (std::size_t i = s.around.size(); i > 1; --i)
            std::swap(s.around[i - 1], s.around[static_cast<std::size_t>(tunekit::random::uniform_index(i, gen))]);
        s.listed = true;
    }
};

}  // namespace tunekit::search
