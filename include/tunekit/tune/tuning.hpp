// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The record of a run: its trials, its incumbent, its tuning curve.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/detail/plain_vector.hpp"
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
    cost,       ///< the incumbent is as good as the budget asks for
};

/// The reason why a run stopped, in words.
[[nodiscard]] inline std::string to_text(stop_reason why)
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
        case stop_reason::cost:
            return "the cost that was asked for is reached";
    }
    return "unknown";
}

/// What a run has seen of its machine: the incumbent ran again if a result was doubted.
struct machine_checks {
    bool on = false;              ///< whether results were watched; false: nothing is known of the machine
    std::uint64_t made = 0;       ///< results, or several together, that were doubted: each a look at the incumbent
    std::uint64_t disturbed = 0;  ///< disturbances: the incumbent was slower than its record
    std::uint64_t unsettled = 0;  ///< of these, those that outlasted the wait
    std::uint64_t measured_again = 0;  ///< configurations that were measured again
    double waited_seconds = 0;         ///< of looks that found a disturbance, and of waiting for its end
    double seconds = 0;                ///< of all of this, the second measurements too; they are among the run's
    std::uint64_t put_off = 0;         ///< builds that took too long (`candidate_limits::max_build_factor`)

    friend bool operator==(const machine_checks&, const machine_checks&) = default;
};

/// The record of one task's run: what was known before it, and all its trials in the order of the answers.
class tuning {
public:
    /// All trials, failed ones included.
    [[nodiscard]] const std::vector<measure::trial>& trials() const noexcept { return trials_; }

    /// The tuning curve: one point per trial, with the seconds of its answer's stamp.
    [[nodiscard]] const std::vector<curve::curve_point>& curve() const noexcept { return curve_; }

    /// Results that were known before the run (`tuner::know`). They are no trials, but the best may be one of them.
    [[nodiscard]] const std::vector<measure::trial>& known() const noexcept { return known_; }

    [[nodiscard]] std::uint64_t failed() const noexcept { return failed_; }  ///< trials without a cost
    [[nodiscard]] double seconds() const noexcept { return seconds_; }       ///< time spent, by the run's clock
    [[nodiscard]] bool found() const noexcept
    {
        return incumbent_.has_value();
    }  ///< whether any trial has a verified cost

    /// Why the run ended; `running` while it has not.
    [[nodiscard]] stop_reason stopped() const noexcept { return stopped_; }

    /// The best verified trial or known result; among equal ones the earliest. Throws tunekit::error if there is
    /// none; its line says why the trials failed.
    [[nodiscard]] const measure::trial& incumbent() const
    {
        if (!incumbent_) throw error(nothing_found());
        return best_trial();
    }

    /// The kind of most failures and the message of its first, in one line: "wrong_result, element 5 is 0.37, want
    /// 1.37". Among equally frequent kinds that of the earlier failure. Empty if no trial has failed. Cost: linear
    /// in the trials.
    [[nodiscard]] std::string most_often() const;

    /// Whether the incumbent is a result from before the run.
    [[nodiscard]] bool incumbent_was_known() const noexcept { return incumbent_ && *incumbent_ < known_.size(); }

    /// The seconds of the incumbent; +inf before there is one.
    [[nodiscard]] double best_cost() const noexcept
    {
        return incumbent_ ? best_trial().measured.cost : std::numeric_limits<double>::infinity();
    }

    /// What is told instead of the best cost if nothing keeps the limit of an objective (`measure::broken_cost`):
    /// "none keeps the limit, the nearest is 23 % beyond it". The share is of the limit, or of 1 for a limit of 0; of
    /// several it is the sum. Else empty.
    [[nodiscard]] std::string beyond_limit() const;

    /// The number of trials since the incumbent was found. It is 0 before there is one, so that patience waits for a
    /// first success.
    [[nodiscard]] std::uint64_t stale() const noexcept
    {
        if (!incumbent_) return 0;
        return trials_.size() - (*incumbent_ < known_.size() ? 0 : *incumbent_ - known_.size() + 1);
    }

    /// The candidates of the best `k` verified trials and known results, best first; among equal ones the earlier
    /// first. Fewer if there are fewer.
    [[nodiscard]] std::vector<index> finalists(std::size_t k) const;

