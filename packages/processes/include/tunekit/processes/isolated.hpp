// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A measurer that runs candidates in a child process, so that no candidate can stop the tuner.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/detail/system.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/in_process.hpp"
#include "tunekit/processes/guarded_buffer.hpp"
#include "tunekit/space/concepts.hpp"

#if TUNEKIT_FORKS
#include "tunekit/processes/detail/flush_last_cache.hpp"
#include "tunekit/processes/detail/owned.hpp"
#endif

namespace tunekit::measure {

/// Settings of `isolated`.
struct isolated_options {
    /// The way in which a candidate's memory limit is enforced.
    enum class memory_rule : std::uint8_t {
        address_space,  ///< by the system, with RLIMIT_AS: allocations beyond the limit fail
        resident,  ///< by the parent, which looks every 10 ms and kills; for candidates that map far more than they use
    };

    std::vector<canary> canaries{};  ///< of the buffers that candidates write; the buffers must outlive the measurer
    /// The memory that a candidate may add to what the worker has at the start; 0: no limit.
    std::size_t memory_bytes = std::size_t{4} << 30;
    /// Who enforces `memory_bytes`; under a sanitizer, which reserves address space, and on macOS the parent does.
    memory_rule rule = core::detail::limits_address_space && !core::detail::sanitized ? memory_rule::address_space
                                                                                      : memory_rule::resident;
    /// Whether each worker runs in a PID namespace of its own. A candidate can then address no other process, and no
    /// process of it stays. The system must give such a namespace, to root or in a user namespace; else the first
    /// measurement is an error.
    bool enclosed = false;
    /// Whether each worker is `enclosed`, has no network, and has no system calls that reach other processes or change
    /// the system: sockets, ptrace, namespaces, mounts. Linux on x86-64 and arm64. Elsewhere, and where the system does
    /// not allow it, the first measurement is an error.
    bool confined = false;
};

#if TUNEKIT_FORKS
namespace detail {

/// The measurer that `isolated` returns. It owns a zygote, a worker, and a list of bad candidates. Move-only.
class isolated_measurer {
public:
    /// Forks the children. `work(index, limits)` measures one candidate, in the children. It is needed only during this
    /// call. Throws tunekit::error where this process runs other threads, or no child can be forked.
    template <class Work>
    isolated_measurer(Work& work, isolated_options options)
        : isolated_measurer(const_cast<void*>(static_cast<const void*>(&work)), run_of<Work>, std::move(options))
    {
    }

    /// The same with a `work` that is kept: where something ends the children, they are forked again. `times` says
    /// whether its costs are times.
    template <class Work>
    [[nodiscard]] static isolated_measurer keeping(Work work, isolated_options options, bool times)
    {
        detail::owned kept(std::move(work));
        isolated_measurer out(*static_cast<Work*>(kept.get()), std::move(options));
        out.keep(std::move(kept));
        out.measures_time_ = times;
        return out;
    }

    /// Measures the batch in its order. Throws tunekit::error where the children cannot be forked.
    [[nodiscard]] std::vector<measurement> measure(std::span<const index> batch, const limits& within)
    {
        return detail::collected(*this, batch, within);
    }
    /// The same, with `each(measurement)` as soon as a candidate is measured.
    template <class Each>
    void measure(std::span<const index> batch, const limits& within, Each&& each)
    {
        for (const index i : batch) each(measure_one(i, within));
    }

    /// Allows a candidate that failed to run again, because it has changed.
    void forget(index candidate);

    [[nodiscard]] bool measures_time() const noexcept { return measures_time_; }

    /// The next candidate runs in a fresh worker.
    void renew();

private:
    using run_function = measurement (*)(void* self, std::size_t task, index candidate, const limits& within);

    template <class Work>
    static measurement run_of(void* self, std::size_t, index candidate, const limits& within)
    {
        return (*static_cast<Work*>(self))(candidate, within);
    }

    isolated_measurer(void* work, run_function run, isolated_options options);
    void keep(detail::owned work);
    measurement measure_one(index candidate, const limits& within);

    struct state;
    [[nodiscard]] state& its() const noexcept;
    detail::owned state_{};
    bool measures_time_ = false;
};

}  // namespace detail

/// Measures the configurations of `space` in a child process that is replaced after any failure.
///
///     auto measure = isolated(space, timed{time_kernel, until_stable{}, check});
///
/// The children are forked by this call. Kernel, check, space and all they capture are copied now. Later changes in the
/// parent have no effect. So make it early: before large allocations, threads and device contexts. Outputs may be in
/// `guarded_buffer`s; name their canaries in the options. To measure several at a time, see `isolated_workers`.
///
/// A candidate has failed if it ends the worker by signal or exit, runs longer than limits::run_seconds, takes more
/// memory than allowed, gives a wrong result or writes outside its output. Where the worker had run other candidates
/// before, the candidate is repeated once in a fresh worker, unless a canary identifies it. A candidate that fails
/// there is remembered and never runs again (after a time-out, unless the limit is longer). The same holds for one that
/// attacks the processes above it.
///
/// Processes or threads that a successful candidate leaves running end with its worker. Workers have descriptors,
/// signal handlers and a process group of their own, and write to the null device. They and all processes that they
/// have started end with this process. Arithmetic, signals, working directory and umask are the same for each
/// candidate.
///
/// `space` and `how` are kept, so that children that were ended can be forked again.
///
/// On Linux all of this holds. On macOS, where it was compiled and never run, a process that a candidate detaches from
/// itself (its own group, its parent gone) outlives the run, threads that it leaves running are not seen, and nothing
/// is `enclosed` or `confined`; the first measurer says so on standard error. Windows forks nothing: a call is refused
/// when it is compiled.
///
/// Throws:     tunekit::error where this process runs other threads or no child can be forked; std::invalid_argument
///             where a setting of `how` is out of range.
/// Cost:       about 20 us per measurement; about 0.8 ms for a new worker.
/// Threads:    one at a time. In a process that has threads already, use `served_workers`.
template <space::typed Space, class Timed>
[[nodiscard]] detail::isolated_measurer isolated(const Space& space, Timed how, isolated_options options = {})
{
    detail::flush_last_cache(how);
    const bool times = measures_time(how);
    auto work = [one = in_process(space, std::move(how))](index candidate, const limits& within) mutable {
        measurement out;
        one.measure({&candidate, 1}, within, [&](measurement&& m) { out = std::move(m); });
        return out;
    };
    return detail::isolated_measurer::keeping(std::move(work), std::move(options), times);
}

#else

template <space::typed Space, class Timed>
[[nodiscard]] auto isolated(const Space& space, Timed how, isolated_options = {})
{
    static_assert(
        sizeof(Space) == 0,
        "tunekit: isolated, and tune over a kernel: this system forks no child in which a candidate could run; "
        "want measure::in_process(space, timed{kernel, ...}), for kernels that you trust");
    return in_process(space, std::move(how));
}
#endif

}  // namespace tunekit::measure
