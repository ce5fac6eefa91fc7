// SPDX-License-Identifier: MIT

// Tunes any program by its command line.
//
// docs/command_line.md has three complete examples; examples/command_line/ has their programs.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tools/support/command_options.hpp"
#include "tools/support/command_race.hpp"
#include "tools/support/command_report.hpp"
#include "tools/support/command_serve.hpp"
#include "tools/support/names.hpp"
#include "tools/support/program.hpp"
#include "tools/support/shell_words.hpp"
#include "tunekit/core/machine.hpp"
#include "tunekit/formats/space_file.hpp"
#include "tunekit/io/logged.hpp"
#include "tunekit/measure/interruptible.hpp"
#include "tunekit/measure/program/program.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/tune/stop_on_signal.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

namespace {

using programs::command_options;

/// A line on the terminal that is rewritten, or one at each improvement where there is no terminal.
class live_progress {
public:
    live_progress(bool is_time, const tk::stop_on_signal& stop)
        : is_time_(is_time), stop_(stop), terminal_(::isatty(2) != 0)
    {
    }
    ~live_progress()
    {
        if (terminal_) std::fprintf(stderr, "\r\033[K");
    }
    bool operator()(const tk::tuning& record)
    {
        const bool better = record.best_cost() < best_;
        best_ = record.best_cost();
        if (terminal_ || better)
            std::fprintf(stderr, "%s%zu configurations, %llu failed, %.1f s%s%s%s", terminal_ ? "\r\033[K" : "",
                         record.trials().size(), static_cast<unsigned long long>(record.failed()), record.seconds(),
                         record.found() ? ", best " : "",
                         record.found() ? programs::cost_text({.is_time = is_time_}, best_).c_str() : "",
                         terminal_ ? "" : "\n");
        return stop_.heard() != 0;
    }

private:
    bool is_time_;
    const tk::stop_on_signal& stop_;
    bool terminal_;
    double best_ = std::numeric_limits<double>::infinity();
};

/// The configuration to compare with: that of the command line, of the file, else the first.
tk::index untuned_of(const command_options& o, const tk::io::space_file& file, const tk::space::value_product& space)
{
    if (o.untuned.empty()) return file.untuned ? space.index_of_texts(*file.untuned).value() : 0;
    std::vector<std::string> texts = file.untuned ? *file.untuned : space.texts(0);
    for (std::size_t at = 0; at <= o.untuned.size();) {
        const std::size_t end = (std::min)(o.untuned.find(',', at), o.untuned.size());
        const auto [name, value] =
            programs::parts_of(o.untuned.substr(at, end - at), '=', "--default", "NAME=VALUE,...");
        const auto names = space.names();
        const auto j = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
        if (j == names.size())
            tk::invalid("--default names the parameter '" + name + "', which the space does not have");
        texts[j] = value;
        at = end + 1;
    }
    const auto found = space.index_of_texts(texts);
    if (!found)
        tk::invalid("--default '" + o.untuned +
                    "' is no configuration of the space, want values that it has and that fulfil its constraints");
    return *found;
}

using tuner = tk::tuner<tk::space::any_space, tk::search::any_strategy, tk::random::philox>;

/// What is tuned and how, from the command line and the file of the space.
struct setup {
    const command_options& o;
    tk::io::space_file file = tk::io::read_space_file(o.space);
    tk::space::value_product space = file.space();
    programs::begun_recipe begins = programs::begun_recipe_of("strategy", o.strategy, o.start_from);
    tk::recipes::any_recipe how = begins.how;
    tk::budget limit{};

    explicit setup(const command_options& options) : o(options)
    {
        how.limits.max_run_seconds = o.run_seconds;
        how.limits.max_build_seconds = o.build_seconds;
        if (o.trials > 0) limit.trials = o.trials;
        programs::set_gain(limit, o);
    }

