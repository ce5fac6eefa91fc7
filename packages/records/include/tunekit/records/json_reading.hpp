// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A reading for programs that write JSON. Needs nlohmann-json.

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/program/finished_run.hpp"
#include "tunekit/processes/program/readings.hpp"

namespace tunekit::measure {

/// The number at a JSON pointer (RFC 6901) of the result file of a run, or of its standard output where it has no file.
///
///     program_options{.command = {"./bench"}, .cost = at_pointer("/benchmarks/0/real_time")}
///
/// Text that is no JSON, or has no number there, is a failure `bad_cost`.
class at_pointer {
public:
    /// Takes a pointer such as "/result/seconds". Throws std::invalid_argument where it is not a pointer.
    explicit at_pointer(const std::string& pointer) : text_(pointer)
    {
        try {
            at_ = nlohmann::json::json_pointer(pointer);
        } catch (const nlohmann::json::exception&) {
            invalid("at_pointer: '" + pointer + "' is not a JSON pointer, want one such as '/result/seconds'");
        }
    }

    /// The number of `run`. Throws a candidate_error of kind `bad_cost` where it is missing.
    [[nodiscard]] double operator()(const finished_run& run) const
    {
        const std::string& text = run.file ? *run.file : run.output;
        const auto whole = nlohmann::json::parse(text, nullptr, false);
        if (whole.is_discarded())
            detail::no_number("what was written is not whole JSON; it ends with " + detail::last_words(text));
        const auto value = whole.contains(at_) ? whole.at(at_) : nlohmann::json();
        if (!value.is_number()) detail::no_number("the JSON has no number at '" + text_ + "', want one");
        return value.get<double>();
    }

private:
    std::string text_;
    nlohmann::json::json_pointer at_;
};

}  // namespace tunekit::measure
