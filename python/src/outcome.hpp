// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a trial gave, as Python tells it.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/measure/measurement.hpp"
#include "tunekit/measure/objective.hpp"

namespace python {

/// What is wrong with a cost, in a sentence that names it; empty for a positive finite number.
std::string bad_cost(double cost);

/// The kind of a failure, by its word; empty for an empty one. Throws std::invalid_argument, which begins with `who`, for any other word.
std::optional<tunekit::measure::failure_kind> kind_of(std::string_view who, std::string_view kind);

/// What a run makes of its measurements: numbers beside the cost by their names, and an objective where there is one.
struct judging {
    std::vector<std::string> numbers{};                      ///< names, in their order
    std::optional<tunekit::measure::objective> objective{};  ///< empty: the cost counts

    judging() = default;
    /// Throws std::invalid_argument for more than 8 names, one twice, or what is no objective over them.
    judging(std::vector<std::string> names, const std::string& text);

    /// The names of the values of a trial.
    [[nodiscard]] std::vector<std::string> value_names() const;
    /// The text that a log has.
    [[nodiscard]] std::string text() const { return objective ? objective->text() : std::string(); }
    /// The measurement as the run has it, with these numbers.
    [[nodiscard]] tunekit::measure::measurement operator()(tunekit::measure::measurement m,
                                                           const std::vector<double>& values) const;
};

/// The measurement of a trial that took `seconds`: its cost where `kind` is empty, else its failure.
/// Throws std::invalid_argument, which begins with `who`, for a cost that is no positive finite number and for an unknown kind.
/// `runs` are those that the cost was read from; empty: it is the only one.
tunekit::measure::measurement measurement_of(std::string_view who, double cost, const std::string& kind,
                                             const std::string& message, double seconds, std::vector<double> runs = {});

/// The cost of runs that are times, by which candidates are ranked: the mean of the fastest quarter. Throws
/// std::invalid_argument where there is none.
double cost_of_times(const std::vector<double>& runs);

}  // namespace python
