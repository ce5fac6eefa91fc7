// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a run over the operators of a network came to: as a table or as JSON.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/support/network_end.hpp"
#include "tools/support/network_jobs.hpp"
#include "tools/support/network_options.hpp"
#include "tools/support/run_report.hpp"
#include "tools/support/verdict_json.hpp"
#include "tunekit/curve/improvements.hpp"
#include "tunekit/report/outlook.hpp"
#include "tunekit/report/text_table.hpp"
#include "tunekit/tune/last_comparison.hpp"
#include "tunekit/tune/task.hpp"

namespace programs {

/// A run with its last comparison.
struct network_result {
    tunekit::plan plan{};
    std::vector<tunekit::last_comparison> ends = {};  ///< one for each task
    double prepare_seconds = 0, race_seconds = 0;
    double build_seconds = 0, cut_short_seconds = 0;  ///< of compilers; of those that a limit ended

    /// Whether every task has a verified kernel.
    [[nodiscard]] bool complete() const
    {
        return std::all_of(ends.begin(), ends.end(),
                           [](const tunekit::last_comparison& e) { return e.best.has_value(); });
    }
};

/// The sums over the tasks.
struct network_totals {
    double default_latency = 0, tuned_latency = 0;  ///< seconds of one pass of the model
    double seconds = 0, measuring_share = 0;
    std::uint64_t trials = 0, failed = 0;
    tunekit::schedule::outlook next_minute;  ///< what another minute would take off the latency
};

inline network_totals totals_of(const network_jobs& jobs, const network_result& r, std::size_t workers)
{
    network_totals out;
    double measuring = r.race_seconds;
    std::vector<tunekit::schedule::task_view> views;
    for (std::size_t k = 0; k < jobs.all.size(); ++k) {
        const network_job& j = jobs.all[k];
        const auto& record = r.plan.tasks[k].record;
        out.default_latency += j.times * r.ends[k].untuned_cost;
        out.tuned_latency += j.times * r.ends[k].cost;
        out.trials += record.trials().size();
        out.failed += record.failed();
        for (const auto& t : record.trials()) measuring += t.measured.run_seconds;  // builders work meanwhile
        views.push_back({.flops = j.flops,
                         .weight = static_cast<double>(j.times),
                         .curve = record.curve(),
                         .slots = r.plan.tasks[k].slots,
                         .seconds = record.seconds(),
                         .active = record.stopped() == tunekit::stop_reason::running});
    }
    out.seconds = r.plan.seconds + r.race_seconds;
    const double of_workers = static_cast<double>(workers) * r.plan.seconds + r.race_seconds;
    if (of_workers > 0) out.measuring_share = measuring / of_workers;
    tunekit::random::philox gen(0);  // one of its own: what is forecast must not change what is tried
    out.next_minute = tunekit::schedule::expected_gain(views, 60, tunekit::curve::improvement_process{}, gen);
    return out;
}

/// The algorithm of a configuration, with the tile of one that has tiles; empty where the space has no such choice.
inline std::string algorithm_of(const tunekit::space::any_space& space, tunekit::index i)
{
    const auto names = space.names();
    const auto texts = space.texts(i);
    const auto text = [&](const char* name) -> std::string {
        const auto at = std::find(names.begin(), names.end(), name);
        return at == names.end() ? "" : texts[static_cast<std::size_t>(at - names.begin())];
    };
    const std::string algorithm = text("algorithm");
    return algorithm == "winograd" ? algorithm + " " + text("tile_h") + " x " + text("tile_w") : algorithm;
}

inline void print_table(const tune_network_options& o, const network_jobs& jobs, const network_result& r)
{
    using whole = unsigned long long;
    using tunekit::report::fixed;
    tunekit::report::text_table table({"task", "kind", "MFLOP", "times", "space", "trials", "by worker", "failed",
                                       "default ms", "tuned ms", "GFLOP/s", "seconds", "algorithm"},
                                      {-6, -7, 9, 5, 12, 7, 9, 7, 11, 10, 9, 8, -9});
    for (std::size_t k = 0; k < jobs.all.size(); ++k) {
        const network_job& j = jobs.all[k];
        const auto& record = r.plan.tasks[k].record;
        const tunekit::last_comparison& e = r.ends[k];
        table.row(j.name, j.kind, fixed(j.flops * 1e-6, 3), j.times, j.space.size(), record.trials().size(),
                  trials_by_worker(record, o.workers), record.failed(), fixed(1e3 * e.untuned_cost, 4),
                  fixed(1e3 * e.cost, 4), fixed(j.flops / e.cost * 1e-9, 1), fixed(record.seconds(), 2),
                  e.best ? algorithm_of(j.space, *e.best) : "NO VERIFIED KERNEL");
    }
    std::fputs(table.text().c_str(), stdout);
    const network_totals all = totals_of(jobs, r, o.workers);
    std::printf(
        "model latency %.3f ms -> %.3f ms (%.2fx), %llu trials, %llu failed, %.0f%% of %.1f s spent measuring, "
        "after %.1f s of preparation\n",
        1e3 * all.default_latency, 1e3 * all.tuned_latency, all.default_latency / all.tuned_latency,
        static_cast<whole>(all.trials), static_cast<whole>(all.failed), 100 * all.measuring_share, all.seconds,
        r.prepare_seconds);
    if (r.build_seconds > 0)
        std::printf("compilers worked %.1f s, of which %.1f%% went into builds that a limit ended\n", r.build_seconds,
                    100 * r.cut_short_seconds / r.build_seconds);
    if (const std::string known = verdicts_text(r.ends); !known.empty()) std::printf("%s\n", known.c_str());
    std::printf("another minute is expected to gain %.3f ms, with 90 %% between %.3f and %.3f ms\n",
                1e3 * all.next_minute.gain, 1e3 * all.next_minute.low, 1e3 * all.next_minute.high);
    if (jobs.cuda) std::printf("%s, %s\n", jobs.cuda->device().name.c_str(), jobs.cuda->conditions().text().c_str());
}

inline nlohmann::ordered_json json_of(const network_job& j, const tunekit::tuning& record,
                                      const tunekit::last_comparison& e)
{
    using json = nlohmann::ordered_json;
    auto config = json::object();
    if (e.best) {
        const auto texts = j.space.texts(*e.best);
        const auto names = j.space.names();
        for (std::size_t p = 0; p < texts.size(); ++p) config[names[p]] = texts[p];
    }
    auto workers = json::array();
    for (const auto& t : record.trials()) workers.push_back(t.worker);
    return {{"name", j.name},
            {"kind", j.kind},
            {"mflop", j.flops * 1e-6},
            {"times", j.times},
            {"space_size", j.space.size()},
            {"trials", record.trials().size()},
            {"worker_of_trial", workers},
            {"failed", record.failed()},
            {"default_ms", 1e3 * e.untuned_cost},
            {"tuned_ms", 1e3 * e.cost},
            {"gflops", j.flops / e.cost * 1e-9},
            {"seconds", record.seconds()},
            {"verified", e.best.has_value()},
            {"tied", e.race.tied.size()},
            {"verdict", json_of(e)},
            {"index", e.best ? json(*e.best) : json()},
            {"config", config}};
}

/// An infinity, of a task without a verified kernel, is written as null.
inline void print_json(const tune_network_options& o, const network_jobs& jobs, const network_result& r)
{
    using json = nlohmann::ordered_json;
    const network_totals all = totals_of(jobs, r, o.workers);
    auto tasks = json::array();
    for (std::size_t k = 0; k < jobs.all.size(); ++k)
        tasks.push_back(json_of(jobs.all[k], r.plan.tasks[k].record, r.ends[k]));
    json out{{"network", o.network},
             {"device", o.device},
             {"strategy", o.strategy},
             {"schedule", o.schedule},
             {"seed", o.seed},
             {"workers", o.workers},
             {"prepare_seconds", r.prepare_seconds},
             {"seconds", all.seconds},
             {"race_seconds", r.race_seconds},
             {"trials", all.trials},
             {"failed", all.failed},
             {"measuring_share", all.measuring_share},
             {"build_seconds", r.build_seconds},
             {"build_seconds_cut_short", r.cut_short_seconds},
             {"default_latency_ms", 1e3 * all.default_latency},
             {"tuned_latency_ms", 1e3 * all.tuned_latency},
             {"forecast",
              {{"seconds", all.next_minute.seconds},
               {"gain_ms", 1e3 * all.next_minute.gain},
               {"low_ms", 1e3 * all.next_minute.low},
               {"high_ms", 1e3 * all.next_minute.high}}},
             {"tasks", tasks}};
    if (jobs.cuda) {
        const auto seen = jobs.cuda->conditions();
        out["device_name"] = jobs.cuda->device().name;
        out["clock_mhz"] = {seen.min_mhz, seen.max_mhz};
        out["throttled"] = seen.throttled();
    }
    std::printf("%s\n", out.dump(2, ' ', true).c_str());
}

/// The sizes of the spaces, with and without their constraints.
inline void print_spaces(const std::deque<network_job>& jobs, bool json)
{
    auto rows = nlohmann::ordered_json::array();
    tunekit::report::text_table table({"task", "kind", "raw configurations", "valid"}, {-6, -8, 20, 16});
    for (const auto& j : jobs) {
        double raw = 1;
        for (const auto c : j.space.cardinalities()) raw *= c;
        if (json) rows.push_back({{"name", j.name}, {"kind", j.kind}, {"raw_size", raw}, {"size", j.space.size()}});
        else table.row(j.name, j.kind, tunekit::report::fixed(raw, 0), j.space.size());
    }
    std::fputs(json ? (nlohmann::ordered_json{{"tasks", rows}}.dump(2) + '\n').c_str() : table.text().c_str(), stdout);
}

}  // namespace programs
