// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The command lines of the programs that tune a network.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "packages/kernels/operators/processors.hpp"
#include "tools/support/any_recipe.hpp"
#include "tools/support/names.hpp"
#include "tools/support/program.hpp"
#include "tools/support/run_options.hpp"
#include "tools/support/run_report.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/kernels/workloads.hpp"

namespace programs {

/// What tune_network and tune_network_mpi share.
struct network_options : run_options {
    std::string network, schedule = "dynatune";
    double seconds = 60;

    void describe(CLI::App& app, const char* log_holds)
    {
        app.formatter(std::make_shared<help_format>());
        app.add_option("--network", network, "resnet18, vgg16, alexnet, squeezenet, transformer or bert")
            ->required()
            ->type_name("NAME");
        describe_strategy(app);
        app.add_option("--schedule", schedule,
                       "which task is next: " + list(schedules()) +
                           "; dynatune-paper-at-N where the machine's peak is N GFLOP/s")
            ->capture_default_str()
            ->type_name("NAME");
        app.add_option("--seconds", seconds,
                       "wall time of tuning and the last comparison, of all tasks together; data and references are "
                       "made before")
            ->capture_default_str();
        describe_run(app, log_holds, "continue the run in the log");
    }

    /// Throws std::invalid_argument where one of them is wrong.
    void check() const
    {
        (void)found();
        (void)how();
        tunekit::require(seconds > 0, "--seconds is not positive, want > 0");
        tunekit::require(!resume || !log.empty(), "--resume needs the log to resume, want --log FILE");
    }

    [[nodiscard]] const tunekit::kernels::network& found() const
    {
        if (const auto* const net = tunekit::kernels::find_network(network)) return *net;
        std::string known;
        for (const auto& n : tunekit::kernels::networks) known += (known.empty() ? "" : ", ") + std::string(n.name);
        tunekit::invalid("network \"" + network + "\" is unknown, want one of: " + known);
    }

    /// The recipe of that name, under that schedule.
    [[nodiscard]] tunekit::recipes::any_recipe how() const
    {
        auto out = find(recipes(), "strategy", strategy);
        run_so(out);
        return out;
    }

    /// The same with the experience of `start_from`, which it reads, but for the run's own logs.
    [[nodiscard]] begun_recipe begun(const std::vector<std::string>& own_logs) const
    {
        auto out = begun_recipe_of("strategy", strategy, start_from, own_logs);
        run_so(out.how);
        return out;
    }

private:
    void run_so(tunekit::recipes::any_recipe& out) const
    {
        out.schedule = schedule_of("schedule", schedule);
        out.limits.max_build_factor = build_factor;
    }
};

/// What tune_network has beside it.
struct tune_network_options : network_options {
    std::string device = "cpu", templates = "own";
    std::string command_line;  ///< as it was given
    double slot_seconds = 0;
    std::size_t workers = 1;
    report_options report;
    bool json = false, spaces = false, sync = false, winograd = false, from_scratch = false;

    static constexpr std::size_t built_together = 8;

    void describe(CLI::App& app)
    {
        network_options::describe(app,
                                  "file that takes a line for each configuration that goes out, and for each answer");
        app.add_option("--workers", workers, "candidates that run at a time, each on separate processors; on cpu")
            ->check(CLI::Range(1, 4096).description(""))
            ->capture_default_str();
        app.add_option("--slot-seconds", slot_seconds, "length of a slot; 0: seconds / (20 x tasks), within [0.1, 100]")
            ->capture_default_str();
        report.describe(app);
        app.add_flag("--sync", sync, "write every line through to the disk");
        app.add_option("--device", device, "cpu or cuda, the first device; without one it ends with status 3")
            ->capture_default_str();
        app.add_option("--templates", templates,
                       "on cpu: own kernels, or autotvm's as code that is compiled; on cuda always autotvm's")
            ->capture_default_str();
        app.add_flag("--from-scratch", from_scratch,
                     "begin with nothing known: neither the default configuration, which the last comparison still "
                     "has, nor those "
                     "that were good at other shapes");
        app.add_flag("--winograd", winograd, "on cuda: Winograd's template for the convolutions that have one");
        app.add_flag("--json", json, "print JSON");
        app.add_flag("--spaces", spaces, "print the sizes of the search spaces and stop");
    }

    void check() const
    {
        const auto& net = found();
        using tunekit::require;
        (void)how();
        require(slot_seconds >= 0, "--slot-seconds is negative or NaN, want 0 or more");
        require(device == "cpu" || device == "cuda", "device \"" + device + "\" is unknown, want one of: cpu, cuda");
        require(templates == "own" || templates == "autotvm",
                "templates \"" + templates + "\" are unknown, want one of: own, autotvm");
        require(device != "cpu" || templates == "own" || net.products.empty(),
                "--templates autotvm has only convolutions, want a network without other products");
        require(!winograd || device == "cuda", "--winograd needs --device cuda");
        check_workers(workers);
        require(workers == 1 || device == "cpu",
                "--workers is above 1 with --device cuda, want 1: one candidate runs on a device at a time");
        network_options::check();
        require(slot_seconds >= 0, "--slot-seconds is negative, want > 0, or 0 for a twentieth of each task's share");
        report.check();
    }

    /// The recipe; where candidates are compiled first, several are proposed at a time.
    [[nodiscard]] tunekit::recipes::any_recipe how() const
    {
        auto out = network_options::how();
        ask_together(out);
        return out;
    }
    [[nodiscard]] begun_recipe begun(const std::vector<std::string>& own_logs) const
    {
        auto out = network_options::begun(own_logs);
        ask_together(out.how);
        return out;
    }

private:
    void ask_together(tunekit::recipes::any_recipe& out) const
    {
        if (device != "cpu" || templates != "own") out.ahead = (std::max)(out.ahead, built_together);
    }
};

}  // namespace programs
