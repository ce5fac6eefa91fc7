// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Reads recorded search spaces from files. Needs zlib.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/formats/csv.hpp"
#include "tunekit/formats/gzip.hpp"
#include "tunekit/formats/space_record.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/processes/files/problem.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/processes/system/files.hpp"

namespace tunekit::io {

namespace detail {

using repeat_order = std::array<std::uint32_t, 2>;  ///< runs of a pass and of a block; {} where no order is known

/// That of a comment `# passes: 500 runs in blocks of 50`.
[[nodiscard]] inline repeat_order read_order(const std::vector<std::string_view>& parts)
{
    if (parts.size() != 8) return {};
    const auto pass = core::number<std::uint32_t>(parts[2]), block = core::number<std::uint32_t>(parts[7]);
    const bool whole = pass && block && *pass > 0 && *block > 0 && *pass % *block == 0;
    return whole ? repeat_order{*pass, *block} : repeat_order{};
}

/// Returns the order of the repeats.
inline repeat_order read_params(recorded_space& out, const std::string& path, std::string_view text)
{
    repeat_order order{};
    std::size_t at = 0;
    for (const std::string_view line : lines(without_bom(text))) {
        ++at;
        const auto parts = words(line);
        if (parts.size() > 1 && parts[0] == "#" && parts[1] == "sample:") out.sample = true;
        if (parts.size() > 1 && parts[0] == "#" && parts[1] == "passes:" &&
            (order = read_order(parts)) == repeat_order{})
            out.problems.push_back(
                {path, at, "passes",
                 "is not an order of runs, want 'passes: RUNS runs in blocks of RUNS', whole blocks"});
        if (parts.empty() || parts[0].starts_with('#')) continue;
        const auto rest = [&] {
            return parts.size() < 2 ? std::string() : std::string(parts[1].data(), line.data() + line.size());
        };
        const auto refuse = [&](const std::string& name, const std::string& why) {
            throw error(path + ':' + std::to_string(at) + ": " + name + ": " + why);
        };
        if (parts[0] == "kernel") {
            out.kernel = rest();
        } else if (parts[0] == "device") {
            out.device = rest();
        } else if (parts[0] == "constraint" && parts.size() > 1) {
            out.constraints.push_back(rest());
        } else if (parts[0] == "value" && parts.size() == 2) {
            out.value_names.emplace_back(parts[1]);
            if (out.value_names.size() > measure::measured_values::most)
                refuse(out.value_names.back(), "is value 9, want at most 8 beside the cost");
        } else if (parts[0] == "param" && parts.size() > 2) {
            recorded_space::parameter p{std::string(parts[1]), {}};
            if (parts.size() - 2 > 0xffff) refuse(p.name, "has more than 65535 values, want fewer");
            std::unordered_set<std::int64_t> seen;
            for (std::size_t j = 2; j < parts.size(); ++j) {
                const auto value = core::number<std::int64_t>(parts[j]);
                const std::string shown(parts[j].substr(0, 80));
                if (!value) refuse(p.name, "'" + shown + "' is not an integer, want integer values");
                if (seen.insert(*value).second) p.values.push_back(*value);
                else out.problems.push_back({path, at, p.name, "the value " + shown + " stands twice, want it once"});
            }
            out.parameters.push_back(std::move(p));
        } else {
            out.problems.push_back({path, at, std::string(parts[0].substr(0, 80)),
                                    "is not a whole entry, want 'kernel', 'device', 'param NAME V1 ...', 'value NAME' "
                                    "or 'constraint EXPR'"});
        }
    }
    if (out.parameters.empty()) throw error(path + ": has no 'param NAME V1 V2 ...' line, want one per column");
    return order;
}

/// Where each column stands in the header line.
struct layout {
    std::vector<std::size_t> parameters;
    std::vector<std::unordered_map<std::int64_t, std::uint16_t>> ordinals;  // of each parameter's values
    std::size_t time = 0, status = 0;
    std::array<std::size_t, costs.size()> cost{};
    std::vector<std::size_t> values;
    std::size_t first_repeat = 0, columns = 0;
    repeat_order order{};
};

[[nodiscard]] inline layout read_header(const recorded_space& space, const std::string& path, std::string_view line)
{
    const auto names = split(line, ',');
    const auto find = [&](std::string_view name) {
        const auto at = std::find(names.begin(), names.end(), name);
        if (at == names.end())
            throw error(path + ":1: " + std::string(name) + ": the header has no such column, want one");
        return static_cast<std::size_t>(at - names.begin());
    };
    layout out;
    std::unordered_set<std::string_view> once;
    for (const std::string_view name : names)
        if (!once.insert(name).second)
            throw error(path + ":1: " + std::string(name.substr(0, 80)) +
                        ": the header has this column twice, want it once");
    for (const auto& p : space.parameters) {
        if (p.name == "time_ms" || p.name == "status" || std::find(costs.begin(), costs.end(), p.name) != costs.end())
            throw error(path + ":1: " + p.name + ": is a column of measurements, want another name for the parameter");
        out.parameters.push_back(find(p.name));
        auto& of = out.ordinals.emplace_back();
        for (const std::int64_t value : p.values) of.emplace(value, static_cast<std::uint16_t>(of.size()));
    }
    out.time = find("time_ms");
    out.status = find("status");
    for (std::size_t j = 0; j < costs.size(); ++j) out.cost[j] = find(costs[j]);
    for (const std::string& name : space.value_names) out.values.push_back(find(name));
    out.first_repeat = static_cast<std::size_t>(std::find(names.begin(), names.end(), "t0") - names.begin());
    out.columns = names.size();
    return out;
}

/// The seconds of a time of zero or more milliseconds.
[[nodiscard]] inline std::optional<double> read_seconds(std::string_view field)
{
    const auto ms = core::number<double>(field);
    if (!ms || !(*ms >= 0 && *ms <= max_seconds)) return std::nullopt;
    return *ms / 1e3;
}

/// The same of a time above zero, in seconds too.
[[nodiscard]] inline std::optional<double> read_positive_seconds(std::string_view field)
{
    const auto seconds = read_seconds(field);
    return seconds && *seconds > 0 ? seconds : std::nullopt;
}

/// Puts what a status says into the result; false where there is no such status.
[[nodiscard]] inline bool read_status(std::string_view status, measure::measurement& result)
{
    using measure::failure_kind;
    if (status == "compile_error")
        result.failed = {failure_kind::build_error, 0, "did not compile when it was recorded"};
    else if (status == "runtime_error")
        result.failed = {failure_kind::launch_error, 0, "could not be launched when it was recorded"};
    else if (status == "invalid") result.failed = {failure_kind::invalid, 0, "was refused when it was recorded"};
    else if (status == "at_least") result.at_least = true;
    else return status == "valid";
    return true;
}

/// The standard error of the mean of two repeats or more.
[[nodiscard]] inline double standard_error(const std::vector<double>& repeats)
{
    const auto n = static_cast<double>(repeats.size());
    double mean = 0, squares = 0;
    for (const double t : repeats) mean += t / n;
    for (const double t : repeats) squares += (t - mean) * (t - mean);
    return std::sqrt(squares / (n - 1) / n);
}

/// The row, or nothing where a field that it cannot do without is malformed; either way what is wrong joins the
/// problems.
[[nodiscard]] inline std::optional<recorded_space::row> read_row(recorded_space& space, const layout& at,
                                                                 const std::string& path, std::size_t line_number,
                                                                 std::string_view line)
{
    const auto problem_at = [&](std::string_view field, std::string what) {
        space.problems.push_back({path, line_number, std::string(field), std::move(what)});
        return std::nullopt;
    };
    const auto quoted = [](std::string_view text) { return '\'' + std::string(text.substr(0, 80)) + '\''; };
    const auto fields = split(line, ',');
    if (fields.size() != at.columns)
        return problem_at("", "has " + std::to_string(fields.size()) + " fields, want " + std::to_string(at.columns) +
                                  " as the header");
    recorded_space::row row;
    row.line = line_number;
    for (std::size_t j = 0; j < space.parameters.size(); ++j) {
        const auto& p = space.parameters[j];
        const std::string_view text = fields[at.parameters[j]];
        const auto value = core::number<std::int64_t>(text);
        const auto ordinal = value ? at.ordinals[j].find(*value) : at.ordinals[j].end();
        if (ordinal == at.ordinals[j].end())
            return problem_at(p.name, quoted(text) + " is not one of its values, want one of the .params file");
        row.ordinals.push_back(ordinal->second);
    }
    std::array<double, costs.size()> seconds{};
    for (std::size_t j = 0; j < costs.size(); ++j) {
        const std::string_view text = fields[at.cost[j]];
        const auto value = read_seconds(text);
        if (!value) return problem_at(costs[j], quoted(text) + " is not a time, want milliseconds of 0 or more");
        seconds[j] = *value;
    }
    row.record.check_seconds = seconds[2];
    row.framework_seconds = seconds[4];
    row.record.seconds = seconds[0];
    auto& result = row.record.result;
    result.build_seconds = seconds[1];
    result.run_seconds = seconds[2] + seconds[3];
    if (!read_status(fields[at.status], result))
        return problem_at("status", quoted(fields[at.status]) +
                                        " is unknown, want valid, at_least, compile_error, runtime_error or invalid");
    if (result.failed) return row;
    const auto time = read_positive_seconds(fields[at.time]);
    if (!time)
        return problem_at("time_ms",
                          quoted(fields[at.time]) + " is not a time, want milliseconds above 0 if status is valid");
    result.cost = *time;
    std::vector<double> values;
    for (std::size_t k = 0; k < at.values.size(); ++k) {
        const std::string_view text = fields[at.values[k]];
        const auto value = core::number<double>(text.empty() ? "nan" : text);
        if (!value) return problem_at(space.value_names[k], quoted(text) + " is not a number, want one, or nothing");
        values.push_back(*value);
    }
    result.values = measure::measured_values(std::span<const double>(values));
    for (std::size_t j = at.first_repeat; j < fields.size(); ++j) {
        if (fields[j].empty()) continue;
        if (const auto repeat = read_positive_seconds(fields[j])) result.batches.push_back(*repeat);
        else
            problem_at('t' + std::to_string(j - at.first_repeat),
                       quoted(fields[j]) + " is not a time, want milliseconds above 0");
    }
    result.runs = static_cast<std::uint32_t>(result.batches.size());
    if (const auto [pass, block] = at.order; pass != 0 && result.runs != 0) {
        if (result.runs % pass != 0)
            return problem_at(
                "t0", "has " + std::to_string(result.runs) + " runs, want whole passes of " + std::to_string(pass));
        row.record.pass_runs = pass;
        row.record.block_runs = block;
    }
    if (result.runs > 1) result.spread = standard_error(result.batches);
    return row;
}

[[nodiscard]] inline recorded_space recorded_space_of(const std::string& stem)
{
    recorded_space out;
    const auto order = read_params(out, stem + ".params", read_text(stem + ".params"));
    const std::string path = stem + (system::state_of(stem + ".csv.gz") ? ".csv.gz" : ".csv");
    const std::string text = read_gzip(path);
    const auto all = lines(without_bom(text));
    if (all.empty()) throw error(path + ": is empty, want a header line");
    auto layout = read_header(out, path, all[0]);
    layout.order = order;
    std::vector<std::pair<std::vector<std::uint16_t>, std::size_t>> seen;
    for (std::size_t i = 1; i < all.size(); ++i) {
        auto row = read_row(out, layout, path, i + 1, all[i]);
        if (!row) continue;
        seen.emplace_back(row->ordinals, out.rows.size());
        out.rows.push_back(std::move(*row));
    }
    std::sort(seen.begin(), seen.end());
    std::vector<bool> again(out.rows.size());
    for (std::size_t i = 1; i < seen.size(); ++i)
        if (seen[i].first == seen[i - 1].first) again[seen[i].second] = true;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < out.rows.size(); ++k)
        if (again[k])
            out.problems.push_back({path, out.rows[k].line, "", "repeats an earlier configuration, want each once"});
        else if (kept++ != k) out.rows[kept - 1] = std::move(out.rows[k]);
    out.rows.resize(kept);
    return out;
}

}  // namespace detail

/// Reads `<stem>.params` and `<stem>.csv.gz`, or `<stem>.csv` where there is no compressed one.
///
///     const auto recorded = tk::io::read_recorded_space("spaces/gemm");
///
/// The format is documented in docs/formats.md. Rows, repeats and entries that are malformed are left out and listed in
/// `problems`, with file, line and field; of a configuration that occurs twice the first row counts. Where the file
/// tells the order of the repeats, a row that is not in whole passes is left out.
///
/// Errors: tunekit::error where a file cannot be read, a parameter's line is malformed or the header lacks a column.
/// Units:  files hold milliseconds, the result seconds; `time_ms` becomes the cost, the standard error of t0 ... the
///         spread.
/// Cost:   about 40 MB/s of uncompressed text.
[[nodiscard]] inline recorded_space read_recorded_space(const std::string& stem)
{
    return within_memory(stem, [&] { return detail::recorded_space_of(stem); });
}

}  // namespace tunekit::io
