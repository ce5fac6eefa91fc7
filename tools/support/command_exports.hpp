// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Results of tune_command for others' tools: JSON in the form of hyperfine, CSV, a table in Markdown.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/support/command_options.hpp"
#include "tools/support/command_program.hpp"
#include "tools/support/command_report.hpp"
#include "tools/support/command_run.hpp"
#include "tools/support/shell_words.hpp"
#include "tunekit/formats/csv.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/processes/program/program.hpp"
#include "tunekit/report/findings.hpp"
#include "tunekit/report/text_table.hpp"
#include "tunekit/stats/quantile.hpp"

namespace programs {

namespace detail {

/// What hyperfine 1.15 says of a command, of a configuration that did not fail.
inline nlohmann::ordered_json hyperfine_result(const command_setup& s, const tunekit::measure::program& program,
                                               const tunekit::measure::trial& t)
{
    const auto& times = t.measured.batches;
    double mean = 0, squares = 0;
    for (const double x : times) mean += x / static_cast<double>(times.size());
    for (const double x : times) squares += (x - mean) * (x - mean);
    nlohmann::ordered_json out{{"command", shell_line(program.command_of(t.candidate, ".", "tuned").arguments)},
                               {"mean", mean},
                               {"stddev", nullptr},
                               {"median", tunekit::stats::median(times)}};
    if (times.size() > 1) out["stddev"] = std::sqrt(squares / static_cast<double>(times.size() - 1));
    for (const char* const name : {"user", "system"}) {
        const auto at = std::find(s.number_names.begin(), s.number_names.end(), name) - s.number_names.begin();
        out[name] = t.measured.values[static_cast<std::size_t>(at)];
    }
    out["min"] = *std::min_element(times.begin(), times.end());
    out["max"] = *std::max_element(times.begin(), times.end());
    out["times"] = times;
    const auto wanted = program_of(s.o);  // the status of every run, or it would be a failure
    out["exit_codes"] = nlohmann::ordered_json::array();
    for (std::size_t k = 0; k < times.size(); ++k) {
        if (wanted.any_status) out["exit_codes"].push_back(nullptr);
        else out["exit_codes"].push_back(wanted.exit_status);
    }
    const auto texts = s.space.texts(t.candidate);
    for (std::size_t j = 0; j < texts.size(); ++j) out["parameters"][s.space.names()[j]] = texts[j];
    return out;
}

/// A text as a cell of a table in Markdown.
inline std::string cell(const std::string& text)
{
    std::string out;
    for (const char c : tunekit::report::printable(text)) out += c == '|' ? std::string("\\|") : std::string(1, c);
    return out;
}

}  // namespace detail

/// hyperfine's results: every configuration that was measured without failing.
inline std::string hyperfine_json(const command_setup& s, const tunekit::measure::program& program,
                                  const tunekit::tuning& record)
{
    nlohmann::ordered_json out{{"results", nlohmann::ordered_json::array()}};
    for (const auto& t : record.trials())
        if (!t.measured.failed && !t.measured.batches.empty() && t.measured.values.size() != 0)
            out["results"].push_back(detail::hyperfine_result(s, program, t));
    return out.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

/// A table of the ten best configurations, the default first, as the terminal has it.
inline std::string markdown_table(const command_setup& s, const command_report& r)
{
    std::string out = "| configuration | cost | 95 % interval | times the best |\n|:---|---:|---:|---:|\n";
    const auto rows = ten_best(r.task(), r.found);
    for (const auto& [what, c, ratio] : rows) {
        const bool untuned = c.candidate == s.untuned;
        if (&what != &rows.front().what && c.candidate == rows.front().is.candidate) continue;  // the first row has it
        out += "| " + detail::cell(s.space.text(c.candidate)) + (untuned ? " (default)" : "") + " | " +
               cost_text(s.unit, c.cost) + " | " + interval_text(s.unit, c.within) + " | " +
               tunekit::report::fixed(ratio, 2) + " |\n";
    }
    return out;
}

/// Writes the files of --export-json, --export-csv and --export-markdown that are wanted, by `write(f)`, which tells of errors.
template <class Write>
void write_exports(const command_setup& s, const tunekit::measure::program& program, const tunekit::tuning& record,
                   const command_report& r, Write&& write)
{
    namespace io = tunekit::io;
    const command_options& o = s.o;
    if (!o.export_json.empty()) write([&] { io::write_text(o.export_json, hyperfine_json(s, program, record)); });
    if (!o.export_csv.empty()) write([&] { io::write_csv(o.export_csv, record.trials(), s.space, s.value_names()); });
    if (!o.export_markdown.empty()) write([&] { io::write_text(o.export_markdown, markdown_table(s, r)); });
}

}  // namespace programs
