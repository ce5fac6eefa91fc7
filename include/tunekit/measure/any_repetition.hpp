// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A repetition policy chosen at run time.

#include <concepts>
#include <cstdint>
#include <span>
#include <utility>

#include "tunekit/core/polymorphic.hpp"
#include "tunekit/measure/concepts.hpp"

namespace tunekit::measure {

/// Holds any repetition as one type, for programs that choose one by name. It is itself a repetition. Copies are deep.
///
///     any_repetition r{until_stable::paper()};
///
/// Cost: one virtual call per timed batch.
class any_repetition {
    struct repetition_interface {
        virtual ~repetition_interface() = default;
        [[nodiscard]] virtual std::uint32_t next(std::span<const double>) const = 0;
        [[nodiscard]] virtual estimate estimate_of(std::span<const double>) const = 0;
        virtual void validate() const = 0;
    };

    template <class R>
    struct model final : repetition_interface {
        R held;
        explicit model(R r) : held(std::move(r)) {}
        [[nodiscard]] std::uint32_t next(std::span<const double> batches) const override { return held.next(batches); }
        [[nodiscard]] estimate estimate_of(std::span<const double> batches) const override
        {
            return held.estimate_of(batches);
        }
        void validate() const override { held.validate(); }
    };

public:
    /// Holds a copy of `chosen`.
    template <class R>
        requires(!std::same_as<R, any_repetition>) && repetition<R>
    any_repetition(R chosen)  // implicit: any repetition converts
        : held_(core::polymorphic<repetition_interface>::make<model<R>>(std::move(chosen)))
    {
    }

    [[nodiscard]] std::uint32_t next(std::span<const double> batches) const { return held_->next(batches); }
    [[nodiscard]] estimate estimate_of(std::span<const double> batches) const { return held_->estimate_of(batches); }
    void validate() const { held_->validate(); }

private:
    core::polymorphic<repetition_interface> held_;
};

}  // namespace tunekit::measure
