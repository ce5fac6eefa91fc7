// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Results of Kernel Tuner in the T4 format, read and written, and its cache files, read. Needs nlohmann-json.

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
#include "tunekit/formats/detail/kernel_tuner_cache.hpp"
#include "tunekit/formats/detail/time_unit.hpp"
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

    /// One configuration. Times are in milliseconds, whatever the file has them in; quantities are as in the file.
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

        /// The result as a row of a replay table. The cost is the first objective where it is a quantity in a unit of
        /// time, the mean of the runtimes where it has no unit; the seconds of the evaluation are the sum of its times
        /// without those of the search. Failures: compile -> build_error, timeout -> run_timeout, correctness ->
        /// wrong_result, constraints -> invalid, runtime -> launch_error; bad_cost for a result marked correct that has
        /// no positive time, or an objective in another unit. What `take` adds to these words is read, too.
        [[nodiscard]] measure::recorded_row recorded() const;

        /// Fills in what a measurement gave whose costs are in `unit`, or 1 / scores in it. Times become milliseconds.
        /// What was cut short is a timeout without a time; its bound is the quantity "at_least", or "at_most" of a
        /// score. For a failure the quantities "failure" and "message" say what T4 has no words for.
        void take(const measure::measurement& m, const std::string& objective, const std::string& unit,
                  bool score = false);

        friend bool operator==(const result&, const result&) = default;
    };

    std::string schema_version = "1.0.0";  ///< of T4
    std::vector<result> results;           ///< in the order of the file
    std::vector<problem> problems;         ///< `field` is the path: results[3].times.runtimes
};

namespace detail {

inline constexpr std::array<std::string_view, 6> invalidities{"correct", "timeout",     "compile",
                                                              "runtime", "correctness", "constraints"};

/// `per_second` of a text in a file. Throws json_fields::malformed where it is no unit of time.
[[nodiscard]] inline double per_second(const json_fields& from)
{
    const auto word = from.get<std::string>();
    const auto many = per_second(word);
    if (!many) from.fail("'" + word.substr(0, 80) + "' is not a unit of time, want s, ms, us or ns, or their words");
    return *many;
}

/// How many a second has of the unit that a file says its times are in, as KTT does; none where it says nothing.
[[nodiscard]] inline std::optional<double> stated_unit(const json_fields& all)
{
    const auto in = [](const json_fields& from) -> std::optional<double> {
        for (const char* name : {"timeunit", "time_unit"})
            if (from.value().is_object() && from.value().contains(name)) return per_second(from.at(name));
        return std::nullopt;
    };
    if (const auto of_all = in(all)) return of_all;
    return all.value().is_object() && all.value().contains("metadata") ? in(all.at("metadata")) : std::nullopt;
}

/// The word of T4 for a failure.
[[nodiscard]] constexpr const char* invalidity_of(measure::failure_kind kind) noexcept
{
    using measure::failure_kind;
    switch (kind) {
        case failure_kind::build_error:
        case failure_kind::build_timeout:
            return "compile";
        case failure_kind::run_timeout:
            return "timeout";
        case failure_kind::wrong_result:
        case failure_kind::damaged_canary:
            return "correctness";
        case failure_kind::invalid:
            return "constraints";
        default:
            return "runtime";
    }
}

/// Throws json_fields::malformed. `of` is where `from` is. `unit` is how many a second has of the unit that the file
/// states. Where it states none, times are in the unit of the objective, and where that has none, in milliseconds, as
/// Kernel Tuner writes them.
inline void read_t4(const json_fields& from, const json_document& of, std::optional<double> unit, t4_file::result& out)
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
            const auto& made = out.quantities.back();
            if (!unit && !made.unit.empty() && !out.objectives.empty() && made.name == out.objectives[0])
                unit = per_second(q.at("unit"));
            copy_json(out.quantities.back().value, q.at("value").value());
        }
    }
    const auto times = from.at("times");
    if (!times.value().is_object()) times.fail("is not an object, want one of times by name");
    const auto time = [&](const json_fields& x) {
        return milliseconds(x.amount("a time", max_seconds), unit.value_or(1e3));
    };
    for (const auto& [name, value] : times.value().items())
        if (name != "runtimes") out.times[name] = time(times.at(name.c_str()));
    if (!times.value().contains("runtimes")) return;
    const auto runtimes = times.at("runtimes");
    for (std::size_t i = 0; i < runtimes.size(); ++i) out.runtimes.push_back(time(runtimes[i]));
}

