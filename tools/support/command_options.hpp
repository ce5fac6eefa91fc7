// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The command line of tune_command: what it may say.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/support/program.hpp"
#include "tools/support/run_options.hpp"
#include "tools/support/run_report.hpp"
#include "tools/support/space_words.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/report/cost_unit.hpp"
#include "tunekit/tune/budget.hpp"

namespace programs {

struct command_options : run_options {
    std::string space, cost = "wall", check, untuned, known, seeds, retry_failed, race, t4, directory, result_file,
                       build_directory, serve, objective, powercap, setup, prepare, cleanup, input, shell, export_json,
                       export_csv, export_markdown, until_cost, instances, holdout, instance_cost = "mean";
    std::optional<std::string> unit;
    std::vector<space_option> space_words;  // in their order
    std::vector<std::string> environment, files, numbers, build, command, goals;
    double gain_below = 0, calls = 0, until_gain = 0;
    std::optional<double> until_peak, peak, flop, bytes;
    double seconds = 0, run_seconds = 60, build_seconds = 300, cpu_seconds = 0, tolerance = 0;
    std::uint64_t trials = 0;
    std::size_t workers = 1, builders = 0, memory_mib = 0, repeat = 0, warmup = 0;
    std::string command_line;  // as it was given
    report_options report;
    bool json = false, unpinned = false, maximize = false, keep_empty = false, dry_run = false, describe = false,
         check_always = false, rebuild = false, ignore_failure = false, timeouts_count = false, every_instance = false;

