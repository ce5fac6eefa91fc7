// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A pool of worker processes, each with processors, a kernel and buffers of its own.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/processes/detail/owned.hpp"
#include "tunekit/processes/isolated.hpp"
#include "tunekit/processes/share_cores.hpp"
#include "tunekit/processes/worker_task.hpp"

namespace tunekit::measure {

class isolated_workers;

namespace detail {

struct poll_set;
struct served_program;

/// Measures a candidate of the task with that number. `self` is a std::vector<any_worker_task>.
measurement measure_task(void* self, std::size_t task, index candidate, const limits& within);

/// Lets a part of this floor wait for a pool and for something else at the same time.
struct pool_access {
    static void watch(const isolated_workers& pool, poll_set& events);
};

/// A measurer on one worker of a pool in which nothing else is out; see isolated_workers::alone.
class lone_worker {
public:
    /// Measures the batch in its order. Throws std::invalid_argument while jobs are out in the pool, tunekit::error
    /// where the worker ends for good.
    [[nodiscard]] std::vector<measurement> measure(std::span<const index> batch, const limits& within);

private:
    friend isolated_workers;
    lone_worker(isolated_workers& pool, std::size_t worker, std::size_t task) noexcept;

    isolated_workers* pool_;
    std::size_t worker_;
    std::size_t task_;
};

}  // namespace detail

/// A pool of `n` workers. Each is a process like that of `isolated`: a candidate's crash ends only its own worker.
///
///     tk::measure::isolated_workers pool(4, [&](std::size_t) {
///         auto c = std::make_shared<tk::measure::guarded_buffer<float>>(m * n);
///         return tk::measure::worker_task{space, timed{kernel_into(c), until_confident{}, check_of(c)}, {c->canary()}};
///     });
///
/// `make(worker)` is called once for each worker, in this process, before the worker is forked. So each worker has a
/// kernel, a check and outputs of its own. `make` returns a `worker_task`, or a std::vector<any_worker_task> in the
/// order of job::task. These live as long as the pool.
///
/// A worker is pinned to processors of its own, so at most one candidate runs on each. A kernel that starts threads
/// finds as many processors as its worker has. Where workers share a memory bus or a power limit, times are those of a
/// busy machine.
///
/// All that `isolated` promises holds for each worker. The pool remembers which candidates failed, and no worker runs
/// them again. A kernel that looks for the process that forks its worker can end both. Its job is then lost: it is
/// answered without a measurement. The worker is forked again, with the same task. Where that is impossible, because
/// threads run by then, the other workers continue. When the last one is lost, `collect` throws.
///
/// Workers are served in `collect`. Between calls they continue, but no time-out is enforced and no job begins.
///
/// Throws:     tunekit::error where this process runs other threads (then use `served_workers`) or no child can be
///             forked; std::invalid_argument for 0 workers, more workers than processors, and cores that are given
///             twice or do not exist; what `make` and `timed` throw.
/// Cost:       per worker three processes; about 20 us per measurement; about 0.8 ms for a new worker.
/// Threads:    one at a time.
class isolated_workers {
public:
    /// Its settings.
    struct options {
        /// The memory that a candidate may add to what its worker has at the start; 0: no limit.
        std::size_t memory_bytes = std::size_t{4} << 30;
        /// Who enforces `memory_bytes`; under a sanitizer, which reserves address space, and on macOS the parent does.
        isolated_options::memory_rule rule = isolated_options{}.rule;
        bool enclosed = false;  ///< whether each worker is in a PID namespace of its own, as isolated_options::enclosed
        bool confined = false;  ///< the same, without a network and with a filter, as isolated_options::confined
        bool pinned = true;     ///< whether each worker has processors of its own; macOS places workers itself
        std::vector<std::vector<int>>
            cores{};  ///< the processors of each worker, such as share_cores(n, spared).workers; empty: equal shares of all
    };

    struct program_options;  ///< of `served_workers`

    /// Forks `n` workers, each with what `make(worker)` returns for it.
    template <makes_worker_tasks Make>
    isolated_workers(std::size_t n, Make make, const options& how)
        : isolated_workers(n, detail::task_maker::of(make), how)
    {
    }

    /// The same with the usual settings.
    template <makes_worker_tasks Make>
    isolated_workers(std::size_t n, Make make) : isolated_workers(n, std::move(make), options{})
    {
    }

    /// For `served_workers`: the same, with workers that are programs of their own.
    isolated_workers(std::size_t n, detail::served_program program, const options& how);

    [[nodiscard]] std::size_t workers() const noexcept;
    /// The number of jobs that may be submitted now: one per living worker, less those that are out.
    [[nodiscard]] std::size_t room() const noexcept;
    /// Seconds since the pool was built.
    [[nodiscard]] double now() const noexcept;

    /// Whether the costs of all tasks are times; of workers that are programs of their own it is not known, and false.
    [[nodiscard]] bool measures_time() const noexcept;

    /// Allows a candidate that failed to run again, because it has changed.
    void forget(index candidate, std::size_t task = 0);

    /// Submits a job. Throws std::invalid_argument where there is no room or the workers have no such task.
    void submit(const job& next);

    /// The answers known so far; it waits for the first one for at most `seconds`, and not at all where no job is out.
    /// Throws tunekit::error where every worker is lost for good and all answers were returned.
    [[nodiscard]] std::vector<answer> collect(double seconds);

    /// A measurer on one worker, for comparisons that must not be disturbed. While it measures, nothing else is out.
    /// With `fresh` it begins with a process that has run nothing, as each round of a race should.
    /// Throws std::invalid_argument where there is no such worker or task.
    ///
    ///     auto quiet  = pool.alone(0);
    ///     auto result = tk::measure::race(quiet, finalists);
    [[nodiscard]] detail::lone_worker alone(std::size_t worker, std::size_t task = 0, bool fresh = false);

private:
    friend class detail::lone_worker;
    friend struct detail::pool_access;

    isolated_workers(std::size_t n, detail::task_maker make, const options& how);

    struct state;
    [[nodiscard]] state& its() const noexcept;
    detail::owned state_{};
};

}  // namespace tunekit::measure
