// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Which workers of a pool can be believed, by what the others make of the candidates that fail on one.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tunekit::mpi::detail {

/// The rule by which a pool finds a sick worker, from events (worker, candidate, outcome). A worker has failed *alone*
/// with a candidate that failed there and was then measured on another. It is *trusted* while it has measured
/// something since it last failed alone.
///
/// A failure counts once two workers agree of which one is trusted, or `opinions` workers do. Until then the candidate
/// goes to another. A worker is sick where k of its n candidates failed alone, the trusted others together have k' of
/// n', and, with q = k / n and p = (k' + 1) / (n' + 2),
///
///     q > far_above p   and   exp(-n (q log(q / p) + (1 - q) log((1 - q) / (1 - p)))) < false_alarm,
///
/// where the exponential bounds the probability of k or more of n at rate p.
///
/// Source:     W. Hoeffding, Journal of the American Statistical Association 58 (1963), theorem 1.
/// Randomness: none. Precondition: workers are below their number.
/// Cost:       O(number of workers) for `sick`, else constant.
class quarantine {
public:
    static constexpr double false_alarm = 1e-4;  ///< bounds the probability, at each look, of taking out a sound worker
    static constexpr double far_above = 4;       ///< times the others' share of failures from which on one is high
    static constexpr std::size_t opinions = 4;   ///< workers that must agree where none is trusted

    /// No worker has measured anything yet, so none is trusted.
    explicit quarantine(std::size_t workers) : workers_(workers) {}

    /// The worker measured a candidate.
    void measured(std::size_t worker)
    {
        ++workers_[worker].measured;
        workers_[worker].trusted = true;
    }
    /// A candidate that failed on the worker was measured on another.
    void failed_alone(std::size_t worker)
    {
        ++workers_[worker].alone;
        workers_[worker].trusted = false;
    }

    /// Whether the worker has measured something since it last failed alone.
    [[nodiscard]] bool trusted(std::size_t worker) const { return workers_[worker].trusted; }
    /// The number of candidates that failed on this worker alone.
    [[nodiscard]] std::uint64_t alone(std::size_t worker) const { return workers_[worker].alone; }
    /// Whether a failure counts that these workers have seen.
    [[nodiscard]] bool counts(std::span<const std::size_t> failed_on) const
    {
        return failed_on.size() >= opinions ||
               (failed_on.size() > 1 &&
                std::any_of(failed_on.begin(), failed_on.end(), [&](std::size_t w) { return trusted(w); }));
    }

    /// Whether the worker fails alone far more often than the trusted others.
    [[nodiscard]] bool sick(std::size_t worker) const
    {
        double failed = 1, all = 2;  // of the others
        bool any = false;
        for (std::size_t w = 0; w < workers_.size(); ++w) {
            if (w == worker || !workers_[w].trusted) continue;
            any = true;
            failed += static_cast<double>(workers_[w].alone);
            all += static_cast<double>(workers_[w].alone + workers_[w].measured);
        }
        const auto k = static_cast<double>(workers_[worker].alone);
        const double n = k + static_cast<double>(workers_[worker].measured), p = failed / all;
        if (!any || !(k > far_above * p * n)) return false;
        const double q = k / n, sound = q < 1 ? (1 - q) * std::log((1 - q) / (1 - p)) : 0;
        return -n * (q * std::log(q / p) + sound) < std::log(false_alarm);
    }

private:
    struct history {
        std::uint64_t measured = 0, alone = 0;
        bool trusted = false;
    };

    std::vector<history> workers_;
};

}  // namespace tunekit::mpi::detail
