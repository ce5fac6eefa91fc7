// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Text with names in braces for which values stand: arguments of a command, files, generated sources.

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"

namespace tunekit::core {

/// Whether a parameter may be called so in files, on command lines and in texts with placeholders: any text without
/// blanks, control characters, commas, braces, quotes and '='.
[[nodiscard]] inline bool is_name(std::string_view text)
{
    return !text.empty() && std::none_of(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) <= ' ') ||
               std::string_view("{},=\"'`\x7f").find(c) != std::string_view::npos;
    });
}

/// A text in which `{name}` stands for the value of that name.
///
///     const std::vector<std::string> names{"tile", "threads"};
///     const text_template argument("--tile={tile}", names);
///     argument.filled(std::vector<std::string>{"64", "8"});        // --tile=64
///
/// A placeholder is a name between braces, and nothing else: one of `names`, or letters, digits, `_`, `-` and `.`,
/// which are taken for a mistake where they are none. Any other brace is text, so source code and JSON stay as they
/// are. `{{name}}` is the text `{name}`.
///
/// Cost:   one pass over the text to build, and one over its pieces to fill.
class text_template {
public:
    /// Finds the placeholders in `text`. Throws std::invalid_argument for a placeholder whose name is not among
    /// `names`; the message calls the text `what`.
    text_template(std::string_view text, std::span<const std::string> names, std::string_view what = "text")
    {
        std::string literal;
        for (std::size_t at = 0; at < text.size();) {
            const bool quoted = text.substr(at, 2) == "{{";
            const std::size_t begin = at + (quoted ? 2 : 1);
            const std::size_t end = text[at] == '{' ? (std::min)(text.find_first_of("{}", begin), text.size()) : begin;
            const std::string_view name = text.substr(begin, end - begin);
            const bool closes = !name.empty() && text.substr(end, quoted ? 2 : 1) == (quoted ? "}}" : "}");
            if (!closes || (!plain(name) && std::find(names.begin(), names.end(), name) == names.end())) {
                literal += text[at++];
                continue;
            }
            if (quoted) {
                ((literal += '{') += name) += '}';
            } else {
                pieces_.push_back({std::exchange(literal, {}), position(name, names, what)});
            }
            at = end + (quoted ? 2 : 1);
        }
        last_ = std::move(literal);
    }

    /// The text with the values of the names, in the order of the names.
    [[nodiscard]] std::string filled(std::span<const std::string> values) const
    {
        std::string out;
        for (const piece& p : pieces_) (out += p.before) += values[p.name];
        return out += last_;
    }

    /// Whether the text has name number `j`.
    [[nodiscard]] bool uses(std::size_t j) const
    {
        return std::any_of(pieces_.begin(), pieces_.end(), [j](const piece& p) { return p.name == j; });
    }
    /// Whether the text is one placeholder and nothing else.
    [[nodiscard]] bool alone() const noexcept
    {
        return pieces_.size() == 1 && pieces_[0].before.empty() && last_.empty();
    }
    /// Whether the text has no placeholder.
    [[nodiscard]] bool constant() const noexcept { return pieces_.empty(); }

private:
    struct piece {
        std::string before;
        std::size_t name = 0;
    };

    static bool plain(std::string_view name)
    {
        return std::all_of(name.begin(), name.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
                   c == '.';
        });
    }

    static std::size_t position(std::string_view name, std::span<const std::string> names, std::string_view what)
    {
        for (std::size_t j = 0; j < names.size(); ++j)
            if (names[j] == name) return j;
        invalid({what, ": no parameter is called {", name, "}, want ", wanted_name(name, names), ", or {{", name,
                 "}} for the text itself"});
    }

    std::vector<piece> pieces_;
    std::string last_;
};

/// Names, and the texts and numbers that stand for them in texts that are filled once.
///
///     const auto line = core::text_values().set("tile threads", 64, "8").in("--tile={tile} --threads={threads}");
class text_values {
public:
    /// Messages call the texts `what`.
    explicit text_values(const char* what = "text") : what_(what) {}

    /// Adds names, which blanks separate, and the value of each.
    template <class... Values>
    text_values& set(std::string_view names, const Values&... values)
    {
        (values_.push_back(as_text(values)), ...);
        for (std::size_t end = 0; end != names.npos; names.remove_prefix((std::min)(end, names.size() - 1) + 1)) {
            end = names.find(' ');
            names_.emplace_back(names.substr(0, end));
        }
        if (names_.size() != values_.size()) throw std::logic_error("tunekit: text_values: a name without its value");
        return *this;
    }

    /// The text with each `{name}` replaced by the value of that name. Errors: as text_template.
    [[nodiscard]] std::string in(std::string_view text) const
    {
        return text_template(text, names_, what_).filled(values_);
    }

private:
    template <class T>
    static std::string as_text(const T& value)
    {
        if constexpr (std::is_arithmetic_v<T>) return std::to_string(value);
        else return std::string(value);
    }

    const char* what_;
    std::vector<std::string> names_, values_;
};

}  // namespace tunekit::core