inline void empty_json(t4_file::result& r) noexcept
{
    empty_json(r.configuration);
    empty_json(r.times);
    for (t4_file::quantity& q : r.quantities) empty_json(q.value);
}

inline void read_t4_results(const json_document& whole, const std::string& name, t4_file& out)
{
    const json_fields all(whole.value);
    if (whole.value.is_object() && whole.value.contains("schema_version"))
        out.schema_version = all.at("schema_version").get<std::string>();
    const std::optional<double> unit = stated_unit(all);
    const auto results = all.at("results");
    for (std::size_t i = 0; i < results.size(); ++i) {
        out.results.emplace_back();
        try {
            read_t4(results[i], whole, unit, out.results.back());
        } catch (const json_fields::malformed& e) {
            empty_json(out.results.back());
            out.results.pop_back();
            out.problems.push_back({name, 0, e.field, e.what});
        }
    }
}

/// The document of a T4 file or a cache.
[[nodiscard]] inline json_document t4_document(const std::string& text)
{
    json_document out = [&] {
        try {
            return bounded_json(text, {.ordered = "configuration"});
        } catch (const json_fields::malformed& e) {
            if (!e.what.starts_with("is not JSON") || text.find("\"tune_params\"") == text.npos) throw;
            return bounded_json(closed_cache(text));
        }
    }();
    if (!out.value.is_object() || !out.value.contains("cache")) return out;
    return t4_of_cache(json_fields(out.value));
}

/// Reads the text of a T4 file; `name` stands for it in problems.
[[nodiscard]] inline t4_file parse_t4(std::string_view text, const std::string& name)
{
    return within_memory(name, [&] {
        t4_file out;
        try {
            read_t4_results(t4_document(without_nan(text)), name, out);
        } catch (const json_fields::malformed& e) {
            throw error(problem{name, 0, e.field, e.what}.text());
        } catch (const std::bad_alloc&) {
            for (t4_file::result& r : out.results) empty_json(r);
            throw;
        }
        return out;
    });
}

/// The file as JSON, with the unit of its times. `parse_t4` reads it back equal.
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
    return {{"metadata", {{"timeunit", "milliseconds"}}},
            {"results", std::move(results)},
            {"schema_version", file.schema_version}};
}

}  // namespace detail

/// Reads a T4 file, or a cache file of Kernel Tuner, whose results those of a T4 file are. A result that is malformed,
/// or has a NaN for a time, is listed with the path of the field; every other result is read.
/// Errors: tunekit::error where the file cannot be read, is not a JSON object with a list "results", says that its
/// times are in a unit that is none of time, is nested deeper than 64, or names a member of an object twice, or where
/// memory does not suffice.
[[nodiscard]] inline t4_file read_t4(const std::string& path) { return detail::parse_t4(read_text(path), path); }

/// Writes a T4 file. Errors: tunekit::error where it cannot.
inline void write_t4(const std::string& path, const t4_file& file)
{
    using json = nlohmann::ordered_json;  // a program's message may be no UTF-8
    write_text(path, detail::to_json(file).dump(1, ' ', false, json::error_handler_t::replace) + '\n');
}

