// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The environment in which libraries are compared.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace bench {

/// Whether a variable tells a peer what is honest here: OpenBLAS of processors that it does not know; in a bench that is
/// compiled for AVX2, peers that are held to it.
[[nodiscard]] inline bool honest(const std::string& variable)
{
#if defined(__AVX2__) && !defined(__AVX512F__)
    if (variable == "OPENBLAS_CORETYPE=Haswell" || variable == "ONEDNN_MAX_CPU_ISA=AVX2") return true;
#endif
    return variable == "OPENBLAS_CORETYPE=SkylakeX";
}

/// Variables that slow a peer down or change what it runs: "NAME=VALUE" of those that are set and are not honest.
/// `of(name)` is a variable's value, or nullptr.
template <class Environment>
[[nodiscard]] std::vector<std::string> crippling_variables(const Environment& of)
{
    std::vector<std::string> out;
    for (const char* name :
         {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "OPENBLAS_BLOCK_FACTOR", "DNNL_MAX_CPU_ISA", "ONEDNN_MAX_CPU_ISA",
          "DNNL_CPU_ISA_HINTS", "ONEDNN_CPU_ISA_HINTS", "DNNL_DEFAULT_FPMATH_MODE", "ONEDNN_DEFAULT_FPMATH_MODE",
          "DNNL_VERBOSE", "ONEDNN_VERBOSE", "DNNL_JIT_DUMP", "OMP_SCHEDULE", "OMP_THREAD_LIMIT", "OMP_DYNAMIC"}) {
        const char* const value = of(name);
        if (value != nullptr && !honest(std::string(name) + "=" + value))
            out.push_back(std::string(name) + "=" + value);
    }
    return out;
}

/// That many threads each, and OpenBLAS told what it does not know; libraries read these when they are
/// loaded, so start anew. Says on the error stream which variables of the caller slow a peer down: numbers measured with
/// them need that word.
inline void begin_honestly(char** argv, int threads = 1)
{
    if (std::getenv("TUNEKIT_BENCH_KERNELS") != nullptr) return;
    for (const std::string& v : crippling_variables([](const char* name) { return std::getenv(name); }))
        std::fprintf(stderr, "%s: %s changes a peer: unset it for an honest comparison\n", argv[0], v.c_str());
    const std::string n = std::to_string(threads);
    setenv("TUNEKIT_BENCH_KERNELS", "1", 1);
    setenv("OMP_NUM_THREADS", n.c_str(), 1);
    setenv("OPENBLAS_NUM_THREADS", n.c_str(), 1);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
#endif
    execv("/proc/self/exe", argv);
}

}  // namespace bench
