// expect: cuda_callable: kernels are launched by <<<[.]{3}>>>, want a .cu file that nvcc compiles
// SPDX-License-Identifier: MIT
#include "tunekit/devices/cuda/callable.hpp"

void wrong(tunekit::measure::cuda_session& gpu);
void wrong(tunekit::measure::cuda_session& gpu)
{
    static_cast<void>(tunekit::measure::cuda_callable(gpu, [](const auto&) { return [] {}; }));
}
