// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A self-contained HTML page: head with style, sections of sentences, figures and tables, footer with script.

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/report/detail/markup.hpp"
#include "tunekit/report/detail/style.hpp"

namespace tunekit::report {

/// A page while it is written. All texts are plain and are escaped; pictures are markup.
///
///     report::document page({.title = "A run", .kicker = "Tuning report"});
///     page.begin_verdict("The best configuration takes 1.2 ms.");
///     page.end_section();
///     page.begin_section("How it was found");
///     page.figure("Cost by trial", "Each dot is a configuration.", svg);
///     page.end_section();
///     io::write_text(path, std::move(page).text("Written by tunekit."));
class document {
public:
    /// What stands at the top.
    struct head {
        std::string title{};               ///< the heading
        std::string kicker{};              ///< the kind of the page, above the title
        std::vector<std::string> facts{};  ///< below the title, one each
        unsigned refresh_seconds = 0;      ///< seconds after which the page reloads itself; 0: never
    };

    /// A cell of a table.
    struct cell {
        /// `by` is the number by which its column sorts: NaN for its text. `to` is where it leads: empty for nowhere.
        cell(std::string words, double by = std::numeric_limits<double>::quiet_NaN(), std::string to = {})
            : text(std::move(words)), key(by), link(std::move(to))
        {
        }

        std::string text;  ///< as it is read
        double key;        ///< by which its column sorts
        std::string link;  ///< where it leads: "#task-3"
    };

    /// A table. Its first column is text, the others are numbers.
    struct table {
        std::string caption{};                  ///< above it
        std::vector<std::string> columns{};     ///< their heads
        bool sortable = true;                   ///< by its columns, where scripts run
        bool messages = false;                  ///< the last column is text of somebody else
        std::vector<std::vector<cell>> rows{};  ///< a cell for each column
    };

    /// A picture of a figure of several.
    struct part {
        std::string title{};    ///< above the picture
        std::string picture{};  ///< an SVG
    };

