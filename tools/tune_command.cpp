// SPDX-License-Identifier: MIT

// Tunes any program by its command line.
//
// docs/command_line.md has three complete examples; examples/command_line/ has their programs.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tools/support/command_describe.hpp"
#include "tools/support/command_exports.hpp"
#include "tools/support/command_instances.hpp"
#include "tools/support/command_options.hpp"
#include "tools/support/command_program.hpp"
#include "tools/support/command_protocol.hpp"
#include "tools/support/command_race.hpp"
#include "tools/support/command_report.hpp"
#include "tools/support/command_run.hpp"
#include "tools/support/command_serve.hpp"
#include "tools/support/command_sizes.hpp"
#include "tools/support/command_starts.hpp"
#include "tools/support/program.hpp"
#include "tools/support/shell_words.hpp"
#include "tools/support/streams.hpp"
#include "tunekit/dispatch/results.hpp"
#include "tunekit/processes/interruptible.hpp"
#include "tunekit/processes/machine.hpp"
#include "tunekit/processes/program/program.hpp"
#include "tunekit/processes/stop_on_signal.hpp"
#include "tunekit/processes/system/own_files.hpp"
#include "tunekit/records/read_log.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

namespace {

using programs::command_options;
using programs::command_setup;
using programs::complain;

/// Another program measures what it is told. The exit status.
int serve(command_setup s)
{
    const auto scenario = s.file.scenario.value_or(tk::io::space_file::baco{.first = 1});
    const bool baco = s.o.serve == "baco" || (s.o.serve == "auto" && s.file.scenario);
    if (!baco && s.o.serve != "auto" && s.o.serve != "json")
        tk::invalid("--serve=" + s.o.serve + " is unknown, want json or baco");
    if (baco && s.o.with_checks) tk::invalid("--serve answers BaCO's protocol, want it without --checks");
    if (baco && s.o.maximize) tk::invalid("--serve answers BaCO's protocol, want costs 1 / x and no --maximize");
    if (s.o.trials == 0 && scenario.first + scenario.then > 0 && s.file.scenario)
        s.limit.trials = scenario.first + scenario.then;
    else if (s.o.trials == 0)
        tk::invalid("--serve needs --trials N unless the space is a scenario with optimization_iterations");
    auto t = s.begun();
    if (!baco) t.begin_with(programs::first_of(s.o, s.space, s.untuned, s.known, s.again));
    std::optional<tk::stop_on_signal> stop;  // once the last file is read: until then a signal ends all
    const auto asked = programs::end_asked;
    const auto ended = programs::driven(
        s, std::move(t), [&] { stop.emplace(); },
        [&](auto& run) {
            if (baco) programs::serve_baco(run, s.space, scenario, stdin, stdout, asked);
            else programs::serve_protocol(run, s, stdin, stdout, asked);
        },
        [](auto&, auto&&) {});
    if (stop->heard() != 0 && ended.problem.empty())
        complain("ended by signal " + std::to_string(stop->heard()) + " while it served");
    return stop->heard() != 0 ? stop->status() : ended.problem.empty() ? 0 : 2;
}

/// The program is there, and every parameter occurs in it: before there is a log.
void check_use(const tk::space::any_space& space, const tk::measure::program_options& options)
{
    for (const std::string& name : tk::measure::unused_parameters(space.names(), options))
        tk::invalid("the parameter '" + name + "' occurs in no argument, variable or file; want {" + name +
                    "} somewhere, or a space without it");
}

/// The options of a run that is taken up where it ended, for its last comparison alone.
void take_up_to_race(command_options& o)
{
    const auto log = tk::io::read_log(o.race);
    if (log.trials.empty())
        tk::invalid("--race " + o.race + ": nothing was measured in this log, want one with results");
    if (!o.log.empty() && o.log != o.race)
        tk::invalid("--race writes into the log that it takes up, want no other --log");
    o.log = o.race;
    o.resume = true;
    o.seed = log.header.seed;
    o.strategy = log.header.strategy.substr(0, log.header.strategy.find(" from "));  // which --start-from adds again
    o.trials = log.trials.size();
}

/// Tells of cleanups that failed, which cost no result.
void tell_cleanups(const command_setup& s, const tk::measure::program& program)
{
    if (const auto n = program.failed_cleanups(); n > 0)
        complain("--cleanup '" + s.o.cleanup + "' failed " + std::to_string(n) +
                 (n == 1 ? " time: " : " times, the first so: ") + program.failed_cleanup());
}

/// What measures after the search: one at a time, with the builds of `program`.
tk::measure::program_options alone_of(tk::measure::program_options options, const tk::measure::program& program)
{
    options.repetition = tk::measure::any_repetition(tk::measure::fixed{.runs = 1, .batch = 1});
    options.workers = 1;
    options.builders = 0;
    options.build_directory = program.builds();
    options.rebuild = false;  // `program` has seen to it
    return options;
}

/// The finalists are run afresh, one at a time, unless the end was asked for.
template <class Each>
void race(const command_setup& s, const programs::instance_setup& instances, const tk::measure::program& program,
          tk::measure::program_options options, programs::driven_run& run, double seconds, Each&& each)
{
    if (programs::end_asked() || !run.record.found()) return;
    options = alone_of(std::move(options), program);
    options.set_up_once = !instances.chosen && (options.runs_aside() || options.warmup > 0);
    tk::measure::program alone(instances.space(s.space), std::move(options));
    const auto on = programs::race_at_the_end(run.record, s.untuned, seconds, s.goals, 30);
    run.record.seconds_to_separate = on.seconds_to_separate;
    const auto clean_up = [&] {
        alone.clean_up();
        tell_cleanups(s, alone);
    };
    try {
        instances.whole(s, alone, run.record, [&](auto& judged) {  // each of whose runs is a process of its own
            const auto lap = [&] { return tk::measure::interruptible(judged, programs::end_asked); };
            programs::compare(run.record, on, s.goals, lap,
                              {.run_seconds = s.o.run_seconds, .build_seconds = s.o.build_seconds}, each);
        });
    } catch (...) {
        clean_up();
        throw;
    }
    clean_up();
}

/// Throws tunekit::error where the first three configurations were not even ready to run: nor will the others be.
void check_ready(const tk::tuning& now)
{
    if (now.trials().size() != 3) return;
    for (const auto& t : now.trials()) {
        const std::string said = t.measured.failed ? t.measured.failed->message : std::string();
        if (!said.starts_with("the setup '") && !said.starts_with("the preparation '")) return;
    }
    throw tk::error("the first three configurations failed before they ran, the last so: " +
                    now.trials().back().measured.failed->message);
}

/// What is told of a run.
programs::command_report report_of(const command_setup& s, const programs::instance_setup& instances,
                                   const tk::measure::program& program, const programs::driven_run& ended)
{
    programs::command_report r{.run = s.seen(ended.record), .found = {}, .problem = ended.problem};
    r.run.stopped = ended.stopped;
    r.run.tasks.front().rounds = ended.rounds;
    r.found = tk::report::findings_of(r.run.tasks.front());
    if (r.found.best) r.winner = instances.command_of(s, program, r.found.best->candidate);
    if (r.found.best) r.run.use = programs::paste_lines(r.winner);
    if (!r.problem.empty()) r.run.facts.push_back(ended.stopped + ": " + r.problem);
    return r;
}

/// The words of a command at one size: {x}, {y} and {z} are its numbers.
command_options at_size(command_options o, const tk::dispatch::shape_sizes& at)
{
    const auto axes = programs::axes_of(at);
    const auto fill = [&](std::string& text) {
        for (std::size_t k = 0; k < axes.size(); ++k) {
            const std::string name = '{' + axes[k] + '}', value = std::to_string(at[k]);
            for (std::size_t i = 0; (i = text.find(name, i)) != text.npos; i += value.size())
                text.replace(i, name.size(), value);
        }
    };
    for (auto* const all : {&o.command, &o.build, &o.environment, &o.files})
        for (std::string& word : *all) fill(word);
    for (auto* const text : {&o.setup, &o.prepare, &o.cleanup, &o.input, &o.check, &o.result_file, &o.directory})
        fill(*text);
    return o;
}

/// Tunes the command at each of several sizes, and writes the header that chooses among their winners. The exit status.
int run_sizes(const programs::size_options& sizes, const command_setup& s)
{
    const auto family = programs::sizes_of(sizes);
    const command_options& o = s.o;
    if (!o.objective.empty() || !o.goals.empty() || o.maximize)
        tk::invalid("--sizes ranks by the cost, want it without --objective, --goals and --maximize");
    if (!o.instances.empty())
        tk::invalid("--sizes has a configuration for each size, and --instances one for all: want one of them");
    for (const std::string& axis : programs::axes_of(family.front())) {
        const auto names = s.space.names();
        if (std::find(names.begin(), names.end(), axis) != names.end())
            tk::invalid("the parameter '" + axis + "' has the name of a number of --sizes, want another name");
    }
    const auto words = [](const command_options& of) {
        return std::tuple(of.command, of.build, of.environment, of.files, of.setup, of.prepare, of.input);
    };
    if (words(at_size(o, family.front())) == words(o))
        tk::invalid("--sizes fills {x}, {y} and {z}, want one of them in the command, its variables or --input");
    check_use(s.space, programs::program_of(at_size(o, family.front())));
    const auto make = [&](const tk::dispatch::shape_sizes& at) {
        return std::make_shared<tk::measure::program>(programs::worded_space(s.space),
                                                      programs::program_of(at_size(o, at)));
    };
    return programs::tune_sizes(sizes, s,
                                {.kernel = o.command.front(),
                                 .version = tk::measure::detail::digest(programs::shell_line(o.command)),
                                 .device = to_text(tk::this_machine())},
                                make);
}

/// The exit status.
int run(const command_options& o, const programs::size_options& sizes)
{
    programs::instance_setup::refuse_others(o);
    command_setup s(o);
    for (const auto* const notes : {&s.file.notes, &s.begins.notes})
        for (const std::string& note : *notes) complain(note);
    if (!s.told.empty()) complain(s.told);
    if (o.describe) {
        programs::print_description(s);
        programs::check_output();
        return 0;
    }
    if (!o.serve.empty()) return serve(std::move(s));
    if (o.command.empty())
        tk::invalid(
            "there is no command: want it after --, as in tune_command --space space.json -- ./program --tile {tile}");
    if (!sizes.all.empty()) return run_sizes(sizes, s);
    const bool ends = o.trials > 0 || o.gain_below > 0 || o.until_gain > 0;
    const double seconds = o.seconds > 0 ? o.seconds : ends ? tk::forever : 60;
    s.limit.seconds = seconds < tk::forever ? (1 - tk::final_race::kept) * seconds : seconds;
    const auto options = programs::program_of(o);
    const programs::instance_setup instances(o, s.space, options);
    auto t = s.begun();
    t.begin_with(programs::first_of(o, s.space, s.untuned, s.known, s.again));
    check_use(instances.space(s.space), options);
    // Until the last file is read a signal ends all; from then on there is what must be put away.
    std::optional<tk::stop_on_signal> stop;
    std::optional<tk::measure::program> program;
    const auto begin = [&] {
        stop.emplace();
        program.emplace(instances.space(s.space), options);
    };
    if (o.dry_run) {
        begin();
        programs::print_commands(s, *program, instances.count());
        programs::check_output();
        return 0;
    }
    o.report.check();
    const std::pair<const char*, std::string> files[] = {{"--t4", o.t4},
                                                         {"--export-json", o.export_json},
                                                         {"--export-csv", o.export_csv},
                                                         {"--export-markdown", o.export_markdown}};
    for (const auto& [option, path] : files) programs::check_file(option, path);
    programs::run_report page(o.report);

    bool pays = true, compared = true;
    auto track = instances.track();
    programs::left_out_lines left_out;
    const programs::driven_run ended = programs::driven(
        s, std::move(t), begin,
        [&](auto& of) {
            programs::live_progress line(s, *stop);
            program->repeat_until(program->now() + (s.limit.seconds - of.stamp()));
            const auto search = [&](auto& judged) {
                tk::measure::interruptible pool(judged, programs::end_asked);
                const auto watch = [&](const tk::tuning& now) {
                    check_ready(now);
                    if (track) left_out(*track);
                    if (page.due()) page.write(s.seen(now), true);
                    return line(now);
                };
                tk::tune(of, pool, {.watch = watch, .checks = o.checks()});
            };
            if (!track) s.judge(*program, search);
            else compared = programs::search_over(*program, *track, of.record(), search);
            pays = line.pays();
            tell_cleanups(s, *program);
        },
        [&](programs::driven_run& out, auto&& each) {
            if (!compared) out.stopped = "the default failed on every instance";
            if (!pays && !programs::end_asked()) out.stopped = to_text(tk::stop_reason::gain);
            race(s, instances, *program, options, out, seconds, each);
        });
    auto r = report_of(s, instances, *program, ended);
    const auto learnt = instances.learnt(s, track, ended.record, r, alone_of(options, *program));
    if (o.json) programs::print_json(r, s.space, [&](auto& to) { learnt.tell(to, s.space); });
    else programs::print_table(r, s.space, [&] { learnt.print(s.space); });
    // What was found is out. What cannot be written now is told, each by a line.
    int status = !r.problem.empty() ? 2 : stop->heard() != 0 ? stop->status() : r.found.best ? 0 : 1;
    const auto written = [&](auto&& write) {
        try {
            write();
        } catch (const std::exception& e) {
            complain(e.what());
            status = 2;
        }
    };
    if (const int lost = programs::output_status(complain)) status = lost;
    if (!o.t4.empty()) written([&] { tk::io::write_t4(o.t4, programs::t4_of(ended.record, s.space, s.unit)); });
    programs::write_exports(s, *program, ended.record, r, written);
    if (page.wanted()) written([&] { page.write(r.run, false); });
    return status;
}

}  // namespace

