// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The workers of a pool and what each has: joining, the A/A check, orders and their leases.

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/text.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/mpi/detail/piece.hpp"
#include "tunekit/mpi/detail/trust.hpp"
#include "tunekit/mpi/detail/wire.hpp"
#include "tunekit/mpi/members.hpp"
#include "tunekit/mpi/messages.hpp"
#include "tunekit/processes/worker_task.hpp"

namespace tunekit::mpi::detail {

/// The workers of a pool over a carrier.
template <carrier Carrier>
class roster {
public:
    using state = member::state;
    static constexpr double never = std::numeric_limits<double>::infinity();

    /// A carrier may have `build()`: then workers of another build are refused.
    roster(Carrier& carrier, std::vector<measure::task_identity> tasks, leased_options options)
        : carrier_(&carrier),
          tasks_(std::move(tasks)),
          options_(std::move(options)),
          members_(carrier.workers()),
          work_(carrier.workers()),
          trust_(carrier.workers()),
          joined_until_(carrier.now() + options_.join_seconds)
    {
        validate(options_, members_.size(), tasks_.size());
        if constexpr (requires { build_ = carrier.build(); }) build_ = carrier.build();
    }

    [[nodiscard]] const std::vector<member>& members() const noexcept { return members_; }
    [[nodiscard]] std::size_t tasks() const noexcept { return tasks_.size(); }
    [[nodiscard]] std::uint64_t late() const noexcept { return late_; }
    [[nodiscard]] double next_look() const noexcept { return next_look_; }

    /// The number of workers of this duty that can take orders, now or after their present one.
    [[nodiscard]] std::size_t usable(duty a) const noexcept { return usable_[static_cast<std::size_t>(a)]; }
    /// Whether there are workers for every step of a job.
    [[nodiscard]] bool complete() const noexcept
    {
        return usable(duty::measures) > 0 || (usable(duty::builds) > 0 && usable(duty::runs) > 0);
    }
    /// The number of workers that have joined and been compared, idle or busy.
    [[nodiscard]] std::size_t ready() const noexcept
    {
        return usable(duty::measures) + usable(duty::builds) + usable(duty::runs) - checking_;
    }

    /// Whether no worker can measure any more, nor come to.
    [[nodiscard]] bool hopeless() const
    {
        return std::all_of(members_.begin(), members_.end(), [](const member& m) { return has_left(m.at); });
    }
    /// The workers that are used no more, in the order in which they left.
    [[nodiscard]] const std::vector<std::size_t>& left() const noexcept { return left_; }

    /// The worker of this duty that has been idle longest among those that suit the piece.
    [[nodiscard]] std::optional<std::size_t> idle(duty a, const piece& p) const
    {
        const auto at = std::find_if(idle_.begin(), idle_.end(), [&](std::size_t k) {
            return members_[k].who.duty == a && trust_.suits(members_, k, p);
        });
        return at == idle_.end() ? std::nullopt : std::optional(*at);
    }

    [[nodiscard]] bool any_idle() const noexcept { return !idle_.empty(); }
    void lost(std::size_t w, const job& j) { trust_.lost(w, j); }
    /// Records a failure on a worker.
    void failed(std::size_t w, piece& p, const answer& with) { trust_.failed(w, members_[w].who.duty, p, with); }
    /// Whether the last failure of a piece counts: a worker that is trusted has seen it, or nobody else can try.
    [[nodiscard]] bool counts(const piece& p) const { return trust_.counts(members_, p) || !another(p); }
    /// Whether there is somebody else who can try, or may join yet.
    [[nodiscard]] bool another(const piece& p) const
    {
        return detail::trust::another(members_, p, carrier_->now() < joined_until_);
    }
    /// Records that a worker measured a piece, and takes out those that are sick by that.
    void measured(std::size_t w, const piece& p)
    {
        for (const std::size_t k : trust_.measured(members_, w, p))
            refuse(k, trust_.why(k, members_[k].who.duty), state::taken_out);
    }

    /// Tells what is being built, and runs later, of an answer to another job.
    void tell_built(const job& other, const measure::measurement& m)
    {
        for (std::size_t w = 0; w < work_.size(); ++w)
            if (members_[w].who.duty == duty::builds) work_[w].of.what.hear(other, m);
    }

    /// Sends a piece to a worker. Precondition: the worker is idle.
    void give(std::size_t w, piece p)
    {
        become(w, state::busy);
        send(w, std::move(p));
    }

