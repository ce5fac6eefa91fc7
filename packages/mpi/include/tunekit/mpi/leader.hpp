// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Rank 0 of a run: it sends to the ranks that measure, hears them, and ends them.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/mpi/detail/endpoint.hpp"
#include "tunekit/mpi/detail/mpi.hpp"
#include "tunekit/mpi/detail/rank.hpp"
#include "tunekit/mpi/detail/server.hpp"
#include "tunekit/mpi/messages.hpp"

namespace tunekit::mpi {

namespace detail {
struct attaching;
}  // namespace detail

/// Rank 0 of a run, as `serve` returns it. It is the carrier of the run's `pool`. By `finish`, or in its destructor, it
/// ends the ranks that measure, and MPI where `serve` began it (the destructor with EXIT_FAILURE).
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
    /// The build of this program, which that of every rank must be; empty: any.
    [[nodiscard]] const std::string& build() const noexcept { return of_->build; }
    [[nodiscard]] double now() const noexcept { return measure::wall_clock{}(); }

    void send(std::size_t worker, detail::word what, const std::vector<unsigned char>& bytes)
    {
        if (worker < of_->first) of_->own->hear({worker, what, bytes});
        else of_->line.send(worker - of_->first + 1, what, bytes);
    }

    [[nodiscard]] std::optional<detail::message> receive()
    {
        std::optional<detail::message> m;
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
        if (m->what == detail::word::bye && m->worker < of_->left.size()) of_->left[m->worker] = true;
        return m;
    }

    void wait(double seconds) { of_->pause.take(seconds); }

    /// Ends the ranks that measure, then MPI, and returns `status`. Where a rank does not say goodbye within `seconds`,
    /// or a call of MPI has failed, it aborts the job with `status` instead, because MPI_Finalize might wait for ever.
    /// In an application MPI goes on, and it returns EXIT_FAILURE where `status` was 0: such a rank has not returned,
    /// so what is collective waits for ever. `absent()` names it; want MPI_Abort.
    [[nodiscard]] int finish(int status, double seconds = 5)
    {
        const auto all_left = [&] { return std::find(of_->left.begin(), of_->left.end(), false) == of_->left.end(); };
        bool whole = false;
        try {
            for (std::size_t w = 0; w < workers(); ++w) send(w, detail::word::end, {});
            const double until = now() + seconds;
            while (!(all_left() && of_->line.all_sent()) && now() < until)
                if (!receive()) wait(1e-3);
            whole = all_left() && !of_->line.broken();
        } catch (const error&) {  // of MPI: then it cannot be ended in order
        }
        of_->own.reset();
        if (!of_->whole_job) {
            const std::unique_ptr<state> was = std::move(of_);
            if (whole) MPI_Comm_free(&was->comm);
            else absent_ = absent(was->left) + " not ended within " + core::text_of(seconds) + " s";
            return whole || status != 0 ? status : EXIT_FAILURE;
        }
        std::fflush(nullptr);
        if (whole) MPI_Finalize();
        else MPI_Abort(MPI_COMM_WORLD, status);
        of_.reset();
        return status;
    }

    /// After `finish` in an application, the ranks that have not returned, as a line for a person; empty where all
    /// have.
    [[nodiscard]] const std::string& absent() const noexcept { return absent_; }

private:
    friend struct detail::attaching;

    struct state {
        MPI_Comm comm;
        detail::endpoint line;
        bool whole_job = true;  ///< whether it ends MPI
        std::string build{};
        std::size_t size = 1, first = 0;  ///< the ranks of the run; 1 where the leader measures
        std::size_t runs = 1, run = 0;
        std::unique_ptr<detail::server> own{};
        std::vector<bool> left{};  ///< which workers have said goodbye
        detail::naps pause{};
    };

    /// The workers that have not said goodbye.
    [[nodiscard]] static std::string absent(const std::vector<bool>& left)
    {
        std::string out;
        for (std::size_t w = 0; w < left.size(); ++w)
            if (!left[w]) out += (out.empty() ? "worker " : ", ") + std::to_string(w);
        return out.empty() ? "a call of MPI failed, and the run has" : out + " has";
    }

    explicit leader(std::unique_ptr<state> of) : of_(std::move(of)) {}

    std::unique_ptr<state> of_;
    std::string absent_{};
};

}  // namespace tunekit::mpi
