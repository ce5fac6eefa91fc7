// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A table for people, on a terminal.

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/text.hpp"
#include "tunekit/report/detail/markup.hpp"

namespace tunekit::report {

/// The number with so many digits behind the point, for a cell.
[[nodiscard]] inline std::string fixed(double x, int digits)
{
    return core::text_of(x, std::chars_format::fixed, digits);
}

/// `text` for a terminal: what it would obey is written as escapes ("\n", "\x1b"), such as control characters and those
/// that turn the direction of what follows.
[[nodiscard]] inline std::string printable(std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        const std::size_t n = detail::obeyed(text);
        for (const char c : text.substr(0, n)) {
            const auto u = static_cast<unsigned char>(c);
            if (c == '\n') out += "\\n";
            else if (c == '\t') out += "\\t";
            else (out += "\\x") += {"0123456789abcdef"[u >> 4], "0123456789abcdef"[u & 15]};
        }
        if (n == 0) out += text.front();
        text.remove_prefix(n == 0 ? 1 : n);
    }
    return out;
}

/// `text` with plain blanks where pages have those that do not break.
[[nodiscard]] inline std::string plain_blanks(std::string_view text)
{
    std::string out;
    for (std::size_t at; (at = text.find("\xC2\xA0")) != std::string_view::npos; text.remove_prefix(at + 2))
        (out += text.substr(0, at)) += ' ';
    return out += text;
}

/// Rows of cells below the heads of their columns. A column is as wide as the widest of its cells.
///
///     report::text_table table({"task", "trials", "best ms"}, {-6, 7, 10});
///     table.row("conv1", 512, report::fixed(1.3047, 4));
///     std::fputs(table.text().c_str(), stdout);
class text_table {
public:
    /// The heads and the least widths of columns; below 0: its cells begin at the left. No line of heads where all are
    /// empty.
    text_table(std::vector<std::string> heads, std::vector<int> widths)
        : heads_(std::move(heads)), least_(std::move(widths))
    {
        heads_.resize(least_.size());
    }

    /// A row more: a text, which is made `printable`, or an integer for each column.
    template <class... Cells>
    void row(const Cells&... cells)
    {
        rows_.push_back({text_of(cells)...});
    }

    /// The same from a list of texts, one for each column.
    void row_of(const std::vector<std::string>& cells)
    {
        auto& to = rows_.emplace_back();
        for (const std::string& c : cells) to.push_back(printable(c));
        to.resize(least_.size());
    }

    /// The lines, each with `indent` before it. They end with their last cell, where its column begins at the left.
    [[nodiscard]] std::string text(std::string_view indent = {}) const
    {
        std::vector<std::size_t> widths;
        for (std::size_t k = 0; k < heads_.size(); ++k) {
            const int least = least_[k];
            std::size_t width =
                (std::max)(static_cast<std::size_t>(least < 0 ? -least : least), detail::characters_of(heads_[k]));
            for (const auto& r : rows_) width = (std::max)(width, detail::characters_of(r[k]));
            widths.push_back(width);
        }
        std::string out;
        const auto add = [&](const std::vector<std::string>& cells) {
            out += indent;
            for (std::size_t k = 0; k < cells.size(); ++k) {
                const bool left = least_[k] < 0;
                if (k > 0) out += left && least_[k - 1] >= 0 ? "  " : " ";
                const std::string blanks(widths[k] - detail::characters_of(cells[k]), ' ');
                out += left ? cells[k] : blanks + cells[k];
                if (left && k + 1 < cells.size()) out += blanks;
            }
            out += '\n';
        };
        if (std::any_of(heads_.begin(), heads_.end(), [](const auto& h) { return !h.empty(); })) add(heads_);
        for (const auto& r : rows_) add(r);
        return out;
    }

private:
    template <class T>
    [[nodiscard]] static std::string text_of(const T& cell)
    {
        if constexpr (std::integral<T>) return core::text_of(cell);
        else return printable(cell);
    }

    std::vector<std::string> heads_;
    std::vector<int> least_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace tunekit::report
