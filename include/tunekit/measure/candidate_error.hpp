// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How a kernel says what is wrong with a candidate, beyond words.

#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"

namespace tunekit::measure {

/// Thrown by what `timed` calls (kernel, run or check): the measurement has the failure `why`, kind and code included.
struct candidate_error : error {
    explicit candidate_error(failure what) : error(what.message), why(std::move(what)) {}
    failure why;
};

}  // namespace tunekit::measure
