// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Reads results from the log of a run over many shapes.

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/dispatch/results.hpp"
#include "tunekit/dispatch/task_name.hpp"
#include "tunekit/records/read_log.hpp"

namespace tunekit::dispatch {

/// Options for results from a log. An aggregate: name what you set.
struct results::log_options {
    std::string kernel{};              ///< the kernel's name in the names of the tasks
    std::string version = "1";         ///< the version of the kernel's code
    std::string device{};              ///< the name of the device in the rows; empty: the log's machine
    std::string date{};                ///< the date of the measurements, because a log has none
    std::vector<enumeration> words{};  ///< the sizes that are words in the names, as in results::words
    std::size_t best = 16;  ///< of each shape the fastest so many, and what is among these at another shape; >= 1
};

/// The results in a log: of every task with a `task_name` of this kernel.
///
///     const auto all = dispatch::results_of(io::read_log("gemm.jsonl"), {.kernel = "gemm", .date = "2026-11-22"});
///
/// The rows count as found by a search at their shape. Failed trials are left out.
/// Errors: std::invalid_argument for `best` = 0. tunekit::error where no task of the kernel was measured, where its
///         tasks differ in space or in the names of sizes, or where the log is of an older version, without values.
[[nodiscard]] inline results results_of(const io::log_content& log, const results::log_options& options)
{
    require(options.best > 0, "results_of: best is 0, want >= 1");
    results out{.kernel = options.kernel, .version = options.version, .words = options.words};
    const std::string device = options.device.empty() ? log.header.machine : options.device;
    std::map<std::size_t, shape_sizes> shapes;  // by task
    const io::log_content::head::task_entry* first = nullptr;
    for (std::size_t k = 0; k < log.header.tasks.size(); ++k) {
        const auto& task = log.header.tasks[k];
        const auto named = detail::named_shape_of(task.name, options.words);
        if (!named || named->kernel != options.kernel) continue;
        if (task.parameters.empty())
            throw error("log: task " + task.name +
                        " has no names of parameters, as older logs; tune it with io::logged");
        if (first == nullptr) {
            first = &task;
            out.fingerprint = task.fingerprint;
            out.sizes = named->sizes;
            out.parameters = task.parameters;
        }
        if (task.fingerprint != first->fingerprint || task.parameters != first->parameters)
            throw error("log: task " + task.name + " was tuned over another space than " + first->name +
                        "; tune all shapes of a kernel over one space");
        if (named->sizes != out.sizes)
            throw error("log: task " + task.name + " names other sizes than " + first->name +
                        "; want the same, in one order");
        shapes.emplace(k, named->at);
    }
    if (first == nullptr)
        throw error("log: has no task of kernel \"" + options.kernel + "\"; want names such as \"" +
                    (options.kernel.empty() ? "gemm" : options.kernel) + " m=128 n=768 k=768\"");
    if (const std::string wrong = detail::wrong_words(out.sizes, out.words); !wrong.empty())
        throw error("log: " + wrong + "; want words for sizes in the names of tasks");

    std::map<std::size_t, std::vector<std::pair<double, index>>> ranked;
    for (const io::log_content::trial& t : log.trials)
        if (shapes.contains(t.task) && t.measured.ok()) ranked[t.task].emplace_back(t.measured.cost, t.candidate);
    std::set<index> kept;
    for (auto& [task, all] : ranked) {
        std::sort(all.begin(), all.end());
        for (std::size_t k = 0; k < all.size() && k < options.best; ++k) kept.insert(all[k].second);
    }
    for (const io::log_content::trial& t : log.trials) {
        if (!shapes.contains(t.task) || t.measured.failed || !kept.contains(t.candidate)) continue;
        if (t.values.empty()) throw error("log: trials have no values, as older logs; tune it with io::logged");
        out.add({.device = device,
                 .at = shapes.at(t.task),
                 .candidate = t.candidate,
                 .values = t.values,
                 .seconds = t.measured.cost,
                 .within = detail::interval_of(t.measured),
                 .runs = t.measured.runs,
                 .at_least = t.measured.at_least,
                 .searched = true});
    }
    if (out.rows.empty())
        throw error("log: kernel \"" + options.kernel + "\" has no shape that was measured; nothing to choose from");
    out.set_date(device, options.date);
    return out;
}

}  // namespace tunekit::dispatch
