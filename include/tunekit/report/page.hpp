// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A run as one self-contained HTML page.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/report/detail/markup.hpp"
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
            level_ = 3;
            for (std::size_t k = 0; k < run_.tasks.size(); ++k) task(k, true);
            level_ = 2;
        } else if (!run_.tasks.empty()) {
            task(0, false);
        }
        time_section();
        commands_section();
        tail();
        return std::move(out_);
    }

private:
    void add(std::string_view text) { out_ += text; }
    void words(std::string_view tag, std::string_view text, std::string_view more = {})
    {
        add(element(tag, text, more));
    }

    void head()
    {
        add(begin_document({.title = run_.title.empty() ? "A run" : run_.title,
                            .kicker = "Tuning report",
                            .facts = run_.facts,
                            .refresh_seconds = options_.refresh_seconds}));
        for (const auto& p : run_.problems)
            words("p", "The source of this page is not whole. " + p, " class=\"problem\" role=\"note\"");
    }

    void number_tile(const std::string& value, const std::string& what)
    {
        add("<div><dt>" + escaped(what) + "</dt><dd>" + escaped(value) + "</dd></div>\n");
    }

    void verdict_section()
    {
        add("<section id=\"verdict\" aria-labelledby=\"verdict-h\" tabindex=\"-1\">\n");
        if (run_.tasks.empty()) {
            words("h2", "The log has no task.", " id=\"verdict-h\" class=\"headline\"");
            add("</section>\n");
            return;
        }
        const verdict v = verdict_of(run_, all_);
        words("h2", v.headline, " id=\"verdict-h\" class=\"headline\"");
        if (!v.sentences.empty()) {
            words("p", v.sentences.front(), " class=\"lead\"");
            add("<ul class=\"plain\">\n");
            for (std::size_t k = 1; k < v.sentences.size(); ++k) words("li", v.sentences[k]);
            add("</ul>\n");
        }
        std::size_t trials = 0, failed = 0;
        for (std::size_t k = 0; k < all_.size(); ++k) trials += run_.tasks[k].trials.size(), failed += all_[k].failed;
        add("<dl class=\"tiles\">\n");
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
        add("</dl>\n");
        if (!run_.stopped.empty()) words("p", "It ended because: " + run_.stopped + ".", " class=\"note\"");
        add("</section>\n");
    }

    void figure(std::string_view title, std::string_view sentence, std::string_view pictures)
    {
        add(report::figure("h" + std::to_string(level_ + 1), title, sentence, pictures));
    }

    [[nodiscard]] figure_size wide() const { return {.max_dots = dots_, .style = "wide"}; }

    void model_section()
    {
        add("<section aria-labelledby=\"model-h\">\n<h2 id=\"model-h\">The model over time</h2>\n");
        figure("What has been found, and what each task got",
               "The line is the latency of one pass with the best configurations so far, on a logarithmic scale. Below "
               "it each mark is an answer of a "
               "task; orange ones failed.",
               model_latency_svg(run_, wide()) + model_latency_svg(run_, narrow_figure));
        add("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"All tasks\"><table "
            "class=\"sortable\">\n<caption>All tasks</caption>\n<thead><tr>"
            "<th scope=\"col\">task</th><th scope=\"col\" class=\"n\">best</th><th scope=\"col\" class=\"n\">times as "
            "fast as the first</th><th scope=\"col\" "
            "class=\"n\">share of the model</th><th scope=\"col\" class=\"n\">trials</th><th scope=\"col\" "
            "class=\"n\">failed</th><th scope=\"col\" class=\"n\">GFLOP/s</th>");
        if (run_.peak_flops > 0) add("<th scope=\"col\" class=\"n\">of peak</th>");
        add("</tr></thead>\n<tbody>\n");
        double sum = 0;
        for (std::size_t k = 0; k < all_.size(); ++k)
            if (all_[k].winner) sum += run_.tasks[k].weight * cost(k);
        for (std::size_t k = 0; k < all_.size(); ++k) {
            const auto& t = run_.tasks[k];
            const bool ran = all_[k].winner.has_value();
            const auto cell = [&](const std::string& value, double key) {
                add("<td class=\"n\" data-key=\"" + number(key, 9) + "\">" + escaped(value) + "</td>");
            };
            add("<tr><th scope=\"row\"><a href=\"#task-" + std::to_string(k) + "\">" + escaped(t.name) + "</a></th>");
            cell(ran ? time(cost(k)) : "none", ran ? cost(k) : 0);
            cell(ran ? number(all_[k].gain, 3) : "", ran ? all_[k].gain : 0);
            cell(ran ? percent(t.weight * cost(k) / sum) : "", ran ? t.weight * cost(k) / sum : 0);
            cell(count(t.trials.size()), static_cast<double>(t.trials.size()));
            cell(count(all_[k].failed), static_cast<double>(all_[k].failed));
            const double rate = ran ? t.flops / cost(k) : 0;
            cell(rate > 0 ? number(1e-9 * rate, 3) : "", rate);
            if (run_.peak_flops > 0) cell(rate > 0 ? percent(rate / run_.peak_flops) : "", rate);
            add("</tr>\n");
        }
        add("</tbody></table></div>\n</section>\n");
    }

    [[nodiscard]] double cost(std::size_t k) const { return run_.tasks[k].trials[*all_[k].winner].measured.cost; }

    void task(std::size_t k, bool one_of_many)
    {
        const seen_task& t = run_.tasks[k];
        const findings& f = all_[k];
        if (one_of_many) {
            const verdict v = verdict_of(t, f);
            add("<details class=\"task\" id=\"task-" + std::to_string(k) + "\"" + (k == 0 ? " open" : "") +
                ">\n<summary><h2>" + escaped(t.name) + "</h2> <span>" + escaped(v.headline) +
                "</span></summary>\n<ul class=\"plain\">\n");
            for (const auto& s : v.sentences) words("li", s);
            add("</ul>\n");
        }
        if (!t.trials.empty()) {
            section("How it was found");
            std::string note =
                "Each dot is a configuration that ran, the line the best so far, on a logarithmic scale.";
            if (f.failed > 0) note += " Crosses above failed.";
            if (f.cut_short > 0) note += " Triangles were cut short: they are at least that slow.";
            if (t.trials.size() > dots_)
                note += " Of " + count(t.trials.size()) + " trials every " +
                        count((t.trials.size() + dots_ - 1) / dots_) + "th is drawn; the line is exact.";
            figure("Cost by trial", note, tuning_curve_svg(t, f, wide()) + tuning_curve_svg(t, f, narrow_figure));
            add("</section>\n");
            winner(t, f);
            matters(t, f);
            failures(t, f);
        }
        if (one_of_many) add("</details>\n");
    }

    void section(std::string_view title)
    {
        add("<section>\n");
        heading(0, title);
    }

    /// Of a section 0, a figure in it 1, a part of that 2. What several tasks have stands one level below them.
    void heading(unsigned below, std::string_view title)
    {
        static constexpr std::array<const char*, 3> styles{" class=\"s\"", " class=\"f\"", " class=\"c\""};
        words("h" + std::to_string(level_ + below), title, styles[below]);
    }

    void winner(const seen_task& t, const findings& f)
    {
        if (!f.winner) return;
        section("The winner");
        const auto& w = t.trials[*f.winner];
        const bool named = w.values.size() == t.parameters.size() && !w.values.empty();
        std::vector<std::size_t> rows{*f.winner};
        for (std::size_t i = 0; i < f.tied.size() && rows.size() < 6; ++i) rows.push_back(f.tied[i]);
        if (*f.reference != *f.winner) rows.push_back(*f.reference);
        add("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Winner and those beside "
            "it\"><table>\n<caption>The winner, those that cannot be told from it, and what it is compared "
            "with</caption>\n"
            "<thead><tr><th scope=\"col\">configuration</th>");
        for (std::size_t i = 0; i < rows.size(); ++i)
            words("th",
                  i == 0                    ? "winner"
                  : rows[i] == *f.reference ? f.against_baseline ? "to beat" : "first"
                                            : "tied",
                  " scope=\"col\" class=\"n\"");
        add("</tr></thead>\n<tbody>\n");
        const auto row = [&](const std::string& name, auto&& value) {
            add("<tr><th scope=\"row\">" + escaped(name) + "</th>");
            for (const std::size_t i : rows) words("td", value(t.trials[i]), " class=\"n\"");
            add("</tr>\n");
        };
        row("cost", [](const seen_trial& x) { return time(x.measured.cost); });
        row("\xC2\xB1 (95 %)", [](const seen_trial& x) {
            return has_spread(x.measured) ? time(two_sided_95 * x.measured.spread, 2) : std::string("unknown");
        });
        row("runs", [](const seen_trial& x) { return std::to_string(x.measured.runs); });
        if (t.flops > 0)
            row("GFLOP/s", [&](const seen_trial& x) { return number(1e-9 * t.flops / x.measured.cost, 3); });
        if (t.flops > 0 && run_.peak_flops > 0)
            row("of peak", [&](const seen_trial& x) { return percent(t.flops / x.measured.cost / run_.peak_flops); });
        row("trial", [&](const seen_trial& x) { return count(static_cast<std::size_t>(&x - t.trials.data()) + 1); });
        row("index", [](const seen_trial& x) { return std::to_string(x.candidate); });
        if (named)
            for (std::size_t j = 0; j < t.parameters.size(); ++j)
                row(t.parameters[j], [j](const seen_trial& x) { return x.values[j]; });
        add("</tbody></table></div>\n");
        if (!named)
            words("p", "The source of this page names no parameters: a configuration is known by its index alone.",
                  " class=\"note\"");
        add("</section>\n");
    }

    void matters(const seen_task& t, const findings& f)
    {
        if (!f.winner || f.axes.empty()) return;
        section("What matters");
        constexpr std::size_t most = 12;
        if (!f.shares) {
            words("p",
                  "Fewer than " + std::to_string(min_rows_of_forest) +
                      " configurations ran: too few to say which parameters matter.",
                  " class=\"note\"");
        } else if (f.shares->trees > 0) {
            std::vector<bar> bars;
            std::string alternative = "Shares of the variance of log cost.";
            const bool good = f.shares_good->trees > 0;
            const auto push = [&](const std::string& name, const stats::prediction& share, double second) {
                bars.push_back({.name = name,
                                .share = share.mean,
                                .sd = share.sd,
                                .second = second,
                                .value = percent(share.mean),
                                .second_value = second >= 0 ? percent(second) : ""});
                alternative += ' ' + name + ": " + percent(share.mean) +
                               (second >= 0 ? ", near the optimum " + percent(second) : "") + '.';
            };
            for (std::size_t k = 0; k < (std::min)(most, f.order.size()); ++k) {
                const std::size_t j = f.order[k];
                push(f.axes[j].name, f.shares->singles[j], good ? f.shares_good->singles[j].mean : -1);
            }
            for (const auto& p : f.shares->strongest_pairs(2)) {
                double second = -1;
                for (const auto& q : f.shares_good->pairs)
                    if (good && q.a == p.a && q.b == p.b) second = q.share.mean;
                push(f.axes[p.a].name + " \xC3\x97 " + f.axes[p.b].name, p.share, second);
            }
            figure("Shares of the variance",
                   good ? "Thick bars: over all that ran, with one standard deviation over the trees of the model. "
                          "Thin bars: among the better half. "
                          "A pair's share is what the two do together beyond what each does alone."
                        : "Bars: over all that ran, with one standard deviation over the trees of the model.",
                   bars_svg(bars, alternative, {.width = 860, .style = "wide"}, "all", "better half") +
                       bars_svg(bars, alternative, {.width = 360, .style = "narrow"}, "all", "better"));
        }
        add("<figure>\n<figcaption>");
        heading(1, "Cost by each parameter");
        words("p", std::string("Dots ran, short lines are medians, the ring is the winner.") +
                       (f.order.size() > most ? " The " + std::to_string(most) + " that matter most." : ""));
        add("</figcaption>\n<div class=\"grid\">\n");
        for (std::size_t k = 0; k < (std::min)(most, f.order.size()); ++k) {
            add("<div class=\"cell-of\">");
            heading(2, f.axes[f.order[k]].name);
            add(parameter_svg(t, f, f.order[k], dots_ / 3));
            add("</div>\n");
        }
        add("</div>\n</figure>\n");
        if (f.shares && f.shares->trees > 0 && f.axes.size() >= 2) {
            add("<figure>\n<figcaption>");
            heading(1, "The pairs that interact most");
            words("p",
                  "The best cost of each pair of values that was tried, the darker the better; the frame is the "
                  "winner's. Empty fields were not tried, or did not run.");
            add("</figcaption>\n<div class=\"grid two\">\n");
            for (const auto& p : f.shares->strongest_pairs(2)) {
                add("<div class=\"cell-of\">");
                heading(2, f.axes[p.a].name + " and " + f.axes[p.b].name);
                add(pair_svg(t, f, p.a, p.b));
                add("</div>\n");
            }
            add("</div>\n</figure>\n");
        }
        add("</section>\n");
    }

    void failures(const seen_task& t, const findings& f)
    {
        if (f.failures.empty()) return;
        section("What failed");
        add("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Failures by "
            "kind\"><table>\n<caption>Failures by kind</caption>\n<thead><tr><th scope=\"col\">kind</th><th "
            "scope=\"col\" class=\"n\">trials</th><th scope=\"col\">what the first said</th></tr></thead>\n<tbody>\n");
        for (const auto& k : f.failures)
            add("<tr><th scope=\"row\">" + escaped(words_of(to_text(k.kind))) + "</th><td class=\"n\">" +
                count(k.trials) + "</td><td class=\"message\">" + escaped(shortened(k.message, 300)) + "</td></tr>\n");
        add("</tbody></table></div>\n");
        struct rate {
            double spread;
            std::size_t axis;
        };
        std::vector<rate> rates;  // the parameters by which failing differs most
        std::vector<std::vector<std::pair<std::size_t, std::size_t>>> of(f.axes.size());
        const double all = static_cast<double>(f.failed) / static_cast<double>(t.trials.size());
        for (std::size_t j = 0; j < f.axes.size(); ++j) {
            of[j].resize(f.axes[j].values.size());
            for (std::size_t i = 0; i < t.trials.size(); ++i) {
                auto& [bad, n] = of[j][f.axes[j].of_trial[i]];
                bad += t.trials[i].measured.failed ? 1U : 0U;
                ++n;
            }
            double spread = 0;
            for (const auto& [bad, n] : of[j]) {
                const double share = static_cast<double>(bad) / static_cast<double>(n);
                spread += static_cast<double>(n) * (share - all) * (share - all);
            }
            if (f.axes[j].values.size() > 1 && spread > 0)
                rates.push_back({spread / static_cast<double>(f.axes[j].values.size() - 1), j});
        }
        std::stable_sort(rates.begin(), rates.end(), [](const rate& a, const rate& b) { return a.spread > b.spread; });
        if (rates.size() > 3) rates.resize(3);
        if (!rates.empty()) {
            add("<figure>\n<figcaption>");
            heading(1, "Failures by parameter value");
            words("p", "The share of trials with this value that failed, for the parameters where it differs most.");
            add("</figcaption>\n<div class=\"grid\">\n");
            for (const auto& r : rates) {
                std::vector<bar> bars;
                const value_axis& a = f.axes[r.axis];
                std::string alternative = "Failures by " + a.name + '.';
                std::vector<std::size_t> shown(a.values.size());
                for (std::size_t v = 0; v < shown.size(); ++v) shown[v] = v;
                if (shown.size() > 10) {  // those with the most failures
                    std::stable_sort(shown.begin(), shown.end(), [&](std::size_t x, std::size_t y) {
                        return of[r.axis][x].first > of[r.axis][y].first;
                    });
                    shown.resize(10);
                    std::sort(shown.begin(), shown.end());
                }
                for (const std::size_t v : shown) {
                    const auto& [bad, n] = of[r.axis][v];
                    bars.push_back({.name = a.values[v],
                                    .share = static_cast<double>(bad) / static_cast<double>(n),
                                    .value = count(bad) + " of " + count(n),
                                    .bad = true});
                    alternative += ' ' + a.values[v] + ": " + bars.back().value + '.';
                }
                add("<div class=\"cell-of\">");
                heading(2, a.name);
                add(bars_svg(bars, alternative, {.width = 300}));
                add("</div>\n");
            }
            add("</div>\n</figure>\n");
        }
        add("</section>\n");
    }

    void time_section()
    {
        struct spent {
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
        std::map<std::uint64_t, spent> workers;
        for (const auto& t : run_.tasks)
            for (const auto& x : t.trials) {
                auto& w = workers[x.worker];
                if (x.measured.build_seconds > 0 && std::isfinite(x.measured.build_seconds))
                    w.build += x.measured.build_seconds;
                if (x.measured.run_seconds > 0 && std::isfinite(x.measured.run_seconds))
                    w.run += x.measured.run_seconds;
                w.known = w.known && x.asked.has_value();
                if (x.asked) w.out.emplace_back(*x.asked, x.stamp);
            }
        if (workers.empty() || !(run_.seconds > 0)) return;
        add("<section aria-labelledby=\"time-h\">\n<h2 id=\"time-h\">Where the time went</h2>\n");
        const bool known = std::all_of(workers.begin(), workers.end(), [](const auto& w) { return w.second.known; });
        words("p",
              known ? "The rest is what a worker spent around a configuration that it had: proposing it, starting "
                      "processes, "
                      "checking. Idle is when it had none."
                    : "The rest is what a worker spent neither building nor running: proposing, starting processes, "
                      "waiting "
                      "for something to do.",
              " class=\"note\"");
        const auto picture = [&](double width, const char* style) {
            const double left = width < 500 ? 76 : 110, right = 14, row = 30, top = 24;
            const std::size_t shown = (std::min)(workers.size(), std::size_t{24});
            std::string alternative = "Time of each worker.";
            for (const auto& [w, s] : workers) {
                if (w >= shown) break;
                alternative += " Worker " + std::to_string(w) + ": building " + percent(s.build / run_.seconds) +
                               ", running " + percent(s.run / run_.seconds) +
                               (known ? ", idle " + percent(s.idle(run_.seconds) / run_.seconds) : std::string()) + '.';
            }
            drawing d(width, top + row * static_cast<double>(shown) + 26, alternative, style);
            const bool minutes = run_.seconds > 300;
            const double unit = minutes ? 60 : 1;
            const scale axis = scale_of(0, run_.seconds / unit, left, width - right, false);
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
                const double build = (std::min)(s.build, run_.seconds), end = (std::min)(s.build + s.run, run_.seconds);
                d.rect("ground", left, at + 4, width - right - left, 18);
                d.rect("bar build", left, at + 4, x(build) - left, 18, {}, "building: " + duration(s.build));
                d.rect("bar", x(build), at + 4, x(end) - x(build), 18, {}, "running: " + duration(s.run));
                if (known && s.idle(run_.seconds) > 0)
                    d.rect("waiting", x((std::max)(end, run_.seconds - s.idle(run_.seconds))), at + 4,
                           (std::min)(x(s.idle(run_.seconds)) - left, width - right - x(end)), 18, {},
                           "idle: " + duration(s.idle(run_.seconds)));
            }
            for (const double tick : axis.ticks(width < 500 ? 4 : 8))
                d.text("tick", axis(tick), top + row * static_cast<double>(shown) + 16,
                       tick_text(tick) + (tick > 0 ? minutes ? " min" : " s" : ""), "middle");
            return std::move(d).text();
        };
        figure(workers.size() == 1 ? "One worker" : count(workers.size()) + " workers", {},
               picture(860, "wide") + picture(360, "narrow"));
        add("</section>\n");
    }

    void commands(std::string_view title, const std::vector<std::string>& lines)
    {
        if (lines.empty()) return;
        heading(1, title);
        for (const auto& line : lines)
            add("<div class=\"command\"><pre tabindex=\"0\"><code>" + escaped(line) +
                "</code></pre><button type=\"button\" class=\"copy\" hidden>Copy</button></div>\n");
    }

    void commands_section()
    {
        if (run_.repeat.empty() && run_.use.empty()) return;
        add("<section aria-labelledby=\"next-h\">\n<h2 id=\"next-h\">What next</h2>\n");
        commands("To use the winner", run_.use);
        commands("To repeat the run", run_.repeat);
        add("</section>\n");
    }

    void tail()
    {
        add(end_document(
            "Written by tunekit. Intervals are 95 % by the spreads that the measurer reported; shares of variance are "
            "those of a random forest over what was tried, exact over its trees."));
    }

    const seen_run& run_;
    const std::vector<findings>& all_;
    page_options options_;
    std::size_t dots_ = 1200;
    unsigned level_ = 2;
    std::string out_;
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
