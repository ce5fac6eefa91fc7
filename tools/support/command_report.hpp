// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What tune_command tells at its end: a table, JSON, a T4 file, and a command to paste.

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/support/shell_words.hpp"
#include "tools/support/space_words.hpp"
#include "tools/support/verdict_json.hpp"
#include "tunekit/formats/t4.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/processes/program/program_options.hpp"
#include "tunekit/report/cost_unit.hpp"
#include "tunekit/report/findings.hpp"
#include "tunekit/report/run.hpp"
#include "tunekit/report/terminal.hpp"
#include "tunekit/report/text_table.hpp"
#include "tunekit/space/value_product.hpp"
#include "tunekit/tune/tuning.hpp"
#include "tunekit/tune/verdict.hpp"

namespace programs {

/// What is told of a run beside its findings.
struct command_report {
    tunekit::report::seen_run run;  ///< of one task
    tunekit::report::findings found;
    std::string problem{};  ///< of the log or of what measures, which ended the run or its last comparison; else empty
    tunekit::measure::program_options::filled winner{};

    [[nodiscard]] const tunekit::report::seen_task& task() const { return run.tasks.front(); }
};

inline nlohmann::ordered_json json_of(const tunekit::space::value_product& space, tunekit::index i)
{
    auto out = nlohmann::ordered_json::object();
    const auto values = space.at(i);
    for (std::size_t j = 0; j < values.size(); ++j) out[space.names()[j]] = json_of(values[j]);
    return out;
}

/// An infinity, and what is no number, is written as null.
inline nlohmann::ordered_json json_of(const command_report& r, const tunekit::space::value_product& space,
                                      const tunekit::report::findings::configuration& c)
{
    const auto& unit = r.task().unit;
    const auto within = unit.shown(c.within);
    nlohmann::ordered_json out{{"config", json_of(space, c.candidate)},
                               {"cost", unit.shown(c.cost)},
                               {"low", within.low},
                               {"high", within.high}};
    const auto& names = r.task().value_names;
    for (std::size_t k = 0; k < names.size() && k < c.numbers.size(); ++k) out["numbers"][names[k]] = c.numbers[k];
    return out;
}

inline void print_json(const command_report& r, const tunekit::space::value_product& space)
{
    using json = nlohmann::ordered_json;
    const auto& f = r.found;
    json out{{"trials", r.task().trials.size()}, {"failed", f.failed}, {"seconds", r.run.seconds}};
    out["cut_short"] = f.cut_short;  // of which the costs are bounds
    out["unit"] = r.task().unit.name;
    out["maximize"] = r.task().unit.maximize;
    out["default"] = json();
    if (f.compared) out[f.against_baseline ? "default" : "first"] = json_of(r, space, *f.compared);
    if (f.default_failed)
        out["default_failed"] = {{"kind", to_text(f.default_failed->kind)}, {"message", f.default_failed->message}};
    out["best"] = json();
    if (f.best) {
        out["best"] = json_of(r, space, *f.best);
        out["best"]["command"] = r.winner.arguments;
        for (const auto& [name, value] : r.winner.environment) out["best"]["environment"][name] = value;
        if (!r.winner.build.empty()) out["best"]["build"] = r.winner.build;
        if (f.compared) out["gain"] = f.gain;
    }
    if (f.nearest) out["nearest"] = json_of(r, space, *f.nearest);
    if (f.front) {
        const auto& t = r.task();
        const auto goals = [&](const tunekit::front_member& m) {
            json one{{"config", json_of(space, m.candidate)}};
            for (std::size_t g = 0; g < t.goals.size(); ++g) {
                const bool cost = t.goals[g] == 0;
                const double value = m.goals[g];
                const auto within = cost ? t.unit.shown(m.within[g]) : m.within[g];
                one["goals"][cost ? "cost" : t.value_names[t.goals[g] - 1]] = {
                    {"value", cost && std::isfinite(value) ? t.unit.shown(value) : value},
                    {"low", within.low},
                    {"high", within.high}};
            }
            return one;
        };
        out["front"] = json::array();
        for (const auto& m : f.front->members) out["front"].push_back(goals(m));
        out["dominated"] = json::array();
        for (const auto& m : f.front->dropped) out["dominated"].push_back(goals(m));
        out["rounds_of_front"] = f.front->rounds;
    }
    out["tied"] = json::array();
    for (const auto& t : f.tied) out["tied"].push_back(json_of(r, space, t));
    out["rounds"] = f.verdict.rounds;
    out["rounds_to_separate"] = f.verdict.rounds_to_separate;
    if (f.best) out["verdict"] = json_of(f.verdict);
    out["machine"] = to_text(r.task().checks, r.run.seconds);
    out["runs"] = f.runs;
    out["slow_runs"] = f.slow_runs;
    out["failures"] = json::array();
    for (const auto& k : f.failures)
        out["failures"].push_back(
            {{"kind", to_text(k.kind)}, {"trials", k.trials}, {"message", k.message}, {"where", k.where}});
    out["stopped"] = r.run.stopped;
    if (!r.problem.empty()) out["problem"] = r.problem;
    std::printf("%s\n", out.dump(2, ' ', true, json::error_handler_t::replace).c_str());
}

/// A cost for a terminal, with plain blanks.
inline std::string cost_text(const tunekit::report::cost_unit& unit, double cost)
{
    return tunekit::report::plain_blanks(unit.text(cost));
}

/// The lines to paste into a shell.
inline std::vector<std::string> paste_lines(const tunekit::measure::program_options::filled& winner)
{
    std::vector<std::string> out;
    if (!winner.build.empty()) out.push_back("mkdir -p tuned && " + shell_line(winner.build));
    std::string run;
    for (const auto& [name, value] : winner.environment) run += name + '=' + shell_word(value) + ' ';
    out.push_back(run + shell_line(winner.arguments));
    return out;
}

/// What failed: the default first, then each kind with its count, its first message and what explains it.
inline void print_failures(const command_report& r)
{
    const auto& f = r.found;
    const auto said = [](const std::string& message) {
        return message.empty() ? "" : ": " + tunekit::report::printable(message);
    };
    if (f.default_failed)
        std::printf("the default failed, %s%s\n", to_text(f.default_failed->kind),
                    said(f.default_failed->message).c_str());
    for (const auto& k : f.failures)
        std::printf("%zu failed, %s%s%s\n", k.trials, to_text(k.kind), said(k.message).c_str(),
                    k.where.empty() ? "" : ("; they are those with " + tunekit::report::printable(k.where)).c_str());
    if (!f.failures.empty()) std::printf("\n");
}

/// The parameters that explain a twentieth of the differences or more, with their shares of the variance of ln cost; else empty.
inline std::string what_mattered(const tunekit::report::findings& f)
{
    std::string out;
    if (!f.shares || f.shares->trees == 0) return out;
    for (const std::size_t j : f.order)
        if (const double share = f.shares->singles[j].mean; share >= 0.05)
            (out += out.empty() ? "" : ", ") += f.axes[j].name + ' ' + tunekit::report::fixed(100 * share, 0) + " %";
    return out;
}

inline void print_table(const command_report& r, const tunekit::space::value_product& space)
{
    using tunekit::report::detail::numbers_text;
    const auto& f = r.found;
    const auto& t = r.task();
    std::printf("%zu configuration%s measured, %zu failed, %.1f s: %s\n\n", t.trials.size(),
                t.trials.size() == 1 ? "" : "s", f.failed, r.run.seconds, r.run.stopped.c_str());
    print_failures(r);
    if (!f.best && f.nearest) {
        std::printf("no configuration keeps the limit of '%s'; the nearest that was found: %s%s\n",
                    tunekit::report::printable(t.objective).c_str(), space.text(f.nearest->candidate).c_str(),
                    numbers_text(t, *f.nearest, "; ").c_str());
        return;
    }
    if (!f.best) {
        std::printf("no configuration was measured without failing\n");
        return;
    }
    const char* const head = t.unit.maximize ? "score" : "cost";
    tunekit::report::text_table table({"", head, "95 % interval", "configuration"}, {-8, 12, -28, -1});
    const auto line = [&](const char* what, const tunekit::report::findings::configuration& c) {
        const auto within = t.unit.shown(c.within);
        const auto end = [&](double x) { return cost_text(t.unit, t.unit.shown(x)); };  // of what is shown
        const bool bounded = within.low > 0 && std::isfinite(within.high);
        table.row(what, cost_text(t.unit, c.cost), bounded ? "[" + end(within.low) + ", " + end(within.high) + "]" : "",
                  space.text(c.candidate) + numbers_text(t, c, "; "));
    };
    if (f.compared && (f.against_baseline || f.compared->candidate != f.best->candidate))
        line(f.against_baseline ? "default" : "first", *f.compared);
    line("best", *f.best);
    const bool tied = f.verdict.says == tunekit::verdict::kind::tied;
    for (const auto& c : f.tied) line(tied ? "tied" : "unclear", c);
    std::fputs(table.text().c_str(), stdout);
    std::fputs(tunekit::report::detail::front_text(t, f, "").c_str(), stdout);
    const bool two = f.compared && f.compared->candidate != f.best->candidate;
    if (two) {
        const std::string what = tunekit::report::detail::compared_words(f),
                          gain = tunekit::report::detail::number(f.gain, 3);
        if (t.unit.maximize) std::printf("\nthe best reaches %s times what %s does\n", gain.c_str(), what.c_str());
        else std::printf("\n%s costs %s times as much\n", what.c_str(), gain.c_str());
    }
    if (const std::string names = what_mattered(f); !names.empty())
        std::printf("\nwhat mattered: %s\n", tunekit::report::printable(names).c_str());
    if (f.verdict.kept) std::printf("\nnothing was shown to be better than the default, so that stays the best\n");
    if (t.goals.size() < 2) std::printf("\nthe best is %s\n", to_text(f.verdict).c_str());
    if (t.unit.is_time())
        std::printf("the machine was %s; %zu of %zu runs took more than twice their configuration's least\n",
                    to_text(t.checks, r.run.seconds).c_str(), f.slow_runs, f.runs);
    std::printf("\n");
    for (const std::string& command : paste_lines(r.winner)) std::printf("%s\n", command.c_str());
}

/// Every trial as Kernel Tuner writes them.
inline tunekit::io::t4_file t4_of(const tunekit::tuning& record, const tunekit::space::value_product& space,
                                  const tunekit::report::cost_unit& unit)
{
    tunekit::io::t4_file out;
    char stamp[40];
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    std::strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S+00:00", ::gmtime_r(&now, &utc));
    for (const auto& t : record.trials()) {
        const auto& m = t.measured;
        tunekit::io::t4_file::result r;
        r.configuration = json_of(space, t.candidate);
        r.timestamp = stamp;
        r.take(m, unit.word(), unit.name, unit.maximize);
        for (std::size_t k = 0; !m.failed && k < record.value_names.size() && k < m.values.size(); ++k)
            r.quantities.push_back({record.value_names[k], m.values[k], ""});
        out.results.push_back(std::move(r));
    }
    return out;
}

}  // namespace programs
