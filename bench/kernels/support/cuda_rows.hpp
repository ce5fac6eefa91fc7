// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Layers on the first CUDA device: templates tuned and compared with cuDNN and cuBLAS.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/kernels/support/cuda_peers.hpp"
#include "bench/kernels/support/kernel_report.hpp"
#include "packages/kernels/operators/cuda_tasks.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/kernels/cuda/hopper_gemm.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/tune/tune.hpp"

namespace bench {

/// How layers are tuned on a device.
struct cuda_settings {
    double seconds = 60;
    int rounds = 31;
    bool quiet = false;   ///< say nothing of the device
    bool hopper = false;  ///< products by the template for Hopper, where it applies
};

inline constexpr tunekit::measure::until_confident on_device{.standard_error = 0.02, .group = 3, .max_runs = 24};

/// Tunes `what`, whose data is `data`, and enters it into the row beside the peers that `peers(gpu, operands)` gives.
template <class Template, class Peers>
void enter_on_cuda(row& r, const std::string& form, double flops, const Template& what,
                   const std::shared_ptr<tunekit::measure::cuda_operands>& data, const Peers& peers,
                   const cuda_settings& set, tunekit::random::philox& gen, double sheet = 0)
{
    using tunekit::index;
    programs::cuda_tasks device;
    const std::size_t k = device.add(what, data, on_device);
    device.begin();
    const index plain = programs::untuned_cuda(what);
    const bool plain_runs = device.pool().alone(0, k).measure({&plain, 1}, {}).front().ok();
    const auto found = tunekit::tune(
        what.space, device.pool(),
        tunekit::recipe{
            tunekit::search::annealing{}, tunekit::measure::fixed{}, {.abandon_factor = 3, .max_run_seconds = 5}, 8},
        {.seconds = set.seconds}, gen);
    if (!found.found()) throw tunekit::error("no configuration of " + r.layer + " works");
    const index best = found.incumbent().candidate;
    std::vector<std::pair<std::string, index>> ours{{"tuned", best}};
    if (plain_runs) ours.emplace_back("untuned", plain);
    const auto others = [&](tunekit::measure::cuda_session& gpu, tunekit::measure::cuda_operands& operands) {
        std::vector<programs::cuda_tasks::contestant> out;
        for (auto& peer : peers(gpu, operands))
            out.push_back({peer.name, [&gpu, run = peer.run, series = tunekit::measure::launch_series{}]() mutable {
                               return series(gpu, run);
                           }});
        return out;
    };
    entry e{.form = form, .config = {}, .sheet = sheet};
    std::vector<std::pair<std::string, double>> theirs;
    for (const auto& [name, seconds] : device.contest(k, ours, others, set.rounds)) {
        const double gflops = flops / seconds / 1e9;
        if (name == "tuned") e.gflops = gflops;
        else if (name == "untuned") e.untuned = gflops;
        else theirs.emplace_back(name, gflops);
    }
    if (e.gflops == 0) throw tunekit::error("the winner of " + r.layer + " is wrong");
    const auto names = what.space.names();
    const auto texts = what.space.texts(best);
    for (std::size_t j = 0; j < texts.size(); ++j) e.config += (j == 0 ? "" : " ") + names[j] + "=" + texts[j];
    for (const auto& [name, gflops] : theirs) {
        const double times = e.gflops / gflops;  // of medians: the device's rounds come without intervals
        r.comparisons.push_back({form, form, name, {times, times, times}});
        r.peers.emplace_back(form + "/" + name, gflops);
    }
    r.ours.push_back(std::move(e));
    if (!set.quiet) std::printf("%s, %s\n", device.device().name.c_str(), device.conditions().text().c_str());
}

/// AutoTVM's template for the layer.
template <class Shape>
void enter_autotvm(row& r, const Shape& shape, const cuda_settings& set, tunekit::random::philox& gen)
{
    programs::with_cuda_template(shape, false, true, [&](const auto& what, const auto& operands, const auto& want) {
        const auto data = std::make_shared<tunekit::measure::cuda_operands>();
        for (const auto& x : operands) data->input(std::span<const float>(x));
        programs::cuda_tasks::wanted(*data, want);
        const auto peers = [&](auto& gpu, auto& on) {
            if constexpr (requires { shape.ci; }) return cudnn_peers(gpu, on, shape);
            else return cublas_peers(gpu, on, shape);
        };
        enter_on_cuda(r, "autotvm", shape.flops(), what, data, peers, set, gen);
    });
}

/// GFLOP/s on dense tensor cores by NVIDIA's data sheets of A100 and H100, SXM: a part of the whole for each processor. 0: not known.
inline double sheet_of(const tunekit::measure::cuda_device& on, tunekit::kernels::cuda_arithmetic how)
{
    const int capability = 10 * on.major + on.minor;
    const double bf16 = capability == 80 ? 312e3 / 108 : capability == 90 ? 989.4e3 / 132 : 0;
    return on.processors * (how == tunekit::kernels::cuda_arithmetic::tf32 ? bf16 / 2 : bf16);
}

/// The operands of a product for tensor cores: every element is the upper half of a float, which TF32 holds as well, so that products are
/// exact and one reference serves both. B lies transposed. Rows of A repeat after 61 and those of B after 67, no part of any tile, so that
/// the reference takes a processor little time; a batch begins seven rows later than the one before.
inline std::shared_ptr<tunekit::measure::cuda_operands> tensor_operands(const tunekit::kernels::gemm_shape& s,
                                                                        tunekit::kernels::cuda_arithmetic how,
                                                                        bool narrow)
{
    const tunekit::kernels::gemm_shape few{.m = (std::min)(s.m, 61), .n = (std::min)(s.n, 67), .k = s.k};
    const auto k = static_cast<std::size_t>(s.k), few_m = static_cast<std::size_t>(few.m),
               few_n = static_cast<std::size_t>(few.n), batch = static_cast<std::size_t>(s.batch),
               m = static_cast<std::size_t>(s.m), n = static_cast<std::size_t>(s.n);
    const auto rounded = [](std::vector<float> x) {
        for (float& v : x) v = std::bit_cast<float>(std::bit_cast<std::uint32_t>(v) & 0xffff0000U);
        return x;
    };
    const auto a = rounded(programs::noise(std::int64_t{few.m} * s.k, 1)),
               b = rounded(programs::noise(std::int64_t{few.n} * s.k, 2));
    std::vector<float> turned(b.size());
    for (std::size_t j = 0; j < few_n; ++j)
        for (std::size_t i = 0; i < k; ++i) turned[i * few_n + j] = b[j * k + i];
    const auto product = tunekit::kernels::reference_gemm(few, a, turned);
    const auto out = std::make_shared<tunekit::measure::cuda_operands>();
    const auto input = [&](const std::vector<float>& some, std::size_t rows, std::size_t there) {
        std::vector<float> all;
        std::vector<std::uint16_t> halves;
        for (std::size_t l = 0; l < batch; ++l)
            for (std::size_t i = 0; i < rows; ++i)
                for (std::size_t c = 0; c < k; ++c) {
                    const float v = some[(i + 7 * l) % there * k + c];
                    if (how != tunekit::kernels::cuda_arithmetic::bf16) all.push_back(v);
                    else halves.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(v) >> 16));
                }
        if (halves.empty()) out->input(std::span<const float>(all));
        else out->input(std::span<const std::uint16_t>(halves));
    };
    input(a, m, few_m);
    input(b, n, few_n);
    std::vector<float> want;
    for (std::size_t l = 0; l < batch; ++l)
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j)
                want.push_back(product[(i + 7 * l) % few_m * few_n + (j + 7 * l) % few_n]);
    double largest = 0;
    for (const float x : product) largest = (std::max)(largest, std::fabs(static_cast<double>(x)));
    if (how == tunekit::kernels::cuda_arithmetic::bf16 && narrow)
        out->output_bfloat16(want, {.absolute = largest / 128});
    else programs::cuda_tasks::wanted(*out, want);
    return out;
}

