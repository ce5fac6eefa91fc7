// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A search strategy that starts from a known configuration and takes small steps first.

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/online/detail/tried.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::online {

/// Proposes configurations near the best one known, and takes wider steps only where near ones gave nothing. It begins
/// with the next values of each parameter. Then come other values of one parameter, then of two parameters, then
/// anything. A better configuration becomes the centre, and the steps are small again. A step that was an improvement
/// is tried once more in its direction.
///
/// Use it where every trial costs the application time. Neighbours of a configuration in use are seldom much slower
/// than it; random configurations often are. For a search without a known configuration, search::hill_climb is better.
///
/// Failed measurements never become a centre. Before anything is known, it proposes random configurations.
/// Pending:    proposed once, whatever becomes of it.
/// Large spaces: above 2^32 configurations, a new one is taken for an old one with probability 2^-32 per proposal made.
/// Randomness: a shuffle of the next values per centre; one neighbour of the space per wider draw and rejection.
/// Cost:       one `neighbours_of` per centre, at most `attempts` neighbours per wider draw. The state has 4 to 5 bytes
///             per proposal.
/// Threads:    const calls on distinct states are safe.
/// Source:     variable neighbourhood search: Mladenovic, Hansen (1997), Computers and Operations Research 24.
/// Departures: a wider step is never followed by a descent from a worse configuration.
struct widening {
    std::uint32_t attempts = 24;  ///< >= 1; after so many draws that were all seen before, the steps widen

    /// The width of the steps.
    enum class reach : std::uint8_t {
        adjacent,        ///< the next values of one parameter
        any_value,       ///< any other value of one parameter
        two_parameters,  ///< other values of two parameters
        anything         ///< any configuration
    };

    /// The state of the search. A regular value: copy it to replay.
    struct state {
        detail::tried seen;  ///< the configurations that were proposed or observed
        /// The best configuration, and the best before it; empty before there is one.
        std::optional<index> centre, before;
        double cost = std::numeric_limits<double>::infinity();  ///< the seconds of the centre; +inf before there is one
        reach how_far = reach::anything;                        ///< the width of the current steps
        std::vector<index> next;  ///< adjacent configurations not proposed yet, the next one last

        friend bool operator==(const state&, const state&) = default;
    };

    /// Starts a run. Throws std::invalid_argument where `attempts` is 0.
    template <space::counted Space>
    [[nodiscard]] state start(const Space&) const
    {
        require(attempts >= 1, "widening: attempts is 0, want >= 1");
        return {};
    }

    /// At most `n` configurations. Empty when the space is exhausted.
    template <class Space, generator G>
    [[nodiscard]] std::vector<index> propose(state& s, const Space& space, std::size_t n, G& gen) const
    {
        std::vector<index> batch;
        while (batch.size() < n) {
            const std::optional<index> i = draw(s, space, gen);
            if (!i) break;
            batch.push_back(*i);
        }
        return batch;
    }

    /// Takes the measurements of a batch. The fastest one below the centre's cost becomes the centre.
    template <class Space, generator G>
    void observe(state& s, const Space& space, std::span<const index> batch,
                 std::span<const measure::measurement> measured, G& gen) const
    {
        assert(batch.size() == measured.size());
        for (std::size_t i = 0; i < batch.size(); ++i) {
            s.seen.take(batch[i], space);  // may be new: configurations that somebody else chose are observed too
            if (!measured[i].ok() || !(measured[i].cost < s.cost)) continue;
            s.before = std::exchange(s.centre, batch[i]);
            s.cost = measured[i].cost;
            look_around(s, space, gen);
        }
    }

private:
    template <class Space, generator G>
    static void look_around(state& s, const Space& space, G& gen)
    {
        s.how_far = reach::adjacent;
        s.next = space.neighbours_of(*s.centre, space::neighbourhood::adjacent);
        for (std::size_t i = s.next.size(); i > 1; --i)
            std::swap(s.next[i - 1], s.next[static_cast<std::size_t>(tunekit::random::uniform_index(i, gen))]);
        if (const auto further = once_more(s, space)) s.next.push_back(*further);
    }

    /// The centre moved on by the step that led to it; empty where that is no configuration.
    template <class Space>
    [[nodiscard]] static std::optional<index> once_more(const state& s, const Space& space)
    {
        if (!s.before) return std::nullopt;
        const std::size_t d = space.dimensions();
        std::vector<std::uint16_t> rows(2 * d);
        const index both[2] = {*s.before, *s.centre};
        space.ordinals(both, rows);
        const auto sizes = space.cardinalities();
        for (std::size_t j = 0; j < d; ++j) {
            const int to = 2 * rows[d + j] - rows[j];
            rows[j] = static_cast<std::uint16_t>(std::clamp(to, 0, static_cast<int>(sizes[j]) - 1));
        }
        return space.index_of_ordinals(std::span<const std::uint16_t>(rows).first(d));
    }

    template <class Space, generator G>
    [[nodiscard]] std::optional<index> draw(state& s, const Space& space, G& gen) const
    {
        for (; !s.next.empty(); s.next.pop_back())
            if (s.seen.take(s.next.back(), space)) return s.next.back();
        while (s.centre && s.how_far < reach::anything) {
            if (s.how_far != reach::adjacent)
                if (const auto i = around(s, space, gen)) return i;
            s.how_far = static_cast<reach>(static_cast<std::uint8_t>(s.how_far) + 1);
        }
        return s.seen.draw(space, gen);
    }

    template <class Space, generator G>
    [[nodiscard]] std::optional<index> around(state& s, const Space& space, G& gen) const
    {
        const auto kind =
            s.how_far == reach::any_value ? space::neighbourhood::any_value : space::neighbourhood::hamming_2;
        for (std::uint32_t k = 0; k < attempts; ++k) {
            index to = *s.centre;
            space.neighbours({&*s.centre, 1}, {&to, 1}, kind, gen);
            if (s.seen.take(to, space)) return to;
        }
        return std::nullopt;
    }
};

}  // namespace tunekit::online
