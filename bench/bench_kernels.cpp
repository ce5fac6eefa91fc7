// SPDX-License-Identifier: MIT
// Tuned kernels against oneDNN, OpenBLAS and Eigen, layer by layer: each form of a layer is tuned by the library's default strategy (or
// taken from a log), then the winners, the untuned configurations, every peer and the fastest tile run in interleaved rounds on the
// thread's CPU clock.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <kernel_table.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/any_conv2d_case.hpp"
#include "support/cpu_peers.hpp"
#include "support/cuda_rows.hpp"
#include "support/field.hpp"
#include "support/kernel_report.hpp"
#include "support/operators.hpp"
#include "support/program.hpp"
#include "support/tuned_form.hpp"
#include "tunekit/io/machine.hpp"
#include "tunekit/io/session.hpp"
#include "tunekit/kernels/workloads.hpp"

namespace {

namespace tk = tunekit;
using namespace tk::kernels;

struct settings {
    std::vector<std::string> networks{"resnet18"}, layers, forms;
    std::string device = "cpu", log, from_log;
    double seconds = 60;
    int rounds = 31;
    std::uint64_t seed = 1;
    bool json = false;
};

/// Square, one batch, tall and flat ones, a head's and a dense layer's.
constexpr std::array<gemm_layer, 7> products{{{"1024x1024x1024", {.m = 1024, .n = 1024, .k = 1024}},
                                              {"512x512x512", {.m = 512, .n = 512, .k = 512}},
                                              {"128x768x768", {.m = 128, .n = 768, .k = 768}},
                                              {"128x3072x768", {.m = 128, .n = 3072, .k = 768}},
                                              {"128x768x3072", {.m = 128, .n = 768, .k = 3072}},
                                              {"12x128x128x64", {.batch = 12, .m = 128, .n = 128, .k = 64}},
                                              {"1x1000x512", {.m = 1, .n = 1000, .k = 512}}}};
constexpr std::array<std::string_view, 6> known_forms{"direct", "nchw", "choice", "nchw_choice", "gemm", "dense"};

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
    std::function<std::deque<bench::form>()> forms;  // data and references are made where they are wanted
    std::function<std::vector<bench::contestant>()> peers;
    std::function<bench::row(const bench::cuda_settings&, tk::random::philox&)> on_cuda;
};

std::vector<job> jobs_of(const settings& set)
{
    std::vector<job> out;
    const auto wanted_layer = [&](std::string_view name) {
        return set.layers.empty() || std::find(set.layers.begin(), set.layers.end(), name) != set.layers.end();
    };
    const auto wanted = [forms = set.forms](std::string_view form) { return forms.empty() || std::find(forms.begin(), forms.end(), form) != forms.end(); };
    for (const auto& name : set.networks) {
        const network gemms{"gemm", {}, products};
        const network* const net = name == gemms.name ? &gemms : find_network(name);
        tk::require(net != nullptr, "unknown network '" + name + "', want resnet18, vgg16, alexnet, squeezenet, transformer, bert or gemm");
        const auto add = [&](const auto& layer, auto forms) {
            if (!wanted_layer(layer.name)) return;
            out.push_back({std::string(layer.name), layer.shape.flops(), std::move(forms), [s = layer.shape] { return bench::peers_of(s); },
                           [layer](const bench::cuda_settings& how, tk::random::philox& gen) { return bench::row_on_cuda(layer, how, gen); }});
        };
        for (const auto& layer : net->convolutions) {
            add(layer, [wanted, name = std::string(layer.name), s = layer.shape] {
                std::deque<bench::form> forms;
                if (wanted("direct")) forms.push_back(bench::form_of<programs::conv2d_operator>(name, "direct", s));
                if (wanted("nchw")) forms.push_back(bench::form_of<bench::nchw_operator>(name, "nchw", s));
                if (wanted("choice")) forms.push_back(bench::form_of<programs::any_conv2d_operator>(name, "choice", s));
                if (wanted("nchw_choice")) forms.push_back(bench::form_of<programs::any_nchw_operator>(name, "nchw_choice", s));
                return forms;
            });
        }
        for (const auto& layer : net->products) {
            add(layer, [wanted, name = std::string(layer.name), s = layer.shape] {
                std::deque<bench::form> forms;
                const bool dense = s.batch == 1 && s.m <= dense_kernel::most_rows;
                if (dense && wanted("dense")) forms.push_back(bench::form_of<programs::dense_operator>(name, "dense", s));
                if (!dense && wanted("gemm")) forms.push_back(bench::form_of<programs::gemm_operator>(name, "gemm", s));
                return forms;
            });
        }
    }
    for (const auto& name : set.layers) {
        tk::require(std::any_of(out.begin(), out.end(), [&](const job& j) { return j.layer == name; }), "unknown layer '" + name + "' of these networks");
    }
    return out;
}

/// The winners, the untuned, the peers and the peak, side by side.
bench::row compare(const job& j, const std::deque<bench::form>& forms, const std::vector<tk::index>& winners, int rounds)
{
    std::vector<bench::contestant> field;
    for (std::size_t f = 0; f < forms.size(); ++f) {
        field.push_back({forms[f].name, forms[f].plan(winners[f])});
        field.push_back({"untuned", forms[f].plan(forms[f].untuned)});
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
            out.comparisons.push_back({forms[f].name, std::string(r.group), std::string(r.against), bench::ratio_of(seconds[*best], seconds[2 * f]),
                                       r.peers.size() > 1 ? field[*best].name : std::string()});
        }
    }
    return out;
}

