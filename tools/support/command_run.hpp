// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A run of tune_command: what is tuned and how, its progress on the terminal, its log, and what a page sees of it.

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/support/command_options.hpp"
#include "tools/support/command_program.hpp"
#include "tools/support/command_report.hpp"
#include "tools/support/command_starts.hpp"
#include "tools/support/names.hpp"
#include "tools/support/program.hpp"
#include "tools/support/shell_words.hpp"
#include "tunekit/curve/improvements.hpp"
#include "tunekit/formats/space_file.hpp"
#include "tunekit/measure/objective.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/processes/machine.hpp"
#include "tunekit/processes/stop_on_signal.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/parego.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/report/account.hpp"
#include "tunekit/report/run.hpp"
#include "tunekit/tune/pareto.hpp"
#include "tunekit/tune/task.hpp"
#include "tunekit/tune/tune.hpp"

namespace programs {

using command_tuner = tunekit::tuner<tunekit::space::any_space, tunekit::search::any_strategy, tunekit::random::philox>;

/// What the costs of a run mean, for its log: a resumed run has the same, or is told what is another.
inline tunekit::io::log_content::meaning meaning_of(const command_options& o)
{
    if (!o.serve.empty()) return {.cost = "told by who is served"};
    std::vector<std::string> program = o.command;
    const auto also = [&](const char* option, const std::string& value) {
        if (!value.empty()) program.insert(program.end(), {option, value});
    };
    for (const std::string& file : o.files) also("--file", file);
    also("--directory", o.directory);
    also("--result-file", o.result_file);
    also("--setup", o.setup);
    also("--prepare", o.prepare);
    also("--cleanup", o.cleanup);
    also("--input", o.input);
    if (!o.instances.empty()) {
        std::string list = tunekit::io::read_text(o.instances);
        std::replace(list.begin(), list.end(), '\n', ';');  // a message is one line
        also("--instances", list);
        also("--instance-cost", o.instance_cost);
        if (o.timeouts_count) program.emplace_back("--timeouts-count");
        if (o.every_instance) program.emplace_back("--every-instance");
    }
    if (o.warmup > 0) also("--warmup", std::to_string(o.warmup));
    if (o.keep_empty) program.emplace_back("--keep-empty");
    const auto limit = [](const char* name, double most, const char* unit) {
        return most > 0 ? std::string(", ") + name + ' ' + tunekit::core::text_of(most) + ' ' + unit : std::string();
    };
    std::string limits = limit("run", o.run_seconds, "s") + limit("build", o.build_seconds, "s") +
                         limit("CPU", o.cpu_seconds, "s") + limit("memory", static_cast<double>(o.memory_mib), "MiB");
    std::string check = o.check.empty() ? "status:0" : o.check;
    if (o.tolerance > 0) check += " --tolerance " + tunekit::core::text_of(o.tolerance);
    if (o.check_always) check += " --check-always";
    if (o.ignore_failure) check += " --ignore-failure";
    return {.cost = o.cost,
            .numbers = shell_line(o.numbers),
            .program = shell_line(program),
            .check = check,
            .limits = limits.substr((std::min)(limits.size(), std::size_t{2})),
            .environment = shell_line(o.environment),
            .build = shell_line(o.build),
            .repeat = o.repeat > 0 ? std::to_string(o.repeat) : "3 to 10"};
}

/// What is tuned and how, from the command line and the file of the space.
struct command_setup {
    const command_options& o;
    tunekit::report::cost_unit unit = unit_of(o);
    tunekit::io::space_file file = space_file_of(o);
    tunekit::space::value_product space = file.space();
    std::vector<std::string> logs = o.start_from;
    tunekit::experience of_others = taken_from(logs);
    begun_recipe begins = begun_recipe_of("strategy", o.strategy, logs, {o.log}, of_others);
    tunekit::recipes::any_recipe how = begins.how;
    std::vector<std::string> number_names = names_of_numbers(o);  ///< as they are measured
    std::optional<tunekit::measure::objective> objective = objective_of(o, number_names);
    std::vector<std::size_t> goals = goals_of(o, number_names);  ///< empty where there is one
    tunekit::index untuned = untuned_of(o, file, space);
    std::vector<tunekit::measure::trial> known = known_of(o, space, number_names);
    std::vector<tunekit::index> again{};  ///< what failed in an earlier run, to be tried again
    std::string told{};                   ///< what is taken of a past
    tunekit::budget limit{};

