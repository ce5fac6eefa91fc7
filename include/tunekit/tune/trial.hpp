// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a run has learned: its trials, its incumbent, its tuning curve.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/schedule/concepts.hpp"

namespace tunekit {

/// A configuration that was measured.
struct trial {
    index candidate = 0;
    measure::measurement measured{};

    friend bool operator==(const trial&, const trial&) = default;
};

/// Why a run ended.
enum class stop_reason : std::uint8_t {
    running,    ///< it has not
    trials,     ///< the budget of trials is used up
    seconds,    ///< the budget of time is used up
    exhausted,  ///< every configuration was proposed
    patience,   ///< no improvement for as long as the budget allows
    asked,      ///< the caller's predicate said so
};

/// The record of one task's run. Grows by whole batches; never forgets.
class tuning {
public:
    [[nodiscard]] const std::vector<trial>& trials() const noexcept { return trials_; }

    /// One point per trial; the seconds are those of its batch's stamp.
    [[nodiscard]] const std::vector<schedule::curve_point>& curve() const noexcept { return curve_; }

    [[nodiscard]] std::uint64_t failed() const noexcept { return failed_; }    ///< trials without a cost
    [[nodiscard]] double seconds() const noexcept { return seconds_; }         ///< time spent, by the run's clock
    [[nodiscard]] bool found() const noexcept { return incumbent_.has_value(); }  ///< any trial with a verified cost?

    /// The best verified trial, the earliest of equals. Precondition: found().
    [[nodiscard]] const trial& incumbent() const { return trials_[incumbent_.value()]; }

    /// Seconds of the incumbent; +inf before there is one.
    [[nodiscard]] double best_cost() const noexcept
    {
        return incumbent_ ? trials_[*incumbent_].measured.cost : std::numeric_limits<double>::infinity();
    }

    /// Trials since the incumbent was found; 0 before there is one, so that patience waits for a first success.
    [[nodiscard]] std::uint64_t stale() const noexcept { return incumbent_ ? trials_.size() - 1 - *incumbent_ : 0; }

    /// The candidates of the best `k` verified trials, best first, the earlier of equals first.
    [[nodiscard]] std::vector<index> finalists(std::size_t k) const
    {
        std::vector<std::pair<double, std::size_t>> ranked;
        for (std::size_t i = 0; i < trials_.size(); ++i)
            if (trials_[i].measured.ok()) ranked.emplace_back(trials_[i].measured.cost, i);
        k = (std::min)(k, ranked.size());
        std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(k), ranked.end());
        std::vector<index> out;
        for (std::size_t i = 0; i < k; ++i) out.push_back(trials_[ranked[i].second].candidate);
        return out;
    }

    /// Appends a batch that ended `seconds` after the previous one. Precondition: costs of ok() measurements are finite.
    void append(std::vector<trial> batch, double seconds)
    {
        seconds_ += seconds;
        for (auto& t : batch) {
            if (t.measured.failed) ++failed_;
            if (t.measured.ok() && t.measured.cost < best_cost()) incumbent_ = trials_.size();
            trials_.push_back(std::move(t));
            curve_.push_back({.trial = trials_.size(), .seconds = seconds_, .best_cost = best_cost()});
        }
    }

    stop_reason stopped = stop_reason::running;

private:
    std::vector<trial> trials_;
    std::vector<schedule::curve_point> curve_;
    std::optional<std::size_t> incumbent_;
    std::uint64_t failed_ = 0;
    double seconds_ = 0;
};

}  // namespace tunekit
