// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A scoreboard as JSON. Needs nlohmann-json.

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "tunekit/scoring/score.hpp"

namespace tunekit::scoring {

namespace detail {

/// JSON has no infinity and no NaN: null.
[[nodiscard]] inline nlohmann::ordered_json finite_or_null(double x)
{
    return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json(nullptr);
}

[[nodiscard]] inline nlohmann::ordered_json json_of(const scoreboard::aggregate& a)
{
    return {{"mean", finite_or_null(a.mean)},
            {"low", finite_or_null(a.within.low)},
            {"high", finite_or_null(a.within.high)},
            {"worst", finite_or_null(a.worst)}};
}

[[nodiscard]] inline nlohmann::ordered_json json_of(const std::optional<scoreboard::aggregate>& a)
{
    return a ? json_of(*a) : nlohmann::ordered_json(nullptr);
}

}  // namespace detail

/// The whole scoreboard as JSON, times in seconds; infinite or unknown values are null. Names must be UTF-8; other
/// bytes become U+FFFD.
[[nodiscard]] inline std::string to_json(const scoreboard& all)
{
    using detail::finite_or_null;
    using nlohmann::ordered_json;
    ordered_json out{{"judged", all.judged}};
    for (const char* name : {"spaces", "standings", "differences", "outcomes"}) out[name] = ordered_json::array();
    out["incomplete"] = all.incomplete;
    for (std::size_t i = 0; i < all.spaces.size(); ++i)
        out["spaces"].push_back({{"name", all.spaces[i]},
                                 {"timed", static_cast<bool>(all.timed[i])},
                                 {"easy", static_cast<bool>(all.easy[i])}});
    for (const scoreboard::standing& t : all.standings)
        out["standings"].push_back({{"strategy", t.strategy},
                                    {"p", detail::json_of(t.p)},
                                    {"s", detail::json_of(t.s)},
                                    {"clamped", detail::json_of(t.clamped)},
                                    {"evaluations_to_5", finite_or_null(t.to_5)},
                                    {"regret", finite_or_null(t.regret)},
                                    {"own_s_per_evaluation", finite_or_null(t.own_seconds)},
                                    {"spaces_reached_5", t.reached_5},
                                    {"spaces_reached_1", t.reached_1}});
    for (const scoreboard::difference& d : all.differences)
        out["differences"].push_back({{"strategy", d.strategy},
                                      {"than", d.than},
                                      {"p", detail::json_of(d.p)},
                                      {"s", detail::json_of(d.s)},
                                      {"clamped", detail::json_of(d.clamped)}});
    for (const outcome& o : all.outcomes)
        out["outcomes"].push_back(
            {{"strategy", o.strategy},
             {"space", o.space},
             {"repeats", o.s.size()},
             {"p", finite_or_null(o.p)},
             {"s", finite_or_null(o.s_mean())},
             {"clamped", finite_or_null(o.clamped_mean())},
             {"evaluations_to_5", finite_or_null(o.evaluations_to_5)},
             {"mean_to_5", finite_or_null(o.mean_to_5)},
             {"evaluations_to_1", finite_or_null(o.evaluations_to_1)},
             {"regret", finite_or_null(o.regret)},
             {"failed_share", o.failed_share ? finite_or_null(*o.failed_share) : ordered_json(nullptr)},
             {"own_s_per_evaluation", finite_or_null(o.own_seconds)},
             {"evaluations", o.evaluations}});
    return out.dump(2, ' ', true, ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace tunekit::scoring
