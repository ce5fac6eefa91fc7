// SPDX-License-Identifier: MIT

// Tunes the operators of a network on this machine: the main job.
//
//     tune_network --network resnet18 --seconds 60 --log run.jsonl
//
// `tune` below is the whole of it. support/ has the rest: the command line (network_options.hpp), the operators and what runs
// them (network_jobs.hpp), table and JSON (network_report.hpp), page (network_page.hpp).

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "tools/support/network_end.hpp"
#include "tools/support/network_jobs.hpp"
#include "tools/support/network_options.hpp"
#include "tools/support/network_page.hpp"
#include "tools/support/network_report.hpp"
#include "tools/support/program.hpp"
#include "tools/support/run_options.hpp"
#include "tools/support/shell_words.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/stop_on_signal.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/report/print_progress.hpp"
#include "tunekit/tune/last_comparison.hpp"
#include "tunekit/tune/tune_tasks.hpp"

namespace tk = tunekit;

namespace {

using options = programs::tune_network_options;

void say(const std::string& what) { programs::say("tune_network", what); }

/// Runs the tuner on the runner, with a log where one is wanted, and `race(plan)` at the end. What was found is kept where the log
/// fails, or what measures: `problem` tells that.
template <class Runner, class Watch, class Race>
tk::plan drive(tk::tasks_tuner tuner, Runner& runner, std::vector<tk::task>& tasks, Watch watch, const options& o,
               const std::string& machine, const std::string& strategy, std::string& problem, Race&& race)
{
    const auto carry = [&](auto& run) {
        problem = programs::trouble_of(run, [&] { runner.drive(run, tasks, watch, o.checks()); });
        return programs::raced(run, problem, race);
    };
    if (o.log.empty()) return carry(tuner);
    tk::io::logged run(o.log, std::move(tuner),
                       {.strategy = strategy,
                        .schedule = o.schedule,
                        .machine = machine,
                        .seed = o.seed,
                        .resume = o.resume,
                        .sync = o.sync ? tk::io::log_file::sync::every_line : tk::io::log_file::sync::every_second,
                        .fastest = programs::ranks_by_fastest(o.how().repetition)});
    if (!run.note().empty()) say(run.note());
    return carry(run);
}

/// The exit status of a run whose preparation took so long.
template <class Runner>
int tune(const options& o, const programs::network_jobs& jobs, const programs::begun_recipe& begun, Runner runner,
         double prepare_seconds, const tk::stop_on_signal& stop)
{
    // A task for each operator. The default configuration is tried first, then what was good at other shapes.
    std::vector<tk::task> tasks;
    std::vector<tk::index> untuned;
    for (std::size_t k = 0; k < jobs.all.size(); ++k) {
        tasks.push_back(runner.task(jobs.all[k]));
        untuned.push_back(jobs.all[k].untuned);
        if (!o.from_scratch) tasks.back().begin_with(jobs.first_of(k));
    }

    const std::string told = programs::told_of(begun.past, tasks);
    if (!told.empty()) say(told);

    // The strategy proposes, the schedule chooses the task, the runner measures. It ends by time or by a signal.
    tk::print_progress line(tk::tasks_budget{.seconds = o.seconds}, tasks);
    programs::network_page page(o, jobs, told);
    tk::comparison_reserve reserve(o.seconds, untuned);
    const auto watch = [&](const tk::plan& p, std::size_t k) {
        if (!o.json) line(p, k);
        page.note(p, tasks);
        return stop(p) || reserve.needed(p, k);
    };
    const tk::tasks_budget budget{.seconds = (1 - reserve.usual_share) * o.seconds, .slot_seconds = o.slot_seconds};
    tk::random::philox gen(o.seed);
    tk::tasks_tuner tuner(tasks, begun.how, budget, runner.out(), gen);
    std::string problem;
    programs::network_result result{.prepare_seconds = prepare_seconds};
    const auto race = [&](tk::plan& found) {  // afresh beside the default
        const tk::measure::wall_clock now;
        const double tuned = now();
        result.ends = tk::compare_finalists([&](std::size_t k) { return runner.alone(k); }, found, untuned,
                                            stop.heard() != 0 ? 0 : o.seconds - found.seconds, {.run_seconds = 5},
                                            o.may_be_worse);
        result.race_seconds = now() - tuned;
    };
    result.plan = drive(std::move(tuner), runner, tasks, watch, o, jobs.machine(), begun.name, problem, race);
    if constexpr (requires { runner.pool.building(); }) {
        const auto spent = runner.pool.building().spent();
        result.build_seconds = spent.all;
        result.cut_short_seconds = spent.cut_short;
    }
    if (result.ends.empty()) result.ends = programs::told_by_trials(result.plan, untuned, o.may_be_worse);

    // First it is printed; then comes what can fail.
    o.json ? programs::print_json(o, jobs, result) : programs::print_table(o, jobs, result);
    if (!problem.empty()) say(problem);
    const int lost = programs::output_status(say);
    try {
        page.finish(tasks, result);
    } catch (const std::exception& e) {
        say(problem = e.what());
    }
    if (!problem.empty()) return 2;
    if (lost != 0) return lost;
    if (stop.heard() != 0) return stop.status();
    return result.complete() ? 0 : 1;
}

int run(const options& o)
{
    o.check();
    const tk::measure::wall_clock now;
    const double start = now();
    const auto begun = o.begun({o.log});
    for (const std::string& note : begun.notes) say(note);
    const auto jobs = programs::jobs_of(o);
    if (o.spaces) return programs::print_spaces(jobs.all, o.json), 0;
    const tk::stop_on_signal stop;  // until here a signal ends all; from here on there are processes
    return programs::with_runner(
        jobs, o.workers, [&](auto runner) { return tune(o, jobs, begun, std::move(runner), now() - start, stop); });
}

}  // namespace

int main(int argc, char** argv)
{
    options o;
    CLI::App app("Tunes the operators of a network on this machine and prints what that gained.", "tune_network");
    app.set_version_flag("--version", "tune_network (tunekit) " + programs::version_text());
    o.describe(app);
    programs::prepare_output();
    o.command_line = programs::shell_line(std::vector<std::string>(argv, argv + argc));
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) return app.exit(e);
        say(programs::wrong_options(e, app, argc, argv));
        return 2;
    }
    try {
        const int status = run(o);
        programs::check_output();
        return status;
    } catch (const tk::measure::no_device& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 3;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 2;
    }
}
