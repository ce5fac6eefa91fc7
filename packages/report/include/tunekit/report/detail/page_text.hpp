// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The text of a page while it is written: elements, headings and figures.

#include <array>
#include <string>
#include <string_view>

#include "tunekit/report/detail/markup.hpp"
#include "tunekit/report/document.hpp"

namespace tunekit::report::detail {

/// The text of a page while it is written.
struct page_text {
    std::string text{};
    unsigned level = 2;  ///< of the headings of sections; what several tasks have is one level below that

    void add(std::string_view more) { text += more; }
    void words(std::string_view tag, std::string_view inside, std::string_view more = {})
    {
        add(element(tag, inside, more));
    }

    void figure(std::string_view title, std::string_view sentence, std::string_view pictures)
    {
        add(report::figure("h" + std::to_string(level + 1), title, sentence, pictures));
    }

    void section(std::string_view title)
    {
        add("<section>\n");
        heading(0, title);
    }

    /// The heading of a section (0), of a figure in it (1) or of a part of that (2).
    void heading(unsigned below, std::string_view title)
    {
        static constexpr std::array<const char*, 3> styles{" class=\"s\"", " class=\"f\"", " class=\"c\""};
        words("h" + std::to_string(level + below), title, styles[below]);
    }
};

}  // namespace tunekit::report::detail
