// SPDX-License-Identifier: MIT
// Kernels of CUDA C++ as data, on the emulated device.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "packages/devices/tests/support/kernel_arguments.hpp"
#include "tunekit/devices/kernel_pool.hpp"
#include "tunekit/space/value_product.hpp"

namespace tk = tunekit;
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

/// The emulated driver has devices of these names.
struct with_devices {
    explicit with_devices(const char* names) { REQUIRE(::setenv("TUNEKIT_EMULATED_DEVICES", names, 1) == 0); }
    ~with_devices() { ::unsetenv("TUNEKIT_EMULATED_DEVICES"); }
    with_devices(const with_devices&) = delete;
    with_devices& operator=(const with_devices&) = delete;
};

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

TEST_CASE("two equal devices run a configuration each at a time, with arrays, clocks and energy of their own")
{
    const with_devices two("Emulated Device,Emulated Device");
    const tk::space::value_product space(
        {{"factor", std::vector<int>{2, 3, 4, 5}}, {"block_size_x", std::vector<int>{32}}}, {});
    auto p = scaling("__global__ void scale(float* y, const float* x, int n) " + body);
    p.iterations = 1;
    p.arguments[0].answer.reset();
    std::vector<float> computed(4);
    p.verify = [&](tk::index i, const ms::kernel_arrays& arrays) -> std::optional<std::string> {
        computed[i] = values_of<float>({arrays[0].begin(), arrays[0].end()}).back();
        return std::nullopt;
    };
    auto how = emulated;
    how.devices = {0, 1};
    how.nvml = TUNEKIT_EMULATED_CUDA;
    how.sensed_seconds = 0.2;
    ms::kernel_pool pool(p, space, how);
    CHECK(pool.workers() == 2);
    const auto run_all = [&] {
        std::vector<tk::answer> out;
        for (tk::index next = 0; out.size() < 4;) {
            for (; next < 4 && pool.room() > 0; ++next) pool.submit({.ticket = tk::ticket{next}, .candidate = next});
            for (auto& a : pool.collect(60)) out.push_back(std::move(a));
        }
        return out;
    };
    static_cast<void>(run_all());  // now all is built, and none waits for a compiler
    computed.assign(4, 0);
    std::vector<std::size_t> ran_on(2);
    for (const tk::answer& a : run_all()) {
        REQUIRE(a.measured);
        REQUIRE_MESSAGE(!a.measured->failed, a.measured->failed->message);
        ++ran_on.at(a.worker);
        CHECK(a.measured->values[0] == 24 + static_cast<double>(a.worker));
        CHECK(a.measured->values[3] == 41 + static_cast<double>(a.worker));
    }
    CHECK(ran_on[0] >= 1);
    CHECK(ran_on[1] >= 1);
    CHECK(computed == std::vector<float>{200, 300, 400, 500});
    const tk::index first = 0;
    CHECK(pool.alone().measure({&first, 1}, {}).front().values[0] == 24);  // a race is on the first
}

TEST_CASE("devices that differ, that are not there, or that are named twice are refused in a line that names them")
{
    const with_devices two("Emulated Device,Other Device");
    const auto with = [](std::vector<int> devices) {
        auto how = emulated;
        how.devices = std::move(devices);
        return how;
    };
    using enum ms::kernel_language;
    const auto refused = [&](ms::kernel_language language, std::vector<int> devices, const char* why) {
        CHECK_THROWS_WITH(static_cast<void>(ms::find_kernel_device(language, with(std::move(devices)))),
                          doctest::Contains(why));
    };
    refused(
        cuda, {0, 1},
        "device 0 is Emulated Device (sm_90a, 4 processors), and 1 is Other Device (sm_90a, 4 processors), want equal "
        "ones");
    refused(cuda, {0, 0}, "device 0 twice, want each once");
    refused(cuda, {}, "no device, want the number of one or more");
    refused(cuda, {0, 2}, "no CUDA device 2: want 0 to 1");
    refused(cuda, {-1}, "no CUDA device -1: want 0 to 1");
    refused(c, {0, 1}, "a kernel in C runs on the processor, want one device");
    CHECK(ms::find_kernel_device(cuda, with({1})).name == "Other Device");
    const auto p = scaling("__global__ void scale(float* y, const float* x, int n) " + body);
    CHECK_THROWS_AS(ms::kernel_pool(
                        p, {}, [](tk::index) { return std::vector<std::string>(); }, with({0, 1})),
                    std::invalid_argument);
}

TEST_CASE("other processes that compute on a device are told, where NVML knows them")
{
    const with_devices two("Emulated Device,Emulated Device");
    REQUIRE(::setenv("TUNEKIT_EMULATED_USED", "1", 1) == 0);
    auto how = emulated;
    how.nvml = TUNEKIT_EMULATED_CUDA;
    const auto in_use = [&](std::vector<int> devices) {
        how.devices = std::move(devices);
        return ms::find_kernel_device(ms::kernel_language::cuda, how).in_use;
    };
    CHECK(in_use({0, 1}) == "device 1 is used by process 4242");  // and by this one, which is no other
    CHECK(in_use({0}).empty());
    how.nvml = "/no/nvml.so";
    CHECK(in_use({0, 1}).empty());
    REQUIRE(::unsetenv("TUNEKIT_EMULATED_USED") == 0);
}