    /// Whether the cost is a time that is measured here; who is served tells what he likes, and of several instances it is a ratio.
    [[nodiscard]] bool is_time() const
    {
        const bool of_the_cost = objective.empty() || objective == "cost" || objective.starts_with("cost where ");
        return serve.empty() && instances.empty() && (cost == "wall" || cost == "cpu") && of_the_cost;
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
    if (o.calls > 0 && o.gain_below == 0) tunekit::invalid("--calls is used only by --stop-when-gain-below, want both");
    if (!(o.until_gain >= 0 && o.until_gain < 1))
        tunekit::invalid("--until-gain " + std::to_string(o.until_gain) + ", want a share of the best, such as 0.01");
    limit.stop_when_gain_below = o.gain_below;
    limit.calls = o.calls;
}

/// The cost of --until-cost as it is told: a number, behind which a time may have a unit.
inline double until_cost_of(const command_options& o, const tunekit::report::cost_unit& unit)
{
    static constexpr std::pair<std::string_view, double> units[] = {
        {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"\xC2\xB5s", 1e-6}, {"ns", 1e-9}};
    const char* const end = o.until_cost.data() + o.until_cost.size();
    double cost = 0;
    const auto [stop, problem] = std::from_chars(o.until_cost.data(), end, cost);
    const std::string_view word(stop, static_cast<std::size_t>(end - stop));
    const auto* const known =
        std::find_if(std::begin(units), std::end(units), [&](const auto& u) { return u.first == word; });
    const bool fits = word.empty() || (unit.is_time() && known != std::end(units));
    if (problem != std::errc{} || !fits || !(cost > 0 && cost < std::numeric_limits<double>::infinity()))
        tunekit::invalid("--until-cost '" + o.until_cost + "', want a positive number" +
                         (unit.is_time() ? " of seconds, or one with s, ms, us or ns, such as 1.2ms"
                                         : ", without a unit: the cost is no time"));
    if (!word.empty()) cost *= known->second;
    return unit.maximize ? 1 / cost : cost;
}

/// The cost at which --until-peak ends a run: of a score that share of --peak in its unit, of a time what a run with
/// --flop or --bytes takes at that share of --peak, which is in 1e9 a second.
inline double until_peak_of(const command_options& o, const tunekit::report::cost_unit& unit)
{
    const auto positive = [](const char* option, const std::optional<double>& x) {
        if (x && !(*x > 0 && *x < std::numeric_limits<double>::infinity()))
            tunekit::invalid(option + tunekit::core::text_of(*x) + ", want a positive number");
    };
    positive("--peak ", o.peak);
    positive("--flop ", o.flop);
    positive("--bytes ", o.bytes);
    const std::string asked = "--until-peak " + tunekit::core::text_of(*o.until_peak);
    if (!(*o.until_peak > 0 && *o.until_peak <= 1)) tunekit::invalid(asked + ", want a share of the peak, such as 0.9");
    if (!o.until_cost.empty()) tunekit::invalid("--until-cost and --until-peak each end a run at a cost, want one");
    if (!unit.is_time() && !unit.maximize)
        tunekit::invalid(asked + " is of a time or of a score, want such a cost: " +
                         (unit.name.empty() ? "it has no unit" : "its unit is " + unit.name));
    if (!o.peak)
        tunekit::invalid(asked + " needs --peak of the machine, want it in " +
                         (!unit.maximize      ? "GFLOP/s or GB/s"
                          : unit.name.empty() ? "the unit of the score"
                                              : unit.name));
    if (unit.maximize) {
        if (o.flop || o.bytes)
            tunekit::invalid("--flop and --bytes make a rate of a time, want none: the cost is a score");
        return 1 / (*o.until_peak * *o.peak);
    }
    if (o.flop.has_value() == o.bytes.has_value())
        tunekit::invalid(asked + " needs the work of a run, want --flop N or --bytes N");
    return (o.flop ? *o.flop : *o.bytes) / (*o.until_peak * 1e9 * *o.peak);
}

/// The cost that is good enough by --until-cost or --until-peak; 0: none is.
inline double good_enough(const command_options& o, const tunekit::report::cost_unit& unit)
{
    if (o.until_peak) return until_peak_of(o, unit);
    if (o.peak || o.flop || o.bytes)
        tunekit::invalid("--peak, --flop and --bytes are used only by --until-peak, want it, too");
    return o.until_cost.empty() ? 0 : until_cost_of(o, unit);
}

/// The options that end a run of `tune_command` and of `tune_kernel`.
inline void describe_end(CLI::App& app, command_options& o)
{
    app.add_option("--seconds", o.seconds, "wall time of the run; 60 if no other end is given");
    app.add_option("--trials", o.trials, "configurations to measure")->check(whole_number());
    app.add_option("--until-cost", o.until_cost,
                   "end with the first configuration that costs no more, or scores no less: 1.2ms, or a number")
        ->type_name("COST");
    app.add_option("--until-peak", o.until_peak,
                   "end with the first configuration that reaches this share of --peak, such as 0.9")
        ->type_name("SHARE");
    app.add_option("--peak", o.peak,
                   "of the machine, GFLOP/s with --flop, GB/s with --bytes, else in the score's unit");
    app.add_option("--flop", o.flop, "floating-point operations of a run");
    app.add_option("--bytes", o.bytes, "bytes that a run has to read and write");
}

/// The options of a space on the command line, for --help: `split_command_line` takes them out before.
inline void describe_space_words(CLI::App& app)
{
    const auto add = [&app](const char* name, const char* words, const char* what) {
        app.add_option_function<std::string>(name, [](const std::string&) {}, what)->type_name(words);
    };
    add("--parameter", "NAME=VALUES",
        "1,2,4 or texts, 1..64, 1..64:4 with a step, 8..512*2 with a factor, 2^0..2^10, permutation(3); \\, is a "
        "comma, and a "
        "value in quotes a text; may be repeated");
    add("-L,--parameter-list", "NAME VALUES", "the same as in hyperfine: a list; may be repeated");
    add("-P,--parameter-scan", "NAME MIN MAX", "the same as in hyperfine: numbers from MIN to MAX; may be repeated");
    add("-D,--parameter-step-size", "STEP", "of the -P before it; 1 if MIN and MAX are integers");
    add("--where", "CONSTRAINT", "which configurations there are: 'threads * tile <= 512'; may be repeated");
}

/// The options that say what is tuned, and how the program is run.
inline void describe_program(CLI::App& app, command_options& o)
{
    app.add_option("--space", o.space,
                   "file: our JSON, a T1 problem of Kernel Tuner or KTT, or a scenario of BaCO or HyperMapper")
        ->type_name("FILE");
    describe_space_words(app);
    describe_end(app, o);
    app.add_option(
        "--stop-when-gain-below", o.gain_below,
        "end when a second of tuning is expected to save fewer seconds of the calls than this; needs --calls");
    app.add_option("--calls", o.calls, "how often the program will run with what is found, for --stop-when-gain-below");
    app.add_option("--until-gain", o.until_gain,
                   "end when as many trials again are expected to gain less than this share of the best: 0.01")
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
    app.add_option("--setup", o.setup,
                   "run when a configuration is taken up; words, or a shell's behind sh:; --build-seconds limits it")
        ->type_name("COMMAND");
    app.add_option("--prepare", o.prepare, "run before each run of the program, and no part of its time")
        ->type_name("COMMAND");
    app.add_option("--cleanup", o.cleanup, "run when the runs of a configuration are over")->type_name("COMMAND");
    app.add_option("--warmup", o.warmup, "runs of a configuration before those that count")
        ->check(whole_number())
        ->type_name("N");
    app.add_option("--input", o.input, "what the program reads from its standard input; else the null device")
        ->type_name("FILE");
    app.add_option("--shell", o.shell, "in place of -- PROGRAM: run by sh -c, with each placeholder as one quoted word")
        ->type_name("TEXT");
    app.add_option("--build-directory", o.build_directory, "where builds are kept for later runs")->type_name("FOLDER");
    app.add_flag("--rebuild", o.rebuild, "build again what earlier runs left in --build-directory");
    app.add_option("--directory", o.directory, "the folder in which the program runs; {scratch} is a separate one")
        ->type_name("FOLDER");
    app.add_option("--result-file", o.result_file,
                   "file that the program writes its numbers to; else its output has them")
        ->type_name("FILE");
    app.add_option("--cost", o.cost,
                   "wall, cpu, regex:EXPRESSION, json:/POINTER or perf:COUNTER; positive, smaller is better")
        ->capture_default_str()
        ->type_name("READING");
    app.add_option("--unit", o.unit, "of the cost, as it is told: s makes it a time; of wall and cpu it is s")
        ->type_name("TEXT");
    app.add_flag("--maximize", o.maximize, "the cost is a score, of which more is better; positive");
    app.add_option("--number", o.numbers,
                   "NAME=regex:EXPRESSION, json:/POINTER, perf:COUNTER, size:FILE, peak-memory, cpu, user, system or "
                   "joules: told "
                   "beside the cost; may be repeated")
        ->allow_extra_args(false)
        ->type_name("NAME=READING");
    app.add_option("--powercap", o.powercap,
                   "with the counters of --number NAME=joules; /sys/class/powercap by default")
        ->type_name("FOLDER");
    app.add_option("--objective", o.objective,
                   "what is lowered, of the cost and the numbers: 'NAME', '2 * cost + 0.1 * NAME', 'cost * NAME', "
                   "'cost where NAME <= 5'")
        ->type_name("TEXT");
    app.add_option("--goals", o.goals, "cost and numbers to minimise together: the front of cost,NAME is reported, too")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("cost,NAME");
    app.add_option("--check", o.check, "status:N, status:any, output:FILE (of a run that was right) or command:WORDS")
        ->type_name("CHECK");
    app.add_flag("-i,--ignore-failure", o.ignore_failure,
                 "the same as --check status:any, in addition to another check");
    app.add_option("--tolerance", o.tolerance, "relative, for the numbers of --check output:FILE");
    app.add_flag("--check-always", o.check_always,
                 "check every configuration after its first run; else those that are too slow to win stay unchecked");
    app.add_option("--instances", o.instances,
                   "one configuration for all of these: a line is the value of {instance}, or NAME=VALUE pairs")
        ->type_name("FILE");
    app.add_option("--holdout", o.holdout, "instances that the best and the default run on once, at the end")
        ->type_name("FILE");
    app.add_option("--instance-cost", o.instance_cost,
                   "mean (geometric, of the ratios to the default), sum, or worst ratio")
        ->capture_default_str()
        ->type_name("NAME");
    app.add_flag("--timeouts-count", o.timeouts_count,
                 "a run on an instance that reaches --run-seconds counts as ten times that; else it is a failure");
    app.add_flag("--every-instance", o.every_instance,
                 "run on all instances, also where a configuration cannot win any more");
    app.add_flag("--keep-empty", o.keep_empty,
                 "an argument that is one placeholder with an empty value stays an argument; else it is left out");
}

/// The options of tune_command, on `app`.
inline void describe(CLI::App& app, command_options& o)
{
    app.formatter(std::make_shared<help_format>("-- PROGRAM [ARGUMENT]..."));
    app.footer("Example: tune_command --parameter tile=8..512*2 --seconds 600 -- ./program --tile {tile}");
    describe_program(app, o);
    app.add_option("--default", o.untuned,
                   "what is compared with: values, a JSON object of them in a file, or the best of a log; else the "
                   "space's, else the first")
        ->type_name("NAME=VALUE,...|FILE|LOG");
    app.add_option(
           "--known", o.known,
           "CSV with a column for each parameter, cost, and failure if some failed; or FILE.json, a T4 file or a "
           "cache of Kernel Tuner")
        ->type_name("FILE");
    app.add_option("--seeds", o.seeds, "CSV with a column for each parameter: measured first, never trusted")
        ->type_name("FILE");
    app.add_option("--retry-failed", o.retry_failed,
                   "log of a run of this space: its costs are known, and what failed in it is measured first, as on a "
                   "machine that was repaired")
        ->type_name("LOG");
    app.add_option("--workers", o.workers, "configurations at a time, each on separate processors")
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
    app.add_option("--export-json", o.export_json,
                   "write every configuration as hyperfine does; user and system are those of its first run")
        ->type_name("FILE");
    app.add_option("--export-csv", o.export_csv, "write every configuration as CSV")->type_name("FILE");
    app.add_option("--export-markdown", o.export_markdown, "write the ten best and the default as a table")
        ->type_name("FILE");
    app.add_flag("--serve{auto}", o.serve,
                 "answer who asks on standard input, by lines of JSON (json) or by BaCO's protocol (baco), which is "
                 "taken for a scenario; no program is run");
}

/// Refuses by name what has no effect where nothing is run: every option but those of a space, a search and a log.
inline void refuse_beside_serve(const CLI::App& app, const command_options& o)
{
    static constexpr const char* kept[] = {
        "--serve",    "--space",     "--default",    "--known",  "--seeds",        "--retry-failed", "--seed",
        "--log",      "--strategy",  "--start-from", "--resume", "--may-be-worse", "--unit",         "--goals",
        "--maximize", "--objective", "--number",     "--checks", "--trials",       "--no-checks"};
    const auto refuse = [](const std::string& what) {
        tunekit::invalid("--serve answers and runs nothing, want it without " + what);
    };
    if (!o.shell.empty()) refuse("--shell");
    if (!o.command.empty()) refuse("a command");
    if (!o.build.empty()) refuse("--build");
    for (const CLI::Option* const option : app.get_options())
        if (option->count() > 0 && std::find(std::begin(kept), std::end(kept), option->get_name()) == std::end(kept))
            refuse(option->get_name());
}

/// What follows `--build` up to the next option or `--` is taken out, as its words may begin with dashes, and so is the space;
/// what follows `--` is the command.
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
        std::string name = word.substr(0, word.find('='));
        const bool known = word.starts_with("--") && (app.get_option_no_throw(name) != nullptr);
        if (word == "--build") {
            building = true;
        } else if (building && !known) {
            o.build.push_back(word);
        } else if (const auto words = words_of_space_option(name)) {
            building = false;
            space_option of{name, {}};
            if (word.starts_with("--") && word.find('=') != word.npos)
                of.words.push_back(word.substr(word.find('=') + 1));
            while (of.words.size() < *words && i + 1 < argc && argv[i + 1] != std::string("--"))
                of.words.emplace_back(argv[++i]);
            if (of.words.size() < *words)
                tunekit::invalid(of.text() + ": words are missing, want " + name + ' ' +
                                 app.get_option(name)->get_type_name());
            o.space_words.push_back(std::move(of));
        } else {
            building = false;
            rest.push_back(word);
        }
    }
    std::reverse(rest.begin(), rest.end());  // as CLI11 takes them
    return rest;
}

}  // namespace programs
