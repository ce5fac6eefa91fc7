// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The slots of a run over several tasks: who works on which, and the jobs of each.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/detail/plain_vector.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/measure/jobs.hpp"

namespace tunekit::detail {

/// A stretch of work of one worker on one task.
struct slot {
    std::size_t task = 0;
    double began = 0;
    double best_before = 0;
    double own_best = std::numeric_limits<double>::infinity();
    double seconds = 0;  // of workers
    std::uint64_t trials = 0;
    std::size_t out = 0;  // jobs
    bool warm_up = false;
    bool held = true;  // its worker is still on it
    bool open = true;
};

/// The books of slots, workers and tickets. Nothing here decides: `tasks_tuner` does.
class slots {
public:
    /// A job that went out.
    struct sent {
        ticket local{};  // that of its task's run
        std::size_t slot = 0;
        std::size_t worker = 0;
        bool carried = false;
        bool out = true;
    };

    explicit slots(std::size_t workers) : places_(workers) {}

    /// The number of workers, those that left included.
    [[nodiscard]] std::size_t workers() const noexcept { return places_.size(); }
    void grow(std::size_t workers) { places_.resize((std::max)(workers, places_.size())); }

    /// Whether nothing went out yet.
    [[nodiscard]] bool untouched() const noexcept { return sent_.empty(); }

    /// The slot that a worker is on; nullptr where it is on none.
    [[nodiscard]] slot* of(std::size_t worker)
    {
        return places_[worker].slot == none ? nullptr : &slots_[places_[worker].slot];
    }
    [[nodiscard]] slot& of(const sent& e) { return slots_[e.slot]; }

    /// The slots under way, among others.
    [[nodiscard]] std::span<const slot> recent() const { return std::span(slots_).subspan(first_open_); }

    /// Puts a worker on a new slot.
    void open(std::size_t worker, const slot& fresh)
    {
        places_[worker].slot = slots_.size();
        slots_.push_back(fresh);
    }

    /// Takes a worker off its slot, and returns the slot.
    slot& leave(std::size_t worker)
    {
        slot& s = slots_[std::exchange(places_[worker].slot, none)];
        s.held = false;
        return s;
    }

    void close(slot& s)
    {
        s.open = false;
        while (first_open_ < slots_.size() && !slots_[first_open_].open) ++first_open_;
    }

    /// Gives jobs of a worker's slot the tickets of the whole run.
    void send(std::size_t worker, std::span<job> jobs)
    {
        slot& s = *of(worker);
        for (job& j : jobs) {
            sent_.push_back({.local = j.ticket, .slot = places_[worker].slot, .worker = worker, .carried = j.carried});
            j.ticket = ticket{sent_.size() - 1};
            j.task = s.task;
            ++s.out;
        }
    }

    /// The books of a job. Throws tunekit::error for one that was never given out.
    [[nodiscard]] const sent& entry(const job& j) const
    {
        const auto t = static_cast<std::uint64_t>(j.ticket);
        if (t >= sent_.size() || slots_[sent_[t].slot].task != j.task)
            throw error("tasks_tuner: ticket " + std::to_string(t) + " of task " + std::to_string(j.task) +
                        " was never given out; tell what ask returned");
        return sent_[t];
    }
    [[nodiscard]] sent& entry(const job& j) { return const_cast<sent&>(std::as_const(*this).entry(j)); }

    /// The seconds of a worker's answer: from its previous one, or the slot's beginning, to `now`.
    [[nodiscard]] double took(std::size_t worker, const slot& s, double now) const
    {
        const double before = (std::max)(places_[worker].answered, s.began);
        return now > before ? now - before : 0;
    }
    void answered(std::size_t worker, double now) { places_[worker].answered = now; }

    /// Takes a job back that was answered or dropped. True where it was the last one out of its slot.
    [[nodiscard]] bool back(sent& e) { return std::exchange(e.out, false) && --slots_[e.slot].out == 0; }

private:
    static constexpr std::size_t none = ~std::size_t{0};

    struct place {
        std::size_t slot = none;
        double answered = 0;
    };

    std::vector<slot> slots_;
    std::size_t first_open_ = 0;
    std::vector<place> places_;      // by worker
    core::plain_vector<sent> sent_;  // by ticket
};

}  // namespace tunekit::detail
