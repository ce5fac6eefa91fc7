// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A table for people, on a terminal.

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/text.hpp"
#include "tunekit/report/detail/markup.hpp"

namespace tunekit::report {

/// Rows of cells below the heads of their columns. A column is as wide as the widest of its cells.
///
///     report::text_table table({{"task", -6}, {"trials", 7}, {"best ms", 10}});
///     table.row({"conv1", 512, {1.3047, 4}});
///     std::fputs(table.text().c_str(), stdout);
class text_table {
public:
    /// A column.
    struct column {
        std::string head{};  ///< above it; no line of heads where none has one
        int width = 0;       ///< in characters, at least; below 0: its cells begin at the left
    };

    /// What stands in a cell: a text, an integer, or a number with so many digits behind the point.
    class cell {
    public:
        cell(std::string text) : text_(std::move(text)) {}
        cell(const char* text) : text_(text) {}
        cell(std::integral auto n) : text_(core::text_of(n)) {}
        cell(double x, int digits) : text_(core::text_of(x, std::chars_format::fixed, digits)) {}

        [[nodiscard]] const std::string& text() const noexcept { return text_; }  ///< as it is read

    private:
        std::string text_;
    };

    explicit text_table(std::vector<column> columns) : columns_(std::move(columns)) {}

    /// A row more, which has a cell for each column.
    void row(std::initializer_list<cell> cells)
    {
        auto& to = rows_.emplace_back();
        for (const cell& c : cells) to.push_back(c.text());
    }

    /// The lines, each with `indent` before it. They end with their last cell, where its column begins at the left.
    [[nodiscard]] std::string text(std::string_view indent = {}) const
    {
        std::vector<std::string> heads;
        std::vector<std::size_t> widths;
        for (std::size_t k = 0; k < columns_.size(); ++k) {
            heads.push_back(columns_[k].head);
            const int least = columns_[k].width;
            widths.push_back(
                (std::max)(static_cast<std::size_t>(least < 0 ? -least : least), detail::characters_of(heads.back())));
            for (const auto& r : rows_) widths.back() = (std::max)(widths.back(), detail::characters_of(r[k]));
        }
        std::string out;
        const auto add = [&](const std::vector<std::string>& cells) {
            out += indent;
            for (std::size_t k = 0; k < cells.size(); ++k) {
                const bool left = columns_[k].width < 0;
                if (k > 0) out += left && columns_[k - 1].width >= 0 ? "  " : " ";
                const std::string blanks(widths[k] - detail::characters_of(cells[k]), ' ');
                out += left ? cells[k] : blanks + cells[k];
                if (left && k + 1 < cells.size()) out += blanks;
            }
            out += '\n';
        };
        if (std::any_of(heads.begin(), heads.end(), [](const std::string& h) { return !h.empty(); })) add(heads);
        for (const auto& r : rows_) add(r);
        return out;
    }

private:
    std::vector<column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace tunekit::report
