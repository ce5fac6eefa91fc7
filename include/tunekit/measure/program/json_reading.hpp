// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A reading for programs that write JSON. Needs nlohmann-json.

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/program/finished_run.hpp"
#include "tunekit/measure/program/readings.hpp"

namespace tunekit::measure {

/// The number at a JSON pointer (RFC 6901) of the file of a run, or of its standard output.
///
///     program_options{.command = {"./bench"}, .cost = at_pointer("/benchmarks/0/real_time")}
///
/// What is no JSON, has nothing there or no number is a failure `bad_cost`. Throws: std::invalid_argument where the pointer is
/// none.
class at_pointer {
public:
    explicit at_pointer(const std::string& pointer) : text_(pointer)
    {
        try {
            at_ = nlohmann::json::json_pointer(pointer);
        } catch (const nlohmann::json::exception&) {
            invalid("at_pointer: '" + pointer + "' is no JSON pointer, want one such as '/result/seconds'");
        }
    }

    [[nodiscard]] double operator()(const finished_run& run) const
    {
        const std::string& text = run.file ? *run.file : run.output;
        const auto whole = nlohmann::json::parse(text, nullptr, false);
        if (whole.is_discarded())
            no_number("what was written is no whole JSON; it ends with " + detail::last_words(text));
        const auto value = whole.contains(at_) ? whole.at(at_) : nlohmann::json();
        if (!value.is_number()) no_number("the JSON has no number at '" + text_ + "', want one");
        return value.get<double>();
    }

private:
    std::string text_;
    nlohmann::json::json_pointer at_;
};

}  // namespace tunekit::measure
