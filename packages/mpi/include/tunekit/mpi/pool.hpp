// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A pool over MPI: rank 0 tunes, the other ranks measure.

#include <signal.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/machine.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/isolated_workers.hpp"
#include "tunekit/measure/worker_task.hpp"
#include "tunekit/mpi/detail/endpoint.hpp"
#include "tunekit/mpi/detail/mpi.hpp"
#include "tunekit/mpi/detail/rank.hpp"
#include "tunekit/mpi/detail/server.hpp"
#include "tunekit/mpi/launched.hpp"
#include "tunekit/mpi/leased_pool.hpp"
#include "tunekit/mpi/members.hpp"
#include "tunekit/mpi/messages.hpp"

namespace tunekit::mpi {

/// Settings of `serve`.
struct serve_options {
    measure::isolated_workers_options worker{};  ///< options of the process in which a rank runs candidates
    std::string device{};                        ///< the key of the device of this rank; empty: to_text(this_machine())
    bool mixed = false;          ///< whether all ranks are one run, whatever their devices; else one for each device
    bool head_measures = false;  ///< whether rank 0 measures as well; it always does where it is alone
    mpi::part part = mpi::part::measures;  ///< the part of a job that this rank does; ranks of a run may differ
    std::optional<code_folder> code{};     ///< where the tasks of a rank that builds or runs put or find the code
    double patience_seconds = 3600;        ///< the time without a message from rank 0 after which a rank ends itself
};

class leader;

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
/// Where some ranks build and others run (`part`), `make` returns what each rank does, for example `mpi::builds`, or a
/// `worker_task` of `mpi::handed_over_kernel` (mpi/handed_over.hpp). What is built travels in messages through rank 0.
/// So no file system needs to be shared, and a machine that runs needs no compiler.
///
/// SIGINT and SIGTERM are for the leader (`stop_on_signal`). Other ranks ignore them, and end when the leader tells
/// them to.
///
/// Throws: tunekit::error where MPI has begun already, or cannot begin. A `make` that throws does not end the job: its
///         rank reports why, and does not measure.
/// Threads: MPI_THREAD_FUNNELED.
template <measure::makes_worker_tasks Make>
[[nodiscard]] leader serve(int& argc, char**& argv, Make make, serve_options options = {});

/// Rank 0 of a run, as `serve` returns it. It is the carrier of the run's `pool`. It ends MPI: by `finish`, or with
/// EXIT_FAILURE in its destructor.
class leader {
public:
    leader(leader&&) noexcept = default;
    leader(const leader&) = delete;
    leader& operator=(const leader&) = delete;
    leader& operator=(leader&&) = delete;
    ~leader()
    {
        if (of_) (void)finish(EXIT_FAILURE);
    }

    /// The number of ranks that may measure, numbered from 0: the leader itself first where it measures.
    [[nodiscard]] std::size_t workers() const noexcept { return of_->first + of_->size - 1; }
    /// The number of runs of this job, one for each kind of device.
    [[nodiscard]] std::size_t runs() const noexcept { return of_->runs; }
    /// The number of this run among them, from 0.
    [[nodiscard]] std::size_t run() const noexcept { return of_->run; }
    /// The communicator of this run's ranks.
    [[nodiscard]] MPI_Comm communicator() const noexcept { return of_->comm; }
    [[nodiscard]] double now() const noexcept { return measure::wall_clock{}(); }

    void send(std::size_t worker, word what, const std::vector<unsigned char>& bytes)
    {
        if (worker < of_->first) of_->own->hear({worker, what, bytes});
        else of_->line.send(worker - of_->first + 1, what, bytes);
    }

    [[nodiscard]] std::optional<message> receive()
    {
        std::optional<message> m;
        if (of_->own) {
            of_->own->look_after(0);
            m = of_->own->say();
        }
        if (!m) {
            m = of_->line.receive();
            if (m) m->worker = m->worker + of_->first - 1;
        }
        if (!m) return std::nullopt;
        of_->pause.wake();
        if (m->what == word::bye && m->worker < of_->left.size()) of_->left[m->worker] = true;
        return m;
    }

    void wait(double seconds) { of_->pause.take(seconds); }

