// SPDX-License-Identifier: MIT

// Tunes a kernel in a .cu file: __global__ templates, launched by a lambda.

#include <cstdio>
#include <vector>

#include "tunekit/devices/cuda/callable.hpp"
#include "tunekit/devices/cuda/measurer.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

namespace {

constexpr int n = 1 << 20;

template <int Items>
__global__ void scale(float* y, const float* x)
{
    const int first = blockIdx.x * blockDim.x * Items + threadIdx.x;
#pragma unroll
    for (int k = 0; k < Items; ++k) {
        const int i = first + k * blockDim.x;
        if (i < n) y[i] = 2.0f * x[i];
    }
}

/// A template's parameter by a number.
void launch(int items, int threads, float* y, const float* x)
{
    const int blocks = (n + items * threads - 1) / (items * threads);
    switch (items) {
        case 1:
            scale<1><<<blocks, threads>>>(y, x);
            break;
        case 2:
            scale<2><<<blocks, threads>>>(y, x);
            break;
        case 4:
            scale<4><<<blocks, threads>>>(y, x);
            break;
        default:
            scale<8><<<blocks, threads>>>(y, x);
            break;
    }
}

}  // namespace

int main()
{
    try {
        const auto device = tk::measure::find_cuda_device();
        std::vector<float> x(n), want(n);
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = static_cast<float>(i % 1000);
            want[i] = 2 * x[i];
        }
        tk::measure::cuda_operands data;
        data.output(std::span<const float>(want));
        data.input(std::span<const float>(x));
        tk::measure::cuda_session gpu(device.index);

        const tk::space::product space{tk::space::parameter<"items">({1, 2, 4, 8}),
                                       tk::space::parameter<"threads">({32, 64, 128, 256, 512, 1024})};
        const auto kernel = tk::measure::cuda_callable(gpu, [&](const auto& c) {
            float* const to = data.device<float>(gpu, 0);
            const float* const from = data.device<float>(gpu, 1);
            return
                [=, items = tk::get<"items">(c), threads = tk::get<"threads">(c)] { launch(items, threads, to, from); };
        });
        auto measure =
            tk::measure::isolated(space, tk::measure::timed{kernel, tk::measure::until_confident{}, data.check(gpu)},
                                  tk::measure::device_isolation());
        tk::random::philox gen(1);
        const auto found = tk::tune(space, measure, tk::search::annealing{}, {.trials = 24}, gen);
        if (!found.found()) {
            std::fprintf(stderr, "no configuration works; the first failed so: %s\n",
                         found.trials().empty() ? "" : found.trials().front().measured.failed->message.c_str());
            return 1;
        }
        const auto& best = found.incumbent();
        const auto c = space.at(best.candidate);
        std::printf("%s: %d items, %d threads: %.2f us, %.0f GB/s\n", device.name.c_str(), tk::get<"items">(c),
                    tk::get<"threads">(c), 1e6 * best.measured.cost, 8e-9 * n / best.measured.cost);
        return 0;
    } catch (const tk::measure::no_device& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 3;
    }
}
