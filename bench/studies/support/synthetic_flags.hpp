// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Large spaces of compiler-like flags whose optimum is known: what a search is tried on where nothing can be recorded whole.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/random/choice.hpp"
#include "tunekit/random/normal.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/space/value_product.hpp"
#include "tunekit/stats/quantile.hpp"

namespace programs {

/// A family of landscapes over flags.
struct flag_family {
    std::string name;
    std::size_t switches = 40;  ///< parameters that are on or off
    std::size_t levels = 0;     ///< parameters with 4 to 8 ordered values
    std::size_t width = 1;      ///< how many flags interact: each term reads so many of them, 1 to 3
    double interaction = 1;     ///< size of what two or three flags do together, beside what each does alone
    std::size_t conflicts = 0;  ///< pairs of switches that the space forbids together
    std::size_t traps = 0;      ///< pairs of switches that fail together, of which the space knows nothing
    double noise = 0;           ///< standard deviation of ln cost of one measurement
};

/// ln cost = sum over k of f_k(x_p(k), ..., x_p(k + width - 1)), p a hidden order of the flags, f_k a table. What a flag does
/// alone is log-normal in size, as in compilers: a few matter, most do nearly nothing. Because each term reads flags that are next
/// to each other in p, the optimum is found exactly by dynamic programming along p, whatever the tables say.
///
/// Source: the NK model with adjacent neighbourhoods (Kauffman 1993), which Wright, Thompson and Zhang (2000, The Computational
///         Complexity of N-K Fitness Functions) solve in this way; with values of unequal size.
class synthetic_flags {
public:
    /// The landscape number `instance` of a family.
    synthetic_flags(const flag_family& of, std::uint64_t instance)
        : synthetic_flags(of, tunekit::random::stream(instance, 0x666c6167U, 0))
    {
    }

    [[nodiscard]] const tunekit::space::value_product& space() const noexcept { return space_; }

    /// Without noise; infinite where it fails.
    [[nodiscard]] double log_cost(tunekit::index i) const
    {
        std::vector<std::uint16_t> row(space_.dimensions());
        space_.ordinals({&i, 1}, row);
        double out = 0;
        for (std::size_t k = 0; k < order_.size(); ++k) out += terms_[k][place(k, row)];
        return out;
    }

    /// What a program would be measured at.
    template <tunekit::generator G>
    [[nodiscard]] tunekit::measure::measurement measured(tunekit::index i, G& gen) const
    {
        double x = log_cost(i);
        if (!std::isfinite(x))
            return {.failed = tunekit::measure::failure{tunekit::measure::failure_kind::build_error, 1, "a trap"}};
        if (noise_ > 0) x += noise_ * tunekit::random::normal(gen);
        return {.cost = std::exp(x), .runs = 1};
    }

    /// ln cost of the best configuration.
    [[nodiscard]] double optimum() const noexcept { return optimum_; }
    /// Median ln cost of random configurations that do not fail.
    [[nodiscard]] double median() const noexcept { return median_; }

private:
    synthetic_flags(const flag_family& of, tunekit::random::philox gen) : synthetic_flags(of, sizes_of(of, gen), gen) {}

    synthetic_flags(const flag_family& of, std::vector<std::uint16_t> sizes, tunekit::random::philox& gen)
        : width_(of.width), noise_(of.noise), sizes_(std::move(sizes)), order_(order_of(gen)), space_(space_of(of))
    {
        std::vector<double> size(order_.size());  // of what a flag does alone
        for (double& s : size) s = 0.02 * std::exp(1.2 * tunekit::random::normal(gen));
        for (std::size_t k = 0; k < order_.size(); ++k) {
            terms_.emplace_back(combinations(k), 0.0);
            alone(k, size[k], gen);
            const std::size_t reach = (std::min)(width_, order_.size() - k);
            if (reach < 2) continue;
            double product = 1;
            for (std::size_t j = 0; j < reach; ++j) product *= size[k + j];
            const double together = of.interaction * std::pow(product, 1.0 / static_cast<double>(reach));
            for (double& x : terms_[k]) x += together * (2 * tunekit::random::uniform_01(gen) - 1);
        }
        forbid(of);
        optimum_ = solved();
        std::vector<double> some;
        for (const tunekit::index i : space_.sample(4001, gen))
            if (const double x = log_cost(i); std::isfinite(x)) some.push_back(x);
        std::sort(some.begin(), some.end());
        median_ = tunekit::stats::quantile_of_sorted(some, 0.5);
    }

    /// Of the parameters in the space's order: switches and levels in turn.
    static std::vector<std::uint16_t> sizes_of(const flag_family& of, tunekit::random::philox& gen)
    {
        std::vector<std::uint16_t> out(of.switches, 2);
        for (std::size_t k = 0; k < of.levels; ++k)
            out.push_back(static_cast<std::uint16_t>(4 + tunekit::random::uniform_index(5, gen)));
        tunekit::random::shuffle(out, gen);
        return out;
    }

