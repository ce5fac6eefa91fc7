// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Where a run of tune_command begins: the default, results that are known, configurations to be measured first.

#include <algorithm>
#include <cstddef>
#include <exception>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/support/client_lines.hpp"
#include "tools/support/command_options.hpp"
#include "tools/support/command_program.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/formats/csv.hpp"
#include "tunekit/formats/from_t4.hpp"
#include "tunekit/formats/space_file.hpp"
#include "tunekit/formats/t4.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/records/read_log.hpp"
#include "tunekit/report/findings.hpp"
#include "tunekit/report/from_log.hpp"
#include "tunekit/space/value_product.hpp"

namespace programs {

/// Throws std::invalid_argument where a parameter that a placeholder names is a word of --build.
inline void refuse_parameters_of_build(const command_options& o, const std::vector<std::string>& names)
{
    for (std::size_t k = 0; k + 1 < o.build.size(); ++k) {
        const std::string &option = o.build[k], &name = o.build[k + 1];
        const bool placed = o.command_line.find('{' + name + '}') != std::string::npos;
        if ((option == "-L" || option == "-P") && placed && std::find(names.begin(), names.end(), name) == names.end())
            tunekit::invalid(option + ' ' + name + " behind --build is the build's, want it before --build");
    }
}

/// What is tuned: --space and the options beside it; where there are none, what the log of a run holds that is taken up.
inline tunekit::io::space_file space_file_of(const command_options& o)
{
    if (o.space.empty() && o.space_words.empty() && !o.log.empty() && (o.resume || o.describe)) {
        const std::string space = tunekit::io::read_log(o.log).header.about.space;
        if (space.empty())
            tunekit::invalid("--log " + o.log + " holds no space, as those of earlier versions; want it given, too");
        return tunekit::io::detail::parse_space_file(space, "--log " + o.log);
    }
    tunekit::io::space_file out;
    if (!o.space.empty()) out = tunekit::io::read_space_file(o.space);
    if (!o.space_words.empty()) out = space_of_options(o.space_words, std::move(out));
    std::vector<std::string> names;
    for (const auto& p : out.parameters) names.push_back(p.name);
    refuse_parameters_of_build(o, names);
    if (names.empty())
        tunekit::invalid(
            "there is no space, want --parameter NAME=VALUES, -L NAME VALUES, -P NAME MIN MAX or --space FILE");
    return out;
}

/// Texts of values by the names of their parameters.
using values_by_name = std::vector<std::pair<std::string, tunekit::space::value>>;

/// The configuration of these values. Throws std::invalid_argument that begins with `where` and names what is wrong.
inline tunekit::index index_of_values(const tunekit::space::value_product& space, const values_by_name& values,
                                      const std::string& where)
{
    try {
        return space.index_of(space.of(values)).value();
    } catch (const std::invalid_argument& e) {
        tunekit::invalid(where + " is not a configuration of the space: " + tunekit::io::detail::reason_of(e));
    }
}

/// The values of --default NAME=VALUE,... over those of `base`.
inline values_by_name values_of_words(const std::string& text, const tunekit::space::value_product& space,
                                      const std::vector<std::string>& base)
{
    values_by_name out;
    for (std::size_t j = 0; j < base.size(); ++j) out.emplace_back(space.names()[j], base[j]);
    for (const std::string& word : fields_of(text)) {
        const auto parts = parts_of(word, '=', "--default", "NAME=VALUE,..., or a file");
        const auto at = std::find_if(out.begin(), out.end(), [&](const auto& v) { return v.first == parts.first; });
        if (at == out.end())
            tunekit::invalid("--default names the parameter '" + parts.first +
                             "', which the space does not have, want " +
                             tunekit::core::wanted_name(parts.first, space.names()));
        at->second = parts.second;
    }
    return out;
}

/// The best configuration of the log at `path`.
inline values_by_name best_of_log(const std::string& path)
{
    const auto run = tunekit::report::seen_run_of_log(path);
    const auto found = tunekit::report::findings_of(run);
    if (found.empty() || !found[0].best || found[0].best->values.size() != run.tasks[0].parameters.size())
        tunekit::invalid("--default " + path + ": this log has no configuration with a cost, want one that has");
    values_by_name out;
    for (std::size_t j = 0; j < run.tasks[0].parameters.size(); ++j)
        out.emplace_back(run.tasks[0].parameters[j], found[0].best->values[j]);
    return out;
}

/// The configuration to compare with: that of the command line, of the file, else the first.
inline tunekit::index untuned_of(const command_options& o, const tunekit::io::space_file& file,
                                 const tunekit::space::value_product& space)
{
    const std::vector<std::string> base = file.untuned ? *file.untuned : space.texts(0);
    if (o.untuned.empty()) return space.index_of_texts(base).value();
    if (o.untuned.find('=') != std::string::npos)
        return index_of_values(space, values_of_words(o.untuned, space, base), "--default '" + o.untuned + "'");
    const std::string text = tunekit::io::read_text(o.untuned);
    if (tunekit::io::detail::without_bom(text).starts_with("{\"tunekit_log\""))
        return index_of_values(space, best_of_log(o.untuned), "--default " + o.untuned);
    try {
        namespace detail = tunekit::io::detail;
        const auto whole = detail::bounded_json(text, {.exact_integers = true});
        const detail::json_fields all(whole.value);
        if (!whole.value.is_object()) all.fail("is not an object, want one of values by name");
        values_by_name values;
        for (const auto& member : whole.value.items())
            values.emplace_back(member.key(), detail::value_of(all.at(member.key().c_str())));
        return index_of_values(space, values, "--default " + o.untuned);
    } catch (const tunekit::io::detail::json_fields::malformed& e) {
        tunekit::invalid("--default " + o.untuned + ": " + (e.field.empty() ? "" : e.field + " ") + e.what);
    }
}

/// A row of a CSV file: its configuration, and what stands in the other columns.
struct configuration_row {
    std::size_t line = 0;
    tunekit::index candidate = 0;
    std::map<std::string, std::string> more{};
};

/// Reads the rows of a CSV file with a column for each parameter and some of `more`. A row that is no configuration is given to
/// `wrong(message)`; of two rows of a configuration the first counts, and of the other a line says so. Throws std::invalid_argument for a header that has something else.
template <class Wrong>
std::vector<configuration_row> rows_of(const std::string& option, const std::string& path,
                                       const tunekit::space::value_product& space, const std::vector<std::string>& more,
                                       Wrong&& wrong)
{
    const auto at_line = [&](std::size_t line) { return option + ' ' + path + ':' + std::to_string(line); };
    const std::string text = tunekit::io::read_text(path);
    const auto records = tunekit::io::csv_records(text);
    if (records.empty())
        tunekit::invalid(option + ' ' + path + " is empty, want a line with the names of the parameters");
    const auto& heads = records[0].fields;
    const auto names = space.names();
    const auto in = [](const auto& all, const std::string& name) {
        return std::find(all.begin(), all.end(), name) != all.end();
    };
    std::vector<std::string> known(names.begin(), names.end());
    known.insert(known.end(), more.begin(), more.end());
    for (const std::string& head : heads)
        if (!in(known, head))
            tunekit::invalid(at_line(1) + ": the column " + head + " is not a parameter, want " +
                             tunekit::core::wanted_name(head, known));
    for (const std::string& name : names)
        if (!in(heads, name))
            tunekit::invalid(at_line(1) + ": there is no column " + name + ", want one for each parameter");
    std::vector<configuration_row> out;
    std::map<tunekit::index, std::size_t> lines;
    for (std::size_t k = 1; k < records.size(); ++k) {
        configuration_row row{.line = records[k].line};
        const auto& fields = records[k].fields;
        if (fields.size() != heads.size())
            tunekit::invalid(at_line(row.line) + ": has " + std::to_string(fields.size()) + " fields, want " +
                             std::to_string(heads.size()));
        values_by_name values;
        for (std::size_t j = 0; j < heads.size(); ++j)
            if (in(names, heads[j])) values.emplace_back(heads[j], fields[j]);
            else row.more[heads[j]] = fields[j];
        try {
            row.candidate = index_of_values(space, values, at_line(row.line));
        } catch (const std::invalid_argument& e) {
            wrong(e);
            continue;
        }
        if (const auto [first, fresh] = lines.emplace(row.candidate, row.line); fresh) out.push_back(std::move(row));
        else
            complain(at_line(row.line) + " has the configuration of line " + std::to_string(first->second) +
                     "; left out");
    }
    return out;
}

/// Whether a file is taken for one of Kernel Tuner's results: T4, or a cache.
inline bool has_kernel_tuner_results(const std::string& path) { return path.ends_with(".json"); }

/// What --start-from takes of Kernel Tuner's results. The other paths stay in `paths`.
inline tunekit::experience taken_from(std::vector<std::string>& paths)
{
    tunekit::experience out;
    const auto theirs = std::stable_partition(paths.begin(), paths.end(),
                                              [](const std::string& path) { return !has_kernel_tuner_results(path); });
    for (auto at = theirs; at != paths.end(); ++at) try {
            out.merge(tunekit::io::experience_of(tunekit::io::read_t4(*at), *at));
        } catch (const tunekit::error& e) {
            out.notes.push_back(tunekit::io::detail::reason_of(e) + "; left out");
        }
    paths.erase(theirs, paths.end());
    return out;
}

/// The results of Kernel Tuner in --known FILE.
inline std::vector<tunekit::measure::trial> known_of_kernel_tuner(const command_options& o,
                                                                  const tunekit::space::value_product& space)
{
    namespace io = tunekit::io;
    if (!unit_of(o).is_time())
        tunekit::invalid("--known " + o.known +
                         " has times of Kernel Tuner, want a run whose costs are times (--unit s)");
    const io::t4_file file = io::read_t4(o.known);
    for (const io::problem& p : file.problems) complain("--known " + p.text() + "; left out");
    std::vector<tunekit::measure::trial> out;
    std::map<tunekit::index, std::size_t> places;
    std::size_t elsewhere = 0;
    for (std::size_t k = 0; k < file.results.size(); ++k) {
        const std::string where = "--known " + o.known + ": results[" + std::to_string(k) + "]";
        try {
            const nlohmann::json configuration(file.results[k].configuration);
            const io::detail::json_fields all(configuration, "configuration");
            values_by_name values;
            for (const auto& member : configuration.items())
                values.emplace_back(member.key(), io::detail::value_of(all.at(member.key().c_str())));
            const tunekit::index i = index_of_values(space, values, where);
            if (const auto [first, fresh] = places.emplace(i, k); fresh)
                out.push_back({.candidate = i, .measured = file.results[k].recorded().result});
            else complain(where + " has the configuration of results[" + std::to_string(first->second) + "]; left out");
        } catch (const io::detail::json_fields::malformed& e) {
            complain(where + '.' + e.field + ' ' + e.what + "; left out");
        } catch (const std::invalid_argument& e) {
            if (elsewhere++ == 0) complain(io::detail::reason_of(e) + "; left out, as are all that are none");
        }
    }
    return o.is_time() ? tunekit::io::by_fastest_runs(std::move(out)) : out;
}

/// What --retry-failed takes of a log: what it measured, and what failed in it.
struct retried_log {
    std::vector<tunekit::measure::trial> known{};
    std::vector<tunekit::index> failed{};
};

/// Throws where the log is of another space, or has costs of another meaning, unit or objective.
inline retried_log retried_of(const command_options& o, const tunekit::space::value_product& space,
                              const tunekit::io::log_content::head& is)
{
    retried_log out;
    if (o.retry_failed.empty()) return out;
    if (o.retry_failed == o.log) tunekit::invalid("--retry-failed is the log of an earlier run, want another --log");
    const auto log = tunekit::io::read_log(o.retry_failed);
    const std::string other = tunekit::io::detail::compare_meaning(o.retry_failed, log.header, is);
    if (!other.empty()) complain("--retry-failed " + o.retry_failed + ": " + other);
    for (auto& t : tunekit::io::trials_of(log, "command", space)) {
        if (!t.measured.failed) out.known.push_back(std::move(t));
        else out.failed.push_back(t.candidate);
    }
    if (o.is_time()) out.known = tunekit::io::by_fastest_runs(std::move(out.known));
    return out;
}

/// The results of --known FILE.
inline std::vector<tunekit::measure::trial> known_of(const command_options& o,
                                                     const tunekit::space::value_product& space,
                                                     const std::vector<std::string>& numbers)
{
    if (o.known.empty()) return {};
    if (has_kernel_tuner_results(o.known)) return known_of_kernel_tuner(o, space);
    using tunekit::measure::failure, tunekit::measure::failure_kind;
    std::vector<tunekit::measure::trial> out;
    std::vector<std::string> more{"cost", "failure"};
    more.insert(more.end(), numbers.begin(), numbers.end());
    for (const auto& row : rows_of("--known", o.known, space, more, [](const auto& e) { throw e; })) {
        tunekit::measure::trial& t = out.emplace_back();
        t.candidate = row.candidate;
        const auto text = [&](const char* column) {
            return row.more.contains(column) ? row.more.at(column) : std::string();
        };
        if (!text("failure").empty()) {
            t.measured.failed = failure{failure_kind::invalid, 0, text("failure")};
            continue;
        }
        const double said = tunekit::core::number<double>(text("cost")).value_or(0),
                     cost = o.maximize ? 1 / said : said;
        if (!(said > 0 && cost > 0 && cost < tunekit::forever))
            tunekit::invalid("--known " + o.known + ':' + std::to_string(row.line) + ": cost is '" + text("cost") +
                             "', want a positive finite number, or a text in the column failure");
        t.measured.cost = cost;
        t.measured.runs = 1;
        std::vector<double> values;
        for (const std::string& name : numbers)
            values.push_back(
                tunekit::core::number<double>(text(name.c_str())).value_or(std::numeric_limits<double>::quiet_NaN()));
        t.measured.values = tunekit::measure::measured_values(std::span<const double>(values));
    }
    return out;
}

/// What is measured first: the default, what is to be tried again, and the seeds that are configurations; of the others a line says
/// why they are not.
inline std::vector<tunekit::index> first_of(const command_options& o, const tunekit::space::value_product& space,
                                            tunekit::index untuned, const std::vector<tunekit::measure::trial>& known,
                                            const std::vector<tunekit::index>& again)
{
    std::vector<tunekit::index> all{untuned}, out;
    all.insert(all.end(), again.begin(), again.end());
    if (!o.seeds.empty())
        for (const auto& row : rows_of("--seeds", o.seeds, space, {"cost", "failure"}, [](const std::exception& e) {
                 complain(tunekit::io::detail::reason_of(e) + "; left out");
             }))
            all.push_back(row.candidate);
    for (const tunekit::index i : all) {
        const bool told = std::any_of(known.begin(), known.end(), [i](const auto& t) { return t.candidate == i; });
        if (!told && std::find(out.begin(), out.end(), i) == out.end()) out.push_back(i);
    }
    return out;
}

}  // namespace programs
