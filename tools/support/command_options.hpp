// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The command line of tune_command: what it may say.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/support/program.hpp"
#include "tools/support/run_options.hpp"
#include "tools/support/run_report.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/tune/budget.hpp"

namespace programs {

struct command_options : run_options {
    std::string space, cost = "wall", check, untuned, known, seeds, retry_failed, race, t4, directory, result_file,
                       build_directory, serve, objective, powercap;
    std::optional<std::string> unit;
    std::vector<std::string> environment, files, numbers, build, command, goals;
    double gain_below = 0, calls = 0, until_gain = 0;
    double seconds = 0, run_seconds = 60, build_seconds = 300, cpu_seconds = 0, tolerance = 0;
    std::uint64_t trials = 0;
    std::size_t workers = 1, builders = 0, memory_mib = 0, repeat = 0;
    std::string command_line;  // as it was given
    report_options report;
    bool json = false, unpinned = false, maximize = false, keep_empty = false, dry_run = false, describe = false,
         check_always = false, rebuild = false;

    /// Whether the cost is a time that is measured here; who is served tells what he likes.
    [[nodiscard]] bool is_time() const
    {
        const bool of_the_cost = objective.empty() || objective == "cost" || objective.starts_with("cost where ");
        return serve.empty() && (cost == "wall" || cost == "cpu") && of_the_cost;
    }
};

inline const char* program_name = "tune_command";  // of the program that complains

inline void complain(const std::string& what) { say(program_name, what); }

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
    if (!(o.until_gain >= 0 && o.until_gain < 1))
        tunekit::invalid("--until-gain " + std::to_string(o.until_gain) + ", want a share of the best, such as 0.01");
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
    app.add_option("--until-gain", o.until_gain,
                   "end where as many trials again are expected to gain less than this share of the best: 0.01")
        ->type_name("SHARE");
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
    app.add_flag("--rebuild", o.rebuild, "build again what earlier runs left in --build-directory");
    app.add_option("--directory", o.directory, "where the program runs; {scratch} is a folder of its own")
        ->type_name("FOLDER");
    app.add_option("--result-file", o.result_file,
                   "file that the program writes its numbers to; else its output has them")
        ->type_name("FILE");
    app.add_option("--cost", o.cost, "wall, cpu, regex:EXPRESSION or json:/POINTER; positive, smaller is better")
        ->capture_default_str()
        ->type_name("READING");
    app.add_option("--unit", o.unit, "of the cost, as it is told: s makes it a time; of wall and cpu it is s")
        ->type_name("TEXT");
    app.add_flag("--maximize", o.maximize, "the cost is a score, of which more is better; positive");
    app.add_option("--number", o.numbers,
                   "NAME=regex:EXPRESSION, json:/POINTER, size:FILE, peak-memory, cpu or joules: told beside the cost; "
                   "may be repeated")
        ->allow_extra_args(false)
        ->type_name("NAME=READING");
    app.add_option("--powercap", o.powercap,
                   "with the counters of --number NAME=joules; /sys/class/powercap by default")
        ->type_name("FOLDER");
    app.add_option("--objective", o.objective,
                   "what is lowered, of the cost and the numbers: 'NAME', '2 * cost + 0.1 * NAME', 'cost * NAME', "
                   "'cost where NAME <= 5'")
        ->type_name("TEXT");
    app.add_option("--goals", o.goals, "cost and numbers that are lowered at once: the front of cost,NAME is told, too")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("cost,NAME");
    app.add_option("--check", o.check, "status:N, output:FILE (of a run that was right) or command:WORDS")
        ->type_name("CHECK");
    app.add_option("--tolerance", o.tolerance, "relative, for the numbers of --check output:FILE");
    app.add_flag("--check-always", o.check_always,
                 "check every configuration after its first run; else those that are too slow to win stay unchecked");
    app.add_flag("--keep-empty", o.keep_empty,
                 "an argument that is one placeholder with an empty value stays an argument; else it is left out");
}

/// The options of tune_command, on `app`.
inline void describe(CLI::App& app, command_options& o)
{
    app.formatter(std::make_shared<help_format>("-- PROGRAM [ARGUMENT]..."));
    app.footer("Example: tune_command --space space.json --seconds 600 -- ./program --tile {tile}");
    describe_program(app, o);
    app.add_option("--default", o.untuned,
                   "what is compared with: values, a JSON object of them in a file, or the best of a log; else the "
                   "space's, else the first")
        ->type_name("NAME=VALUE,...|FILE|LOG");
    app.add_option(
           "--known", o.known,
           "CSV with a column for each parameter, cost, and failure where some failed; or FILE.json, a T4 file or a "
           "cache of Kernel Tuner")
        ->type_name("FILE");
    app.add_option("--seeds", o.seeds, "CSV with a column for each parameter: measured first, never trusted")
        ->type_name("FILE");
    app.add_option("--retry-failed", o.retry_failed,
                   "log of a run of this space: its costs are known, and what failed in it is measured first, as on a "
                   "machine that was repaired")
        ->type_name("LOG");
    app.add_option("--workers", o.workers, "configurations at a time, each on processors of its own")
        ->check(whole_number())
        ->capture_default_str();
    app.add_option("--builders", o.builders, "configurations that build while others run, on processors of their own")
        ->check(whole_number());
    app.add_flag("--unpinned", o.unpinned, "workers share all processors");
    app.add_option("--repeat", o.repeat,
                   "runs of each configuration that may win; else 3 to 10, until the standard error is 2 %")
        ->check(whole_number());
    app.add_option("--run-seconds", o.run_seconds, "limit for all runs of one configuration")->capture_default_str();
    app.add_option("--build-seconds", o.build_seconds, "limit for one build")->capture_default_str();
    app.add_option("--cpu-seconds", o.cpu_seconds, "limit of processor time for each process of a run");
    app.add_option("--memory-mib", o.memory_mib, "limit of address space for each process of a run")
        ->check(whole_number());
    o.describe_run(app, "file that takes a line for everything that happens", "take up the run in the log");
    app.add_option("--race", o.race,
                   "compare the best of this log and the default again, side by side, and log it there")
        ->type_name("LOG");
    app.add_flag("--dry-run", o.dry_run, "print the commands of three configurations, and run nothing");
    app.add_flag("--describe", o.describe, "print the space, and what the log knows of it, and run nothing");
    o.report.describe(app);
    app.add_flag("--json", o.json, "print JSON");
    app.add_option("--t4", o.t4, "write every configuration as a T4 file")->type_name("FILE");
    app.add_flag("--serve{auto}", o.serve,
                 "answer who asks on standard input, by lines of JSON (json) or by BaCO's protocol (baco), which is "
                 "taken for a scenario; no program is run");
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
