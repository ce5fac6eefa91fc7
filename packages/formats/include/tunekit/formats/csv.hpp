// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Trials as plain CSV, for a spreadsheet: written and read.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/files/problem.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/tune/tuning.hpp"

namespace tunekit::io {

/// The trials of a file, and a problem for each line that could not be read.
struct csv_trials {
    std::vector<measure::trial> trials;    ///< in the order of the file
    std::vector<problem> problems;         ///< lines that were skipped
    std::vector<std::string> value_names;  ///< of `measurement::values`: the columns behind the batches
};

namespace detail {

/// The fields of one record, and the line where it begins.
struct csv_record {
    std::size_t line = 0;             ///< from 1
    std::vector<std::string> fields;  ///< without their quotes

    friend bool operator==(const csv_record&, const csv_record&) = default;
};

/// Splits text into the records of RFC 4180: fields separated by commas, quoted where they hold a comma, a quote or a
/// line end. A quote that is never closed ends with the text. Empty lines are skipped.
[[nodiscard]] inline std::vector<csv_record> csv_records(std::string_view text)
{
    std::vector<csv_record> out;
    std::size_t line = 1;
    std::size_t at = 0;
    while (at < text.size()) {
        csv_record record{line, {}};
        bool more = true;
        while (more) {
            std::string field;
            if (at < text.size() && text[at] == '"') {
                for (++at; at < text.size(); ++at) {
                    if (text[at] == '\n') ++line;
                    if (text[at] != '"') field += text[at];
                    else if (at + 1 < text.size() && text[at + 1] == '"') field += text[at++];
                    else break;
                }
                if (at < text.size()) ++at;
            }
            const std::size_t quoted = field.size();
            while (at < text.size() && text[at] != ',' && text[at] != '\n') field += text[at++];
            more = at < text.size() && text[at] == ',';
            if (at < text.size() && text[at] == '\n') ++line;
            ++at;
            if (!more && field.size() > quoted && field.ends_with('\r')) field.pop_back();
            record.fields.push_back(std::move(field));
        }
        if (record.fields.size() > 1 || !record.fields[0].empty()) out.push_back(std::move(record));
    }
    return out;
}

/// `text` as a field of a CSV file, quoted where necessary.
[[nodiscard]] inline std::string csv_field(std::string_view text)
{
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    return out += '"';
}

/// What comes after the parameters.
inline constexpr std::array<std::string_view, 10> csv_columns{"cost_s", "spread_s", "runs", "at_least", "build_s",
                                                              "run_s",  "failure",  "code", "message",  "batches_s"};

[[nodiscard]] inline std::string csv_header(std::span<const std::string> names, std::span<const std::string> values)
{
    std::string out = "trial,index";
    for (const auto& name : names) (out += ',') += csv_field(name);
    for (const std::string_view column : csv_columns) (out += ',') += column;
    for (const auto& name : values) (out += ',') += csv_field(name);
    return out += '\n';
}

/// Reads the fields of a measurement, and its values behind them; empty where one is malformed, which
/// `wrong(column, what)` is told.
template <class Wrong>
[[nodiscard]] std::optional<measure::measurement> read_measurement(std::span<const std::string> fields,
                                                                   std::span<const std::string> values, Wrong&& wrong)
{
    measure::measurement m;
    bool good = true;
    const auto check = [&](std::size_t column, bool fine, const char* want) {
        if (!fine) wrong(csv_columns[column], '\'' + fields[column].substr(0, 80) + "' " + want);
        good = good && fine;
    };
    const auto read = [&](std::size_t column, double& into) {
        const auto x = core::number<double>(fields[column]);
        check(column, x && *x >= 0 && *x <= max_seconds, "is not a time, want seconds of 0 or more");
        into = x.value_or(0);
    };
    if (!fields[6].empty()) {
        const auto kind = measure::failure_kind_of(fields[6]);
        check(6, kind.has_value(), "is not a kind of failure, want one of docs/formats.md");
        const auto code = core::number<int>(fields[7]);
        check(7, code.has_value(), "is not an integer, want a code");
        m.failed = measure::failure{kind.value_or(measure::failure_kind::invalid), code.value_or(0), fields[8]};
    } else {
        const auto cost = core::number<double>(fields[0]);
        check(0, cost && *cost > 0 && *cost <= max_seconds,
              "is not a time, want seconds above 0 where it did not fail");
        m.cost = cost.value_or(0);
    }
    read(1, m.spread);
    const auto runs = core::number<std::uint32_t>(fields[2]);
    check(2, runs.has_value(), "is not a count, want an integer of 0 or more");
    m.runs = runs.value_or(0);
    check(3, fields[3] == "0" || fields[3] == "1", "is neither, want 0 or 1");
    m.at_least = fields[3] == "1";
    read(4, m.build_seconds);
    read(5, m.run_seconds);
    if (!fields[9].empty())
        for (const std::string_view part : split(fields[9], ' ')) {
            const auto x = core::number<double>(part);
            check(9, x && *x >= 0 && *x <= max_seconds, "are not times, want seconds with a blank between them");
            m.batches.push_back(x.value_or(0));
        }
    std::vector<double> numbers;
    for (std::size_t k = 0; k < values.size(); ++k) {
        const std::string& text = fields[csv_columns.size() + k];
        const auto x = core::number<double>(text.empty() ? "nan" : text);
        if (!x) wrong(values[k], '\'' + text.substr(0, 80) + "' is not a number, want one, or nothing");
        good = good && x;
        numbers.push_back(x.value_or(0));
    }
    if (!m.failed) m.values = measure::measured_values(std::span<const double>(numbers));
    return good ? std::optional(std::move(m)) : std::nullopt;
}

}  // namespace detail

/// Trials as text: one line each, with the texts of the parameters' values. `values` names the numbers beside the cost,
/// a column each; one that was not measured, and those of a failure, are empty.
///
///     tk::io::trials_to_csv(found.trials(), space, found.value_names)
template <space::described Space>
[[nodiscard]] std::string trials_to_csv(std::span<const measure::trial> trials, const Space& space,
                                        std::span<const std::string> values = {})
{
    std::string out = detail::csv_header(space.names(), values);
    for (std::size_t k = 0; k < trials.size(); ++k) {
        const index candidate = trials[k].candidate;
        const measure::measurement& m = trials[k].measured;
        out += core::text_of(k + 1) + ',' + core::text_of(candidate);
        for (const auto& text : space.texts(candidate)) (out += ',') += detail::csv_field(text);
        out += ',' + (m.failed ? std::string() : core::text_of(m.cost)) + ',' + core::text_of(m.spread) + ',' +
               core::text_of(m.runs) + ',' + (m.at_least ? '1' : '0') + ',' + core::text_of(m.build_seconds) + ',' +
               core::text_of(m.run_seconds) + ',';
        if (m.failed)
            (out += measure::to_text(m.failed->kind)) +=
                ',' + core::text_of(m.failed->code) + ',' + detail::csv_field(m.failed->message);
        else out += ",,";
        for (std::size_t i = 0; i < m.batches.size(); ++i) (out += i == 0 ? ',' : ' ') += core::text_of(m.batches[i]);
        if (m.batches.empty()) out += ',';
        for (std::size_t v = 0; v < values.size(); ++v)
            (out += ',') +=
                !m.failed && v < m.values.size() && !std::isnan(m.values[v]) ? core::text_of(m.values[v]) : "";
        out += '\n';
    }
    return out;
}

/// Writes trials of `space` to a CSV file, as `trials_to_csv`. Errors: tunekit::error where it cannot.
template <space::described Space>
void write_csv(const std::string& path, std::span<const measure::trial> trials, const Space& space,
               std::span<const std::string> values = {})
{
    write_text(path, trials_to_csv(trials, space, values));
}

/// Reads the trials of `space` from text that trials_to_csv wrote; `name` stands for the file in problems. A line that
/// is malformed, or whose values are not those of its index in `space`, is listed with its column; every other line is
/// read. Up to eight further columns are values, by their names.
/// Errors: tunekit::error where the header is not that of the space.
template <space::described Space>
    requires space::counted<Space>
[[nodiscard]] csv_trials parse_csv(std::string_view text, const std::string& name, const Space& space)
{
    const auto records = detail::csv_records(without_bom(text));
    const std::span<const std::string> names = space.names();
    const auto header = detail::csv_records(detail::csv_header(names, {}));
    const std::size_t own = header[0].fields.size(), most = own + measure::measured_values::most;
    const bool same = !records.empty() && records[0].fields.size() >= own && records[0].fields.size() <= most &&
                      std::equal(header[0].fields.begin(), header[0].fields.end(), records[0].fields.begin());
    if (!same) {
        const std::string want = detail::csv_header(names, {});
        throw error(name + ":1: is not the header of this space, want " +
                    want.substr(0, (std::min)(want.find('\n'), std::size_t{200})));
    }
    csv_trials out;
    const std::size_t columns = records[0].fields.size();
    out.value_names.assign(records[0].fields.begin() + static_cast<std::ptrdiff_t>(own), records[0].fields.end());
    std::unordered_set<std::uint64_t> numbers;  // of the trials
    for (std::size_t k = 1; k < records.size(); ++k) {
        const auto& [line, fields] = records[k];
        const auto wrong = [&, at = line](std::string_view field, std::string what) {
            out.problems.push_back({name, at, std::string(field), std::move(what)});
        };
        if (fields.size() != columns) {
            wrong("", "has " + std::to_string(fields.size()) + " fields, want " + std::to_string(columns));
            continue;
        }
        const auto trial = core::number<std::uint64_t>(fields[0]);
        if (!trial || *trial == 0 || !numbers.insert(*trial).second) {
            wrong("trial", '\'' + fields[0].substr(0, 80) + "' is not a number of a trial, want each once, from 1");
            continue;
        }
        const auto candidate = core::number<index>(fields[1]);
        if (!candidate || *candidate >= space.size()) {
            wrong("index", '\'' + fields[1].substr(0, 80) + "' is not an index of this space, want one below " +
                               std::to_string(space.size()));
            continue;
        }
        const std::vector<std::string> texts = space.texts(*candidate);
        std::size_t j = 0;
        while (j < texts.size() && texts[j] == fields[2 + j]) ++j;
        if (j < texts.size()) {
            wrong(names[j],
                  '\'' + fields[2 + j].substr(0, 80) + "' is not what index " + fields[1] + " has, want " + texts[j]);
            continue;
        }
        auto m = detail::read_measurement(std::span(fields).subspan(2 + names.size()), out.value_names, wrong);
        if (m) out.trials.push_back({*candidate, std::move(*m)});
    }
    return out;
}

/// Reads a CSV file of trials. Errors: as parse_csv, and tunekit::error where it cannot be read.
template <space::described Space>
    requires space::counted<Space>
[[nodiscard]] csv_trials read_csv(const std::string& path, const Space& space)
{
    return within_memory(path, [&] { return parse_csv(read_text(path), path, space); });
}

}  // namespace tunekit::io
