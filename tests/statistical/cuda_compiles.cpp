// SPDX-License-Identifier: MIT
// What the CUDA templates emit is CUDA C++, and takes of a block what the static checks say. Needs NVRTC, no device.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tunekit/devices/cuda/builder.hpp"
#include "tunekit/devices/cuda/cubin.hpp"
#include "tunekit/devices/cuda/session.hpp"
#include "tunekit/kernels/autotvm/cuda_source.hpp"
#include "tunekit/kernels/cuda/hopper_gemm.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace tk = tunekit;
namespace at = tunekit::kernels::autotvm;
namespace ms = tunekit::measure;
using tk::kernels::conv2d_shape;
using tk::kernels::gemm_shape;

namespace {

/// One configuration that a static check lets through.
struct candidate {
    ms::device_source source;
    tk::kernels::detail::cuda_usage use;
    std::string tuned;  // the entry that `use` is of
};

/// `n` of them. `use(config)` is the static check's own count.
template <class Template, class Usage>
std::vector<candidate> valid(const Template& t, Usage use, const std::string& tuned, std::size_t n)
{
    tk::random::philox gen(20);
    std::vector<candidate> out;
    while (out.size() < n) {
        const auto config = t.space.at(tk::random::uniform_index(t.space.size(), gen));
        try {
            out.push_back({t.text(config), use(config), tuned});
        } catch (const std::invalid_argument&) {
        }
    }
    return out;
}

bool toolkit()
{
    try {
        const ms::nvrtc_builder here;
        return true;
    } catch (const ms::no_device& e) {
        MESSAGE("left out: " << e.what());
        return false;
    }
}

/// Builds for two architectures. With `late`, as many may run out of time, which large configurations do.
void compiles(const char* name, const std::vector<candidate>& all, double seconds, std::size_t late = 0,
              const std::vector<std::string>& architectures = {"sm_80", "sm_90"})
{
    for (const std::string& architecture : architectures) {
        ms::nvrtc_builder pool({.architecture = architecture});
        std::vector<ms::source> sources;
        for (const candidate& c : all) sources.push_back({.text = c.source.whole()});
        pool.submit(sources, "kernel", seconds);
        std::size_t timeouts = 0;
        std::size_t spilled = 0;
        double total = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::string key = pool.cache().key(sources[i], "kernel");
            const auto built = pool.wait(key);
            total += built.seconds;
            if (built.failed && built.failed->kind == ms::failure_kind::build_timeout && ++timeouts <= late) continue;
            REQUIRE_MESSAGE(!built.failed, (built.failed ? built.failed->message + "\n" + sources[i].text : ""));
            for (const auto* part : {&all[i].source.prepare, &all[i].source.launches}) {
                for (const auto& l : *part) {
                    CAPTURE(l.entry);
                    CAPTURE(i);
                    const auto takes = pool.cache().resources(key, l.entry);
                    REQUIRE(takes);
                    CHECK(takes->max_threads == l.threads());
                    CHECK((l.threads() + 31) / 32 * 32 * takes->registers <= 65536);
                    if (l.entry != all[i].tuned) continue;
                    CHECK(l.threads() == all[i].use.threads());
                    CHECK(static_cast<std::int64_t>(takes->shared_bytes) + l.shared_bytes == all[i].use.shared_bytes);
                    spilled += takes->local_bytes > 0;
                }
            }
        }
        MESSAGE(std::string(name) << ", " << architecture << ": " << all.size() << " built in " << total << " s, "
                                  << timeouts << " out of time, " << spilled << " with local memory");
    }
}

template <class Shape>
auto direct(const Shape& s, std::size_t n)
{
    return valid(
        at::conv2d_cuda_template(s), [&](const auto& c) { return tk::kernels::detail::conv2d_cuda_usage(s, c); },
        "kernel", n);
}
template <class Shape>
auto winograd(const Shape& s, std::size_t n)
{
    return valid(
        at::winograd_cuda_template(s), [](const auto& c) { return tk::kernels::detail::winograd_cuda_usage(c); },
        "product", n);
}
template <class Shape>
auto batched(const Shape& s, std::size_t n)
{
    return valid(
        at::batched_gemm_cuda_template(s),
        [](const auto& c) { return tk::kernels::detail::batched_gemm_cuda_usage(c); }, "kernel", n);
}
template <class Shape>
auto dense_large(const Shape& s, std::size_t n)
{
    return valid(
        at::dense_large_cuda_template(s), [](const auto& c) { return tk::kernels::detail::dense_large_cuda_usage(c); },
        "kernel", n);
}
template <class Shape>
auto dense_small(const Shape& s, std::size_t n)
{
    return valid(
        at::dense_small_cuda_template(s), [](const auto& c) { return tk::kernels::detail::dense_small_cuda_usage(c); },
        "kernel", n);
}

template <class Shape>
auto modern(const Shape& s, tk::kernels::cuda_arithmetic how, std::size_t n)
{
    return valid(
        tk::kernels::cuda_gemm_template(s, how), [](const auto& c) { return tk::kernels::detail::cuda_gemm_usage(c); },
        "kernel", n);
}

