// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What tune_command tells at its end: a table, JSON, a T4 file, and a command to paste.

#include <algorithm>
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
#include "tunekit/stats/interval.hpp"
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

/// A row of the table at the end: a configuration and how many times the cost of the best it has.
struct ranked_configuration {
    std::string what{};  ///< default, first, best, tied, unclear, or next: it did not take part in the last comparison
    tunekit::report::findings::configuration is;
    double ratio = 1;
};

/// The ten best, and the default before them. Costs of the search are compared with those of the search, because the machine may
/// have changed since.
inline std::vector<ranked_configuration> ten_best(const tunekit::report::seen_task& t,
                                                  const tunekit::report::findings& f)
{
    namespace detail = tunekit::report::detail;
    std::vector<ranked_configuration> out;
    if (!f.best) return out;
    std::size_t room = 10;
    const auto shown = [&](tunekit::index i) {
        return std::any_of(out.begin(), out.end(), [i](const auto& row) { return row.is.candidate == i; });
    };
    if (f.compared && (f.against_baseline || f.compared->candidate != f.best->candidate))
        out.push_back({f.against_baseline ? "default" : "first", *f.compared, f.gain});
    const auto add = [&](const std::string& what, const tunekit::report::findings::configuration& c, double ratio) {
        if (room == 0) return;
        --room;
        out.push_back({what, c, ratio});
    };
    add("best", *f.best, 1);
    const std::string beside = f.verdict.says == tunekit::verdict::kind::tied ? "tied" : "unclear";
    for (const auto& c : f.tied) add(beside, c, c.cost / f.best->cost);
    std::vector<const tunekit::report::seen_task::trial*> others;
    double least = f.best->cost;
    for (const auto& x : t.trials)
        if (x.candidate == f.best->candidate && x.verified()) least = x.measured.cost;
        else if (!shown(x.candidate) && x.verified()) others.push_back(&x);
    std::stable_sort(others.begin(), others.end(),
                     [](const auto* a, const auto* b) { return a->measured.cost < b->measured.cost; });
    for (const auto* x : others) {
        if (room == 0 || shown(x->candidate)) continue;
        auto c = detail::told_of(t, x->candidate);
        c.cost = detail::stated(x->measured);
        if (const double margin = detail::margin_of(x->measured); margin > 0)
            c.within = {c.cost - margin, c.cost + margin};
        add("next", c, x->measured.cost / least);
    }
    return out;
}

/// `more(json)` adds what is told of instances.
template <class More>
void print_json(const command_report& r, const tunekit::space::value_product& space, More&& more)
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
    out["next"] = json::array();  // of the ten best, by the search alone
    for (const auto& row : ten_best(r.task(), f))
        if (row.what == "next") out["next"].push_back(json_of(r, space, row.is));
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
    more(out);
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

/// The 95 % interval of a cost in words; empty where it is not known, or not bounded.
inline std::string interval_text(const tunekit::report::cost_unit& unit, const tunekit::stats::interval& of)
{
    const auto within = unit.shown(of);
    if (!(within.low > 0) || !std::isfinite(within.high)) return "";
    std::string out = "[";  // the ends are as they are shown
    out.append(cost_text(unit, unit.shown(within.low))).append(", ");
    return out.append(cost_text(unit, unit.shown(within.high))) += ']';
}

/// What failed: the default first, then each kind with its count, its first message and what explains it.
inline void print_failures(const command_report& r)
{
    const auto& f = r.found;
    const auto said = [](const std::string& message) {
        return message.empty() ? "" : ": " + tunekit::report::printable(message);
    };
    if (f.default_failed)
        std::printf("the default failed, %s%s\n", to_text(f.default_failed->kind).c_str(),
                    said(f.default_failed->message).c_str());
    for (const auto& k : f.failures)
        std::printf("%zu failed, %s%s%s\n", k.trials, to_text(k.kind).c_str(), said(k.message).c_str(),
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

/// `more()` prints what is told of instances.
template <class More>
void print_table(const command_report& r, const tunekit::space::value_product& space, More&& more)
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
    tunekit::report::text_table table({"", head, "95 % interval", "ratio", "configuration"}, {-8, 12, -28, 7, -1});
    for (const auto& [what, c, ratio] : ten_best(t, f))
        table.row(what, cost_text(t.unit, c.cost), interval_text(t.unit, c.within), tunekit::report::fixed(ratio, 2),
                  space.text(c.candidate) + numbers_text(t, c, "; "));
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
    more();
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