int main(int argc, char** argv)
{
    command_options o;
    programs::size_options sizes;
    CLI::App app(
        "Tunes any program by its command line: placeholders {name} in its arguments, variables and files stand for "
        "the parameters of a space.",
        "tune_command");
    programs::describe(app, o);
    programs::describe_sizes(app, sizes, "sizes that fill {x}, {y} and {z}");
    o.describe_strategy(app);
    programs::prepare_output();
    app.set_version_flag("--version", "tune_command (tunekit) " + programs::version_text());
    try {
        o.command_line = programs::shell_line(std::vector<std::string>(argv, argv + argc));
        app.parse(programs::split_command_line(app, argc, argv, o));
        if (!o.shell.empty() && !o.command.empty())
            tk::invalid("--shell stands in place of -- PROGRAM, want one of them");
        if (!o.serve.empty() && !o.describe) programs::refuse_beside_serve(app, o);
        if (!o.shell.empty()) o.command = {"sh:" + o.shell};
        if (!o.instances.empty() && o.repeat == 0) o.repeat = 1;
        if (!o.export_json.empty() && o.instances.empty()) programs::number_times(o);
        if (o.resume && o.log.empty()) tk::invalid("--resume needs a log, want --log FILE");
        if (!o.race.empty()) take_up_to_race(o);
        return run(o, sizes);
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) return app.exit(e);
        complain(programs::wrong_options(e, app, argc, argv));
        return 2;
    } catch (const std::exception& e) {
        complain(e.what());
        return 2;
    }
}
