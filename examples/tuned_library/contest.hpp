// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Times of calls that can be compared.

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "tunekit/measure/clocks.hpp"

/// The least time of a call, as disturbances lengthen times: of five batches of a millisecond at least, in turn with others.
struct contestant {
    double best = std::numeric_limits<double>::infinity();

    template <class Call>
    void run(const Call& call)
    {
        const tunekit::measure::thread_clock now;
        const double start = now();
        int calls = 0;
        do {
            call();
            ++calls;
        } while (now() - start < 1e-3);
        best = (std::min)(best, (now() - start) / calls);
    }
};

/// One thread, and OpenBLAS told the core that it does not know; it reads these when it is loaded, so start anew.
inline void begin_honestly(char** argv)
{
    if (std::getenv("TUNEKIT_TUNED_LIBRARY") != nullptr) return;
    setenv("TUNEKIT_TUNED_LIBRARY", "1", 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
#endif
    execv("/proc/self/exe", argv);
}
