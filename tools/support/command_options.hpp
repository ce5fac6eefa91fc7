// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The command line of tune_command: what it may say, and what `measure::program` makes of it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/support/program.hpp"
#include "tools/support/run_report.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/io/text.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/program/json_reading.hpp"
#include "tunekit/measure/program/program_options.hpp"
#include "tunekit/measure/program/readings.hpp"
#include "tunekit/tune/budget.hpp"

namespace programs {

struct command_options {
    std::string space, log, strategy = "combined", cost = "wall", check, untuned, t4, directory, result_file,
                            build_directory;
    std::vector<std::string> environment, files, numbers, build, command, start_from;
    double gain_below = 0, calls = 0;
    double seconds = 0, run_seconds = 60, build_seconds = 300, cpu_seconds = 0, tolerance = 0;
    std::uint64_t trials = 0, seed = 1;
    std::size_t workers = 1, builders = 0, memory_mib = 0, repeat = 0;
    std::string command_line;  // as it was given
    report_options report;
    bool resume = false, json = false, serve = false, unpinned = false;
};

/// Cuts a command in words at blanks; quotes keep some together. Nothing else is special: no shell sees it.
inline std::vector<std::string> words_of(const std::string& text, const std::string& option)
{
    std::vector<std::string> out;
    std::string word;
    bool begun = false;
    char quote = 0;
    for (const char c : text) {
        if (quote != 0) {
            if (c == quote) quote = 0;
            else word += c;
        } else if (c == '\'' || c == '"') {
            quote = c;
            begun = true;
        } else if (c == ' ' || c == '\t' || c == '\n') {
            if (begun) out.push_back(std::exchange(word, {}));
            begun = false;
        } else {
            word += c;
            begun = true;
        }
    }
    if (quote != 0) tunekit::invalid(option + " '" + text + "': a quote is not closed, want pairs");
    if (begun) out.push_back(word);
    return out;
}

/// The two parts of "A:B" or "A=B".
inline std::pair<std::string, std::string> parts_of(const std::string& text, char between, const std::string& option,
                                                    const char* want)
{
    const auto at = text.find(between);
    if (at == std::string::npos || at == 0) tunekit::invalid(option + " '" + text + "', want " + want);
    return {text.substr(0, at), text.substr(at + 1)};
}

/// wall, cpu, regex:EXPRESSION or json:/POINTER; none for the wall.
inline std::optional<tunekit::measure::reading> reading_of(const std::string& text, const std::string& option)
{
    namespace measure = tunekit::measure;
    if (text == "wall") return std::nullopt;
    if (text == "cpu") return measure::cpu_seconds{};
    if (text.starts_with("regex:")) return measure::matched(text.substr(6));
    if (text.starts_with("json:")) return measure::at_pointer(text.substr(5));
    tunekit::invalid(option + " '" + text + "' is unknown, want wall, cpu, regex:EXPRESSION or json:/POINTER");
}

/// What is to be measured, as it was asked for.
inline tunekit::measure::program_options program_of(const command_options& o)
{
    namespace measure = tunekit::measure;
    measure::program_options out{.command = o.command,
                                 .directory = o.directory,
                                 .build = o.build,
                                 .build_directory = o.build_directory,
                                 .result_file = o.result_file};
    if (out.build.size() == 1) out.build = words_of(out.build.front(), "--build");
    for (const std::string& e : o.environment) out.environment.push_back(parts_of(e, '=', "--env", "NAME=VALUE"));
    for (const std::string& f : o.files) {
        auto [from, to] = parts_of(f, ':', "--file", "TEMPLATE:OUT");
        out.files.push_back({std::move(from), std::move(to)});
    }
    out.cost = reading_of(o.cost, "--cost");
    for (const std::string& n : o.numbers) {
        auto [name, how] = parts_of(n, '=', "--number", "NAME=regex:EXPRESSION or NAME=json:/POINTER");
        auto read = reading_of(how, "--number");
        out.numbers.push_back({std::move(name), read ? *std::move(read) : measure::reading(measure::wall_seconds{})});
    }
    if (!o.check.empty()) {
        const auto [kind, what] = parts_of(o.check, ':', "--check", "status:N, output:FILE or command:WORDS");
        if (kind == "status") {
            const auto status = tunekit::core::number<int>(what);
            if (!status || *status < 0 || *status > 255)
                tunekit::invalid("--check 'status:" + what + "', want a number from 0 to 255 there");
            out.exit_status = *status;
        } else if (kind == "output") {
            out.check = measure::same_output{tunekit::io::read_text(what), {.relative = o.tolerance}};
        } else if (kind == "command") {
            out.check_command = words_of(what, "--check");
        } else {
            tunekit::invalid("--check '" + o.check + "' is unknown, want status:N, output:FILE or command:WORDS");
        }
    }
    constexpr std::size_t max_runs = std::numeric_limits<std::uint32_t>::max();
    constexpr std::size_t max_mib = std::numeric_limits<std::size_t>::max() >> 20;
    if (o.repeat > max_runs)
        tunekit::invalid("--repeat " + std::to_string(o.repeat) + ", want at most " + std::to_string(max_runs));
    if (o.memory_mib > max_mib)
        tunekit::invalid("--memory-mib " + std::to_string(o.memory_mib) + ", want at most " + std::to_string(max_mib));
    if (o.repeat > 0)
        out.repetition =
            measure::any_repetition(measure::fixed{.runs = static_cast<std::uint32_t>(o.repeat), .batch = 1});
    if (o.cpu_seconds > 0) out.cpu_seconds = o.cpu_seconds;
    out.memory_bytes = o.memory_mib << 20;
    out.workers = o.workers;
    out.builders = o.builders;
    out.pinned = !o.unpinned;
    return out;
}

/// The part of the budget that ends a run once it no longer pays, and whether its seconds are some.
inline void set_gain(tunekit::budget& limit, const command_options& o)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (!(o.seconds >= 0)) tunekit::invalid("--seconds " + std::to_string(o.seconds) + ", want 0 or more seconds");
    if (!(o.gain_below >= 0))
        tunekit::invalid("--stop-when-gain-below " + std::to_string(o.gain_below) +
                         ", want 0 or more seconds per second");
    if (!(o.calls >= 0 && o.calls < infinity))
        tunekit::invalid("--calls " + std::to_string(o.calls) + ", want how often the program will run");
    if (o.gain_below > 0 && o.calls == 0)
        tunekit::invalid(
            "--stop-when-gain-below needs --calls N, want how often the program will run with what is found");
    if (o.calls > 0 && o.gain_below == 0)
        tunekit::invalid("--calls is used by --stop-when-gain-below alone, want both");
    limit.stop_when_gain_below = o.gain_below;
    limit.calls = o.calls;
}

