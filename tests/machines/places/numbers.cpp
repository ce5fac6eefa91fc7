// SPDX-License-Identifier: MIT

// A program in the user's locale: every kind of text that the library writes and reads, for tests/machines/places.sh to compare.
//
//     numbers POINT RESULTS FOLDER
//
// POINT is the decimal point that the locale must have, RESULTS a file of results of products.

#include <clocale>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <limits>
#include <locale>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/dispatch/fit.hpp"
#include "tunekit/dispatch/header.hpp"
#include "tunekit/dispatch/load.hpp"
#include "tunekit/dispatch/results_file.hpp"
#include "tunekit/formats/space_file.hpp"
#include "tunekit/formats/t4.hpp"
#include "tunekit/kernels/autotvm/cuda_source.hpp"
#include "tunekit/measure/function.hpp"
#include "tunekit/online/winners_file.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/processes/program/readings.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/report/from_log.hpp"
#include "tunekit/report/page.hpp"
#include "tunekit/scoring/trajectory_file.hpp"
#include "tunekit/search/annealing.hpp"

namespace tk = tunekit;

namespace {

void write(const std::string& folder)
{
    const auto file = [&](std::string_view name) { return folder + '/' + std::string(name); };
    std::string said;
    const auto say = [&](std::string_view what, double x) {
        said += std::string(what) + ' ' + tk::core::text_of(x) + '\n';
    };

    // A space with decimals, and what a program printed.
    const auto space = tk::io::detail::parse_space_file(
        R"({"parameters": [{"name": "I", "values": [0.25, 0.5, 1.5]}, {"name": "tile", "values": [1, 2, 4]}],
            "constraints": ["I * tile >= 0.75 and tile < 3.5"]})",
        "space.json");
    say("configurations", static_cast<double>(space.space().size()));
    say("read", tk::measure::matched("took ([0-9.e+-]+) s")({.output = "took +1.25e-3 s\n"}));

    // A run with its log, read back, and its page.
    const auto all = space.space();
    tk::measure::function measure(
        all, [&](const auto& c) { return 0.5 + 0.125 * static_cast<double>(all.index_of(c).value()); });
    const std::string log = file("log");
    (void)tk::io::logged_run(log, all, measure, tk::search::annealing{}, {.trials = 4}, {.name = "n"});
    const auto back = tk::io::read_log(log);
    tk::tuning record;
    record.append(tk::io::trials_of(back, "n", all), 0);
    say("best", record.best_cost());
    std::remove(log.c_str());  // it has times

    tk::report::seen_run run{.title = "numbers"};
    tk::report::seen_task task{.name = "n", .size = 4, .parameters = {"tile"}};
    for (int i = 0; i < 40; ++i)
        task.trials.push_back({.candidate = static_cast<tk::index>(i),
                               .values = {std::to_string(i % 4)},
                               .measured = {.cost = 1e-3 * (1 + 0.37 * (i * 7 % 11)), .runs = 3, .run_seconds = 0.01},
                               .stamp = 0.3 * i});
    run.tasks.push_back(task);
    run.seconds = 12.5;
    tk::io::write_text(file("page.html"), tk::report::to_page(run, tk::report::findings_of(run)));

    // Files and generated code.
    const tk::scoring::trajectory path{
        .seconds = {0.5, 1.25}, .best = {std::numeric_limits<double>::infinity(), 0.0125}, .own = {1e-6, 2e-6}};
    tk::scoring::write_trajectories(file("path.csv"), std::vector{path});
    say("path", tk::scoring::read_trajectories(file("path.csv")).front().seconds.back());
    tk::io::t4_file t4;
    auto& result = t4.results.emplace_back();
    result.configuration = {{"I", 0.25}};
    result.runtimes = {1.5, 2.25};
    tk::io::write_t4(file("t4.json"), t4);
    say("t4", tk::io::read_t4(file("t4.json")).results.front().runtimes.back());
    const std::string line = tk::online::detail::to_line(
        {.of = {"k", "1", "d"}, .key = "m", .what = {.cost = 1.5, .runner_up_cost = 2.5, .default_cost = 3.5}});
    tk::io::write_text(file("winners"), line);
    say("winner", tk::online::detail::winner_line_of(line).value().what.cost);
    const auto product = tk::kernels::autotvm::winograd_cuda_template(tk::kernels::square_conv2d(64, 14, 64, 3, 1, 1));
    tk::io::write_text(file("kernel.cu"), product.source_of(product.space.at(0)).text);
    tk::io::write_text(file("said"), said);
}

void choose(const std::string& results, const std::string& folder)
{
    const auto chosen = tk::dispatch::fit(tk::dispatch::read_results(results), {.max_kernels = 8});
    tk::dispatch::write_header(folder + "/choice.hpp", chosen, {.name = "choice"});
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 4) return 2;
    try {
        if (std::setlocale(LC_ALL, "") == nullptr) throw tk::error("numbers: the locale is not there");
        std::locale::global(std::locale(""));
        if (std::string_view(std::localeconv()->decimal_point) != argv[1])
            throw tk::error(std::string("numbers: the decimal point is ") + std::localeconv()->decimal_point);
        write(argv[3]);
        choose(argv[2], argv[3]);
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
