// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Schedules over a network whose spaces were recorded, or over made-up tuning curves: who lowers the model's latency soonest.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/studies/support/oracle.hpp"
#include "tests/support/simulated_workers.hpp"
#include "tools/support/names.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/formats/recorded_space.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/replay.hpp"
#include "tunekit/random/normal.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/schedule/any_schedule.hpp"
#include "tunekit/schedule/sequential.hpp"
#include "tunekit/scoring/read_recordings.hpp"
#include "tunekit/space/value_product.hpp"
#include "tunekit/tune/task.hpp"
#include "tunekit/tune/tune_tasks.hpp"

namespace programs {

/// One operator of a network with everything that was measured of it.
struct replayed_layer {
    std::string name;
    double flops = 0, weight = 1;
    tunekit::space::value_product space;
    std::vector<tunekit::measure::recorded_row> rows;
};

/// Settings of a study.
struct replay_settings {
    double seconds = 300;     ///< of recorded time, per run
    double slot_seconds = 0;  ///< 0: as tune_tasks has it
    std::size_t repeats = 5;
    std::uint64_t seed = 1;
    std::uint32_t runs = 0;                       ///< of each configuration; 0: as the recipe has it
    std::uint64_t patience = tunekit::unlimited;  ///< answers of a task without improvement after which it ends
    std::size_t builders = 1;                     ///< that build side by side
    std::size_t first = 0;  ///< configurations at random that every task has before any task gets its first slot
    bool overlap = false;   ///< they build what is asked next while something runs; else a batch is built, then run
};

/// The latency of a model, or the cost of a task, with its incumbents, as recorded, whenever it changed.
struct latency_step {
    double seconds = 0, latency = 0;
    double own = 0;  ///< processor seconds that search and schedule, and the replay itself, had taken until then
};
using latency_course = std::vector<latency_step>;

/// One answer of a run.
struct replayed_trial {
    std::size_t task = 0;
    double seconds = 0;  ///< since the answer before it
    double latency = 0;  ///< the task's share of the model's after it, as recorded; +inf without an incumbent
};

/// One run.
struct replayed_run {
    latency_course model;
    std::vector<latency_course> tasks;  ///< each by the seconds it got
    std::vector<replayed_trial> trials;
    std::vector<std::size_t> slots{};  ///< the task of each slot after the warm-up
};

namespace detail {

/// A recorded space as an operator.
inline replayed_layer load_layer(const std::string& folder, const std::string& name, double flops, double weight)
{
    const auto recorded = tunekit::io::read_recorded_space(folder + '/' + name);
    auto space = tunekit::io::space_of(recorded);
    auto table = tunekit::io::table_of(recorded, space);
    if (!recorded.problems.empty() || !table.problems.empty())
        throw tunekit::error(
            "--recorded " + folder + '/' + name + ": " +
            (recorded.problems.empty() ? table : tunekit::io::recorded_space::table{{}, {}, recorded.problems})
                .problems.front()
                .text());
    return {name, flops, weight, std::move(space), std::move(table.rows)};
}

}  // namespace detail

/// The layers of a network that lie in a folder, in declaration order; of the network "spaces" all that lie there, each once
/// and with the same work.
inline std::vector<replayed_layer> load_network(const std::string& network, const std::string& folder)
{
    std::vector<replayed_layer> out;
    if (network == "spaces") {
        for (const auto& name : tunekit::scoring::recorded_names(folder))
            out.push_back(detail::load_layer(folder, name, 1, 1));
        if (out.empty()) tunekit::invalid("--recorded \"" + folder + "\" holds no recorded space, want some");
        return out;
    }
    const auto* const known = tunekit::kernels::find_network(network);
    if (known == nullptr || known->convolutions.empty())
        tunekit::invalid("--network \"" + network +
                         "\" has no convolutions here, want alexnet, resnet18, squeezenet or vgg16; or spaces for all "
                         "of a folder");
    for (const auto& layer : known->convolutions)
        out.push_back(
            detail::load_layer(folder, std::string(layer.name), layer.shape.flops(), static_cast<double>(layer.times)));
    return out;
}

/// Operators whose i-th trial, in order, was drawn from a heavy-tailed law of its own: for `grid`, as if measured at random.
/// 1000 trials each, of 0.05 to 0.5 s; the best possible is a known share of the median.
inline std::vector<replayed_layer> made_up_network(std::size_t tasks, std::uint64_t seed)
{
    std::vector<replayed_layer> out;
    for (std::size_t k = 0; k < tasks; ++k) {
        auto gen = tunekit::random::stream(seed, 0x6d616465U, k);
        const double floor = 1e-3 * std::exp(tunekit::random::normal(gen));
        const double spread = 0.3 + tunekit::random::uniform_01(gen),
                     trial = 0.05 * std::pow(10, tunekit::random::uniform_01(gen));
        std::vector<std::int64_t> values(1000);
        std::iota(values.begin(), values.end(), std::int64_t{0});
        replayed_layer layer{"T" + std::to_string(k + 1),
                             1e11 * floor,
                             1.0 + static_cast<double>(tunekit::random::uniform_index(4, gen)),
                             tunekit::space::value_product({{"trial", values}}, {}),
                             {}};
        for (std::size_t i = 0; i < values.size(); ++i) {
            tunekit::measure::recorded_row row;
            row.result.cost = floor * (1 + std::exp(spread * 2 * tunekit::random::normal(gen)));
            row.result.runs = 1;
            row.seconds = trial;
            layer.rows.push_back(row);
        }
        out.push_back(std::move(layer));
    }
    return out;
}

namespace detail {

/// A replay of which the configurations of a batch are built side by side, each by the first builder that is free, and then run
/// one after another, as AutoTVM does.
template <class Repetition>
class built_side_by_side {
public:
    built_side_by_side(std::span<const tunekit::measure::recorded_row> table, tunekit::measure::virtual_clock time,
                       Repetition repeat, std::uint64_t seed, std::size_t builders)
        : rows_(table, repeat, seed), time_(time), builders_(builders)
    {
    }

