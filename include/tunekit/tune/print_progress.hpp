// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A progress line on the terminal: pace, best cost, time left, and the gain that more time promises.

#include <sys/ioctl.h>
#include <unistd.h>

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
#include "tunekit/random/philox.hpp"
#include "tunekit/schedule/outlook.hpp"
#include "tunekit/tune/budget.hpp"
#include "tunekit/tune/plan.hpp"
#include "tunekit/tune/task.hpp"
#include "tunekit/tune/tuning.hpp"

namespace tunekit {

/// A `watch` that rewrites one line on a terminal during a run. It prints nothing where `to` is no terminal.
///
///     const tk::budget limit{.trials = 512};
///     auto found = tk::tune(space, measure, strategy, limit, tk::print_progress(limit), gen);
///     // 417 of 512 trials, 3 failed, 5.1/s | best 1.305 ms | next 19 s: -0.4 % (0 to 2.1 %) | 19 s left
///
///     tk::tasks_budget all{.seconds = 600};
///     auto plan = tk::tune_tasks(tasks, tk::recipes::combined(), all, tk::print_progress(all, tasks), gen);
///
/// For several tasks the cost is the model's latency, once every task has a configuration; with `tasks` it is forecast too.
/// The forecast is that of `schedule::expected_gain` for the time left, or for a minute where that is not known or longer.
/// It is the expected fall of the cost, with an interval of 90 %. The time left is that of the budget of seconds, or that
/// of the budget of trials at the rate so far.
///
/// The line is written at most ten times a second, forecast at most once a second, and cut to the terminal's width. The
/// last one stays, with its line's end, when the object ends. The search does not depend on it.
/// Cost: a clock reading per answer; a millisecond for each task and forecast.
class print_progress {
public:
    explicit print_progress(const budget& limit = {}, std::FILE* to = stderr)
        : to_(to), trials_(limit.trials), seconds_(limit.seconds), on_(::isatty(::fileno(to)) != 0)
    {
    }
    explicit print_progress(const tasks_budget& limit, std::span<const task> tasks = {}, std::FILE* to = stderr)
        : to_(to), seconds_(limit.seconds), on_(::isatty(::fileno(to)) != 0)
    {
        for (const task& t : tasks) {
            flops_.push_back(t.flops());
            weights_.push_back(t.weight());
        }
    }
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
        return *this;
    }
    ~print_progress() { end(); }

    void operator()(const tuning& record)
    {
        if (!due(record.best_cost())) return;
        const schedule::task_view view{
            .flops = 1, .curve = record.curve(), .seconds = record.seconds(), .active = true};
        show({.cost = record.best_cost(),
              .seconds = record.seconds(),
              .trials = record.trials().size(),
              .failed = record.failed()},
             {&view, 1});
    }

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
                                 .active = record.stopped == stop_reason::running});
            }
        }
        if (weights_.empty()) cost = p.slots.empty() ? forever : p.slots.back().model_latency;
        if (due(cost)) show({.cost = cost, .seconds = p.seconds, .trials = trials, .failed = failed}, views);
    }

    /// Ends the line. The next answer begins another one.
    void end()
    {
        if (!std::exchange(shown_, false)) return;
        std::fputc('\n', to_);
        std::fflush(to_);
    }

private:
    struct seen {
        double cost = forever, seconds = 0;
        std::size_t trials = 0;
        std::uint64_t failed = 0;
    };

    [[nodiscard]] bool due(double cost)
    {
        if (!on_) return false;
        const double now = measure::wall_clock{}();
        if (!(cost < best_) && now < next_line_) return false;
        best_ = cost;
        next_line_ = now + 0.1;
        return true;
    }

    static std::string number(const char* format, double x)
    {
        char text[40];
        std::snprintf(text, sizeof text, format, x);
        return text;
    }
    static std::string duration(double s)
    {
        return s < 100 ? number("%.0f s", s) : s < 6000 ? number("%.0f min", s / 60) : number("%.1f h", s / 3600);
    }

    void show(const seen& now, std::span<const schedule::task_view> views)
    {
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
        if (now.cost < forever)
            line += number(" | best %.4g ms", 1e3 * now.cost) + forecast(now, views, (std::min)(left, 60.0));
        if (left < forever) line += " | " + duration(left) + " left";
        winsize size{};
        if (::ioctl(::fileno(to_), TIOCGWINSZ, &size) == 0 && size.ws_col > 1 && line.size() >= size.ws_col)
            line.resize(size.ws_col - 1U);
        std::fprintf(to_, "\r%s\033[K", line.c_str());
        std::fflush(to_);
        shown_ = true;
    }

    [[nodiscard]] const std::string& forecast(const seen& now, std::span<const schedule::task_view> views, double ahead)
    {
        if (const double at = measure::wall_clock{}(); at >= next_forecast_) {
            next_forecast_ = at + 1;
            forecast_.clear();
            if (!views.empty() && ahead >= 1 && now.seconds > 0) {
                random::philox gen(0);  // one of its own: what is forecast must not change what is tried
                const auto next = schedule::expected_gain(views, ahead, curve::improvement_process{}, gen);
                forecast_ = " | next " + duration(ahead) + number(": -%.2g %%", 100 * next.gain / now.cost) +
                            number(" (%.2g", 100 * next.low / now.cost) +
                            number(" to %.2g %%)", 100 * next.high / now.cost);
            }
        }
        return forecast_;
    }

    std::FILE* to_ = stderr;
    std::vector<double> flops_, weights_;  // of the tasks
    std::uint64_t trials_ = unlimited;
    double seconds_ = forever;
    bool on_ = false, shown_ = false;
    double best_ = forever, next_line_ = 0, next_forecast_ = 0;
    std::string forecast_;
};

}  // namespace tunekit
