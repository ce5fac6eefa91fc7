// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// CSV: the records of a text, and trials for a spreadsheet.

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/text.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/tune/tuning.hpp"

namespace tunekit::io {

/// The fields of one record, and the line where it begins.
struct csv_record {
    std::size_t line = 0;             ///< from 1
    std::vector<std::string> fields;  ///< without their quotes

    friend bool operator==(const csv_record&, const csv_record&) = default;
};

/// Splits text into the records of RFC 4180: fields separated by commas, quoted where they hold a comma, a quote or a
/// line end. A quote that is never closed ends with the text. Empty lines are skipped, and so is a byte order mark.
[[nodiscard]] inline std::vector<csv_record> csv_records(std::string_view text)
{
    text = detail::without_bom(text);
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

namespace detail {

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

}  // namespace detail

/// Writes trials of `space` to a CSV file: one line each, with the texts of the parameters' values. `values` names the
/// numbers beside the cost, a column each; one that was not measured, and those of a failure, are empty.
/// Errors: tunekit::error where the file cannot be written.
///
///     tk::io::write_csv("trials.csv", found.trials(), space, found.value_names)
template <space::described Space>
void write_csv(const std::string& path, std::span<const measure::trial> trials, const Space& space,
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
    write_text(path, out);
}

}  // namespace tunekit::io
