// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The strategies and schedules that programs know by name; names.cpp says which.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/tune/any_schedule.hpp"
#include "tunekit/tune/any_strategy.hpp"

namespace programs {

template <class T>
using named = std::vector<std::pair<std::string, T>>;

named<tunekit::any_strategy> strategies();

/// What schedules want to know of the run.
struct run_plan {
    double seconds = 60;       ///< of all tasks together
    double slot_seconds = 1;
    std::size_t tasks = 1;
};

named<tunekit::any_schedule> schedules(const run_plan& run);

/// The names, for messages.
template <class T>
std::string list(const named<T>& all)
{
    std::string out;
    for (const auto& [name, value] : all) out += (out.empty() ? "" : ", ") + name;
    return out;
}

/// The one of that name. Throws std::invalid_argument that names the known ones.
template <class T>
const T& find(const named<T>& all, std::string_view what, std::string_view name)
{
    for (const auto& [known, value] : all)
        if (known == name) return value;
    tunekit::invalid(std::string(what) + " \"" + std::string(name) + "\" is unknown, want one of: " + list(all));
}

}  // namespace programs
