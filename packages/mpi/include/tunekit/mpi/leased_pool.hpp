// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A pool of workers that may be slow, stopped, lost or late. Every job is leased, and nothing waits for a worker.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/measure/measurement.hpp"
#include "tunekit/measure/worker_task.hpp"
#include "tunekit/mpi/detail/piece.hpp"
#include "tunekit/mpi/detail/roster.hpp"
#include "tunekit/mpi/members.hpp"
#include "tunekit/mpi/messages.hpp"

namespace tunekit::mpi {

/// A pool of workers that a carrier reaches. Each worker has at most one job. The job is leased from the moment when
/// the worker began it. Where some workers build and others run (`part`), a job goes first to one that builds, then
/// with its code to one that runs. At most as many jobs are out as there are workers of all parts.
///
///     tk::mpi::leased_pool pool(carrier, {tk::measure::identity_of(space)});
///     tk::tune(t, pool);                                               // t: a tk::tuner
///
/// Workers may join at any time by saying hello. Those of another version of tunekit, or with other spaces, are
/// refused. A job whose lease expires, or whose worker is gone, is lost: it is answered without a measurement. The
/// tuner sends it out once more, and it goes to another worker where there is one. A job that is lost again has failed.
/// A worker whose lease expired gets no job until it answers. That answer is late and does not count.
///
/// Errors:     std::invalid_argument for a job that does not fit and for options out of range. tunekit::error from
///             `collect` once no worker could measure for `join_seconds` and no answer is left; its text says what is
///             known of each worker.
/// Randomness: none.
/// Cost:       three small messages and about a microsecond per job. All leases are checked when the next one may
///             expire.
/// Threads:    one at a time. Precondition: the carrier outlives the pool.
template <carrier Carrier>
class leased_pool {
    using roster = detail::roster<Carrier>;
    using piece = detail::piece;

public:
    /// A pool over the carrier's workers. `tasks` identify the spaces: a job's task is a position in them.
    leased_pool(Carrier& carrier, std::vector<measure::task_identity> tasks, leased_options options = {})
        : carrier_(&carrier),
          roster_(carrier, std::move(tasks), options),
          join_seconds_(options.join_seconds),
          start_(carrier.now()),
          complete_at_(start_)
    {
    }

    [[nodiscard]] std::size_t workers() const noexcept { return members().size(); }
    /// The number of jobs that may be submitted now. 0 while the workers cannot do every step of a job.
    [[nodiscard]] std::size_t room() const noexcept
    {
        return roster_.complete() && roster_.ready() > out_ ? roster_.ready() - out_ : 0;
    }
    /// The seconds since the pool was made, by the carrier's clock.
    [[nodiscard]] double now() const noexcept { return carrier_->now() - start_; }

    /// Takes a job, and sends it where a worker is idle. Throws std::invalid_argument where there is no room or no such
    /// task.
    void submit(const job& next)
    {
        require(room() > 0, "mpi.pool.submit: no room, want a call of room() before");
        require(next.task < roster_.tasks(),
                "mpi.pool.submit: no such task, want one of those that the pool was made with");
        ++out_;
        waiting_.push_back({.what = next, .submitted = carrier_->now()});
        give_to_idle();
    }

    /// The answers that have come. Waits for the first at most `seconds`; empty where none came, or nothing is out.
    [[nodiscard]] std::vector<answer> collect(double seconds)
    {
        const double until = carrier_->now() + (std::max)(seconds, 0.0);
        for (;;) {
            look_after();
            if (!given_.empty()) return std::exchange(given_, {});
            if (out_ == 0 && room() > 0) return {};
            const double moment = carrier_->now();
            if (!roster_.complete() && moment >= complete_at_ + join_seconds_) {
                if (out_ == 0) throw error("mpi.pool: " + detail::why_nobody(members()));
                lose_waiting();
                if (!given_.empty()) continue;
            }
            if (moment >= until) return {};
            const double expires = roster_.complete() || moment < complete_at_ + join_seconds_
                                       ? complete_at_ + join_seconds_
                                       : roster::never;  // until the lease of what is out
            carrier_->wait((std::min)({until, roster_.next_look(), expires}) - moment);
        }
    }

    /// A measurer on one worker of a pool in which nothing else is out.
    struct lone_rank {
        leased_pool* pool;         ///< not owned
        std::size_t worker, task;  ///< the worker, and the task of the candidates

        /// Measures the batch in its order. A candidate whose worker is lost has failed (`lost`). Throws
        /// std::invalid_argument while jobs are out, and tunekit::error where the worker cannot measure.
        [[nodiscard]] std::vector<measure::measurement> measure(std::span<const index> batch,
                                                                const measure::limits& within)
        {
            std::vector<measure::measurement> out;
            for (const index i : batch) out.push_back(pool->measure_alone(worker, task, i, within));
            return out;
        }
    };

    /// A measurer on one worker, for comparisons that must not be disturbed. Nothing else may be out while it measures.
    /// For a worker that only runs, each candidate is first built by one that builds. Throws std::invalid_argument
    /// where there is no such worker or task.
    [[nodiscard]] lone_rank alone(std::size_t worker, std::size_t task = 0)
    {
        require(worker < workers(), "mpi.pool.alone: no such worker, want one below workers()");
        require(task < roster_.tasks(), "mpi.pool.alone: no such task, want one of those that the pool was made with");
        return {this, worker, task};
    }

