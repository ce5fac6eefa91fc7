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
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/support/command_options.hpp"
#include "tools/support/command_report.hpp"
#include "tools/support/command_serve.hpp"
#include "tools/support/names.hpp"
#include "tools/support/program.hpp"
#include "tools/support/shell_words.hpp"
#include "tunekit/core/machine.hpp"
#include "tunekit/formats/space_file.hpp"
#include "tunekit/io/logged.hpp"
#include "tunekit/measure/program/program.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/tune/stop_on_signal.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

namespace {

using programs::command_options;

/// The pool, until somebody asks for an end: then what is out comes back unmeasured.
class until_signal {
public:
    until_signal(tk::measure::program& pool, const tk::stop_on_signal& stop)
        : pool_(pool), stop_(stop), places_(pool.room())
    {
    }

    [[nodiscard]] std::size_t workers() const { return pool_.workers(); }
    [[nodiscard]] std::size_t room() const { return places_ - out_.size(); }
    [[nodiscard]] double now() const { return pool_.now(); }
    void submit(const tk::job& j)
    {
        if (stop_.heard() == 0) pool_.submit(j);  // else it comes back at once
        out_.push_back(j.ticket);
    }
    [[nodiscard]] std::vector<tk::answer> collect(double seconds)
    {
        const double until = pool_.now() + seconds;
        for (;;) {
            if (stop_.heard() != 0) {
                std::vector<tk::answer> lost;
                for (const tk::ticket t : std::exchange(out_, {})) lost.push_back({.ticket = t});
                return lost;
            }
            auto answers = pool_.collect(0.1);
            for (const auto& a : answers) std::erase(out_, a.ticket);
            if (!answers.empty() || out_.empty() || pool_.now() >= until) return answers;
        }
    }
    [[nodiscard]] bool stopped() const { return stop_.heard() != 0; }
    /// As a measurer, for the race: what was asked to end is a failure.
    [[nodiscard]] std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch,
                                                                const tk::measure::limits& within)
    {
        std::vector<tk::measure::measurement> out;
        for (const tk::index i : batch) {
            tk::measure::measurement m{
                .failed = tk::measure::failure{tk::measure::failure_kind::lost, 0, "the run was ended"}};
            if (stop_.heard() == 0) {
                submit({.candidate = i, .limits = within});
                std::vector<tk::answer> answers;
                while (answers.empty()) answers = collect(1);
                if (answers.front().measured) m = *answers.front().measured;
            }
            out.push_back(std::move(m));
        }
        return out;
    }

private:
    tk::measure::program& pool_;
    const tk::stop_on_signal& stop_;
    std::size_t places_;
    std::vector<tk::ticket> out_;
};

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

constexpr double race_share = 0.1;    // of the seconds, for the last comparison
constexpr double short_seconds = 30;  // where only trials are counted: what separating two may take in any case
constexpr std::size_t finalists = 3;  // and the default
constexpr std::uint32_t max_rounds = 30;

const tk::measure::measurement* measured_in(const tk::tuning& record, tk::index i)
{
    for (const auto& t : record.trials())
        if (t.candidate == i && t.measured.ok()) return &t.measured;
    return nullptr;
}