    explicit command_setup(const command_options& options) : o(options)
    {
        if (objective || !goals.empty()) how.limits.abandon_factor = tunekit::forever;  // one that is slow may be best
        if (o.strategy == "parego")
            how.strategy = tunekit::search::any_strategy(tunekit::recipes::parego(goals).strategy);
        for (auto& t : known) t.measured = judged(std::move(t.measured));
        retried_log earlier = retried_of(o, space, head());
        known.insert(known.end(), earlier.known.begin(), earlier.known.end());
        again = std::move(earlier.failed);
        for (const auto& [name, seconds] :
             {std::pair("--run-seconds ", o.run_seconds), std::pair("--build-seconds ", o.build_seconds)})
            if (!(seconds > 0)) tunekit::invalid(name + tunekit::core::text_of(seconds) + ", want more than 0 seconds");
        if (!(o.cpu_seconds >= 0))
            tunekit::invalid("--cpu-seconds " + tunekit::core::text_of(o.cpu_seconds) + ", want 0 (no limit) or more");
        how.limits.max_run_seconds = o.run_seconds;
        how.limits.max_build_seconds = o.build_seconds;
        how.limits.max_build_factor = o.build_factor;
        if (o.trials > 0) limit.trials = o.trials;
        set_gain(limit, o);
        limit.until_cost = good_enough(o, unit);
        const tunekit::task only("command", space, 1.0);
        told = told_of(begins.past, {&only, 1});
    }

    [[nodiscard]] command_tuner begun() const
    {
        command_tuner out(tunekit::space::any_space(space), how, limit, tunekit::random::philox(o.seed));
        out.name_values(value_names());
        for (const auto& t : known) out.know(t.candidate, t.measured);
        return out;
    }
    /// What its log says of its costs.
    [[nodiscard]] tunekit::io::log_content::head head() const
    {
        return {.value_names = value_names(),
                .objective = objective ? objective->text() : std::string(),
                .meaning = meaning_of(o),
                .about = {.unit = unit.name, .maximize = unit.maximize}};
    }
    /// The names of the numbers of a trial.
    [[nodiscard]] std::vector<std::string> value_names() const
    {
        return objective ? tunekit::measure::judged_names(number_names) : number_names;
    }
    /// A measurement as the objective has it.
    [[nodiscard]] tunekit::measure::measurement judged(tunekit::measure::measurement m) const
    {
        return objective ? tunekit::measure::judged(std::move(m), *objective, number_names) : m;
    }
    /// Calls f with `pool`, judged by the objective.
    template <class Pool, class F>
    void judge(Pool& pool, F&& f) const
    {
        if (!objective) return f(pool);
        tunekit::measure::by_objective by(pool, *objective, number_names);
        f(by);
    }
    /// The names of the goals.
    [[nodiscard]] std::vector<std::string> goal_names() const
    {
        std::vector<std::string> out;
        for (const std::size_t k : goals) out.push_back(k == 0 ? "cost" : number_names[k - 1]);
        return out;
    }
    /// Whether it ends with the default unless another was shown to be better; one that nobody chose is not used today.
    [[nodiscard]] bool never_worse() const { return !o.may_be_worse && (!o.untuned.empty() || file.untuned); }
    /// Where the space is from.
    [[nodiscard]] std::string space_name() const
    {
        return !o.space.empty() ? o.space : !o.space_words.empty() ? "the command line" : "--log " + o.log;
    }
    /// The space for its log, with the default that somebody chose.
    [[nodiscard]] std::string space_text() const
    {
        auto out = json_of(file);
        if (!o.untuned.empty() || file.untuned) out["default"] = json_of(space, untuned);
        return out.dump(-1, ' ', true);
    }
    /// What the page is called: the program's name.
    [[nodiscard]] std::string title() const
    {
        return o.command.empty()  ? space_name()
               : !o.shell.empty() ? o.shell
                                  : o.command.front().substr(o.command.front().rfind('/') + 1);
    }
    [[nodiscard]] std::vector<std::vector<std::string>> texts() const
    {
        std::vector<std::vector<std::string>> out;
        for (const auto& p : file.parameters) {
            auto& of = out.emplace_back();
            for (const auto& v : p.values) of.push_back(tunekit::space::text_of_value(v));
        }
        return out;
    }

