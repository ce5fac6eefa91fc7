// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What was measured before: on other devices, of other sizes, in other weeks.

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit {

/// The results of one search: parameters by name, values by text. It needs no space to be read.
///
/// Memory: 2 bytes per value of a result and 16 per result; each different value's text once.
struct experience_source {
    /// A parameter with the values that its results have.
    struct parameter {
        std::string name;                   ///< by which it is matched with that of another space
        std::vector<std::string> values{};  ///< texts, all different, in the order in which results had them

        friend bool operator==(const parameter&, const parameter&) = default;
    };

    /// What came of one configuration.
    struct result {
        double cost = std::numeric_limits<double>::infinity();  ///< > 0, in the search's own unit; +inf: it failed
        bool at_least = false;                                  ///< it was cut short: its cost is not below `cost`

        [[nodiscard]] bool failed() const noexcept
        {
            return !(cost > 0) || !std::isfinite(cost);
        }  ///< or no cost at all
        [[nodiscard]] bool ok() const noexcept { return !failed() && !at_least; }  ///< whether the cost is whole

        friend bool operator==(const result&, const result&) = default;
    };

    std::string name{};                   ///< such as that of its log or device
    std::string machine{};                ///< the key of the machine or device; empty: not told
    std::vector<parameter> parameters{};  ///< one at least
    std::vector<std::uint16_t> rows{};    ///< results x parameters, row-major: positions among the parameter's values
    std::vector<result> results{};        ///< in the order of their answers

    /// Adds a result; one text per parameter. A cost that is not a positive finite number counts as a failure. False, and
    /// nothing is added, where a parameter would have more than 65535 values. Throws std::invalid_argument where the texts
    /// are not one per parameter. Cost: O(values).
    bool add(std::span<const std::string> texts, result r);

    /// The names of the parameters.
    [[nodiscard]] std::vector<std::string> names() const;
    /// The texts of the values of result k, one per parameter. Precondition: k < results.size().
    [[nodiscard]] std::vector<std::string> texts(std::size_t k) const;
    /// The place of the lowest whole cost, the earliest of equals; `results.size()` where there is none.
    [[nodiscard]] std::size_t best() const noexcept;
    /// The number of whole costs.
    [[nodiscard]] std::size_t valid() const noexcept;

    friend bool operator==(const experience_source&, const experience_source&) = default;
};

/// What was measured before, as a value: sources, each the results of one search. Nothing of it is believed: a strategy
/// takes it as a place to begin and as a forecast that it weighs, and measures whatever it proposes.
///
///     tk::experience past;
///     past.add(space, found, "RTX 3090");                      // the record of a run
///     past.merge(tk::io::experience_in({"logs/"}));            // the logs of others
///     const auto next = tk::tune(other_space, kernel, tk::recipes::combined(past), {.trials = 100}, gen);
///
/// Only the order and the ratios of the costs of one source are ever used. So sources may have different units, sizes and
/// devices. Configurations go to another space by the names of parameters and the nearest of their values
/// (`space::matched_parameters`).
///
/// Equality: of sources and notes. Copies are deep.
struct experience {
    std::vector<experience_source> sources{};  ///< the latest last
    std::vector<std::string> notes{};          ///< what was left out and why, a line each

    /// Adds the results of a search in `space`. One without a result adds nothing. Throws std::invalid_argument for a trial
    /// outside the space. Cost: the texts of the trials.
    template <class Space>
        requires space::counted<Space> && space::described<Space>
    void add(const Space& space, std::span<const measure::trial> trials, std::string name, std::string machine = {})
    {
        experience_source s{.name = std::move(name), .machine = std::move(machine)};
        for (const auto& parameter : space.names()) s.parameters.push_back({.name = parameter});
        for (const measure::trial& t : trials) {
            require(t.candidate < space.size(),
                    "experience.add: a trial lies outside the space, want one of this space");
            take(s, space.texts(t.candidate), t.measured);
        }
        add(std::move(s));
    }

    /// The same of a record: what was known before its run, and its trials.
    template <class Space, class Record>
        requires space::counted<Space> && space::described<Space> && requires(const Record& r) {
            { r.trials() } -> std::convertible_to<std::span<const measure::trial>>;
            { r.known() } -> std::convertible_to<std::span<const measure::trial>>;
        }
    void add(const Space& space, const Record& record, std::string name, std::string machine = {})
    {
        std::vector<measure::trial> all(record.known().begin(), record.known().end());
        all.insert(all.end(), record.trials().begin(), record.trials().end());
        add(space, std::span<const measure::trial>(all), std::move(name), std::move(machine));
    }

    /// Adds a source. One without a result, or that is here already, adds nothing. Throws std::invalid_argument where it has
    /// no parameter, or its rows are not positions of values.
    void add(experience_source one);

    /// Adds all that `other` has.
    void merge(experience other);

    [[nodiscard]] bool empty() const noexcept { return sources.empty(); }  ///< whether there is no source
    /// The number of results of all sources.
    [[nodiscard]] std::size_t size() const noexcept;

    /// Adds the measurement of a configuration to a source. False as `experience_source::add`.
    static bool take(experience_source& s, std::span<const std::string> texts, const measure::measurement& m)
    {
        const bool failed = m.failed.has_value();
        return s.add(texts, {.cost = failed ? std::numeric_limits<double>::infinity() : m.cost,
                             .at_least = !failed && m.at_least});
    }

    friend bool operator==(const experience&, const experience&) = default;
};

}  // namespace tunekit