/// The best and the default, run afresh side by side for a tenth of `seconds`, or of the time so far where there is no
/// limit. There it takes the rounds that can separate two, unless they take longer than the run did. Of those that the
/// race cannot tell apart the one with the lowest fresh median is taken. Where the seconds are too few for one round,
/// what was measured before is told.
void race(programs::command_report& r, const tk::tuning& record, tk::index untuned, until_signal& measurer,
          const tk::measure::limits& within, double seconds)
{
    if (!record.found()) return;
    const auto told = [&](tk::index i) {
        return programs::told_configuration{.candidate = i, .cost = measured_in(record, i)->cost};
    };
    r.best = told(record.incumbent().candidate);
    if (measured_in(record, untuned) != nullptr) r.untuned = told(untuned);
    const auto line_up = [&](std::size_t n) {
        std::vector<tk::index> out = record.finalists(n);
        if (std::find(out.begin(), out.end(), untuned) == out.end()) out.push_back(untuned);
        return out;
    };
    const auto round_of = [&](const std::vector<tk::index>& all) {
        double out = 1e-3;  // seconds, about
        for (const tk::index i : all)
            if (const auto* m = measured_in(record, i)) out += m->run_seconds / (std::max)(m->runs, 1U);
        return out;
    };
    const auto enough = [](const std::vector<tk::index>& all) { return tk::measure::rounds_to_separate(all.size()); };
    std::vector<tk::index> all = line_up(1);
    const double to_separate = enough(all) * round_of(all), most = (std::max)(short_seconds, record.seconds());
    double left = seconds < tk::forever ? race_share * seconds : (std::max)(1.0, race_share * record.seconds());
    if (!(seconds < tk::forever) && to_separate <= most)
        left = (std::max)(left, (std::min)(1.5 * to_separate, most));  // 1.5: one disturbed round does no harm then
    if (const auto more = line_up(finalists); left >= enough(more) * round_of(more)) all = more;
    if (all.size() > 1) {
        r.rounds_to_separate = enough(all);
        r.seconds_to_separate = to_separate / race_share;
    }
    if (left < round_of(all)) return;  // it would take longer than the run may
    const auto rounds = static_cast<std::uint32_t>((std::min)(double{max_rounds}, left / round_of(all)));
    const auto result = tk::measure::race(measurer, all, within, {.max_rounds = rounds});
    r.rounds = result.rounds;
    if (!result.winner || measurer.stopped()) return;
    double lowest = std::numeric_limits<double>::infinity();
    std::vector<programs::told_configuration> tied;
    for (const auto& s : result.standings) {
        if (s.failed || s.costs.empty()) continue;
        // Costs of rounds that were not run side by side do not compare: all are told by what they were slower in common rounds.
        const programs::told_configuration t{
            .candidate = s.candidate, .cost = s.cost, .within = programs::median_interval(s.costs)};
        const double cost = result.cost * (1 + s.against_winner.median);
        if (s.candidate == untuned) r.untuned = t;
        if (!s.tied) continue;
        tied.push_back(t);
        if (cost < lowest) r.best = t;
        lowest = (std::min)(lowest, cost);
    }
    for (const auto& t : tied)
        if (t.candidate != r.best->candidate) r.tied.push_back(t);
}

