// SPDX-License-Identifier: MIT

// Tunes the kernel of a T1 problem: a file in CUDA C++, OpenCL C, C or C++, with its arguments and sizes.
//
//     tune_kernel problem.json --seconds 60 --report run.html

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/support/command_options.hpp"
#include "tools/support/command_race.hpp"
#include "tools/support/command_report.hpp"
#include "tools/support/command_run.hpp"
#include "tools/support/command_sizes.hpp"
#include "tools/support/command_starts.hpp"
#include "tools/support/program.hpp"
#include "tools/support/shell_words.hpp"
#include "tools/support/streams.hpp"
#include "tools/support/t1_kernel.hpp"
#include "tunekit/devices/kernel_pool.hpp"
#include "tunekit/dispatch/results.hpp"
#include "tunekit/processes/interruptible.hpp"
#include "tunekit/processes/stop_on_signal.hpp"
#include "tunekit/processes/system/own_files.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
namespace dispatch = tk::dispatch;

namespace {

using programs::command_options;
using programs::command_setup;
using programs::complain;

struct kernel_settings {
    command_options run;
    tk::measure::kernel_options on;
    std::string devices = "0";
    double tolerance = 1e-3;
    std::size_t iterations = 0;
    programs::size_options sizes{};
};

void describe(CLI::App& app, kernel_settings& s)
{
    command_options& o = s.run;
    app.footer("Example: tune_kernel problem.json --seconds 60 --report run.html");
    app.add_option("PROBLEM", o.space, "T1 problem: space and constraints, kernel file, arguments and sizes")
        ->required()
        ->type_name("FILE");
    programs::describe_end(app, o);
    app.add_option("--default", o.untuned,
                   "what is compared with: values, a JSON object of them in a file, or the best of a log; else the "
                   "problem's, else the first")
        ->type_name("NAME=VALUE,...|FILE|LOG");
    app.add_option("--device", s.devices, "number of the device, as CUDA or OpenCL counts them; or of equal ones: 0,1")
        ->capture_default_str()
        ->type_name("NUMBER,...");
    app.add_option("--compiler", s.on.compiler, "of C and C++")->capture_default_str();
    app.add_option("--compilers", s.on.compilers, "that work at a time; 0: one for each free processor")
        ->check(programs::whole_number());
    app.add_option("--iterations", s.iterations,
                   "timed launches of each configuration; 0: until the standard error is 2 %")
        ->check(programs::whole_number());
    app.add_option("--tolerance", s.tolerance,
                   "share of the largest number of the default's result by which others may differ")
        ->capture_default_str();
    programs::describe_sizes(app, s.sizes, "problem sizes instead of the file's");
    app.add_option("--run-seconds", o.run_seconds, "limit for all runs of one configuration")->capture_default_str();
    app.add_option("--build-seconds", o.build_seconds, "limit for one build")->capture_default_str();
    o.describe_strategy(app);
    o.describe_run(app, "file that takes a line for everything that happens", "take up the run in the log");
    o.report.describe(app);
    app.add_flag("--json", o.json, "print JSON");
    app.add_option("--t4", o.t4, "write every configuration as a T4 file")->type_name("FILE");
}

/// The macros of a configuration as a compiler takes them.
std::vector<std::string> macros_of(const tk::space::value_product& space, tk::index i)
{
    std::vector<std::string> out;
    const auto texts = space.texts(i);
    for (std::size_t k = 0; k < texts.size(); ++k)
        out.push_back(std::string("-D") + space.names()[k] + '=' +
                      (texts[k] == "true"    ? "1"
                       : texts[k] == "false" ? "0"
                                             : texts[k]));
    return out;
}

/// The arrays that the default computes are those that the others should; where it fails, nothing is compared.
void take_default(programs::t1_kernel& kernel, const command_setup& s, const kernel_settings& how)
{
    if (kernel.outputs.empty()) return;
    std::vector<std::pair<std::string, std::string>> values;
    const auto texts = s.space.texts(s.untuned);
    for (std::size_t k = 0; k < texts.size(); ++k) values.emplace_back(s.space.names()[k], texts[k]);
    const auto untuned = tk::measure::run_kernel(
        kernel.what, values, how.on, {.run_seconds = how.run.run_seconds, .build_seconds = how.run.build_seconds});
    if (untuned.measured.failed)
        complain("the default fails, so results are compared with nothing: " + untuned.measured.failed->message);
    else programs::take_reference(kernel, untuned, how.tolerance);
}

/// The numbers of --device.
std::vector<int> devices_of(const std::string& text)
{
    std::vector<int> out;
    for (const std::string& word : programs::listed("--device", text)) {
        const auto n = tk::core::number<int>(word);
        if (!n || *n < 0) tk::invalid("--device '" + word + "', want a number from 0 on");
        out.push_back(*n);
    }
    return out;
}

/// Tunes each of several sizes, and writes the header that chooses among their winners. The exit status.
int run_sizes(kernel_settings& how, const command_setup& s, const std::string& version, const std::string& device)
{
    if (how.on.devices.size() > 1) tk::invalid("--sizes takes one device, want --device with one number");
    const auto make = [&](const dispatch::shape_sizes& at) {
        auto kernel = programs::read_t1_kernel(how.run.space, s.file, programs::half_of_memory(), at);
        kernel.what.iterations = static_cast<std::uint32_t>(how.iterations);
        take_default(kernel, s, how);
        return std::make_shared<tk::measure::kernel_pool>(std::move(kernel.what), s.space, how.on);
    };
    return programs::tune_sizes(how.sizes, s, {.kernel = how.run.command.front(), .version = version, .device = device},
                                make);
}

/// The exit status.
int run(kernel_settings& how)
{
    command_options& o = how.run;
    how.on.devices = devices_of(how.devices);
    const auto file = tk::io::read_space_file(o.space);
    programs::t1_kernel kernel = programs::read_t1_kernel(o.space, file);
    kernel.what.iterations = static_cast<std::uint32_t>(how.iterations);
    if (tk::measure::says_cost(kernel.what)) o.cost = std::string("returned by ") + kernel.what.name;
    std::string all = kernel.what.text;
    for (const std::string& flag : kernel.what.flags) tk::measure::detail::add_part(all, flag);
    o.command = {kernel.what.name, to_text(kernel.what.language), tk::measure::detail::digest(all)};
    o.repeat = how.iterations;
    command_setup s(o);
    for (const auto* const notes : {&s.file.notes, &s.begins.notes})
        for (const std::string& note : *notes) complain(note);
    if (!s.told.empty()) complain(s.told);
    const auto device = tk::measure::find_kernel_device(kernel.what.language, how.on);
    if (!device.in_use.empty()) complain(device.in_use + ", too: its times may be longer");
    if (!how.sizes.all.empty()) return run_sizes(how, s, o.command.back(), device.name);
    const double seconds = o.seconds > 0 ? o.seconds : o.trials > 0 ? tk::forever : 60;
    s.limit.seconds = seconds < tk::forever ? (1 - tk::final_race::kept) * seconds : seconds;
    auto t = s.begun();
    t.begin_with(programs::first_of(o, s.space, s.untuned, s.known, s.again));
    o.report.check();
    programs::check_file("--t4", o.t4);
    programs::run_report page(o.report);
    tk::measure::kernel_problem unchecked = kernel.what;
    (void)tk::measure::kernel_pool(std::move(unchecked), s.space,
                                   how.on);  // what is wrong in it is told before the log

    std::optional<tk::stop_on_signal> stop;
    tk::measure::detail::temporary_directory folder;
    std::optional<tk::measure::kernel_pool> pool;
    const auto begin = [&] {
        stop.emplace();  // before it a signal ends this process, which leaves no folder
        folder = tk::measure::detail::temporary_directory::fresh("tunekit-builds-", "tune_kernel");
        how.on.directory = folder.name() + "/code";
        take_default(kernel, s, how);
        pool.emplace(kernel.what, s.space, how.on);
    };
    const programs::driven_run ended = programs::driven(
        s, std::move(t), begin,
        [&](auto& of) {
            programs::live_progress line(s, *stop);
            const double until = pool->now() + (s.limit.seconds - of.stamp());
            tk::measure::interruptible in_time(*pool, [&] { return programs::end_asked() || pool->now() >= until; });
            const auto watch = [&](const tk::tuning& now) {
                if (page.due()) page.write(s.seen(now), true);
                return line(now);
            };
            tk::tune(of, in_time, {.watch = watch, .checks = o.checks()});
        },
        [&](programs::driven_run& out, auto&& each) {
            if (programs::end_asked() || !out.record.found()) return;
            const auto anew = [&] {
                pool.reset();  // and with it the compilers that are at work
                pool.emplace(kernel.what, s.space, how.on);
            };
            anew();
            const auto on = programs::race_at_the_end(out.record, s.untuned, seconds, s.goals, 30, 4);
            out.record.seconds_to_separate = on.seconds_to_separate;
            const auto lap = [&] {  // a device takes longer to begin than a round
                if (kernel.what.language == tk::measure::kernel_language::c) anew();
                return tk::measure::interruptible(*pool, programs::end_asked);
            };
            programs::compare(out.record, on, s.goals, lap,
                              {.run_seconds = o.run_seconds, .build_seconds = o.build_seconds}, each);
        });
    programs::command_report r{.run = s.seen(ended.record), .found = {}, .problem = ended.problem};
    r.run.stopped = ended.stopped;
    r.run.tasks.front().rounds = ended.rounds;
    r.run.workers = how.on.devices.size();
    r.run.facts.push_back(std::string("device ") + (how.on.devices.size() > 1 ? how.devices + ": " : "") +
                          pool->device().name);
    r.found = tk::report::findings_of(r.run.tasks.front());
    if (r.found.best) r.winner.arguments = macros_of(s.space, r.found.best->candidate);
    if (r.found.best) r.run.use = programs::paste_lines(r.winner);
    if (o.json) programs::print_json(r, s.space, [](auto&) {});
    else programs::print_table(r, s.space, [] {});
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
    if (page.wanted()) written([&] { page.write(r.run, false); });
    return status;
}

}  // namespace

int main(int argc, char** argv)
{
    programs::program_name = "tune_kernel";
    kernel_settings how;
    CLI::App app(
        "Tunes a kernel that is a file: the T1 problem names it, its parameters, its arguments and its launches.",
        "tune_kernel");
    describe(app, how);
    app.formatter(std::make_shared<programs::help_format>());
    app.set_version_flag("--version", "tune_kernel (tunekit) " + programs::version_text());
    programs::prepare_output();
    try {
        how.run.command_line = programs::shell_line(std::vector<std::string>(argv, argv + argc));
        app.parse(argc, argv);
        if (how.run.resume && how.run.log.empty()) tk::invalid("--resume needs a log, want --log FILE");
        return run(how);
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) return app.exit(e);
        complain(programs::wrong_options(e, app, argc, argv));
        return 2;
    } catch (const tk::measure::no_device& e) {
        complain(e.what());
        return 3;
    } catch (const std::exception& e) {
        complain(e.what());
        return 2;
    }
}
