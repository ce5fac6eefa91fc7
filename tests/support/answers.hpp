// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The answers that strategies get for a grid's configurations: every kind of answer that a measurer may give.
#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/random/philox.hpp"

namespace support {

/// `bowl` is a parabola of the index, `mixed` one with failures and abandoned runs in it.
enum class answers { bowl, equal, failures, abandoned, mixed, not_a_number };

/// The answer of `kind` for configuration `i`.
inline tunekit::measure::measurement answer(answers kind, tunekit::index i)
{
    const double away = static_cast<double>(i) - 17;
    tunekit::measure::measurement m{.cost = 1e-3 * (1 + away * away), .runs = 1};
    if (kind == answers::equal) m.cost = 1;
    if (kind == answers::failures || (kind == answers::mixed && i % 3 == 0)) m.failed = tunekit::measure::failure{};
    if (kind == answers::abandoned || (kind == answers::mixed && i % 5 == 1)) m.at_least = true;
    if (kind == answers::not_a_number)
        m.cost = i % 2 == 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    return m;
}

/// Proposes up to n, answers all of them, returns them.
template <class S, class State>
std::vector<tunekit::index> round_of(const S& strategy, State& state, const grid_space& space, std::size_t n,
                                     answers kind, tunekit::random::philox& gen)
{
    const auto batch = strategy.propose(state, space, n, gen);
    CHECK(batch.size() <= n);
    std::vector<tunekit::measure::measurement> measured;
    for (const tunekit::index i : batch) measured.push_back(answer(kind, i));
    strategy.observe(state, space, batch, measured, gen);
    return batch;
}

}  // namespace support