/// The exit status.
int run(const command_options& o)
{
    const tk::io::space_file file = tk::io::read_space_file(o.space);
    const tk::space::value_product space = file.space();
    tk::recipes::any_recipe how = programs::find(programs::recipes(), "strategy", o.strategy);
    how.limits.max_run_seconds = o.run_seconds;
    how.limits.max_build_seconds = o.build_seconds;
    tk::budget limit;
    if (o.trials > 0) limit.trials = o.trials;
    programs::set_gain(limit, o);
    tk::io::logged_options about{.name = "command", .strategy = o.strategy, .seed = o.seed, .resume = o.resume};
    const auto with = [&](const tk::tuner<tk::space::any_space, tk::search::any_strategy, tk::random::philox>& t,
                          const auto& drive) {
        if (o.log.empty()) {
            auto plain = t;
            drive(plain);
            return plain.record();
        }
        tk::io::logged kept(o.log, t, about);
        if (!kept.note().empty()) std::fprintf(stderr, "tune_command: %s\n", kept.note().c_str());
        drive(kept);
        if (kept.failed()) std::fprintf(stderr, "tune_command: %s\n", kept.problem().c_str());
        return kept.record();
    };
    const auto begun = [&] { return tk::tuner(tk::space::any_space(space), how, limit, tk::random::philox(o.seed)); };
    if (o.serve) {
        const auto scenario = file.scenario.value_or(tk::io::scenario{.first = 1});
        if (o.trials == 0 && scenario.first + scenario.then > 0 && file.scenario)
            limit.trials = scenario.first + scenario.then;
        else if (o.trials == 0)
            tk::invalid("--serve needs --trials N where the space is no scenario with optimization_iterations");
        with(begun(), [&](auto& t) { programs::serve_baco(t, space, scenario, stdin, stdout); });
        return 0;
    }
    if (o.command.empty())
        tk::invalid(
            "there is no command: want it after --, as in tune_command --space space.json -- ./program --tile {tile}");
    tk::measure::program program(space, programs::program_of(o));
    for (const std::string& name : program.unused())
        tk::invalid("the parameter '" + name + "' occurs in no argument, variable or file; want {" + name +
                    "} somewhere, or a space without it");
    const double seconds = o.seconds > 0 ? o.seconds : o.trials > 0 || o.gain_below > 0 ? tk::forever : 60;
    limit.seconds = seconds < tk::forever ? (1 - race_share) * seconds : seconds;
    const tk::index untuned = untuned_of(o, file, space);
    const bool is_time = o.cost == "wall" || o.cost == "cpu";

    o.report.check();
    programs::check_file("--t4", o.t4);
    programs::run_report page(o.report);
    const auto seen = [&](const tk::tuning& now) {
        auto run = tk::report::seen_run_of("tune_command", space, now);
        run.facts = {"strategy " + o.strategy, "seed " + std::to_string(o.seed),
                     "machine " + to_text(tk::this_machine()), "tunekit " + programs::version_text()};
        if (!is_time) run.facts.emplace_back("costs are numbers of the program: this page shows 1 as 1 s");
        run.workers = o.workers;
        run.repeat = {o.command_line};
        run.tasks.front().baseline = untuned;
        return run;
    };

    const tk::stop_on_signal stop;
    auto t = begun();
    t.begin_with({untuned});
    until_signal pool(program, stop);
    const tk::tuning record = with(t, [&](auto& driven) {
        live_progress line(is_time, stop);
        tk::tune(driven, pool, {.watch = [&](const tk::tuning& now) {
                     if (page.due()) page.write(seen(now), true);
                     return line(now);
                 }});
    });
    programs::command_report r{.trials = record.trials().size(),
                               .failed = record.failed(),
                               .seconds = record.seconds(),
                               .stopped = to_text(record.stopped()),
                               .is_time = is_time};
    const auto options = programs::program_of(o);
    for (const auto& n : options.numbers) r.number_names.push_back(n.name);
    for (const auto& trial : record.trials())
        if (trial.measured.failed) r.last_failure = trial.measured.failed->message;
    if (stop.heard() == 0) {
        auto single = options;
        single.repetition = tk::measure::any_repetition(tk::measure::fixed{.runs = 1, .batch = 1});
        single.workers = 1;
        single.builders = 0;
        single.build_directory = program.builds();
        tk::measure::program alone(space, std::move(single));
        until_signal track(alone, stop);
        race(r, record, untuned, track, {.run_seconds = o.run_seconds, .build_seconds = o.build_seconds}, seconds);
    } else if (record.found()) {
        r.best = {.candidate = record.incumbent().candidate, .cost = record.best_cost()};
        if (const auto* m = measured_in(record, untuned)) r.untuned = {.candidate = untuned, .cost = m->cost};
    }
    for (auto* c : {r.untuned ? &*r.untuned : nullptr, r.best ? &*r.best : nullptr})
        if (c != nullptr) c->numbers = program.numbers_of(c->candidate);
    if (!o.t4.empty()) tk::io::write_t4(o.t4, programs::t4_of(record, space, is_time));
    const auto winner = r.best ? program.command_of(r.best->candidate, ".", "tuned") : tk::measure::program_command{};
    if (o.json) programs::print_json(r, space, winner);
    else programs::print_table(r, space, winner);
    programs::check_output();
    if (page.wanted()) {
        auto run = seen(record);
        if (r.best) run.use = {programs::shell_line(winner.arguments)};
        page.write(run, false);
    }
    if (stop.heard() != 0) return stop.status();
    return r.best ? 0 : 1;
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
