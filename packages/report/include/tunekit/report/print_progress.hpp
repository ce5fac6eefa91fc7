// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A progress line on the terminal: pace, best cost, time left, and the gain that more time promises.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/curve/improvements.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/system/terminal.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/report/outlook.hpp"
#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/task.hpp"
#include "tunekit/tune/tuning.hpp"

namespace tunekit {

/// A `watch` that rewrites one line on a terminal during a run. It prints nothing where `to` is no terminal.
///
///     const tk::budget limit{.trials = 512};
///     auto found = tk::tune(space, measure, strategy, limit, gen, {.watch = tk::print_progress(limit)});
///     // 417 of 512 trials, 3 failed, 5.1/s | best 1.305 ms | next 19 s: -0.4 % (0 to -2.1 %) | 19 s left
///
///     tk::tasks_budget all{.seconds = 600};
///     auto plan = tk::tune_tasks(tasks, tk::recipes::combined(), all, gen, {.watch = tk::print_progress(all, tasks)});
///
/// Where nothing keeps an objective's limit yet, the line has `tuning::beyond_limit` instead of the best cost.
/// For several tasks the cost is the model's latency, once every task has a configuration. With `tasks` it is forecast
/// as well. The forecast is that of `schedule::expected_gain` for the time left, or for a minute where the time left is
/// longer or not known. It is the expected change of the cost, with an interval of 90 %. The time left is that of the
/// budget of seconds, or that of the budget of trials at the rate so far, whichever is shorter.
///
/// The line is written at most ten times a second, but at once for a better cost. It is forecast at most once a second,
/// and cut to the terminal's width, or to 80 columns where the terminal has none. When the object is destroyed, the
/// line is written for the last answer and stays, with a line end. The search does not depend on it.
/// Cost: a clock reading per answer; a millisecond for each task and forecast.
class print_progress {
public:
    /// For one space; `limit` is the budget of the run. `to` is where the line goes.
    explicit print_progress(const budget& limit = {}, std::FILE* to = stderr)
        : to_(to), trials_(limit.trials), seconds_(limit.seconds), on_(system::terminal_columns(to).has_value())
    {
    }
    /// For several tasks. With `tasks`, in the order of the run, the model's latency is forecast as well.
    explicit print_progress(const tasks_budget& limit, std::span<const task> tasks = {}, std::FILE* to = stderr)
        : to_(to), seconds_(limit.seconds), on_(system::terminal_columns(to).has_value())
    {
        for (const task& t : tasks) {
            flops_.push_back(t.flops());
            weights_.push_back(t.weight());
        }
    }
    /// Takes over the line. The other object ends nothing then.
    print_progress(print_progress&& other) noexcept { *this = std::move(other); }
    print_progress& operator=(print_progress&& other) noexcept
    {
        std::swap(to_, other.to_);
        std::swap(flops_, other.flops_);
        std::swap(weights_, other.weights_);
        trials_ = other.trials_;
        seconds_ = other.seconds_;
        on_ = other.on_;
        std::swap(shown_, other.shown_);
        std::swap(pending_, other.pending_);
        std::swap(latest_, other.latest_);
        std::swap(forecast_, other.forecast_);
        return *this;
    }
    ~print_progress() { end(); }

    /// Shows the state of a run over one space.
    void operator()(const tuning& record)
    {
        latest_ = {.cost = record.best_cost(),
                   .seconds = record.seconds(),
                   .trials = record.trials().size(),
                   .failed = record.failed(),
                   .broken = record.beyond_limit()};
        if (!due()) return;
        const schedule::task_view view{
            .flops = 1, .curve = record.curve(), .seconds = record.seconds(), .active = true};
        show({&view, 1});
    }

    /// Shows the state of a run over several tasks.
    void operator()(const plan& p, std::size_t)
    {
        std::size_t trials = 0;
        std::uint64_t failed = 0;
        double cost = 0;
        std::vector<schedule::task_view> views;
        for (std::size_t k = 0; k < p.tasks.size(); ++k) {
            const auto& record = p.tasks[k].record;
            trials += record.trials().size();
            failed += record.failed();
            if (k < weights_.size()) {
                cost += weights_[k] * record.best_cost();
                views.push_back({.flops = flops_[k],
                                 .weight = weights_[k],
                                 .curve = record.curve(),
                                 .slots = p.tasks[k].slots,
                                 .seconds = record.seconds(),
                                 .active = record.stopped() == stop_reason::running});
            }
        }
        if (weights_.empty()) cost = p.slots.empty() ? forever : p.slots.back().model_latency;
        latest_ = {.cost = cost, .seconds = p.seconds, .trials = trials, .failed = failed};
        if (due()) show(views);
    }

