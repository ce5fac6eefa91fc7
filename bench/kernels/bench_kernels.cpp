// SPDX-License-Identifier: MIT
// Tuned kernels against oneDNN, OpenBLAS and Eigen, layer by layer: each form of a layer is tuned by the library's default strategy (or
// taken from a log), then the winners, the untuned configurations, every peer and the fastest tile run in interleaved rounds on the
// thread's CPU clock.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/kernels/support/begin_honestly.hpp"
#include "bench/kernels/support/cpu_peers.hpp"
#include "bench/kernels/support/cuda_rows.hpp"
#include "bench/kernels/support/field.hpp"
#include "bench/kernels/support/kernel_report.hpp"
#include "bench/kernels/support/product_shapes.hpp"
#include "bench/kernels/support/tuned_form.hpp"
#include "packages/kernels/operators/operator_task.hpp"
#include "packages/kernels/operators/pools.hpp"
#include "packages/kernels/table/kernel_table.hpp"
#include "tools/support/program.hpp"
#include "tunekit/kernels/workloads.hpp"
#include "tunekit/processes/stop_on_signal.hpp"
#include "tunekit/records/logged.hpp"

namespace {

namespace tk = tunekit;
using namespace tk::kernels;

struct settings {
    std::vector<std::string> networks{"resnet18"}, layers, forms;
    std::string device = "cpu", log, from_log;
    double seconds = 60;
    int rounds = 31;
    std::uint64_t seed = 1;
    bool json = false, resume = false, hopper = false;
};

/// The depthwise convolution of a square image: every channel has one kernel.
constexpr conv2d_shape square_depthwise(int channels, int size, int kernel, int stride, int padding)
{
    auto out = square_conv2d(channels, size, channels, kernel, stride, padding);
    out.groups = channels;
    return out;
}

/// The depthwise convolutions of MobileNet at 224 x 224, without its other layers.
/// Source: Howard et al. (2017), MobileNets, arXiv:1704.04861, table 1. Its last layer has stride 2 in print, but its
///         input and output are of one size, so it has stride 1.
constexpr std::array<layer<conv2d_shape>, 9> mobilenet_depthwise{{
    {"D1", square_depthwise(32, 112, 3, 1, 1), 1},
    {"D2", square_depthwise(64, 112, 3, 2, 1), 1},
    {"D3", square_depthwise(128, 56, 3, 1, 1), 1},
    {"D4", square_depthwise(128, 56, 3, 2, 1), 1},
    {"D5", square_depthwise(256, 28, 3, 1, 1), 1},
    {"D6", square_depthwise(256, 28, 3, 2, 1), 1},
    {"D7", square_depthwise(512, 14, 3, 1, 1), 5},
    {"D8", square_depthwise(512, 14, 3, 2, 1), 1},
    {"D9", square_depthwise(1024, 7, 3, 1, 1), 1},
}};

constexpr int dense_rows = 8;  // at most, of a product with a form of its own
constexpr std::array<std::string_view, 8> known_forms{"direct",    "nchw",           "choice", "nchw_choice",
                                                      "depthwise", "depthwise_nchw", "gemm",   "dense"};

/// What a form is held against: the fastest of these peers. Dense layers count among the products.
struct rival {
    std::string_view form, group, against;
    std::vector<std::string_view> peers;
};

const std::vector<rival>& rivals()
{
    static const std::vector<rival> all{
        {"direct", "direct", "onednn_blocked", {"onednn_direct"}},
        {"nchw", "nchw", "onednn_nchw", {"nchw_direct", "nchw_reordered"}},
        {"choice", "choice", "onednn_default", {"onednn_default"}},
        {"choice", "choice", "onednn_best", {"onednn_direct", "onednn_winograd"}},
        {"nchw_choice", "nchw_choice", "onednn_nchw_best", {"nchw_direct", "nchw_reordered", "nchw_winograd"}},
        {"depthwise", "depthwise", "onednn_blocked", {"onednn_direct"}},
        {"depthwise_nchw", "depthwise_nchw", "onednn_nchw", {"nchw_direct", "nchw_reordered"}},
        {"gemm", "product", "openblas", {"openblas"}},
        {"gemm", "product", "best_peer", {"onednn", "openblas", "eigen"}},
        {"dense", "product", "openblas", {"openblas"}},
        {"dense", "product", "best_peer", {"onednn", "onednn_packed", "openblas", "eigen"}},
    };
    return all;
}

/// A layer with what runs it.
struct job {
    std::string layer;
    double flops = 0;
    std::function<std::vector<bench::form>()> forms;  // data and references are made where they are wanted
    std::function<std::vector<bench::contestant>()> peers;
    std::function<bench::row(const bench::cuda_settings&, tk::random::philox&)> on_cuda;
};

std::vector<job> jobs_of(const settings& set)
{
    std::vector<job> out;
    const auto wanted_layer = [&](std::string_view name) {
        return set.layers.empty() || std::find(set.layers.begin(), set.layers.end(), name) != set.layers.end();
    };
    const auto wanted = [forms = set.forms](std::string_view form) {
        return forms.empty() || std::find(forms.begin(), forms.end(), form) != forms.end();
    };
    for (const auto& name : set.networks) {
        const network gemms{"gemm", {}, bench::product_shapes}, mobilenet{"mobilenet", mobilenet_depthwise, {}},
            large{"gemm-large", {}, bench::large_product_shapes};
        const network* const net = name == gemms.name       ? &gemms
                                   : name == large.name     ? &large
                                   : name == mobilenet.name ? &mobilenet
                                                            : find_network(name);
        tk::require(
            net != nullptr,
            "unknown network '" + name +
                "', want resnet18, vgg16, alexnet, squeezenet, mobilenet, transformer, bert, gemm or gemm-large");
        tk::require(net != &large || set.device == "cuda",
                    "--network gemm-large takes a processor minutes for each run, want --device cuda");
        tk::require(net != &mobilenet || set.device == "cpu",
                    "--network mobilenet has depthwise layers, which no template for CUDA takes, want --device cpu");
        const auto add = [&](const auto& layer, auto forms) {
            if (!wanted_layer(layer.name)) return;
            out.push_back({std::string(layer.name), layer.shape.flops(), std::move(forms),
                           [s = layer.shape] { return bench::peers_of(s); },
                           [layer](const bench::cuda_settings& how, tk::random::philox& gen) {
                               return bench::row_on_cuda(layer, how, gen);
                           }});
        };
        for (const auto& layer : net->convolutions) {
            add(layer, [wanted, name = std::string(layer.name), s = layer.shape] {
                std::vector<bench::form> forms;
                const auto form = [&](const char* what, auto task_of) {
                    return bench::form_of(name, what, task_of(s, tk::measure::any_repetition{bench::form_repetition}));
                };
                if (s.groups > 1) {
                    const auto depthwise = [](vectorise_mode vectorise) {
                        return [vectorise](const conv2d_shape& shape, const auto& how) {
                            return programs::depthwise_task(shape, vectorise, how);
                        };
                    };
                    if (wanted("depthwise")) forms.push_back(form("depthwise", depthwise(vectorise_mode::channel)));
                    if (wanted("depthwise_nchw"))
                        forms.push_back(form("depthwise_nchw", depthwise(vectorise_mode::pixel)));
                    return forms;
                }
                if (wanted("direct")) forms.push_back(form("direct", programs::conv2d_task));
                if (wanted("nchw")) forms.push_back(form("nchw", programs::nchw_task));
                if (wanted("choice")) forms.push_back(form("choice", programs::any_conv2d_task));
                if (wanted("nchw_choice")) forms.push_back(form("nchw_choice", programs::any_nchw_task));
                return forms;
            });
        }
        for (const auto& layer : net->products) {
            add(layer, [wanted, name = std::string(layer.name), s = layer.shape] {
                std::vector<bench::form> forms;
                const auto form = [&](const char* what, auto task_of) {
                    return bench::form_of(name, what, task_of(s, tk::measure::any_repetition{bench::form_repetition}));
                };
                const bool dense = s.batch == 1 && s.m <= dense_rows;
                if (dense && wanted("dense")) forms.push_back(form("dense", programs::dense_task));
                if (!dense && wanted("gemm")) forms.push_back(form("gemm", programs::gemm_task));
                return forms;
            });
        }
    }
    for (const auto& name : set.layers) {
        tk::require(std::any_of(out.begin(), out.end(), [&](const job& j) { return j.layer == name; }),
                    "unknown layer '" + name + "' of these networks");
    }
    return out;
}

/// The winners, the untuned, the peers and the peak, side by side.
bench::row compare(const job& j, std::span<const bench::form> forms, const std::vector<tk::index>& winners, int rounds)
{
    std::vector<bench::contestant> field;
    for (std::size_t f = 0; f < forms.size(); ++f) {
        field.push_back({forms[f].name, forms[f].task.plan(winners[f])});
        field.push_back({"untuned", forms[f].task.plan(forms[f].task.untuned)});
    }
    const std::size_t first = field.size();
    for (auto& peer : j.peers()) field.push_back(std::move(peer));
    const std::size_t last = field.size();
    const bench::peak peak = bench::peak_of(kernel_table());
    field.push_back(peak.runs);
    const auto seconds = bench::interleaved(field, rounds);
    const auto rate = [&](std::size_t i, double flops) { return flops / tk::stats::median(seconds[i]) / 1e9; };

    bench::row out{.layer = j.layer, .peak = rate(last, peak.flops)};
    for (std::size_t i = first; i < last; ++i) out.peers.emplace_back(field[i].name, rate(i, j.flops));
    for (std::size_t f = 0; f < forms.size(); ++f) {
        out.ours.push_back({forms[f].name, forms[f].text(winners[f]), rate(2 * f, j.flops), rate(2 * f + 1, j.flops)});
        for (const rival& r : rivals()) {
            if (r.form != forms[f].name) continue;
            std::optional<std::size_t> best;
            for (std::size_t i = first; i < last; ++i) {
                const bool is = std::find(r.peers.begin(), r.peers.end(), field[i].name) != r.peers.end();
                if (is && (!best || rate(i, 1) > rate(*best, 1))) best = i;
            }
            if (!best) continue;
            out.comparisons.push_back({forms[f].name, std::string(r.group), std::string(r.against),
                                       bench::ratio_of(seconds[*best], seconds[2 * f]),
                                       r.peers.size() > 1 ? field[*best].name : std::string()});
        }
    }
    return out;
}

/// What became of every form, each tuned for that long; logged where that is wanted.
std::vector<tk::tuning> tune_forms(const settings& set, const std::vector<bench::form>& forms,
                                   tk::measure::isolated_workers& pool, double seconds, const tk::stop_on_signal& stop)
{
    std::vector<tk::task> tasks;
    for (const auto& f : forms) {
        tasks.emplace_back(f.title(), f.task.space, 1.0);
        tasks.back().begin_with({f.task.untuned});
    }
    const tk::tasks_budget budget{.seconds = seconds * static_cast<double>(forms.size()), .slot_seconds = seconds};
    const auto how = bench::form_recipe(seconds);
    tk::random::philox gen(set.seed);
    const tk::plan found =
        set.log.empty()
            ? tk::tune_tasks(tasks, pool, how, budget, gen, {.watch = stop})
            : tk::io::logged_run(
                  set.log, tasks, pool, how, budget,
                  {.strategy = "combined", .schedule = "sequential", .seed = set.seed, .resume = set.resume},
                  {.watch = stop});
    std::vector<tk::tuning> out;
    for (const auto& entry : found.tasks) out.push_back(entry.record);
    return out;
}

std::vector<bench::row> run_on_cpu(const settings& set, const std::vector<job>& jobs,
                                   const std::function<void(const bench::row&)>& show, const tk::stop_on_signal& stop)
{
    constexpr double race_share = 0.1;
    const auto past = set.from_log.empty() ? std::nullopt : std::optional(tk::io::read_log(set.from_log));
    std::vector<bench::form> forms;
    std::vector<std::size_t> ends;  // of each job's forms
    for (const job& j : jobs) {
        for (auto& f : j.forms()) forms.push_back(std::move(f));
        ends.push_back(forms.size());
    }
    tk::require(!forms.empty(), "--forms leaves none of these layers a form, want others");
    std::vector<programs::operator_task> tasks;
    for (const auto& f : forms) tasks.push_back(f.task);
    auto pool = programs::pool_of(tasks, 1);
    if (!set.json) std::printf("OpenBLAS runs as %s\n", openblas_get_corename());
    std::vector<tk::tuning> records;
    if (past) {
        for (const auto& f : forms) records.emplace_back().append(tk::io::trials_of(*past, f.title(), f.task.space), 0);
    } else {
        records = tune_forms(set, forms, pool, (1 - race_share) * set.seconds, stop);
    }
    std::vector<bench::row> rows;
    std::size_t k = 0;
    for (std::size_t l = 0; l < jobs.size() && stop.heard() == 0; ++l) {
        const auto of_job = std::span<const bench::form>(forms).subspan(k, ends[l] - k);
        std::vector<tk::index> winners;
        for (; k < ends[l]; ++k)
            winners.push_back(bench::winner_of(forms[k], pool.alone(0, k), records[k], race_share * set.seconds));
        rows.push_back(compare(jobs[l], of_job, winners, set.rounds));
        show(rows.back());
    }
    return rows;
}

}  // namespace

