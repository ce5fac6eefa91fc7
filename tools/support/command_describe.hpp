// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What tune_command knows before it runs anything: the space, what a log found in it, and the commands that would be run.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/support/command_report.hpp"
#include "tools/support/command_run.hpp"
#include "tunekit/processes/program/program.hpp"
#include "tunekit/report/findings.hpp"
#include "tunekit/report/from_log.hpp"
#include "tunekit/report/text_table.hpp"

namespace programs {

/// The space, its default, and the findings of a run over it.
inline nlohmann::ordered_json description_of(const command_setup& s, const tunekit::report::seen_task& task)
{
    using json = nlohmann::ordered_json;
    json out{{"size", s.space.size()}, {"parameters", json::array()}, {"constraints", s.file.constraints}};
    for (const auto& p : s.file.parameters) {
        json values = json::array();
        for (const auto& v : p.values) values.push_back(json_of(v));
        out["parameters"].push_back({{"name", p.name}, {"values", values}});
    }
    out["default"] = json_of(s.space, s.untuned);
    out["unit"] = task.unit.name;
    out["maximize"] = task.unit.maximize;
    const auto f = tunekit::report::findings_of(task);
    out["trials"] = task.trials.size();
    out["failed"] = f.failed;
    out["best"] = json();
    if (f.best && f.best->candidate < s.space.size())
        out["best"] = {{"config", json_of(s.space, f.best->candidate)}, {"cost", task.unit.shown(f.best->cost)}};
    out["importance"] = json();  // shares of the variance of ln cost
    if (f.shares && f.shares->trees > 0)
        for (const std::size_t j : f.order) out["importance"][f.axes[j].name] = f.shares->singles[j].mean;
    return out;
}

/// The trials of the log of this space; none where there is no such log.
inline tunekit::report::seen_task task_of_log(const command_setup& s)
{
    if (s.o.log.empty()) return {.unit = s.unit};
    auto run = tunekit::report::seen_run_of_log(s.o.log);
    auto& task = run.tasks.front();
    const auto names = s.space.names();
    if (task.size != s.space.size() ||
        !std::equal(task.parameters.begin(), task.parameters.end(), names.begin(), names.end()))
        tunekit::invalid("--log " + s.o.log + " is of another space than " + s.space_name() +
                         ", want the one it was written with");
    return task;
}

/// Prints the description, for a person or as JSON.
inline void print_description(const command_setup& s)
{
    const auto all = description_of(s, task_of_log(s));
    const auto dumped = [](const nlohmann::ordered_json& j, int indent) {
        return j.dump(indent, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
    };
    if (s.o.json) {
        std::printf("%s\n", dumped(all, 2).c_str());
        return;
    }
    std::printf("%s: %s configuration%s\n\n", tunekit::report::printable(s.space_name()).c_str(),
                dumped(all["size"], -1).c_str(), s.space.size() == 1 ? "" : "s");
    const bool known = !all["importance"].is_null();
    tunekit::report::text_table table({"parameter", "matters", "default", "best", "values"}, {-9, 7, -7, -4, -1});
    for (const auto& p : all["parameters"]) {
        const std::string name = p["name"];
        const std::string best = all["best"].is_null() ? "" : dumped(all["best"]["config"][name], -1);
        std::string matters;
        if (known) matters = tunekit::report::fixed(100 * all["importance"][name].get<double>(), 0) + " %";
        table.row(name, matters, dumped(all["default"][name], -1), best, dumped(p["values"], -1));
    }
    std::fputs(table.text().c_str(), stdout);
    for (const auto& c : s.file.constraints)
        std::printf("%s%s\n", &c == &s.file.constraints.front() ? "\n" : "", tunekit::report::printable(c).c_str());
    if (all["trials"] == 0) return;
    std::string best;
    if (!all["best"].is_null()) best = ", best " + cost_text({all["unit"]}, all["best"]["cost"].get<double>());
    std::printf("\n%s trials, %s failed%s\n", dumped(all["trials"], -1).c_str(), dumped(all["failed"], -1).c_str(),
                tunekit::report::printable(best).c_str());
}

/// Prints the commands of the default and of two more configurations, and runs none. With instances it is the first of so many.
inline void print_commands(const command_setup& s, const tunekit::measure::program& program, std::size_t instances)
{
    std::vector<tunekit::index> shown{s.untuned};
    for (const tunekit::index i : {s.space.size() - 1, s.space.size() / 2, tunekit::index{0}})
        if (shown.size() < 3 && std::find(shown.begin(), shown.end(), i) == shown.end()) shown.push_back(i);
    for (const tunekit::index i : shown) {
        std::printf("# %s\n", tunekit::report::printable(s.space.text(i)).c_str());
        for (const auto& line : paste_lines(program.command_of(i * instances, "{scratch}", "{build}")))
            std::printf("%s\n", line.c_str());
    }
}

}  // namespace programs
