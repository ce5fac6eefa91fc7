// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <tuple>

#include "tunekit/kernels/gemm/gemm.hpp"
#include "tunekit/kernels/table.hpp"

/// Matrix products of any shape by a few tuned configurations: what gemm_choice.hpp, which the build generates, says. C = A
/// B, dense and row-major. For one thread.
class gemm_library {
public:
    explicit gemm_library(const tunekit::kernels::tile_table& table) : table_(table) {}

    /// Plans the product at its first call for a shape.
    void run(int m, int n, int k, const float* a, const float* b, float* c) { kernel_for(m, n, k).run(a, b, c); }

    /// The configuration for a shape; the untuned one where it is not `tuned_for`.
    [[nodiscard]] tunekit::kernels::gemm_config config_for(int m, int n, int k) const;

    /// Whether the table has the tile that was chosen. It has not where the machine's vectors are shorter than those of the
    /// machine that the results come from: AVX2 here, AVX-512 there.
    [[nodiscard]] bool tuned_for(int m, int n, int k) const;

private:
    tunekit::kernels::gemm_kernel<>& kernel_for(int m, int n, int k);

    const tunekit::kernels::tile_table& table_;
    std::map<std::tuple<int, int, int>, tunekit::kernels::gemm_kernel<>> planned_;
};
