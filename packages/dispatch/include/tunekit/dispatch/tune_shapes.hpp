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
    std::string device{};      ///< the name of this machine in the rows
    tasks_budget budget{};     ///< the budget of all shapes together: seconds, or trials of each shape
    std::size_t together = 8;  ///< >= 1; the number of shapes that the schedule has at a time
    std::size_t keep = 2;      ///< >= 1; the number of configurations of each shape that are carried to all others
    fit_options fit{};         ///< how choices are fitted to find the most doubtful shapes
    bool (*ended)() = [] { return false; };  ///< whether to end with what is measured; asked after each measurement

    static constexpr std::size_t neighbours = 3;  ///< near shapes whose winners a shape begins with
    static constexpr double carry_share = 0.25;   ///< share of the seconds for carrying over
    static constexpr double carry_factor = 2.5;   ///< a carried one this many times slower than the best is cut short

    /// Throws std::invalid_argument where a setting is out of range, or the device is empty.
    void validate() const
    {
        fit.validate();
        require(!device.empty(), "tune_shapes: device is empty, want the name of this machine");
        require(together >= 1 && keep >= 1, "tune_shapes: together or keep is 0, want >= 1");
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
                .searched = !one.carried && std::find(carried.begin(), carried.end(), one.candidate) == carried.end() &&
                            one.candidate != untuned,
                .untuned = one.candidate == untuned},
               std::numeric_limits<double>::infinity());
    }
}

/// A shape whose task was made.
struct begun_shape {
    shape_sizes at{};
    std::optional<index> untuned{};  ///< the first configuration that it begins with
    std::vector<index> carried{};    ///< those from its neighbours that it begins with besides
};

/// The winners of the shapes on `device` that are nearest to `at`, the nearest first.
[[nodiscard]] inline std::vector<index> winners_beside(const results& known, const std::string& device,
                                                       const shape_sizes& at)
{
    std::vector<std::pair<double, index>> beside;
    for (const results::winner& w : known.winners())
        if (w.device == device)
            beside.emplace_back(log2_gap(at, w.at, bits_of_words(known.sizes, known.words)),
                                known.rows[w.best].candidate);
    std::stable_sort(beside.begin(), beside.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    beside.resize((std::min)(beside.size(), tune_shapes_options::neighbours));
    std::vector<index> out;
    for (const auto& [gap, candidate] : beside) out.push_back(candidate);
    return out;
}

/// Begins a task with the winners beside its shape, behind its own configurations.
[[nodiscard]] inline begun_shape begin_shape(task& t, const shape_sizes& at, const results& known,
                                             const std::string& device)
{
    require(t.space().fingerprint() == known.fingerprint,
            "tune_shapes: " + t.name() + " is over another space than the results, want one space for all shapes");
    begun_shape out{.at = at};
    std::vector<index> begin(t.known().begin(), t.known().end());
    if (!begin.empty()) out.untuned = begin.front();
    for (const index candidate : winners_beside(known, device, at))
        if (std::find(begin.begin(), begin.end(), candidate) == begin.end()) {
            begin.push_back(candidate);
            out.carried.push_back(candidate);
        }
    t.begin_with(std::move(begin));
    return out;
}

/// Adds the best of a tuned shape to `known`, and what it began with. Returns the best.
inline std::vector<index> add_tuned(results& known, const task& t, const begun_shape& s, const tuning& record,
                                    const tune_shapes_options& options)
{
    std::vector<index> best = record.finalists(options.keep);
    std::vector<measure::trial> kept;
    for (const measure::trial& one : record.trials()) {
        const auto among = [&](std::span<const index> of) {
            return std::find(of.begin(), of.end(), one.candidate) != of.end();
        };
        if (among(best) || among(t.known())) kept.push_back(one);
    }
    add_trials(known, t, s.at, options.device, kept, s.carried, s.untuned);
    return best;
}

/// Measures `winners` at each shape where they are missing, until `over()`.
template <class Over>
void carry_over(results& known, std::vector<task>& tasks, const std::vector<begun_shape>& shapes,
                const std::vector<index>& winners, const tune_shapes_options& options, Over&& over)
{
    for (std::size_t k = 0; k < tasks.size(); ++k) {
        double best = std::numeric_limits<double>::infinity();
        std::vector<index> measured;
        for (const results::row& r : known.rows) {
            if (r.device != options.device || r.at != shapes[k].at) continue;
            measured.push_back(r.candidate);
            if (!r.at_least) best = (std::min)(best, r.seconds);
        }
        for (const index i : winners) {
            if (std::find(measured.begin(), measured.end(), i) != measured.end()) continue;
            if (over()) return;
            const std::vector<index> one{i};
            auto answer = tasks[k].measure(one, {.abandon_above = options.carry_factor * best});
            if (answer.size() != 1)
                throw error("tune_shapes: the measurer of " + tasks[k].name() + " did not answer its candidate");
            add_trials(known, tasks[k], shapes[k].at, options.device,
                       {{.candidate = i, .measured = std::move(answer.front())}}, one, shapes[k].untuned);
        }
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
/// schedule, and the shapes of a wave learn from each other as it says (`recipe::carry`). Each shape begins with its
/// own known configurations, then with the winners of its `neighbours` nearest shapes that are not yet among them. At
/// the end the best `keep` of every shape are measured at all shapes of this call, so that `fit` knows their loss
/// there. A configuration that is `carry_factor` times slower than the best is cut short.
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
    std::vector<detail::begun_shape> shapes;  // of the tasks
    std::vector<index> winners;               // the best few of each shape
    std::vector<shape_sizes> left(family.begin(), family.end());
    const auto watch = [&](const plan& /* now */, std::size_t /* task */) { return options.ended(); };
    for (;;) {
        const auto wave = next_shapes(known, options.device, left, options.together, options.fit);
        const double spent = now() - start;
        if (wave.empty() || options.ended() || (!shapes.empty() && spent >= for_tuning)) break;
        const std::size_t first = tasks.size();
        for (const auto& s : wave) {
            tasks.push_back(make(s.at));
            shapes.push_back(detail::begin_shape(tasks.back(), s.at, known, options.device));
            std::erase(left, s.at);
        }
        tasks_budget budget = options.budget;
        const auto part = static_cast<double>(wave.size()) / static_cast<double>(wave.size() + left.size());
        if (budget.seconds < forever) budget.seconds = (std::max)(0.0, for_tuning - spent) * part;
        const plan found =
            tune_tasks(std::span(tasks).subspan(first), how, budget, gen, {.watch = watch, .clock = now});
        for (std::size_t k = first; k < tasks.size(); ++k) {
            const auto best = detail::add_tuned(known, tasks[k], shapes[k], found.tasks[k - first].record, options);
            winners.insert(winners.end(), best.begin(), best.end());
        }
    }
    std::sort(winners.begin(), winners.end());
    winners.erase(std::unique(winners.begin(), winners.end()), winners.end());
    const auto over = [&] { return options.ended() || now() - start >= options.budget.seconds; };
    detail::carry_over(known, tasks, shapes, winners, options, over);
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
