// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What is known of a run over one space, as a value.

#include <string>

#include "outcome.hpp"
#include "tunekit/space/any_space.hpp"
#include "tunekit/tune/tuning.hpp"

namespace python {

/// The record of a run with its space and its name.
struct record {
    std::string name;
    tunekit::space::any_space space;
    tunekit::tuning found;
    judging judge{};  ///< of what is measured later
};

}  // namespace python