    [[nodiscard]] std::vector<tunekit::measure::measurement> measure(std::span<const tunekit::index> batch,
                                                                     const tunekit::measure::limits& within)
    {
        std::vector<double> busy(builders_);
        double runs = 0;
        auto now = within;
        std::vector<tunekit::measure::measurement> out;
        for (const tunekit::index i : batch) {
            auto r = rows_.row(i, now);
            now.hear(r.result);
            const double build = (std::min)(r.result.build_seconds, r.seconds);
            *std::min_element(busy.begin(), busy.end()) += build;
            runs += r.seconds - build;
            out.push_back(std::move(r.result));
        }
        time_.advance(*std::max_element(busy.begin(), busy.end()) + runs);
        return out;
    }

private:
    tunekit::measure::resampled_rows<Repetition> rows_;
    tunekit::measure::virtual_clock time_;
    std::size_t builders_;
};

/// A layer as a task, each configuration measured by `repetition`.
template <class Repetition>
tunekit::task measured_by(const Repetition& repetition, const replayed_layer& layer,
                          tunekit::measure::virtual_clock time, std::uint64_t seed, std::size_t builders = 1)
{
    if (builders > 1)
        return tunekit::task(layer.name, layer.space,
                             built_side_by_side<Repetition>(layer.rows, time, repetition, seed, builders), layer.flops,
                             layer.weight);
    return tunekit::task(layer.name, layer.space, tunekit::measure::noisy_replay(layer.rows, time, repetition, seed),
                         layer.flops, layer.weight);
}

/// Sequential in an order of its own: the declared one is an accident.
struct in_order {
    std::vector<std::size_t> order;
    tunekit::schedule::sequential inner;

    using state = tunekit::schedule::sequential::state;

    [[nodiscard]] state start(std::span<const tunekit::schedule::task_view> tasks,
                              const tunekit::schedule::run_shape& run) const
    {
        return inner.start(tasks, run);
    }

