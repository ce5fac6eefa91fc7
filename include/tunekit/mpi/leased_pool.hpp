// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A pool of workers that may be slow, stopped, lost or late. Every job is leased, and nothing waits for a worker.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/measure/worker_task.hpp"
#include "tunekit/mpi/compared.hpp"
#include "tunekit/mpi/members.hpp"
#include "tunekit/mpi/messages.hpp"

namespace tunekit::mpi {

template <carrier Carrier>
class leased_pool;

/// A measurer on one worker of a pool in which nothing else is out; see leased_pool::alone.
template <carrier Carrier>
class lone_rank {
public:
    /// Measures the batch in its order. A candidate whose worker is lost has failed (`lost`). Throws
    /// std::invalid_argument while jobs are out, tunekit::error where the worker cannot measure.
    [[nodiscard]] std::vector<measure::measurement> measure(std::span<const index> batch, const measure::limits& within)
    {
        std::vector<measure::measurement> out;
        for (const index i : batch) out.push_back(pool_->measure_alone(worker_, task_, i, within));
        return out;
    }

private:
    friend class leased_pool<Carrier>;
    lone_rank(leased_pool<Carrier>& pool, std::size_t worker, std::size_t task) noexcept
        : pool_(&pool), worker_(worker), task_(task)
    {
    }

    leased_pool<Carrier>* pool_;
    std::size_t worker_, task_;
};

/// A pool of workers that a carrier reaches. Each has one job, leased from the moment at which it began that job.
///
///     tk::mpi::leased_pool pool(carrier, {tk::measure::identity_of(space)});
///     tk::tune(t, pool);                                               // t: a tk::tuner
///
/// Workers join by saying hello, whenever they do; those of another version of tunekit or with other spaces are refused. A
/// job whose lease expires, or whose worker is gone, is lost: answered without a measurement. The tuner sends it out once
/// more, and it goes to another worker where there is one. A job that is lost again has failed. A worker that let a lease
/// expire gets no job until it answers; that answer is late, and does not count.
///
/// Errors:     std::invalid_argument for a job that does not fit and for options out of range. tunekit::error from `collect`
///             once nobody has been able to measure for `join_seconds` and all is given out; it says what is known of each.
/// Randomness: none.
/// Cost:       per job three small messages and about a microsecond; a look at all leases when the next one may expire.
/// Threads:    one at a time. Precondition: the carrier outlives the pool.
template <carrier Carrier>
class leased_pool {
public:
    leased_pool(Carrier& carrier, std::vector<measure::task_identity> tasks, leased_options options = {})
        : carrier_(&carrier),
          tasks_(std::move(tasks)),
          options_(std::move(options)),
          members_(carrier.workers()),
          work_(carrier.workers()),
          start_(carrier.now()),
          usable_at_(start_)
    {
        require(!members_.empty(), "mpi.pool: no worker, want one rank or more that measures");
        require(!tasks_.empty(), "mpi.pool: no task, want one or more");
        require(options_.margin_seconds >= 0 && options_.begin_seconds > 0 && options_.join_seconds > 0,
                "mpi.pool: seconds are out of range, want margin_seconds >= 0, begin_seconds > 0, join_seconds > 0");
        if (options_.reference)
            require(options_.reference->rounds >= 2 && options_.reference->task < tasks_.size(),
                    "mpi.pool: the reference is out of range, want rounds >= 2 and one of the tasks");
    }

    [[nodiscard]] std::size_t workers() const noexcept { return members_.size(); }
    [[nodiscard]] std::size_t room() const noexcept
    {
        return idle_.size() > waiting_.size() ? idle_.size() - waiting_.size() : 0;
    }
    [[nodiscard]] double now() const noexcept { return carrier_->now() - start_; }

    void submit(const job& next)
    {
        require(room() > 0, "mpi.pool.submit: no room, want a call of room() before");
        require(next.task < tasks_.size(),
                "mpi.pool.submit: no such task, want one of those that the pool was made with");
        ++out_;
        waiting_.push_back({next, carrier_->now()});
        give_to_idle();
    }

    [[nodiscard]] std::vector<answer> collect(double seconds)
    {
        const double until = carrier_->now() + (std::max)(seconds, 0.0);
        for (;;) {
            look_after();
            if (!given_.empty()) return std::exchange(given_, {});
            if (out_ == 0 && !idle_.empty()) return {};
            const double moment = carrier_->now();
            if (usable_ == 0 && moment >= usable_at_ + options_.join_seconds) {
                if (out_ == 0) throw error("mpi.pool: " + why_nobody());
                lose_waiting();
                continue;
            }
            if (moment >= until) return {};
            carrier_->wait((std::min)({until, next_look_, usable_at_ + options_.join_seconds}) - moment);
        }
    }

