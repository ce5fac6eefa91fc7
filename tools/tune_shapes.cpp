// SPDX-License-Identifier: MIT

// Tunes matrix products of many shapes on this machine within a budget, each shape from the winners of its neighbours.
//
// Leaves the results, which the next run adds to, and the header that a library is built with.
//
//     tune_shapes --seconds 60 --shapes 12 --results gemm.results --header gemm_choice.hpp

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "packages/kernels/operators/gemm_family.hpp"
#include "packages/kernels/operators/operator_case.hpp"
#include "tools/support/program.hpp"
#include "tunekit/core/machine.hpp"
#include "tunekit/dispatch/fit.hpp"
#include "tunekit/dispatch/header.hpp"
#include "tunekit/dispatch/results_file.hpp"
#include "tunekit/dispatch/task_name.hpp"
#include "tunekit/dispatch/tune_shapes.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/in_process.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/combined.hpp"

namespace tk = tunekit;
namespace dispatch = tk::dispatch;

namespace {

struct settings {
    std::string results = "gemm.results", header, name = "gemm_choice";
    double seconds = 60;
    std::size_t shapes = 12, kernels = 8;
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
    for (const auto& w : dispatch::winners_of(all)) {
        if (w.device != device) continue;
        std::printf("%-24s best %10.2f us", dispatch::shape_text(sizes, w.at).c_str(), 1e6 * all.rows[w.best].seconds);
        if (w.untuned) std::printf(", untuned %10.2f us", 1e6 * all.rows[*w.untuned].seconds);
        std::printf("\n");
    }
}

void run(const settings& s)
{
    programs::check_file("--results", s.results);
    programs::check_file("--header", s.header);
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
        if (tk::is_old_machine_name(d.device))
            std::printf("%s: its rows count as another machine's\n", tk::quoted_device(d.device).c_str());
    const std::size_t before = dispatch::winners_of(all).size();
    all = dispatch::tune_shapes(std::move(all), family, make, tk::recipes::combined(),
                                {.device = device, .budget = {.seconds = s.seconds, .trials_per_task = s.trials}}, gen);
    all.set_date(device, today());
    print(all, device);  // first what cannot be had again
    programs::check_output();
    dispatch::write_results(s.results, all);
    const auto chosen = dispatch::fit(all, {.max_kernels = s.kernels});
    if (!s.header.empty()) dispatch::write_header(s.header, chosen, {.name = s.name});

    std::printf("%zu shapes, %zu of them new; %zu kernels kept\n", dispatch::winners_of(all).size(),
                dispatch::winners_of(all).size() - before, chosen.configs.size());
    for (const auto& d : chosen.devices)
        for (const auto& score : d.scores)
            std::printf("  %-8s %.3f of each shape's best, worst %.3f\n", to_text(score.by), score.share, score.worst);
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
    app.add_option("--kernels", s.kernels, "that the header keeps at most")->check(CLI::PositiveNumber);
    app.add_option("--results", s.results, "what is known; what is found is added")->capture_default_str();
    app.add_option("--header", s.header, "the choice as a C++ header");
    app.add_option("--name", s.name, "of the header's namespace")->capture_default_str();
    app.add_option("--seed", s.seed)->check(programs::whole_number());
    return programs::run_program(app, argc, argv, [&] { run(s); });
}