    /// Takes the messages that have come, and checks for leases that have expired. Returns the orders that have ended.
    [[nodiscard]] std::vector<ended_order> look_after()
    {
        while (const std::optional<message> m = carrier_->receive())
            if (m->worker < members_.size()) hear(*m);
        const double moment = carrier_->now();
        if (moment >= next_look_) {
            next_look_ = never;
            for (std::size_t w = 0; w < work_.size(); ++w) {
                if (work_[w].until <= moment) silence(w, moment);
                next_look_ = (std::min)(next_look_, work_[w].until);
            }
        }
        return std::exchange(ended_, {});
    }

private:
    struct assignment {
        std::uint64_t number = 0;  ///< the number of the last order that it was sent
        piece of{};
        double leased = 0, until = never;  ///< since when it is waited for, and how long
    };

    void become(std::size_t w, state next)
    {
        member& m = members_[w];
        std::size_t& usable = usable_[static_cast<std::size_t>(m.who.duty)];
        if (m.at == state::idle) idle_.erase(std::find(idle_.begin(), idle_.end(), w));  // mostly the first
        if (can_work(next)) ++usable;
        if (can_work(m.at)) --usable;
        if (next == state::checking) ++checking_;
        if (m.at == state::checking) --checking_;
        m.at = next;
        if (next == state::idle) idle_.push_back(w);
    }

    void send(std::size_t w, piece p)
    {
        assignment& a = work_[w];
        a = {.number = ++orders_, .of = std::move(p)};
        lease(a, options_.begin_seconds);
        const job& j = a.of.what;
        carrier_->send(w, word::order,
                       to_bytes(order{a.number, j.task, j.candidate, j.limits, std::exchange(a.of.code, {})}));
    }

    void lease(assignment& a, double seconds)
    {
        a.leased = carrier_->now();
        a.until = (std::min)(a.leased + seconds, (std::numeric_limits<double>::max)());  // limits may be infinite
        next_look_ = (std::min)(next_look_, a.until);
    }

    void hear(const message& m)
    {
        const std::size_t w = m.worker;
        if (has_left(members_[w].at)) return;  // the first reason stays
        switch (m.what) {
            case word::hello:
                return join(w, from_bytes<greeting>(m.bytes));
            case word::began:
                if (const auto number = from_bytes<std::uint64_t>(m.bytes); !number) refuse(w, unreadable);
                else if (busy_with(w, *number))
                    lease(work_[w],
                          lease_seconds(work_[w].of.what.limits, members_[w].who.duty, options_.margin_seconds));
                return;
            case word::answer:
                if (auto r = from_bytes<reply>(m.bytes)) take(w, *std::move(r));
                else refuse(w, unreadable);
                return;
            case word::bye:
                members_[w].why = from_bytes<std::string>(m.bytes).value_or("");
                if (members_[w].why.empty()) members_[w].why = "said goodbye";
                return lose(w, state::gone);
            default:
                return;  // words that only rank 0 sends
        }
    }

    static constexpr const char* unreadable = "sends what cannot be read here: it is damaged, or of another version";

    /// Uses the worker no more, and tells it why. Its order is lost.
    void refuse(std::size_t w, const std::string& why, state as = state::refused)
    {
        members_[w].why = why;
        lose(w, as);
        carrier_->send(w, word::refused, to_bytes(why));
    }

    [[nodiscard]] bool busy_with(std::size_t w, std::uint64_t number) const
    {
        return work_[w].until < never && work_[w].number == number;
    }

    void join(std::size_t w, std::optional<greeting> g)
    {
        if (members_[w].at != state::absent) return;
        const std::string why = refusal(g, tasks_, build_);
        if (g) members_[w].who = *std::move(g);
        if (!why.empty()) return refuse(w, why);
        wait_or_check(w);
    }

    /// The worker measures the reference if it has not yet; else it waits for an order.
    void wait_or_check(std::size_t w)
    {
        const member& m = members_[w];
        const bool not_built = m.who.duty == duty::runs && reference_code_ && reference_code_->empty();
        const bool ready = !options_.reference || not_built ||
                           (m.who.duty == duty::builds ? reference_code_.has_value()
                                                       : m.reference.size() >= options_.reference->rounds);
        become(w, ready ? state::idle : state::checking);
        if (!ready) check(w);
    }

    /// Sends the reference once more. A worker that only runs waits until one that builds has built it.
    void check(std::size_t w)
    {
        const bool runs = members_[w].who.duty == duty::runs;
        if (runs && !reference_code_) return;
        const leased_options::reference_job& r = *options_.reference;
        send(w, {.what = {.task = r.task, .candidate = r.candidate, .limits = r.within},
                 .code = runs ? *reference_code_ : std::vector<unsigned char>()});
    }

    /// Takes the code of the reference. Where it is empty the build failed, and workers that only run are not compared.
    void reference_built(std::vector<unsigned char> code)
    {
        if (reference_code_) return;
        reference_code_ = std::move(code);
        for (std::size_t w = 0; w < members_.size(); ++w) {
            if (members_[w].at != state::checking || members_[w].who.duty != duty::runs) continue;
            if (reference_code_->empty()) become(w, state::idle);
            else check(w);
        }
    }