    /// A measurer on one worker, for comparisons that must not be disturbed. While it measures, nothing else is out.
    [[nodiscard]] lone_rank<Carrier> alone(std::size_t worker, std::size_t task = 0)
    {
        require(worker < members_.size(), "mpi.pool.alone: no such worker, want one below workers()");
        require(task < tasks_.size(), "mpi.pool.alone: no such task, want one of those that the pool was made with");
        return {*this, worker, task};
    }

    [[nodiscard]] const std::vector<member>& members() const noexcept { return members_; }
    [[nodiscard]] std::uint64_t late() const noexcept { return late_; }  ///< answers that came after their lease

    /// The cost of the reference on a worker, compared with that on the first worker that measured it; none where one
    /// of the two has not.
    [[nodiscard]] std::optional<comparison> against_first(std::size_t worker) const
    {
        for (const member& first : members_)
            if (first.reference.size() >= 2) return compared(members_.at(worker).reference, first.reference);
        return std::nullopt;
    }

    /// The first worker that can measure now.
    [[nodiscard]] std::optional<std::size_t> first_idle() const
    {
        if (idle_.empty()) return std::nullopt;
        return *std::min_element(idle_.begin(), idle_.end());
    }

private:
    friend class lone_rank<Carrier>;
    static constexpr double never = std::numeric_limits<double>::infinity();
    using state = member::state;

    /// What a worker has.
    struct assignment {
        std::uint64_t number = 0;  ///< of the order it was sent last
        job what{};
        double submitted = 0, until = never;
        bool for_pool = false;  ///< the reference, or an order of `alone`: nobody waits for an answer from `collect`
    };
    struct held {
        job what{};
        double submitted = 0;
    };
    struct loss {
        std::size_t task = 0;
        index candidate = 0;
        std::size_t worker = 0;
    };

    [[nodiscard]] static bool can_measure(state s) noexcept
    {
        return s == state::checking || s == state::idle || s == state::busy;
    }

    void become(std::size_t w, state next)
    {
        member& m = members_[w];
        if (m.at == state::idle) idle_.erase(std::find(idle_.begin(), idle_.end(), w));  // mostly the first
        if (can_measure(next)) ++usable_;
        if (can_measure(m.at)) --usable_;
        m.at = next;
        if (next == state::idle) idle_.push_back(w);
        if (usable_ == 0) usable_at_ = carrier_->now();
    }

    void order_of(std::size_t w, const job& what, double submitted, bool for_pool)
    {
        assignment& a = work_[w];
        a = {.number = ++orders_, .what = what, .submitted = submitted, .for_pool = for_pool};
        lease(a, options_.begin_seconds);
        carrier_->send(w, word::order, to_bytes(order{a.number, what.task, what.candidate, what.limits}));
    }

    void lease(assignment& a, double seconds)
    {
        a.until = carrier_->now() + seconds;
        next_look_ = (std::min)(next_look_, a.until);
    }

    void look_after()
    {
        while (const std::optional<message> m = carrier_->receive())
            if (m->worker < members_.size()) hear(*m);
        const double moment = carrier_->now();
        if (moment >= next_look_) {
            next_look_ = never;
            for (std::size_t w = 0; w < work_.size(); ++w) {
                if (work_[w].until <= moment) lose(w, state::silent);
                next_look_ = (std::min)(next_look_, work_[w].until);
            }
        }
        give_to_idle();
        if (usable_ != 0) usable_at_ = moment;
    }

    void hear(const message& m)
    {
        const std::size_t w = m.worker;
        switch (m.what) {
            case word::hello:
                return join(w, from_bytes<greeting>(m.bytes));
            case word::began:
                if (const auto number = from_bytes<std::uint64_t>(m.bytes); number && busy_with(w, *number)) {
                    const measure::limits& l = work_[w].what.limits;
                    lease(work_[w], l.build_seconds + 2 * l.run_seconds + options_.margin_seconds);
                }
                return;
            case word::answer:
                if (auto r = from_bytes<reply>(m.bytes)) take(w, *std::move(r));
                return;
            case word::bye:
                members_[w].why = from_bytes<std::string>(m.bytes).value_or("");
                if (members_[w].why.empty()) members_[w].why = "said goodbye";
                return lose(w, state::gone);
            case word::order:
            case word::end:
            case word::refused:
                return;  // rank 0's words
        }
    }

    [[nodiscard]] bool busy_with(std::size_t w, std::uint64_t number) const
    {
        return work_[w].until < never && work_[w].number == number;
    }

    void join(std::size_t w, std::optional<greeting> g)
    {
        if (members_[w].at != state::absent) return;
        std::string why;
        if (!g) why = "says hello in words that are unknown here";
        else if (g->protocol != greeting::current || g->version != detail::version_text())
            why = "runs tunekit " + g->version + ", not " + detail::version_text();
        else if (g->tasks != tasks_) why = "has other spaces: their number, a size or a fingerprint differs";
        if (g) members_[w].who = *std::move(g);
        if (!why.empty()) {
            members_[w].why = why;
            become(w, state::refused);
            return carrier_->send(w, word::refused, to_bytes(why));
        }
        if (!options_.reference) return become(w, state::idle);
        become(w, state::checking);
        check(w);
    }

