// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A run as one self-contained HTML page.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/report/detail/markup.hpp"
#include "tunekit/report/detail/page_failures.hpp"
#include "tunekit/report/detail/page_matters.hpp"
#include "tunekit/report/detail/page_text.hpp"
#include "tunekit/report/detail/page_time.hpp"
#include "tunekit/report/detail/page_winner.hpp"
#include "tunekit/report/document.hpp"
#include "tunekit/report/figures.hpp"
#include "tunekit/report/findings.hpp"
#include "tunekit/report/run.hpp"
#include "tunekit/report/verdict.hpp"

namespace tunekit::report {

/// Options of a page.
struct page_options {
    unsigned refresh_seconds = 0;  ///< seconds after which the page reloads itself, for a run in progress; 0: never
};

namespace detail {

inline constexpr figure_size narrow_figure{.width = 360, .height = 300, .max_dots = 500, .style = "narrow"};

/// Builds the page piece by piece.
class page_writer {
public:
    page_writer(const seen_run& run, const std::vector<findings>& all, const page_options& options)
        : run_(run), all_(all), options_(options)
    {
        const auto n = static_cast<double>((std::max)(run.tasks.size(), std::size_t{1}));
        dots_ = static_cast<std::size_t>(1200 / std::sqrt(n)) + 50;
    }

    [[nodiscard]] std::string text()
    {
        head();
        verdict_section();
        if (run_.tasks.size() > 1) {
            model_section();
            to_.level = 3;
            for (std::size_t k = 0; k < run_.tasks.size(); ++k) task(k, true);
            to_.level = 2;
        } else if (!run_.tasks.empty()) {
            task(0, false);
        }
        write_time(to_, run_);
        commands_section();
        tail();
        return std::move(to_.text);
    }

private:
    void head()
    {
        to_.add(begin_document({.title = run_.title.empty() ? "A run" : run_.title,
                                .kicker = "Tuning report",
                                .facts = run_.facts,
                                .refresh_seconds = options_.refresh_seconds}));
        for (const auto& p : run_.problems)
            to_.words("p", "The source of this page is not whole. " + p, " class=\"problem\" role=\"note\"");
    }

    void number_tile(const std::string& value, const std::string& what)
    {
        to_.add("<div><dt>" + escaped(what) + "</dt><dd>" + escaped(value) + "</dd></div>\n");
    }

