// SPDX-License-Identifier: MIT
#include "bench/kernels/support/begin_honestly.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

TEST_CASE("variables that slow a peer down are named with their values, and no others")
{
    const auto named = [](const std::map<std::string, std::string>& set) {
        return bench::crippling_variables([&](const char* name) -> const char* {
            const auto at = set.find(name);
            return at == set.end() ? nullptr : at->second.c_str();
        });
    };
    CHECK(named({}).empty());
    CHECK(named({{"OMP_NUM_THREADS", "7"}, {"PATH", "/bin"}}).empty());  // what a bench sets itself
    CHECK(named({{"OPENBLAS_CORETYPE", "SkylakeX"}}).empty());
    CHECK(named({{"OPENBLAS_CORETYPE", "Haswell"}, {"DNNL_MAX_CPU_ISA", "AVX2"}, {"OMP_DYNAMIC", "true"}}) ==
          std::vector<std::string>{"OPENBLAS_CORETYPE=Haswell", "DNNL_MAX_CPU_ISA=AVX2", "OMP_DYNAMIC=true"});
}
