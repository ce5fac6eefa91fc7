// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a repetition policy is: how often a configuration is run, and what is made of the times.

#include <cmath>
#include <concepts>
#include <cstdint>
#include <span>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/stats/moments.hpp"

namespace tunekit::measure {

/// What a policy makes of the batches of one configuration.
struct estimate {
    double cost = 0;    ///< seconds of one run
    double spread = 0;  ///< seconds; standard error of `cost`, 0 where one batch alone cannot tell

    friend bool operator==(const estimate&, const estimate&) = default;
};

/// Says how many runs the next timed batch has, from the batches so far; 0 stops. Not 0 before the first batch.
template <class R>
concept plans_runs = requires(const R& policy, std::span<const double> batches)
{
    {
        policy.next(batches)
        } -> std::same_as<std::uint32_t>;
};

/// Says what the batches so far amount to. Precondition: at least one batch.
template <class R>
concept estimates_cost = requires(const R& policy, std::span<const double> batches)
{
    {
        policy.estimate_of(batches)
        } -> std::same_as<estimate>;
};

/// Throws std::invalid_argument where a setting is out of range.
template <class R>
concept validated = requires(const R& policy)
{
    {
        policy.validate()
        } -> std::same_as<void>;
};

/// A repetition policy: a pure function of the seconds per run of each timed batch, oldest first. All its state is that
/// list, so a policy runs over recorded batches as over live ones.
template <class R>
concept repetition = std::copyable<R> && plans_runs<R> && estimates_cost<R> && validated<R>;

/// Whether a candidate is certainly dearer than `seconds`: at least three batches, all above. Disturbance only ever
/// adds time, so the least of a few runs bounds the true cost well; what is cut short by this rule is recorded as
/// `at_least`.
[[nodiscard]] inline bool surely_above(std::span<const double> batches, double seconds) noexcept
{
    if (batches.size() < 3) return false;
    for (const double t : batches)
        if (!(t > seconds)) return false;
    return true;
}

namespace detail {

/// Mean and standard error of the mean.
inline estimate mean_of(std::span<const double> x)
{
    if (x.size() < 2) return {stats::mean(x), 0};
    return {stats::mean(x), std::sqrt(stats::sample_variance(x) / static_cast<double>(x.size()))};
}

/// Runs of the next batch where `runs` in all are wanted in batches of `batch`; the last batch takes the rest.
inline std::uint32_t next_of(std::uint32_t runs, std::uint32_t batch, std::size_t done) noexcept
{
    const std::uint64_t spent = std::uint64_t{batch} * done;
    if (spent >= runs) return 0;
    const std::uint64_t left = runs - spent;
    return left < batch ? static_cast<std::uint32_t>(left) : batch;
}

}  // namespace detail

/// Always the same number of runs. The cost is the mean over the runs.
///
///     constexpr fixed policy{.runs = 30, .batch = 3};
///
/// Errors: `runs` and `batch` must be at least 1.
struct fixed {
    std::uint32_t runs = 100;  ///< timed runs in all
    std::uint32_t batch = 10;  ///< runs per reading of the clock

    void validate() const
    {
        require(runs >= 1, "fixed: runs is 0, want >= 1");
        require(batch >= 1, "fixed: batch is 0, want >= 1");
    }

    [[nodiscard]] std::uint32_t next(std::span<const double> batches) const noexcept
    {
        return detail::next_of(runs, batch, batches.size());
    }

    /// The mean over all runs: a short last batch counts by its runs. `spread` is that of the batches.
    [[nodiscard]] estimate estimate_of(std::span<const double> batches) const
    {
        estimate all = detail::mean_of(batches);
        double sum = 0;
        double weight = 0;
        for (std::size_t i = 0; i < batches.size(); ++i) {
            const std::uint32_t of = detail::next_of(runs, batch, i);
            const double w = of == 0 ? batch : of;
            sum += w * batches[i];
            weight += w;
        }
        all.cost = sum / weight;
        return all;
    }

    friend bool operator==(const fixed&, const fixed&) = default;
};

static_assert(repetition<fixed>);

}  // namespace tunekit::measure
