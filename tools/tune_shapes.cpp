// SPDX-License-Identifier: MIT

// Tunes matrix products of many shapes on this machine within a budget, each shape from the winners of its neighbours.
//
// Leaves the results, which the next run adds to, and the header that a library is built with.
//
//     tune_shapes --seconds 60 --shapes 12 --results gemm.results --header gemm_choice.hpp
//     tune_shapes merge mine.results theirs.results --out all.results --header gemm_choice.hpp

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "packages/kernels/operators/gemm_family.hpp"
#include "packages/kernels/operators/operator_case.hpp"
#include "tools/support/program.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/dispatch/fit.hpp"
#include "tunekit/dispatch/header.hpp"
#include "tunekit/dispatch/json.hpp"
#include "tunekit/dispatch/load.hpp"
#include "tunekit/dispatch/merge.hpp"
#include "tunekit/dispatch/results_file.hpp"
#include "tunekit/dispatch/task_name.hpp"
#include "tunekit/dispatch/tune_shapes.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/in_process.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/processes/machine.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/combined.hpp"

namespace tk = tunekit;
namespace dispatch = tk::dispatch;

namespace {

/// Where choices go, and how many kernels they keep.
struct outputs {
    std::string header, c_header, choice, json, form, name = "gemm_choice";
    std::string form_text{};  ///< of the file `form`
    std::size_t kernels = 8;
};

struct settings {
    std::string results = "gemm.results", out;
    std::vector<std::string> merged;
    outputs to;
    double seconds = 60;
    std::size_t shapes = 12;
    std::uint64_t trials = tk::unlimited, seed = 1;
};

const std::vector<std::string> sizes{"m", "n", "k"};

std::string today()
{
    const std::time_t now = std::time(nullptr);
    char text[16];
    std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
    return text;
}

/// What is known already, or nothing yet. Throws where the file is of another kernel or space.
dispatch::results known(const std::string& path)
{
    const auto space = programs::gemm_family_space();
    const auto names = space.names();
    dispatch::results out{.kernel = "gemm",
                          .version = "1",
                          .fingerprint = space.fingerprint(),
                          .sizes = sizes,
                          .parameters = {names.begin(), names.end()}};
    if (::access(path.c_str(), F_OK) == 0) out.merge(dispatch::read_results(path));
    return out;
}

void print(const dispatch::results& all, const std::string& device)
{
    for (const auto& w : all.winners()) {
        if (w.device != device) continue;
        std::printf("%-24s best %10.2f us", all.text_of(w.at).c_str(), 1e6 * all.rows[w.best].seconds);
        if (w.untuned) std::printf(", untuned %10.2f us", 1e6 * all.rows[*w.untuned].seconds);
        std::printf("\n");
    }
}

void check(outputs& to)
{
    if (!to.form.empty()) {
        if (to.header.empty()) tk::invalid("--template is the form of what --header writes, want both");
        to.form_text = tk::io::read_text(to.form);
        static_cast<void>(dispatch::detail::mustache(to.form_text, to.form));
    }
    programs::check_file("--header", to.header);
    programs::check_file("--c-header", to.c_header);
    programs::check_file("--choice", to.choice);
    programs::check_file("--json", to.json);
}

/// Throws where no header can have that name, before anything is measured: a header of one shape is made and dropped.
void check_name(const outputs& to)
{
    const auto space = programs::gemm_family_space();
    const auto names = space.names();
    const dispatch::choice least{.kernel = "gemm",
                                 .sizes = sizes,
                                 .parameters = {names.begin(), names.end()},
                                 .configs = {{.values = std::vector<std::string>(names.size(), "1")}},
                                 .devices = {{.general = dispatch::rung::nearest, .shapes = {{.at = {1, 1, 1}}}}}};
    if (!to.form.empty())
        static_cast<void>(
            dispatch::detail::mustache(to.form_text, to.form).filled(dispatch::detail::template_data({&least, 1})));
    else if (!to.header.empty()) static_cast<void>(dispatch::header_text(least, {.name = to.name}));
    if (!to.c_header.empty())
        static_cast<void>(dispatch::header_text(least, {.name = to.name, .language = dispatch::header_options::c99}));
}

/// Fits a choice for each kernel, and writes them wherever they are wanted.
std::vector<dispatch::choice> chosen_into(const outputs& to, std::span<const dispatch::results> kernels)
{
    std::vector<dispatch::choice> out;
    for (const auto& all : kernels) out.push_back(dispatch::fit(all, {.max_kernels = to.kernels}));
    const auto header = [&](const std::string& path, dispatch::header_options::written_in in) {
        const dispatch::header_options how{.name = to.name, .language = in};
        if (path.empty()) return;
        if (out.size() == 1) dispatch::write_header(path, out.front(), how);
        else dispatch::write_header(path, std::span<const dispatch::choice>(out), how);
    };
    if (!to.form.empty()) dispatch::write_header(to.header, out, to.form_text, to.form);
    else header(to.header, dispatch::header_options::cpp17);
    header(to.c_header, dispatch::header_options::c99);
    if (!to.choice.empty()) dispatch::write_choice(to.choice, std::span<const dispatch::choice>(out));
    if (!to.json.empty()) dispatch::write_json(to.json, out);
    return out;
}

/// Merges the files, a kernel for itself each.
void merge(settings& s)
{
    programs::check_file("--out", s.out);
    check(s.to);
    std::map<std::string, std::vector<dispatch::results>> by_kernel;
    for (const std::string& path : s.merged) {
        auto one = dispatch::read_results(path);
        auto& same = by_kernel[one.kernel];
        try {  // alone with the first, so that the line names the file
            if (!same.empty()) static_cast<void>(dispatch::merge_all(std::vector{same.front(), one}));
        } catch (const tk::error& bad) {
            throw tk::error(path + ": " + (bad.what() + std::string_view("tunekit: ").size()));
        }
        same.push_back(std::move(one));
    }
    std::vector<dispatch::results> merged;
    for (const auto& [kernel, files] : by_kernel) {
        auto both = dispatch::merge_all(files);
        for (const std::string& line : both.left_out) std::printf("left out: %s\n", line.c_str());
        using tk::core::detail::counted;
        std::printf("%s: %s of %s, %s, %s\n", kernel.c_str(), counted(both.all.rows.size(), "row").c_str(),
                    counted(files.size(), "file").c_str(), counted(both.all.devices.size(), "device").c_str(),
                    counted(both.all.winners().size(), "shape").c_str());
        merged.push_back(std::move(both.all));
    }
    if (!s.out.empty() && merged.size() != 1)
        throw tk::error("--out takes the results of one kernel, and the files have " + std::to_string(merged.size()));
    if (!s.out.empty()) dispatch::write_results(s.out, merged.front());
    static_cast<void>(chosen_into(s.to, merged));
}

void run(settings& s)
{
    programs::check_file("--results", s.results);
    check(s.to);
    check_name(s.to);
    using product = programs::operator_case<programs::family_gemm_operator>;
    std::vector<std::unique_ptr<product>> products;  // tasks refer to them
    const auto make = [&](const dispatch::shape_sizes& at) {
        const tk::kernels::gemm_shape shape{
            .m = static_cast<int>(at[0]), .n = static_cast<int>(at[1]), .k = static_cast<int>(at[2])};
        products.push_back(std::make_unique<product>(shape));
        product& on = *products.back();
        tk::task t(dispatch::task_name("gemm", sizes, at), on.space(),
                   tk::measure::in_process(on.space(),
                                           tk::measure::timed{on.kernel(),
                                                              tk::measure::until_confident{
                                                                  .standard_error = 0.02, .group = 3, .max_runs = 30},
                                                              on.check(), tk::measure::thread_clock{}}),
                   shape.flops());
        t.begin_with({on.default_index()});
        return t;
    };
    std::vector<dispatch::shape_sizes> family;
    for (const auto& shape : programs::gemm_family())
        if (family.size() < s.shapes) family.push_back({shape.m, shape.n, shape.k});

    tk::random::philox gen(s.seed);
    const std::string device = to_text(tk::this_machine());
    dispatch::results all = known(s.results);
    for (const auto& d : all.devices)
        if (tk::machine::is_old_name(d.device))
            std::printf("%s: its rows count as another machine's\n", tk::quoted_device(d.device).c_str());
    const std::size_t before = all.winners().size();
    all = dispatch::tune_shapes(std::move(all), family, make, tk::recipes::combined(),
                                {.device = device, .budget = {.seconds = s.seconds, .trials_per_task = s.trials}}, gen);
    all.set_date(device, today());
    print(all, device);  // first what cannot be had again
    programs::check_output();
    dispatch::write_results(s.results, all);
    const auto chosen = chosen_into(s.to, {&all, 1}).front();

    std::printf("%s, %zu of them new; %s kept\n", tk::core::detail::counted(all.winners().size(), "shape").c_str(),
                all.winners().size() - before, tk::core::detail::counted(chosen.configs.size(), "kernel").c_str());
    for (const auto& d : chosen.devices)
        for (const auto& score : d.scores)
            std::printf("  %-8s %.3f of each shape's best, worst %.3f\n", to_text(score.by).c_str(), score.share,
                        score.worst);
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    CLI::App app("Tunes matrix products of many shapes and writes a header that chooses among the winners.",
                 "tune_shapes");
    app.add_option("--seconds", s.seconds, "of all together")->check(CLI::PositiveNumber);
    app.add_option("--trials", s.trials, "of each shape at most")->check(CLI::PositiveNumber);
    app.add_option("--shapes", s.shapes, "of the family's 64, from the first; those in --results are left out")
        ->check(CLI::PositiveNumber);
    app.add_option("--results", s.results, "what is known; what is found is added")
        ->capture_default_str()
        ->type_name("FILE");
    app.add_option("--seed", s.seed)->check(programs::whole_number());
    CLI::App* const merging = app.add_subcommand(
        "merge", "Merges the results of contributors; what they contradict each other in is left out.");
    merging->add_option("files", s.merged, "results of one kernel, or of several")->required()->type_name("FILE");
    merging->add_option("--out", s.out, "the merged results of one kernel")->type_name("FILE");
    for (CLI::App* const a : {&app, merging}) {
        a->add_option("--kernels", s.to.kernels, "that a choice keeps at most")->check(CLI::PositiveNumber);
        a->add_option("--header", s.to.header, "the choice as a header for C++17")->type_name("FILE");
        a->add_option("--template", s.to.form, "what --header writes instead: this text, in the language of Mustache")
            ->type_name("FILE");
        a->add_option("--c-header", s.to.c_header, "the choice as a header for C99")->type_name("FILE");
        a->add_option("--choice", s.to.choice, "the choice as a file that dispatch::load reads")->type_name("FILE");
        a->add_option("--json", s.to.json, "the choice as JSON")->type_name("FILE");
        a->add_option("--name", s.to.name, "of the header's namespace, or what its names begin with in C")
            ->capture_default_str();
    }
    return programs::run_program(app, argc, argv, [&] { merging->parsed() ? merge(s) : run(s); });
}
