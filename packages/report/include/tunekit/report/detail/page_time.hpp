// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The section of a page on where the time went.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/report/detail/markup.hpp"
#include "tunekit/report/detail/plot.hpp"
#include "tunekit/report/document.hpp"
#include "tunekit/report/run.hpp"

namespace tunekit::report::detail {

/// What a worker did.
struct spent_time {
    double build = 0, run = 0;
    bool known = true;  // when every trial went out
    std::vector<std::pair<double, double>> out{};

    /// Seconds of the run in which it had nothing.
    [[nodiscard]] double idle(double seconds) const
    {
        auto busy = out;
        std::sort(busy.begin(), busy.end());
        double until = 0, sum = 0;
        for (const auto& [from, to] : busy) {
            sum += (std::max)(0.0, from - until);
            until = (std::max)(until, to);
        }
        return sum + (std::max)(0.0, seconds - until);
    }
};

/// Where the time went: a row for each of the first 24 workers. Nothing where the run tells no times.
inline void write_time(document& to, const seen_run& run)
{
    std::map<std::uint64_t, spent_time> workers;
    for (const auto& t : run.tasks)
        for (const auto& x : t.trials) {
            auto& w = workers[x.worker];
            if (x.measured.build_seconds > 0 && std::isfinite(x.measured.build_seconds))
                w.build += x.measured.build_seconds;
            if (x.measured.run_seconds > 0 && std::isfinite(x.measured.run_seconds)) w.run += x.measured.run_seconds;
            w.known = w.known && x.asked.has_value();
            if (x.asked) w.out.emplace_back(*x.asked, x.stamp);
        }
    if (workers.empty() || !(run.seconds > 0)) return;
    to.begin_section("Where the time went", "time-h");
    const bool known = std::all_of(workers.begin(), workers.end(), [](const auto& w) { return w.second.known; });
    to.words("p", "note",
             known ? "The rest is what a worker spent around a configuration that it had: proposing it, starting "
                     "processes, checking. Idle is when it had none."
                   : "The rest is what a worker spent neither building nor running: proposing, starting processes, "
                     "waiting for something to do.");
    const auto picture = [&](double width, const char* style) {
        const double left = width < 500 ? 76 : 110, right = 14, row = 30, top = 24;
        const std::size_t shown = (std::min)(workers.size(), std::size_t{24});
        std::string alternative = "Time of each worker.";
        for (const auto& [w, s] : workers) {
            if (w >= shown) break;
            alternative += " Worker " + std::to_string(w) + ": building " + percent(s.build / run.seconds) +
                           ", running " + percent(s.run / run.seconds) +
                           (known ? ", idle " + percent(s.idle(run.seconds) / run.seconds) : std::string()) + '.';
        }
        drawing d(width, top + row * static_cast<double>(shown) + 26, alternative, style);
        const bool minutes = run.seconds > 300;
        const double unit = minutes ? 60 : 1;
        const scale axis = scale_of(0, run.seconds / unit, left, width - right, false);
        const auto x = [&](double seconds) { return axis(seconds / unit); };
        std::size_t k = 0;
        double key = left;
        for (const auto& [name, kind] :
             {std::pair("build", "bar build"), std::pair("run", "bar"), std::pair("the rest", "ground")}) {
            d.rect(kind, key, 4, 12, 12);
            d.text("tick", key + 17, 14, name);
            key += 30 + width_of(name);
        }
        if (known) {
            d.rect("waiting", key, 4, 12, 12);
            d.text("tick", key + 17, 14, "idle");
        }
        for (const auto& [w, s] : workers) {
            if (k == shown) break;
            const double at = top + row * static_cast<double>(k++);
            d.text("name", left - 10, at + 17, "worker " + std::to_string(w), "end");
            const double build = (std::min)(s.build, run.seconds), end = (std::min)(s.build + s.run, run.seconds);
            d.rect("ground", left, at + 4, width - right - left, 18);
            d.rect("bar build", left, at + 4, x(build) - left, 18, "building: " + duration(s.build));
            d.rect("bar", x(build), at + 4, x(end) - x(build), 18, "running: " + duration(s.run));
            if (known && s.idle(run.seconds) > 0)
                d.rect("waiting", x((std::max)(end, run.seconds - s.idle(run.seconds))), at + 4,
                       (std::min)(x(s.idle(run.seconds)) - left, width - right - x(end)), 18,
                       "idle: " + duration(s.idle(run.seconds)));
        }
        for (const double tick : axis.ticks(width < 500 ? 4 : 8))
            d.text("tick", axis(tick), top + row * static_cast<double>(shown) + 16,
                   tick_text(tick) + (tick > 0 ? minutes ? " min" : " s" : ""), "middle");
        return std::move(d).text();
    };
    to.figure(workers.size() == 1 ? "One worker" : count(workers.size()) + " workers", {},
              picture(860, "wide") + picture(360, "narrow"));
    to.end_section();
}

}  // namespace tunekit::report::detail
