// SPDX-License-Identifier: MIT

// Tries in a minute what tunekit needs of a CUDA device, and reports it.
//
// Driver, compiler, launches, clocks, faults, products and a convolution. The output is what to send with a report. Status 0: all
// is well; 1: something is not; 3: no device.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/devices/cuda.hpp"
#include "tunekit/kernels/autotvm/cuda_source.hpp"
#include "tunekit/kernels/cuda/hopper_gemm.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune.hpp"
#include "tunekit/version.hpp"

namespace tk = tunekit;
namespace ms = tunekit::measure;
using tk::kernels::cuda_arithmetic;

namespace {

int tried = 0, failed = 0;

/// One line of the report.
void report(bool good, const char* what, const std::string& how)
{
    ++tried;
    failed += good ? 0 : 1;
    std::printf("%-6s %-22s %s\n", good ? "ok" : "FAILED", what, how.c_str());
    std::fflush(stdout);
}

std::string text(const char* format, double a, double b = 0, double c = 0)
{
    char out[200];
    std::snprintf(out, sizeof out, format, a, b, c);
    return out;
}

ms::nvrtc_builder builder(const std::string& architecture)
{
    return ms::nvrtc_builder({.architecture = architecture, .program = "/proc/self/exe"});
}

constexpr int length = 1 << 22;

/// y = 2 x, and ways to get it wrong.
auto doubling()
{
    const tk::space::product space{tk::space::parameter<"mode">({"right", "wrong", "beyond", "illegal", "endless"})};
    return ms::source_template{space, [](const auto& c) {
                                   const std::string mode = tk::get<"mode">(c);
                                   ms::device_source out;
                                   out.text =
                                       "extern \"C\" __global__ void kernel(const float* x, float* y) {\n"
                                       "const int i = blockIdx.x * blockDim.x + threadIdx.x;\n";
                                   if (mode == "illegal") out.text += "y += 1ull << 40;\n";
                                   if (mode == "endless")
                                       out.text += "volatile const float* v = x;\nwhile (v[i] > -1.0f) ;\n";
                                   if (mode == "wrong") out.text += "if (i == 4711) return;\n";
                                   if (mode == "beyond")
                                       out.text += "if (i == 0) y[" + std::to_string(length) + "] = 1.0f;\n";
                                   out.text += "y[i] = 2.0f * x[i];\n}\n";
                                   out.launches = {{.grid = {length / 256, 1, 1}, .block = {256, 1, 1}}};
                                   return out;
                               }};
}

template <class Measurer>
ms::measurement one(Measurer& measure, tk::index which)
{
    return measure.measure(std::span<const tk::index>(&which, 1), {.run_seconds = 5, .build_seconds = 60}).front();
}

std::string outcome(const ms::measurement& m)
{
    return m.failed ? ms::to_text(m.failed->kind) + ": " + m.failed->message : text("%.2f us", 1e6 * m.cost);
}

/// Launches, events and faults, in the order of `doubling`'s modes.
void launches(const ms::cuda_device& device)
{
    const auto program = doubling();
    std::vector<float> x(length), y(length);
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(i % 1009);
        y[i] = 2 * x[i];
    }
    ms::cuda_operands data;
    data.input(std::span<const float>(x));
    data.output(std::span<const float>(y));
    for (const auto state : {ms::cache::warm, ms::cache::cold}) {
        auto measure = ms::cuda_measurer(program, builder(device.architecture()), data, ms::until_confident{},
                                         {.device = device, .timing = {.state = state}});
        const auto m = one(measure, 0);
        report(m.ok(), state == ms::cache::warm ? "launch, warm" : "launch, cold",
               outcome(m) +
                   (m.ok() ? text(", %.0f GB/s, spread %.1f %%", 8e-9 * length / m.cost, 100 * m.spread / m.cost) +
                                 ", " + measure.running().conditions().text()
                           : std::string()));
        if (state == ms::cache::cold) continue;
        const std::pair<const char*, ms::failure_kind> faults[] = {
            {"wrong element", ms::failure_kind::wrong_result},
            {"write past the end", ms::failure_kind::wrong_result},
            {"illegal address", ms::failure_kind::launch_error},
            {"endless loop", ms::failure_kind::run_timeout}};
        tk::index which = 0;
        for (const auto& [name, kind] : faults) {
            const auto bad = one(measure, ++which);
            const auto after = one(measure, 0);
            report(bad.failed && bad.failed->kind == kind && after.ok(), name,
                   outcome(bad) + "; then " + outcome(after));
        }
    }
    // Machine code of another generation is refused by the driver, which then compiles the PTX beside it.
    for (const int other : builder(device.architecture()).architectures())
        if (other / 10 < device.major) {
            const std::string name = "sm_" + std::to_string(other);
            auto measure = ms::cuda_measurer(program, builder(name), data, ms::until_confident{}, {.device = device});
            const auto m = one(measure, 0);
            report(m.ok(), "PTX", "built for " + name + ": " + outcome(m));
            return;
        }
    std::printf("       PTX                    not tried: the compiler knows no older generation\n");
}

