// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What was measured before: on other devices, of other sizes, in other weeks.

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/records/experience_source.hpp"
#include "tunekit/search/forecasts.hpp"
#include "tunekit/space/carried.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit {

/// What was measured before, as a value: sources, each the results of one search. Nothing of it is believed: a strategy
/// takes it as a place to begin and as a forecast that it weighs, and measures whatever it proposes.
///
///     tk::experience past;
///     past.add(space, found, "RTX 3090");                      // the record of a run
///     past.merge(tk::io::experience_in({"logs/"}));            // the logs of others
///     const auto next = tk::tune(other_space, kernel, tk::recipes::combined(past), {.trials = 100}, gen);
///
/// Only the order and the ratios of the costs of one source are ever used. So sources may have different units, sizes
/// and devices. Configurations go to another space by the names of parameters and the nearest of their values
/// (`space::matched_parameters`).
///
/// Equality: of sources and notes. Copies are deep.
struct experience {
    /// What a space takes of a source; see `search::taken_of`.
    struct taken {
        std::size_t source = 0;          ///< its place among the sources
        std::size_t configurations = 0;  ///< results whose configurations the space has, with equal or nearest values
    };

    std::vector<experience_source> sources{};  ///< the latest last
    std::vector<std::string> notes{};          ///< what was left out and why, a line each

    /// Adds the results of a search in `space`. One without a result adds nothing. Throws std::invalid_argument for a
    /// trial outside the space. Cost: the texts of the trials.
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

    /// Adds a source. One without a result adds nothing. One whose results another source of the same machine begins
    /// with is a copy of that run: the longer of both stays. Throws std::invalid_argument where it has no parameter, or
    /// its rows are not positions of values.
    void add(experience_source one);

    /// Adds all that `other` has.
    void merge(experience other);

    [[nodiscard]] bool empty() const noexcept { return sources.empty(); }  ///< whether there is no source
    /// The number of results of all sources.
    [[nodiscard]] std::size_t size() const noexcept;

    /// Adds the measurement of a configuration to a source. False as `experience_source::add`.
    static bool take(experience_source& s, std::span<const std::string> texts, const measure::measurement& m);

    friend bool operator==(const experience&, const experience&) = default;
};

namespace search {

namespace detail {

/// The places of the sources that a space takes, ascending: of those that have enough whole costs and a parameter's
/// name in common with it, the latest.
[[nodiscard]] std::vector<std::size_t> sources_for(const space::matched_parameters& there,
                                                   std::span<const experience_source> past);

}  // namespace detail

/// What `space` takes of an experience, in the order of its sources: at most 8, the latest that have 8 whole costs and
/// a parameter's name in common with it. Cost: O(results values).
template <class Space>
[[nodiscard]] std::vector<experience::taken> taken_of(const experience& past, const Space& space)
{
    const space::matched_parameters there(space);
    std::vector<experience::taken> out;
    for (const std::size_t k : detail::sources_for(there, past.sources)) {
        const experience_source& s = past.sources[k];
        const auto names = s.names();
        experience::taken t{.source = k};
        for (std::size_t r = 0; r < s.results.size(); ++r)
            t.configurations += there.carry(space, names, s.texts(r), std::nullopt).has_value();
        out.push_back(t);
    }
    return out;
}

}  // namespace search
}  // namespace tunekit
