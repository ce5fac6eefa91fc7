// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The workers of a pool and what each has: joining, the A/A check, orders and their leases.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/measure/jobs.hpp"
#include "tunekit/measure/worker_task.hpp"
#include "tunekit/mpi/detail/piece.hpp"
#include "tunekit/mpi/detail/wire.hpp"
#include "tunekit/mpi/members.hpp"
#include "tunekit/mpi/messages.hpp"

namespace tunekit::mpi::detail {

/// The workers of a pool over a carrier.
template <carrier Carrier>
class roster {
public:
    using state = member::state;
    static constexpr double never = std::numeric_limits<double>::infinity();

    roster(Carrier& carrier, std::vector<measure::task_identity> tasks, leased_options options)
        : carrier_(&carrier),
          tasks_(std::move(tasks)),
          options_(std::move(options)),
          members_(carrier.workers()),
          work_(carrier.workers())
    {
        validate(options_, members_.size(), tasks_.size());
    }

    [[nodiscard]] const std::vector<member>& members() const noexcept { return members_; }
    [[nodiscard]] std::size_t tasks() const noexcept { return tasks_.size(); }
    [[nodiscard]] std::uint64_t late() const noexcept { return late_; }
    [[nodiscard]] double next_look() const noexcept { return next_look_; }

    /// The number of workers of this part that can take orders, now or after their present one.
    [[nodiscard]] std::size_t usable(part a) const noexcept { return usable_[static_cast<std::size_t>(a)]; }
    /// Whether there are workers for every step of a job.
    [[nodiscard]] bool complete() const noexcept
    {
        return usable(part::measures) > 0 || (usable(part::builds) > 0 && usable(part::runs) > 0);
    }
    /// The number of workers that have joined and been compared, idle or busy.
    [[nodiscard]] std::size_t ready() const noexcept
    {
        return usable(part::measures) + usable(part::builds) + usable(part::runs) - checking_;
    }

    /// The worker that has been idle longest among those that suit.
    template <class Suits>
    [[nodiscard]] std::optional<std::size_t> idle(Suits suits) const
    {
        const auto at = std::find_if(idle_.begin(), idle_.end(), suits);
        return at == idle_.end() ? std::nullopt : std::optional(*at);
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
                if (work_[w].until <= moment) lose(w, state::silent);
                next_look_ = (std::min)(next_look_, work_[w].until);
            }
        }
        return std::exchange(ended_, {});
    }

private:
    struct assignment {
        std::uint64_t number = 0;  ///< the number of the last order that it was sent
        piece of{};
        double until = never;
    };

    void become(std::size_t w, state next)
    {
        const auto can = [](state s) { return s == state::checking || s == state::idle || s == state::busy; };
        member& m = members_[w];
        std::size_t& usable = usable_[static_cast<std::size_t>(m.who.part)];
        if (m.at == state::idle) idle_.erase(std::find(idle_.begin(), idle_.end(), w));  // mostly the first
        if (can(next)) ++usable;
        if (can(m.at)) --usable;
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
        a.until =
            (std::min)(carrier_->now() + seconds, (std::numeric_limits<double>::max)());  // limits may be infinite
        next_look_ = (std::min)(next_look_, a.until);
    }

    void hear(const message& m)
    {
        const std::size_t w = m.worker;
        switch (m.what) {
            case word::hello:
                return join(w, from_bytes<greeting>(m.bytes));
            case word::began:
                if (const auto number = from_bytes<std::uint64_t>(m.bytes); !number) refuse(w, unreadable);
                else if (busy_with(w, *number))
                    lease(work_[w],
                          lease_seconds(work_[w].of.what.limits, members_[w].who.part, options_.margin_seconds));
                return;
            case word::answer:
                if (auto r = from_bytes<reply>(m.bytes)) take(w, *std::move(r));
                else refuse(w, unreadable);
                return;
            case word::bye:
                if (members_[w].at == state::refused) return;  // it answers that; the reason stays
                members_[w].why = from_bytes<std::string>(m.bytes).value_or("");
                if (members_[w].why.empty()) members_[w].why = "said goodbye";
                return lose(w, state::gone);
            default:
                return;  // words that only rank 0 sends
        }
    }

    static constexpr const char* unreadable = "sends what cannot be read here: it is damaged, or of another version";

    /// Uses the worker no more, and tells it why. Its order is lost.
    void refuse(std::size_t w, const std::string& why)
    {
        members_[w].why = why;
        lose(w, state::refused);
        carrier_->send(w, word::refused, to_bytes(why));
    }

    [[nodiscard]] bool busy_with(std::size_t w, std::uint64_t number) const
    {
        return work_[w].until < never && work_[w].number == number;
    }

    void join(std::size_t w, std::optional<greeting> g)
    {
        if (members_[w].at != state::absent) return;
        const std::string why = refusal(g, tasks_);
        if (g) members_[w].who = *std::move(g);
        if (!why.empty()) return refuse(w, why);
        const bool compared = options_.reference && (members_[w].who.part != part::builds || !reference_code_);
        become(w, compared ? state::checking : state::idle);
        if (compared) check(w);
    }

    /// Sends the reference once more. A worker that only runs waits until one that builds has built it.
    void check(std::size_t w)
    {
        const bool runs = members_[w].who.part == part::runs;
        if (runs && !reference_code_) return;
        const reference_job& r = *options_.reference;
        send(w, {.what = {.task = r.task, .candidate = r.candidate, .limits = r.within},
                 .code = runs ? *reference_code_ : std::vector<unsigned char>()});
    }

    /// Takes the code of the reference. Where it is empty the build failed, and workers that only run are not compared.
    void reference_built(std::vector<unsigned char> code)
    {
        if (reference_code_) return;
        reference_code_ = std::move(code);
        for (std::size_t w = 0; w < members_.size(); ++w) {
            if (members_[w].at != state::checking || members_[w].who.part != part::runs) continue;
            if (reference_code_->empty()) become(w, state::idle);
            else check(w);
        }
    }

    void take(std::size_t w, reply r)
    {
        member& m = members_[w];
        if (m.at == state::silent && work_[w].number == r.number) {
            ++late_;
            return become(w, state::idle);
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
        if (m.who.part == part::builds) {
            become(w, state::idle);
            return reference_built(ok ? std::move(r.code) : std::vector<unsigned char>());
        }
        if (ok) m.reference.push_back(r.measured->cost);
        if (ok && m.reference.size() < options_.reference->rounds) return check(w);
        become(w, state::idle);
    }

    /// Marks the worker as not usable. Its order is lost.
    void lose(std::size_t w, state next)
    {
        assignment& a = work_[w];
        const bool had = a.until < never, checked = members_[w].at == state::checking;
        a.until = never;
        become(w, next);
        if (checked && members_[w].who.part == part::builds) reference_built({});
        if (!had) return;
        ++members_[w].lost;
        if (!checked) ended_.push_back({w, std::move(a.of), std::nullopt});
    }

    Carrier* carrier_;
    std::vector<measure::task_identity> tasks_;
    leased_options options_;
    std::vector<member> members_;
    std::vector<assignment> work_;         ///< by worker
    std::deque<std::size_t> idle_{};       ///< the worker that has been idle longest first
    std::array<std::size_t, 3> usable_{};  ///< by part
    std::size_t checking_ = 0;
    std::optional<std::vector<unsigned char>> reference_code_{};
    std::vector<ended_order> ended_{};
    std::uint64_t orders_ = 0, late_ = 0;
    double next_look_ = never;
};

}  // namespace tunekit::mpi::detail
