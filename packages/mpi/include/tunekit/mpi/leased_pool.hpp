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
#include "tunekit/core/text.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/measure/measurement.hpp"
#include "tunekit/mpi/detail/piece.hpp"
#include "tunekit/mpi/detail/roster.hpp"
#include "tunekit/mpi/members.hpp"
#include "tunekit/mpi/messages.hpp"
#include "tunekit/processes/worker_task.hpp"

namespace tunekit::mpi {

/// A pool of workers that a carrier reaches. Each worker has at most one job. The job is leased from the moment when
/// the worker began it. Where some workers build and others run (`duty`), a job goes first to one that builds, then
/// with its code to one that runs. At most as many jobs are out as there are workers of all duties.
///
///     tk::mpi::leased_pool pool(carrier, {tk::measure::identity_of(space)});
///     tk::tune(t, pool);                                               // t: a tk::tuner
///
/// Workers may join at any time by saying hello. Those of another version of tunekit, or with other spaces, are
/// refused. A job whose lease expires, or whose worker is gone, is lost: it is answered without a measurement. The
/// tuner sends it out once more, and it goes to another worker where there is one. A job that is lost again has failed.
/// A worker whose lease expired gets no job until it answers. That answer is late and does not count.
///
/// A candidate that fails is tried on another worker before its failure counts, under the same ticket, and workers that
/// fail alone or whose reference fails or is slow are taken out, by the rule of detail::quarantine. While some have
/// not joined, it waits for them, not longer than `join_seconds` from the beginning.
///
/// Errors:     std::invalid_argument for a job that does not fit and for options out of range. tunekit::error from
///             `collect` once no worker could measure for `join_seconds`, or none can come back, and no answer is left;
///             its text says what is known of each worker. And after `give_up_after` failures with nothing measured.
/// Randomness: none.
/// Cost:       three small messages and about a microsecond per job. All leases are checked when the next one may
///             expire.
/// Threads:    one at a time. Precondition: the carrier outlives the pool.
template <detail::carrier Carrier>
class leased_pool {
    using roster = detail::roster<Carrier>;
    using piece = detail::piece;

public:
    /// A pool over the carrier's workers. `tasks` identify the spaces: a job's task is a position in them.
    leased_pool(Carrier& carrier, std::vector<measure::task_identity> tasks, leased_options options = {})
        : carrier_(&carrier),
          options_(std::move(options)),
          roster_(carrier, std::move(tasks), options_),
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

    /// Whether its costs are times, as its workers say (`measure::measures_time`); false before the first has joined.
    [[nodiscard]] bool measures_time() const
    {
        const auto& all = members();
        const auto said = std::find_if(all.begin(), all.end(), [](const member& m) { return !m.who.tasks.empty(); });
        return said != all.end() && std::all_of(said->who.tasks.begin(), said->who.tasks.end(),
                                                [](const measure::task_identity& t) { return t.times != 0; });
    }

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
            if (failing_ >= leased_options::give_up_after)
                throw error("mpi.pool: nothing can be measured: " + core::detail::counted(failing_, "configuration") +
                            " failed, the last on worker " + last_failure_ +
                            "; want workers or a space with which something works, or a reference that does");
            const bool nobody =
                !roster_.complete() && (roster_.hopeless() || moment >= complete_at_ + options_.join_seconds);
            if (nobody) {
                if (out_ == 0 && std::exchange(told_, left().size()) < left().size()) return {};
                if (out_ == 0) throw error("mpi.pool: " + detail::why_nobody(members()));
                lose_waiting();
                if (!given_.empty()) continue;
            }
            if (moment >= until) return {};
            const double expires =
                nobody ? roster::never : complete_at_ + options_.join_seconds;  // never: until the lease of what is out
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
    [[nodiscard]] std::optional<worker_about::ratio> against_first(std::size_t worker) const
    {
        for (const member& first : members())
            if (first.reference.size() >= 2) return detail::compared(members().at(worker).reference, first.reference);
        return std::nullopt;
    }

    /// The description of a worker for a log: its host, device, local rank and comparison.
    [[nodiscard]] worker_about about(std::size_t worker) const
    {
        const detail::greeting& who = members().at(worker).who;
        return {.host = who.host,
                .device = who.device,
                .local_rank = who.local_rank,
                .against_first = against_first(worker),
                .left = detail::has_left(members()[worker].at) ? members()[worker].why : std::string()};
    }
    /// The workers that are used no more, because they were refused, taken out or are gone, in that order of time.
    [[nodiscard]] const std::vector<std::size_t>& left() const noexcept { return roster_.left(); }

    /// The first worker that is idle and can measure; else none.
    [[nodiscard]] std::optional<std::size_t> first_idle() const
    {
        for (std::size_t w = 0; w < workers(); ++w)
            if (members()[w].at == member::state::idle && members()[w].who.duty != duty::builds) return w;
        return std::nullopt;
    }

private:
    void look_after()
    {
        for (auto ended = roster_.look_after(); !ended.empty(); ended = roster_.look_after())
            for (auto& e : ended) hear(std::move(e));
        if (doubtful_ > 0) settle_doubtful();
        give_to_idle();
        if (roster_.complete()) complete_at_ = carrier_->now();
    }

