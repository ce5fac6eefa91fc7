// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What `measure::program` makes of the command line of tune_command.

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
#include "tunekit/io/text.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/program/json_reading.hpp"
#include "tunekit/measure/program/program_options.hpp"
#include "tunekit/measure/program/readings.hpp"
#include "tunekit/report/cost_unit.hpp"
#include "tunekit/space/value_product.hpp"

namespace programs {

/// How costs are told. Throws std::invalid_argument where the options contradict each other.
inline tunekit::report::cost_unit unit_of(const command_options& o)
{
    if (o.is_time() && o.maximize)
        tunekit::invalid("--maximize is for a score of the program, want --cost regex:EXPRESSION or json:/POINTER too");
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
inline tunekit::measure::reading named_reading_of(tunekit::measure::reading read, std::string name)
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
inline tunekit::measure::reading inverse_of(tunekit::measure::reading read)
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

/// Cuts a command in words at blanks; quotes keep some together. Nothing else is special: no shell sees it.
inline std::vector<std::string> words_of(const std::string& text, const std::string& option)
{
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

/// wall, cpu, regex:EXPRESSION or json:/POINTER; none for the wall.
inline std::optional<tunekit::measure::reading> reading_of(const std::string& text, const std::string& option)
{
    namespace measure = tunekit::measure;
    if (text == "wall") return std::nullopt;
    if (text == "cpu") return measure::cpu_seconds{};
    if (text.starts_with("regex:")) return measure::matched(text.substr(6));
    if (text.starts_with("json:")) return measure::at_pointer(text.substr(5));
    tunekit::invalid(option + " '" + text + "' is unknown, want wall, cpu, regex:EXPRESSION or json:/POINTER");
}

/// What is to be measured, as it was asked for.
inline tunekit::measure::program_options program_of(const command_options& o)
{
    namespace measure = tunekit::measure;
    measure::program_options out{.command = o.command,
                                 .directory = o.directory,
                                 .build = o.build,
                                 .build_directory = o.build_directory,
                                 .result_file = o.result_file};
    if (out.build.size() == 1) out.build = words_of(out.build.front(), "--build");
    for (const std::string& e : o.environment) out.environment.push_back(parts_of(e, '=', "--env", "NAME=VALUE"));
    for (const std::string& f : o.files) {
        auto [from, to] = parts_of(f, ':', "--file", "TEMPLATE:OUT");
        out.files.push_back({std::move(from), std::move(to)});
    }
    out.cost = reading_of(o.cost, "--cost");
    if (out.cost && !o.is_time()) out.cost = named_reading_of(*std::move(out.cost), "--cost");
    if (out.cost && o.maximize) out.cost = inverse_of(*std::move(out.cost));
    if (o.numbers.size() > measure::measured_values::most)
        tunekit::invalid("--number is given " + std::to_string(o.numbers.size()) + " times, want at most " +
                         std::to_string(measure::measured_values::most));
    for (const std::string& n : o.numbers) {
        auto [name, how] = parts_of(n, '=', "--number", "NAME=regex:EXPRESSION or NAME=json:/POINTER");
        auto read = reading_of(how, "--number");
        auto of_run = read ? *std::move(read) : measure::reading(measure::wall_seconds{});
        out.numbers.push_back({name, named_reading_of(std::move(of_run), "--number " + name)});
    }
    if (!o.check.empty()) {
        const auto [kind, what] = parts_of(o.check, ':', "--check", "status:N, output:FILE or command:WORDS");
        if (kind == "status") {
            const auto status = tunekit::core::number<int>(what);
            if (!status || *status < 0 || *status > 255)
                tunekit::invalid("--check 'status:" + what + "', want a number from 0 to 255 there");
            out.exit_status = *status;
        } else if (kind == "output") {
            out.check = measure::same_output{tunekit::io::read_text(what), {.relative = o.tolerance}};
        } else if (kind == "command") {
            out.check_command = words_of(what, "--check");
        } else {
            tunekit::invalid("--check '" + o.check + "' is unknown, want status:N, output:FILE or command:WORDS");
        }
    }
    constexpr std::size_t max_runs = std::numeric_limits<std::uint32_t>::max();
    constexpr std::size_t max_mib = std::numeric_limits<std::size_t>::max() >> 20;
    if (o.repeat > max_runs)
        tunekit::invalid("--repeat " + std::to_string(o.repeat) + ", want at most " + std::to_string(max_runs));
    if (o.memory_mib > max_mib)
        tunekit::invalid("--memory-mib " + std::to_string(o.memory_mib) + ", want at most " + std::to_string(max_mib));
    if (o.repeat > 0)
        out.repetition =
            measure::any_repetition(measure::fixed{.runs = static_cast<std::uint32_t>(o.repeat), .batch = 1});
    if (o.cpu_seconds > 0) out.cpu_seconds = o.cpu_seconds;
    out.memory_bytes = o.memory_mib << 20;
    out.workers = o.workers;
    out.builders = o.builders;
    out.pinned = !o.unpinned;
    out.keep_empty = o.keep_empty;
    return out;
}

}  // namespace programs
