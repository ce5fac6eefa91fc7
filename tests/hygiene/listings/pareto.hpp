// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/pareto.md speak of.

#include <span>
#include <vector>

#include "tests/hygiene/listings/listed.hpp"
#include "tunekit/measure/objective.hpp"
#include "tunekit/recipes/parego.hpp"
#include "tunekit/tune/pareto.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

namespace pareto {

using listed::gen, listed::space;

struct some_measurer {
    std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&)
    {
        return std::vector<tk::measure::measurement>(batch.size());
    }
};
inline some_measurer measurer;
inline void use(const auto&...) {}

}  // namespace pareto
