// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Writes recorded search spaces to files. Needs zlib.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/formats/detail/time_unit.hpp"
#include "tunekit/formats/gzip.hpp"
#include "tunekit/formats/space_record.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/processes/files/text.hpp"

namespace tunekit::io {

namespace detail {

/// What a failed row has instead of its time and `valid`.
[[nodiscard]] constexpr const char* status_of(measure::failure_kind kind) noexcept
{
    using measure::failure_kind;
    if (kind == failure_kind::build_error || kind == failure_kind::build_timeout) return ",compile_error";
    return kind == failure_kind::invalid ? ",invalid" : ",runtime_error";
}

}  // namespace detail

/// Writes `<stem>.params` and `<stem>.csv.gz`. `read_recorded_space` reads them back equal, except for lines and
/// problems. A failure that the format has no word for becomes `runtime_error`.
/// Errors: tunekit::error where a file cannot be written, and where rows with repeats have them in different orders.
inline void write_recorded_space(const std::string& stem, const recorded_space& space)
{
    std::string params = "kernel " + space.kernel + "\ndevice " + space.device + '\n';
    if (space.sample) params += "# sample: " + std::to_string(space.rows.size()) + '\n';
    std::string table;
    std::size_t repeats = 0;
    const recorded_space::row* ordered = nullptr;
    for (const auto& row : space.rows) {
        if (row.record.result.batches.empty()) continue;
        repeats = (std::max)(repeats, row.record.result.batches.size());
        if (ordered == nullptr) ordered = &row;
        if (row.record.pass_runs != ordered->record.pass_runs || row.record.block_runs != ordered->record.block_runs)
            throw error(stem + ": rows have their runs in different orders, want one for all");
    }
    if (ordered != nullptr && ordered->record.pass_runs != 0)
        params += "# passes: " + std::to_string(ordered->record.pass_runs) + " runs in blocks of " +
                  std::to_string(ordered->record.block_runs) + '\n';
    for (const auto& p : space.parameters) {
        params += "param " + p.name;
        for (const auto value : p.values) params += ' ' + core::text_of(value);
        params += '\n';
        table += p.name + ',';
    }
    for (const auto& c : space.constraints) params += "constraint " + c + '\n';
    for (const auto& name : space.value_names) params += "value " + name + '\n';
    table += "time_ms,status";
    for (const std::string_view name : detail::costs) (table += ',') += name;
    for (const auto& name : space.value_names) (table += ',') += name;
    for (std::size_t j = 0; j < repeats; ++j) table += ",t" + std::to_string(j);
    table += '\n';
    for (const auto& row : space.rows) {
        const auto& m = row.record.result;
        for (std::size_t j = 0; j < row.ordinals.size(); ++j)
            table += core::text_of(space.parameters[j].values[row.ordinals[j]]) + ',';
        const auto add = [&](double seconds) { (table += ',') += core::text_of(detail::milliseconds(seconds)); };
        if (!m.failed) (table += core::text_of(detail::milliseconds(m.cost))) += m.at_least ? ",at_least" : ",valid";
        else table += detail::status_of(m.failed->kind);
        for (const double s : {row.record.seconds, m.build_seconds, row.record.check_seconds,
                               m.run_seconds - row.record.check_seconds, row.framework_seconds})
            add(s);
        for (std::size_t k = 0; k < space.value_names.size(); ++k)
            (table += ',') +=
                !m.failed && k < m.values.size() && !std::isnan(m.values[k]) ? core::text_of(m.values[k]) : "";
        for (std::size_t j = 0; j < repeats; ++j)
            if (j < m.batches.size() && !m.failed) add(m.batches[j]);
            else table += ',';
        table += '\n';
    }
    write_text(stem + ".params", params);
    detail::write_gzip(stem + ".csv.gz", table);
}

}  // namespace tunekit::io
