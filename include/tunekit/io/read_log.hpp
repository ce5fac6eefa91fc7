// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Reads the log of a tuning run back.

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/io/log.hpp"
#include "tunekit/tune/trial.hpp"

namespace tunekit::io {

/// A log as it was found: its whole lines.
struct log_content {
    log_header header;
    std::vector<log_trial> trials;
    std::int64_t whole_bytes = 0;  ///< up to the end of the last whole line; what follows is torn
};

namespace detail {

[[nodiscard]] inline double number_or(const nlohmann::json& j, const char* key, double otherwise)
{
    const auto& x = j.at(key);
    return x.is_null() ? otherwise : x.get<double>();
}

[[nodiscard]] inline log_header header_from(const nlohmann::json& j)
{
    if (!j.contains("tunekit_log")) throw error("is no tunekit log: the first line has no member tunekit_log");
    if (j.at("tunekit_log").get<int>() != log_schema)
        throw error("has schema " + j.at("tunekit_log").dump() + ", this version reads " + std::to_string(log_schema));
    log_header h{.version = j.at("version"),
                 .machine = j.at("machine"),
                 .seed = j.at("seed"),
                 .strategy = j.at("strategy"),
                 .schedule = j.at("schedule"),
                 .seconds = number_or(j, "seconds", std::numeric_limits<double>::infinity()),
                 .slot_seconds = j.at("slot_seconds"),
                 .batch = j.at("batch"),
                 .tasks = {}};
    for (const auto& t : j.at("tasks")) h.tasks.push_back({t.at("name"), t.at("size"), t.at("fingerprint")});
    return h;
}

[[nodiscard]] inline measure::failure failure_from(const nlohmann::json& j)
{
    const std::string kind = j.at("kind");
    for (std::size_t k = 0; k < std::size(failure_names); ++k)
        if (kind == failure_names[k])
            return {.kind = static_cast<measure::failure_kind>(k), .code = j.at("code"), .message = j.at("message")};
    throw error("the failure kind \"" + kind + "\" is unknown");
}

[[nodiscard]] inline log_trial trial_from(const nlohmann::json& j)
{
    constexpr double inf = std::numeric_limits<double>::infinity();
    const auto& l = j.at("limits");
    log_trial t{.task = j.at("task"),
                .batch = j.at("batch"),
                .candidate = j.at("index"),
                .limits = {.abandon_above = number_or(l, "abandon_above", inf),
                           .run_seconds = number_or(l, "run_s", inf),
                           .build_seconds = number_or(l, "build_s", inf)},
                .measured = {.cost = number_or(j, "cost", std::numeric_limits<double>::quiet_NaN()),
                             .spread = number_or(j, "spread", inf),
                             .runs = j.at("runs"),
                             .at_least = j.at("at_least"),
                             .build_seconds = j.at("build_s"),
                             .run_seconds = j.at("run_s"),
                             .failed = {},
                             .batches = {}},
                .ended_ns = j.at("ended_ns"),
                .stamp_ns = {}};
    for (const auto& b : j.at("batches"))
        t.measured.batches.push_back(b.is_null() ? std::numeric_limits<double>::quiet_NaN() : b.get<double>());
    if (j.contains("failed")) t.measured.failed = failure_from(j.at("failed"));
    if (j.contains("stamp_ns")) t.stamp_ns = j.at("stamp_ns").get<std::int64_t>();
    return t;
}

}  // namespace detail

/// The header and the trials of the log at `path`. A last line without its end is torn and left out; the lines before it
/// count. Errors: tunekit::error naming file, line and what is wrong with it; the file is never changed.
[[nodiscard]] inline log_content read_log(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    if (!in) throw error("log " + path + ": cannot be opened for reading");
    log_content out;
    std::string line;
    for (std::int64_t number = 1; std::getline(in, line); ++number) {
        if (in.eof()) break;  // no line's end: torn
        try {
            const auto j = nlohmann::json::parse(line);
            if (number == 1) out.header = detail::header_from(j);
            else out.trials.push_back(detail::trial_from(j));
            if (number > 1 && out.trials.back().task >= out.header.tasks.size())
                throw error("names a task that the header has not");
        } catch (const std::exception& e) {
            throw error("log " + path + ", line " + std::to_string(number) + ": " + e.what() + "; the " +
                        std::to_string(number - 1) + " lines before it are whole: cut the file after them to go on");
        }
        out.whole_bytes += static_cast<std::int64_t>(line.size()) + 1;
    }
    if (out.whole_bytes == 0) throw error("log " + path + ": has no whole line; remove it to start anew");
    return out;
}

/// The trials of the task `name` of a log, whose space is `space`: what `history::add` takes.
/// Errors: tunekit::error where the log has no such task, or had another space for it.
template <class Space>
[[nodiscard]] std::vector<trial> trials_of(const log_content& log, const std::string& name, const Space& space)
{
    for (std::size_t k = 0; k < log.header.tasks.size(); ++k) {
        const auto& task = log.header.tasks[k];
        if (task.name != name) continue;
        if (task.size != space.size() || task.fingerprint != space.fingerprint())
            throw error("log: task " + name + " was tuned over another space; give the space that the log was written with");
        std::vector<trial> out;
        for (const log_trial& t : log.trials)
            if (t.task == k) out.push_back({.candidate = t.candidate, .measured = t.measured});
        return out;
    }
    throw error("log: has no task " + name + "; want one of its header's");
}

}  // namespace tunekit::io
