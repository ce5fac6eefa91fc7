// SPDX-License-Identifier: MIT
// What needs a CUDA driver at run time: builds and runs without one, and says so.
#include <cstdio>

#include "tunekit/devices/cuda/device.hpp"
#include "tunekit/version.hpp"

int main()
{
    try {
        std::printf("tunekit %d: %s\n", TUNEKIT_VERSION, tunekit::measure::find_cuda_device(0).name.c_str());
    } catch (const tunekit::measure::no_device& e) {
        std::printf("tunekit %d: %s\n", TUNEKIT_VERSION, e.what());
    }
}
