// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What `measure::program` makes of the command line of tune_command.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tools/support/command_options.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/formats/space_file.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/fastest_quarter.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/objective.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/processes/powercap.hpp"
#include "tunekit/processes/program/program_options.hpp"
#include "tunekit/processes/program/readings.hpp"
#include "tunekit/records/json_reading.hpp"
#include "tunekit/report/cost_unit.hpp"
#include "tunekit/space/value_product.hpp"
#include "tunekit/tune/pareto.hpp"

namespace programs {

/// How costs are told. Throws std::invalid_argument where the options contradict each other.
inline tunekit::report::cost_unit unit_of(const command_options& o)
{
    if (o.is_time() && o.maximize)
        tunekit::invalid("--maximize is for a score of the program, want --cost regex:EXPRESSION or json:/POINTER too");
    if (o.maximize && !o.objective.empty())
        tunekit::invalid("--maximize with --objective, want an objective that is lowered, such as '1 / NAME'");
    if (o.is_time() && o.unit.value_or("s") != "s")
        tunekit::invalid("--unit " + *o.unit + ", but --cost " + o.cost +
                         " is in seconds, want another cost, or no --unit");
    return {o.unit.value_or(o.is_time() ? "s" : ""), o.maximize};
}

/// A space as its values are written into commands: a floating-point number keeps its point there, as C and Python write it.
struct worded_space : tunekit::space::value_product {
    using untyped = worded_space;  // any_space would keep its grid alone
    explicit worded_space(const value_product& of) : value_product(of) {}