    template <tunekit::generator G>
    [[nodiscard]] std::size_t select(state& s, std::span<const tunekit::schedule::task_view> tasks, G& gen) const
    {
        std::vector<tunekit::schedule::task_view> views;
        for (const std::size_t k : order) views.push_back(tasks[k]);
        return order[inner.select(s, views, gen)];
    }
    void update(state&, std::size_t, const tunekit::schedule::slot&) const {}
};

}  // namespace detail

/// The model's latency were every layer at its recorded optimum.
inline double optimal_latency(std::span<const replayed_layer> layers)
{
    double sum = 0;
    for (const auto& layer : layers) {
        double best = std::numeric_limits<double>::infinity();
        for (const auto& row : layer.rows)
            if (row.result.ok()) best = (std::min)(best, row.result.cost);
        sum += layer.weight * best;
    }
    return sum;
}

/// What tunes a network, but for its schedule: a recipe, and a slot's length.
struct replayed_system {
    tunekit::recipes::any_recipe recipe;
    double seconds = 0;
    double slot_seconds = 0;
};

/// A recipe by its name, as the settings have it. AdaTune and `combined` keep their evaluators whatever the number of runs.
inline replayed_system replayed_by(const std::string& name, const replay_settings& s, std::size_t tasks)
{
    auto recipe = find(recipes(), "strategy", name);
    const bool evaluates = name == "adatune" || name == "adatune-paper" || name.starts_with("combined");
    if (s.runs > 0 && !evaluates)
        recipe.repetition = tunekit::measure::any_repetition(tunekit::measure::fixed{s.runs, 1});
    const tunekit::tasks_budget budget{.seconds = s.seconds, .slot_seconds = s.slot_seconds};
    return {std::move(recipe), s.seconds, budget.slot(tasks, recipe.slots_per_task)};
}

/// A network tuned by one strategy: runs schedules over it, all with the same proposals for the same task.
class replayed_network {
public:
    /// `layers` must outlive it.
    replayed_network(const std::vector<replayed_layer>& layers, std::string name, replayed_system system,
                     const replay_settings& settings)
        : layers_(layers), name_(std::move(name)), settings_(settings), system_(std::move(system))
    {
    }

    replayed_network(const std::vector<replayed_layer>& layers, const std::string& strategy,
                     const replay_settings& settings)
        : replayed_network(layers, strategy, replayed_by(strategy, settings, layers.size()), settings)
    {
    }

    [[nodiscard]] const std::string& strategy() const noexcept { return name_; }

    template <class Schedule>
    [[nodiscard]] replayed_run run(const Schedule& schedule, std::size_t repeat) const
    {
        replayed_run out{{}, std::vector<latency_course>(layers_.size()), {}};
        double answered = 0;
        const tunekit::measure::thread_clock own;
        const double began = own();
        const auto note = [&](latency_course& course, double seconds, double latency) {
            if (latency < std::numeric_limits<double>::infinity() &&
                (course.empty() || latency != course.back().latency))
                course.push_back({seconds, latency, own() - began});
        };
        const auto plan = tune(schedule, repeat, system_.seconds, [&](const tunekit::plan& p, std::size_t k) {
            note(out.model, p.seconds, recorded_latency(p));
            note(out.tasks[k], p.tasks[k].record.seconds(), recorded_cost(p, k));
            out.trials.push_back(
                {k, p.seconds - std::exchange(answered, p.seconds), layers_[k].weight * recorded_cost(p, k)});
        });
        bool warm = false;  // the slot in which the model is first whole belongs to the warm-up
        for (const auto& slot : plan.slots) {
            if (warm) out.slots.push_back(slot.task);
            warm = slot.model_latency < std::numeric_limits<double>::infinity();
        }
        return out;
    }

