// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What is known of a run over one space, as a value.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "outcome.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/space/any_space.hpp"
#include "tunekit/tune/tuning.hpp"

namespace python {

/// The record of a run with its space and its name.
struct record {
    std::string name;
    tunekit::space::any_space space;
    tunekit::tuning found;
    judging judge{};                           ///< of what is measured later
    std::optional<tunekit::index> baseline{};  ///< what is in use today
    bool never_worse = false;                  ///< whether it is the best unless another was shown to be better
    tunekit::measure::race_result race{};      ///< at the end of the run, where there was one
    std::vector<std::size_t> goals{};          ///< of that race; empty: one
};

}  // namespace python
