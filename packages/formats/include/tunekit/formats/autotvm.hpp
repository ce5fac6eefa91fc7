// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// AutoTVM log records. Versions 0.1 and 0.2 are read, 0.2 is written. Needs nlohmann-json.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/processes/files/problem.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/records/json/bounded_json.hpp"
#include "tunekit/records/json/json_fields.hpp"

namespace tunekit::io {

/// One line of an AutoTVM log. Fields that only TVM understands are kept as JSON.
struct autotvm_record {
    /// One knob of an AutoTVM configuration.
    struct knob {
        std::string name;      ///< of the knob
        std::string kind;      ///< sp: split, re: reorder, an: annotate, ot: other
        nlohmann::json value;  ///< a list, or the choice of an `ot`

        friend bool operator==(const knob&, const knob&) = default;
    };

    std::string target;                                ///< such as "llvm -mcpu=core-avx2"
    std::string task;                                  ///< name of the template
    nlohmann::json args;                               ///< tensors are ["TENSOR", shape, dtype]
    nlohmann::json kwargs = nlohmann::json::object();  ///< named arguments of the task
    index config = 0;                                  ///< first knob fastest
    nlohmann::json code_hash;                          ///< a string or null
    std::vector<knob> knobs;                           ///< in the order of the space
    std::vector<double> costs;                         ///< seconds, one per repeat; empty where `error` is not 0
    int error = 0;            ///< 0 ok, 1 instantiation, 2 compile host, 3 compile device, 4 runtime, 5 wrong answer,
                              ///< 6 build timeout, 7 run timeout, 8 unknown
    double all_seconds = 0;   ///< build and run
    double timestamp = 0;     ///< seconds since 1970
    std::string tvm_version;  ///< empty in 0.1