    /// Appends a trial whose answer came `seconds` after the previous one's. Precondition: the cost of an ok()
    /// measurement is finite.
    void append(measure::trial t, double seconds);

    /// Appends a batch of trials that ended `seconds` after the previous one.
    void append(std::vector<measure::trial> batch, double seconds);

    /// Takes a result that was known before. Precondition: there are no trials yet; the cost of an ok() measurement is
    /// finite.
    void know(measure::trial t);

    /// Adds time that passed without a trial.
    void pass(double seconds) noexcept { seconds_ += seconds; }

    /// What the run has seen of its machine. Its seconds are among those of the run.
    [[nodiscard]] const machine_checks& checks() const noexcept { return checks_; }
    /// Replaces it.
    void set_checks(const machine_checks& seen) noexcept { checks_ = seen; }

    /// Sets why the run ended.
    void stop(stop_reason why) noexcept { stopped_ = why; }

    /// The names of each measurement's `values`, in their order; else empty.
    std::vector<std::string> value_names{};

    /// What the race at the end of the run measured, round by round. These are no trials.
    std::vector<std::vector<measure::trial>> rounds{};
    /// The seconds, about, of a run whose race can tell two apart; 0: not known.
    double seconds_to_separate = 0;

private:
    [[nodiscard]] const measure::trial& best_trial() const
    {
        return *incumbent_ < known_.size() ? known_[*incumbent_] : trials_[*incumbent_ - known_.size()];
    }
    [[nodiscard]] std::string nothing_found() const;

    std::vector<measure::trial> known_;
    std::vector<measure::trial> trials_;
    std::vector<curve::curve_point> curve_;
    std::optional<std::size_t> incumbent_;  // its place among the known and the trials after them
    stop_reason stopped_ = stop_reason::running;
    std::uint64_t failed_ = 0;
    double seconds_ = 0;
    machine_checks checks_{};
};

}  // namespace tunekit

#if TUNEKIT_BODIES
#include <charconv>

#include "tunekit/core/text.hpp"

namespace tunekit {

TUNEKIT_INLINE std::vector<index> tuning::finalists(std::size_t k) const
{
    std::vector<std::pair<double, std::size_t>> ranked;
    const auto at = [this](std::size_t i) -> const measure::trial& {
        return i < known_.size() ? known_[i] : trials_[i - known_.size()];
    };
    for (std::size_t i = 0; i < known_.size() + trials_.size(); ++i)
        if (at(i).measured.ok()) ranked.emplace_back(at(i).measured.cost, i);
    k = (std::min)(k, ranked.size());
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(k), ranked.end());
    std::vector<index> out;
    for (std::size_t i = 0; i < k; ++i) out.push_back(at(ranked[i].second).candidate);
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
    core::plain_vector<measure::failure_kind> counted;
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
    return to_text(most->kind) + (most->message.empty() ? "" : ", " + most->message);
}

TUNEKIT_INLINE std::string tuning::beyond_limit() const
{
    if (!found() || !incumbent().measured.over_limit()) return {};
    const double percent = 100 * (best_cost() / measure::broken_cost - 1);
    return "none keeps the limit, the nearest is " + core::text_of(percent, std::chars_format::general, 3) +
           " % beyond it";
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
    const bool better = t.measured.ok() && t.measured.cost < best_cost();
    trials_.push_back(std::move(t));
    if (better) incumbent_ = known_.size() + trials_.size() - 1;
    curve_.push_back({.trial = trials_.size(), .seconds = seconds_, .best_cost = best_cost()});
}

TUNEKIT_INLINE void tuning::know(measure::trial t)
{
    const bool better = t.measured.ok() && t.measured.cost < best_cost();
    known_.push_back(std::move(t));
    if (better) incumbent_ = known_.size() - 1;
}

TUNEKIT_INLINE void tuning::append(std::vector<measure::trial> batch, double seconds)
{
    seconds_ += batch.empty() ? seconds : 0;
    for (auto& t : batch) append(std::move(t), std::exchange(seconds, 0));
}

}  // namespace tunekit
#endif  // TUNEKIT_BODIES