    [[nodiscard]] std::vector<std::string> texts(tunekit::index i) const
    {
        auto out = value_product::texts(i);
        const auto values = at(i);
        for (std::size_t j = 0; j < out.size(); ++j)
            if (std::holds_alternative<double>(values[j]) && out[j].find_first_not_of("-0123456789") == out[j].npos)
                out[j] += ".0";
        return out;
    }
};

/// The reading, whose failures begin with `name`.
inline tunekit::measure::program_options::reading named_reading_of(tunekit::measure::program_options::reading read,
                                                                   std::string name)
{
    return [read = std::move(read), name = std::move(name)](const tunekit::measure::finished_run& run) {
        try {
            return read(run);
        } catch (const tunekit::measure::candidate_error& e) {
            tunekit::measure::failure why = e.why;
            why.message = name + ": " + why.message;
            throw tunekit::measure::candidate_error(std::move(why));
        }
    };
}

/// 1 / the score.
inline tunekit::measure::program_options::reading inverse_of(tunekit::measure::program_options::reading read)
{
    return [read = std::move(read)](const tunekit::measure::finished_run& run) {
        const double score = read(run);
        if (score > 0 && score <= (std::numeric_limits<double>::max)()) return 1 / score;
        throw tunekit::measure::candidate_error(
            tunekit::measure::failure{tunekit::measure::failure_kind::bad_cost, 0,
                                      "the score is " + tunekit::core::text_of(score) +
                                          ", want a positive finite number: report exp(x) of what may be 0 or less"});
    };
}

/// Cuts a command in words at blanks; quotes keep some together. Nothing else is special: no shell sees it, unless the text
/// begins with sh: and stays one.
inline std::vector<std::string> words_of(const std::string& text, const std::string& option)
{
    if (text.starts_with("sh:")) return {text};
    std::vector<std::string> out;
    std::string word;
    bool begun = false;
    char quote = 0;
    for (const char c : text) {
        if (quote != 0) {
            if (c == quote) quote = 0;
            else word += c;
        } else if (c == '\'' || c == '"') {
            quote = c;
            begun = true;
        } else if (c == ' ' || c == '\t' || c == '\n') {
            if (begun) out.push_back(std::exchange(word, {}));
            begun = false;
        } else {
            word += c;
            begun = true;
        }
    }
    if (quote != 0) tunekit::invalid(option + " '" + text + "': a quote is not closed, want pairs");
    if (begun) out.push_back(word);
    return out;
}

/// The two parts of "A:B" or "A=B".
inline std::pair<std::string, std::string> parts_of(const std::string& text, char between, const std::string& option,
                                                    const char* want)
{
    const auto at = text.find(between);
    if (at == std::string::npos || at == 0) tunekit::invalid(option + " '" + text + "', want " + want);
    return {text.substr(0, at), text.substr(at + 1)};
}

/// The place of a name in a list, which it is added to where it is not there.
inline std::size_t place_of(std::vector<std::string>& list, const std::string& name)
{
    const auto at = std::find(list.begin(), list.end(), name) - list.begin();
    if (static_cast<std::size_t>(at) == list.size()) list.push_back(name);
    return static_cast<std::size_t>(at);
}

/// wall, cpu, peak-memory, joules, regex:EXPRESSION, json:/POINTER or perf:COUNTER, which is added to `counters`; none for
/// the wall.
inline std::optional<tunekit::measure::program_options::reading> reading_of(const std::string& text,
                                                                            const std::string& option,
                                                                            std::vector<std::string>& counters)
{
    namespace measure = tunekit::measure;
    if (text == "wall") return std::nullopt;
    if (text == "cpu") return measure::program_options::reading(&measure::finished_run::cpu_seconds);
    if (text == "user") return measure::program_options::reading(&measure::finished_run::user_seconds);
    if (text == "system") return measure::program_options::reading(&measure::finished_run::system_seconds);
    if (text == "peak-memory") return measure::program_options::reading(&measure::finished_run::peak_bytes);
    if (text == "joules" && option == "--number")
        return measure::program_options::reading(&measure::finished_run::joules);
    if (text.starts_with("regex:")) return measure::matched(text.substr(6));
    if (text.starts_with("json:")) return measure::at_pointer(text.substr(5));
    if (text.starts_with("perf:")) {
        const auto k = place_of(counters, text.substr(5));
        return measure::program_options::reading([k](const measure::finished_run& run) { return run.counts.at(k); });
    }
    tunekit::invalid(option + " '" + text +
                     "' is unknown, want wall, cpu, regex:EXPRESSION, json:/POINTER or perf:COUNTER");
}

/// The names of --number.
inline std::vector<std::string> names_of_numbers(const command_options& o)
{
    std::vector<std::string> out;
    for (const std::string& n : o.numbers) {
        out.push_back(n.substr(0, n.find('=')));
        if (std::count(out.begin(), out.end(), out.back()) > 1)
            tunekit::invalid("--number names '" + out.back() + "' twice, want each once");
        if (out.back() == "cost") tunekit::invalid("--number 'cost' has the name of the cost, want another");
    }
    return out;
}

/// Measures what hyperfine tells beside the wall time, for --export-json.
inline void number_times(command_options& o)
{
    if (o.cost != "wall")
        tunekit::invalid("--export-json is of times as hyperfine has them, want it without --cost " + o.cost);
    for (const char* const name : {"user", "system"})
        if (const std::string number = std::string(name) + '=' + name;
            std::find(o.numbers.begin(), o.numbers.end(), number) == o.numbers.end())
            o.numbers.push_back(number);
}

/// The objective of --objective; none where that is the cost alone.
inline std::optional<tunekit::measure::objective> objective_of(const command_options& o,
                                                               const std::vector<std::string>& names)
{
    if (o.objective.empty()) return std::nullopt;
    if (!o.goals.empty() || o.strategy == "parego")
        tunekit::invalid(
            "--objective makes one goal of several, want it without --goals, and another strategy than parego");
    try {
        tunekit::measure::objective out(o.objective, names);
        if (out.is_cost()) return std::nullopt;
        static_cast<void>(tunekit::measure::judged_names(names));
        return out;
    } catch (const std::invalid_argument& e) {
        tunekit::invalid("--objective: " + tunekit::io::detail::reason_of(e) +
                         (names.empty() ? "; --number NAME=READING measures others" : ""));
    }
}

/// The goals of --goals; of parego without them the cost and every number.
inline std::vector<std::size_t> goals_of(const command_options& o, const std::vector<std::string>& names)
{
    std::vector<std::size_t> out;
    for (const std::string& name : o.goals) {
        const auto at = std::find(names.begin(), names.end(), name);
        if (name != "cost" && at == names.end())
            tunekit::invalid("--goals names '" + name + "', which is neither cost nor a --number");
        out.push_back(name == "cost" ? 0 : static_cast<std::size_t>(at - names.begin()) + 1);
        if (std::count(out.begin(), out.end(), out.back()) > 1)
            tunekit::invalid("--goals names '" + name + "' twice, want each once");
    }
    if (out.empty() && o.strategy == "parego")
        for (std::size_t k = 0; k <= names.size(); ++k) out.push_back(k);
    if (out.size() == 1)
        tunekit::invalid(o.goals.empty()
                             ? "--strategy parego minimises several goals, want a --number in addition to the cost"
                             : "--goals names one goal, want cost and a --number");
    if (!out.empty() && out.front() != 0)
        tunekit::invalid("--goals begins with another goal than cost, want cost,NAME");
    return out;
}

/// What is built and run, and what beside it: the words of --build, --setup, --prepare, --cleanup, --env and --file.
inline void set_commands(tunekit::measure::program_options& out, const command_options& o)
{
    if (o.rebuild && o.build_directory.empty())
        tunekit::invalid("--rebuild is of what earlier runs built, want --build-directory FOLDER too");
    if (out.build.size() == 1) out.build = words_of(out.build.front(), "--build");
    out.setup = words_of(o.setup, "--setup");
    out.prepare = words_of(o.prepare, "--prepare");
    out.cleanup = words_of(o.cleanup, "--cleanup");
    out.aside_seconds = o.build_seconds;
    out.warmup = o.warmup;
    out.input = o.input;
    for (const std::string& e : o.environment) out.environment.push_back(parts_of(e, '=', "--env", "NAME=VALUE"));
    for (const std::string& f : o.files) {
        auto [from, to] = parts_of(f, ':', "--file", "TEMPLATE:OUT");
        out.files.push_back({std::move(from), std::move(to)});
    }
}

/// --cost and --maximize; none for the wall.
inline std::optional<tunekit::measure::program_options::reading> cost_of(const command_options& o,
                                                                         std::vector<std::string>& counters)
{
    auto out = reading_of(o.cost, "--cost", counters);
    if (out && !o.is_time()) out = named_reading_of(*std::move(out), "--cost");
    if (out && o.maximize) out = inverse_of(*std::move(out));
    return out;
}

/// One --number.
inline void add_number(tunekit::measure::program_options& out, const std::string& text, const std::string& powercap)
{
    namespace measure = tunekit::measure;
    auto [name, how] = parts_of(text, '=', "--number", "NAME=regex:EXPRESSION or NAME=json:/POINTER");
    if (how.starts_with("size:")) {
        out.numbers.push_back({.name = name, .size_of = how.substr(5)});
        return;
    }
    if (how == "joules") {
        out.powercap = powercap.empty() ? measure::energy_counter::usual : powercap;
        if (!measure::energy_counter(out.powercap).found())
            tunekit::invalid("--number " + name + "=joules: no counter can be read in " + out.powercap +
                             ", want a machine that has them, and the right to read them");
    }
    auto read = reading_of(how, "--number", out.counters);
    auto of_run = read ? *std::move(read) : measure::program_options::reading(&measure::finished_run::wall_seconds);
    out.numbers.push_back({.name = name, .read = named_reading_of(std::move(of_run), "--number " + name)});
}

/// Every --number.
inline void set_numbers(tunekit::measure::program_options& out, const command_options& o)
{
    constexpr std::size_t most = tunekit::measure::measured_values::most;
    if (o.numbers.size() > most)
        tunekit::invalid("--number is given " + std::to_string(o.numbers.size()) + " times, want at most " +
                         std::to_string(most));
    for (const std::string& n : o.numbers) add_number(out, n, o.powercap);
}

/// --check.
inline void set_check(tunekit::measure::program_options& out, const command_options& o)
{
    const auto [kind, what] = parts_of(o.check, ':', "--check", "status:N, output:FILE or command:WORDS");
    if (o.check == "status:any") {
        out.any_status = true;
    } else if (kind == "status") {
        const auto status = tunekit::core::number<int>(what);
        if (!status || *status < 0 || *status > 255)
            tunekit::invalid("--check 'status:" + what + "', want a number from 0 to 255 there, or any");
        out.exit_status = *status;
    } else if (kind == "output") {
        out.check = tunekit::measure::same_output{tunekit::io::read_text(what), {.relative = o.tolerance}};
    } else if (kind == "command") {
        out.check_command = words_of(what, "--check");
    } else {
        tunekit::invalid("--check '" + o.check + "' is unknown, want status:N, output:FILE or command:WORDS");
    }
}

/// How often a configuration runs, and what it may use.
inline void set_limits(tunekit::measure::program_options& out, const command_options& o)
{
    namespace measure = tunekit::measure;
    constexpr std::size_t max_runs = std::numeric_limits<std::uint32_t>::max();
    constexpr std::size_t max_mib = std::numeric_limits<std::size_t>::max() >> 20;
    if (o.repeat > max_runs)
        tunekit::invalid("--repeat " + std::to_string(o.repeat) + ", want at most " + std::to_string(max_runs));
    if (o.memory_mib > max_mib)
        tunekit::invalid("--memory-mib " + std::to_string(o.memory_mib) + ", want at most " + std::to_string(max_mib));
    if (o.repeat > 0)
        out.repetition =
            measure::any_repetition(measure::fixed{.runs = static_cast<std::uint32_t>(o.repeat), .batch = 1});
    if (!out.cost || out.cost->measures_time())
        out.repetition = measure::any_repetition(measure::fastest_quarter{out.repetition});
    out.whole_first = o.repeat > 0;
    if (o.cpu_seconds > 0) out.cpu_seconds = o.cpu_seconds;
    out.memory_bytes = o.memory_mib << 20;
}

/// What is to be measured, as it was asked for.
inline tunekit::measure::program_options program_of(const command_options& o)
{
    tunekit::measure::program_options out{.command = o.command,
                                          .directory = o.directory,
                                          .build = o.build,
                                          .build_directory = o.build_directory,
                                          .rebuild = o.rebuild && !o.dry_run,
                                          .result_file = o.result_file};
    set_commands(out, o);
    out.cost = cost_of(o, out.counters);
    set_numbers(out, o);
    out.any_status = o.ignore_failure;
    if (!o.check.empty()) set_check(out, o);
    if (o.check_always) {
        if (!out.check && out.check_command.empty())
            tunekit::invalid("--check-always needs --check output:FILE or command:WORDS, want one of them too");
        out.checks = tunekit::measure::check::always;
    }
    set_limits(out, o);
    out.workers = o.workers;
    out.builders = o.builders;
    out.pinned = !o.unpinned;
    out.keep_empty = o.keep_empty;
    return out;
}

}  // namespace programs