template <class Shape>
auto hopper(const Shape& s, tk::kernels::cuda_arithmetic how, bool narrow, std::size_t n)
{
    return valid(
        tk::kernels::hopper_gemm_template(s, how, {.narrow = narrow}),
        [](const auto& c) {
            const auto t = tk::kernels::detail::hopper_tile_of(c);
            return tk::kernels::detail::cuda_usage{.threads_x = t.threads(), .shared_bytes = t.shared_bytes()};
        },
        "kernel", n);
}

}  // namespace

TEST_CASE("sampled configurations for Hopper compile for sm_90a to its own instructions, without local memory")
{
    if (!toolkit()) return;
    using tk::kernels::cuda_arithmetic;
    const bool disassembles = std::system("nvdisasm --version > /dev/null 2>&1") == 0;
    if (!disassembles) MESSAGE("the disassembly is left out: no nvdisasm");
    ms::nvrtc_builder pool({.architecture = "sm_90a"});
    for (const auto how : {cuda_arithmetic::tf32, cuda_arithmetic::bf16, cuda_arithmetic::fp16})
        for (const bool narrow : {false, true}) {
            const gemm_shape s{.batch = 2, .m = 1000, .n = narrow ? 514 : 513, .k = 520};
            const auto all = hopper(s, how, narrow, 6);
            compiles("hopper", all, 600, 0, {"sm_90a"});
            for (const candidate& c : all) {
                const ms::source source{.text = c.source.whole()};
                CAPTURE(source.text);
                pool.submit({source}, "kernel", 600);
                const std::string key = pool.cache().key(source, "kernel");
                REQUIRE(!pool.wait(key).failed);
                const auto takes = pool.cache().resources(key, "kernel");
                CHECK(takes->local_bytes == 0);
                // Where registers move later, all must be there from the start: who asks for what is not there waits for ever.
                const auto has = [&source](const std::string& part) {
                    return source.text.find(part) != std::string::npos;
                };
                const std::int64_t threads = c.source.launches[0].threads();
                const int resident = has("__launch_bounds__(" + std::to_string(threads) + ", 2)") ? 2 : 1;
                if (has("tk_registers_inc<")) CHECK(takes->registers == 65536 / (threads * resident) / 8 * 8);
                if (!disassembles) continue;
                const support::temporary_folder folder;
                std::ofstream(folder / "a.cubin") << pool.cache().cubin(key);
                const std::string all_of_it = "nvdisasm -c '" + (folder / "a.cubin") + "' | grep -c ";
                for (const char* const there : {"HGMMA", "UTMALDG"})
                    CHECK(std::system((all_of_it + there + " > /dev/null").c_str()) == 0);
                CHECK(std::system((all_of_it + "-E 'LDL|STL' > /dev/null").c_str()) != 0);
            }
        }
}

TEST_CASE("20 sampled configurations of each template compile for sm_80 and sm_90, and take what the static checks say")
{
    if (!toolkit()) return;
    using tk::kernels::cuda_arithmetic;
    const conv2d_shape s{
        .ci = 8, .height = 8, .width = 8, .co = 8, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1};
    compiles("direct",
             direct(conv2d_shape{.ci = 4, .height = 6, .width = 6, .co = 4, .kernel_h = 3, .kernel_w = 3}, 20), 600);
    compiles("winograd", winograd(s, 20), 600);
    compiles("batched", batched(gemm_shape{.batch = 2, .m = 32, .n = 32, .k = 32}, 20), 600);
    compiles("dense, large", dense_large(gemm_shape{.m = 128, .n = 128, .k = 64}, 20), 600);
    compiles("dense, small", dense_small(gemm_shape{.m = 4, .n = 100, .k = 768}, 20), 600);
    compiles("fp32", modern(gemm_shape{.m = 1000, .n = 512, .k = 520}, cuda_arithmetic::fp32, 20), 600);
    compiles("tf32", modern(gemm_shape{.m = 1000, .n = 512, .k = 520}, cuda_arithmetic::tf32, 20), 600);
    compiles("bf16", modern(gemm_shape{.m = 1000, .n = 512, .k = 520}, cuda_arithmetic::bf16, 20), 600);
}

// Half an hour of a core and more: layer R2, products of BERT and of 4096. Up to a fifth may run out of time, none may be refused.
TEST_CASE("study: 200 sampled configurations of each template compile for sm_80 and sm_90" * doctest::skip())
{
    if (!toolkit()) return;
    using tk::kernels::cuda_arithmetic;
    const conv2d_shape s = tk::kernels::square_conv2d(64, 56, 64, 3, 1, 1);
    compiles("direct", direct(s, 200), 120, 40);
    compiles("winograd", winograd(s, 200), 120, 40);
    compiles("batched", batched(gemm_shape{.batch = 12, .m = 128, .n = 128, .k = 64}, 200), 120, 40);
    compiles("dense, large", dense_large(gemm_shape{.m = 128, .n = 768, .k = 768}, 200), 120, 40);
    compiles("dense, small", dense_small(gemm_shape{.m = 1, .n = 1000, .k = 5040}, 200), 120, 40);
    for (const auto how : {cuda_arithmetic::fp32, cuda_arithmetic::tf32, cuda_arithmetic::bf16})
        compiles("modern", modern(gemm_shape{.m = 4096, .n = 4096, .k = 4096}, how, 200), 120, 40);
}
