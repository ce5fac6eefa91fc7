// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Kernels side by side: interleaved rounds, and ratios within rounds with their intervals.

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tunekit/kernels/buffer.hpp"
#include "tunekit/kernels/table.hpp"
#include "tunekit/stats/interval.hpp"
#include "tunekit/stats/quantile.hpp"

namespace bench {

/// Something that is timed: one call is one run.
struct contestant {
    std::string name;
    std::function<void()> run;
};

inline double cpu_seconds()
{
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class F>
double seconds_of(F&& f)
{
    const double start = cpu_seconds();
    f();
    return cpu_seconds() - start;
}

/// Seconds of one run of each contestant in each round. A round gives each about 5 ms, after one run that makes the caches its own.
inline std::vector<std::vector<double>> interleaved(const std::vector<contestant>& field, int rounds)
{
    std::vector<int> runs;
    for (const auto& c : field) {
        c.run();
        runs.push_back((std::max)(1, static_cast<int>(0.005 / (std::max)(1e-7, seconds_of(c.run)))));
    }
    std::vector<std::vector<double>> seconds(field.size());
    for (int r = 0; r < rounds; ++r) {
        for (std::size_t i = 0; i < field.size(); ++i) {
            field[i].run();
            const double s = seconds_of([&] {
                for (int k = 0; k < runs[i]; ++k) field[i].run();
            });
            seconds[i].push_back(s / runs[i]);
        }
    }
    return seconds;
}

/// How many times as fast, with an interval of 95 %.
struct ratio {
    double median = 0, low = 0, high = 0;
};

/// Of the rounds' quotients: theirs over ours.
inline ratio ratio_of(const std::vector<double>& theirs, const std::vector<double>& ours)
{
    std::vector<double> quotients(ours.size());
    for (std::size_t i = 0; i < ours.size(); ++i) quotients[i] = theirs[i] / ours[i];
    const auto range = tunekit::stats::order_interval(quotients).within;
    return {tunekit::stats::median(quotients), range.low, range.high};
}

/// The table's fastest tile on operands in the first-level cache, as a contestant of a field: what shares of peak refer to.
struct peak {
    double flops = 0;  ///< of one run
    contestant runs;
};

inline peak peak_of(const tunekit::kernels::tile_table& table)
{
    using tunekit::kernels::buffer;
    static buffer<> x(1 << 12), w(1 << 13), y(1 << 12);
    constexpr int times = 100;
    const auto flops_of = [&](const auto& t) { return 2.0 * t.mr * t.nv * t.vl * (2048 / (t.nv * t.vl)) * 8 * times; };
    const auto runs_of = [&](const auto& t) {
        return [run = t.run, nr = t.nv * t.vl] {
            const int depth = 2048 / nr;
            for (int k = 0; k < times; ++k)
                run({.x = x.data(),
                     .w = w.data(),
                     .y = y.data(),
                     .x_row = depth,
                     .w_step = nr,
                     .y_row = nr,
                     .blocks = 8,
                     .depth = depth,
                     .unroll = 1});
        };
    };
    const auto* best = table.tiles.data();
    double best_rate = 0;
    for (const auto& t : table.tiles) {
        if (table.registers_for(t.mr, t.nv, t.vl) > table.registers) continue;
        double least = HUGE_VAL;
        for (int r = 0; r < 20; ++r) least = (std::min)(least, seconds_of(runs_of(t)));
        if (flops_of(t) / least > best_rate) {
            best_rate = flops_of(t) / least;
            best = &t;
        }
    }
    return {flops_of(*best), {"peak", runs_of(*best)}};
}

}  // namespace bench
