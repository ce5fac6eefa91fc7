// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The strategies and schedules that programs know by name.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/schedule/ansor.hpp"
#include "tunekit/schedule/early_stop.hpp"
#include "tunekit/schedule/linear.hpp"
#include "tunekit/schedule/random.hpp"
#include "tunekit/schedule/round_robin.hpp"
#include "tunekit/schedule/sequential.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/search/genetic.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/tune/any_schedule.hpp"
#include "tunekit/tune/any_strategy.hpp"

namespace programs {

template <class T>
using named = std::vector<std::pair<std::string, T>>;

inline named<tunekit::any_strategy> strategies()
{
    named<tunekit::any_strategy> out;
    const auto add = [&](const char* name, auto strategy) { out.emplace_back(name, tunekit::any_strategy(std::move(strategy))); };
    add("random", tunekit::search::random{});
    add("grid", tunekit::search::grid{});
    add("annealing", tunekit::search::annealing{});
    add("genetic", tunekit::search::genetic{});
    add("hill-climb", tunekit::search::hill_climb{});
    return out;
}

/// `share` is what sequential tuning gives each task, seconds; `slots` is about how many the run has.
inline named<tunekit::any_schedule> schedules(double share, double slots)
{
    named<tunekit::any_schedule> out;
    const auto add = [&](const char* name, auto schedule) { out.emplace_back(name, tunekit::any_schedule(std::move(schedule))); };
    add("sequential", tunekit::schedule::sequential{.seconds_per_task = share});
    add("random", tunekit::schedule::random{});
    add("round-robin", tunekit::schedule::round_robin{});
    add("linear", tunekit::schedule::linear{.slots = slots > 1 ? static_cast<std::uint64_t>(slots) : 1});
    add("da-random", tunekit::schedule::early_stop{tunekit::schedule::random{}});
    add("da-round-robin", tunekit::schedule::early_stop{tunekit::schedule::round_robin{}});
    add("ansor", tunekit::schedule::ansor{});
    return out;
}

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