/// What an empty kernel takes by events, in this process, which is the last to begin CUDA.
void events(const ms::cuda_device& device)
{
    auto pool = builder(device.architecture());
    const tk::space::product one{tk::space::parameter<"only">({1})};
    const ms::source_template empty{one, [](const auto&) {
                                        return ms::device_source{.text = "extern \"C\" __global__ void kernel() {}\n",
                                                                 .launches = {{}}};
                                    }};
    const auto only = one.at(0);
    pool.submit({empty.source_of(only)}, empty.entry, 60);
    static_cast<void>(pool.wait(pool.cache().key(empty.source_of(only), empty.entry)));
    ms::cuda_session gpu(device.index);
    ms::cuda_operands none;
    const auto kernel = ms::cuda_kernel(empty, pool.cache(), none, gpu);
    int version = 0;
    gpu.cuda().driver_version(&version);
    std::vector<double> idle, busy;
    double step = 1;
    for (int k = 0; k < 200; ++k) {
        for (const bool lead : {false, true}) {
            auto run = kernel(only);
            double seconds = run(0);
            if (lead) seconds = run(1);
            (lead ? busy : idle).push_back(seconds);
        }
    }
    std::sort(idle.begin(), idle.end());
    std::sort(busy.begin(), busy.end());
    for (std::size_t k = 1; k < idle.size(); ++k)
        if (idle[k] > idle[k - 1]) step = (std::min)(step, idle[k] - idle[k - 1]);
    report(idle[100] > 0 && busy[100] > 0, "events",
           text("an empty kernel takes %.2f us alone, %.2f us behind others; smallest step %.3f us", 1e6 * idle[100],
                1e6 * busy[100], 1e6 * step) +
               "; driver " + std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10));
}

std::vector<float> drawn(std::int64_t n, std::uint64_t seed)
{
    tk::random::philox gen(seed);
    std::vector<float> out(static_cast<std::size_t>(n));
    for (float& x : out) x = static_cast<float>(tk::random::uniform_01(gen) - 0.5);
    return out;
}

/// As the arithmetic reads it: TF32 to the nearest of 10 bits of fraction, ties away from zero; BF16 the upper half.
float as_read(float x, cuda_arithmetic how)
{
    const auto bits = std::bit_cast<std::uint32_t>(x);
    if (how == cuda_arithmetic::tf32) return std::bit_cast<float>((bits + 0x1000U) & 0xFFFFE000U);
    if (how == cuda_arithmetic::bf16) return std::bit_cast<float>(bits & 0xFFFF0000U);
    return x;
}

/// Operations per clock and multiprocessor, by NVIDIA's data sheets; 0 where this program does not know.
double peak_of(const ms::cuda_device& d, cuda_arithmetic how)
{
    const int capability = 10 * d.major + d.minor;
    if (how == cuda_arithmetic::fp32) return capability == 80 || d.major == 7 ? 128 : d.major >= 8 ? 256 : 0;
    const double tf32 = capability == 80 ? 1024 : capability == 90 ? 2048 : 0;
    return how == cuda_arithmetic::tf32 ? tf32 : 2 * tf32;
}

/// Tunes a template for some seconds: every configuration that runs is compared with the reference.
template <class Template>
void tuned(const char* name, const Template& what, const ms::cuda_device& device, ms::cuda_operands& data, double flops,
           cuda_arithmetic how)
{
    auto measure =
        ms::cuda_measurer(what, builder(device.architecture()), data, ms::until_confident{}, {.device = device});
    tk::random::philox gen(1);
    const tk::recipe plan{tk::search::annealing{}, ms::fixed{}, {.abandon_factor = 3, .max_run_seconds = 5}, 8};
    const auto found = tk::tune(what.space, measure, plan, {.seconds = 8}, gen);
    std::size_t wrong = 0, good = 0;
    std::string first;
    for (const auto& t : found.trials()) {
        good += t.measured.failed ? 0U : 1U;
        const bool bad = t.measured.failed && t.measured.failed->kind != ms::failure_kind::invalid &&
                         t.measured.failed->kind != ms::failure_kind::build_timeout && t.measured.failed->code != 701;
        if (bad && wrong++ == 0) first = "; " + outcome(t.measured);
    }
    const double rate = found.found() ? flops / found.incumbent().measured.cost : 0;
    const double clock = 1e6 * measure.running().conditions().max_mhz;
    const double peak = peak_of(device, how) * device.processors * clock;
    report(found.found() && wrong == 0, name,
           text("%.0f configurations verified, %.0f bad", static_cast<double>(good), static_cast<double>(wrong)) +
               first + text("; best %.2f TFLOP/s", 1e-12 * rate) +
               (peak > 0 ? text(", %.0f %% of the peak at %.0f MHz", 100 * rate / peak, 1e-6 * clock)
                         : ", peak not known"));
}