    /// Ends the ranks that measure, then MPI, and returns `status`. Where a rank does not say goodbye within `seconds`,
    /// or a call of MPI has failed, it aborts the job with `status` instead, because MPI_Finalize might wait for ever.
    int finish(int status, double seconds = 5)
    {
        const auto all_left = [&] { return std::find(of_->left.begin(), of_->left.end(), false) == of_->left.end(); };
        bool whole = false;
        try {
            for (std::size_t w = 0; w < workers(); ++w) send(w, word::end, {});
            const double until = now() + seconds;
            while (!(all_left() && of_->line.all_sent()) && now() < until)
                if (!receive()) wait(1e-3);
            whole = all_left() && !of_->line.broken();
        } catch (const error&) {  // of MPI: then it cannot be ended in order
        }
        of_->own.reset();
        std::fflush(nullptr);
        if (whole) MPI_Finalize();
        else MPI_Abort(MPI_COMM_WORLD, status);
        of_.reset();
        return status;
    }

private:
    template <measure::makes_worker_tasks Make>
    friend leader serve(int&, char**&, Make, serve_options);

    struct state {
        MPI_Comm comm;
        detail::endpoint line;
        std::size_t size = 1, first = 0;  ///< the ranks of the run; 1 where the leader measures
        std::size_t runs = 1, run = 0;
        std::unique_ptr<detail::server> own{};
        std::vector<bool> left{};  ///< which workers have said goodbye
        detail::naps pause{};
    };

    explicit leader(std::unique_ptr<state> of) : of_(std::move(of)) {}

    std::unique_ptr<state> of_;
};

/// The pool of a leader.
using pool = leased_pool<leader>;

template <measure::makes_worker_tasks Make>
leader serve(int& argc, char**& argv, Make make, serve_options options)
{
    int begun = 0;
    MPI_Initialized(&begun);
    if (begun != 0)
        throw error(
            "mpi.serve: MPI has begun already, and a process in which it has must not fork: want serve before "
            "MPI_Init");
    require(options.part == part::measures || options.code,
            "mpi.serve: a rank that builds or runs has no code folder, want serve_options::code");
    const auto told = launched();
    const place at = told.value_or(place{});
    const bool idle_head = at.rank == 0 && at.ranks > 1 && !options.head_measures;
    detail::own_worker own;
    if (!idle_head) own = detail::build_worker(make, at, options.worker);
    int level = 0;
    detail::check(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level), "MPI_Init_thread");
    detail::check_place(told, own);
    if (options.device.empty()) options.device = to_text(this_machine());
    int rank = 0, size = 1;
    MPI_Comm comm = MPI_COMM_NULL;
    const int color = options.mixed ? 0 : detail::class_of(options.device, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    detail::check(MPI_Comm_split(MPI_COMM_WORLD, color, rank, &comm), "divide the ranks");
    int leads = 0, runs = 0, run = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    leads = rank == 0 ? 1 : 0;
    MPI_Allreduce(&leads, &runs, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Scan(&leads, &run, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const detail::greeting who{.version = core::version_text(),
                               .host = detail::host_name(),
                               .device = options.device,
                               .local_rank = static_cast<std::uint32_t>(at.local_rank),
                               .part = options.part,
                               .tasks = own.tasks};
    if (rank != 0) {
        ::signal(SIGINT, SIG_IGN);
        ::signal(SIGTERM, SIG_IGN);
        detail::serve_rank(comm, std::move(own), who, options.code, options.patience_seconds);
        MPI_Finalize();
        if (options.code) options.code->remove();  // std::exit does not destroy main's own copy
        std::exit(0);
    }
    auto of = std::make_unique<leader::state>(leader::state{.comm = comm, .line = detail::endpoint(comm)});
    of->size = static_cast<std::size_t>(size);
    of->runs = static_cast<std::size_t>(runs);
    of->run = static_cast<std::size_t>(run - 1);
    of->first = options.head_measures || size == 1 ? 1 : 0;
    if (of->first == 1) {
        if (idle_head)
            own.why = "cannot measure: rank 0 has a device of its own and was not to measure; want head_measures";
        of->own = std::make_unique<detail::server>(std::move(own.pool), own.why, who, options.code);
    }
    of->left.assign(of->first + of->size - 1, false);
    return leader(std::move(of));
}

}  // namespace tunekit::mpi