    void take(std::size_t w, reply r)
    {
        member& m = members_[w];
        if (m.at == state::silent && work_[w].number == r.number) {
            ++late_;
            m.why.clear();
            return wait_or_check(w);
        }
        if (!busy_with(w, r.number)) return;
        work_[w].until = never;
        if (m.at == state::checking) return checked(w, std::move(r));
        become(w, state::idle);
        ++(r.measured ? m.answered : m.lost);
        ended_.push_back({w, std::move(work_[w].of), std::move(r)});
    }

    void checked(std::size_t w, reply r)
    {
        member& m = members_[w];
        const bool ok = r.measured && r.measured->ok();
        if (m.who.duty == duty::builds) {
            become(w, state::idle);
            return reference_built(ok ? std::move(r.code) : std::vector<unsigned char>());
        }
        if (const std::string why = no_cost(r.measured); !why.empty())
            return refuse(w, "was taken out: the reference failed, " + why, state::taken_out);
        m.reference.push_back(r.measured->cost);
        if (m.reference.size() < options_.reference->rounds) return check(w);
        become(w, state::idle);
        trust_.measured(w, m.who.duty);
        // Against a new neighbour an earlier one may be slow, too; that is not looked at each time, as it costs the
        // square.
        const bool all = std::has_single_bit(++compared_) || checking_ == 0;
        for (std::size_t k = all ? 0 : w; k < (all ? members_.size() : w + 1); ++k) take_out_if_slow(k);
    }

    void take_out_if_slow(std::size_t w)
    {
        const auto slow = slower(w);
        if (!slow || !(slow->low > leased_options::slow_above)) return;
        const auto digits = [](double x) { return core::text_of(x, std::chars_format::fixed, 2); };
        refuse(w,
               "was taken out: the reference takes " + digits(slow->value) + " [" + digits(slow->low) + ", " +
                   digits(slow->high) + "] times as long as on its neighbours",
               state::taken_out);
    }

    /// The reference on a worker, compared with the median of the others of its device; none where it has none.
    [[nodiscard]] std::optional<worker_about::ratio> slower(std::size_t w) const
    {
        const auto done = [&](const member& m) {
            return can_work(m.at) && m.at != state::checking && m.reference.size() >= options_.reference->rounds;
        };
        std::vector<const member*> others;
        for (std::size_t k = 0; k < members_.size(); ++k)
            if (k != w && done(members_[k]) && members_[k].who.device == members_[w].who.device)
                others.push_back(&members_[k]);
        if (others.empty() || !done(members_[w])) return std::nullopt;
        const auto middle = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);  // of two the slower
        std::nth_element(others.begin(), middle, others.end(), [](const member* a, const member* b) {
            return stats::mean(a->reference) < stats::mean(b->reference);
        });
        return compared(members_[w].reference, (*middle)->reference);
    }

    /// The lease of a worker has expired: it is stopped, or cannot be reached.
    void silence(std::size_t w, double moment)
    {
        members_[w].why = "does not answer: nothing was heard of it for " +
                          core::text_of(moment - work_[w].leased, std::chars_format::fixed, 1) + " s";
        lose(w, state::silent);
    }

    /// Marks the worker as not usable. Its order is lost.
    void lose(std::size_t w, state next)
    {
        assignment& a = work_[w];
        const bool had = a.until < never, checked = members_[w].at == state::checking;
        a.until = never;
        if (next != state::silent) left_.push_back(w);
        become(w, next);
        if (checked && members_[w].who.duty == duty::builds) reference_built({});
        if (!had) return;
        ++members_[w].lost;
        if (!checked) ended_.push_back({w, std::move(a.of), std::nullopt});
    }

    Carrier* carrier_;
    std::vector<measure::task_identity> tasks_;
    leased_options options_;
    std::vector<member> members_;
    std::vector<assignment> work_;  ///< by worker
    detail::trust trust_;
    double joined_until_;
    std::string build_{};  ///< empty: any
    std::vector<std::size_t> left_{};
    std::deque<std::size_t> idle_{};           ///< the worker that has been idle longest first
    std::array<std::size_t, 3> usable_{};      ///< by duty
    std::size_t checking_ = 0, compared_ = 0;  ///< workers that measure the reference now, and that have measured it
    std::optional<std::vector<unsigned char>> reference_code_{};
    std::vector<ended_order> ended_{};
    std::uint64_t orders_ = 0, late_ = 0;
    double next_look_ = never;
};

}  // namespace tunekit::mpi::detail
