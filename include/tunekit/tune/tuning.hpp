// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The result of a run: its trials, its incumbent, its tuning curve.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/curve/concepts.hpp"
#include "tunekit/measure/concepts.hpp"

namespace tunekit {

/// Why a run ended.
enum class stop_reason : std::uint8_t {
    running,    ///< it has not stopped
    trials,     ///< the budget of trials is spent
    seconds,    ///< the budget of time is spent
    exhausted,  ///< every configuration was proposed
    patience,   ///< no improvement for as long as the budget allows
    asked,      ///< the caller's predicate returned true
    gain,       ///< more tuning is expected to save less than the budget demands
};

/// The reason why a run stopped, in words.
[[nodiscard]] constexpr const char* to_text(stop_reason why) noexcept
{
    switch (why) {
        case stop_reason::running:
            return "running";
        case stop_reason::trials:
            return "the budget of trials is used up";
        case stop_reason::seconds:
            return "the budget of time is used up";
        case stop_reason::exhausted:
            return "every configuration was proposed";
        case stop_reason::patience:
            return "no improvement within the budget's patience";
        case stop_reason::asked:
            return "stopped by the caller";
        case stop_reason::gain:
            return "more tuning is not expected to pay";
    }
    return "unknown";
}

/// The record of one task's run: all its trials, in the order of the answers.
class tuning {
public:
    /// All trials, failed ones included.
    [[nodiscard]] const std::vector<measure::trial>& trials() const noexcept { return trials_; }

    /// The tuning curve: one point per trial, with the seconds of its answer's stamp.
    [[nodiscard]] const std::vector<curve::curve_point>& curve() const noexcept { return curve_; }

    [[nodiscard]] std::uint64_t failed() const noexcept { return failed_; }  ///< trials without a cost
    [[nodiscard]] double seconds() const noexcept { return seconds_; }       ///< time spent, by the run's clock
    [[nodiscard]] bool found() const noexcept
    {
        return incumbent_.has_value();
    }  ///< whether any trial has a verified cost

    /// The best verified trial; among equal ones the earliest. Throws tunekit::error where there is none; its line says
    /// why the trials failed.
    [[nodiscard]] const measure::trial& incumbent() const
    {
        if (!incumbent_) throw error(nothing_found());
        return trials_[*incumbent_];
    }

    /// The kind of most failures and the message of its first, in one line: "wrong_result, element 5 is 0.37, want 1.37".
    /// Among equally frequent kinds that of the earlier failure. Empty where no trial has failed. Cost: linear in the
    /// trials.
    [[nodiscard]] std::string most_often() const;

    /// The seconds of the incumbent; +inf before there is one.
    [[nodiscard]] double best_cost() const noexcept
    {
        return incumbent_ ? trials_[*incumbent_].measured.cost : std::numeric_limits<double>::infinity();
    }

    /// The number of trials since the incumbent was found. It is 0 before there is one, so that patience waits for a
    /// first success.
    [[nodiscard]] std::uint64_t stale() const noexcept { return incumbent_ ? trials_.size() - 1 - *incumbent_ : 0; }

    /// The candidates of the best `k` verified trials, best first; among equal ones the earlier first. Fewer where
    /// there are fewer.
    [[nodiscard]] std::vector<index> finalists(std::size_t k) const;

    /// Appends a trial whose answer came `seconds` after the previous one's. Precondition: the cost of an ok()
    /// measurement is finite.
    void append(measure::trial t, double seconds);

    /// Appends a batch of trials that ended `seconds` after the previous one.
    void append(std::vector<measure::trial> batch, double seconds);

    /// Adds time that passed without a trial.
    void pass(double seconds) noexcept { seconds_ += seconds; }

    /// Why the run ended; `running` while it has not.
    stop_reason stopped = stop_reason::running;

    /// The names of each measurement's `values`, in their order; empty where there are none.
    std::vector<std::string> value_names{};

private:
    [[nodiscard]] std::string nothing_found() const;

    std::vector<measure::trial> trials_;
    std::vector<curve::curve_point> curve_;
    std::optional<std::size_t> incumbent_;
    std::uint64_t failed_ = 0;
    double seconds_ = 0;
};

}  // namespace tunekit

#if TUNEKIT_BODIES
namespace tunekit {

TUNEKIT_INLINE std::vector<index> tuning::finalists(std::size_t k) const
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

TUNEKIT_INLINE std::string tuning::most_often() const
{
    const auto failures_like = [this](const measure::failure& one) {
        return std::count_if(trials_.begin(), trials_.end(), [&one](const measure::trial& t) {
            return t.measured.failed && t.measured.failed->kind == one.kind;
        });
    };
    const measure::failure* most = nullptr;
    std::ptrdiff_t count = 0;
    std::vector<measure::failure_kind> counted;
    for (const measure::trial& t : trials_) {
        if (!t.measured.failed) continue;
        const measure::failure& f = *t.measured.failed;
        if (std::find(counted.begin(), counted.end(), f.kind) != counted.end()) continue;
        counted.push_back(f.kind);
        if (const auto n = failures_like(f); n > count) {
            most = &f;
            count = n;
        }
    }
    if (most == nullptr) return {};
    return std::string(to_text(most->kind)) + (most->message.empty() ? "" : ", " + most->message);
}

TUNEKIT_INLINE std::string tuning::nothing_found() const
{
    if (trials_.empty()) return "tuning: nothing was measured, so there is no best; ask found() first";
    if (failed_ == 0) return "tuning: no configuration was measured to its end, so there is no best; ask found() first";
    return "tuning: " + std::to_string(failed_) + " of " + std::to_string(trials_.size()) +
           " failed, most often: " + most_often() +
           "; correct the kernel or its check, and delete the log of this run if there is one";
}

TUNEKIT_INLINE void tuning::append(measure::trial t, double seconds)
{
    seconds_ += seconds;
    if (t.measured.failed) ++failed_;
    if (t.measured.ok() && t.measured.cost < best_cost()) incumbent_ = trials_.size();
    trials_.push_back(std::move(t));
    curve_.push_back({.trial = trials_.size(), .seconds = seconds_, .best_cost = best_cost()});
}

TUNEKIT_INLINE void tuning::append(std::vector<measure::trial> batch, double seconds)
{
    seconds_ += batch.empty() ? seconds : 0;
    for (auto& t : batch) append(std::move(t), std::exchange(seconds, 0));
}

}  // namespace tunekit
#endif  // TUNEKIT_BODIES
