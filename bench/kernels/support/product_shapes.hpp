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

}  // namespace bench
