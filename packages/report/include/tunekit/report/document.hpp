// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The frame of a self-contained HTML page: head with style, footer with script, and the elements and figures between
/// them.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/report/detail/markup.hpp"
#include "tunekit/report/detail/style.hpp"

namespace tunekit::report {

/// The head of a page: title, kind and facts. Plain text: it is escaped.
struct document_head {
    std::string title{};               ///< the heading
    std::string kicker{};              ///< the kind of the page, above the title
    std::vector<std::string> facts{};  ///< below the title, one each
    unsigned refresh_seconds = 0;      ///< seconds after which the page reloads itself; 0: never
};

/// An HTML element, `<tag more>text</tag>`. The text is escaped; `more` and `tag` are taken as they are.
[[nodiscard]] inline std::string element(std::string_view tag, std::string_view text, std::string_view more = {})
{
    std::string out;
    (((((((out += '<') += tag) += more) += '>') += detail::escaped(text)) += "</") += tag) += ">\n";
    return out;
}

/// The page up to its first section. Then come sections, one of them with the id `verdict`, and then `end_document`.
[[nodiscard]] inline std::string begin_document(const document_head& head)
{
    std::string out =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" "
        "content=\"light dark\">\n"
        "<link rel=\"icon\" href=\"data:,\">\n";
    if (head.refresh_seconds > 0)
        out += "<meta http-equiv=\"refresh\" content=\"" + std::to_string(head.refresh_seconds) + "\">\n";
    std::string kind = head.kicker;
    if (!kind.empty() && kind[0] >= 'A' && kind[0] <= 'Z') kind[0] = static_cast<char>(kind[0] - 'A' + 'a');
    out += element("title", head.title + " \xC2\xB7 " + kind);
    out += "<style>\n";
    out += detail::page_colours;
    out += detail::chart_style;
    out += detail::page_style;
    out +=
        "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#verdict\">Skip to the verdict</a>\n<header>\n<div "
        "class=\"bar-top\">\n";
    out += element("p", head.kicker, " class=\"kicker\"");
    out += "<button type=\"button\" id=\"theme\" hidden>Dark</button>\n</div>\n";
    out += element("h1", head.title);
    if (!head.facts.empty()) {
        out += "<ul class=\"facts\">\n";
        for (const auto& f : head.facts) out += element("li", f);
        out += "</ul>\n";
    }
    return out + "</header>\n<main>\n";
}

/// The page after its last section.
[[nodiscard]] inline std::string end_document(std::string_view footer)
{
    std::string out = "</main>\n<footer>";
    out += element("p", footer);
    out += "</footer>\n<script>\n";
    out += detail::page_script;
    return out + "</script>\n</body>\n</html>\n";
}

/// A figure: a heading with that tag, a sentence where there is one, and pictures, which are markup.
[[nodiscard]] inline std::string figure(std::string_view heading_tag, std::string_view title, std::string_view sentence,
                                        std::string_view pictures)
{
    std::string out = "<figure>\n<figcaption>";
    out += element(heading_tag, title, " class=\"f\"");
    if (!sentence.empty()) out += element("p", sentence);
    out += "</figcaption>\n";
    out += pictures;
    return out + "\n</figure>\n";
}

/// A cell of a table whose column sorts by `key`.
[[nodiscard]] inline std::string number_cell(std::string_view text, double key)
{
    return element("td", text, " class=\"n\" data-key=\"" + detail::number(key, 9) + '"');
}

/// Begins a table. It scrolls where it is too wide, and can be sorted where scripts run. The first column is text, the
/// others are numbers.
[[nodiscard]] inline std::string begin_table(std::string_view caption, const std::vector<std::string>& columns)
{
    std::string out = "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" + detail::escaped(caption) +
                      "\"><table class=\"sortable\">\n" + element("caption", caption) + "<thead><tr>";
    for (std::size_t k = 0; k < columns.size(); ++k)
        out += element("th", columns[k], k == 0 ? " scope=\"col\"" : " scope=\"col\" class=\"n\"");
    return out + "</tr></thead>\n<tbody>\n";
}

/// Ends a table that `begin_table` began.
[[nodiscard]] inline std::string end_table() { return "</tbody></table></div>\n"; }

}  // namespace tunekit::report
