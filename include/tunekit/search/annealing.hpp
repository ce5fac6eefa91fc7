// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Simulated annealing on measured costs, with restarts.

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/search/detail/pending.hpp"
#include "tunekit/space/unvisited.hpp"
#include "tunekit/stats/moments.hpp"

namespace tunekit::search {

/// Walks from a configuration to its neighbours. A slower neighbour is accepted with a probability that falls with its
/// cost and with the length of the walk. Every step is a measurement, so no step goes to a measured configuration. A
/// walk that found nothing better for `patience` steps is given up. A new walk starts from the best of `starts` random
/// configurations.
///
///     auto found = tk::tune(space, measure, tk::search::annealing{.patience = 60}, {.trials = 512}, gen);
///
/// A neighbour of cost c' is accepted from cost c where c' <= c, else with probability
///     exp(-(ln c' - ln c) / (temperature * s * cooling^k)),
/// where s is the standard deviation of ln cost over everything measured, and k the number of steps of this walk.
/// Scaling all costs, or raising them to a power, changes nothing. All proposals of a batch are neighbours of one
/// configuration. They are accepted in the batch's order. A proposal changes one parameter: to the next or the previous
/// value with probability `adjacent`, else to any value. Where `attempts` such draws were all measured before, it is
/// any unmeasured neighbour. If all are measured, it is a configuration two parameters away, and at last any
/// configuration.
///
/// Failed:     a failed or abandoned measurement is never accepted. It counts as a step and towards `patience`.
/// Pending:    it never waits. Steps start from the walk's current configuration. An answer is compared with the
///             configuration that is current when it comes. With every start still out, further random ones go out. An
///             answer for a walk that was given up changes only the spread. So does a configuration that somebody else
///             measured once all starts are proposed; before that it takes the place of a start.
/// Randomness: per proposal and attempt one `uniform_01` and one neighbour of the space; one `uniform_01` per slower
///             answer.
/// Cost:       one `neighbours` per attempt; a `neighbours_of` where all attempts failed.
/// Threads:    const calls on distinct states are safe.
/// Source:     Kirkpatrick, Gelatt, Vecchi (1983), Optimization by Simulated Annealing, Science 220.
/// Departures: logarithms of costs in units of their spread; no step twice; restarts, as the budget is not known to it.
struct annealing {
    std::size_t starts = 8;     ///< >= 1; random configurations per walk
    double temperature = 0.05;  ///< >= 0; in standard deviations of ln cost
    double cooling = 0.97;      ///< in (0, 1]; per step of a walk
    double adjacent = 0.2;      ///< in [0, 1]; share of steps to the next or the previous value of a parameter
    std::size_t patience = 25;  ///< >= 1; steps of a walk without a better one
    std::size_t attempts = 16;  ///< draws of a neighbour that was not measured

    /// The state of the walk. A regular value: copy it to replay.
    struct state {
        space::unvisited rest;         ///< configurations not proposed or observed yet
        std::size_t starts_left = 0;   ///< starts of this walk still to propose
        std::optional<index> current;  ///< where the walk stands; empty before a valid start
        double log_cost = std::numeric_limits<double>::infinity();  ///< ln of the seconds of `current`
        double lowest = std::numeric_limits<double>::infinity();    ///< the lowest ln cost of this walk
        std::uint64_t steps = 0;                                    ///< answered steps of this walk
        std::uint64_t stale = 0;                                    ///< those of them since `lowest` was found
        stats::running_moments log_costs;                           ///< of the ln costs of all walks
        detail::pending starts_out, steps_out;                      ///< proposals of this walk without an answer
        detail::pending given_up;                                   ///< proposals of earlier walks without an answer

        friend bool operator==(const state&, const state&) = default;
    };

    /// Starts a run. Throws std::invalid_argument where a parameter is out of range.
    template <space::counted Space>
    [[nodiscard]] state start(const Space&) const
    {
        require(starts >= 1, "annealing: starts is 0, want >= 1");
        require(temperature >= 0, "annealing: temperature is negative or NaN, want >= 0");
        require(cooling > 0 && cooling <= 1, "annealing: cooling is outside (0, 1] or NaN, want a factor per step");
        require(adjacent >= 0 && adjacent <= 1, "annealing: adjacent is outside [0, 1] or NaN, want a share");
        require(patience >= 1, "annealing: patience is 0, want >= 1");
        state s;
        s.starts_left = starts;
        return s;
    }