    [[nodiscard]] tuner begun() const { return {tk::space::any_space(space), how, limit, tk::random::philox(o.seed)}; }
    [[nodiscard]] bool is_time() const { return o.cost == "wall" || o.cost == "cpu"; }
};

/// One line on standard error.
void complain(const std::string& what) { std::fprintf(stderr, "tune_command: %s\n", what.c_str()); }

/// What a run came to: its record, and why it ended.
struct driven_run {
    tk::tuning record;
    std::string stopped;
    std::string problem;  ///< of the log, or of what measures; else empty
};

/// A run to its end, with a log where one is wanted. What was found is kept where the log fails, or what measures.
template <class Drive>
driven_run driven(const setup& s, tuner t, const Drive& drive)
{
    const command_options& o = s.o;
    const auto carry = [&](auto& run) {
        driven_run out;
        try {
            drive(run);
        } catch (const std::exception& e) {
            if (run.record().trials().empty()) throw;  // nothing is lost
            complain(out.problem = e.what());
        }
        out.record = run.record();
        out.stopped = out.problem.empty() ? to_text(run.stopped()) : "what measures failed";
        if constexpr (requires { run.look(); })
            if (!run.look()) {
                complain(out.problem = run.problem());
                out.stopped = "the log failed";
            }
        return out;
    };
    if (o.log.empty()) return carry(t);
    tk::io::logged kept(o.log, std::move(t),
                        {.name = "command", .strategy = s.begins.name, .seed = o.seed, .resume = o.resume});
    if (!kept.note().empty()) complain(kept.note());
    return carry(kept);
}

/// Another program measures what it is told. The exit status.
int serve(setup s)
{
    const auto scenario = s.file.scenario.value_or(tk::io::scenario{.first = 1});
    if (s.o.trials == 0 && scenario.first + scenario.then > 0 && s.file.scenario)
        s.limit.trials = scenario.first + scenario.then;
    else if (s.o.trials == 0)
        tk::invalid("--serve needs --trials N where the space is no scenario with optimization_iterations");
    const tk::stop_on_signal stop;
    const auto ended = driven(s, s.begun(), [&](auto& t) {
        programs::serve_baco(t, s.space, scenario, stdin, stdout, [&] { return stop.heard() != 0; });
    });
    if (stop.heard() != 0) complain("ended by signal " + std::to_string(stop.heard()) + " while it served");
    programs::check_output();
    return stop.heard() != 0 ? stop.status() : ended.problem.empty() ? 0 : 2;
}

/// Every parameter occurs in the program.
void check_use(const tk::measure::program& program)
{
    for (const std::string& name : program.unused())
        tk::invalid("the parameter '" + name + "' occurs in no argument, variable or file; want {" + name +
                    "} somewhere, or a space without it");
}

/// What a page shows of the run.
tk::report::seen_run seen_of(const setup& s, const tk::tuning& now, tk::index untuned)
{
    auto run = tk::report::seen_run_of("tune_command", s.space, now);
    run.facts = {"strategy " + s.o.strategy, "seed " + std::to_string(s.o.seed),
                 "machine " + to_text(tk::this_machine()), "tunekit " + programs::version_text()};
    if (!s.is_time()) run.facts.emplace_back("costs are numbers of the program: this page shows 1 as 1 s");
    run.workers = s.o.workers;
    run.repeat = {s.o.command_line};
    run.tasks.front().baseline = untuned;
    return run;
}

/// What is told of a run: the finalists are run afresh, one at a time, unless the end was asked for or something failed.
programs::command_report report_of(const setup& s, tk::measure::program& program, const driven_run& run,
                                   tk::index untuned, double seconds, const tk::stop_on_signal& stop)
{
    auto options = programs::program_of(s.o);
    const tk::tuning& record = run.record;
    programs::command_report r{.trials = record.trials().size(),
                               .failed = record.failed(),
                               .seconds = record.seconds(),
                               .stopped = run.stopped,
                               .problem = run.problem,
                               .is_time = s.is_time()};
    for (const auto& n : options.numbers) r.number_names.push_back(n.name);
    for (const auto& trial : record.trials())
        if (trial.measured.failed) r.last_failure = trial.measured.failed->message;
    programs::tell_trials(r, record, untuned);
    if (stop.heard() == 0 && r.problem.empty()) try {
            options.repetition = tk::measure::any_repetition(tk::measure::fixed{.runs = 1, .batch = 1});
            options.workers = 1;
            options.builders = 0;
            options.build_directory = program.builds();
            tk::measure::program alone(s.space, std::move(options));
            tk::measure::interruptible track(alone, [&] { return stop.heard() != 0; });
            programs::compare(r, record, untuned, track,
                              {.run_seconds = s.o.run_seconds, .build_seconds = s.o.build_seconds}, seconds);
        } catch (const std::exception& e) {
            complain(r.problem = e.what());
        }
    for (auto* c : {r.untuned ? &*r.untuned : nullptr, r.best ? &*r.best : nullptr})
        if (c != nullptr) c->numbers = program.numbers_of(c->candidate);
    return r;
}

/// The exit status.
int run(const command_options& o)
{
    setup s(o);
    for (const std::string& note : s.begins.notes) complain(note);
    if (o.serve) return serve(std::move(s));
    if (o.command.empty())
        tk::invalid(
            "there is no command: want it after --, as in tune_command --space space.json -- ./program --tile {tile}");
    tk::measure::program program(s.space, programs::program_of(o));
    check_use(program);
    const double seconds = o.seconds > 0 ? o.seconds : o.trials > 0 || o.gain_below > 0 ? tk::forever : 60;
    s.limit.seconds = seconds < tk::forever ? (1 - programs::race_share) * seconds : seconds;
    const tk::index untuned = untuned_of(o, s.file, s.space);
    o.report.check();
    programs::check_file("--t4", o.t4);
    programs::run_report page(o.report);

    const tk::stop_on_signal stop;
    auto t = s.begun();
    t.begin_with({untuned});
    tk::measure::interruptible pool(program, [&] { return stop.heard() != 0; });
    const driven_run ended = driven(s, std::move(t), [&](auto& of) {
        live_progress line(s.is_time(), stop);
        tk::tune(of, pool, {.watch = [&](const tk::tuning& now) {
                     if (page.due()) page.write(seen_of(s, now, untuned), true);
                     return line(now);
                 }});
    });
    const auto r = report_of(s, program, ended, untuned, seconds, stop);
    const auto winner = r.best ? program.command_of(r.best->candidate, ".", "tuned") : tk::measure::program_command{};
    if (o.json) programs::print_json(r, s.space, winner);
    else programs::print_table(r, s.space, winner);
    // What was found is out. What cannot be written now is told, each by a line.
    int status = !r.problem.empty() ? 2 : stop.heard() != 0 ? stop.status() : r.best ? 0 : 1;
    const auto written = [&](auto&& write) {
        try {
            write();
        } catch (const std::exception& e) {
            complain(e.what());
            status = 2;
        }
    };
    written([] { programs::check_output(); });
    if (!o.t4.empty()) written([&] { tk::io::write_t4(o.t4, programs::t4_of(ended.record, s.space, s.is_time())); });
    if (page.wanted())
        written([&] {
            auto last = seen_of(s, ended.record, untuned);
            if (r.best) last.use = {programs::shell_line(winner.arguments)};
            if (!r.problem.empty()) last.facts.push_back(r.stopped + ": " + r.problem);
            page.write(last, false);
        });
    return status;
}

}  // namespace

int main(int argc, char** argv)
{
    command_options o;
    CLI::App app(
        "Tunes any program by its command line: placeholders {name} in its arguments, variables and files stand for "
        "the parameters of a space.",
        "tune_command");
    programs::describe(app, o);
    app.add_option("--strategy", o.strategy, "what is tried next: " + programs::list(programs::recipes()))
        ->capture_default_str()
        ->type_name("NAME");
    app.set_version_flag("--version", "tune_command (tunekit) " + programs::version_text());
    try {
        o.command_line = programs::shell_line(std::vector<std::string>(argv, argv + argc));
        app.parse(programs::split_command_line(app, argc, argv, o));
        if (o.resume && o.log.empty()) tk::invalid("--resume needs a log, want --log FILE");
        return run(o);
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) return app.exit(e);
        std::fprintf(stderr, "tune_command: %s (--help lists the options)\n", e.what());
        return 2;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "tune_command: %s\n", e.what());
        return 2;
    }
}
