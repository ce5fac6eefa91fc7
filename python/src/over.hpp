// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A candidate on its way through the inputs of a run.

#include "tunekit/measure/over.hpp"

namespace python {

using on_its_way = tunekit::measure::detail::input_track::run;

}  // namespace python
