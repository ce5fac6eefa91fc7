// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The environment in which libraries are compared.

#include <unistd.h>

#include <cstdlib>

namespace bench {

/// One thread each, and OpenBLAS told what it does not know; libraries read these when they are loaded, so start anew.
inline void begin_honestly(char** argv)
{
    if (std::getenv("TUNEKIT_BENCH_KERNELS") != nullptr) return;
    setenv("TUNEKIT_BENCH_KERNELS", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
#endif
    execv("/proc/self/exe", argv);
}

}  // namespace bench
