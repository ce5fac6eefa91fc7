// SPDX-License-Identifier: MIT
// Kernels of CUDA C++ as data, on the emulated device.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "packages/devices/tests/support/kernel_arguments.hpp"
#include "tunekit/devices/kernel_pool.hpp"

namespace ms = tunekit::measure;
using ms::failure_kind;
using support::bytes_of;
using support::scaling;
using support::values_of;

namespace {

const ms::kernel_options emulated{.driver = TUNEKIT_EMULATED_CUDA, .nvrtc = TUNEKIT_EMULATED_CUDA};

ms::kernel_run ran(ms::kernel_problem what,
                   std::vector<std::pair<std::string, std::string>> values = {{"block_size_x", "32"}, {"factor", "2"}})
{
    what.iterations = 2;
    return ms::run_kernel(std::move(what), values, emulated, {.run_seconds = 30, .build_seconds = 60});
}

const std::string body = "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += factor * x[i]; }";

}  // namespace

TEST_CASE(
    "a kernel is found whatever its name is: plain, extern C, or a template in a namespace with parameters inside <>")
{
    for (const std::string before : {"__global__ void ", "extern \"C\" __global__ void "}) {
        const auto r = ran(scaling(before + "scale(float* y, const float* x, int n) " + body, 77));
        REQUIRE_MESSAGE(!r.measured.failed, r.measured.failed->message);
        CHECK(r.measured.batches.size() == 2);
        CHECK(values_of<float>(r.arrays[0]).back() == 154);
    }
    auto p = scaling(
        "namespace lab { template <class T, int tile> __global__ void scale(T* y, const T* x, int n) { "
        "static_assert(tile == 64, \"\"); " +
        body.substr(1) + " }");
    p.name = "lab::scale<kind, block_size_x * 2>";
    const auto r = ran(p, {{"block_size_x", "32"}, {"factor", "2"}, {"kind", "float"}});
    CHECK_MESSAGE(!r.measured.failed, r.measured.failed->message);
    p.macros = std::vector<std::pair<std::string, std::string>>{{"factor", "(1 + 1)"}};  // in place of all others
    CHECK_FALSE(ran(p, {{"block_size_x", "32"}, {"kind", "float"}}).measured.failed);
}

TEST_CASE("constant memory, dynamic shared memory, barriers and atomics")
{
    auto p = scaling(
        "__constant__ float weights[2];\n"
        "__global__ void scale(float* y, const float* x, int n) {\n"
        "    extern __shared__ float part[];\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x, own = threadIdx.x;\n"
        "    part[blockDim.x - 1 - own] = i < n ? weights[1] * x[i] : 0;\n"
        "    __syncthreads();\n"
        "    if (i < n) atomicAdd(&y[i], weights[0] + part[blockDim.x - 1 - own]);\n"
        "}\n");
    p.shared_bytes = "4 * block_size_x";
    p.constants = {{"weights", bytes_of(std::vector<float>{0, 2})}};
    const auto r = ran(p);
    CHECK_MESSAGE(!r.measured.failed, r.measured.failed->message);
    p.constants.front().symbol = "weight";
    CHECK_THROWS_WITH_AS(static_cast<void>(ran(p)), doctest::Contains("the text has no constant memory 'weight'"),
                         std::invalid_argument);
}

TEST_CASE("an unroll factor is a constant for #pragma unroll, and 0 removes the pragma")
{
    const auto p = scaling(
        "__global__ void scale(float* y, const float* x, int n) {\n"
        "    #pragma unroll loop_unroll_factor_i\n"
        "    for (int k = 0; k < 1; ++k) " +
        body + "\n#ifdef loop_unroll_factor_i\n#error a macro\n#endif\n}\n");
    for (const char* const by : {"0", "4"}) {
        const auto r = ran(p, {{"block_size_x", "32"}, {"factor", "2"}, {"loop_unroll_factor_i", by}});
        CHECK_MESSAGE(!r.measured.failed, r.measured.failed->message);
    }
}

TEST_CASE("what goes wrong on the device or in its compiler is a failure of that configuration")
{
    const auto kind = [](const ms::kernel_run& r) {
        return r.measured.failed ? r.measured.failed->kind : failure_kind::lost;
    };
    const std::string head = "__global__ void scale(float* y, const float* x, int n) ";
    CHECK(kind(ran(scaling(head + "{ y[0] = nothing; }"))) == failure_kind::build_error);
    CHECK(kind(ran(scaling(head + "{ int i = threadIdx.x; if (i < n - 1) y[i] = factor * x[i]; }"))) ==
          failure_kind::wrong_result);
    CHECK(kind(ran(scaling(head + body), {{"block_size_x", "2048"}, {"factor", "2"}})) == failure_kind::launch_error);
    auto p = scaling(head + body);
    p.flags = {"-O3"};
    CHECK(kind(ran(p)) == failure_kind::build_error);  // which NVRTC does not know
    p.flags = {"-std=c++14", "-DUSED"};
    CHECK(kind(ran(p)) == failure_kind::lost);  // none
}

TEST_CASE("registers, clocks and energy are numbers beside the time, of a device that takes a joule between two looks")
{
    auto p = scaling("__global__ void scale(float* y, const float* x, int n) " + body);
    p.iterations = 2;
    auto how = emulated;
    how.nvml = TUNEKIT_EMULATED_CUDA;
    const auto measured = [&] {
        return ms::run_kernel(p, {{"block_size_x", "32"}, {"factor", "2"}}, how,
                              {.run_seconds = 30, .build_seconds = 60})
            .measured;
    };
    CHECK(measured().values.size() == 0);
    how.sensed_seconds = 0.5;
    const auto m = measured();
    REQUIRE_MESSAGE(!m.failed, m.failed->message);
    REQUIRE(m.values.size() == 6);
    const std::vector<double> plain(m.values.begin(), m.values.begin() + 4);
    CHECK(plain == std::vector<double>{24, 1500, 2600, 41});
    CHECK(m.values[4] > 0);
    const double runs = 1 / m.values[5];  // between two looks
    CHECK(runs >= 1);
    CHECK(runs == doctest::Approx(std::round(runs)));
    how.nvml = "/no/nvml.so";
    const auto blind = measured();
    REQUIRE_MESSAGE(!blind.failed, blind.failed->message);
    CHECK(blind.values[0] == 24);
    CHECK(std::isnan(blind.values[5]));
    p.text += "#error no text\n";
    CHECK(measured().values.size() == 0);
    how.sensed_seconds = -1;
    CHECK_THROWS_WITH_AS(static_cast<void>(measured()), doctest::Contains("sensed_seconds is -1"),
                         std::invalid_argument);
}

TEST_CASE("the device has a name, and none is an error of its own")
{
    const auto on = ms::find_kernel_device(ms::kernel_language::cuda, emulated);
    CHECK(on.name == "Emulated Device");
    CHECK(on.threads == 1024);
    CHECK(on.architecture == "sm_90a");
    CHECK_THROWS_AS(static_cast<void>(ms::find_kernel_device(ms::kernel_language::cuda, {.driver = "/no/driver.so"})),
                    ms::no_device);
}
