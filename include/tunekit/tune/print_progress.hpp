// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A line whenever a run gets better.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "tunekit/tune/plan.hpp"
#include "tunekit/tune/tuning.hpp"

namespace tunekit {

/// Prints a line at each improvement, for a person who waits: what `watch` may be.
///
///     auto found = tk::tune(space, measure, strategy, {.trials = 512}, tk::print_progress{}, gen);
///     // trial 17, 3 failed, 4.2 s: 1.305 ms
///
/// For several tasks the line is the model's latency, once every task has a configuration.
struct print_progress {
    std::FILE* to = stderr;
    double best = std::numeric_limits<double>::infinity();  ///< what was printed last, seconds

    void operator()(const tuning& record)
    {
        line(record.best_cost(), record.seconds(), record.trials().size(), record.failed());
    }

    void operator()(const plan& p, std::size_t)
    {
        if (p.slots.empty()) return;
        std::size_t trials = 0;
        std::size_t failed = 0;
        for (const auto& t : p.tasks) {
            trials += t.record.trials().size();
            failed += t.record.failed();
        }
        line(p.slots.back().model_latency, p.seconds, trials, failed);
    }

private:
    void line(double cost, double seconds, std::size_t trials, std::uint64_t failed)
    {
        if (!(cost < best)) return;
        best = cost;
        std::fprintf(to, "trial %zu, %llu failed, %.1f s: %.4g ms\n", trials, static_cast<unsigned long long>(failed),
                     seconds, 1e3 * cost);
    }
};

}  // namespace tunekit
