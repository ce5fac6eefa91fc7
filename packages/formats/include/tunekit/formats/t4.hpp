// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Results of Kernel Tuner in the T4 format, read and written. Needs nlohmann-json.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/replay.hpp"
#include "tunekit/processes/files/problem.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/records/json/bounded_json.hpp"
#include "tunekit/records/json/json_fields.hpp"

namespace tunekit::io {

/// The results of a file, and a problem for each that could not be read.
struct t4_file {
    /// One quantity that was measured in addition to the times.
    struct quantity {
        std::string name;      ///< of the quantity
        nlohmann::json value;  ///< a number, a text or a list
        std::string unit;      ///< such as "ms"; empty: none

        friend bool operator==(const quantity&, const quantity&) = default;
    };

    /// One configuration. Times are in milliseconds, as Kernel Tuner writes them.
    struct result {
        nlohmann::ordered_json configuration = nlohmann::ordered_json::object();  ///< value by name
        std::string timestamp;                                                    ///< as in the file
        std::vector<std::string> objectives;                                      ///< names of quantities
        std::vector<double> runtimes;                                             ///< repeats; empty where it failed
        nlohmann::json times =
            nlohmann::json::object();        ///< the others, by name: compilation, benchmark, framework, ...
        std::string invalidity = "correct";  ///< correct, timeout, compile, runtime, correctness or constraints
        double correctness = 1;              ///< 1 where the result is correct
        std::vector<quantity> quantities;    ///< measured besides the times

        /// The result as a row of a replay table. The cost is the first objective where it is a quantity in ms, us or
        /// s, else the mean of the runtimes; the seconds of the evaluation are the sum of its times without those of
        /// the search. Failures: compile -> build_error, timeout -> run_timeout, correctness -> wrong_result,
        /// constraints -> invalid, runtime -> launch_error; bad_cost for a result marked correct that has no positive
        /// time.
        [[nodiscard]] measure::recorded_row recorded() const;

        friend bool operator==(const result&, const result&) = default;
    };

