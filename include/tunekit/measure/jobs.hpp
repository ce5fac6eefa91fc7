// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Jobs and answers, and the concept of a pool: the interface between tuners and pools.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit {

/// The number of a job in its run. It is a separate type, so that a candidate in place of a ticket does not compile.
enum class ticket : std::uint64_t {};

/// One configuration on its way to be measured. Its limits are those of the moment at which it was asked for, and fall
/// while it waits: a pool tells the jobs that it has not begun what is in (`hear`).
struct job {
    tunekit::ticket ticket{};  ///< identifies the job; its answer has the same
    std::size_t task = 0;      ///< which space of the run; 0 if there is only one
    index candidate = 0;       ///< the configuration, as its index in the space
    measure::limits limits{};  ///< how long it may take, and from which cost on it may be cut short
    bool carried = false;      ///< the best of another task, and no proposal of the strategy

    /// Hears of the answer to another job, which came before this one began to run.
    void hear(const job& other, const measure::measurement& m) noexcept
    {
        if (other.task == task) limits.hear(m);
    }

    friend bool operator==(const job&, const job&) = default;
};

/// The answer to a job: its measurement, or the news that it was lost.
struct answer {
    tunekit::ticket ticket{};                        ///< that of the job
    std::optional<measure::measurement> measured{};  ///< empty: the job was lost with its worker, and may go out again
    std::size_t worker = 0;                          ///< the worker that had it
    double queued_s = 0;                             ///< seconds since `submit` in which no worker had it
    double ran_s = 0;                                ///< seconds that the worker was busy with it
    std::optional<measure::limits> within{};  ///< the limits in force when its run began; empty: those of the job

    friend bool operator==(const answer&, const answer&) = default;
};

/// What is known of a worker. A pool whose workers differ may have `about(worker)`. A log then names the device of each
/// measurement. With `left()`, the workers that are used no more in the order in which they left, it says why.
struct worker_about {
    /// The cost of one configuration on this worker, divided by that on the first worker: a check of the workers
    /// themselves.
    struct ratio {
        double value = 1, low = 1, high = 1;  ///< the ratio, and the ends of its 95 % interval

        friend bool operator==(const ratio&, const ratio&) = default;
    };

    std::string host{};            ///< name of the machine; empty if it is not known
    std::string device{};          ///< key of what it measures on; costs of different devices cannot be compared
    std::uint64_t local_rank = 0;  ///< number of the worker among those of its machine, from 0
    std::optional<ratio> against_first{};  ///< empty if it was not compared
    std::string left{};                    ///< why it is used no more; empty while it is used

    friend bool operator==(const worker_about&, const worker_about&) = default;
};

namespace detail {

template <class P>
concept counts_workers = requires(const P& p) {
    { p.workers() } -> std::same_as<std::size_t>;
};
template <class P>
concept tells_room = requires(const P& p) {
    { p.room() } -> std::same_as<std::size_t>;
};
template <class P>
concept takes_jobs = requires(P& p, const job& j) {
    { p.submit(j) } -> std::same_as<void>;
};
template <class P>
concept gives_answers = requires(P& p, double seconds) {
    { p.collect(seconds) } -> std::same_as<std::vector<answer>>;
};
template <class P>
concept tells_its_time = requires(const P& p) {
    { p.now() } -> std::same_as<double>;
};

}  // namespace detail

/// A pool measures several jobs at a time, or carries them to workers that do. It is the asynchronous form of
/// measure::measurer.
///
///     while (!t.over()) {
///         for (std::size_t k = pool.room(); k-- > 0;)
///             if (auto next = t.ask()) pool.submit(*next);
///         for (const tunekit::answer& a : pool.collect(1)) take(a);    // tell what was measured, drop what was lost
///     }
///
///   * `workers()`: the number of workers, lost ones included. `answer::worker` is below it.
///   * `room()`: the number of jobs that may be submitted now.
///   * `submit(job)`: takes a job. It never waits. Precondition: there is room. A job that it cannot begin at once
///     hears of each answer until it does (`job::hear`); `answer::within` then says what was in force.
///   * `collect(seconds)`: the answers, in the order in which they became known. It waits for the first answer for at
///     most so many seconds, and not at all where nothing is out. Every job submitted is answered once, measured or
///     lost. It throws tunekit::error where there can never be room again, after it has given out all earlier answers.
///   * `now()`: seconds since a moment of the pool's own. It never goes backwards. It is the time stamp of the answers
///     collected last.
///
/// An answer to a ticket that is not out is a fault of the pool, which the tuner reports.
template <class P>
concept pool = detail::counts_workers<P> && detail::tells_room<P> && detail::takes_jobs<P> &&
               detail::gives_answers<P> && detail::tells_its_time<P>;

}  // namespace tunekit