int main(int argc, char** argv)
{
    bench::begin_honestly(argv);
    settings set;
    CLI::App app("Tuned kernels against oneDNN, OpenBLAS and Eigen in one interleaved run.", "bench_kernels");
    app.add_option(
           "--network", set.networks,
           "resnet18, vgg16, alexnet, squeezenet, mobilenet (its depthwise layers), transformer, bert, or gemm: "
           "seven products of all sizes; for cuda gemm-large: five of up to 8192 each way")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--layers", set.layers, "only these layers of the networks")->delimiter(',');
    app.add_option(
           "--forms", set.forms,
           "only these: direct (blocked layouts), nchw, choice (of the algorithm, blocked), nchw_choice, depthwise "
           "(blocked), depthwise_nchw, gemm, dense")
        ->delimiter(',');
    app.add_option("--seconds", set.seconds,
                   "tuning of each form of each layer, and its comparison with the untuned one")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_option("--rounds", set.rounds, "interleaved rounds of the comparison")
        ->capture_default_str()
        ->check(CLI::Range(3, 10000));
    app.add_option("--seed", set.seed, "seed of the search")->check(programs::whole_number())->capture_default_str();
    app.add_option("--log", set.log, "file that takes a line for each configuration that goes out and for each answer");
    app.add_flag("--resume", set.resume, "take up the run in the log");
    app.add_option("--from-log", set.from_log, "take the best of this file instead of tuning");
    app.add_option("--device", set.device,
                   "cpu, or cuda: templates on the first device against cuDNN and cuBLAS; status 3 without one")
        ->capture_default_str();
    app.add_flag("--hopper", set.hopper,
                 "cuda: products by the template for Hopper, which no device has run yet, where it applies");
    app.add_flag("--json", set.json, "print JSON");
    bool no_device = false;
    const tk::stop_on_signal stop;
    const int status = programs::run_program(app, argc, argv, [&] {
        tk::require(set.device == "cpu" || set.device == "cuda",
                    "unknown device '" + set.device + "', want cpu or cuda");
        tk::require(!set.hopper || set.device == "cuda", "--hopper is for a device, want --device cuda");
        tk::require(set.log.empty() || set.from_log.empty(), "--log and --from-log are given, want one of them");
        tk::require(!set.resume || !set.log.empty(), "--resume needs the log to resume, want --log FILE");
        for (const auto& f : set.forms) {
            tk::require(std::find(known_forms.begin(), known_forms.end(), f) != known_forms.end(),
                        "unknown form '" + f +
                            "', want direct, nchw, choice, nchw_choice, depthwise, depthwise_nchw, gemm or dense");
        }
        const auto jobs = jobs_of(set);
        const auto show = [&](const bench::row& r) {
            if (!set.json) bench::print_row(r);
        };
        std::vector<bench::row> rows;
        if (set.device == "cuda") {
            try {
                (void)tk::measure::find_cuda_device();
                for (std::size_t l = 0; l < jobs.size() && stop.heard() == 0; ++l) {
                    auto gen = tk::random::stream(set.seed, 0, l);
                    rows.push_back(jobs[l].on_cuda(
                        {.seconds = set.seconds, .rounds = set.rounds, .quiet = set.json, .hopper = set.hopper}, gen));
                    show(rows.back());
                }
            } catch (const tk::measure::no_device&) {
                no_device = true;
                throw;
            }
        } else {
            rows = run_on_cpu(set, jobs, show, stop);
        }
        if (set.json) std::printf("%s\n", bench::to_json(rows).c_str());
        else bench::print_summaries(rows);
    });
    return no_device ? 3 : status != 0 ? status : stop.status();
}