void products(const ms::cuda_device& device)
{
    const tk::kernels::gemm_shape s{.m = 1024, .n = 1024, .k = 1024};
    const auto a = drawn(std::int64_t{s.m} * s.k, 1), b = drawn(std::int64_t{s.n} * s.k, 2);
    const std::pair<const char*, cuda_arithmetic> all[] = {{"product, fp32", cuda_arithmetic::fp32},
                                                           {"product, TF32", cuda_arithmetic::tf32},
                                                           {"product, BF16", cuda_arithmetic::bf16}};
    for (const auto& [name, how] : all) {
        if (device.major < 8) {
            std::printf("       %-22s not tried: wants compute capability 8.0\n", name);
            continue;
        }
        std::vector<float> left(a.size()), turned(b.size());
        std::vector<std::uint16_t> halves[2];
        for (std::size_t i = 0; i < a.size(); ++i) left[i] = as_read(a[i], how);
        for (std::size_t j = 0; j < 1024; ++j)
            for (std::size_t k = 0; k < 1024; ++k) turned[k * 1024 + j] = as_read(b[j * 1024 + k], how);
        for (const float x : a) halves[0].push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x) >> 16));
        for (const float x : b) halves[1].push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(x) >> 16));
        const auto want = tk::kernels::reference_gemm(s, left, turned);
        ms::cuda_operands data;
        if (how == cuda_arithmetic::bf16) {
            for (const auto& h : halves) data.input(std::span<const std::uint16_t>(h));
        } else {
            data.input(std::span<const float>(a));
            data.input(std::span<const float>(b));
        }
        // Products of rounded operands are exact in fp32 but for fp32's own; 1024 sums of up to 1/4 stay far below this.
        data.output(std::span<const float>(want), {.absolute = 2e-4});
        tk::kernels::with_cuda_gemm(device.architecture(), s, how, {}, [&](const auto& what, const std::string& why) {
            std::printf("       %-22s %s\n", name, why.c_str());
            tuned(name, what, device, data, 2.0 * 1024 * 1024 * 1024, how);
        });
    }
}

/// Sampled products by the template for Hopper, where tiles stick out on all sides, against sums in double. Operands are the
/// upper halves of floats, which every arithmetic holds.
void hopper(const ms::cuda_device& device)
{
    const tk::kernels::gemm_shape s{.batch = 2, .m = 1000, .n = 514, .k = 520};
    auto a = drawn(std::int64_t{s.batch} * s.m * s.k, 5), b = drawn(std::int64_t{s.batch} * s.n * s.k, 6);
    std::vector<float> turned(b.size());
    for (auto* x : {&a, &b})
        for (float& f : *x) f = as_read(f, cuda_arithmetic::bf16);
    const auto n = static_cast<std::size_t>(s.n), k = static_cast<std::size_t>(s.k);
    for (std::size_t i = 0; i < b.size(); ++i) turned[i / (n * k) * n * k + i % k * n + i / k % n] = b[i];
    const auto want = tk::kernels::reference_gemm(s, a, turned);
    for (const auto& [name, how] :
         {std::pair("Hopper, TF32", cuda_arithmetic::tf32), std::pair("Hopper, BF16", cuda_arithmetic::bf16),
          std::pair("Hopper, FP16", cuda_arithmetic::fp16)})
        for (const bool narrow : {false, true}) {
            if (narrow && how == cuda_arithmetic::tf32) continue;
            ms::cuda_operands data;
            for (const auto* x : {&a, &b}) {
                std::vector<std::uint16_t> halves;
                for (const float f : *x)
                    halves.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(f) >> 16));
                if (how == cuda_arithmetic::tf32) data.input(std::span<const float>(*x));
                else if (how == cuda_arithmetic::bf16) data.input(std::span<const std::uint16_t>(halves));
                else data.input_half(*x);
            }
            // 520 sums of up to 1/4 in fp32; then a step of the narrow type.
            if (!narrow) data.output(std::span<const float>(want), {.absolute = 2e-4});
            else if (how == cuda_arithmetic::bf16)
                data.output_bfloat16(want, {.absolute = 2e-4, .relative = 1.0 / 128});
            else data.output_half(want, {.absolute = 2e-4, .relative = 1.0 / 1024});
            const auto what =
                tk::kernels::hopper_gemm_template(s, how, {.narrow = narrow, .processors = device.processors});
            auto measure =
                ms::cuda_measurer(what, builder(device.architecture()), data, ms::fixed{.runs = 3}, {.device = device});
            tk::random::philox gen(7);
            std::size_t good = 0;
            std::string first;
            const std::vector<tk::index> some = what.space.sample(32, gen);
            for (const auto& m : measure.measure(some, {.run_seconds = 2, .build_seconds = 30})) {
                good += m.ok() ? 1U : 0U;
                if (m.failed && first.empty()) first = "; " + outcome(m);
            }
            report(good == some.size(), name,
                   text("%.0f of %.0f configurations are right", static_cast<double>(good),
                        static_cast<double>(some.size())) +
                       (narrow ? ", written as 16 bits" : "") + first);
        }
}

