// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a trial gave, as Python tells it.

#include <string>
#include <string_view>

#include "tunekit/measure/measurement.hpp"

namespace python {

/// What is wrong with a cost, in a sentence that names it; empty for a positive finite number.
std::string bad_cost(double cost);

/// The measurement of a trial that took `seconds`: its cost where `kind` is empty, else its failure.
/// Throws std::invalid_argument, which begins with `who`, for a cost that is no positive finite number and for an unknown kind.
tunekit::measure::measurement measurement_of(std::string_view who, double cost, const std::string& kind,
                                             const std::string& message, double seconds);

}  // namespace python
