// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A run as one self-contained HTML page.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/report/detail/markup.hpp"
#include "tunekit/report/detail/page_failures.hpp"
#include "tunekit/report/detail/page_front.hpp"
#include "tunekit/report/detail/page_matters.hpp"
#include "tunekit/report/detail/page_time.hpp"
#include "tunekit/report/detail/page_winner.hpp"
#include "tunekit/report/document.hpp"
#include "tunekit/report/figures.hpp"
#include "tunekit/report/findings.hpp"
#include "tunekit/report/run.hpp"
#include "tunekit/report/summary.hpp"

namespace tunekit::report {

namespace detail {

inline constexpr figure_size narrow_figure{.width = 360, .height = 300, .max_dots = 500, .style = "narrow"};

/// Builds the page piece by piece.
class page_writer {
public:
    page_writer(const seen_run& run, const std::vector<findings>& all, unsigned refresh_seconds)
        : run_(run),
          all_(all),
          to_({.title = run.title.empty() ? "A run" : run.title,
               .kicker = "Tuning report",
               .facts = run.facts,
               .refresh_seconds = refresh_seconds})
    {
        const auto n = static_cast<double>((std::max)(run.tasks.size(), std::size_t{1}));
        dots_ = static_cast<std::size_t>(1200 / std::sqrt(n)) + 50;
    }

    [[nodiscard]] std::string text() &&
    {
        for (const auto& p : run_.problems)
            to_.add(element("p", {{"class", "problem"}, {"role", "note"}},
                            escaped("The source of this page is not whole. " + p)) +
                    '\n');
        verdict_section();
        if (run_.tasks.size() > 1) {
            commands_section();
            model_section();
            to_.level = 3;
            for (std::size_t k = 0; k < run_.tasks.size(); ++k) task(k, true);
            to_.level = 2;
        } else if (!run_.tasks.empty()) {
            task(0, false);
        }
        write_time(to_, run_);
        repeat_section();
        return std::move(to_).text(
            "Written by tunekit. Intervals are 95 % by the spreads that the measurer reported; shares of variance are "
            "those of a random forest over what was tried, exact over its trees.");
    }

private:
    void number_tile(const std::string& value, const std::string& what)
    {
        to_.add("<div>" + styled("dt", {}, what) + styled("dd", {}, value) + "</div>\n");
    }

    void verdict_section()
    {
        if (run_.tasks.empty()) {
            to_.begin_verdict("The log has no task.");
            return to_.end_section();
        }
        const summary v = summary_of(run_, all_);
        to_.begin_verdict(v.headline);
        if (!v.sentences.empty()) {
            to_.words("p", "lead", v.sentences.front());
            to_.list("plain", std::span(v.sentences).subspan(1));
        }
        std::size_t trials = 0, failed = 0;
        for (std::size_t k = 0; k < all_.size(); ++k) trials += run_.tasks[k].trials.size(), failed += all_[k].failed;
        to_.add("<dl class=\"tiles\">\n");
        number_tile(count(trials), "trials");
        number_tile(trials == 0 ? "0" : percent(static_cast<double>(failed) / static_cast<double>(trials)),
                    "of them failed");
        number_tile(duration(run_.seconds), "time of the run");
        if (run_.tasks.size() == 1) {
            const auto size = static_cast<double>(run_.tasks.front().size);
            if (size > 0)
                number_tile(size < 1e9 ? count(static_cast<std::size_t>(size)) : number(size, 3),
                            "configurations to choose from");
        } else {
            number_tile(count(run_.tasks.size()), "tasks");
        }
        number_tile(count(static_cast<std::size_t>(run_.workers)), run_.workers == 1 ? "worker" : "workers");
        to_.add("</dl>\n");
        if (!run_.stopped.empty()) to_.words("p", "note", "It ended because: " + run_.stopped + ".");
        to_.end_section();
    }

    [[nodiscard]] figure_size wide() const { return {.max_dots = dots_, .style = "wide"}; }

    void model_section()
    {
        to_.begin_section("The model over time", "model-h");
        to_.figure(
            "What has been found, and what each task got",
            "The line is the latency of one pass with the best configurations so far, on a logarithmic scale. Below "
            "it each mark is an answer of a task; orange ones failed.",
            model_latency_svg(run_, wide()) + model_latency_svg(run_, narrow_figure));
        document::table table{.caption = "All tasks",
                              .columns = {"task", "best", "times as fast as the first", "share of the model", "trials",
                                          "failed", "GFLOP/s"}};
        if (run_.peak_flops > 0) table.columns.push_back("of peak");
        double sum = 0;
        for (std::size_t k = 0; k < all_.size(); ++k)
            if (all_[k].best) sum += run_.tasks[k].weight * cost(k);
        for (std::size_t k = 0; k < all_.size(); ++k) table.rows.push_back(cells_of(k, sum));
        to_.add_table(table);
        to_.end_section();
    }