std::vector<bench::row> run_on_cpu(const settings& set, const std::vector<job>& jobs, const std::function<void(const bench::row&)>& show)
{
    std::vector<std::deque<bench::form>> forms;
    for (const job& j : jobs) forms.push_back(j.forms());
    using session = tk::io::session<tk::measure::wall_clock>;
    std::optional<session> log;
    if (!set.log.empty()) {
        tk::io::log_header header{.version = programs::version_text(), .machine = tk::io::machine_key(), .seed = set.seed, .strategy = "combined",
                                  .schedule = "sequential", .seconds = set.seconds, .batch = 8};
        for (const auto& of_layer : forms)
            for (const auto& f : of_layer) header.tasks.push_back({f.task(), f.space.size(), f.space.fingerprint()});
        log.emplace(set.log, header, tk::measure::wall_clock{}, session::options{});
    }
    const auto past = set.from_log.empty() ? std::nullopt : std::optional(tk::io::read_log(set.from_log));
    if (!set.json) std::printf("OpenBLAS runs as %s\n", openblas_get_corename());
    constexpr double race_share = 0.1;
    std::vector<bench::row> rows;
    std::size_t k = 0;
    for (std::size_t l = 0; l < jobs.size(); ++l) {
        std::vector<tk::index> winners;
        for (auto& f : forms[l]) {
            auto gen = tk::random::stream(set.seed, 0, k);
            const double seconds = (1 - race_share) * set.seconds;
            tk::tuning record;
            if (past) record.append(tk::io::trials_of(*past, f.task(), f.space), 0);
            else if (log) record = bench::tune_form(f, log->record(k, bench::lent_form{&f}), seconds, log->clock(), gen);
            else record = bench::tune_form(f, bench::lent_form{&f}, seconds, tk::measure::wall_clock{}, gen);
            if (log && log->failed()) throw tk::error(log->problem());
            winners.push_back(bench::winner_of(f, record, race_share * set.seconds));
            ++k;
        }
        rows.push_back(compare(jobs[l], forms[l], winners, set.rounds));
        show(rows.back());
    }
    return rows;
}

/// One thread each, and OpenBLAS told what it does not know; libraries read these when they are loaded, so start anew.
void begin_honestly(char** argv)
{
    if (std::getenv("TUNEKIT_BENCH_KERNELS") != nullptr) return;
    setenv("TUNEKIT_BENCH_KERNELS", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
#endif
    execv("/proc/self/exe", argv);
}

}  // namespace

int main(int argc, char** argv)
{
    begin_honestly(argv);
    settings set;
    CLI::App app("Tuned kernels against oneDNN, OpenBLAS and Eigen in one interleaved run.", "bench_kernels");
    app.add_option("--network", set.networks, "resnet18, vgg16, alexnet, squeezenet, transformer, bert, or gemm: seven products of all sizes")->delimiter(',')->capture_default_str();
    app.add_option("--layers", set.layers, "only these layers of the networks")->delimiter(',');
    app.add_option("--forms", set.forms, "only these: direct (blocked layouts), nchw, choice (of the algorithm, blocked), nchw_choice, gemm, dense")->delimiter(',');
    app.add_option("--seconds", set.seconds, "tuning of each form of each layer")->capture_default_str()->check(CLI::PositiveNumber);
    app.add_option("--rounds", set.rounds, "interleaved rounds of the comparison")->capture_default_str()->check(CLI::Range(3, 10000));
    app.add_option("--seed", set.seed, "seed of the search")->capture_default_str();
    app.add_option("--log", set.log, "file that takes one line per trial");
    app.add_option("--from-log", set.from_log, "take the best of this file instead of tuning");
    app.add_option("--device", set.device, "cpu, or cuda: templates on the first device against cuDNN and cuBLAS; status 3 without one")->capture_default_str();
    app.add_flag("--json", set.json, "print JSON");
    bool no_device = false;
    const int status = programs::run_program(app, argc, argv, [&] {
        tk::require(set.device == "cpu" || set.device == "cuda", "unknown device '" + set.device + "', want cpu or cuda");
        tk::require(set.log.empty() || set.from_log.empty(), "--log and --from-log are given, want one of them");
        for (const auto& f : set.forms) {
            tk::require(std::find(known_forms.begin(), known_forms.end(), f) != known_forms.end(), "unknown form '" + f + "', want direct, nchw, choice, nchw_choice, gemm or dense");
        }
        const auto jobs = jobs_of(set);
        const auto show = [&](const bench::row& r) {
            if (!set.json) bench::print_row(r);
        };
        std::vector<bench::row> rows;
        if (set.device == "cuda") {
            try {
                (void)tk::measure::find_cuda_device();
                for (std::size_t l = 0; l < jobs.size(); ++l) {
                    auto gen = tk::random::stream(set.seed, 0, l);
                    rows.push_back(jobs[l].on_cuda({.seconds = set.seconds, .rounds = set.rounds, .quiet = set.json}, gen));
                    show(rows.back());
                }
            } catch (const tk::measure::no_cuda&) {
                no_device = true;
                throw;
            }
        } else {
            rows = run_on_cpu(set, jobs, show);
        }
        if (set.json) std::printf("%s\n", bench::to_json(rows).c_str());
        else bench::print_summaries(rows);
    });
    return no_device ? 3 : status;
}