    [[nodiscard]] std::vector<std::size_t> order_of(tunekit::random::philox& gen) const
    {
        std::vector<std::size_t> out(sizes_.size());
        for (std::size_t j = 0; j < out.size(); ++j) out[j] = j;
        tunekit::random::shuffle(out, gen);
        return out;
    }

    /// The positions in the hidden order of pairs of neighbouring switches: first those of conflicts, then those of traps.
    [[nodiscard]] std::vector<std::size_t> pairs(std::size_t n) const
    {
        std::vector<std::size_t> out;
        for (std::size_t k = 0; k + 1 < order_.size() && out.size() < n; ++k)
            if (sizes_[order_[k]] == 2 && sizes_[order_[k + 1]] == 2) out.push_back(k++);
        return out;
    }

    [[nodiscard]] tunekit::space::value_product space_of(const flag_family& of) const
    {
        std::vector<tunekit::space::value_parameter> parameters;
        for (std::size_t j = 0; j < sizes_.size(); ++j) {
            parameters.push_back({"f" + std::to_string(j), {}});
            for (std::int64_t v = 0; v < sizes_[j]; ++v) parameters.back().values.emplace_back(v);
        }
        std::vector<std::string> constraints;
        for (const std::size_t k : pairs(of.conflicts))
            constraints.push_back(parameters[order_[k]].name + " + " + parameters[order_[k + 1]].name + " <= 1");
        return {std::move(parameters), constraints};
    }

    /// How many values the term at `k` has.
    [[nodiscard]] std::size_t combinations(std::size_t k) const
    {
        std::size_t out = 1;
        for (std::size_t j = k; j < order_.size() && j < k + width_; ++j) out *= sizes_[order_[j]];
        return out;
    }

    /// The place of a row in the term at `k`: the flag at `k` counts least.
    [[nodiscard]] std::size_t place(std::size_t k, std::span<const std::uint16_t> row) const
    {
        std::size_t out = 0, stride = 1;
        for (std::size_t j = k; j < order_.size() && j < k + width_; ++j) {
            out += stride * row[order_[j]];
            stride *= sizes_[order_[j]];
        }
        return out;
    }

    /// A switch helps or harms; ordered values have a best one, and cost with the square of the distance from it.
    void alone(std::size_t k, double size, tunekit::random::philox& gen)
    {
        const std::size_t n = sizes_[order_[k]];
        const double best = tunekit::random::uniform_01(gen) * static_cast<double>(n - 1);
        const double sign = tunekit::random::uniform_01(gen) < 0.5 ? -1 : 1;
        for (std::size_t x = 0; x < terms_[k].size(); ++x) {
            const auto v = static_cast<double>(x % n);
            const double away = (v - best) / static_cast<double>(n - 1);
            terms_[k][x] += n == 2 ? sign * size * v : 4 * size * away * away;
        }
    }

    /// What may not be, or fails: only pairs of the last traps are still in the space.
    void forbid(const flag_family& of)
    {
        const auto all = pairs(of.conflicts + of.traps);
        for (const std::size_t k : all)
            for (std::size_t x = 0; x < terms_[k].size(); ++x)
                if (x % 4 == 3) terms_[k][x] = std::numeric_limits<double>::infinity();
    }

    /// Along the hidden order: the least sum of all terms before `k`, for each value of the flags that later terms read.
    [[nodiscard]] double solved() const
    {
        std::vector<double> least{0};  // by the values of the flags at k, ..., k + width - 2, the first counting least
        std::size_t known = 0;         // flags that those are
        for (std::size_t k = 0; k < order_.size(); ++k) {
            const std::size_t all = terms_[k].size(), first = sizes_[order_[k]];
            std::vector<double> next(all / first, std::numeric_limits<double>::infinity());
            std::size_t before = 1;  // values of the flags that `least` speaks of
            for (std::size_t j = k; j < k + known; ++j) before *= sizes_[order_[j]];
            for (std::size_t x = 0; x < all; ++x)
                next[x / first] = (std::min)(next[x / first], least[x % before] + terms_[k][x]);
            least = std::move(next);
            known = (std::min)(width_, order_.size() - k) - 1;
        }
        return least[0];
    }

    std::size_t width_;
    double noise_;
    std::vector<std::uint16_t> sizes_;
    std::vector<std::size_t> order_;  ///< the parameter at each place of the hidden order
    tunekit::space::value_product space_;
    std::vector<std::vector<double>> terms_{};
    double optimum_ = 0;
    double median_ = 0;
};

/// From 2^40 to 2^60 configurations.
inline std::vector<flag_family> flag_families()
{
    return {{.name = "alone", .switches = 40, .width = 1},
            {.name = "pairs", .switches = 40, .width = 2},
            {.name = "triples", .switches = 60, .width = 3},
            {.name = "values", .switches = 24, .levels = 12, .width = 2},
            {.name = "conflicts", .switches = 48, .width = 2, .conflicts = 8, .traps = 2},
            {.name = "noisy", .switches = 40, .width = 2, .noise = 0.02}};
}

}  // namespace programs