    friend bool operator==(const autotvm_record&, const autotvm_record&) = default;
};

/// The records of a log, and a problem for each line that could not be read.
struct autotvm_log {
    std::vector<autotvm_record> records;  ///< in the order of the file
    std::vector<problem> problems;        ///< lines that were skipped
};

namespace detail {

inline void read_knobs(const json_fields& entity, autotvm_record& out)
{
    for (std::size_t i = 0; i < entity.size(); ++i) {
        const auto knob = entity[i];
        out.knobs.push_back({knob[0].get<std::string>(), knob[1].get<std::string>(), {}});
        copy_json(out.knobs.back().value, knob[2].value());
    }
}

inline void read_result(const json_fields& result, autotvm_record& out)
{
    out.error = result[1].get<int>();
    if (out.error < 0 || out.error > 8) result[1].fail("is not an error code, want 0 to 8");
    out.all_seconds = result[2].amount("seconds", max_seconds);
    out.timestamp = result[3].amount("seconds", max_seconds);
    const auto repeats = result[0];
    if (out.error != 0) return;
    if (repeats.size() == 0) repeats.fail("is empty, want the seconds of each repeat");
    for (std::size_t i = 0; i < repeats.size(); ++i) {
        const double cost = repeats[i].get<double>();
        if (!(cost > 0 && cost <= max_seconds)) repeats[i].fail("is not a time, want seconds above 0");
        out.costs.push_back(cost);
    }
}

inline void empty_json(autotvm_record& r) noexcept
{
    for (nlohmann::json* const x : {&r.args, &r.kwargs, &r.code_hash}) empty_json(*x);
    for (autotvm_record::knob& k : r.knobs) empty_json(k.value);
}

/// Throws json_fields::malformed.
inline void read_record(const nlohmann::json& line, autotvm_record& out)
{
    const json_fields all(line);
    const bool old = line.is_object() && line.contains("i");  // 0.1, whose names are single letters
    const auto input = all.at(old ? "i" : "input");
    out.target = input[0].get<std::string>();
    out.task = input[1].get<std::string>();
    copy_json(out.args, input[2].value());
    copy_json(out.kwargs, input[3].value());
    const auto config = old ? input[5] : all.at("config");
    out.config = config.at(old ? "i" : "index").get<index>();
    copy_json(out.code_hash, config.at(old ? "c" : "code_hash").value());
    read_knobs(config.at(old ? "e" : "entity"), out);
    read_result(all.at(old ? "r" : "result"), out);
    if (old) return;
    const double version = all.at("version").get<double>();
    if (version != 0.2) all.at("version").fail("is unknown, want 0.1 or 0.2");
    out.tvm_version = all.at("tvm_version").get<std::string>();
}

inline void read_records(std::string_view text, const std::string& name, autotvm_log& out)
{
    std::size_t at = 0;
    for (const std::string_view line : lines(without_bom(text))) {
        ++at;
        if (words(line).empty() || line.starts_with('#')) continue;
        out.records.emplace_back();
        try {
            const auto parsed = bounded_json(line);
            read_record(parsed.value, out.records.back());
        } catch (const json_fields::malformed& e) {
            empty_json(out.records.back());
            out.records.pop_back();
            out.problems.push_back({name, at, e.field, e.what});
        }
    }
}

}  // namespace detail

/// Reads the text of a log; `name` stands for it in problems. Lines that are empty or begin with '#' are comments. A
/// malformed line is listed with its number and the path of the field; every other line is read.
/// Errors: tunekit::error where memory does not suffice.
[[nodiscard]] inline autotvm_log parse_autotvm(std::string_view text, const std::string& name)
{
    return within_memory(name, [&] {
        autotvm_log out;
        try {
            detail::read_records(text, name, out);
        } catch (...) {
            for (autotvm_record& r : out.records) detail::empty_json(r);
            throw;
        }
        return out;
    });
}

/// Reads a log file.
///
///     const auto log = tk::io::read_autotvm("conv2d.log");
///     for (const auto& p : log.problems) std::puts(p.text().c_str());
///
/// Errors: tunekit::error where the file cannot be read.
[[nodiscard]] inline autotvm_log read_autotvm(const std::string& path) { return parse_autotvm(read_text(path), path); }

/// The record as JSON of version 0.2. A record that was read from version 0.2 gives the same JSON values again. The
/// workload and the template's name of version 0.1 are lost.
[[nodiscard]] inline nlohmann::json to_json(const autotvm_record& r)
{
    nlohmann::json entity = nlohmann::json::array();
    for (const auto& k : r.knobs) entity.push_back(nlohmann::json::array({k.name, k.kind, k.value}));
    const nlohmann::json costs = r.error == 0 ? nlohmann::json(r.costs) : nlohmann::json(std::vector<double>{1e9});
    return {{"input", nlohmann::json::array({r.target, r.task, r.args, r.kwargs})},
            {"config", {{"index", r.config}, {"code_hash", r.code_hash}, {"entity", std::move(entity)}}},
            {"result", nlohmann::json::array({costs, r.error, r.all_seconds, r.timestamp})},
            {"version", 0.2},
            {"tvm_version", r.tvm_version}};
}

/// Writes a log of version 0.2, one record per line. Errors: tunekit::error where it cannot.
inline void write_autotvm(const std::string& path, const std::vector<autotvm_record>& records)
{
    std::string text;
    for (const auto& r : records) (text += to_json(r).dump()) += '\n';
    write_text(path, text);
}

/// The record as a measurement. The cost is AutoTVM's: the mean of the repeats, without the least and the greatest
/// where there are more than two.
[[nodiscard]] inline measure::measurement measurement_of(const autotvm_record& r)
{
    using measure::failure_kind;
    measure::measurement out;
    out.run_seconds = r.all_seconds;
    if (r.error != 0) {
        static constexpr failure_kind kinds[]{
            failure_kind::invalid,       failure_kind::invalid,      failure_kind::build_error,
            failure_kind::build_error,   failure_kind::launch_error, failure_kind::wrong_result,
            failure_kind::build_timeout, failure_kind::run_timeout,  failure_kind::crash};
        out.failed = measure::failure{kinds[r.error], r.error, "AutoTVM error " + std::to_string(r.error)};
        return out;
    }
    std::vector<double> sorted = r.costs;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t cut = sorted.size() > 2 ? 1 : 0;
    double sum = 0, squares = 0;
    const auto n = static_cast<double>(sorted.size() - 2 * cut);
    for (std::size_t i = cut; i + cut < sorted.size(); ++i) sum += sorted[i];
    out.cost = sum / n;
    for (std::size_t i = cut; i + cut < sorted.size(); ++i) squares += (sorted[i] - out.cost) * (sorted[i] - out.cost);
    out.spread = n > 1 ? std::sqrt(squares / (n - 1) / n) : 0;
    out.runs = static_cast<std::uint32_t>(r.costs.size());
    out.batches = r.costs;
    return out;
}

/// The error code that AutoTVM would log for a measurement; 0 where it did not fail.
[[nodiscard]] inline int autotvm_error(const measure::measurement& m)
{
    using measure::failure_kind;
    if (!m.failed) return 0;
    switch (m.failed->kind) {
        case failure_kind::invalid:
            return 1;
        case failure_kind::build_error:
            return 3;
        case failure_kind::build_timeout:
            return 6;
        case failure_kind::crash:
        case failure_kind::exited:
        case failure_kind::out_of_memory:
        case failure_kind::launch_error:
            return 4;
        case failure_kind::wrong_result:
        case failure_kind::damaged_canary:
            return 5;
        case failure_kind::run_timeout:
            return 7;
        case failure_kind::bad_cost:
        case failure_kind::lost:
            break;
    }
    return 8;
}

/// The best record without error of each (target, task, args), in the order of their first appearance; of equal ones
/// the earlier.
[[nodiscard]] inline std::vector<autotvm_record> best_of(const std::vector<autotvm_record>& records)
{
    std::vector<autotvm_record> out;
    for (const auto& r : records) {
        if (r.error != 0) continue;
        const auto same = std::find_if(out.begin(), out.end(), [&](const autotvm_record& o) {
            return o.target == r.target && o.task == r.task && o.args == r.args;
        });
        const auto mean = [](const autotvm_record& x) {
            double sum = 0;
            for (const double c : x.costs) sum += c;
            return sum / static_cast<double>(x.costs.size());
        };
        if (same == out.end()) out.push_back(r);
        else if (mean(r) < mean(*same)) *same = r;
    }
    return out;
}

}  // namespace tunekit::io