    /// The page up to its first section.
    explicit document(const head& h)
    {
        std::string kind = h.kicker;
        if (!kind.empty() && kind[0] >= 'A' && kind[0] <= 'Z') kind[0] = static_cast<char>(kind[0] - 'A' + 'a');
        add("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"");
        add(detail::page_policy);
        add("\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n");
        if (h.refresh_seconds > 0)
            add("<meta http-equiv=\"refresh\" content=\"" + std::to_string(h.refresh_seconds) + "\">\n");
        words("title", {}, h.title + " \xC2\xB7 " + kind);
        for (const std::string_view css : {std::string_view("<style>\n"), detail::page_colours, detail::chart_style,
                                           detail::page_style, std::string_view("</style>\n")})
            add(css);
        add("</head>\n<body>\n<a class=\"skip\" href=\"#verdict\">Skip to the verdict</a>\n<header>\n"
            "<div class=\"bar-top\">\n");
        words("p", "kicker", h.kicker);
        add("<button type=\"button\" id=\"theme\" hidden>Dark</button>\n</div>\n");
        words("h1", {}, h.title);
        list("facts", h.facts);
        add("</header>\n<main>\n");
    }

    unsigned level =
        2;  ///< of the headings of sections, 1 to 4: below a section's are those of its figures and their parts

    /// Adds markup as it is.
    void add(std::string_view markup) { text_ += markup; }

    /// Adds an element with words in it; `style` is its class, empty for none.
    void words(std::string_view tag, std::string_view style, std::string_view words)
    {
        add(detail::styled(tag, style, words));
        add("\n");
    }

    /// Adds a list without bullets; else nothing.
    void list(std::string_view style, std::span<const std::string> lines)
    {
        if (lines.empty()) return;
        add("<ul class=\"" + std::string(style) + "\">\n");
        for (const std::string& line : lines) words("li", {}, line);
        add("</ul>\n");
    }

    /// Begins the section that says what came out: every page has one.
    void begin_verdict(std::string_view headline)
    {
        add("<section id=\"verdict\" aria-labelledby=\"verdict-h\" tabindex=\"-1\">\n");
        add(detail::element("h2", {{"id", "verdict-h"}, {"class", "headline"}}, detail::escaped(headline)) + '\n');
    }

    /// Begins a section. With an `id` it is a landmark of that name.
    void begin_section(std::string_view title, const std::string& id = {})
    {
        if (id.empty()) {
            add("<section>\n");
            return heading(0, title);
        }
        add(detail::opened("section", {{"aria-labelledby", id}}) + ">\n");
        add(detail::element("h" + std::to_string(level), {{"id", id}}, detail::escaped(title)) + '\n');
    }

    /// Ends a section.
    void end_section() { add("</section>\n"); }

    /// The heading of a section (0), of a figure in it (1) or of a part of that (2).
    void heading(unsigned below, std::string_view title)
    {
        static constexpr std::array<const char*, 3> styles{"s", "f", "c"};
        words("h" + std::to_string(level + below), styles[below], title);
    }

    /// A figure: a title, a sentence where there is one, and a picture in its sizes.
    void figure(std::string_view title, std::string_view sentence, std::string_view pictures)
    {
        begin_figure(title, sentence);
        add(pictures);
        add("\n</figure>\n");
    }

    /// A figure of several pictures side by side, two of them where they are `wide`.
    void figure(std::string_view title, std::string_view sentence, const std::vector<part>& parts, bool wide = false)
    {
        begin_figure(title, sentence);
        add(wide ? "<div class=\"grid two\">\n" : "<div class=\"grid\">\n");
        for (const part& p : parts) {
            add("<div class=\"cell-of\">");
            heading(2, p.title);
            add(p.picture + "</div>\n");
        }
        add("</div>\n</figure>\n");
    }

    /// A table, which scrolls where it is too wide, and says so; without scripts it says so everywhere.
    void add_table(const table& t)
    {
        using detail::element, detail::escaped;
        add("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" + escaped(t.caption) + "\">");
        add(t.sortable ? "<table class=\"sortable\">\n" : "<table>\n");
        words("caption", {}, t.caption);
        const auto style = [&](std::size_t k, const char* of_messages) {
            return k == 0 ? "" : t.messages && k + 1 == t.columns.size() ? of_messages : "n";
        };
        add("<thead><tr>");
        for (std::size_t k = 0; k < t.columns.size(); ++k)
            add(element("th", {{"scope", "col"}, {"class", style(k, "")}}, escaped(t.columns[k])));
        add("</tr></thead>\n<tbody>\n");
        for (const auto& row : t.rows) {
            add("<tr>");
            for (std::size_t k = 0; k < row.size(); ++k) {
                const cell& c = row[k];
                const std::string text =
                    c.link.empty() ? escaped(c.text) : element("a", {{"href", c.link}}, escaped(c.text));
                if (k == 0) add(element("th", {{"scope", "row"}}, text));
                else
                    add(element("td",
                                {{"class", style(k, "message")},
                                 {"data-key", std::isnan(c.key) ? "" : detail::number(c.key, 9)}},
                                text));
            }
            add("</tr>\n");
        }
        add("</tbody></table></div>\n");
        words("p", "hint", "If the table is wider than the page, it scrolls to the right.");
    }

    /// The whole page.
    [[nodiscard]] std::string text(std::string_view footer) &&
    {
        add("</main>\n<footer>");
        words("p", {}, footer);
        add("</footer>\n<script>\n");
        add(detail::page_script);
        add("</script>\n</body>\n</html>\n");
        return std::move(text_);
    }

private:
    void begin_figure(std::string_view title, std::string_view sentence)
    {
        add("<figure>\n<figcaption>");
        heading(1, title);
        if (!sentence.empty()) words("p", {}, sentence);
        add("</figcaption>\n");
    }

    std::string text_;
};

}  // namespace tunekit::report