inline void t4_file::result::take(const measure::measurement& m, const std::string& objective, const std::string& unit,
                                  bool score)
{
    times["compilation"] = detail::milliseconds(m.build_seconds);
    times["benchmark"] = detail::milliseconds(m.run_seconds);
    if (m.failed) {
        invalidity = detail::invalidity_of(m.failed->kind);
        correctness = invalidity == "correctness" ? 0 : 1;
        quantities.push_back({"failure", measure::to_text(m.failed->kind), ""});
        if (!m.failed->message.empty()) quantities.push_back({"message", m.failed->message, ""});
        return;
    }
    const double time = score ? 0 : detail::per_second(unit).value_or(0);  // 0: it is none
    const std::string name = !m.at_least ? objective : score ? "at_most" : "at_least";
    if (time > 0) quantities.push_back({name, detail::milliseconds(m.cost, time), "ms"});
    else quantities.push_back({name, score ? 1 / m.cost : m.cost, unit});
    if (m.at_least) {
        invalidity = "timeout";
        return;
    }
    objectives = {objective};
    for (const double x : m.batches)
        if (time > 0) runtimes.push_back(detail::milliseconds(x, time));
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
    const auto found = [&](std::string_view name) -> const quantity* {
        const auto at =
            std::find_if(quantities.begin(), quantities.end(), [&](const quantity& q) { return q.name == name; });
        return at == quantities.end() ? nullptr : &*at;
    };
    // Seconds; none where there is no such number in a unit of time.
    const auto time_of = [](const quantity* q) -> std::optional<double> {
        const auto unit = q != nullptr ? detail::per_second(q->unit) : std::nullopt;
        return unit && q->value.is_number() ? std::optional(q->value.get<double>() / *unit) : std::nullopt;
    };
    const auto word_of = [](const quantity* q) {
        return q != nullptr && q->value.is_string() ? q->value.get<std::string>() : std::string();
    };
    if (const auto bound = time_of(found("at_least")); invalidity == "timeout" && bound && *bound > 0) {
        m.cost = *bound;
        m.at_least = true;
        return out;
    }
    static constexpr std::pair<const char*, failure_kind> kinds[] = {{"compile", failure_kind::build_error},
                                                                     {"timeout", failure_kind::run_timeout},
                                                                     {"correctness", failure_kind::wrong_result},
                                                                     {"constraints", failure_kind::invalid},
                                                                     {"runtime", failure_kind::launch_error}};
    for (const auto& [word, kind] : kinds) {
        if (invalidity != word) continue;
        const std::string message = word_of(found("message"));
        m.failed = measure::failure{measure::failure_kind_of(word_of(found("failure"))).value_or(kind), 0,
                                    message.empty() ? "was recorded as " + invalidity : message};
        return out;
    }
    double sum = 0, squares = 0;
    const auto n = static_cast<double>(runtimes.size());
    for (const double ms : runtimes) {
        m.batches.push_back(ms / 1e3);
        sum += ms / 1e3;
    }
    for (const double s : m.batches) squares += (s - sum / n) * (s - sum / n);
    m.runs = static_cast<std::uint32_t>(runtimes.size());
    m.spread = m.runs > 1 ? std::sqrt(squares / (n - 1) / n) : 0;
    double cost = m.runs > 0 ? sum / n : std::numeric_limits<double>::quiet_NaN();
    std::string why =
        m.runs > 0 ? "its time is not above 0" : "it has neither runtimes nor an objective in a unit of time";
    if (const quantity* const q = objectives.empty() ? nullptr : found(objectives[0]);
        q != nullptr && !q->unit.empty()) {
        const auto time = time_of(q);
        cost = time.value_or(std::numeric_limits<double>::quiet_NaN());
        if (!time) why = "its objective '" + q->name + "' is in '" + q->unit + "', which is no unit of time";
    }
    if (std::isfinite(cost) && cost > 0) m.cost = cost;
    else m.failed = measure::failure{failure_kind::bad_cost, 0, "was recorded as correct, but " + why};
    return out;
}

}  // namespace tunekit::io
