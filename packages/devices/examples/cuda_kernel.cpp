// SPDX-License-Identifier: MIT

// Tunes a CUDA kernel that is given as text: NVRTC compiles every configuration.
//
// Each configuration is checked and timed by the device's events. The build needs no CUDA toolkit. Without a device the program
// says so and ends with status 3.

#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/devices/cuda/measurer.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

namespace {

constexpr int n = 2048;

/// Transposes an n x n matrix in tiles, each by a block of tile x rows threads.
auto transposition()
{
    const tk::space::product space{
        tk::space::parameter<"tile">({8, 16, 32, 64}),
        tk::space::parameter<"rows">({1, 2, 4, 8, 16, 32}),
        tk::space::parameter<"padding">({0, 1}),
        tk::space::where<"tile", "rows">([](int tile, int rows) { return tile % rows == 0 && tile * rows <= 1024; }),
    };
    return tk::measure::source_template{
        space, [](const auto& c) {
            const int tile = tk::get<"tile">(c);
            const int rows = tk::get<"rows">(c);
            tk::measure::device_source out;
            out.text = "enum { n = " + std::to_string(n) + ", tile = " + std::to_string(tile) +
                       ", rows = " + std::to_string(rows) + ", padding = " + std::to_string(tk::get<"padding">(c)) +
                       R"( };
extern "C" __global__ void __launch_bounds__(tile * rows) kernel(const float* __restrict__ x, float* __restrict__ y)
{
    __shared__ float part[tile][tile + padding];
    const int column = blockIdx.x * tile, row = blockIdx.y * tile;
    for (int r = threadIdx.y; r < tile; r += rows)
        part[r][threadIdx.x] = x[(row + r) * n + column + threadIdx.x];
    __syncthreads();
    for (int r = threadIdx.y; r < tile; r += rows)
        y[(column + r) * n + row + threadIdx.x] = part[threadIdx.x][r];
}
)";
            out.launches = {{.grid = {n / tile, n / tile, 1}, .block = {tile, rows, 1}}};
            return out;
        }};
}

void tune()
{
    const auto device = tk::measure::find_cuda_device();  // asks in a child: this process stays without CUDA
    std::vector<float> x(std::size_t{n} * n);
    std::vector<float> want(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(i % 65521);
        want[i % n * n + i / n] = x[i];
    }
    tk::measure::cuda_operands data;  // the kernel's parameters, in order
    data.input(std::span<const float>(x));
    data.output(std::span<const float>(want));

    const auto program = transposition();
    tk::measure::nvrtc_builder compilers({.architecture = device.architecture()});
    auto pool = tk::measure::cuda_pool(program, std::move(compilers), data, tk::measure::until_confident{},
                                       {.device = device, .timing = {.state = tk::measure::cache::cold}});
    tk::random::philox gen(1);
    const auto found = tk::tune(program.space, pool, tk::search::annealing{}, {.trials = 32}, gen);
    for (const auto& t : found.trials()) {
        const auto c = program.space.at(t.candidate);
        std::printf("tile %2d, rows %2d, padding %d: ", tk::get<"tile">(c), tk::get<"rows">(c), tk::get<"padding">(c));
        if (t.measured.failed) std::printf("%s\n", t.measured.failed->message.c_str());
        else std::printf("%.2f us\n", 1e6 * t.measured.cost);
    }
    std::printf("%s, %s\n", device.name.c_str(), pool.running().conditions().text().c_str());
    if (!found.found()) throw tk::error("no configuration works");
    const double best = found.incumbent().measured.cost;
    std::printf("best of %llu: %.2f us, %.0f GB/s\n", static_cast<unsigned long long>(program.space.size()), 1e6 * best,
                8e-9 * n * n / best);
    const auto winner = program.space.at(found.incumbent().candidate);
    std::printf("its source, and how it is launched:\n%s", program.text(winner).with_launches().c_str());
}

}  // namespace

int main()
{
    try {
        tune();
    } catch (const tk::measure::no_device& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 3;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}
