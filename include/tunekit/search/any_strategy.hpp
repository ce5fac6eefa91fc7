// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A strategy chosen at run time.

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tunekit/core/polymorphic.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/concepts.hpp"
#include "tunekit/space/any_space.hpp"
#include "tunekit/stats/prediction.hpp"

namespace tunekit::search {

/// Holds any strategy over `space::any_space` and `tunekit::random::philox` as a value, for programs that choose one by
/// name.
///
///     any_strategy s = name == "random" ? any_strategy(search::random{}) : any_strategy(search::annealing{});
///
/// Itself a strategy; copies of it and of its state are deep. Cost: one virtual call for a proposal, one for its
/// answers.
class any_strategy {
    using measurements = std::span<const measure::measurement>;

    struct run_interface {
        virtual ~run_interface() = default;
        virtual std::vector<index> propose(const space::any_space&, std::size_t, tunekit::random::philox&) = 0;
        virtual void observe(const space::any_space&, std::span<const index>, measurements,
                             tunekit::random::philox&) = 0;
        [[nodiscard]] virtual std::optional<stats::prediction> expected(const space::any_space&, index) const = 0;
    };
    using any_run = core::polymorphic<run_interface>;

    struct strategy_interface {
        virtual ~strategy_interface() = default;
        [[nodiscard]] virtual any_run start(const space::any_space&) const = 0;
    };

    template <class S>
    struct run_of final : run_interface {
        S chosen;
        state_of<S, space::any_space> state;

        run_of(S s, const space::any_space& space) : chosen(std::move(s)), state(chosen.start(space)) {}

        std::vector<index> propose(const space::any_space& space, std::size_t n, tunekit::random::philox& gen) override
        {
            return chosen.propose(state, space, n, gen);
        }

        void observe(const space::any_space& space, std::span<const index> batch, measurements measured,
                     tunekit::random::philox& gen) override
        {
            chosen.observe(state, space, batch, measured, gen);
        }

        [[nodiscard]] std::optional<stats::prediction> expected(const space::any_space& space, index i) const override
        {
            if constexpr (requires { chosen.expected(state, space, i); }) return chosen.expected(state, space, i);
            else return std::nullopt;
        }
    };

    template <class S>
    struct strategy_of final : strategy_interface {
        S chosen;

        explicit strategy_of(S s) : chosen(std::move(s)) {}

        [[nodiscard]] any_run start(const space::any_space& space) const override
        {
            return any_run::make<run_of<S>>(chosen, space);
        }
    };

public:
    /// Holds a copy of `chosen`.
    template <class S>
        requires(!std::same_as<S, any_strategy>) && strategy<S, space::any_space, tunekit::random::philox>
    any_strategy(S chosen)  // implicit: any strategy converts
        : held_(hold(chosen))
    {
    }

    /// The state of the strategy that is held.
    class state {
        friend any_strategy;
        explicit state(any_run r) : run(std::move(r)) {}
        any_run run;
    };

    [[nodiscard]] state start(const space::any_space& space) const { return state(held_->start(space)); }

    [[nodiscard]] std::vector<index> propose(state& s, const space::any_space& space, std::size_t n,
                                             tunekit::random::philox& gen) const
    {
        return s.run->propose(space, n, gen);
    }

    void observe(state& s, const space::any_space& space, std::span<const index> batch, measurements measured,
                 tunekit::random::philox& gen) const
    {
        s.run->observe(space, batch, measured, gen);
    }

    /// What the strategy expects of ln cost of configuration i; empty where it says nothing.
    [[nodiscard]] std::optional<stats::prediction> expected(const state& s, const space::any_space& space,
                                                            index i) const
    {
        return s.run->expected(space, i);
    }

private:
    template <class S>
    [[nodiscard]] static core::polymorphic<strategy_interface> hold(const S& chosen);

    core::polymorphic<strategy_interface> held_;
};

template <class S>
core::polymorphic<any_strategy::strategy_interface> any_strategy::hold(const S& chosen)
{
    return core::polymorphic<strategy_interface>::make<strategy_of<S>>(chosen);
}

}  // namespace tunekit::search