#if TUNEKIT_BODIES
namespace tunekit {

TUNEKIT_INLINE bool experience_source::add(std::span<const std::string> texts, result r)
{
    constexpr std::size_t most = 65535;
    require(texts.size() == parameters.size(), "experience: the values are not one per parameter, want as many");
    std::vector<std::uint16_t> row;
    for (std::size_t j = 0; j < texts.size(); ++j) {
        const auto& values = parameters[j].values;
        const auto at = static_cast<std::size_t>(std::find(values.begin(), values.end(), texts[j]) - values.begin());
        if (at >= most) return false;
        row.push_back(static_cast<std::uint16_t>(at));
    }
    for (std::size_t j = 0; j < texts.size(); ++j)
        if (row[j] == parameters[j].values.size()) parameters[j].values.push_back(texts[j]);
    if (r.failed()) r = {};
    rows.insert(rows.end(), row.begin(), row.end());
    results.push_back(r);
    return true;
}

TUNEKIT_INLINE std::vector<std::string> experience_source::names() const
{
    std::vector<std::string> out;
    for (const parameter& p : parameters) out.push_back(p.name);
    return out;
}

TUNEKIT_INLINE std::vector<std::string> experience_source::texts(std::size_t k) const
{
    std::vector<std::string> out;
    for (std::size_t j = 0; j < parameters.size(); ++j)
        out.push_back(parameters[j].values[rows[k * parameters.size() + j]]);
    return out;
}

TUNEKIT_INLINE std::size_t experience_source::best() const noexcept
{
    std::size_t out = results.size();
    for (std::size_t k = 0; k < results.size(); ++k)
        if (results[k].ok() && (out == results.size() || results[k].cost < results[out].cost)) out = k;
    return out;
}

TUNEKIT_INLINE std::size_t experience_source::valid() const noexcept
{
    return static_cast<std::size_t>(
        std::count_if(results.begin(), results.end(), [](const result& r) { return r.ok(); }));
}

TUNEKIT_INLINE void experience::add(experience_source one)
{
    const std::size_t d = one.parameters.size();
    require(d > 0, "experience: a source has no parameter, want one at least");
    require(one.rows.size() == one.results.size() * d, "experience: a source has not one row per result, want as many");
    for (std::size_t k = 0; k < one.rows.size(); ++k)
        require(one.rows[k] < one.parameters[k % d].values.size(),
                "experience: a row of a source is no position of a value, want one below the number of values");
    if (one.results.empty() || std::find(sources.begin(), sources.end(), one) != sources.end()) return;
    sources.push_back(std::move(one));
}

TUNEKIT_INLINE void experience::merge(experience other)
{
    for (experience_source& s : other.sources) add(std::move(s));
    for (std::string& n : other.notes) notes.push_back(std::move(n));
}

TUNEKIT_INLINE std::size_t experience::size() const noexcept
{
    std::size_t out = 0;
    for (const experience_source& s : sources) out += s.results.size();
    return out;
}

}  // namespace tunekit

#include "tunekit/search/detail/seen_sources.hpp"  // how `search::forecasts` is made of one
#endif                                             // TUNEKIT_BODIES