    /// At most `n` configurations: starts of a walk or steps of it, never both. Empty when the space is exhausted.
    template <class Space, generator G>
    [[nodiscard]] std::vector<index> propose(state& s, const Space& space, std::size_t n, G& gen) const
    {
        std::vector<index> batch;
        if (n == 0 || s.rest.taken() >= space.size()) return batch;
        const bool ended = s.current ? s.stale >= patience : s.starts_out.empty();
        if (s.starts_left == 0 && ended) give_up(s);
        const bool starting = s.starts_left > 0 || !s.current;
        if (starting) n = (std::min)(n, (std::max)(s.starts_left, std::size_t{1}));
        while (batch.size() < n) {
            const std::optional<index> i = starting ? s.rest.draw(space, gen) : step(s, space, gen);
            if (!i) break;
            batch.push_back(*i);
        }
        if (starting) s.starts_left -= (std::min)(s.starts_left, batch.size());
        (starting ? s.starts_out : s.steps_out).add(batch);
        return batch;
    }

    template <class Space, generator G>
    void observe(state& s, const Space&, std::span<const index> batch, std::span<const measure::measurement> measured,
                 G& gen) const
    {
        assert(batch.size() == measured.size());
        for (std::size_t i = 0; i < batch.size(); ++i) {
            s.rest.take(batch[i]);  // may be new: somebody else may have chosen it
            const role what = role_of(s, batch[i]);
            if (what == role::step) {
                ++s.steps;
                ++s.stale;
            }
            if (!measured[i].ok()) continue;
            const double x = std::log(measured[i].cost);
            s.log_costs.add(x);
            if (what == role::none) continue;
            if (x < s.lowest) {
                s.lowest = x;
                s.stale = 0;
            }
            const double heat =
                what == role::start ? 0 : temperature * spread(s) * std::pow(cooling, static_cast<double>(s.steps));
            const double rise = x - s.log_cost;
            if (rise <= 0 || (heat > 0 && tunekit::random::uniform_01(gen) < std::exp(-rise / heat))) {
                s.current = batch[i];
                s.log_cost = x;
            }
        }
    }

private:
    /// What a configuration is to the walk.
    enum class role : std::uint8_t { start, step, none };

    [[nodiscard]] static role role_of(state& s, index i)
    {
        if (s.starts_out.take(i)) return role::start;
        if (s.steps_out.take(i)) return role::step;
        if (s.given_up.take(i) || s.starts_left == 0) return role::none;
        --s.starts_left;
        return role::start;
    }

    void give_up(state& s) const
    {
        s.given_up.add(s.starts_out.candidates());
        s.given_up.add(s.steps_out.candidates());
        s.starts_out = s.steps_out = {};
        s.starts_left = starts;
        s.current.reset();
        s.log_cost = s.lowest = std::numeric_limits<double>::infinity();
        s.steps = s.stale = 0;
    }

    [[nodiscard]] static double spread(const state& s)
    {
        return s.log_costs.count() > 1 ? std::sqrt(s.log_costs.sample_variance()) : 0;
    }

    /// Takes an unmeasured configuration near the current one. Precondition: there is a current one.
    template <class Space, generator G>
    [[nodiscard]] std::optional<index> step(state& s, const Space& space, G& gen) const
    {
        using space::neighbourhood;
        const index from = *s.current;
        const auto take = [&](neighbourhood kind) -> std::optional<index> {
            index to = from;
            space.neighbours(std::span<const index>(&from, 1), std::span<index>(&to, 1), kind, gen);
            return s.rest.take(to) ? std::optional(to) : std::nullopt;
        };
        for (std::size_t k = 0; k < attempts; ++k) {
            const bool next = tunekit::random::uniform_01(gen) < adjacent;
            if (const auto to = take(next ? neighbourhood::adjacent : neighbourhood::any_value)) return to;
        }
        std::vector<index> around = space.neighbours_of(from, neighbourhood::any_value);
        std::erase_if(around, [&](index i) { return s.rest.contains(i); });
        if (!around.empty()) {
            const index to = around[static_cast<std::size_t>(tunekit::random::uniform_index(around.size(), gen))];
            s.rest.take(to);
            return to;
        }
        for (std::size_t k = 0; k < attempts; ++k)
            if (const auto to = take(neighbourhood::hamming_2)) return to;
        return s.rest.draw(space, gen);
    }
};

}  // namespace tunekit::search
