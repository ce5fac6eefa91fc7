// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Search spaces as files: tunekit's own format, T1 problems of Kernel Tuner and KTT, scenarios of BaCO and
/// HyperMapper. Needs nlohmann-json.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/formats/detail/space_values.hpp"
#include "tunekit/processes/files/problem.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/records/json/bounded_json.hpp"
#include "tunekit/records/json/json_fields.hpp"
#include "tunekit/space/value_product.hpp"

namespace tunekit::io {

/// A space as described by a file.
struct space_file {
    /// The facts of a BaCO scenario other than its space, for programs that speak its protocol.
    struct baco {
        std::string objective = "value";  ///< the column of the cost
        std::string feasible{};           ///< the column that says whether the cost is valid; empty: none
        std::string true_value = "True";  ///< the text in that column where it is valid
        std::uint64_t first = 0;          ///< configurations of the first request
        std::uint64_t then = 0;           ///< requests of one that follow
    };

    std::string format;                                 ///< "tunekit", "T1" or "BaCO"
    std::vector<space::value_parameter> parameters;     ///< in the order of the file
    std::vector<std::string> constraints;               ///< in the syntax of space::expression
    std::optional<std::vector<std::string>> untuned{};  ///< texts of the default configuration
    std::optional<baco> scenario{};                     ///< of BaCO
    std::vector<std::string> notes{};                   ///< what was left out and why, a line each

    /// The space. Throws std::invalid_argument as value_product does.
    [[nodiscard]] space::value_product space() const { return {parameters, constraints}; }
};

namespace detail {

/// The texts of a default given as an object of values by name.
[[nodiscard]] inline std::vector<std::string> default_of(const json_fields& from,
                                                         const std::vector<space::value_parameter>& all)
{
    if (!from.value().is_object()) from.fail("is not an object, want one of values by name");
    std::vector<std::string> names, out;
    for (const auto& p : all) names.push_back(p.name);
    const std::set<std::string> known(names.begin(), names.end());
    for (const auto& member : from.value().items())
        if (!known.contains(member.key()))
            from.at(member.key().c_str()).fail("is not a parameter, want " + core::wanted_name(member.key(), names));
    for (const auto& p : all) out.push_back(space::text_of_value(value_of(from.at(p.name.c_str()))));
    return out;
}

/// A word that may be left out.
[[nodiscard]] inline std::vector<space::value> flag_values(const json_fields& from)
{
    if (from.get<std::string>().empty()) from.fail("is empty, want a word such as -funroll-loops");
    return {std::string(), from.get<std::string>()};
}

[[nodiscard]] inline space_file read_own(const json_fields& all)
{
    space_file out{.format = "tunekit", .parameters = {}, .constraints = {}};
    for (const auto& [key, value] : all.value().items())
        if (key != "parameters" && key != "constraints" && key != "default" && key != "name")
            all.at(key.c_str()).fail("is unknown, want parameters, constraints, default or name");
    const auto parameters = all.at("parameters");
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const auto p = parameters[i];
        std::string name = name_of(p.at("name"));
        for (const auto& [key, value] : p.value().items())
            if (key != "name" && key != "values" && key != "flag" && key != "permutation")
                p.at(key.c_str()).fail("is unknown, want name and values, flag or permutation");
        if (p.value().size() != 2)
            p.at("name").fail("has more or less than one beside it, want values, flag or permutation");
        out.parameters.push_back(
            {std::move(name), p.value().contains("flag") ? flag_values(p.at("flag"))
                              : p.value().contains("permutation")
                                  ? orders_of(p.at("permutation"), p.at("permutation").get<std::uint64_t>())
                                  : values_of(p.at("values"))});
    }
    if (out.parameters.empty()) parameters.fail("is empty, want one parameter or more");
    if (all.value().contains("constraints")) {
        const auto constraints = all.at("constraints");
        for (std::size_t i = 0; i < constraints.size(); ++i) out.constraints.push_back(in_words(constraints[i]));
    }
    if (all.value().contains("default")) out.untuned = default_of(all.at("default"), out.parameters);
    return out;
}

[[nodiscard]] inline space_file read_t1(const json_fields& all)
{
    space_file out{.format = "T1", .parameters = {}, .constraints = {}};
    const auto of = all.at("ConfigurationSpace");
    const auto parameters = of.at("TuningParameters");
    std::vector<std::string> defaults;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const auto p = parameters[i];
        const auto values = p.at("Values");
        out.parameters.push_back(
            {name_of(p.at("Name")), values.value().is_string() ? python_values(values).values() : values_of(values)});
        if (!p.value().contains("Default")) continue;
        const auto given = p.at("Default");
        const bool in_list = given.value().is_array() && given.size() == 1;  // [0] for 0
        defaults.push_back(space::text_of_value(value_of(in_list ? given[0] : given)));
    }
    if (out.parameters.empty()) parameters.fail("is empty, want one parameter or more");
    if (defaults.size() == out.parameters.size()) out.untuned = std::move(defaults);
    if (!of.value().contains("Conditions")) return out;
    const auto conditions = of.at("Conditions");
    for (std::size_t i = 0; i < conditions.size(); ++i)
        out.constraints.push_back(in_words(conditions[i].at("Expression")));
    return out;
}

