// SPDX-License-Identifier: MIT
// What only a device can show. Without one each test says `skipped: no ...`, which CTest takes as skipped.
#include <doctest/doctest.h>

#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tunekit/devices/cuda/measurer.hpp"
#include "tunekit/kernels/autotvm/cuda_source.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;
namespace ms = tunekit::measure;
using ms::failure_kind;

namespace {

std::optional<ms::cuda_device> device()
{
    try {
        return ms::find_cuda_device();
    } catch (const ms::no_device& e) {
        std::printf("skipped: %s\n", e.what());
        return std::nullopt;
    }
}

constexpr int length = 1 << 22;

/// y = 2 x, in one of several ways.
auto program()
{
    const tk::space::product space{tk::space::parameter<"threads">({64, 256}),
                                   tk::space::parameter<"mode">({"right", "wrong", "illegal", "endless"})};
    return ms::source_template{space, [](const auto& c) {
                                   const std::string mode = tk::get<"mode">(c);
                                   const int threads = tk::get<"threads">(c);
                                   ms::device_source out;
                                   out.text =
                                       "extern \"C\" __global__ void kernel(const float* x, float* y) {"
                                       " const int i = blockIdx.x * blockDim.x + threadIdx.x; ";
                                   if (mode == "illegal") out.text += "y += 1ull << 40; ";
                                   if (mode == "endless")
                                       out.text += "volatile const float* v = x; while (v[i] > -1.0f) ; ";
                                   out.text += mode == "wrong" ? "if (i != 4711) " : "";
                                   out.text += "y[i] = 2.0f * x[i]; } // " + std::to_string(threads);
                                   out.launches = {{.grid = {length / threads, 1, 1}, .block = {threads, 1, 1}}};
                                   return out;
                               }};
}

tk::index with(const auto& space, int threads, const char* mode)
{
    auto c = space.at(0);
    tk::get<"threads">(c) = threads;
    tk::get<"mode">(c) = mode;
    return space.index_of(c).value();
}

void fill(ms::cuda_operands& data)
{
    std::vector<float> x(length);
    std::vector<float> y(length);
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(i % 1009);
        y[i] = 2 * x[i];
    }
    data.input(std::span<const float>(x));
    data.output(std::span<const float>(y));
}

}  // namespace

TEST_CASE("kernels are launched, verified and timed; a fault costs one trial and tuning goes on")
{
    const auto on = device();
    if (!on) return;
    const auto what = program();
    ms::cuda_operands data;
    fill(data);
    for (const auto state : {ms::cache::warm, ms::cache::cold}) {
        auto measure = ms::cuda_measurer(what, ms::nvrtc_builder({.architecture = on->architecture()}), data,
                                         ms::until_confident{}, {.device = *on, .timing = {.state = state}});
        const auto one = [&](int threads, const char* mode) {
            const tk::index which = with(what.space, threads, mode);
            return measure.measure({&which, 1}, {.run_seconds = 5, .build_seconds = 60}).front();
        };
        const auto good = one(256, "right");
        REQUIRE_MESSAGE(good.ok(), good.failed->message);
        // 32 MiB to and from memory: no device does that in less than 1 us, and none takes a second.
        CHECK(good.cost > 1e-6);
        CHECK(good.cost < 1);
        for (const char* const mode : {"illegal", "endless", "wrong"}) {
            const auto bad = one(64, mode);
            REQUIRE(bad.failed);
            INFO(bad.failed->message);
            if (mode == std::string("illegal")) {
                CHECK(bad.failed->kind == failure_kind::launch_error);
                CHECK((bad.failed->code == 700 || bad.failed->code == 719));
            } else {
                CHECK(bad.failed->kind ==
                      (mode == std::string("endless") ? failure_kind::run_timeout : failure_kind::wrong_result));
            }
            const auto after = one(64, "right");
            REQUIRE_MESSAGE(after.ok(), after.failed->message);
        }
        std::printf("%s: %.2f us %s, %s\n", on->name.c_str(), 1e6 * good.cost,
                    state == ms::cache::warm ? "warm" : "cold", measure.running().conditions().text().c_str());
    }
}

