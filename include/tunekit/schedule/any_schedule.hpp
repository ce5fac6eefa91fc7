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

namespace tunekit::schedule {

/// Holds any schedule over `tunekit::random::philox` as a value. It is itself a schedule; copies of it and of its state
/// are deep.
class any_schedule {
    using views = std::span<const tunekit::schedule::task_view>;

    struct run_interface {
        virtual ~run_interface() = default;
        virtual std::size_t select(views, tunekit::random::philox&) = 0;
        virtual void update(std::size_t, const tunekit::schedule::slot&) = 0;
    };
    using any_run = core::polymorphic<run_interface>;

    struct schedule_interface {
        virtual ~schedule_interface() = default;
        [[nodiscard]] virtual any_run start(views, const run_shape&) const = 0;
    };

    template <class S>
    struct run_of final : run_interface {
        S chosen;
        tunekit::schedule::state_of<S> state;

        run_of(S s, views tasks, const run_shape& run) : chosen(std::move(s)), state(chosen.start(tasks, run)) {}

        std::size_t select(views tasks, tunekit::random::philox& gen) override
        {
            return chosen.select(state, tasks, gen);
        }
        void update(std::size_t k, const tunekit::schedule::slot& last) override { chosen.update(state, k, last); }
    };

    template <class S>
    struct schedule_of final : schedule_interface {
        S chosen;

        explicit schedule_of(S s) : chosen(std::move(s)) {}

        [[nodiscard]] any_run start(views tasks, const run_shape& run) const override
        {
            return any_run::make<run_of<S>>(chosen, tasks, run);
        }
    };

public:
    /// Holds `chosen`.
    template <class S>
        requires(!std::same_as<S, any_schedule>) && tunekit::schedule::schedule<S, tunekit::random::philox>
    any_schedule(S chosen)  // implicit: any schedule converts
        : held_(core::polymorphic<schedule_interface>::make<schedule_of<S>>(std::move(chosen)))
    {
    }

    /// The state of the schedule that is held.
    class state {
        friend any_schedule;
        explicit state(any_run r) : run(std::move(r)) {}
        any_run run;
    };

    [[nodiscard]] state start(views tasks, const run_shape& run) const { return state(held_->start(tasks, run)); }
    [[nodiscard]] std::size_t select(state& s, views tasks, tunekit::random::philox& gen) const
    {
        return s.run->select(tasks, gen);
    }
    void update(state& s, std::size_t k, const tunekit::schedule::slot& last) const { s.run->update(k, last); }

private:
    core::polymorphic<schedule_interface> held_;
};

}  // namespace tunekit::schedule