/// A search over AutoTVM's template for the layer, then its winner, the untuned configuration and the peers side by side.
inline row row_on_cuda(const tunekit::kernels::layer<tunekit::kernels::conv2d_shape>& layer, const cuda_settings& set,
                       tunekit::random::philox& gen)
{
    row r{.layer = std::string(layer.name)};
    enter_autotvm(r, layer.shape, set, gen);
    return r;
}

/// The same for a product; from compute capability 8.0 on also the template for its device, in TF32 and BF16 against cuBLAS in the same. Of
/// large ones AutoTVM's template is left out, and BF16 is written as BF16.
inline row row_on_cuda(const tunekit::kernels::layer<tunekit::kernels::gemm_shape>& layer, const cuda_settings& set,
                       tunekit::random::philox& gen)
{
    using tunekit::kernels::cuda_arithmetic;
    row r{.layer = std::string(layer.name)};
    const bool large = layer.shape.flops() > 4e9;
    if (!large) enter_autotvm(r, layer.shape, set, gen);
    const auto device = tunekit::measure::find_cuda_device();
    if (device.major < 8) return r;
    for (const auto how : {cuda_arithmetic::tf32, cuda_arithmetic::bf16}) {
        if (how == cuda_arithmetic::bf16 && layer.shape.k % 2 != 0) continue;
        const bool narrow = large && how == cuda_arithmetic::bf16;
        const auto peers = [&](auto& gpu, auto& on) { return cublas_peers(gpu, on, layer.shape, how, narrow); };
        tunekit::kernels::with_cuda_gemm(
            device.architecture(), layer.shape, how,
            {.narrow = narrow, .processors = device.processors, .hopper = set.hopper},
            [&](const auto& what, const std::string& why) {
                if (!set.quiet) std::printf("%s\n", why.c_str());
                enter_on_cuda(r, how == cuda_arithmetic::tf32 ? "tf32" : "bf16", layer.shape.flops(), what,
                              tensor_operands(layer.shape, how, narrow), peers, set, gen, sheet_of(device, how));
            });
    }
    return r;
}

}  // namespace bench