void convolution(const ms::cuda_device& device)
{
    constexpr tk::kernels::conv2d_shape s = tk::kernels::square_conv2d(64, 56, 64, 3, 1, 1);
    const auto x = drawn(s.inputs(), 3), w = drawn(s.weights(), 4);
    const auto want = tk::kernels::reference_conv2d(s, x, w);
    ms::cuda_operands data;
    data.input(std::span<const float>(x));
    data.input(std::span<const float>(w));
    data.output(std::span<const float>(want), {.absolute = 2e-4});
    tuned("convolution, fp32", tk::kernels::autotvm::conv2d_cuda_template(s), device, data, s.flops(),
          cuda_arithmetic::fp32);
}

/// The same source by a fork and by a program that is started.
void compilers(const std::string& architecture)
{
    for (const char* const program : {"", "/proc/self/exe"}) {
        ms::nvrtc_builder pool({.architecture = architecture, .program = program});
        const ms::source s{"extern \"C\" __global__ void kernel(float* y) { y[threadIdx.x] = 1.0f; }\n"};
        pool.submit({s}, "kernel", 60);
        const std::string key = pool.cache().key(s, "kernel");
        const auto built = pool.wait(key);
        const auto use = pool.cache().resources(key, "kernel");
        report(!built.failed && use, *program == 0 ? "compiler, forked" : "compiler, started",
               built.failed ? built.failed->message
                            : "NVRTC " + pool.version() +
                                  text(", %.2f s, %.0f registers", built.seconds, use ? use->registers : 0));
    }
}

}  // namespace

int main(int argc, char** argv)
{
    ms::nvrtc_builder::serve(argc, argv);  // this program is the compiler that it starts
    const bool of_hopper = argc == 2 && std::strcmp(argv[1], "--hopper") == 0;
    if (argc > 1 && !of_hopper) {
        const bool help = std::strcmp(argv[1], "--help") == 0;
        std::fprintf(
            help ? stdout : stderr, "usage: cuda_self_test [--hopper]\n%s",
            "Tries what tunekit needs of the first CUDA device, in a minute. With --hopper it checks products by the\n"
            "template for compute capability 9.0, which no device has run yet, instead of all else.\n"
            "Status 0: all is well; 1: something is not; 3: no device.\n");
        return help ? 0 : 2;
    }
    try {
        const ms::cuda_device device = ms::find_cuda_device();
        std::printf(
            "tunekit %d.%d.%d, %s, compute capability %d.%d, %d multiprocessors, %.1f GiB, cache %.1f MiB, %s\n",
            TUNEKIT_VERSION_MAJOR, TUNEKIT_VERSION_MINOR, TUNEKIT_VERSION_PATCH, device.name.c_str(), device.major,
            device.minor, device.processors, static_cast<double>(device.memory_bytes) / (1 << 30),
            static_cast<double>(device.cache_bytes) / (1 << 20), device.bus.c_str());
        if (device.mode != 0)
            std::printf("       compute mode           exclusive: no other process may use the device\n");
        if (device.name.find("MIG") != std::string::npos)
            std::printf("       MIG                    a part of a GPU; clocks are those of the whole\n");
        if (std::getenv("CUDA_MPS_PIPE_DIRECTORY") != nullptr)
            std::printf("       MPS                    asked for: the faults tried below may end its other clients\n");
        if (of_hopper && device.architecture() != "sm_90a") {
            std::fprintf(stderr, "cuda_self_test: --hopper wants compute capability 9.0\n");
            return 3;
        }
        if (of_hopper) {
            hopper(device);
        } else {
            compilers(device.architecture());
            launches(device);
            products(device);
            convolution(device);
            events(device);
        }
    } catch (const ms::no_device& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 3;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    std::printf("%d of %d checks passed\n", tried - failed, tried);
    return failed == 0 ? 0 : 1;
}