[[nodiscard]] inline space_file::baco scenario_of(const json_fields& all)
{
    space_file::baco out;
    const nlohmann::json& v = all.value();
    if (v.contains("optimization_objectives")) {
        const auto objectives = all.at("optimization_objectives");
        if (objectives.size() != 1)
            objectives.fail("are " + std::to_string(objectives.size()) + " objectives, want one");
        out.objective = objectives[0].get<std::string>();
    }
    if (v.contains("feasible_output")) {
        const auto feasible = all.at("feasible_output");
        const auto& f = feasible.value();
        if (!f.contains("enable_feasible_predictor") || f.at("enable_feasible_predictor") == true) {
            out.feasible = f.contains("name") ? feasible.at("name").get<std::string>() : "Valid";
            if (f.contains("true_value")) out.true_value = feasible.at("true_value").get<std::string>();
        }
    }
    out.first = 10;
    if (v.contains("design_of_experiment") && all.at("design_of_experiment").value().contains("number_of_samples"))
        out.first = all.at("design_of_experiment").at("number_of_samples").get<std::uint64_t>();
    if (v.contains("optimization_iterations")) out.then = all.at("optimization_iterations").get<std::uint64_t>();
    return out;
}

/// `of` is where `all` is.
[[nodiscard]] inline space_file read_scenario(const json_fields& all, const json_document& of)
{
    space_file out{.format = "BaCO", .parameters = {}, .constraints = {}};
    const auto parameters = all.at("input_parameters");
    if (!parameters.value().is_object() || parameters.value().empty())
        parameters.fail("is not an object of parameters, want one or more by name");
    std::vector<std::string> defaults;
    for (const std::string& name : of.orders.at(&parameters.value())) {
        const auto p = parameters.at(name.c_str());
        auto values = scenario_values(p);
        const nlohmann::json name_as_text = name;
        out.parameters.push_back(
            {name_of(json_fields(name_as_text, "input_parameters." + name.substr(0, 80))), std::move(values)});
        if (p.value().contains("parameter_default")) {
            const auto given = p.at("parameter_default");
            space::value v = value_of(given);
            if (const auto* const x = std::get_if<double>(&v); x != nullptr && whole_number(*x))
                if (std::holds_alternative<std::int64_t>(out.parameters.back().values.front())) v = *whole_number(*x);
            defaults.push_back(space::text_of_value(v));
        }
        if (!p.value().contains("constraints")) continue;
        const auto constraints = p.at("constraints");
        for (std::size_t i = 0; i < constraints.size(); ++i) out.constraints.push_back(in_words(constraints[i]));
    }
    if (defaults.size() == out.parameters.size()) out.untuned = std::move(defaults);
    out.scenario = scenario_of(all);
    return out;
}

