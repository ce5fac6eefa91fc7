// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Tunes a family of shapes within a budget: the most doubtful shapes first, each from the winners of its neighbours.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/dispatch/fit.hpp"
#include "tunekit/dispatch/next_shapes.hpp"
#include "tunekit/dispatch/results.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/random/generator.hpp"
#include "tunekit/tune/task.hpp"
#include "tunekit/tune/tune_tasks.hpp"

namespace tunekit::dispatch {

/// Options of `tune_shapes`. An aggregate: name what you change.
struct tune_shapes_options {
    std::string device{};                      ///< the name of this machine in the rows
    tasks_budget budget{};                     ///< the budget of all shapes together: seconds, or trials of each shape
    std::size_t together = 8;                  ///< >= 1; the number of shapes that the schedule has at a time
    std::size_t max_shapes = ~std::size_t{0};  ///< the most shapes of the family that are tuned
    std::size_t neighbours = 3;                ///< the number of near shapes whose winners a shape begins with
    std::size_t keep = 2;       ///< >= 1; the number of configurations of each shape that are carried to all others
    double carry_share = 0.25;  ///< in [0, 1[; the share of the seconds for carrying over
    double carry_factor = 2.5;  ///< > 1; a carried one this many times slower than the best is cut short
    fit_options fit{};          ///< how choices are fitted to find the most doubtful shapes

