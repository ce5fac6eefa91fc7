// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The recipes, strategies and schedules that programs know by name; names.cpp says which.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/support/any_recipe.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/measure/any_repetition.hpp"
#include "tunekit/records/experience.hpp"
#include "tunekit/schedule/any_schedule.hpp"
#include "tunekit/search/any_strategy.hpp"
#include "tunekit/tune/task.hpp"

namespace programs {

template <class T>
using named = std::vector<std::pair<std::string, T>>;

/// Whole recipes: a strategy with its repetition, its limits and its schedule.
named<tunekit::recipes::any_recipe> recipes();

/// Whether candidates are ranked by their fastest runs.
inline bool ranks_by_fastest(const tunekit::measure::any_repetition& repetition)
{
    static constexpr double runs[] = {1, 3, 5, 7, 9};
    return repetition.estimate_of(runs).cost == 2;
}

/// A recipe that begins with what was measured before.
struct begun_recipe {
    tunekit::recipes::any_recipe how;
    std::string name;                  ///< what a log calls it; with a past also a number that stands for its results
    tunekit::experience past{};        ///< what it begins with
    std::vector<std::string> notes{};  ///< what was left out of the past, a line each
};

/// The recipe of that name with the experience of `paths` (`io::experience_in`) but for `own_logs`, and with `more`; without them it
/// is as it is.
/// Throws std::invalid_argument where nothing has that name (`what` is what it is called), or it takes no experience.
begun_recipe begun_recipe_of(const std::string& what, const std::string& name, const std::vector<std::string>& paths,
                             const std::vector<std::string>& own_logs, tunekit::experience more = {});

/// What these tasks take of an experience, and what they cannot, a line; empty for an empty one.
std::string told_of(const tunekit::experience& past, std::span<const tunekit::task> tasks);

/// Their strategies alone.
named<tunekit::search::any_strategy> strategies();

named<tunekit::schedule::any_schedule> schedules();

/// One of `schedules` by its name, or `dynatune-paper-at-N`: that of the paper where the peak of the device is N GFLOP/s. Throws
/// std::invalid_argument where nothing has that name (`what` is what it is called), or N is no number above 0.
tunekit::schedule::any_schedule schedule_of(const std::string& what, const std::string& name);

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
    std::vector<std::string> names;
    for (const auto& one : all) names.push_back(one.first);
    const std::string near = tunekit::core::near_name(name, names);
    tunekit::invalid({what, " \"", name, "\" is unknown, want ", near.empty() ? "one of: " + list(all) : near});
}

}  // namespace programs