/// The options that say what is tuned, and how the program is run.
inline void describe_program(CLI::App& app, command_options& o)
{
    app.add_option("--space", o.space,
                   "file: our JSON, a T1 problem of Kernel Tuner or KTT, or a scenario of BaCO or HyperMapper")
        ->required()
        ->type_name("FILE");
    app.add_option("--seconds", o.seconds, "wall time of the run; 60 where no other end is given");
    app.add_option("--trials", o.trials, "configurations to measure")->check(whole_number());
    app.add_option(
        "--stop-when-gain-below", o.gain_below,
        "end where a second of tuning is expected to save fewer seconds of the calls than this; needs --calls");
    app.add_option("--calls", o.calls, "how often the program will run with what is found, for --stop-when-gain-below");
    app.add_option("--env", o.environment, "of the program's environment, with placeholders; may be repeated")
        ->allow_extra_args(false)
        ->type_name("NAME=VALUE");
    app.add_option("--file", o.files, "OUT is TEMPLATE with its placeholders filled in, before each configuration")
        ->allow_extra_args(false)
        ->type_name("TEMPLATE:OUT");
    app.add_option("--build", o.build,
                   "run first, once for the same arguments: words up to the next option, or all in one quoted text")
        ->type_name("WORD");
    app.add_option("--build-directory", o.build_directory, "where builds are kept for later runs")->type_name("FOLDER");
    app.add_option("--directory", o.directory, "where the program runs; {scratch} is a folder of its own")
        ->type_name("FOLDER");
    app.add_option("--result-file", o.result_file,
                   "file that the program writes its numbers to; else its output has them")
        ->type_name("FILE");
    app.add_option("--cost", o.cost, "wall, cpu, regex:EXPRESSION or json:/POINTER; positive, smaller is better")
        ->capture_default_str()
        ->type_name("READING");
    app.add_option("--number", o.numbers,
                   "NAME=regex:EXPRESSION or NAME=json:/POINTER: told beside the cost; may be repeated")
        ->allow_extra_args(false)
        ->type_name("NAME=READING");
    app.add_option("--check", o.check, "status:N, output:FILE (of a run that was right) or command:WORDS")
        ->type_name("CHECK");
    app.add_option("--tolerance", o.tolerance, "relative, for the numbers of --check output:FILE");
}

