// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The products of the benches.

#include <array>

#include "tunekit/kernels/workloads.hpp"

namespace bench {

/// Square, one batch, tall and flat ones, a head's and a dense layer's.
inline constexpr std::array<tunekit::kernels::layer<tunekit::kernels::gemm_shape>, 7> product_shapes{
    {{"1024x1024x1024", {.m = 1024, .n = 1024, .k = 1024}},
     {"512x512x512", {.m = 512, .n = 512, .k = 512}},
     {"128x768x768", {.m = 128, .n = 768, .k = 768}},
     {"128x3072x768", {.m = 128, .n = 3072, .k = 768}},
     {"128x768x3072", {.m = 128, .n = 768, .k = 3072}},
     {"12x128x128x64", {.batch = 12, .m = 128, .n = 128, .k = 64}},
     {"1x1000x512", {.m = 1, .n = 1000, .k = 512}}}};

/// Large ones, for devices.
inline constexpr std::array<tunekit::kernels::layer<tunekit::kernels::gemm_shape>, 5> large_product_shapes{
    {{"4096x4096x4096", {.m = 4096, .n = 4096, .k = 4096}},
     {"8192x8192x8192", {.m = 8192, .n = 8192, .k = 8192}},
     {"512x4096x4096", {.m = 512, .n = 4096, .k = 4096}},
     {"4096x512x4096", {.m = 4096, .n = 512, .k = 4096}},
     {"16x1024x1024x1024", {.batch = 16, .m = 1024, .n = 1024, .k = 1024}}}};

}  // namespace bench
