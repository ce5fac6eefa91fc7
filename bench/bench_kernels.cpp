// SPDX-License-Identifier: MIT
// Tuned kernels against oneDNN, OpenBLAS and Eigen, layer by layer, in one process: a short search per layer, a final race among
// its best, then interleaved rounds of the winner and every peer on the thread's CPU clock, medians compared.

#include <cblas.h>
#include <time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <Eigen/Core>
#include <kernel_table.hpp>
#include <oneapi/dnnl/dnnl.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/cuda_peers.hpp"
#include "support/cuda_tasks.hpp"
#include "tunekit/kernels/conv2d.hpp"
#include "tunekit/kernels/conv2d_space.hpp"
#include "tunekit/kernels/gemm.hpp"
#include "tunekit/kernels/gemm_space.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/tune/tune.hpp"
#include "tunekit/version.hpp"

namespace {

namespace tk = tunekit;
using namespace tk::kernels;

double cpu_seconds()
{
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class F>
double seconds_of(F&& f)
{
    const double start = cpu_seconds();
    f();
    return cpu_seconds() - start;
}

double median(std::vector<double> v)
{
    std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
    return v[v.size() / 2];
}

std::vector<float> random_floats(std::size_t n, tk::random::philox& gen)
{
    std::vector<float> v(n);
    for (auto& f : v) f = static_cast<float>(2 * tk::random::uniform_01(gen) - 1);
    return v;
}

struct settings {
    std::string network = "resnet18", device = "cpu";
    std::vector<std::string> layers;
    int evaluations = 300;
    int rounds = 31;
    std::uint64_t seed = 1;
    bool json = false;
};

struct row {
    std::string layer, kind;
    double gflops = 0, default_gflops = 0, peak = 0;  // peak 0: not known
    std::vector<std::pair<std::string, double>> peers{};
    std::string config{};

    [[nodiscard]] double best_peer() const
    {
        double best = 0;
        for (const auto& p : peers) best = std::max(best, p.second);
        return best;
    }
};

/// Something that is timed: one call is one run.
struct contestant {
    std::string name;
    std::function<void()> run;
};

/// Median seconds of each contestant over interleaved rounds of about 5 ms each, after one warm-up.
std::vector<double> race(const std::vector<contestant>& field, int rounds)
{
    std::vector<int> runs;
    for (const auto& c : field) {
        c.run();
        runs.push_back(std::max(1, static_cast<int>(0.005 / std::max(1e-7, seconds_of(c.run)))));
    }
    std::vector<std::vector<double>> seconds(field.size());
    for (int r = 0; r < rounds; ++r) {
        for (std::size_t i = 0; i < field.size(); ++i) {
            field[i].run();  // the caches are this contestant's again
            const double s = seconds_of([&] {
                for (int k = 0; k < runs[i]; ++k) field[i].run();
            });
            seconds[i].push_back(s / runs[i]);
        }
    }
    std::vector<double> medians;
    for (auto& s : seconds) medians.push_back(median(std::move(s)));
    return medians;
}

/// The table's fastest tile on operands in the first-level cache: what `share_of_peak` refers to.
contestant peak_of(const tile_table& table, double& flops)
{
    static buffer x(1 << 12), w(1 << 13), y(1 << 12);
    const auto args_of = [&](const tile& t) {
        const int nr = t.nv * t.vl, depth = 2048 / nr;
        return tile_args{.x = x.data(), .w = w.data(), .y = y.data(), .x_row = depth, .w_step = nr, .y_row = nr,
                         .blocks = 8, .depth = depth, .unroll = 1};
    };
    const tile* best = nullptr;
    double best_rate = 0;
    for (const auto& t : table.tiles) {
        if (table.registers_for(t.mr, t.nv, t.vl) > table.registers) continue;
        const auto args = args_of(t);
        double least = 1;
        for (int r = 0; r < 20; ++r) least = std::min(least, seconds_of([&] { for (int k = 0; k < 100; ++k) t.run(args); }));
        const double rate = 2.0 * t.mr * t.nv * t.vl * args.depth * args.blocks * 100 / least;
        if (rate > best_rate) best_rate = rate, best = &t;
    }
    const auto args = args_of(*best);
    flops = 2.0 * best->mr * best->nv * best->vl * args.depth * args.blocks * 100;
    return {"peak", [run = best->run, args] { for (int k = 0; k < 100; ++k) run(args); }};
}

// --- peers -------------------------------------------------------------------------------------------------------------

dnnl::engine& cpu()
{
    static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

/// oneDNN's convolution with its own choice of layouts (`tag::any`), or plain ones; empty where it has no such algorithm.
std::function<void()> onednn(const conv2d_shape& s, dnnl::algorithm algorithm, dnnl::memory::format_tag tag)
{
    using dnnl::memory;
    const memory::dims x{s.batch, s.ci, s.height, s.width}, w{s.co, s.ci, s.kernel_h, s.kernel_w}, y{s.batch, s.co, s.oh(), s.ow()};
    const auto f32 = memory::data_type::f32;
    try {
        const dnnl::convolution_forward::desc desc(dnnl::prop_kind::forward_inference, algorithm, memory::desc(x, f32, tag),
                                                   memory::desc(w, f32, memory::format_tag::any), memory::desc(y, f32, tag),
                                                   {s.stride_h, s.stride_w}, {s.padding_h, s.padding_w}, {s.padding_h, s.padding_w});
        const dnnl::convolution_forward::primitive_desc plan(desc, cpu());
        struct state {
            dnnl::stream stream;
            dnnl::convolution_forward convolution;
            memory x, w, y;
        };
        const auto st = std::make_shared<state>(state{dnnl::stream(cpu()), dnnl::convolution_forward(plan), memory(plan.src_desc(), cpu()),
                                                      memory(plan.weights_desc(), cpu()), memory(plan.dst_desc(), cpu())});
        for (const memory* m : {&st->x, &st->w, &st->y}) {
            std::fill_n(static_cast<float*>(m->get_data_handle()), m->get_desc().get_size() / sizeof(float), 0.01F);
        }
        return [st] {
            st->convolution.execute(st->stream, {{DNNL_ARG_SRC, st->x}, {DNNL_ARG_WEIGHTS, st->w}, {DNNL_ARG_DST, st->y}});
            st->stream.wait();
        };
    } catch (const dnnl::error&) {
        return {};
    }
}

/// oneDNN's matrix product on plain row-major operands.
std::function<void()> onednn(const gemm_shape& s)
{
    using dnnl::memory;
    const auto tag = memory::format_tag::abc;
    const auto f32 = memory::data_type::f32;
    const dnnl::matmul::desc desc(memory::desc({s.batch, s.m, s.k}, f32, tag), memory::desc({s.batch, s.k, s.n}, f32, tag),
                                  memory::desc({s.batch, s.m, s.n}, f32, tag));
    const dnnl::matmul::primitive_desc plan(desc, cpu());
    struct state {
        dnnl::stream stream;
        dnnl::matmul product;
        memory a, b, c;
    };
    const auto st = std::make_shared<state>(state{dnnl::stream(cpu()), dnnl::matmul(plan), memory(plan.src_desc(), cpu()),
                                                  memory(plan.weights_desc(), cpu()), memory(plan.dst_desc(), cpu())});
    for (const memory* m : {&st->a, &st->b}) {
        std::fill_n(static_cast<float*>(m->get_data_handle()), m->get_desc().get_size() / sizeof(float), 0.01F);
    }
    return [st] {
        st->product.execute(st->stream, {{DNNL_ARG_SRC, st->a}, {DNNL_ARG_WEIGHTS, st->b}, {DNNL_ARG_DST, st->c}});
        st->stream.wait();
    };
}

void openblas(const gemm_shape& s, const float* a, const float* b, float* c)
{
    const auto d = dense_strides(s);
    for (int i = 0; i < s.batch; ++i) {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, s.m, s.n, s.k, 1, a + i * d.batch_a, s.k, b + i * d.batch_b, s.n, 0,
                    c + i * d.batch_c, s.n);
    }
}

void eigen(const gemm_shape& s, const float* a, const float* b, float* c)
{
    using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto d = dense_strides(s);
    for (int i = 0; i < s.batch; ++i) {
        Eigen::Map<matrix>(c + i * d.batch_c, s.m, s.n).noalias() =
            Eigen::Map<const matrix>(a + i * d.batch_a, s.m, s.k) * Eigen::Map<const matrix>(b + i * d.batch_b, s.k, s.n);
    }
}

// --- search ------------------------------------------------------------------------------------------------------------

constexpr std::size_t finalist_count = 12;

/// The least of the seconds of at least 4 ms and two runs; one run tells enough where it takes half as long again as the best so far.
template <class F>
double least_seconds(F&& run, double incumbent)
{
    run();
    double least = HUGE_VAL, sum = 0;
    for (int r = 0; r < 2 || sum < 0.004; ++r) {
        const double s = seconds_of(run);
        sum += s;
        least = std::min(least, s);
        if (least > 1.5 * incumbent) break;
    }
    return least;
}

/// The best indices of `space` by `cost(index, bound)`, best first: random draws for the first half of the evaluations, then steps
/// to a random neighbour of one of the best eight.
template <class Space, class Cost>
std::vector<tk::index> search(const Space& space, int evaluations, Cost&& cost, tk::random::philox& gen)
{
    std::map<tk::index, double> seen;
    std::vector<std::pair<double, tk::index>> ranking;
    for (int e = 0; e < evaluations; ++e) {
        tk::index i = space.sample(1, gen)[0];
        if (e >= evaluations / 2) {
            const auto pick = tk::random::uniform_index(std::min<std::size_t>(8, ranking.size()), gen);
            const auto kind = tk::random::uniform_index(2, gen) == 0 ? tk::space::neighbourhood::any_value : tk::space::neighbourhood::hamming_2;
            const tk::index from = ranking[pick].second;
            space.neighbours({&from, 1}, {&i, 1}, kind, gen);
        }
        if (seen.contains(i)) continue;
        const double c = cost(i, ranking.empty() ? HUGE_VAL : ranking[0].first);
        seen[i] = c;
        ranking.insert(std::upper_bound(ranking.begin(), ranking.end(), std::pair{c, i}), {c, i});
    }
    std::vector<tk::index> best;
    for (std::size_t k = 0; k < std::min<std::size_t>(finalist_count, ranking.size()); ++k) best.push_back(ranking[k].second);
    return best;
}

std::string text_of_config(const std::span<const std::string> names, const std::vector<std::string>& texts)
{
    std::string out;
    for (std::size_t j = 0; j < texts.size(); ++j) out += (j == 0 ? "" : " ") + names[j] + "=" + texts[j];
    return out;
}

row tune_convolution(const conv2d_layer& layer, const settings& set, tk::random::philox& gen)
{
    const auto& table = kernel_table();
    const auto& shape = layer.shape;
    const auto space = conv2d_space(shape, table);
    const auto x = random_floats(static_cast<std::size_t>(shape.inputs()), gen), w = random_floats(static_cast<std::size_t>(shape.weights()), gen);
    buffer in(x.size()), out(static_cast<std::size_t>(shape.outputs()) * 2);
    std::copy(x.begin(), x.end(), in.data());

    const auto best = search(space, set.evaluations, [&](tk::index i, double incumbent) {
        conv2d_kernel kernel(shape, conv2d_config_of(space.at(i)), table, w);
        if (kernel.output_size() > out.size()) return HUGE_VAL;
        return least_seconds([&] { kernel.run(in.data(), out.data()); }, incumbent);
    }, gen);

    std::vector<conv2d_kernel> finalists;
    for (const tk::index i : best) finalists.emplace_back(shape, conv2d_config_of(space.at(i)), table, w);
    std::vector<contestant> field;
    for (auto& k : finalists) field.push_back({"", [&k, &in, &out] { k.run(in.data(), out.data()); }});
    const auto finals = race(field, 11);
    const auto winner = static_cast<std::size_t>(std::min_element(finals.begin(), finals.end()) - finals.begin());

    auto& kernel = finalists[winner];
    std::vector<float> y(static_cast<std::size_t>(shape.outputs()));
    kernel.pack_input(x, {in.data(), in.size()});
    kernel.run(in.data(), out.data());
    kernel.unpack_output({out.data(), kernel.output_size()}, y);
    const double error = relative_error(y, reference_conv2d(shape, x, w));
    if (!(error < 1e-4)) throw tk::error("bench_kernels: the winner of " + std::string(layer.name) + " is wrong");

    conv2d_kernel plain(shape, default_config(shape, table), table, w);
    double peak_flops = 0;
    std::vector<contestant> all{{"tuned", [&] { kernel.run(in.data(), out.data()); }},
                                {"default", [&] { plain.run(in.data(), out.data()); }},
                                peak_of(table, peak_flops)};
    using dnnl::algorithm;
    using tag = dnnl::memory::format_tag;
    const std::vector<std::pair<std::string, std::function<void()>>> peers{
        {"onednn_direct", onednn(shape, algorithm::convolution_direct, tag::any)},
        {"onednn_auto", onednn(shape, algorithm::convolution_auto, tag::any)},
        {"onednn_winograd", onednn(shape, algorithm::convolution_winograd, tag::any)},
        {"onednn_nchw", onednn(shape, algorithm::convolution_direct, tag::nchw)},
    };
    for (const auto& [name, run] : peers) {
        if (run) all.push_back({name, run});
    }
    const auto seconds = race(all, set.rounds);
    row r{.layer = std::string(layer.name), .kind = "conv2d", .gflops = shape.flops() / seconds[0] / 1e9,
          .default_gflops = shape.flops() / seconds[1] / 1e9, .peak = peak_flops / seconds[2] / 1e9};
    for (std::size_t i = 3; i < all.size(); ++i) r.peers.emplace_back(all[i].name, shape.flops() / seconds[i] / 1e9);
    r.config = text_of_config(space.names(), space.texts(best[winner]));
    return r;
}

row tune_product(const gemm_layer& layer, const settings& set, tk::random::philox& gen)
{
    const auto& table = kernel_table();
    const auto& s = layer.shape;
    const auto space = gemm_space(s, table);
    const auto d = dense_strides(s);
    const auto floats = [&](std::ptrdiff_t n) { return random_floats(static_cast<std::size_t>(s.batch * n), gen); };
    const auto a = floats(d.batch_a), b = floats(d.batch_b);
    std::vector<float> c(static_cast<std::size_t>(s.batch * d.batch_c));

    const auto best = search(space, set.evaluations, [&](tk::index i, double incumbent) {
        gemm_kernel kernel(s, gemm_config_of(space.at(i)), table);
        return least_seconds([&] { kernel.run(a.data(), b.data(), c.data()); }, incumbent);
    }, gen);
    std::vector<gemm_kernel> finalists;
    for (const tk::index i : best) finalists.emplace_back(s, gemm_config_of(space.at(i)), table);
    std::vector<contestant> field;
    for (auto& k : finalists) field.push_back({"", [&] { k.run(a.data(), b.data(), c.data()); }});
    const auto finals = race(field, 11);
    const auto winner = static_cast<std::size_t>(std::min_element(finals.begin(), finals.end()) - finals.begin());
    auto& kernel = finalists[winner];
    kernel.run(a.data(), b.data(), c.data());
    if (!(relative_error(c, reference_gemm(s, a, b)) < 1e-4)) throw tk::error("bench_kernels: the winner of " + std::string(layer.name) + " is wrong");

    gemm_kernel plain(s, default_config(s, table), table);
    double peak_flops = 0;
    const std::vector<contestant> all{{"tuned", [&] { kernel.run(a.data(), b.data(), c.data()); }},
                                      {"default", [&] { plain.run(a.data(), b.data(), c.data()); }},
                                      peak_of(table, peak_flops),
                                      {"onednn", onednn(s)},
                                      {"openblas", [&] { openblas(s, a.data(), b.data(), c.data()); }},
                                      {"eigen", [&] { eigen(s, a.data(), b.data(), c.data()); }}};
    const auto seconds = race(all, set.rounds);
    row r{.layer = std::string(layer.name), .kind = "gemm", .gflops = s.flops() / seconds[0] / 1e9,
          .default_gflops = s.flops() / seconds[1] / 1e9, .peak = peak_flops / seconds[2] / 1e9};
    for (std::size_t i = 3; i < all.size(); ++i) r.peers.emplace_back(all[i].name, s.flops() / seconds[i] / 1e9);
    r.config = text_of_config(space.names(), space.texts(best[winner]));
    return r;
}

// --- CUDA --------------------------------------------------------------------------------------------------------------

std::vector<bench::cuda_peer> cuda_peers(tk::measure::cuda_session& gpu, tk::measure::cuda_operands& data, const conv2d_shape& s)
{
    return bench::cudnn_peers(gpu, data, s);
}
std::vector<bench::cuda_peer> cuda_peers(tk::measure::cuda_session& gpu, tk::measure::cuda_operands& data, const gemm_shape& s)
{
    return bench::cublas_peers(gpu, data, s);
}

/// A search over AutoTVM's template for the layer, then its winner, the untuned configuration and the peers side by side.
template <class Layer>
row tune_on_cuda(const Layer& layer, const char* kind, const settings& set, tk::random::philox& gen)
{
    const auto& shape = layer.shape;
    return programs::with_cuda_template(shape, false, true, [&](const auto& what, const auto& operands, const auto& want) {
        programs::cuda_tasks device;
        const std::size_t k = device.add(what, operands, want, tk::measure::until_confident{.standard_error = 0.02, .group = 3, .runs = 24});
        device.begin();
        struct measurer {
            programs::cuda_tasks* on;
            std::size_t k;
            std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits& l)
            {
                return on->measure(k, batch, l);
            }
        } measure{&device, k};
        const tk::index plain = programs::untuned_cuda(what);
        const bool plain_runs = measure.measure({&plain, 1}, {}).front().ok();
        const auto found = tk::tune(what.space, measure, tk::search::annealing{},
                                    {.trials = static_cast<std::uint64_t>(set.evaluations), .limits = {.abandon_factor = 3, .run_seconds = 5}}, gen);
        if (!found.found()) throw tk::error("bench_kernels: no configuration of " + std::string(layer.name) + " works");
        const tk::index best = found.incumbent().candidate;
        std::vector<std::pair<std::string, tk::index>> ours{{"tuned", best}};
        if (plain_runs) ours.emplace_back("default", plain);
        const auto others = [&](tk::measure::cuda_session& gpu, tk::measure::cuda_operands& data) {
            std::vector<programs::cuda_tasks::contestant> out;
            for (auto& peer : cuda_peers(gpu, data, shape))
                out.push_back({peer.name, [&gpu, run = peer.run, times = std::uint32_t{1}]() mutable {
                    const double one = gpu.seconds(times, run);
                    times = gpu.launches(one);
                    return one;
                }});
            return out;
        };
        row r{.layer = std::string(layer.name), .kind = kind};
        for (const auto& [name, seconds] : device.contest(k, ours, others, set.rounds)) {
            const double gflops = shape.flops() / seconds / 1e9;
            if (name == "tuned") r.gflops = gflops;
            else if (name == "default") r.default_gflops = gflops;
            else r.peers.emplace_back(name, gflops);
        }
        if (r.gflops == 0) throw tk::error("bench_kernels: the winner of " + std::string(layer.name) + " is wrong");
        const auto texts = what.space.texts(best);
        r.config = text_of_config(what.space.names(), texts);
        if (!set.json) std::printf("%s, %s\n", device.device().name.c_str(), device.conditions().text().c_str());
        return r;
    });
}

/// Products of all sizes: large, of a transformer's block, batched and small, and of one row.
constexpr std::array<gemm_layer, 7> products{{{"1024x1024x1024", {.m = 1024, .n = 1024, .k = 1024}},
                                              {"512x512x512", {.m = 512, .n = 512, .k = 512}},
                                              {"128x768x768", {.m = 128, .n = 768, .k = 768}},
                                              {"128x3072x768", {.m = 128, .n = 3072, .k = 768}},
                                              {"128x768x3072", {.m = 128, .n = 768, .k = 3072}},
                                              {"12x128x128x64", {.batch = 12, .m = 128, .n = 128, .k = 64}},
                                              {"1x1000x512", {.m = 1, .n = 1000, .k = 512}}}};

double geometric_mean(const std::vector<double>& v)
{
    double sum = 0;
    for (const double x : v) sum += std::log(x);
    return std::exp(sum / static_cast<double>(v.size()));
}

/// By peer: the geometric mean of our rate over its, on the rows that have it; `best_peer` against the best of each row.
std::vector<std::pair<std::string, double>> geomeans(const std::vector<row>& rows)
{
    std::map<std::string, std::vector<double>> ratios;
    for (const auto& r : rows) {
        for (const auto& [name, gflops] : r.peers) ratios[r.kind + "_vs_" + name].push_back(r.gflops / gflops);
        if (r.best_peer() > 0) ratios[r.kind + "_vs_best_peer"].push_back(r.gflops / r.best_peer());
        if (r.default_gflops > 0) ratios[r.kind + "_vs_default"].push_back(r.gflops / r.default_gflops);
    }
    std::vector<std::pair<std::string, double>> out;
    for (const auto& [name, v] : ratios) out.emplace_back(name, geometric_mean(v));
    return out;
}

void print_json(const std::vector<row>& rows)
{
    std::printf("{\"rows\": [");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& r = rows[i];
        std::printf("%s\n  {\"layer\": \"%s\", \"kind\": \"%s\", \"gflops\": %.3f, \"default_gflops\": %.3f, \"peers\": {", i == 0 ? "" : ",",
                    r.layer.c_str(), r.kind.c_str(), r.gflops, r.default_gflops);
        for (std::size_t p = 0; p < r.peers.size(); ++p) {
            std::printf("%s\"%s\": %.3f", p == 0 ? "" : ", ", r.peers[p].first.c_str(), r.peers[p].second);
        }
        std::printf("}");
        if (r.best_peer() > 0) std::printf(", \"ratio_best_peer\": %.4f", r.gflops / r.best_peer());
        if (r.peak > 0) std::printf(", \"share_of_peak\": %.4f", r.gflops / r.peak);
        std::printf(", \"config\": \"%s\"}", r.config.c_str());
    }
    std::printf("],\n \"geomeans\": {");
    bool first = true;
    for (const auto& [name, mean] : geomeans(rows)) {
        std::printf("%s\"%s\": %.4f", first ? "" : ", ", name.c_str(), mean);
        first = false;
    }
    std::printf("}}\n");
}