    /// Throws std::invalid_argument where a setting is out of range, or the device is empty.
    void validate() const
    {
        fit.validate();
        require(!device.empty(), "tune_shapes: device is empty, want the name of this machine");
        require(together >= 1 && keep >= 1, "tune_shapes: together or keep is 0, want >= 1");
        require(carry_share >= 0 && carry_share < 1, "tune_shapes: carry_share is out of range, want 0 <= share < 1");
        require(carry_factor > 1, "tune_shapes: carry_factor is 1 or less, want > 1");
    }
};

namespace detail {

/// Adds rows for the trials of a task that have a cost.
inline void add_trials(results& to, const task& t, const shape_sizes& at, const std::string& device,
                       const std::vector<measure::trial>& trials, std::span<const index> carried,
                       std::optional<index> untuned)
{
    for (const measure::trial& one : trials) {
        const measure::measurement& m = one.measured;
        if (m.failed || !(m.cost > 0 && m.cost < std::numeric_limits<double>::infinity())) continue;
        to.add({.device = device,
                .at = at,
                .candidate = one.candidate,
                .values = t.space().texts(one.candidate),
                .seconds = m.cost,
                .within = m.at_least ? stats::interval{0, std::numeric_limits<double>::infinity()} : interval_of(m),
                .runs = m.runs,
                .at_least = m.at_least,
                .searched = std::find(carried.begin(), carried.end(), one.candidate) == carried.end() &&
                            one.candidate != untuned,
                .untuned = one.candidate == untuned},
               std::numeric_limits<double>::infinity());
    }
}

}  // namespace detail

/// Tunes the shapes of `family` and adds the results to `known`.
///
///     auto make = [&](const dispatch::shape_sizes& at) {         // all over one space
///         tk::task t(dispatch::task_name("gemm", {"m", "n", "k"}, at), space, measurer_of(at), flops_of(at));
///         t.begin_with({untuned_of(at)});                        // first what an untuned library runs
///         return t;
///     };
///     all = dispatch::tune_shapes(std::move(all), family, make, tk::recipes::combined(),
///                                 {.device = to_text(this_machine()), .budget = {.seconds = 600}}, gen);
///
/// The shapes are tuned in waves of `together`, which `next_shapes` chooses. The recipe tunes each wave under its
/// schedule. Each shape begins with its own known configurations, then with the winners of its `neighbours` nearest
/// shapes that are not yet among them. At the end the best `keep` of every shape are measured at all shapes of this
/// call, so that `fit` knows their loss there. A configuration that is `carry_factor` times slower than the best is cut
/// short.
///
/// A wave gets a share of the seconds left for tuning, in proportion to its share of the shapes that are left. Budgets
/// without seconds have no limit of time. `known` may have no rows, but it names kernel, version, space, sizes and
/// parameters.
///
/// Errors:     std::invalid_argument for options out of range, and for a task over another space than `known`; those of
///             tune_tasks.
/// Randomness: that of tune_tasks, for each wave in turn.
/// Cost:       one fit for each wave, besides measuring.
template <class Make, class P, class Clock, generator G>
    requires std::same_as<std::invoke_result_t<Make&, const shape_sizes&>, task> && measure::clock<Clock>
[[nodiscard]] results tune_shapes(results known, std::span<const shape_sizes> family, Make&& make, const P& how,
                                  const tune_shapes_options& options, Clock& now, G& gen)
{
    options.validate();
    const double start = now(), for_tuning = options.budget.seconds * (1 - options.carry_share);
    std::vector<task> tasks;
    std::vector<shape_sizes> shapes;
    std::vector<std::optional<index>> untuned;  // for each task, the first configuration that it begins with
    std::vector<index> winners;                 // the best few of each shape
    std::vector<shape_sizes> left(family.begin(), family.end());
    while (shapes.size() < options.max_shapes) {
        const auto wave = next_shapes(known, options.device, left,
                                      (std::min)(options.together, options.max_shapes - shapes.size()), options.fit);
        const double spent = now() - start;
        if (wave.empty() || (!shapes.empty() && spent >= for_tuning)) break;
        const std::size_t first = tasks.size();
        std::vector<std::vector<index>> carried;
        for (const doubtful_shape& s : wave) {
            task t = make(s.at);
            require(
                t.space().fingerprint() == known.fingerprint,
                "tune_shapes: " + t.name() + " is over another space than the results, want one space for all shapes");
            std::vector<std::pair<double, index>> beside;
            for (const winner& w : winners_of(known))
                if (w.device == options.device)
                    beside.emplace_back(detail::log2_gap(s.at, w.at), known.rows[w.best].candidate);
            std::stable_sort(beside.begin(), beside.end(),
                             [](const auto& a, const auto& b) { return a.first < b.first; });
            beside.resize((std::min)(beside.size(), options.neighbours));
            std::vector<index> begin(t.known().begin(), t.known().end());
            untuned.push_back(begin.empty() ? std::nullopt : std::optional(begin.front()));
            carried.emplace_back();
            for (const auto& [gap, candidate] : beside)
                if (std::find(begin.begin(), begin.end(), candidate) == begin.end()) {
                    begin.push_back(candidate);
                    carried.back().push_back(candidate);
                }
            t.begin_with(std::move(begin));
            tasks.push_back(std::move(t));
            shapes.push_back(s.at);
            std::erase(left, s.at);
        }
        tasks_budget budget = options.budget;
        const auto part = static_cast<double>(wave.size()) / static_cast<double>(wave.size() + left.size());
        if (budget.seconds < forever) budget.seconds = (std::max)(0.0, for_tuning - spent) * part;
        const plan found = tune_tasks(std::span(tasks).subspan(first), how, budget, gen, {.clock = now});
        for (std::size_t k = first; k < tasks.size(); ++k) {
            const tuning& record = found.tasks[k - first].record;
            const std::vector<index> best = record.finalists(options.keep);
            std::vector<measure::trial> kept;
            for (const measure::trial& t : record.trials()) {
                const auto wanted = [&](std::span<const index> of) {
                    return std::find(of.begin(), of.end(), t.candidate) != of.end();
                };
                if (wanted(best) || wanted(tasks[k].known())) kept.push_back(t);
            }
            detail::add_trials(known, tasks[k], shapes[k], options.device, kept, carried[k - first], untuned[k]);
            winners.insert(winners.end(), best.begin(), best.end());
        }
    }
    std::sort(winners.begin(), winners.end());
    winners.erase(std::unique(winners.begin(), winners.end()), winners.end());
    for (std::size_t k = 0; k < tasks.size(); ++k) {
        double best = std::numeric_limits<double>::infinity();
        std::vector<index> measured;
        for (const result& r : known.rows) {
            if (r.device != options.device || r.at != shapes[k]) continue;
            measured.push_back(r.candidate);
            if (!r.at_least) best = (std::min)(best, r.seconds);
        }
        for (const index i : winners) {
            if (std::find(measured.begin(), measured.end(), i) != measured.end()) continue;
            if (now() - start >= options.budget.seconds) return known;
            const std::vector<index> one{i};
            auto answer = tasks[k].measure(one, {.abandon_above = options.carry_factor * best});
            if (answer.size() != 1)
                throw error("tune_shapes: the measurer of " + tasks[k].name() + " did not answer its candidate");
            detail::add_trials(known, tasks[k], shapes[k], options.device,
                               {{.candidate = i, .measured = std::move(answer.front())}}, one, untuned[k]);
        }
    }
    return known;
}

/// The same with the wall clock.
template <class Make, class P, generator G>
[[nodiscard]] results tune_shapes(results known, std::span<const shape_sizes> family, Make&& make, const P& how,
                                  const tune_shapes_options& options, G& gen)
{
    measure::wall_clock now;
    return tune_shapes(std::move(known), family, make, how, options, now, gen);
}

}  // namespace tunekit::dispatch
