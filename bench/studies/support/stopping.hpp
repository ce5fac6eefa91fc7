// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// When to stop a search: what forecasts promise against what came, and what rules of stopping lose and save.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/studies/support/tuning_curves.hpp"
#include "tunekit/curve/belief.hpp"
#include "tunekit/curve/improvements.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/stats/bootstrap.hpp"
#include "tunekit/stats/quantile.hpp"
#include "tunekit/tune/gain_rate.hpp"

namespace programs {

/// The share of a call's time that the next trials are expected to save.
using share_forecast = std::function<double(std::span<const double> best, double horizon)>;

inline std::vector<std::pair<std::string, share_forecast>> share_forecasts()
{
    namespace curve = tunekit::curve;
    const auto by = [](const auto& belief) {
        return [belief](std::span<const double> best, double horizon) {
            tunekit::random::philox gen(best.size());
            const auto f = belief.predict(best, horizon, 0, gen);
            return f.expected_saving * f.last;
        };
    };
    return {{"improvements", by(curve::improvement_process{})},
            {"belief", by(curve::belief<>{})},
            {"belief, distinct values", by(curve::belief<>{{.scale_by_distinct = true}})}};
}

/// The kernel that a space was recorded from: its name up to the first mark or digit.
inline std::string family_of(const std::string& space) { return space.substr(0, space.find_first_of("_-0123456789")); }

/// One promise: what was expected and what came, both as shares of a call's time.
struct promise {
    std::string family;
    double expected = 0, came = 0;
};

inline std::vector<promise> promises_of(const std::vector<tuning_curve>& curves, const share_forecast& forecast,
                                        std::span<const std::size_t> cuts, std::span<const std::size_t> ahead)
{
    std::vector<promise> out;
    for (const auto& c : curves)
        for (const std::size_t n : cuts)
            for (const std::size_t k : ahead) {
                if (n + k > c.best.size() || !(c.best[n - 1] > 0)) continue;
                out.push_back({family_of(c.space), forecast(std::span(c.best).first(n), static_cast<double>(n + k)),
                               1 - c.best[n - 1] / c.best[n + k - 1]});
            }
    return out;
}

/// What came over what was expected, summed.
inline double kept(std::span<const promise> of)
{
    double expected = 0, came = 0;
    for (const auto& p : of) {
        expected += p.expected;
        came += p.came;
    }
    return came / expected;
}

/// A table by tenth of the promises, and what each family kept: as promised, and where promises are scaled by what the
/// other families kept.
inline void print_calibration(const std::string& method, std::vector<promise> all)
{
    std::printf("\n%s: %zu promises, kept %.2f\n%6s %12s %12s %8s\n", method.c_str(), all.size(), kept(all), "tenth",
                "expected %", "came %", "kept");
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.expected < b.expected; });
    for (std::size_t d = 0; d < 10; ++d) {
        const std::size_t from = d * all.size() / 10, to = (d + 1) * all.size() / 10;
        if (from == to) continue;
        double expected = 0, came = 0;
        for (std::size_t i = from; i < to; ++i) {
            expected += 100 * all[i].expected / static_cast<double>(to - from);
            came += 100 * all[i].came / static_cast<double>(to - from);
        }
        std::printf("%6zu %12.4f %12.4f %8.2f\n", d + 1, expected, came, came / expected);
    }
    std::map<std::string, std::vector<promise>> families;
    for (const auto& p : all) families[p.family].push_back(p);
    std::printf("%-16s %9s %8s %24s\n", "family", "promises", "kept", "scaled by the others");
    for (const auto& [name, of] : families) {
        std::vector<promise> others;
        for (const auto& p : all)
            if (p.family != name) others.push_back(p);
        std::printf("%-16s %9zu %8.2f %24.2f\n", name.c_str(), of.size(), kept(of), kept(of) / kept(others));
    }
}

/// A rule of stopping: the number of trials after which it ends the search of a curve whose winner is called so often.
using stopping_rule = std::function<std::size_t(const tuning_curve&, double calls)>;

/// The first trial from the eighth on, of every so many, at which `rate(n)` is below 1.
template <class Rate>
std::size_t first_below(const tuning_curve& c, std::size_t each, const Rate& rate)
{
    for (std::size_t n = 8; n < c.best.size(); n += each)
        if (c.best[n - 1] > 0 && rate(n) < 1) return n;
    return c.best.size();
}