    /// The state of every worker, by its number.
    [[nodiscard]] const std::vector<member>& members() const noexcept { return roster_.members(); }
    /// The number of answers that came after their lease.
    [[nodiscard]] std::uint64_t late() const noexcept { return roster_.late(); }

    /// The cost of the reference on a worker, compared with its cost on the first worker that measured it. None where
    /// one of the two has not measured it.
    [[nodiscard]] std::optional<comparison> against_first(std::size_t worker) const
    {
        for (const member& first : members())
            if (first.reference.size() >= 2) return compared(members().at(worker).reference, first.reference);
        return std::nullopt;
    }

    /// The description of a worker for a log: its host, device, local rank and comparison.
    [[nodiscard]] worker_about about(std::size_t worker) const
    {
        const detail::greeting& who = members().at(worker).who;
        worker_about out{.host = who.host, .device = who.device, .local_rank = who.local_rank};
        if (const auto c = against_first(worker))
            out.against_first = worker_about::ratio{c->ratio, c->within.low, c->within.high};
        return out;
    }

    /// The first worker that is idle and can measure; none where there is none.
    [[nodiscard]] std::optional<std::size_t> first_idle() const
    {
        for (std::size_t w = 0; w < workers(); ++w)
            if (members()[w].at == member::state::idle && members()[w].who.part != part::builds) return w;
        return std::nullopt;
    }

private:
    void look_after()
    {
        for (auto& e : roster_.look_after()) hear(std::move(e));
        give_to_idle();
        if (roster_.complete()) complete_at_ = carrier_->now();
    }

    void hear(detail::ended_order e)
    {
        piece& p = e.of;
        if (!e.said || !e.said->measured) losses_.note(e.worker, p.what);
        if (p.for_pool) {
            alone_ = std::move(e);
            return;
        }
        answer a{.ticket = p.what.ticket, .worker = e.worker};
        if (e.said) {
            if (detail::was_built(p, *e.said, members()[e.worker].who.part)) return built_.push_back(std::move(p));
            a.measured = std::move(e.said->measured);
            a.ran_s = e.said->ran_s;
        }
        a.queued_s = (std::max)(carrier_->now() - p.submitted - p.built_s - a.ran_s, 0.0);
        give_out(std::move(a));
    }

    void give_out(answer a)
    {
        --out_;
        given_.push_back(std::move(a));
    }

    /// Gives waiting pieces to idle workers of one part. A worker that lost the piece before gets it only where nobody
    /// else can.
    void give(std::deque<piece>& from, part a, std::size_t others)
    {
        while (!from.empty()) {
            const bool choosy = !losses_.none() && roster_.usable(a) + others > 1;
            const auto w = roster_.idle([&](std::size_t k) {
                return members()[k].who.part == a && !(choosy && losses_.by(k, from.front().what));
            });
            if (!w) return;
            piece next = std::move(from.front());
            from.pop_front();
            roster_.give(*w, std::move(next));
        }
    }

    void give_to_idle()
    {
        give(built_, part::runs, 0);
        give(waiting_, part::measures, roster_.usable(part::builds));
        if (roster_.usable(part::runs) > 0) give(waiting_, part::builds, roster_.usable(part::measures));
    }

    void lose_waiting()
    {
        for (auto* const queue : {&waiting_, &built_})
            for (const piece& p : std::exchange(*queue, {}))
                give_out({.ticket = p.what.ticket, .queued_s = carrier_->now() - p.submitted});
    }

    /// Sends one order and waits for its end.
    [[nodiscard]] detail::ended_order order_alone(std::size_t w, piece p)
    {
        alone_.reset();
        roster_.give(w, std::move(p));
        while (!alone_) {
            carrier_->wait(roster_.next_look() - carrier_->now());
            look_after();
        }
        return *std::exchange(alone_, std::nullopt);
    }

    measure::measurement measure_alone(std::size_t w, std::size_t task, index candidate, const measure::limits& within)
    {
        require(out_ == 0, "mpi.pool.alone: jobs are out, want them collected before");
        look_after();
        const member& m = members()[w];
        if (m.at != member::state::idle || m.who.part == part::builds)
            throw error("mpi.pool.alone: worker " + std::to_string(w) + " cannot measure: " + detail::what_of(m));
        piece p{.what = {.task = task, .candidate = candidate, .limits = within}, .for_pool = true};
        std::optional<detail::reply> said;
        if (m.who.part == part::runs) {
            const auto builder = roster_.idle([&](std::size_t k) { return members()[k].who.part == part::builds; });
            if (!builder) throw error("mpi.pool.alone: no rank that builds is idle, want one");
            auto e = order_alone(*builder, std::move(p));
            p = std::move(e.of);
            said = std::move(e.said);
            if (!said || !detail::was_built(p, *said, part::builds)) return detail::measured_or_lost(std::move(said));
        }
        auto e = order_alone(w, std::move(p));
        if (e.said) static_cast<void>(detail::was_built(e.of, *e.said, m.who.part));
        return detail::measured_or_lost(std::move(e.said));
    }

    Carrier* carrier_;
    roster roster_;
    double join_seconds_;
    std::deque<piece> waiting_{}, built_{};
    std::vector<answer> given_{};
    detail::losses losses_{};
    std::optional<detail::ended_order> alone_{};
    std::size_t out_ = 0;  ///< jobs without an answer, those in `given_` not counted
    double start_ = 0, complete_at_ = 0;
};

}  // namespace tunekit::mpi
