// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A run as a report needs it: values and answers, from any source.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/report/cost_unit.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/tune/task.hpp"
#include "tunekit/tune/tuning.hpp"

namespace tunekit::report {

/// The trials and facts of one task in a run.
struct seen_task {
    /// A trial with the facts that a report shows.
    struct trial {
        index candidate = 0;                ///< its index
        std::vector<std::string> values{};  ///< one per parameter; empty where the source has none
        measure::measurement measured{};    ///< its cost or failure
        double stamp = 0;                   ///< seconds since the run began
        std::optional<double> asked{};      ///< the run's time at which it was proposed; empty: unknown
        std::uint64_t worker = 0;           ///< that measured it
        std::uint64_t round = 0;            ///< of the last comparison

        /// Whether it breaks the limit of its objective.
        [[nodiscard]] bool over_limit() const noexcept { return measured.over_limit(); }

        /// Whether it has a time that can be drawn and compared.
        [[nodiscard]] bool verified() const noexcept
        {
            return measured.ok() && std::isfinite(measured.cost) && measured.cost > 0 && !over_limit();
        }
    };

    std::string name{};                             ///< of the task
    index size = 0;                                 ///< configurations of the space
    double flops = 0;                               ///< of one call; 0: unknown
    double weight = 1;                              ///< calls in the model
    std::vector<std::string> parameters{};          ///< names
    std::vector<trial> trials{};                    ///< in the order of their answers
    std::optional<index> baseline{};                ///< the winner is compared with it; empty: the first that ran
    cost_unit unit{};                               ///< of its costs
    std::vector<std::string> value_names{};         ///< of measurement::values, in their order
    std::vector<std::vector<std::string>> texts{};  ///< by parameter: its values in order; empty: by size or by name
    std::vector<trial> known{};                     ///< results from before the run
    std::vector<trial> rounds{};                    ///< of the last comparison, in the order they were measured
    std::vector<std::size_t> goals{};               ///< of a front: 0 the cost, k + 1 value k; empty: there is one goal
    std::string objective{};                        ///< the text of what the costs are of; empty: as they were measured
};

/// A run, over one task or several.
struct seen_run {
    std::string title{};                  ///< of the report
    std::vector<std::string> facts{};     ///< one line each: machine, seed, strategy, version
    std::vector<seen_task> tasks{};       ///< one at least
    double seconds = 0;                   ///< that it took
    std::uint64_t workers = 1;            ///< at the beginning
    double peak_flops = 0;                ///< per second, of the machine; 0: unknown
    std::string stopped{};                ///< why it ended; empty: unknown
    std::vector<std::string> repeat{};    ///< commands that repeat the run
    std::vector<std::string> use{};       ///< commands that use the winner
    std::vector<std::string> problems{};  ///< the problems of the source, such as a torn line
};

namespace detail {

/// The task of a report, from a record over `space`.
template <space::described Space>
[[nodiscard]] seen_task seen_of(std::string name, const Space& space, const tuning& record)
{
    seen_task out{.name = std::move(name)};
    const auto names = space.names();
    out.parameters.assign(names.begin(), names.end());
    if constexpr (requires { space.size(); }) out.size = space.size();
    out.value_names = record.value_names;
    for (const auto& t : record.known())
        out.known.push_back({.candidate = t.candidate, .values = space.texts(t.candidate), .measured = t.measured});
    for (std::size_t i = 0; i < record.trials().size(); ++i) {
        const auto& t = record.trials()[i];
        out.trials.push_back({.candidate = t.candidate,
                              .values = space.texts(t.candidate),
                              .measured = t.measured,
                              .stamp = record.curve()[i].seconds,
                              .worker = t.worker});
    }
    return out;
}

}  // namespace detail

/// The run of a report, from one task.
template <space::described Space>
[[nodiscard]] seen_run seen_run_of(std::string name, const Space& space, const tuning& record)
{
    seen_run out{.title = name, .seconds = record.seconds(), .stopped = to_text(record.stopped())};
    out.tasks.push_back(detail::seen_of(std::move(name), space, record));
    return out;
}

/// The run of a report, from several tasks. The seconds of a trial are those that workers have spent on its task so
/// far. For the time of the run, read its log.
[[nodiscard]] inline seen_run seen_run_of(std::string title, std::span<const task> tasks, const plan& p)
{
    require(tasks.size() == p.tasks.size(), "seen_run_of: a plan of other tasks, want the ones that were tuned");
    seen_run out{.title = std::move(title), .seconds = p.seconds, .stopped = to_text(p.stopped)};
    for (std::size_t k = 0; k < tasks.size(); ++k) {
        seen_task one = detail::seen_of(tasks[k].name(), tasks[k].space(), p.tasks[k].record);
        one.flops = tasks[k].flops();
        one.weight = tasks[k].weight();
        if (!tasks[k].known().empty()) one.baseline = tasks[k].known().front();
        out.tasks.push_back(std::move(one));
    }
    return out;
}

}  // namespace tunekit::report