void print_header() { std::printf("%-15s %8s %8s %6s %8s  peers (GFLOP/s, ours over it)\n", "layer", "gflops", "default", "peak", "ratio"); }

void print_row(const row& r)
{
    std::printf("%-15s %8.1f %8.1f ", r.layer.c_str(), r.gflops, r.default_gflops);
    r.peak > 0 ? std::printf("%5.0f%% ", 100 * r.gflops / r.peak) : std::printf("%6s ", "-");
    r.best_peer() > 0 ? std::printf("%8.3f ", r.gflops / r.best_peer()) : std::printf("%8s ", "-");
    for (const auto& [name, g] : r.peers) std::printf(" %s %.1f (%.3f)", name.c_str(), g, r.gflops / g);
    std::printf("\n        %s\n", r.config.c_str());
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv)
{
    // One thread each, and OpenBLAS told what it does not know; libraries read these when they are loaded, so start anew.
    if (std::getenv("TUNEKIT_BENCH_KERNELS") == nullptr) {
        setenv("TUNEKIT_BENCH_KERNELS", "1", 1);
        setenv("OMP_NUM_THREADS", "1", 1);
        setenv("OPENBLAS_NUM_THREADS", "1", 1);
#if defined(__x86_64__)
        if (__builtin_cpu_supports("avx512f")) setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
#endif
        execv("/proc/self/exe", argv);
    }
    settings set;
    CLI::App app{"Tuned kernels against oneDNN, OpenBLAS and Eigen in one interleaved run"};
    app.set_version_flag("--version", std::to_string(TUNEKIT_VERSION_MAJOR) + "." + std::to_string(TUNEKIT_VERSION_MINOR) + "." + std::to_string(TUNEKIT_VERSION_PATCH));
    app.add_option("--network", set.network, "resnet18, vgg16, alexnet, squeezenet, transformer, bert, or gemm: seven products of all sizes")->capture_default_str();
    app.add_option("--layers", set.layers, "only these layers of the network")->delimiter(',');
    app.add_option("--evaluations", set.evaluations, "configurations tried per layer")->capture_default_str()->check(CLI::PositiveNumber);
    app.add_option("--rounds", set.rounds, "interleaved rounds of the comparison")->capture_default_str()->check(CLI::PositiveNumber);
    app.add_option("--seed", set.seed, "seed of the search")->capture_default_str();
    app.add_option("--device", set.device, "cpu, or cuda: AutoTVM's templates on the first device against cuDNN and cuBLAS; status 3 without one")->capture_default_str();
    app.add_flag("--json", set.json, "print JSON");
    try {
        app.parse(argc, argv);
        tk::require(set.device == "cpu" || set.device == "cuda", "bench_kernels: unknown device '" + set.device + "', want cpu or cuda");
        const network gemms{"gemm", {}, products};
        const network* const net = set.network == gemms.name ? &gemms : find_network(set.network);
        tk::require(net != nullptr, "bench_kernels: unknown network '" + set.network +
                                        "', want resnet18, vgg16, alexnet, squeezenet, transformer, bert or gemm");
        for (const auto& name : set.layers) {
            const auto is = [&](const auto& l) { return l.name == name; };
            tk::require(std::any_of(net->convolutions.begin(), net->convolutions.end(), is) || std::any_of(net->products.begin(), net->products.end(), is),
                        "bench_kernels: unknown layer '" + name + "' of " + set.network);
        }
        const auto wanted = [&](std::string_view name) {
            return set.layers.empty() || std::find(set.layers.begin(), set.layers.end(), name) != set.layers.end();
        };
        std::vector<row> rows;
        const auto add = [&](row r) {
            rows.push_back(std::move(r));
            if (!set.json) print_row(rows.back());
        };
        const bool cuda = set.device == "cuda";
        if (cuda) (void)tk::measure::find_cuda_device();  // before anything is printed
        if (!set.json && !cuda) std::printf("OpenBLAS runs as %s\n", openblas_get_corename());
        if (!set.json) print_header();
        std::uint64_t stream = 0;
        for (const auto& layer : net->convolutions) {
            auto gen = tk::random::stream(set.seed, 0, stream++);
            if (wanted(layer.name)) add(cuda ? tune_on_cuda(layer, "conv2d", set, gen) : tune_convolution(layer, set, gen));
        }
        for (const auto& layer : net->products) {
            auto gen = tk::random::stream(set.seed, 0, stream++);
            if (wanted(layer.name)) add(cuda ? tune_on_cuda(layer, "gemm", set, gen) : tune_product(layer, set, gen));
        }
        if (set.json) {
            print_json(rows);
        } else {
            for (const auto& [name, mean] : geomeans(rows)) std::printf("%-32s %.3f\n", name.c_str(), mean);
        }
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) return app.exit(e);
        std::fprintf(stderr, "%s\n", e.what());
        return 2;
    } catch (const std::invalid_argument& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 2;
    } catch (const tk::measure::no_cuda& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 3;
    }
    return 0;
}
