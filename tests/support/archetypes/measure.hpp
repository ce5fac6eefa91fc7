// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A minimal measurer and a minimal clock, for compile-time checks of concepts.

#include <span>
#include <vector>

#include "tunekit/measure/concepts.hpp"

namespace tunekit::archetype {

/// A measure::measurer with no other members: neither copied nor moved, declared only.
struct measurer {
    measurer() = delete;
    measurer(const measurer&) = delete;
    measurer& operator=(const measurer&) = delete;
    ~measurer() = default;

    std::vector<measure::measurement> measure(std::span<const index> batch, const measure::limits& l);
};

/// A measure::clock with no other members.
struct clock {
    clock() = delete;
    clock(const clock&) = delete;
    clock& operator=(const clock&) = delete;
    ~clock() = default;

    double operator()();
};

static_assert(measure::measurer<measurer> && measure::clock<clock>);

}  // namespace tunekit::archetype
