// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A pool over MPI: rank 0 tunes, the other ranks measure.

#include <signal.h>
#include <csignal>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tunekit/core/error.hpp"
#include "tunekit/mpi/code_folder.hpp"
#include "tunekit/mpi/detail/endpoint.hpp"
#include "tunekit/mpi/detail/mpi.hpp"
#include "tunekit/mpi/detail/rank.hpp"
#include "tunekit/mpi/detail/server.hpp"
#include "tunekit/mpi/launched.hpp"
#include "tunekit/mpi/leader.hpp"
#include "tunekit/mpi/leased_pool.hpp"
#include "tunekit/mpi/members.hpp"
#include "tunekit/mpi/messages.hpp"
#include "tunekit/processes/isolated_workers.hpp"
#include "tunekit/processes/machine.hpp"
#include "tunekit/processes/worker_task.hpp"

namespace tunekit::mpi {

/// Settings of `serve`.
struct serve_options {
    measure::isolated_workers::options worker{};  ///< options of the process in which a rank runs candidates
    /// Which program it is. A rank whose text is not that of rank 0 is refused. Empty: a sum of the program's code; or
    /// any, for ranks that build or run and where devices are mixed, as those may be compiled for their machines.
    std::string build{};
    std::string device{};        ///< the key of the device of this rank; empty: to_text(this_machine())
    bool mixed = false;          ///< whether all ranks are one run, whatever their devices; else one for each device
    bool head_measures = false;  ///< whether rank 0 measures as well; it always does where it is alone
    mpi::duty duty = mpi::duty::measures;  ///< what this rank does of a job; ranks of a run may differ
    std::optional<code_folder> code{};     ///< where the tasks of a rank that builds or runs put or find the code
    double patience_seconds = 3600;        ///< the time without a message from rank 0 after which a rank ends itself
};

/// Begins MPI. On rank 0 it returns, and the program tunes. On ranks that measure it serves orders and does not return.
///
///     int main(int argc, char** argv)
///     {
///         auto lead = tk::mpi::serve(
///             argc, argv, [](std::size_t) { return tk::measure::worker_task{space, tk::measure::timed{kernel}}; });
///         {
///             tk::mpi::pool pool(lead, {tk::measure::identity_of(space)});
///             auto found = tk::tune(space, pool, recipe, budget, gen);
///         }
///         return lead.finish(0);
///     }
///
/// Kernels run in child processes, which are forked before MPI_Init: MPI_Init starts threads, and with some networks a
/// process that forks after it is damaged. So call this first in main. `make(k)` is that of `isolated_workers`. k is
/// the node-local rank, by which it may choose a device. Every rank calls `make`, except rank 0 where that measures
/// nothing.
///
/// Ranks with the same `device` key form one run, and the first of them leads it. Where there are several kinds of
/// devices, several leaders return, each with a pool of its own (`runs`, `run`), unless `mixed` is set.
///
/// Where some ranks build and others run (`duty`), `make` returns what each rank does, for example `mpi::builds`, or a
/// `worker_task` of `mpi::handed_over_kernel` (mpi/handed_over.hpp). What is built travels in messages through rank 0.
/// So no file system needs to be shared, and a machine that runs needs no compiler.
///
/// SIGINT, SIGTERM, SIGHUP and SIGQUIT are for the leader (`stop_on_signal`). Other ranks ignore them, and end when the
/// leader tells them to.
///
/// Throws: tunekit::error where MPI has begun already, or cannot begin. A `make` that throws does not end the job: its
///         rank reports why, and does not measure.
/// Threads: MPI_THREAD_FUNNELED.
template <measure::makes_worker_tasks Make>
[[nodiscard]] leader serve(int& argc, char**& argv, Make make, serve_options options = {});

/// The process in which a rank of an application runs candidates, forked by `prepare` before MPI begins.
class prepared {
public:
    /// Why this rank cannot measure; empty where it can.
    [[nodiscard]] const std::string& why() const noexcept { return own_.why; }

private:
    friend struct detail::attaching;