    void verdict_section()
    {
        to_.add("<section id=\"verdict\" aria-labelledby=\"verdict-h\" tabindex=\"-1\">\n");
        if (run_.tasks.empty()) {
            to_.words("h2", "The log has no task.", " id=\"verdict-h\" class=\"headline\"");
            to_.add("</section>\n");
            return;
        }
        const verdict v = verdict_of(run_, all_);
        to_.words("h2", v.headline, " id=\"verdict-h\" class=\"headline\"");
        if (!v.sentences.empty()) {
            to_.words("p", v.sentences.front(), " class=\"lead\"");
            to_.add("<ul class=\"plain\">\n");
            for (std::size_t k = 1; k < v.sentences.size(); ++k) to_.words("li", v.sentences[k]);
            to_.add("</ul>\n");
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
        if (!run_.stopped.empty()) to_.words("p", "It ended because: " + run_.stopped + ".", " class=\"note\"");
        to_.add("</section>\n");
    }

    [[nodiscard]] figure_size wide() const { return {.max_dots = dots_, .style = "wide"}; }

    void model_section()
    {
        to_.add("<section aria-labelledby=\"model-h\">\n<h2 id=\"model-h\">The model over time</h2>\n");
        to_.figure(
            "What has been found, and what each task got",
            "The line is the latency of one pass with the best configurations so far, on a logarithmic scale. Below "
            "it each mark is an answer of a "
            "task; orange ones failed.",
            model_latency_svg(run_, wide()) + model_latency_svg(run_, narrow_figure));
        to_.add(
            "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"All tasks\"><table "
            "class=\"sortable\">\n<caption>All tasks</caption>\n<thead><tr>"
            "<th scope=\"col\">task</th><th scope=\"col\" class=\"n\">best</th><th scope=\"col\" class=\"n\">times as "
            "fast as the first</th><th scope=\"col\" "
            "class=\"n\">share of the model</th><th scope=\"col\" class=\"n\">trials</th><th scope=\"col\" "
            "class=\"n\">failed</th><th scope=\"col\" class=\"n\">GFLOP/s</th>");
        if (run_.peak_flops > 0) to_.add("<th scope=\"col\" class=\"n\">of peak</th>");
        to_.add("</tr></thead>\n<tbody>\n");
        double sum = 0;
        for (std::size_t k = 0; k < all_.size(); ++k)
            if (all_[k].winner) sum += run_.tasks[k].weight * cost(k);
        for (std::size_t k = 0; k < all_.size(); ++k) {
            const auto& t = run_.tasks[k];
            const bool ran = all_[k].winner.has_value();
            const auto cell = [&](const std::string& value, double key) {
                to_.add("<td class=\"n\" data-key=\"" + number(key, 9) + "\">" + escaped(value) + "</td>");
            };
            to_.add("<tr><th scope=\"row\"><a href=\"#task-" + std::to_string(k) + "\">" + escaped(t.name) +
                    "</a></th>");
            cell(ran ? time(cost(k)) : "none", ran ? cost(k) : 0);
            cell(ran ? number(all_[k].gain, 3) : "", ran ? all_[k].gain : 0);
            cell(ran ? percent(t.weight * cost(k) / sum) : "", ran ? t.weight * cost(k) / sum : 0);
            cell(count(t.trials.size()), static_cast<double>(t.trials.size()));
            cell(count(all_[k].failed), static_cast<double>(all_[k].failed));
            const double rate = ran ? t.flops / cost(k) : 0;
            cell(rate > 0 ? number(1e-9 * rate, 3) : "", rate);
            if (run_.peak_flops > 0) cell(rate > 0 ? percent(rate / run_.peak_flops) : "", rate);
            to_.add("</tr>\n");
        }
        to_.add("</tbody></table></div>\n</section>\n");
    }

    [[nodiscard]] double cost(std::size_t k) const { return run_.tasks[k].trials[*all_[k].winner].measured.cost; }

    void task(std::size_t k, bool one_of_many)
    {
        const seen_task& t = run_.tasks[k];
        const findings& f = all_[k];
        if (one_of_many) {
            const verdict v = verdict_of(t, f);
            to_.add("<details class=\"task\" id=\"task-" + std::to_string(k) + "\"" + (k == 0 ? " open" : "") +
                    ">\n<summary><h2>" + escaped(t.name) + "</h2> <span>" + escaped(v.headline) +
                    "</span></summary>\n<ul class=\"plain\">\n");
            for (const auto& s : v.sentences) to_.words("li", s);
            to_.add("</ul>\n");
        }
        if (!t.trials.empty()) {
            to_.section("How it was found");
            std::string note =
                "Each dot is a configuration that ran, the line the best so far, on a logarithmic scale.";
            if (f.failed > 0) note += " Crosses above failed.";
            if (f.cut_short > 0) note += " Triangles were cut short: they are at least that slow.";
            if (t.trials.size() > dots_)
                note += " Of " + count(t.trials.size()) + " trials every " +
                        count((t.trials.size() + dots_ - 1) / dots_) + "th is drawn; the line is exact.";
            to_.figure("Cost by trial", note, tuning_curve_svg(t, f, wide()) + tuning_curve_svg(t, f, narrow_figure));
            to_.add("</section>\n");
            write_winner(to_, t, f, run_.peak_flops);
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
            to_.add("<div class=\"command\"><pre tabindex=\"0\"><code>" + escaped(line) +
                    "</code></pre><button type=\"button\" class=\"copy\" hidden>Copy</button></div>\n");
    }

    void commands_section()
    {
        if (run_.repeat.empty() && run_.use.empty()) return;
        to_.add("<section aria-labelledby=\"next-h\">\n<h2 id=\"next-h\">What next</h2>\n");
        commands("To use the winner", run_.use);
        commands("To repeat the run", run_.repeat);
        to_.add("</section>\n");
    }

    void tail()
    {
        to_.add(end_document(
            "Written by tunekit. Intervals are 95 % by the spreads that the measurer reported; shares of variance are "
            "those of a random forest over what was tried, exact over its trees."));
    }

    const seen_run& run_;
    const std::vector<findings>& all_;
    page_options options_;
    std::size_t dots_ = 1200;
    page_text to_{};
};

}  // namespace detail

/// The run as one HTML page. It needs no network and no other script, and can be read without JavaScript. Names and
/// messages are escaped. It is below 2 MB for 10^4 trials: of more than about 1200 trials a picture shows some, and
/// says so.
[[nodiscard]] inline std::string to_page(const seen_run& run, const std::vector<findings>& all,
                                         const page_options& options = {})
{
    return detail::page_writer(run, all, options).text();
}

/// A picture of the page as a file of its own, with its colours for light and dark.
[[nodiscard]] inline std::string to_standalone_svg(std::string svg)
{
    const auto at = svg.find('>');
    return svg.substr(0, at + 1) + "<style>" + std::string(detail::svg_colours) + std::string(detail::chart_style) +
           "</style>" + svg.substr(at + 1) + '\n';
}

}  // namespace tunekit::report
