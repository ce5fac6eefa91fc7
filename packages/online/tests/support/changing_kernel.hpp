// SPDX-License-Identifier: MIT
#pragma once

// A kernel that changes while it is tuned, simulated: for the tests of drift and for bench_drift.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <type_traits>

#include "tunekit/online/context.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/space/product.hpp"

namespace drifting {

namespace tk = tunekit;
namespace online = tk::online;

/// exp of a normal number with standard deviation `s`.
inline double log_normal(double s, tk::random::philox& gen)
{
    const double u = 1 - tk::random::uniform_01(gen), v = tk::random::uniform_01(gen);
    return std::exp(s * std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v));
}

/// 90 configurations: blocks, unrolling, and a flag for vectors.
inline const tk::space::product kernels{tk::space::powers_of_two<"block">(4, 64), tk::space::integers<"unroll">(1, 9),
                                        tk::space::integers<"vectors">(0, 1)};
using kernels_space = std::remove_const_t<decltype(kernels)>;

/// A kernel whose times have a log-normal noise, and that changes.
struct changing_kernel {
    double noise, slow_default;
    tk::random::philox gen;
    tk::index untuned = *kernels.index_of(kernels.at(0));
    double all = 1;      ///< factor of all configurations
    double vectors = 1;  ///< factor of those with vectors
    double one = 1;      ///< factor of `which`
    tk::index which = 0;

    double cost(tk::index i) const
    {
        const auto c = kernels.at(i);
        const double off = std::abs(std::log2(tk::get<"block">(c)) - 5) + 0.5 * std::abs(tk::get<"unroll">(c) - 4);
        double seconds = 1e-5 * (1 + 0.15 * off) * (tk::get<"vectors">(c) == 1 ? vectors : 1.3);
        if (i == untuned) seconds = 1e-5 * slow_default;
        return seconds * all * (i == which ? one : 1);
    }
    double oracle() const
    {
        double best = cost(0);
        for (tk::index i = 1; i < kernels.size(); ++i) best = (std::min)(best, cost(i));
        return best;
    }
};

using context = online::context<kernels_space>;

inline context begun(const changing_kernel& k, std::uint64_t seed)
{
    using setup = online::setup<kernels_space>;
    return context(std::make_shared<const setup>(
        setup{.space = kernels, .untuned = k.untuned, .options = {.seed = seed}, .parts = {}}));
}

struct passed {
    double over_oracle = 0;         ///< time over the oracle's
    std::uint64_t until_alarm = 0;  ///< timed calls of the winner until its times were seen to have risen
    double not_by_winner = 0;       ///< what calls took more than the winner's, over the time of all
};

inline passed calls(context& t, changing_kernel& k, std::uint64_t n)
{
    double costs[90];
    for (tk::index i = 0; i < 90; ++i) costs[i] = k.cost(i);
    passed out;
    const auto before = t.status();
    const double best = k.oracle();
    double sum = 0, more = 0;
    bool noticed = false;
    for (std::uint64_t j = 0; j < n; ++j) {
        const tk::index i = *kernels.index_of(t.next());
        sum += costs[i];
        more += (std::max)(0.0, costs[i] - costs[before.best]);
        if (!t.wants_time()) continue;
        t.report(costs[i] * log_normal(k.noise, k.gen));
        if (noticed) continue;
        noticed = t.status().alarms > before.alarms || t.status().reopened > before.reopened;
        out.until_alarm += i == before.best;
    }
    out.over_oracle = sum / (static_cast<double>(n) * best);
    out.not_by_winner = more / sum;
    return out;
}

}  // namespace drifting
