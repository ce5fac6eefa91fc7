// SPDX-License-Identifier: MIT
// Products in double precision, bfloat16 and bytes against OpenBLAS, Eigen and oneDNN: each form of a product is tuned by the library's
// default strategy, then the winners, the untuned configurations and every peer run in interleaved rounds on the thread's CPU clock.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/kernels/support/begin_honestly.hpp"
#include "bench/kernels/support/cpu_peers.hpp"
#include "bench/kernels/support/field.hpp"
#include "bench/kernels/support/kernel_report.hpp"
#include "bench/kernels/support/product_shapes.hpp"
#include "bench/kernels/support/tuned_form.hpp"
#include "packages/kernels/operators/pools.hpp"
#include "packages/kernels/operators/product_tasks.hpp"
#include "tools/support/program.hpp"
#include "tunekit/processes/stop_on_signal.hpp"
#include "tunekit/tune/tune_tasks.hpp"

namespace {

namespace tk = tunekit;
using namespace tk::kernels;

struct settings {
    std::vector<std::string> layers, forms{"bf16", "u8s8"};
    double seconds = 10;
    int rounds = 31;
    std::uint64_t seed = 1;
    bool json = false;
};

/// A format with B packed in the run or ahead of it, and what it is held against.
struct product_form {
    std::string_view name, format;
    programs::operator_task (*task)(const gemm_shape&, programs::packing, const programs::maybe_repetition&);
    programs::packing how;
    std::string_view against;  ///< the fastest of `peers`
    std::vector<std::string_view> peers;
};

const std::vector<product_form>& known_forms()
{
    using programs::packing;
    static const std::vector<product_form> all{
        {"fp64", "fp64", programs::fp64_task, packing::in_the_run, "best_peer", {"openblas_fp64", "eigen_fp64"}},
        {"fp64_packed", "fp64", programs::fp64_task, packing::ahead, "best_peer", {"openblas_fp64", "eigen_fp64"}},
        {"bf16", "bf16", programs::bf16_task, packing::in_the_run, "onednn", {"onednn_bf16"}},
        {"bf16_packed", "bf16", programs::bf16_task, packing::ahead, "onednn", {"onednn_bf16", "onednn_bf16_packed"}},
        {"u8s8", "u8s8", programs::u8s8_task, packing::in_the_run, "onednn", {"onednn_u8s8"}},
        {"u8s8_packed", "u8s8", programs::u8s8_task, packing::ahead, "onednn", {"onednn_u8s8", "onednn_u8s8_packed"}}};
    return all;
}

/// The winners, the untuned and the peers of their formats, side by side.
bench::row compare(const layer<gemm_shape>& layer, const std::vector<bench::form>& forms,
                   const std::vector<const product_form*>& known, const std::vector<tk::index>& winners, int rounds)
{
    std::vector<bench::contestant> field;
    std::vector<std::string_view> formats;
    for (std::size_t f = 0; f < forms.size(); ++f) {
        field.push_back({forms[f].name, forms[f].task.plan(winners[f])});
        field.push_back({"untuned", forms[f].task.plan(forms[f].task.untuned)});
        if (std::find(formats.begin(), formats.end(), known[f]->format) == formats.end())
            formats.push_back(known[f]->format);
    }
    const std::size_t first = field.size();
    for (const auto format : formats) {
        for (auto& peer : bench::format_peers_of(layer.shape, std::string(format))) field.push_back(std::move(peer));
    }
    const auto seconds = bench::interleaved(field, rounds);
    const auto rate = [&](std::size_t i) { return layer.shape.flops() / tk::stats::median(seconds[i]) / 1e9; };

    bench::row out{.layer = std::string(layer.name)};
    for (std::size_t i = first; i < field.size(); ++i) out.peers.emplace_back(field[i].name, rate(i));
    for (std::size_t f = 0; f < forms.size(); ++f) {
        out.ours.push_back({forms[f].name, forms[f].text(winners[f]), rate(2 * f), rate(2 * f + 1)});
        std::optional<std::size_t> best;
        for (std::size_t i = first; i < field.size(); ++i) {
            const auto& peers = known[f]->peers;
            const bool is = std::find(peers.begin(), peers.end(), field[i].name) != peers.end();
            if (is && (!best || rate(i) > rate(*best))) best = i;
        }
        if (!best) continue;
        out.comparisons.push_back({forms[f].name, forms[f].name, std::string(known[f]->against),
                                   bench::ratio_of(seconds[*best], seconds[2 * f]), field[*best].name});
    }
    return out;
}

/// Tunes the forms of one product, and compares them.
bench::row row_of(const settings& set, const layer<gemm_shape>& layer, const std::vector<const product_form*>& known,
                  const tk::stop_on_signal& stop)
{
    constexpr double race_share = 0.1;
    std::vector<bench::form> forms;
    std::vector<programs::operator_task> tasks;
    for (const auto* k : known) {
        forms.push_back(
            bench::form_of(std::string(layer.name), std::string(k->name),
                           k->task(layer.shape, k->how, tk::measure::any_repetition{bench::form_repetition})));
        tasks.push_back(forms.back().task);
    }
    auto pool = programs::pool_of(tasks, 1);
    std::vector<tk::task> tuned;
    for (const auto& f : forms) {
        tuned.emplace_back(f.title(), f.task.space, 1.0);
        tuned.back().begin_with({f.task.untuned});
    }
    const double seconds = (1 - race_share) * set.seconds;
    tk::random::philox gen(set.seed);
    const tk::plan found = tk::tune_tasks(
        tuned, pool, bench::form_recipe(seconds),
        tk::tasks_budget{.seconds = seconds * static_cast<double>(forms.size()), .slot_seconds = seconds}, gen,
        {.watch = stop});
    std::vector<tk::index> winners;
    for (std::size_t k = 0; k < forms.size(); ++k)
        winners.push_back(
            bench::winner_of(forms[k], pool.alone(0, k), found.tasks[k].record, race_share * set.seconds));
    return compare(layer, forms, known, winners, set.rounds);
}

}  // namespace

