// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A text with the tags of Mustache, and JSON that fills it. Needs nlohmann-json.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/processes/files/text.hpp"

namespace tunekit::dispatch::detail {

/// A template in the language of Mustache (mustache(5)): `{{name}}`, `{{#name}}...{{/name}}` for each of a list or
/// where a value is true, `{{^name}}...{{/name}}` for an empty list or where it is false, `{{! comment }}`, `{{.}}`,
/// `{{name.part}}`, and `{{=<% %>=}}` for other braces. A tag of a section, a comment or braces alone on a line takes
/// the line with it.
///
/// Departures: nothing is escaped for HTML, so `{{{name}}}` and `{{&name}}` are `{{name}}`; a name that the data lacks
/// is an error and not an empty text; there are no partials and no lambdas.
class mustache {
public:
    using json = nlohmann::ordered_json;

    /// Errors: tunekit::error with file and line for a tag or a section that does not end, an end without its section,
    /// and a tag that is not taken.
    mustache(std::string_view text, std::string file) : file_(std::move(file))
    {
        std::string open = "{{", close = "}}";
        std::vector<std::size_t> sections;  // those that have not ended
        std::size_t at = 0;
        for (std::size_t tag; (tag = text.find(open, at)) != text.npos;) {
            const std::size_t inside = tag + open.size();
            const auto line =
                1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + std::ptrdiff_t(tag), '\n'));
            const char sign = inside < text.size() ? text[inside] : ' ';
            const bool triple = sign == '{' && open == "{{",
                       signs = triple || std::string_view("#^/!&=>").find(sign) != std::string_view::npos;
            const std::string ends = triple ? "}}}" : sign == '=' ? '=' + close : close;
            const std::size_t end = text.find(ends, inside + (signs ? 1 : 0));
            if (end == text.npos) wrong(line, "the tag " + open + " does not end, want " + ends);
            const std::string name(trimmed(text.substr(inside + (signs ? 1 : 0), end - inside - (signs ? 1 : 0))));
            std::size_t before = tag, after = end + ends.size();
            if (signs && !triple && sign != '&') take_line(text, before, after);
            pieces_.push_back({' ', std::string(text.substr(at, before - at)), line});
            at = after;
            if (sign == '!') continue;
            if (sign == '=') {
                const auto braces = io::words(name);
                if (braces.size() != 2) wrong(line, "want two words between the signs =, such as {{=<% %>=}}");
                open = braces[0], close = braces[1];
            } else if (sign == '>') {
                wrong(line, "{{>" + name + "}} is a partial, want its text here");
            } else if (sign == '/') {
                if (sections.empty() || pieces_[sections.back()].text != name)
                    wrong(line, "{{/" + name + "}} ends no section" +
                                    (sections.empty() ? std::string()
                                                      : ", want {{/" + pieces_[sections.back()].text + "}} of line " +
                                                            std::to_string(pieces_[sections.back()].line)));
                pieces_[sections.back()].end = pieces_.size();
                sections.pop_back();
            } else {
                const bool section = sign == '#' || sign == '^';
                if (section) sections.push_back(pieces_.size());
                pieces_.push_back({section ? sign : '&', name, line});
            }
        }
        if (!sections.empty()) {
            const piece& p = pieces_[sections.back()];
            wrong(p.line, "the section {{" + (p.kind + p.text) + "}} does not end, want {{/" + p.text + "}}");
        }
        pieces_.push_back({' ', std::string(text.substr(at)), 0});
    }

    /// The text with what `data` has. Errors: tunekit::error with file and line for a name that it lacks, and for a
    /// list or an object where a value is wanted.
    [[nodiscard]] std::string filled(const json& data) const
    {
        std::vector<const json*> around{&data};
        std::string out;
        fill(0, pieces_.size(), around, out);
        return out;
    }

private:
    struct piece {
        char kind;          ///< ' ' a text, '&' a value, '#' and '^' a section
        std::string text;   ///< or the name
        std::size_t line;   ///< of the tag
        std::size_t end{};  ///< of a section: the piece behind it
    };

    [[noreturn]] void wrong(std::size_t line, const std::string& what) const
    {
        throw error(file_ + ':' + std::to_string(line) + ": " + what);
    }

    static std::string_view trimmed(std::string_view s)
    {
        constexpr std::string_view blank = " \t\r\n";
        s.remove_prefix((std::min)(s.find_first_not_of(blank), s.size()));
        return s.substr(0, s.find_last_not_of(blank) + 1);
    }

    /// Where the tag between `before` and `after` is alone on its line, or lines, they become the whole line.
    static void take_line(std::string_view text, std::size_t& before, std::size_t& after)
    {
        const std::size_t begin = text.substr(0, before).find_last_not_of(" \t") + 1;
        std::size_t end = (std::min)(text.find_first_not_of(" \t", after), text.size());
        if (text.substr(end, 2) == "\r\n") ++end;
        if ((begin != 0 && text[begin - 1] != '\n') || (end != text.size() && text[end] != '\n')) return;
        before = begin;
        after = (std::min)(end + 1, text.size());
    }

    /// What the name means here: the innermost section that has its first part decides.
    [[nodiscard]] const json& meant(const piece& p, const std::vector<const json*>& around) const
    {
        if (p.text == ".") return *around.back();
        std::vector<std::string> known;
        const std::string first = p.text.substr(0, p.text.find('.'));
        for (std::size_t k = around.size(); k-- > 0;) {
            if (!around[k]->is_object()) continue;
            const json* value = around[k];
            if (!value->contains(first)) {
                for (const auto& [name, unused] : value->items()) known.push_back(name);
                continue;
            }
            for (std::size_t at = 0; at <= p.text.size();) {
                const std::size_t end = (std::min)(p.text.find('.', at), p.text.size());
                const std::string part = p.text.substr(at, end - at);
                if (!value->is_object() || !value->contains(part)) {
                    known.clear();
                    if (value->is_object())
                        for (const auto& [name, unused] : value->items()) known.push_back(p.text.substr(0, at) + name);
                    wrong_name(p, known);
                }
                value = &(*value)[part];
                at = end + 1;
            }
            return *value;
        }
        wrong_name(p, known);
    }

    [[noreturn]] void wrong_name(const piece& p, const std::vector<std::string>& known) const
    {
        wrong(p.line, "nothing is called " + p.text + " here" +
                          (known.empty() ? std::string() : ", want " + core::wanted_name(p.text, known)));
    }

    void fill(std::size_t from, std::size_t to, std::vector<const json*>& around, std::string& out) const
    {
        for (std::size_t k = from; k < to; ++k) {
            const piece& p = pieces_[k];
            if (p.kind == ' ') {
                out += p.text;
                continue;
            }
            const json& value = meant(p, around);
            if (p.kind == '&') {
                if (value.is_structured())
                    wrong(p.line, p.text + " is no value but has parts, want {{#" + p.text + "}}");
                if (!value.is_null()) out += value.is_string() ? value.get<std::string>() : value.dump();
                continue;
            }
            const bool none =
                value.is_null() || value == json(false) || value == json("") || (value.is_array() && value.empty());
            const auto inside = [&](const json& here) {
                around.push_back(&here);
                fill(k + 1, p.end, around, out);
                around.pop_back();
            };
            if (p.kind == '^' && none) fill(k + 1, p.end, around, out);
            else if (p.kind == '#' && value.is_array())
                for (const json& one : value) inside(one);
            else if (p.kind == '#' && !none) inside(value);
            k = p.end - 1;
        }
    }

    std::string file_;
    std::vector<piece> pieces_;
};

}  // namespace tunekit::dispatch::detail