    std::string schema_version = "1.0.0";  ///< of T4
    std::vector<result> results;           ///< in the order of the file
    std::vector<problem> problems;         ///< `field` is the path: results[3].times.runtimes
};

namespace detail {

inline constexpr std::array<std::string_view, 6> invalidities{"correct", "timeout",     "compile",
                                                              "runtime", "correctness", "constraints"};

/// Throws json_fields::malformed. `of` is where `from` is.
inline void read_t4(const json_fields& from, const json_document& of, t4_file::result& out)
{
    const auto configuration = from.at("configuration");
    if (!configuration.value().is_object()) configuration.fail("is not an object, want one of values by name");
    const auto& names = of.orders.at(&configuration.value());
    make_object(out.configuration, names.size());
    for (const std::string& name : names) copy_json(out.configuration[name], configuration.value().at(name));
    out.invalidity = from.at("invalidity").get<std::string>();
    if (std::find(invalidities.begin(), invalidities.end(), out.invalidity) == invalidities.end())
        from.at("invalidity").fail("is unknown, want correct, timeout, compile, runtime, correctness or constraints");
    out.correctness = from.at("correctness").get<double>();
    const auto times = from.at("times");
    if (!times.value().is_object()) times.fail("is not an object, want one of milliseconds by name");
    for (const auto& [name, value] : times.value().items()) {
        if (name == "runtimes") continue;
        out.times[name] = times.at(name.c_str()).amount("milliseconds", max_seconds);
    }
    if (times.value().contains("runtimes")) {
        const auto runtimes = times.at("runtimes");
        for (std::size_t i = 0; i < runtimes.size(); ++i)
            out.runtimes.push_back(runtimes[i].amount("milliseconds", max_seconds));
    }
    if (from.value().contains("timestamp")) out.timestamp = from.at("timestamp").get<std::string>();
    if (from.value().contains("objectives"))
        for (std::size_t i = 0; i < from.at("objectives").size(); ++i)
            out.objectives.push_back(from.at("objectives")[i].get<std::string>());
    if (from.value().contains("measurements")) {
        const auto quantities = from.at("measurements");
        for (std::size_t i = 0; i < quantities.size(); ++i) {
            const auto q = quantities[i];
            out.quantities.push_back({q.at("name").get<std::string>(),
                                      {},
                                      q.value().contains("unit") ? q.at("unit").get<std::string>() : ""});
            copy_json(out.quantities.back().value, q.at("value").value());
        }
    }
}

inline void empty_json(t4_file::result& r) noexcept
{
    empty_json(r.configuration);
    empty_json(r.times);
    for (t4_file::quantity& q : r.quantities) empty_json(q.value);
}

inline void read_t4_results(std::string_view text, const std::string& name, t4_file& out)
{
    const auto whole = bounded_json(text, "configuration");
    const json_fields all(whole.value);
    if (whole.value.is_object() && whole.value.contains("schema_version"))
        out.schema_version = all.at("schema_version").get<std::string>();
    const auto results = all.at("results");
    for (std::size_t i = 0; i < results.size(); ++i) {
        out.results.emplace_back();
        try {
            read_t4(results[i], whole, out.results.back());
        } catch (const json_fields::malformed& e) {
            empty_json(out.results.back());
            out.results.pop_back();
            out.problems.push_back({name, 0, e.field, e.what});
        }
    }
}

/// Reads the text of a T4 file; `name` stands for it in problems.
[[nodiscard]] inline t4_file parse_t4(std::string_view text, const std::string& name)
{
    return within_memory(name, [&] {
        t4_file out;
        try {
            read_t4_results(text, name, out);
        } catch (const json_fields::malformed& e) {
            throw error(problem{name, 0, e.field, e.what}.text());
        } catch (const std::bad_alloc&) {
            for (t4_file::result& r : out.results) empty_json(r);
            throw;
        }
        return out;
    });
}

/// The file as JSON. `parse_t4` reads it back equal.
[[nodiscard]] inline nlohmann::ordered_json to_json(const t4_file& file)
{
    using json = nlohmann::ordered_json;
    json results = json::array();
    for (const auto& r : file.results) {
        json times = json(r.times);
        times["runtimes"] = r.runtimes;
        json quantities = json::array();
        for (const auto& q : r.quantities)
            quantities.push_back({{"name", q.name}, {"value", json(q.value)}, {"unit", q.unit}});
        results.push_back({{"timestamp", r.timestamp},
                           {"configuration", r.configuration},
                           {"times", std::move(times)},
                           {"invalidity", r.invalidity},
                           {"correctness", r.correctness},
                           {"measurements", std::move(quantities)},
                           {"objectives", r.objectives}});
    }
    return {{"results", std::move(results)}, {"schema_version", file.schema_version}};
}

}  // namespace detail

/// Reads a T4 file. A result that is malformed is listed with the path of the field; every other result is read.
/// Errors: tunekit::error where the file cannot be read, is not a JSON object with a list "results", is nested deeper
/// than 64, or names a member of an object twice, or where memory does not suffice.
[[nodiscard]] inline t4_file read_t4(const std::string& path) { return detail::parse_t4(read_text(path), path); }

/// Writes a T4 file. Errors: tunekit::error where it cannot.
inline void write_t4(const std::string& path, const t4_file& file)
{
    write_text(path, detail::to_json(file).dump(1) + '\n');
}

inline measure::recorded_row t4_file::result::recorded() const
{
    using measure::failure_kind;
    measure::recorded_row out;
    auto& m = out.result;
    for (const auto& [name, value] : times.items()) {
        const double seconds = value.get<double>() / 1e3;
        if (name != "search_algorithm") out.seconds += seconds;
        if (name.starts_with("compilation")) m.build_seconds += seconds;
        if (name == "benchmark" || name == "validation") m.run_seconds += seconds;
        if (name == "validation") out.check_seconds += seconds;
    }
    const auto fail = [&](failure_kind kind) { m.failed = measure::failure{kind, 0, "Kernel Tuner: " + invalidity}; };
    if (invalidity == "compile") fail(failure_kind::build_error);
    else if (invalidity == "timeout") fail(failure_kind::run_timeout);
    else if (invalidity == "correctness") fail(failure_kind::wrong_result);
    else if (invalidity == "constraints") fail(failure_kind::invalid);
    else if (invalidity == "runtime") fail(failure_kind::launch_error);
    if (m.failed) return out;
    double sum = 0, squares = 0;
    const auto n = static_cast<double>(runtimes.size());
    for (const double ms : runtimes) {
        m.batches.push_back(ms / 1e3);
        sum += ms / 1e3;
    }
    for (const double s : m.batches) squares += (s - sum / n) * (s - sum / n);
    m.runs = static_cast<std::uint32_t>(runtimes.size());
    m.spread = m.runs > 1 ? std::sqrt(squares / (n - 1) / n) : 0;
    m.cost = m.runs > 0 ? sum / n : std::numeric_limits<double>::quiet_NaN();
    for (const auto& q : quantities) {
        if (objectives.empty() || q.name != objectives[0] || !q.value.is_number()) continue;
        if (q.unit == "ms") m.cost = q.value.get<double>() / 1e3;
        if (q.unit == "us") m.cost = q.value.get<double>() / 1e6;
        if (q.unit == "s") m.cost = q.value.get<double>();
    }
    if (!std::isfinite(m.cost) || !(m.cost > 0)) fail(failure_kind::bad_cost);
    return out;
}

}  // namespace tunekit::io