/// What was thrown, without who threw it.
[[nodiscard]] inline std::string reason_of(const std::exception& e)
{
    std::string out = e.what();
    for (const std::string_view who : {"tunekit: ", "space: of: "})
        if (out.starts_with(who)) out.erase(0, who.size());
    return out;
}

/// The line at which a text ceases to be JSON.
[[nodiscard]] inline std::size_t line_of_no_json(std::string_view text)
{
    const std::size_t end = end_of_json(text);
    if (end == 0) return 0;  // a number that no double has
    const std::size_t at = (std::min)(end - 1, text.size());
    return static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1;
}

/// What a file says, whether a space can be made of it or not. Throws json_fields::malformed besides.
[[nodiscard]] inline space_file described_space(std::string_view text, const std::string& name)
{
    const json_document document = [&] {
        try {
            return bounded_json(text, {.ordered = "input_parameters", .exact_integers = true});
        } catch (const json_fields::malformed& e) {
            if (!e.what.starts_with("is not JSON")) throw;
            throw error(problem{name, line_of_no_json(text), "",
                                "is not JSON from here on, want a space, a T1 problem or a BaCO scenario"}
                            .text());
        }
    }();
    const nlohmann::json& whole = document.value;
    const json_fields all(whole);
    if (!whole.is_object()) throw error(name + ": is not a JSON object, want one with \"parameters\"");
    return whole.contains("ConfigurationSpace") ? read_t1(all)
           : whole.contains("input_parameters") ? read_scenario(all, document)
                                                : read_own(all);
}

/// Reads the text of a space file; `name` stands for it in messages.
[[nodiscard]] inline space_file parse_space_file(std::string_view text, const std::string& name)
{
    return within_memory(name, [&] {
        try {
            space_file out = described_space(text, name);
            const auto made = out.space();  // so that what is wrong with it is told here
            std::vector<std::pair<std::string, space::value>> untuned;
            for (std::size_t j = 0; out.untuned && j < out.untuned->size(); ++j)
                untuned.emplace_back(out.parameters[j].name, (*out.untuned)[j]);
            try {
                if (out.untuned) (void)made.of(untuned);
            } catch (const std::invalid_argument& e) {
                const std::string why = name + ": the default is not a configuration of the space: " + reason_of(e);
                if (out.format != "T1") throw error(why);
                out.notes.push_back(why + "; left out");  // public ones are often so
                out.untuned.reset();
            }
            return out;
        } catch (const json_fields::malformed& e) {
            throw error(problem{name, 0, e.field, e.what}.text());
        } catch (const std::invalid_argument& e) {
            invalid(name + ": " + reason_of(e));
        }
    });
}

}  // namespace detail

/// Reads a space file. The format is recognised by the content:
/// "parameters" (ours), "ConfigurationSpace" (T1) or "input_parameters" (BaCO, HyperMapper).
///
///     {"parameters": [{"name": "tile", "values": [16, 32, 64]}, {"name": "flag", "values": ["-O2", "-O3"]}],
///      "constraints": ["tile < 64 or flag == '-O3'"], "default": {"tile": 16, "flag": "-O2"}}
///
/// `{"name": "unroll", "flag": "-funroll-loops"}` has the values "" and that, `{"name": "loops", "permutation": 3}` the
/// orders of three.
///
/// Errors: tunekit::error where it cannot be read, and one line with the file, the field and what is wanted, also where
/// JSON nests deeper than 64 or names a member of an object twice, or memory does not suffice. std::invalid_argument
/// that names the file and the constraint or parameter, where no space can be made of it. Nothing is skipped but the
/// default of a T1 problem that its space does not have; `notes` says so.
/// Departures: a real parameter of BaCO needs its preferred_discretization, permutations have at most 8 entries.
[[nodiscard]] inline space_file read_space_file(const std::string& path)
{
    return detail::parse_space_file(read_text(path), path);
}

}  // namespace tunekit::io