    /// What each slot of each task would bring were all tuned to their end: what oracles know.
    [[nodiscard]] std::vector<slot_curve> slot_curves(std::size_t repeat) const
    {
        const auto p =
            tune(tunekit::schedule::sequential{}, repeat, tunekit::forever, [](const tunekit::plan&, std::size_t) {});
        std::vector<slot_curve> out(layers_.size());
        double before = std::numeric_limits<double>::infinity();
        for (const auto& slot : p.slots) {
            if (before < std::numeric_limits<double>::infinity()) out[slot.task].push_back(before - slot.model_latency);
            before = slot.model_latency;
        }
        for (std::size_t k = 0; k < out.size(); ++k) {  // savings, to what is left after each
            double left = layers_[k].weight * p.tasks[k].record.best_cost();
            slot_curve curve{left};
            for (std::size_t i = out[k].size(); i-- > 0;) curve.push_back(left += out[k][i]);
            std::reverse(curve.begin(), curve.end());
            out[k] = std::move(curve);
        }
        return out;
    }

private:
    template <class Schedule, class Watch>
    tunekit::plan tune(const Schedule& schedule, std::size_t repeat, double seconds, Watch&& watch) const
    {
        const tunekit::tasks_budget limit{
            .seconds = seconds, .patience = settings_.patience, .slot_seconds = system_.slot_seconds};
        const auto seed = [&](std::size_t k) { return settings_.seed + 1000 * repeat + k; };
        auto gen = tunekit::random::stream(settings_.seed, 0x73636865U, repeat);
        std::vector<tunekit::task> tasks;
        if (settings_.overlap) {
            using rows = tunekit::measure::resampled_rows<tunekit::measure::any_repetition>;
            std::vector<rows> recorded;
            for (std::size_t k = 0; k < layers_.size(); ++k) {
                const auto& layer = layers_[k];
                tasks.emplace_back(layer.name, layer.space, layer.flops, layer.weight);
                recorded.emplace_back(layer.rows, system_.recipe.repetition, seed(k));
            }
            begin(tasks, repeat);
            support::simulated_workers<rows> pool(std::move(recorded), {.workers = 1, .builders = settings_.builders});
            auto how = system_.recipe;
            how.schedule = tunekit::schedule::any_schedule(schedule);
            return tunekit::tune_tasks(std::span<const tunekit::task>(tasks), pool, how, limit, gen, {.watch = watch});
        }
        double now = 0;
        const tunekit::measure::virtual_clock time(now);
        for (std::size_t k = 0; k < layers_.size(); ++k)
            tasks.push_back(
                detail::measured_by(system_.recipe.repetition, layers_[k], time, seed(k), settings_.builders));
        begin(tasks, repeat);
        return tunekit::tune_tasks(tasks, system_.recipe, schedule, limit, gen, {.watch = watch, .clock = time});
    }

    /// Gives each task its first configurations.
    void begin(std::vector<tunekit::task>& tasks, std::size_t repeat) const
    {
        if (settings_.first == 0) return;
        for (std::size_t k = 0; k < tasks.size(); ++k) {
            auto gen = tunekit::random::stream(settings_.seed + 1000 * repeat, 0x66697273U, k);
            tasks[k].begin_with(tasks[k].space().sample(settings_.first, gen));
        }
    }

    /// Of the incumbent, as recorded; +inf without one.
    [[nodiscard]] double recorded_cost(const tunekit::plan& p, std::size_t k) const
    {
        const auto& record = p.tasks[k].record;
        if (!record.found()) return std::numeric_limits<double>::infinity();
        return layers_[k].rows[static_cast<std::size_t>(record.incumbent().candidate)].result.cost;
    }

    [[nodiscard]] double recorded_latency(const tunekit::plan& p) const
    {
        double sum = 0;
        for (std::size_t k = 0; k < layers_.size(); ++k) sum += layers_[k].weight * recorded_cost(p, k);
        return sum;
    }

    const std::vector<replayed_layer>& layers_;
    std::string name_;
    replay_settings settings_;
    replayed_system system_;
};

/// When a course first is at most `latency`; +inf where it never is.
inline double seconds_to(const latency_course& course, double latency)
{
    // A noisy winner can be a step back: the last crossing counts, for what is reached must be kept.
    double reached = std::numeric_limits<double>::infinity();
    for (std::size_t i = course.size(); i-- > 0 && course[i].latency <= latency;) reached = course[i].seconds;
    return reached;
}

/// The course of a run that waits for its search: each step as much later as that had taken until then.
inline latency_course charged(latency_course course)
{
    for (auto& step : course) step.seconds += step.own;
    return course;
}

/// Seconds that all tasks together need, each until it is at most `quality` times what it was at the end of the baseline; where it
/// never is, `share` seconds: what it got.
inline double seconds_of_tasks(const std::vector<latency_course>& tasks, const std::vector<latency_course>& baseline,
                               double quality, double share)
{
    double sum = 0;
    for (std::size_t k = 0; k < tasks.size(); ++k)
        sum += (std::min)(share, seconds_to(tasks[k], quality * baseline[k].back().latency));
    return sum;
}

/// Seconds x seconds under a course from `from` to `to`; before its first step it counts as that.
inline double area_under(const latency_course& course, double from, double to)
{
    double area = 0;
    for (std::size_t i = 0; i < course.size(); ++i) {
        const double begins = i == 0 ? from : (std::max)(from, course[i].seconds);
        const double ends = i + 1 < course.size() ? (std::min)(to, course[i + 1].seconds) : to;
        if (ends > begins) area += course[i].latency * (ends - begins);
    }
    return area;
}

}  // namespace programs
