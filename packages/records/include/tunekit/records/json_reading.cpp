// SPDX-License-Identifier: MIT
#include "tunekit/records/json_reading.hpp"

#include <nlohmann/json.hpp>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/program/readings.hpp"

namespace tunekit::measure {

at_pointer::at_pointer(const std::string& pointer) : pointer_(pointer)
{
    try {
        (void)nlohmann::json::json_pointer(pointer);
    } catch (const nlohmann::json::exception&) {
        invalid("at_pointer: '" + pointer + "' is not a JSON pointer, want one such as '/result/seconds'");
    }
}

double at_pointer::operator()(const finished_run& run) const
{
    const std::string& text = run.file ? *run.file : run.output;
    const auto whole = nlohmann::json::parse(text, nullptr, false);
    if (whole.is_discarded())
        detail::no_number("what was written is not whole JSON; it ends with " + detail::last_words(text) +
                          detail::left_out(run));
    const nlohmann::json::json_pointer at(pointer_);
    const auto value = whole.contains(at) ? whole.at(at) : nlohmann::json();
    if (!value.is_number()) detail::no_number("the JSON has no number at '" + pointer_ + "', want one");
    return value.get<double>();
}

}  // namespace tunekit::measure