inline std::vector<std::pair<std::string, stopping_rule>> stopping_rules()
{
    const auto fixed = [](std::size_t trials) -> stopping_rule {
        return [trials](const tuning_curve& c, double) { return (std::min)(trials, c.best.size()); };
    };
    const auto patient = [](std::size_t patience) -> stopping_rule {
        return [patience](const tuning_curve& c, double) {
            std::size_t last = 0;
            for (std::size_t n = 1; n <= c.best.size(); ++n) {
                if (n == 1 || c.best[n - 1] > c.best[n - 2]) last = n;
                if (c.best[n - 1] > 0 && n - last >= patience) return n;
            }
            return c.best.size();
        };
    };
    const auto by_rate = [](double ahead, double share) -> stopping_rule {
        return [ahead, share](const tuning_curve& c, double calls) {
            std::vector<tunekit::curve::curve_point> points;
            for (std::size_t i = 0; i < c.best.size(); ++i) points.push_back({i + 1, c.seconds[i], 1 / c.best[i]});
            return first_below(c, 1, [&](std::size_t n) {
                return tunekit::gain_rate(std::span(points).first(n), calls,
                                          (std::max)(ahead, share * static_cast<double>(n)));
            });
        };
    };
    const auto by_belief = [](const share_forecast& forecast) -> stopping_rule {
        return [forecast](const tuning_curve& c, double calls) {
            return first_below(c, 8, [&](std::size_t n) {  // each eighth trial: a forecast takes milliseconds
                const double ahead = 0.25 * static_cast<double>(n), half = static_cast<double>(n - n / 2);
                const double pace = (c.seconds[n - 1] - c.seconds[n / 2 - 1]) / half;
                return calls / c.best[n - 1] * forecast(std::span(c.best).first(n), static_cast<double>(n) + ahead) /
                       (ahead * pace);
            });
        };
    };
    const auto forecasts = share_forecasts();
    return {{"100 trials", fixed(100)},
            {"200 trials", fixed(200)},
            {"400 trials", fixed(400)},
            {"patience 50", patient(50)},
            {"patience 100", patient(100)},
            {"improvements, 1 ahead", by_rate(1, 0)},
            {"improvements, n/4 ahead", by_rate(1, 0.25)},
            {"improvements, n ahead", by_rate(1, 1)},
            {"belief, n/4 ahead", by_belief(forecasts[1].second)},
            {"distinct, n/4 ahead", by_belief(forecasts[2].second)}};
}

/// For each worth of the calls: they take so many times as long, at the end's best cost, as the first 100 trials. What a
/// rule loses is its seconds of tuning and calls over those of the best moment to stop, less 1.
inline void print_stopping(const std::vector<tuning_curve>& curves, std::span<const double> worths, std::uint64_t seed)
{
    constexpr std::size_t reference = 100;
    std::printf("\n%-8s %-26s %8s %30s %10s %12s\n", "worth", "rule", "trials", "loses % (95 %, over spaces)",
                "worst %", "to the end");
    for (const double worth : worths) {
        for (const auto& [name, rule] : stopping_rules()) {
            std::map<std::string, std::pair<double, double>> of_space;  // loss, searches
            double trials = 0, searches = 0, worst = 0, to_the_end = 0;
            for (const auto& c : curves) {
                if (c.best.size() < reference || !(c.best[reference - 1] > 0) || !(c.seconds[reference - 1] > 0))
                    continue;
                const double calls = worth * c.seconds[reference - 1] * c.best.back();
                const auto total = [&](std::size_t n) {
                    return c.best[n - 1] > 0 ? c.seconds[n - 1] + calls / c.best[n - 1]
                                             : std::numeric_limits<double>::infinity();
                };
                double least = total(c.best.size());
                for (std::size_t n = 1; n < c.best.size(); ++n) least = (std::min)(least, total(n));
                const std::size_t n = rule(c, calls);
                const double loss = total(n) / least - 1;
                of_space[c.space].first += loss;
                of_space[c.space].second += 1;
                worst = (std::max)(worst, loss);
                trials += static_cast<double>(n);
                searches += 1;
                to_the_end += n == c.best.size() ? 1 : 0;
            }
            std::vector<double> losses;
            for (const auto& [space, sum] : of_space) losses.push_back(100 * sum.first / sum.second);
            auto gen = tunekit::random::stream(seed, 0x73746f70U, 0);
            const auto range = tunekit::stats::bootstrap_interval(
                losses.size(),
                [&](std::span<const std::uint32_t> drawn) {
                    double sum = 0;
                    for (const auto i : drawn) sum += losses[i];
                    return sum / static_cast<double>(drawn.size());
                },
                {}, gen);
            std::printf("%-8g %-26s %8.0f %10.1f (%7.1f, %7.1f) %10.1f %10.0f %%\n", worth, name.c_str(),
                        trials / searches, tunekit::stats::mean(losses), range.low, range.high, 100 * worst,
                        100 * to_the_end / searches);
        }
    }
}

}  // namespace programs
