// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Hill climbing: greedy search over neighbours, with restarts.

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/search/detail/pending.hpp"
#include "tunekit/space/unvisited.hpp"

namespace tunekit::search {

/// Climbs from the best of a few random configurations, the first centre. It proposes unmeasured neighbours of the
/// centre in random order, and moves the centre to the best of the first batch that holds a better one. When all
/// neighbours are measured and none is better, it starts again from new random configurations.
///
///     tk::search::hill_climb strategy{.starts = 16};
///
/// Failed:     a failed or abandoned measurement is never a centre. It counts as a start all the same.
/// Pending:    it never waits. A climb ends when no neighbour is left and none of its proposals is out. Until the last
///             answer has come, random starts of the next climb go out. Trials that somebody else chose belong to the
///             climb.
/// Randomness: one `uniform_index` per random start and rejection, and a shuffle of the neighbours per centre.
/// Cost:       one `neighbours_of` per centre, else O(1) per proposal.
/// Threads:    const calls on distinct states are safe.
/// Source:     multi-start local search with first improvement; textbook.
struct hill_climb {
    std::size_t starts = 8;                                        ///< >= 1; random configurations per climb
    space::neighbourhood steps = space::neighbourhood::any_value;  ///< the kind of neighbour

    /// One climb.
    struct climb {
        std::size_t starts_left = 0;                            ///< random starts still to propose
        std::optional<index> centre;                            ///< its best valid configuration; empty before one
        double cost = std::numeric_limits<double>::infinity();  ///< of the centre, in seconds; +inf without one
        detail::pending out;                                    ///< proposed for it and not answered

        friend bool operator==(const climb&, const climb&) = default;
    };

    /// The state of the climb in progress and of the next one. A regular value: copy it to replay.
    struct state {
        space::unvisited rest;      ///< configurations not proposed or observed yet
        climb now, next;            ///< the climb in progress, and the one whose starts go out while `now` waits
        bool listed = false;        ///< whether `around` belongs to the centre of `now`
        std::vector<index> around;  ///< neighbours of the centre not yet looked at, the next one last

        friend bool operator==(const state&, const state&) = default;
    };

    /// Starts a run. Throws std::invalid_argument where `starts` is 0.
    template <space::counted Space>
    [[nodiscard]] state start(const Space&) const
    {
        require(starts >= 1, "hill_climb: starts is 0, want >= 1");
        state s;
        s.now.starts_left = s.next.starts_left = starts;
        return s;
    }

    /// At most `n` configurations: starts or neighbours of one centre, never both. Empty when the space is exhausted.
    template <class Space, generator G>
    [[nodiscard]] std::vector<index> propose(state& s, const Space& space, std::size_t n, G& gen) const
    {
        std::vector<index> batch;
        if (n == 0 || s.rest.taken() >= space.size()) return batch;
        while (batch.empty()) {
            if (s.now.starts_left > 0) {
                batch = draw_starts(s.now, s.rest, space, n, gen);
            } else if (batch = neighbours(s, space, n, gen); !batch.empty()) {
                s.now.out.add(batch);
            } else if (!s.now.out.empty()) {
                batch = draw_starts(s.next, s.rest, space, n, gen);
            } else {
                s.now = std::exchange(s.next, {.starts_left = starts, .centre = {}, .out = {}});
                s.listed = false;
            }
        }
        return batch;
    }

    template <class Space, generator G>
    void observe(state& s, const Space&, std::span<const index> batch, std::span<const measure::measurement> measured,
                 G&) const
    {
        assert(batch.size() == measured.size());
        for (std::size_t i = 0; i < batch.size(); ++i) {
            s.rest.take(batch[i]);  // may be new: somebody else may have chosen it
            const bool of_next = s.next.out.take(batch[i]);
            climb& its = of_next ? s.next : s.now;
            if (!of_next) s.now.out.take(batch[i]);
            if (!measured[i].ok() || !(measured[i].cost < its.cost)) continue;
            its.centre = batch[i];
            its.cost = measured[i].cost;
            if (!of_next) s.listed = false;
        }
    }

private:
    /// Random starts: those that the climb has left, then one at a time. Precondition: the space has more.
    template <class Space, generator G>
    [[nodiscard]] static std::vector<index> draw_starts(climb& c, space::unvisited& rest, const Space& space,
                                                        std::size_t n, G& gen)
    {
        std::vector<index> batch;
        n = (std::min)(n, (std::max)(c.starts_left, std::size_t{1}));
        while (batch.size() < n) {
            const auto i = rest.draw(space, gen);
            if (!i) break;
            batch.push_back(*i);
        }
        c.starts_left -= (std::min)(c.starts_left, batch.size());
        c.out.add(batch);
        return batch;
    }

    /// New neighbours of the centre; none where there is no centre.
    template <class Space, generator G>
    [[nodiscard]] std::vector<index> neighbours(state& s, const Space& space, std::size_t n, G& gen) const
    {
        std::vector<index> batch;
        if (!s.now.centre) return batch;
        if (!s.listed) {
            s.around = space.neighbours_of(*s.now.centre, steps);
            for (std::size_t i = s.around.size(); i > 1; --i)
                std::swap(s.around[i - 1], s.around[static_cast<std::size_t>(tunekit::random::uniform_index(i, gen))]);
            s.listed = true;
        }
        while (batch.size() < n && !s.around.empty()) {
            if (s.rest.take(s.around.back())) batch.push_back(s.around.back());
            s.around.pop_back();
        }
        return batch;
    }
};

}  // namespace tunekit::search