    serve_options options_{};
    std::optional<place> told_{};
    detail::own_worker own_{};
};

/// Forks what `serve` needs, in a program that calls MPI_Init itself. Call it first in main on every rank that may
/// measure. `make` is that of `serve`; rank 0 calls it as well.
///
///     auto ready = tk::mpi::prepare(
///         [](std::size_t) { return tk::measure::worker_task{space, tk::measure::timed{kernel}}; });
///     MPI_Init(nullptr, nullptr);
///     if (auto lead = tk::mpi::serve(std::move(ready), comm)) {   // rank 0; none on the others
///         tk::mpi::pool pool(*lead, {tk::measure::identity_of(space)});
///         auto found = tk::tune(space, pool, recipe, budget, gen);
///         if (lead->finish(0) != 0) MPI_Abort(comm, 1);           // a rank has not returned
///     }
///     MPI_Finalize();                                             // every rank comes here
///
/// Throws: tunekit::error where MPI has begun already.
template <measure::makes_worker_tasks Make>
[[nodiscard]] prepared prepare(Make make, serve_options options = {});

/// Serves over any ranks of an application: collective over `among`. On rank 0 of each run it returns the leader at
/// once. Other ranks measure, and return none when the leader has finished or was destroyed. MPI goes on, its error
/// handlers and this process' signals are as they were, and `among` is free for the application's own messages.
///
/// Errors:  tunekit::error on a rank that measures where rank 0 has failed or was silent for patience_seconds.
/// Threads: one at a time calls MPI for it. So any level of MPI does; below MPI_THREAD_SERIALIZED it must be the thread
///          that called MPI_Init.
[[nodiscard]] std::optional<leader> serve(prepared from, MPI_Comm among);

/// The pool of a leader.
using pool = leased_pool<leader>;

namespace detail {

/// How `serve` makes a rank of a communicator one of a run.
struct attaching {
    /// Forks the worker of this rank; none for rank 0 where it is `whole_job` and rank 0 does not measure.
    template <class Make>
    static prepared prepare(Make& make, serve_options options, bool whole_job)
    {
        int begun = 0;
        MPI_Initialized(&begun);
        if (begun != 0)
            throw error(
                "mpi.serve: MPI has begun already, and a process in which it has must not fork: want serve before "
                "MPI_Init, or prepare before it and serve after it");
        require(options.duty == duty::measures || options.code,
                "mpi.serve: a rank that builds or runs has no code folder, want serve_options::code");
        prepared out;
        out.told_ = launched();
        const place at = out.told_.value_or(place{});
        if (!whole_job || at.rank != 0 || at.ranks == 1 || options.head_measures)
            out.own_ = build_worker(make, at, options.worker);
        out.options_ = std::move(options);
        return out;
    }

    /// On rank 0 of a run the leader. Other ranks serve orders first.
    static std::optional<leader> serve(prepared p, MPI_Comm among, bool whole_job)
    {
        const place at = p.told_.value_or(place{});
        serve_options& options = p.options_;
        own_worker& own = p.own_;
        check_place(p.told_, own, among);
        if (options.device.empty()) options.device = to_text(this_machine());
        if (options.build.empty() && options.duty == duty::measures && !options.mixed) options.build = program_sum();
        int rank = 0, size = 1;
        MPI_Comm comm = MPI_COMM_NULL;
        const int color = options.mixed ? 0 : class_of(options.device, among);
        MPI_Comm_rank(among, &rank);
        check(MPI_Comm_split(among, color, rank, &comm), "divide the ranks");
        int leads = 0, runs = 0, run = 0;
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
        leads = rank == 0 ? 1 : 0;
        MPI_Allreduce(&leads, &runs, 1, MPI_INT, MPI_SUM, among);
        MPI_Scan(&leads, &run, 1, MPI_INT, MPI_SUM, among);
        const greeting who{.version = core::version_text(),
                           .build = options.build,
                           .host = host_name(),
                           .device = options.device,
                           .local_rank = static_cast<std::uint32_t>(at.local_rank),
                           .duty = options.duty,
                           .tasks = own.tasks};
        if (rank != 0) {
            if (whole_job)
                for (const int asked : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(asked, SIG_IGN);
            serve_rank(comm, std::move(own), who, options.code, options.patience_seconds, whole_job);
            if (!whole_job) MPI_Comm_free(&comm);
            return std::nullopt;
        }
        auto of = std::make_unique<leader::state>(
            leader::state{.comm = comm, .line = endpoint(comm), .whole_job = whole_job, .build = options.build});
        of->size = static_cast<std::size_t>(size);
        of->runs = static_cast<std::size_t>(runs);
        of->run = static_cast<std::size_t>(run - 1);
        of->first = options.head_measures || size == 1 ? 1 : 0;
        if (of->first == 1) {
            if (!own.pool && own.why.empty())
                own.why = "cannot measure: rank 0 has another device and does not measure; want head_measures";
            of->own = std::make_unique<server>(std::move(own.pool), own.why, who, options.code);
        }
        of->left.assign(of->first + of->size - 1, false);
        return leader(std::move(of));
    }
};

}  // namespace detail

template <measure::makes_worker_tasks Make>
prepared prepare(Make make, serve_options options)
{
    return detail::attaching::prepare(make, std::move(options), false);
}

inline std::optional<leader> serve(prepared from, MPI_Comm among)
{
    return detail::attaching::serve(std::move(from), among, false);
}

template <measure::makes_worker_tasks Make>
leader serve(int& argc, char**& argv, Make make, serve_options options)
{
    prepared p = detail::attaching::prepare(make, options, true);
    int level = 0;
    detail::check(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level), "MPI_Init_thread");
    if (auto lead = detail::attaching::serve(std::move(p), MPI_COMM_WORLD, true)) return *std::move(lead);
    MPI_Finalize();
    if (options.code) options.code->remove();  // std::exit does not destroy main's own copy
    std::exit(0);
}

}  // namespace tunekit::mpi
