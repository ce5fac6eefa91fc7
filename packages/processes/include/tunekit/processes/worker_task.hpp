// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A worker's part of a task: the space, the way to run its configurations, and the buffers that they write.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/processes/detail/flush_last_cache.hpp"
#include "tunekit/processes/detail/owned.hpp"
#include "tunekit/processes/guarded_buffer.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::measure {

/// The work of a pool's worker for one task, built once per worker.
///
///     [&](std::size_t) {
///         auto c = std::make_shared<tk::measure::guarded_buffer<float>>(m * n);       // outputs: one for each worker
///         return tk::measure::worker_task{space, timed{kernel_into(c), until_confident{}, check_of(c)}, {c->canary()}};
///     }
///
/// Each worker needs outputs of its own: a `guarded_buffer` is shared memory, and two workers that write into one spoil
/// each other's results. The owner of the outputs must live as long as the task, so keep it in what `how` captures.
template <space::typed Space, class Timed>
struct worker_task {
    Space space;                     ///< the space of the task; job::candidate is an index in it
    Timed how;                       ///< a `timed`: how(config, limits) gives a measurement
    std::vector<canary> canaries{};  ///< of the buffers that candidates write
};
template <class S, class T>
worker_task(S, T) -> worker_task<S, T>;
template <class S, class T>
worker_task(S, T, std::vector<canary>) -> worker_task<S, T>;

/// The identity of a task across processes. A pool compares its own with those of workers that it started.
struct task_identity {
    std::uint64_t size = 0;         ///< configurations of its space; 0 where the space has no size
    std::uint64_t fingerprint = 0;  ///< that of its space; 0 for a space that has none
    std::uint64_t times = 0;        ///< 1 where its costs are times, as a worker says; not compared

    friend bool operator==(const task_identity& a, const task_identity& b) noexcept
    {
        return a.size == b.size && a.fingerprint == b.fingerprint;
    }
};

/// The size and the fingerprint of a space, as far as it has them.
template <class Space>
[[nodiscard]] task_identity identity_of(const Space& space)
{
    task_identity out;
    if constexpr (requires {
                      { space.size() } -> std::convertible_to<index>;
                  })
        out.size = space.size();
    if constexpr (requires {
                      { space.fingerprint() } -> std::same_as<std::uint64_t>;
                  })
        out.fingerprint = space.fingerprint();
    return out;
}

/// A worker_task over any space, as one type. Move-only; it owns the parts of the task.
class any_worker_task {
public:
    /// Takes over the task. Throws std::invalid_argument where a setting of its `timed` is out of range.
    template <class Space, class Timed>
    any_worker_task(worker_task<Space, Timed> what)  // implicit: `make` may return a worker_task
        : canaries_(what.canaries), identity_(identity_of(what.space))
    {
        identity_.times = measure::measures_time(what.how) ? 1 : 0;
        using held = worker_task<Space, Timed>;
        detail::flush_last_cache(what.how);
        if constexpr (requires { what.how.validate(); }) what.how.validate();
        run_ = [](void* self, index candidate, const limits& within) {
            auto& task = *static_cast<held*>(self);
            return measurement(task.how(task.space.at(candidate), within));
        };
        held_ = detail::owned(std::move(what));
    }

    /// The canaries of the buffers that candidates write.
    [[nodiscard]] const std::vector<canary>& canaries() const noexcept { return canaries_; }
    /// The identity of its space, and whether its costs are times.
    [[nodiscard]] const task_identity& identity() const noexcept { return identity_; }

    /// Whether its costs are times (`measure::measures_time`).
    [[nodiscard]] bool measures_time() const noexcept { return identity_.times != 0; }

    /// Measures one configuration, in the calling process.
    [[nodiscard]] measurement measure(index candidate, const limits& within)
    {
        return run_(held_.get(), candidate, within);
    }

private:
    std::vector<canary> canaries_;
    task_identity identity_;
    measurement (*run_)(void*, index, const limits&) = nullptr;
    detail::owned held_{};
};

/// A function `make(worker)` that returns one worker_task, or several in the order of job::task.
template <class M>
concept makes_worker_tasks = std::invocable<M&, std::size_t> &&
                             (std::convertible_to<std::invoke_result_t<M&, std::size_t>, any_worker_task> ||
                              std::convertible_to<std::invoke_result_t<M&, std::size_t>, std::vector<any_worker_task>>);

namespace detail {

/// The tasks that `make` returns for a worker, as a list.
template <makes_worker_tasks Make>
std::vector<any_worker_task> tasks_of(Make& make, std::size_t worker)
{
    if constexpr (std::convertible_to<std::invoke_result_t<Make&, std::size_t>, std::vector<any_worker_task>>) {
        return make(worker);
    } else {
        std::vector<any_worker_task> out;
        out.push_back(make(worker));
        return out;
    }
}

/// A `make`, for code that does not know its type. A view.
struct task_maker {
    void* make = nullptr;
    std::vector<any_worker_task> (*call)(void* make, std::size_t worker) = nullptr;

    template <makes_worker_tasks Make>
    [[nodiscard]] static task_maker of(Make& make)
    {
        return {&make, [](void* self, std::size_t worker) { return tasks_of(*static_cast<Make*>(self), worker); }};
    }
};

}  // namespace detail
}  // namespace tunekit::measure