    /// What a page shows of the run.
    [[nodiscard]] tunekit::report::seen_run seen(const tunekit::tuning& now) const
    {
        auto run = tunekit::report::seen_run_of(title(), space, now);
        run.facts = {"strategy " + o.strategy, "seed " + std::to_string(o.seed),
                     "machine " + to_text(tunekit::this_machine()), "tunekit " + version_text()};
        if (!told.empty()) run.facts.push_back(told);
        run.workers = o.workers;
        if (o.flop) run.peak_flops = 1e9 * *o.peak;
        run.repeat = {o.command_line};
        auto& task = run.tasks.front();
        task.baseline = untuned;
        task.never_worse = never_worse();
        task.unit = unit;
        if (o.flop) task.flops = *o.flop;
        task.value_names = value_names();
        task.goals = goals;
        task.objective = o.objective;
        task.texts = texts();
        return run;
    }
};

/// A line on the terminal that is rewritten, or one at each improvement where there is no terminal. It says when to stop.
class live_progress {
public:
    live_progress(const command_setup& s, const tunekit::stop_on_signal& stop)
        : unit_(s.unit), until_gain_(s.o.until_gain), stop_(stop), terminal_(::isatty(2) != 0)
    {
    }
    ~live_progress()
    {
        if (terminal_) std::fprintf(stderr, "\r\033[K");
    }
    bool operator()(const tunekit::tuning& record)
    {
        const bool better = record.best_cost() < best_;
        best_ = record.best_cost();
        const std::string broken = record.beyond_limit();
        if (terminal_ || better)
            std::fprintf(stderr, "%s%zu configuration%s, %llu failed, %.1f s%s%s%s", terminal_ ? "\r\033[K" : "",
                         record.trials().size(), record.trials().size() == 1 ? "" : "s",
                         static_cast<unsigned long long>(record.failed()), record.seconds(),
                         !record.found()  ? ""
                         : broken.empty() ? ", best "
                                          : ", ",
                         !record.found()  ? ""
                         : broken.empty() ? cost_text(unit_, best_).c_str()
                                          : broken.c_str(),
                         terminal_ ? "" : "\n");
        pays_ = pays_ && !gains_little(record);
        return stop_.heard() != 0 || !pays_;
    }
    /// Whether as many trials again are expected to gain as much as --until-gain wants.
    [[nodiscard]] bool pays() const noexcept { return pays_; }

private:
    [[nodiscard]] bool gains_little(const tunekit::tuning& record) const
    {
        const std::size_t n = record.curve().size();
        if (until_gain_ == 0 || n < 8 || !record.found()) return false;
        std::vector<double> best;
        for (const auto& p : record.curve()) best.push_back(1 / p.best_cost);
        return tunekit::curve::improvement_process{}.gains(best, 2 * static_cast<double>(n)).saved_share() <
               until_gain_;
    }

    tunekit::report::cost_unit unit_;
    double until_gain_;
    const tunekit::stop_on_signal& stop_;
    bool terminal_, pays_ = true;
    double best_ = std::numeric_limits<double>::infinity();
};

/// What a run came to: its record, its last comparison, and why it ended.
struct driven_run {
    tunekit::tuning record{};
    std::vector<tunekit::report::seen_task::trial> rounds{};
    std::string stopped{};
    std::string problem{};  ///< of the log, or of what measures; else empty
};

/// A run to its end, with a log where one is wanted. `begin()` is called when that was read, and `drive(run)` measures; then `compare(out, each)` runs the last comparison,
/// of which `each(round, candidate, measurement)` hears. What was found is kept where the log fails, or what measures.
template <class Begin, class Drive, class Compare>
driven_run driven(const command_setup& s, command_tuner t, Begin&& begin, Drive&& drive, Compare&& compare)
{
    const command_options& o = s.o;
    const auto carry = [&](auto& run) {
        constexpr bool logs = requires { run.look(); };
        driven_run out;
        begin();
        try {
            drive(run);
        } catch (const std::exception& e) {
            if (run.record().trials().empty()) throw;  // nothing is lost
            complain(out.problem = e.what());
        }
        out.record = run.record();
        out.stopped = out.problem.empty() ? to_text(run.stopped()) : "what measures failed";
        const auto look = [&] {
            if constexpr (logs)
                if (!run.look() && out.stopped != "the log failed") {
                    complain(out.problem = run.problem());
                    out.stopped = "the log failed";
                }
        };
        look();
        if (out.problem.empty()) try {
                compare(out, [&](std::uint64_t round, tunekit::index i, const tunekit::measure::measurement& m) {
                    out.rounds.push_back({.candidate = i, .values = s.space.texts(i), .measured = m, .round = round});
                    if constexpr (logs) run.compared(round, i, m);
                });
            } catch (const std::exception& e) {
                complain(out.problem = e.what());
            }
        if constexpr (logs)
            if (out.stopped != "the log failed") {
                auto task = s.seen(out.record).tasks.front();
                task.rounds = out.rounds;
                const auto found = tunekit::report::detail::concluded(task);
                run.ended(out.stopped, found.best ? std::optional<tunekit::verdict>(found) : std::nullopt);
            }
        look();
        return out;
    };
    if (o.log.empty()) return carry(t);
    tunekit::io::logged kept(o.log, std::move(t),
                             {.name = "command",
                              .strategy = s.begins.name,
                              .seed = o.seed,
                              .resume = o.resume,
                              .fastest = o.is_time(),
                              .objective = s.head().objective,
                              .meaning = s.head().meaning,
                              .about = {.title = s.title(),
                                        .unit = s.unit.name,
                                        .maximize = s.unit.maximize,
                                        .untuned = s.untuned,
                                        .never_worse = s.never_worse(),
                                        .values = s.texts(),
                                        .goals = s.goal_names(),
                                        .space = s.space_text()}});
    if (!kept.note().empty()) complain(kept.note());
    return carry(kept);
}

}  // namespace programs
