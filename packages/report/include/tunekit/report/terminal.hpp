// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A run as text for a terminal.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/report/detail/markup.hpp"
#include "tunekit/report/detail/page_front.hpp"
#include "tunekit/report/summary.hpp"
#include "tunekit/report/text_table.hpp"

namespace tunekit::report {

namespace detail {

/// `text` in lines of at most 78 characters, each beginning with `indent`.
[[nodiscard]] inline std::string wrapped(std::string_view text, const std::string& indent)
{
    std::string out, line;
    std::size_t width = 0;
    const auto flush = [&] {
        if (!line.empty()) out += indent + line + '\n';
        line.clear();
        width = 0;
    };
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = (std::min)(text.find(' ', i), text.size());
        const std::string_view word = text.substr(i, end - i);
        const std::size_t size = characters_of(word);
        if (width > 0 && width + 1 + size + indent.size() > 78) flush();
        if (width > 0) line += ' ', ++width;
        line += word;
        width += size;
        i = end + 1;
    }
    flush();
    return out;
}

/// Eight heights of a block, the lowest value the lowest block; by the logarithm.
[[nodiscard]] inline std::string sparkline(const std::vector<double>& x)
{
    static constexpr std::array<const char*, 8> blocks{"\xE2\x96\x81", "\xE2\x96\x82", "\xE2\x96\x83", "\xE2\x96\x84",
                                                       "\xE2\x96\x85", "\xE2\x96\x86", "\xE2\x96\x87", "\xE2\x96\x88"};
    std::string out;
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (const double v : x)
        if (std::isfinite(v)) low = (std::min)(low, v), high = (std::max)(high, v);
    for (const double v : x) {
        if (!std::isfinite(v)) {
            out += "\xC2\xB7";
            continue;
        }
        const double part = high > low ? std::log(v / low) / std::log(high / low) : 0;
        out += blocks[static_cast<std::size_t>((std::min)(7.0, part * 8))];
    }
    return out;
}

/// A bar of at most `most` characters, to an eighth of one.
[[nodiscard]] inline std::string text_bar(double share, std::size_t most)
{
    static constexpr std::array<const char*, 8> parts{"",
                                                      "\xE2\x96\x8F",
                                                      "\xE2\x96\x8E",
                                                      "\xE2\x96\x8D",
                                                      "\xE2\x96\x8C",
                                                      "\xE2\x96\x8B",
                                                      "\xE2\x96\x8A",
                                                      "\xE2\x96\x89"};
    const auto eighths =
        static_cast<std::size_t>(std::lround(8 * static_cast<double>(most) * std::clamp(share, 0.0, 1.0)));
    std::string out;
    for (std::size_t k = 0; k < eighths / 8; ++k) out += "\xE2\x96\x88";
    return out + parts[eighths % 8];
}

/// A summary, its sentences indented.
[[nodiscard]] inline std::string summary_text(const summary& v)
{
    std::string out = printable(v.headline) + '\n';
    for (const auto& s : v.sentences) out += wrapped(printable(s), "  ");
    return out;
}

inline void add_task(std::string& out, const seen_task& t, const findings& f, bool with_verdict)
{
    if (with_verdict) out += '\n' + printable(t.name) + ": " + summary_text(summary_of(t, f));
    if (f.winner) {
        constexpr std::size_t columns = 60;
        std::vector<double> best(columns, std::numeric_limits<double>::infinity());
        for (const std::size_t i : f.incumbents)
            for (std::size_t k = i * columns / t.trials.size(); k < columns; ++k) best[k] = t.trials[i].measured.cost;
        out += "\n  tuning curve  " + sparkline(best) + "  " +
               printable(t.unit.text(t.trials[f.incumbents.back()].measured.cost)) + '\n';
    }
    if (f.best) out += wrapped("winner: " + printable(configuration_of(t, f.best->candidate, f.best->values)), "  ");
    out += front_text(t, f, "  ");
    if (f.shares && f.shares->trees > 0) {
        out += "\n  what matters (share of the variance of log cost; near the optimum)\n";
        text_table table({}, {-19, -30, -9, -1});
        for (std::size_t k = 0; k < (std::min)(f.order.size(), std::size_t{8}); ++k) {
            const std::size_t j = f.order[k];
            table.row(shortened(printable(f.axes[j].name), 18), text_bar(f.shares->singles[j].mean, 30),
                      percent(f.shares->singles[j].mean), percent(f.shares_good->singles[j].mean));
        }
        out += table.text("  ");
    }
    if (!f.failures.empty()) {
        out += "\n  failures\n";
        text_table table({}, {-19, -30, -9, -1});
        for (const auto& k : f.failures)
            table.row(words_of(to_text(k.kind)),
                      text_bar(static_cast<double>(k.trials) / static_cast<double>(t.trials.size()), 30),
                      count(k.trials), shortened(printable((k.where.empty() ? "" : k.where + ": ") + k.message), 60));
        out += table.text("  ");
    }
}

}  // namespace detail

/// The run as text: verdict, tuning curve as a sparkline, winner, importance of parameters, failures. UTF-8; control
/// characters of names, units and messages are escapes.
[[nodiscard]] inline std::string to_terminal(const seen_run& run, const std::vector<findings>& all)
{
    using namespace detail;
    std::string out = printable(run.title) + "\n";
    for (const auto& p : run.problems) out += wrapped("! " + printable(p), "");
    if (run.tasks.empty()) return out + "The log has no task.\n";
    out += '\n' + summary_text(summary_of(run, all));
    const auto points = latency_of(run);
    if (run.tasks.size() > 1 && !points.empty()) {
        constexpr std::size_t columns = 60;
        std::vector<double> best(columns, std::numeric_limits<double>::infinity());
        const double end = run.seconds > 0 ? run.seconds : 1;
        for (const auto& p : points)
            for (std::size_t k = (std::min)(columns - 1, static_cast<std::size_t>(p.seconds / end * columns));
                 k < columns; ++k)
                best[k] = p.latency;
        out += "\n  model latency " + sparkline(best) + "  " + time(points.back().latency) + '\n';
    }
    for (std::size_t k = 0; k < run.tasks.size(); ++k) add_task(out, run.tasks[k], all[k], run.tasks.size() > 1);
    return out;
}

}  // namespace tunekit::report
