// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Results of Kernel Tuner as a recorded space, and as experience. Needs nlohmann-json.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/formats/detail/space_values.hpp"
#include "tunekit/formats/space_record.hpp"
#include "tunekit/formats/t4.hpp"
#include "tunekit/records/experience.hpp"
#include "tunekit/records/json/json_fields.hpp"

namespace tunekit::io {

/// The results as a recorded space whose parameters are those of the first result, with the values that occur,
/// ascending. It is a sample: what was not measured is unknown. A result with another parameter, or with a value that
/// is no integer, is a problem; of a configuration that occurs twice the first counts, and the other is a problem.
///
///     const auto recorded = tk::io::recorded_space_of(tk::io::read_t4("cache.json"), "cache.json");
[[nodiscard]] inline recorded_space recorded_space_of(const t4_file& file, const std::string& name)
{
    recorded_space out;
    out.sample = true;
    out.problems = file.problems;
    std::vector<std::vector<std::int64_t>> rows;
    std::set<std::vector<std::int64_t>> seen;
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < file.results.size(); ++k) {
        const auto& configuration = file.results[k].configuration;
        if (out.parameters.empty())
            for (const auto& [parameter, value] : configuration.items()) out.parameters.push_back({parameter, {}});
        std::vector<std::int64_t> row;
        for (const auto& p : out.parameters)
            if (configuration.contains(p.name) && configuration[p.name].is_number_integer())
                row.push_back(configuration[p.name].get<std::int64_t>());
        const bool whole = row.size() == out.parameters.size() && configuration.size() == row.size();
        const bool again = whole && !seen.insert(row).second;
        if (!whole || again) {
            out.problems.push_back({name, 0, "results[" + std::to_string(k) + "].configuration",
                                    again ? "repeats an earlier configuration, want each once"
                                          : "is not an integer for each parameter of the first result, want those"});
            continue;
        }
        for (std::size_t j = 0; j < row.size(); ++j) out.parameters[j].values.push_back(row[j]);
        rows.push_back(std::move(row));
        places.push_back(k);
    }
    for (auto& p : out.parameters) {
        std::sort(p.values.begin(), p.values.end());
        p.values.erase(std::unique(p.values.begin(), p.values.end()), p.values.end());
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
        recorded_space::row& to = out.rows.emplace_back();
        for (std::size_t j = 0; j < rows[r].size(); ++j) {
            const auto& values = out.parameters[j].values;
            to.ordinals.push_back(static_cast<std::uint16_t>(
                std::lower_bound(values.begin(), values.end(), rows[r][j]) - values.begin()));
        }
        to.record = file.results[places[r]].recorded();
        to.framework_seconds =
            (std::max)(0.0, to.record.seconds - to.record.result.build_seconds - to.record.result.run_seconds);
    }
    return out;
}

/// The results as the experience of one source, called `name`.
[[nodiscard]] inline experience experience_of(const t4_file& file, const std::string& name)
{
    experience out;
    for (const problem& p : file.problems) out.notes.push_back(p.text() + "; left out");
    experience_source of{.name = name};
    for (const t4_file::result& r : file.results) try {
            std::vector<std::string> texts;
            const nlohmann::json configuration(r.configuration);
            const detail::json_fields values(configuration, "configuration");
            if (of.parameters.empty())
                for (const auto& [parameter, value] : r.configuration.items()) of.parameters.push_back({parameter, {}});
            for (const auto& p : of.parameters)
                texts.push_back(space::text_of_value(detail::value_of(values.at(p.name.c_str()))));
            experience::take(of, texts, r.recorded().result);
        } catch (const detail::json_fields::malformed& e) {
            out.notes.push_back(problem{name, 0, e.field, e.what}.text() + "; left out");
        }
    if (!of.results.empty()) out.add(std::move(of));
    return out;
}

}  // namespace tunekit::io