    void check(std::size_t w)
    {
        const reference_job& r = *options_.reference;
        order_of(w, {.task = r.task, .candidate = r.candidate, .limits = r.within}, carrier_->now(), true);
    }

    void take(std::size_t w, reply r)
    {
        member& m = members_[w];
        if (m.at == state::silent && work_[w].number == r.number) {
            ++late_;
            return become(w, state::idle);
        }
        if (!busy_with(w, r.number)) return;
        assignment& a = work_[w];
        a.until = never;
        if (m.at == state::checking) {
            const bool ok = r.measured && r.measured->ok();
            if (ok) m.reference.push_back(r.measured->cost);
            if (ok && m.reference.size() < options_.reference->rounds) return check(w);
            return become(w, state::idle);
        }
        become(w, state::idle);
        if (!r.measured) note_loss(w);
        else ++m.answered;
        if (a.for_pool) {
            alone_ = std::move(r.measured);
            return;
        }
        const double waited = carrier_->now() - a.submitted - r.ran_s;
        give_out({.ticket = a.what.ticket,
                  .measured = std::move(r.measured),
                  .worker = w,
                  .queued_s = (std::max)(waited, 0.0),
                  .ran_s = r.ran_s});
    }

    void note_loss(std::size_t w)
    {
        ++members_[w].lost;
        losses_.push_back({work_[w].what.task, work_[w].what.candidate, w});
    }

    /// The worker is not to be had, and what it had is lost.
    void lose(std::size_t w, state next)
    {
        assignment& a = work_[w];
        const bool had = a.until < never;
        a.until = never;
        become(w, next);
        if (!had) return;
        note_loss(w);
        if (!a.for_pool) give_out({.ticket = a.what.ticket, .worker = w, .queued_s = carrier_->now() - a.submitted});
    }

    void give_out(answer a)
    {
        --out_;
        given_.push_back(std::move(a));
    }

    [[nodiscard]] bool lost_it(std::size_t w, const job& j) const
    {
        return std::any_of(losses_.begin(), losses_.end(), [&](const loss& l) {
            return l.worker == w && l.candidate == j.candidate && l.task == j.task;
        });
    }

    /// Gives what waits to who is idle; not to who lost it before, unless nobody else can measure.
    void give_to_idle()
    {
        while (!waiting_.empty() && !idle_.empty()) {
            const held next = waiting_.front();
            auto at = idle_.begin();
            if (!losses_.empty() && usable_ > 1)
                at = std::find_if(at, idle_.end(), [&](std::size_t w) { return !lost_it(w, next.what); });
            if (at == idle_.end()) return;
            const std::size_t w = *at;
            waiting_.pop_front();
            become(w, state::busy);
            order_of(w, next.what, next.submitted, false);
        }
    }

    void lose_waiting()
    {
        for (const held& h : std::exchange(waiting_, {}))
            give_out({.ticket = h.what.ticket, .queued_s = carrier_->now() - h.submitted});
    }

    measure::measurement measure_alone(std::size_t w, std::size_t task, index candidate, const measure::limits& within)
    {
        require(out_ == 0, "mpi.pool.alone: jobs are out, want them collected before");
        look_after();
        if (members_[w].at != state::idle)
            throw error("mpi.pool.alone: worker " + std::to_string(w) +
                        " cannot measure: " + detail::what_of(members_[w]));
        become(w, state::busy);
        alone_.reset();
        order_of(w, {.task = task, .candidate = candidate, .limits = within}, carrier_->now(), true);
        while (work_[w].until < never) {
            carrier_->wait(next_look_ - carrier_->now());
            look_after();
        }
        if (alone_) return *std::exchange(alone_, std::nullopt);
        measure::measurement lost;
        lost.failed = measure::failure{measure::failure_kind::lost, 0, "its worker was lost with it"};
        return lost;
    }

    [[nodiscard]] std::string why_nobody() const
    {
        std::string out = "no worker can measure";
        for (std::size_t w = 0; w < members_.size() && w < 4; ++w)
            out += (w == 0 ? "; worker " : ", worker ") + std::to_string(w) + ' ' + detail::what_of(members_[w]);
        return out + (members_.size() > 4 ? ", ..." : "");
    }

    Carrier* carrier_;
    std::vector<measure::task_identity> tasks_;
    leased_options options_;
    std::vector<member> members_;
    std::vector<assignment> work_;    ///< by worker
    std::deque<std::size_t> idle_{};  ///< who has been so longest first
    std::deque<held> waiting_{};
    std::vector<answer> given_{};
    std::vector<loss> losses_{};
    std::optional<measure::measurement> alone_{};
    std::uint64_t orders_ = 0, late_ = 0;
    std::size_t out_ = 0;     ///< jobs neither answered nor in `given_`
    std::size_t usable_ = 0;  ///< workers that can measure
    double next_look_ = never, start_ = 0, usable_at_ = 0;
};

}  // namespace tunekit::mpi
