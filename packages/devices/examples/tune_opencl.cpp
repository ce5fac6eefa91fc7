// SPDX-License-Identifier: MIT

// Tunes an OpenCL kernel that is given as text: the device's driver builds every configuration.
//
//     tune_opencl [NAME]      on the device whose name contains NAME; the first one where not said
//
// It needs no headers of OpenCL to be built. Without a device it says so and ends with status 3.

#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/devices/kernel_file.hpp"
#include "tunekit/devices/opencl/measurer.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

namespace {

constexpr int n = 512;

/// Transposes an n x n matrix in tiles, each by a work-group of tile x rows work-items.
auto transposition()
{
    const tk::space::product space{
        tk::space::parameter<"tile">({8, 16, 32}),
        tk::space::parameter<"rows">({1, 4, 8}),
        tk::space::parameter<"padding">({0, 1}),
    };
    return tk::measure::source_template{
        space, [defines = tk::measure::macros(space)](const auto& c) {
            const int tile = tk::get<"tile">(c);
            const int rows = tk::get<"rows">(c);
            tk::measure::device_source out;
            out.prologue = defines(c);  // #define tile 8 ...
            out.text = "enum { n = " + std::to_string(n) + R"( };
__kernel __attribute__((reqd_work_group_size(tile, rows, 1)))
void transpose(__global const float* restrict x, __global float* restrict y)
{
    __local float part[tile][tile + padding];
    const int column = get_group_id(0) * tile, row = get_group_id(1) * tile, own = get_local_id(0);
    for (int r = get_local_id(1); r < tile; r += rows) part[r][own] = x[(row + r) * n + column + own];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int r = get_local_id(1); r < tile; r += rows) y[(column + r) * n + row + own] = part[own][r];
}
)";
            out.launches = {{.entry = "transpose", .grid = {n / tile, n / tile, 1}, .block = {tile, rows, 1}}};
            return out;
        }};
}

void tune(const char* name)
{
    using tk::measure::find_opencl_device;  // asks in a child: this process stays without OpenCL
    const auto device = name != nullptr ? find_opencl_device(name) : find_opencl_device();
    std::vector<float> x(std::size_t{n} * n);
    std::vector<float> want(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(i % 65521);
        want[i % n * n + i / n] = x[i];
    }
    tk::measure::opencl_operands data;  // the kernel's parameters, in order
    data.input(std::span<const float>(x));
    data.output(std::span<const float>(want));

    const auto program = transposition();
    tk::measure::opencl_builder pool({.device = device});
    auto measure = tk::measure::opencl_measurer(program, std::move(pool), data, tk::measure::until_confident{},
                                                {.device = device});
    tk::random::philox gen(1);
    const auto found = tk::tune(program.space, measure, tk::search::annealing{}, {.trials = 6}, gen);
    for (const auto& t : found.trials()) {
        const auto c = program.space.at(t.candidate);
        std::printf("tile %2d, rows %2d, padding %d: ", tk::get<"tile">(c), tk::get<"rows">(c), tk::get<"padding">(c));
        if (t.measured.failed) std::printf("%s\n", t.measured.failed->message.c_str());
        else std::printf("%.1f us\n", 1e6 * t.measured.cost);
    }
    if (!found.found()) throw tk::error("no configuration works");
    const double best = found.incumbent().measured.cost;
    std::printf("%s: best %.1f us, %.2f GB/s\n", device.name.c_str(), 1e6 * best, 8e-9 * n * n / best);
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        tune(argc > 1 ? argv[1] : nullptr);
    } catch (const tk::measure::no_device& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 3;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}