    /// Writes the line of the last answer and ends it. The next answer begins a new one.
    void end()
    {
        if (pending_) show({});
        if (!std::exchange(shown_, false)) return;
        std::fputc('\n', to_);
        std::fflush(to_);
    }

private:
    struct seen {
        double cost = forever, seconds = 0;
        std::size_t trials = 0;
        std::uint64_t failed = 0;
        std::string broken{};  // what is told where nothing keeps a limit
    };

    [[nodiscard]] bool due()
    {
        if (!on_) return false;
        const double now = measure::wall_clock{}();
        pending_ = true;
        if (!(latest_.cost < best_) && now < next_line_) return false;
        best_ = latest_.cost;
        next_line_ = now + 0.1;
        return true;
    }

    static std::string number(const char* format, double x)
    {
        char text[40];
        std::snprintf(text, sizeof text, format, x);
        return text;
    }
    /// A fall of the cost by `share`, in percent with its sign.
    static std::string fall(double share) { return share > 0 ? number("-%.2g", 100 * share) : "0"; }
    static std::string duration(double s)
    {
        return s < 100 ? number("%.0f s", s) : s < 6000 ? number("%.0f min", s / 60) : number("%.1f h", s / 3600);
    }

    /// Writes the line of `latest_`. Without views the forecast is the last one.
    void show(std::span<const schedule::task_view> views)
    {
        pending_ = false;
        const seen& now = latest_;
        std::string line = std::to_string(now.trials);
        if (trials_ < unlimited) line += " of " + std::to_string(trials_);
        line += " trials, " + std::to_string(now.failed) + " failed";
        const double rate = now.seconds > 0 ? static_cast<double>(now.trials) / now.seconds : 0;
        if (rate > 0) line += number(", %.3g/s", rate);
        double left = seconds_ - now.seconds;
        if (trials_ < unlimited && rate > 0)
            left =
                (std::min)(left, static_cast<double>(trials_ - (std::min)(trials_, std::uint64_t{now.trials})) / rate);
        left = (std::max)(left, 0.0);
        if (!now.broken.empty()) line += " | " + now.broken;
        else if (now.cost < forever)
            line += number(" | best %.4g ms", 1e3 * now.cost) + forecast(now, views, (std::min)(left, 60.0));
        if (left < forever) line += " | " + duration(left) + " left";
        const std::size_t known = system::terminal_columns(to_).value_or(0);
        const std::size_t columns = known > 1 ? known : 80;  // 0 where nobody has set it, as under script in a cron job
        if (line.size() >= columns) line.resize(columns - 1);
        std::fprintf(to_, "\r%s\033[K", line.c_str());
        std::fflush(to_);
        shown_ = true;
    }

    [[nodiscard]] const std::string& forecast(const seen& now, std::span<const schedule::task_view> views, double ahead)
    {
        if (const double at = measure::wall_clock{}(); !views.empty() && at >= next_forecast_) {
            next_forecast_ = at + 1;
            forecast_.clear();
            if (ahead >= 1 && now.seconds > 0) {
                random::philox gen(0);  // its own, so that the forecast does not change the search
                const auto next = schedule::expected_gain(views, ahead, curve::improvement_process{}, gen);
                forecast_ = " | next " + duration(ahead) + ": " + fall(next.gain / now.cost) + " % (" +
                            fall(next.low / now.cost) + " to " + fall(next.high / now.cost) + " %)";
            }
        }
        return forecast_;
    }

    std::FILE* to_ = stderr;
    std::vector<double> flops_, weights_;  // of the tasks
    std::uint64_t trials_ = unlimited;
    double seconds_ = forever;
    bool on_ = false, shown_ = false, pending_ = false;  // an answer that no line has shown
    double best_ = forever, next_line_ = 0, next_forecast_ = 0;
    seen latest_{};
    std::string forecast_;
};

}  // namespace tunekit