    /// The row of a task; `sum` is the model's latency.
    [[nodiscard]] std::vector<document::cell> cells_of(std::size_t k, double sum) const
    {
        const auto& t = run_.tasks[k];
        const bool ran = all_[k].best.has_value();
        const double share = ran ? t.weight * cost(k) / sum : 0, rate = ran ? t.flops / cost(k) : 0;
        const auto of = [](bool some, std::string text, double key) {
            return some ? document::cell(std::move(text), key) : document::cell("", 0);
        };
        const auto counted = [](std::size_t n) { return document::cell(count(n), static_cast<double>(n)); };
        std::vector<document::cell> out{document::cell(t.name, std::nan(""), "#task-" + std::to_string(k)),
                                        ran ? document::cell(t.unit.text(cost(k)), cost(k)) : document::cell("none", 0),
                                        of(ran, number(all_[k].gain, 3), all_[k].gain),
                                        of(ran, percent(share), share),
                                        counted(t.trials.size()),
                                        counted(all_[k].failed),
                                        of(rate > 0, number(1e-9 * rate, 3), rate)};
        if (run_.peak_flops > 0) out.push_back(of(rate > 0, percent(rate / run_.peak_flops), rate));
        return out;
    }

    [[nodiscard]] double cost(std::size_t k) const { return all_[k].best->cost; }

    void task(std::size_t k, bool one_of_many)
    {
        const seen_task& t = run_.tasks[k];
        const findings& f = all_[k];
        if (one_of_many) {
            const summary v = summary_of(t, f);
            to_.add("<details class=\"task\" id=\"task-" + std::to_string(k) + "\"" + (k == 0 ? " open" : "") +
                    ">\n<summary>" + styled("h2", {}, t.name) + ' ' + styled("span", {}, v.headline) + "</summary>\n");
            to_.list("plain", v.sentences);
        }
        write_winner(to_, t, f, run_.peak_flops);
        write_front(to_, t, f, dots_);
        if (!one_of_many) commands_section();
        if (!t.trials.empty()) {
            to_.begin_section("How it was found");
            std::string note =
                "Each dot is a configuration that ran, the line the best so far, on a logarithmic scale.";
            if (f.verdict.rounds > 0)
                note += " Costs here are of single trials; those of the winner above are of the rounds side by side.";
            if (f.failed > 0) note += " Crosses above failed.";
            if (f.cut_short > 0) note += " Triangles were cut short: they are at least that slow.";
            if (t.trials.size() > dots_)
                note += " Of " + count(t.trials.size()) + " trials every " +
                        count((t.trials.size() + dots_ - 1) / dots_) + "th is drawn; the line is exact.";
            to_.figure("Cost by trial", note, tuning_curve_svg(t, f, wide()) + tuning_curve_svg(t, f, narrow_figure));
            to_.end_section();
            write_matters(to_, t, f, dots_ / 3);
            write_failures(to_, t, f);
        }
        if (one_of_many) to_.add("</details>\n");
    }

    void commands(std::string_view title, const std::vector<std::string>& lines)
    {
        if (lines.empty()) return;
        to_.heading(1, title);
        for (const auto& line : lines)
            to_.add("<div class=\"command\"><pre>" + styled("code", {}, line) +
                    "</pre><button type=\"button\" class=\"copy\" hidden>Copy</button></div>\n");
    }

    void commands_section()
    {
        if (run_.use.empty()) return;
        to_.begin_section("To use the winner", "next-h");
        commands("What to paste", run_.use);
        to_.end_section();
    }

    void repeat_section()
    {
        if (run_.repeat.empty()) return;
        to_.begin_section("To repeat the run", "repeat-h");
        commands("What was run", run_.repeat);
        to_.end_section();
    }

    const seen_run& run_;
    const std::vector<findings>& all_;
    std::size_t dots_ = 1200;
    document to_;
};

}  // namespace detail

/// The run as one HTML page. It needs no network and no other script, and can be read without JavaScript. Names and
/// messages are escaped. It is below 2 MB for 10^4 trials: of more than about 1200 trials a picture shows some, and
/// says so. For a run in progress, it reloads itself every `refresh_seconds`; 0: never.
[[nodiscard]] inline std::string to_page(const seen_run& run, const std::vector<findings>& all,
                                         unsigned refresh_seconds = 0)
{
    return detail::page_writer(run, all, refresh_seconds).text();
}

}  // namespace tunekit::report