    void hear(detail::ended_order e)
    {
        piece& p = e.of;
        if (!e.said || !e.said->measured) roster_.lost(e.worker, p.what);
        if (p.for_pool) {
            alone_ = std::move(e);
            return;
        }
        if (!e.said && members()[e.worker].at == member::state::taken_out) return try_again(std::move(p));
        answer a{.ticket = p.what.ticket, .worker = e.worker, .within = p.what.limits};
        if (e.said) {
            if (detail::was_built(p, *e.said, members()[e.worker].who.duty)) {
                p.built_by = e.worker;
                if (p.failed) ++doubtful_;
                return built_.push_back(std::move(p));
            }
            a.measured = std::move(e.said->measured);
            a.ran_s = e.said->ran_s;
        }
        a.queued_s = (std::max)(carrier_->now() - p.submitted - p.before_s - a.ran_s, 0.0);
        if (a.measured && !a.measured->failed) {
            works_ = true;
            roster_.measured(e.worker, p);
            for (auto* const waiting : {&waiting_, &built_})
                for (piece& other : *waiting) other.what.hear(p.what, *a.measured);
            roster_.tell_built(p.what, *a.measured);
            return give_out(std::move(a));
        }
        if (a.measured) roster_.failed(e.worker, p, a);
        if (!p.failed) return give_out(std::move(a));
        if (roster_.counts(p)) fail(std::move(p));
        else try_again(std::move(p));
    }

    /// Puts a piece before the others.
    void try_again(piece p)
    {
        if (p.failed) ++doubtful_;
        waiting_.push_front(std::move(p));
    }

    /// Gives out the failure of a piece.
    void fail(piece p)
    {
        if (!works_ && !options_.reference) ++failing_;  // a worker that measured its reference works
        last_failure_ = detail::named(members()[p.failed->worker], p.failed->worker) + " with " +
                        detail::text_of(*p.failed->measured->failed);
        give_out(*std::move(p.failed));
    }

    /// The failures of pieces that nobody is left to try count.
    void settle_doubtful()
    {
        for (auto* const queue : {&waiting_, &built_})
            for (std::size_t k = queue->size(); k-- > 0;) {
                if (!(*queue)[k].failed || roster_.another((*queue)[k])) continue;
                piece p = std::move((*queue)[k]);
                queue->erase(queue->begin() + static_cast<std::ptrdiff_t>(k));
                --doubtful_;
                fail(std::move(p));
            }
    }

    void give_out(answer a)
    {
        --out_;
        given_.push_back(std::move(a));
    }

    /// Gives waiting pieces to idle workers of one duty. One that none of them should have does not hold up the others.
    void give(std::deque<piece>& from, duty a)
    {
        for (std::size_t k = 0; k < from.size() && roster_.any_idle();) {
            const auto w = roster_.idle(a, from[k]);
            if (!w) {
                ++k;
                continue;
            }
            piece next = std::move(from[k]);
            from.erase(from.begin() + static_cast<std::ptrdiff_t>(k));
            if (next.failed) --doubtful_;
            roster_.give(*w, std::move(next));
        }
    }

    void give_to_idle()
    {
        give(built_, duty::runs);
        give(waiting_, duty::measures);
        if (roster_.usable(duty::runs) > 0) give(waiting_, duty::builds);
    }

    void lose_waiting()
    {
        for (auto* const queue : {&waiting_, &built_})
            for (piece& p : *queue) {
                if (p.failed) fail(std::move(p));
                else give_out({.ticket = p.what.ticket, .queued_s = carrier_->now() - p.submitted});
            }
        waiting_.clear(), built_.clear();
        doubtful_ = 0;
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
        if (m.at != member::state::idle || m.who.duty == duty::builds)
            throw error("mpi.pool.alone: worker " + std::to_string(w) + " cannot measure: " + detail::what_of(m));
        piece p{.what = {.task = task, .candidate = candidate, .limits = within}, .for_pool = true};
        std::optional<detail::reply> said;
        if (m.who.duty == duty::runs) {
            const auto builder = roster_.idle(duty::builds, p);
            if (!builder) throw error("mpi.pool.alone: no rank that builds is idle, want one");
            auto e = order_alone(*builder, std::move(p));
            p = std::move(e.of);
            said = std::move(e.said);
            if (!said || !detail::was_built(p, *said, duty::builds)) return detail::measured_or_lost(std::move(said));
        }
        auto e = order_alone(w, std::move(p));
        if (e.said) static_cast<void>(detail::was_built(e.of, *e.said, m.who.duty));
        return detail::measured_or_lost(std::move(e.said));
    }

    Carrier* carrier_;
    leased_options options_;
    roster roster_;
    std::deque<piece> waiting_{}, built_{};
    std::vector<answer> given_{};
    std::optional<detail::ended_order> alone_{};
    std::size_t out_ = 0;        ///< jobs without an answer, those in `given_` not counted
    std::size_t doubtful_ = 0;   ///< of them in a queue with a failure that does not count yet
    std::uint64_t failing_ = 0;  ///< configurations that failed while none was measured
    bool works_ = false;         ///< whether one was
    std::string last_failure_{};
    std::size_t told_ = 0;  ///< how many had left when `collect` returned for that
    double start_ = 0, complete_at_ = 0;
};

}  // namespace tunekit::mpi