/// The options of tune_command, on `app`.
inline void describe(CLI::App& app, command_options& o)
{
    app.formatter(std::make_shared<help_format>("-- PROGRAM [ARGUMENT]..."));
    app.footer("Example: tune_command --space space.json --seconds 600 -- ./program --tile {tile}");
    describe_program(app, o);
    app.add_option("--default", o.untuned, "what is compared with; else the file's, else the first")
        ->type_name("NAME=VALUE,...");
    app.add_option("--workers", o.workers, "configurations at a time, each on processors of its own")
        ->check(whole_number())
        ->capture_default_str();
    app.add_option("--builders", o.builders, "configurations that build while others run, on processors of their own")
        ->check(whole_number());
    app.add_flag("--unpinned", o.unpinned, "workers share all processors");
    app.add_option("--repeat", o.repeat, "runs of each configuration; else 3 to 10, until the standard error is 2 %")
        ->check(whole_number());
    app.add_option("--run-seconds", o.run_seconds, "limit for all runs of one configuration")->capture_default_str();
    app.add_option("--build-seconds", o.build_seconds, "limit for one build")->capture_default_str();
    app.add_option("--cpu-seconds", o.cpu_seconds, "limit of processor time for each process of a run");
    app.add_option("--memory-mib", o.memory_mib, "limit of address space for each process of a run")
        ->check(whole_number());
    app.add_option("--seed", o.seed, "same seed, same proposals for the same measurements")
        ->check(whole_number())
        ->capture_default_str();
    app.add_option("--start-from", o.start_from,
                   "log, file of experience, or folder of them: what was measured before, here or elsewhere; may be "
                   "repeated")
        ->allow_extra_args(false)
        ->type_name("PATH");
    app.add_option("--log", o.log, "file that takes a line for everything that happens")->type_name("FILE");
    app.add_flag("--resume", o.resume, "take up the run in the log");
    o.report.describe(app);
    app.add_flag("--json", o.json, "print JSON");
    app.add_option("--t4", o.t4, "write every configuration as a T4 file")->type_name("FILE");
    app.add_flag("--serve", o.serve,
                 "answer who asks by BaCO's protocol on standard input and output; no program is run");
}

/// What follows `--build` up to the next option or `--` is taken out, as its words may begin with dashes; what follows `--` is
/// the command.
inline std::vector<std::string> split_command_line(const CLI::App& app, int argc, char** argv, command_options& o)
{
    std::vector<std::string> rest;
    bool building = false;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--") {
            o.command.assign(argv + i + 1, argv + argc);
            break;
        }
        const std::string name = word.substr(0, word.find('='));
        const bool known = word.starts_with("--") && (app.get_option_no_throw(name) != nullptr);
        if (word == "--build") {
            building = true;
        } else if (building && !known) {
            o.build.push_back(word);
        } else {
            building = false;
            rest.push_back(word);
        }
    }
    std::reverse(rest.begin(), rest.end());  // as CLI11 takes them
    return rest;
}

}  // namespace programs
