// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A reading for programs that write JSON. Needs nlohmann-json.

#include <string>
#include <vector>

#include "tunekit/processes/program/finished_run.hpp"

namespace tunekit::measure {

/// The number at a JSON pointer (RFC 6901) of the result file of a run, or of its standard output where it has no file.
///
///     program_options{.command = {"./bench"}, .cost = at_pointer("/benchmarks/0/real_time")}
///
/// Text that is no JSON, or has no number there, is a failure `bad_cost`. It is read without a copy of what else it
/// has.
class at_pointer {
public:
    /// Takes a pointer such as "/result/seconds". Throws std::invalid_argument where it is not a pointer.
    explicit at_pointer(const std::string& pointer);

    /// The number of `run`. Throws a candidate_error of kind `bad_cost` where it is missing.
    [[nodiscard]] double operator()(const finished_run& run) const;

private:
    std::string pointer_;
    std::vector<std::string> names_;  ///< its parts, the outermost first
};

}  // namespace tunekit::measure
