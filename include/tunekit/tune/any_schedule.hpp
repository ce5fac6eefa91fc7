// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A schedule chosen at run time.

#include <cstddef>
#include <span>
#include <utility>

#include "tunekit/core/polymorphic.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/schedule/concepts.hpp"

namespace tunekit {

/// Any schedule over `random::philox`, as a value. Itself a schedule; copies of it and of its state are deep.
class any_schedule {
    using views = std::span<const schedule::task_view>;

    struct run_interface {
        virtual ~run_interface() = default;
        virtual std::size_t select(views, random::philox&) = 0;
        virtual void update(std::size_t, const schedule::slot&) = 0;
    };
    using any_run = core::polymorphic<run_interface>;

    struct schedule_interface {
        virtual ~schedule_interface() = default;
        [[nodiscard]] virtual any_run start(views) const = 0;
    };

    template <class S>
    struct run_of final : run_interface {
        S chosen;
        schedule::state_of<S> state;

        run_of(S s, views tasks) : chosen(std::move(s)), state(chosen.start(tasks)) {}

        std::size_t select(views tasks, random::philox& gen) override { return chosen.select(state, tasks, gen); }
        void update(std::size_t k, const schedule::slot& last) override { chosen.update(state, k, last); }
    };

    template <class S>
    struct schedule_of final : schedule_interface {
        S chosen;

        explicit schedule_of(S s) : chosen(std::move(s)) {}

        [[nodiscard]] any_run start(views tasks) const override { return any_run::make<run_of<S>>(chosen, tasks); }
    };

public:
    template <class S>
        requires(!std::same_as<S, any_schedule>) && schedule::schedule<S, random::philox>
    explicit any_schedule(S chosen)
        : held_(core::polymorphic<schedule_interface>::make<schedule_of<S>>(std::move(chosen)))
    {
    }

    /// A run of the schedule held.
    class state {
        friend any_schedule;
        explicit state(any_run r) : run(std::move(r)) {}
        any_run run;
    };

    [[nodiscard]] state start(views tasks) const { return state(held_->start(tasks)); }
    [[nodiscard]] std::size_t select(state& s, views tasks, random::philox& gen) const { return s.run->select(tasks, gen); }
    void update(state& s, std::size_t k, const schedule::slot& last) const { s.run->update(k, last); }

private:
    core::polymorphic<schedule_interface> held_;
};

}  // namespace tunekit