TEST_CASE("the cubin's reader says of a kernel what the driver says")
{
    const auto on = device();
    if (!on) return;
    ms::nvrtc_builder pool({.architecture = on->architecture()});
    const std::string text =
        "extern \"C\" __global__ void __launch_bounds__(96) kernel(float* y, const float* x, int n) {"
        " __shared__ float t[777]; float s[60]; for (int i = 0; i < 60; ++i) s[i] = x[i * n]; t[threadIdx.x] = s[n];"
        " __syncthreads(); y[threadIdx.x] = t[95 - threadIdx.x] + s[n / 2]; }";
    pool.submit({{text}}, "kernel", 60);
    const std::string key = pool.cache().key({text}, "kernel");
    REQUIRE_FALSE(pool.wait(key).failed);
    const auto read = pool.cache().resources(key, "kernel");
    REQUIRE(read);
    ms::child_process child([&] {  // CUDA is not begun in this process
        ms::cuda_session gpu(on->index);
        const ms::detail::cuda_driver& cuda = gpu.cuda();
        ms::detail::cuda_driver::handle module = nullptr;
        ms::detail::cuda_driver::handle function = nullptr;
        cuda.check(cuda.module_load(&module, pool.cache().cubin(key).c_str()), "load");
        cuda.check(cuda.module_function(&function, module, "kernel"), "function");
        const auto ask = [&](int what) {
            int value = -1;
            cuda.check(cuda.function_attribute(&value, what, function), "attribute");
            return value;
        };
        std::printf("threads %d, shared %d, local %d, registers %d\n", ask(0), ask(1), ask(3), ask(4));
        std::fflush(stdout);
        return ask(0) == read->max_threads && ask(1) == static_cast<int>(read->shared_bytes) &&
                       ask(3) >= static_cast<int>(read->local_bytes) && ask(4) == read->registers
                   ? 0
                   : 1;
    });
    while (!child.advance()) {
    }
    CHECK_MESSAGE(child.status() == 0, child.text() << "read: " << read->max_threads << ", " << read->shared_bytes
                                                    << ", " << read->local_bytes << ", " << read->registers);
}

namespace {

/// 500 random configurations of one of ResNet-18's layers: what the static checks say and what the device says.
void refused_alike(const char* name)
{
    const auto on = device();
    if (!on) return;
    namespace at = tk::kernels::autotvm;
    constexpr at::cuda_limits none{
        .threads = 1 << 20, .threads_x = 1 << 20, .threads_y = 1 << 20, .threads_z = 1 << 20, .shared_bytes = 1 << 30};
    tk::random::philox gen(7);
    const tk::kernels::layer<tk::kernels::conv2d_shape>* layer = nullptr;
    for (const auto& l : tk::kernels::detail::resnet18)
        if (l.name == name) layer = &l;
    REQUIRE(layer != nullptr);
    const auto& s = layer->shape;
    std::vector<float> x(static_cast<std::size_t>(s.inputs()));
    std::vector<float> w(static_cast<std::size_t>(s.weights()));
    for (auto* const v : {&x, &w})
        for (float& f : *v) f = static_cast<float>(tk::random::uniform_01(gen) - 0.5);
    const auto want = tk::kernels::reference_conv2d(s, x, w);
    ms::cuda_operands data;
    data.input(std::span<const float>(x));
    data.input(std::span<const float>(w));
    data.output(std::span<const float>(want), {.absolute = 1e-3});
    const auto what = at::conv2d_cuda_template(s, none);
    auto measure = ms::cuda_measurer(what, ms::nvrtc_builder({.architecture = on->architecture()}), data,
                                     ms::until_confident{}, {.device = *on});
    int worked = 0, refused = 0, unbuilt = 0, registers = 0;
    const auto batch = what.space.sample(500, gen);  // at once, so that all compilers have work
    const tk::index* next = batch.data();
    measure.measure(batch, {.run_seconds = 5, .build_seconds = 30}, [&](const ms::measurement& m) {
        const tk::index i = *next++;
        const bool valid = !tk::kernels::detail::exceeds(tk::kernels::detail::conv2d_cuda_usage(s, what.space.at(i)));
        const std::string message = m.failed ? m.failed->message : "";
        if (m.failed && message.find("statements") != std::string::npos) {
            ++unbuilt;  // refused for the compiler's sake
        } else if (valid && m.failed) {
            INFO(name << " " << i << ": " << message);
            const bool slow =
                m.failed->kind == failure_kind::build_timeout || m.failed->kind == failure_kind::run_timeout;
            // Local memory is reserved for all threads that the device may hold: spills can take all there is.
            const auto& cache = measure.building().cache();
            const auto use = cache.resources(cache.key(what.source_of(what.space.at(i)), what.entry), what.entry);
            const bool spilled = m.failed->kind == failure_kind::out_of_memory && use && use->local_bytes > 0;
            CHECK((slow || spilled || message.find("registers") != std::string::npos));
            ++registers;
        } else {
            INFO(name << " " << i << ": " << message);
            CHECK(valid == m.ok());
            ++(valid ? worked : refused);
        }
    });
    CHECK(next == batch.data() + batch.size());
    std::printf(
        "%s: %d work, %d are refused by both, %d too large to build, %d valid but for registers, memory or time\n",
        name, worked, refused, unbuilt, registers);
}

}  // namespace

TEST_CASE("500 random configurations of R6: the static checks refuse what a device refuses") { refused_alike("R6"); }
TEST_CASE("500 random configurations of R12: the static checks refuse what a device refuses") { refused_alike("R12"); }
