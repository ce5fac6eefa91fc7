// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Five acquisition criteria: the mean, the upper confidence bound, the probability of an improvement, the expected
/// improvement, and its logarithm.

#include "tunekit/acquisition/concepts.hpp"
#include "tunekit/stats/expected_excess.hpp"
#include "tunekit/stats/normal.hpp"
#include "tunekit/stats/prediction.hpp"

namespace tunekit::acquisition {

/// The predicted mean, in the unit of the score, whatever it is. Use it for models without uncertainty, or to exploit
/// only.
/// Source: AutoTVM's and Chameleon's criterion.
struct mean {
    [[nodiscard]] constexpr double value(const stats::prediction& p, double) const { return p.mean; }

    friend bool operator==(const mean&, const mean&) = default;
};

/// The upper confidence bound of a score: mean + kappa sd. Scores are maximised; for costs it is known as the lower
/// confidence bound, with the sign turned.
///
/// Shapes: in the unit of the score, infinite or NaN as the sum is. The best score measured is not used.
/// Source: Cox, John (1992), SDO: A Statistical Method for Global Optimization; Srinivas et al. (2010), GP-UCB.
struct upper_confidence_bound {
    double kappa = 2;  ///< >= 0; 0 is the mean; more explores more

    [[nodiscard]] constexpr double value(const stats::prediction& p, double) const { return p.mean + kappa * p.sd; }

    friend bool operator==(const upper_confidence_bound&, const upper_confidence_bound&) = default;
};

/// The probability of an improvement: P(score > best + xi) of a score predicted as N(mean, sd^2); 1 or 0 where sd is 0.
/// It is exactly 0 below (mean - best - xi) / sd = -38 and exactly 1 above 8.3. When candidates tie, compare their
/// means.
///
/// Shapes: xi in the unit of the score; the result has none. It is NaN where a number is, or infinities meet.
/// Precondition: sd >= 0.
/// Source: Kushner (1964), J. Basic Engineering 86.
struct probability_of_improvement {
    double xi = 0;  ///< unit of score; the least improvement that counts; with 0 the criterion hardly explores

    [[nodiscard]] double value(const stats::prediction& p, double best) const
    {
        const double gain = p.mean - (best + xi);
        if (gain != gain) return gain;
        if (p.sd == 0) return gain > 0 ? 1 : 0;
        return stats::normal_cdf(gain / p.sd);
    }

    friend bool operator==(const probability_of_improvement&, const probability_of_improvement&) = default;
};

/// The expected improvement: E[max(0, score - best - xi)] of a score predicted as N(mean, sd^2).
///
///     const double worth = acquisition::expected_improvement{}.value(predicted, best);
///
/// Where sd is 0 it is max(0, mean - best - xi). It is never negative. Below (mean - best - xi) / sd = -38 it is less
/// than the smallest positive number and exactly 0. When candidates tie at 0, compare their means.
///
/// Shapes: all in the unit of the score. Precondition: sd >= 0.
/// Cost:   one `exp` and one `erfc`, about 50 ns.
/// Source: Mockus, Tiesis, Zilinskas (1978); Jones, Schonlau, Welch (1998), J. Global Optimization 13, equation 15.
struct expected_improvement {
    double xi = 0;  ///< unit of score; the least improvement that counts: more explores more

    [[nodiscard]] double value(const stats::prediction& p, double best) const
    {
        return stats::expected_excess(p, best + xi);
    }

    friend bool operator==(const expected_improvement&, const expected_improvement&) = default;
};

/// The logarithm of the expected improvement: ln E[max(0, score - best - xi)] of a score predicted as N(mean, sd^2). It
/// ranks candidates as `expected_improvement` does, and still ranks them where that is 0 for all.
///
/// Gaussian processes need it. They have a small sd in most of a space, so Z = (mean - best - xi) / sd is far below -38
/// there. Where sd is 0 it is ln max(0, mean - best - xi), and -inf if that difference is at most 0.
///
/// Shapes: logarithm of the unit of the score. Precondition: sd >= 0.
/// Cost:   above Z = -6 one `exp`, one `erfc` and two `log`; below 20 divisions and two `log`; 50 to 100 ns.
/// Source: Ament, Daulton, Eriksson, Balandat, Bakshy (2023), Unexpected Improvements to Expected Improvement for
///         Bayesian Optimization, NeurIPS, equation 9.
/// Departures: Mills' ratio as a continued fraction, instead of the paper's scaled complementary error function and two
/// asymptotes.
struct log_expected_improvement {
    double xi = 0;  ///< unit of score; the least improvement that counts: more explores more

    [[nodiscard]] double value(const stats::prediction& p, double best) const
    {
        return stats::log_expected_excess(p, best + xi);
    }

    friend bool operator==(const log_expected_improvement&, const log_expected_improvement&) = default;
};

}  // namespace tunekit::acquisition
