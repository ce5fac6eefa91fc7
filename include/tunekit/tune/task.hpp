// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A task: one operator to tune. And the plan: the result of a run over several tasks.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/space/any_space.hpp"
#include "tunekit/tune/detail/loop.hpp"
#include "tunekit/tune/tuning.hpp"

namespace tunekit {

/// A named operator with its space, its measurer, its work and the number of its calls in the model. Move-only, because
/// it owns its measurer.
///
///     auto tasks = tk::tasks(tk::task("conv1", space1, std::move(measure1), flops1, 1),
///                            tk::task("conv2", space2, std::move(measure2), flops2, 3));
///
/// The space is erased to `space::any_space`, and the measurer is behind one indirect call for each batch and answer. A
/// task is a measurer itself.
class task {
    struct nobody {
        std::vector<measure::measurement> measure(std::span<const index>, const measure::limits&)
        {
            throw error("task: has no measurer; give it one, or tune over a pool");
        }
    };

public:
    /// `flops` is the work of one call, `weight` the number of calls in the model.
    /// Throws std::invalid_argument for an empty name or space, or a flops or weight that is not positive.
    template <class Space, class Measurer>
        requires(!std::is_arithmetic_v<Measurer>)
    task(std::string name, Space space, Measurer measurer, double flops, double weight = 1)
        : name_(std::move(name)),
          space_(std::move(space)),
          measurer_(std::move(measurer)),
          flops_(flops),
          weight_(weight)
    {
        static_assert(measure::measurer<Measurer>,
                      "tunekit: task, argument 3 is not a measurer: measure(std::span<const index>, const "
                      "measure::limits&) -> std::vector<measure::measurement> is missing");
        require(!name_.empty(), "task: the name is empty, want one that tells it from the others");
        require(space_.size() > 0, "task " + name_ + ": the space is empty, want at least one configuration");
        require(flops > 0, "task " + name_ + ": flops is not positive, want the work of one call");
        require(weight > 0, "task " + name_ + ": weight is not positive, want the number of calls in the model");
    }

    /// A task that a pool measures. It has no measurer.
    template <class Space>
    task(std::string name, Space space, double flops, double weight = 1)
        : task(std::move(name), std::move(space), nobody{}, flops, weight)
    {
    }

    /// Configurations to measure before the strategy is asked, such as a library's untuned one or the best of another
    /// run. Throws std::invalid_argument for one outside the space.
    void begin_with(std::vector<index> known)
    {
        for (const index i : known)
            require(i < space_.size(),
                    "task " + name_ + ": begin_with lies outside the space, want an index below its size");
        known_ = std::move(known);
    }
    /// The configurations of `begin_with`, in their order; else empty.
    [[nodiscard]] std::span<const index> known() const noexcept { return known_; }

    /// Its name, which no other task of a run has.
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const space::any_space& space() const noexcept { return space_; }  ///< its space, erased
    [[nodiscard]] double flops() const noexcept { return flops_; }                   ///< the work of one call, above 0
    [[nodiscard]] double weight() const noexcept { return weight_; }  ///< the number of calls in the model, above 0

    /// Whether the costs of its measurer are times (`measure::measures_time`).
    [[nodiscard]] bool measures_time() const noexcept { return measurer_.measures_time(); }

    /// Measures `batch` with the task's measurer.
    [[nodiscard]] std::vector<measure::measurement> measure(std::span<const index> batch, const measure::limits& l)
    {
        std::vector<measure::measurement> out;
        out.reserve(batch.size());
        measure_in_parts(batch, l, [&out](std::span<measure::measurement> answers) {
            for (measure::measurement& m : answers) out.push_back(std::move(m));
        });
        return out;
    }
    /// The same. `some(answers)` gets a std::span<measure::measurement> of one at a time, in order, as soon as that is
    /// measured; if the task's measurer does not stream, that of the whole batch.
    template <class Some>
    void measure_in_parts(std::span<const index> batch, const measure::limits& l, Some&& some)
    {
        measurer_.measure_in_parts(batch, l, some);
    }

private:
    std::string name_;
    tunekit::space::any_space space_;
    detail::any_measurer measurer_;
    double flops_;
    double weight_;
    std::vector<index> known_;
};

/// Makes a vector of tasks from move-only ones, in declaration order.
template <class... Tasks>
    requires(std::is_same_v<std::remove_cvref_t<Tasks>, task> && ...)
[[nodiscard]] std::vector<task> tasks(Tasks&&... each)
{
    std::vector<task> out;
    out.reserve(sizeof...(each));
    (out.push_back(std::forward<Tasks>(each)), ...);
    return out;
}

/// The result of `tune_tasks`.
struct plan {
    /// The result for one task.
    struct task_result {
        tuning record;            ///< its trials and incumbent; its seconds are those that workers spent on the task
        std::uint64_t slots = 0;  ///< the number of slots that it was given
    };

    /// One slot that a task was given.
    struct slot {
        std::size_t task = 0;      ///< the position of the task
        double ended = 0;          ///< seconds since the start of the run
        double model_latency = 0;  ///< sum over tasks of weight * best cost at its end; +inf while a task has none
    };

    std::vector<task_result> tasks;              ///< in declaration order
    std::vector<slot> slots;                     ///< the slots that have ended, in the order of their ends
    double seconds = 0;                          ///< the seconds of the run, by its clock
    stop_reason stopped = stop_reason::running;  ///< why the run ended
};

/// The seconds of one pass of the model with the incumbents: sum of weight * best cost; +inf while a task has none.
[[nodiscard]] inline double model_latency(std::span<const task> tasks, const plan& p)
{
    double sum = 0;
    for (std::size_t k = 0; k < tasks.size(); ++k) sum += tasks[k].weight() * p.tasks[k].record.best_cost();
    return sum;
}

}  // namespace tunekit
