// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// AdaTune's adaptive evaluator: a repetition policy that stops once the performance is stable.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/batches.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/fixed.hpp"

namespace tunekit::measure {

/// Runs batches until the coefficient of variation (CV) of the performance over the batches falls below a threshold.
///
///     timed{kernel, until_stable{}}                       // the paper's settings
///     timed{kernel, until_stable::reference()}            // those of its code
///
/// With t_i the seconds per run of batch i, the performance is i / (t_1 + ... + t_i) where it is cumulative, and 1 /
/// t_i per batch. The CV is the population standard deviation over the mean. It is compared from `min_batches` batches
/// on. If `max_runs` holds fewer batches than that, all of them are run. The cost is the mean of the t_i. If it
/// is `trimmed`, the least and the greatest are left out.
///
/// Cost:       O(number of batches) per call.
/// Source:     Li, Zhang, Wang, Li (2020), AdaTune: Adaptive Tensor Program Compilation Made Efficient,
///             NeurIPS 33, Algorithm 1 and section 4.1; `reference`: the code published with it.
/// Departures: taken literally, the CV of one batch is 0 and every measurement would stop after one batch. So
///             `min_batches` = 3 holds for both forms, as in the code. The printed performance lacks the batch size,
///             which does not change the CV. Warm-up is the measurer's, which detects its end; the paper has one run.
struct until_stable {
    std::uint32_t max_runs = 500;    ///< >= 1; n in the paper: timed runs
    std::uint32_t batch = 50;        ///< >= 1; B in the paper: runs that are timed together
    double threshold = 0.1;          ///< > 0; stop below this CV
    std::uint32_t min_batches = 3;   ///< >= 1; stop only after this many batches
    std::uint32_t bypass_below = 0;  ///< where `max_runs` is less than this, all runs are made
    bool cumulative = true;          ///< whether the performance is over all batches so far; else it is of each batch
    bool trimmed = false;  ///< CV without the extremes where there are more than 4; cost without them where more than 2

    /// The paper's settings: cumulative performance, nothing trimmed.
    [[nodiscard]] static constexpr until_stable paper() noexcept { return {}; }

    /// The settings of the paper's code: performance per batch, trimmed; bypassed where `max_runs` is below 300.
    [[nodiscard]] static constexpr until_stable reference() noexcept
    {
        return {.bypass_below = 300, .cumulative = false, .trimmed = true};
    }

    void validate() const
    {
        require(max_runs >= 1, "until_stable: max_runs is 0, want >= 1");
        require(batch >= 1, "until_stable: batch is 0, want >= 1");
        require(min_batches >= 1, "until_stable: min_batches is 0, want >= 1");
        require(threshold > 0, "until_stable: threshold is not positive, want > 0");
    }

    [[nodiscard]] std::uint32_t next(std::span<const double> batches) const noexcept
    {
        if (batches.size() >= min_batches && max_runs >= bypass_below && variation(batches) < threshold) return 0;
        return detail::next_batch(max_runs, batch, batches.size());
    }

    /// The CV that is compared with `threshold`. Precondition: at least one batch.
    [[nodiscard]] double variation(std::span<const double> batches) const noexcept
    {
        double least = std::numeric_limits<double>::infinity();
        double most = -least;
        double sum = 0;
        each_performance(batches, [&](double perf) {
            sum += perf;
            if (perf < least) least = perf;
            if (perf > most) most = perf;
        });
        auto n = static_cast<double>(batches.size());
        const bool trim = trimmed && batches.size() > 4;
        if (trim) {
            sum -= least + most;
            n -= 2;
        }
        const double mean = sum / n;
        double squares = 0;
        each_performance(batches, [&](double perf) { squares += (perf - mean) * (perf - mean); });
        if (trim) squares -= (least - mean) * (least - mean) + (most - mean) * (most - mean);
        return std::sqrt(squares > 0 ? squares / n : 0) / mean;
    }

    [[nodiscard]] estimate estimate_of(std::span<const double> batches) const
    {
        if (trimmed && batches.size() > 2) return trimmed_mean(batches);
        return fixed{.runs = max_runs, .batch = batch}.estimate_of(batches);
    }

    friend bool operator==(const until_stable&, const until_stable&) = default;

private:
    template <class F>
    void each_performance(std::span<const double> batches, F&& f) const
    {
        double elapsed = 0;
        for (std::size_t i = 0; i < batches.size(); ++i) {
            elapsed += batches[i];
            f(cumulative ? static_cast<double>(i + 1) / elapsed : 1 / batches[i]);
        }
    }

    /// The mean and standard error without one smallest and one largest value.
    [[nodiscard]] static estimate trimmed_mean(std::span<const double> batches) noexcept
    {
        std::size_t least = 0;
        std::size_t most = batches.size() - 1;
        for (std::size_t i = 0; i < batches.size(); ++i) {
            if (batches[i] < batches[least]) least = i;
            if (batches[i] > batches[most]) most = i;
        }
        if (least == most) least = most == 0 ? 1 : 0;  // all equal
        const auto n = static_cast<double>(batches.size() - 2);
        double sum = 0;
        for (std::size_t i = 0; i < batches.size(); ++i)
            if (i != least && i != most) sum += batches[i];
        const double mean = sum / n;
        double squares = 0;
        for (std::size_t i = 0; i < batches.size(); ++i)
            if (i != least && i != most) squares += (batches[i] - mean) * (batches[i] - mean);
        return {mean, n > 1 ? std::sqrt(squares / (n - 1) / n) : 0};
    }
};

static_assert(repetition<until_stable>);

}  // namespace tunekit::measure