int main(int argc, char** argv)
{
    bench::begin_honestly(argv);
    settings set;
    CLI::App app("Tuned products in double precision, bfloat16 and bytes against OpenBLAS, Eigen and oneDNN.",
                 "bench_products");
    app.add_option("--layers", set.layers, "only these of the seven products, 512x512x512 for one")->delimiter(',');
    app.add_option("--forms", set.forms,
                   "fp64, bf16, u8s8, or with _packed behind the name: B is packed ahead of the run")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--seconds", set.seconds, "tuning of each form, and its comparison with the untuned one")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_option("--rounds", set.rounds, "interleaved rounds of the comparison")
        ->capture_default_str()
        ->check(CLI::Range(3, 10000));
    app.add_option("--seed", set.seed, "seed of the search")->check(programs::whole_number())->capture_default_str();
    app.add_flag("--json", set.json, "print JSON");
    const tk::stop_on_signal stop;
    const int status = programs::run_program(app, argc, argv, [&] {
        std::vector<const product_form*> forms;
        for (const auto& name : set.forms) {
            const auto& all = known_forms();
            const auto at = std::find_if(all.begin(), all.end(), [&](const product_form& f) { return f.name == name; });
            tk::require(at != all.end(),
                        "unknown form '" + name + "', want fp64, bf16, u8s8, or one of them with _packed");
            forms.push_back(&*at);
        }
        std::vector<bench::row> rows;
        for (const auto& layer : bench::product_shapes) {
            const auto wanted = [&](const std::string& name) { return name == layer.name; };
            if (!set.layers.empty() && std::none_of(set.layers.begin(), set.layers.end(), wanted)) continue;
            if (stop.heard() != 0) break;
            rows.push_back(row_of(set, layer, forms, stop));
            if (!set.json) bench::print_row(rows.back());
        }
        tk::require(!rows.empty(), "--layers names none of the products, want 1024x1024x1024 or another one");
        if (set.json) std::printf("%s\n", bench::to_json(rows).c_str());
        else bench::print_summaries(rows);
    });
    return status != 0 ? status : stop.status();
}
