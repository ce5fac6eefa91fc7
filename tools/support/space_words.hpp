// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A space in the words of a command line: `--parameter threads=1,2,4`, hyperfine's `-L`, `-P` and `-D`, `--where`.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/formats/space_file.hpp"

namespace programs {

/// An option that describes a part of a space, and its words.
struct space_option {
    std::string name;  ///< --parameter, -L, -P, -D or --where
    std::vector<std::string> words;

    /// As it was given.
    [[nodiscard]] std::string text() const
    {
        std::string out = name;
        for (const std::string& word : words) out += ' ' + word;
        return out;
    }
};

/// A JSON value of a parameter's.
inline nlohmann::ordered_json json_of(const tunekit::space::value& v)
{
    return std::visit(
        []<class T>(const T& x) -> nlohmann::ordered_json {
            if constexpr (std::is_same_v<T, tunekit::space::entries>) return x.of;
            else return x;
        },
        v);
}

/// A space as a file of ours has it, without its default.
inline nlohmann::ordered_json json_of(const tunekit::io::space_file& of)
{
    nlohmann::ordered_json out{{"parameters", nlohmann::ordered_json::array()}, {"constraints", of.constraints}};
    for (const auto& p : of.parameters) {
        auto values = nlohmann::ordered_json::array();
        for (const auto& v : p.values) values.push_back(json_of(v));
        out["parameters"].push_back({{"name", p.name}, {"values", std::move(values)}});
    }
    return out;
}

namespace detail {

using json = nlohmann::ordered_json;

constexpr std::size_t max_values = 65535;  // of a parameter

/// The number that a word is, with the value that it is written back as: 01, 1.10 and 3.50 are texts, as versions are.
inline std::optional<json> number_of(std::string_view word)
{
    const std::string_view digits = word.substr(word.starts_with('-') ? 1 : 0);
    const bool begins = !digits.empty() && digits.front() >= '0' && digits.front() <= '9';
    if (!begins || (digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9')) return {};
    if (const auto whole = tunekit::core::number<std::int64_t>(word)) return json(*whole);
    if (word.find_first_of(".eE") == word.npos ||
        (word.ends_with('0') && word.find_first_of("eE") == word.npos && !word.ends_with(".0")))
        return {};
    const auto real = tunekit::core::number<double>(word);
    return real && std::isfinite(*real) ? std::optional<json>(*real) : std::nullopt;
}

/// A word of a list, and whether it stood in quotes.
struct list_word {
    std::string text{};
    bool quoted = false;
};

/// Cuts a list at its commas: `\,` is a comma, `\\` a backslash; with `quotes` a word may stand in them.
inline std::vector<list_word> words_of_list(std::string_view text, bool quotes, const space_option& of)
{
    std::vector<list_word> out(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i], next = i + 1 < text.size() ? text[i + 1] : '\0';
        list_word& word = out.back();
        if (c == ',') {
            out.emplace_back();
        } else if (c == '\\' && (next == ',' || next == '\\')) {
            word.text += next;
            ++i;
        } else if (quotes && (c == '\'' || c == '"') && word.text.empty() && !word.quoted) {
            const std::size_t end = text.find(c, i + 1);
            if (end == text.npos) tunekit::invalid(of.text() + ": a quote is not closed, want pairs");
            if (end + 1 < text.size() && text[end + 1] != ',')
                tunekit::invalid(of.text() + ": something follows a quoted value, want a comma there");
            word = {std::string(text.substr(i + 1, end - i - 1)), true};
            i = end;
        } else {
            word.text += c;
        }
    }
    return out;
}

/// A range of numbers: first, then each a step or a factor further, up to the last one where it is met.
struct number_range {
    double first = 0, last = 0, step = 0, factor = 0;
    bool whole = false;  ///< whether its numbers are integers

    [[nodiscard]] std::vector<json> values(const space_option& of) const
    {
        constexpr double limit = 1e15;  // up to which a double has every integer
        const auto refuse = [&](const std::string& what) { tunekit::invalid(of.text() + ": " + what); };
        if (first > last) refuse("a range from above to below, want the smaller number first");
        if (!(std::abs(first) < limit && std::abs(last) < limit)) refuse("want numbers below 1e15 in a range");
        if (factor == 0 && !(step > 0)) refuse("the step is not above 0, want one that is");
        if (factor != 0 && !(factor > 1 && first > 0))
            refuse("a factor of 1 or less, or from a number that is not above 0; want 8..512*2");
        std::vector<json> out;
        for (std::size_t k = 0;; ++k) {
            const auto n = static_cast<double>(k);
            char text[32];  // fifteen digits, so that 0.1 and 0.2 make 0.3
            std::snprintf(text, sizeof text, "%.15g", factor != 0 ? first * std::pow(factor, n) : first + n * step);
            const double x = tunekit::core::number<double>(text).value();
            if (x > last) return out;
            if (out.size() == max_values) refuse("a range of more than 65535 values, want a larger step");
            out.push_back(whole ? json(static_cast<std::int64_t>(x)) : json(x));
        }
    }
};

/// The numbers of a range from its words; the `step` may be empty where both ends are integers.
inline std::vector<json> range_of(std::string_view first, std::string_view last, std::string_view step, bool factor,
                                  const space_option& of)
{
    number_range out{.whole = true};
    const auto number = [&](std::string_view word) {
        const auto x = tunekit::core::number<double>(word);
        if (!x || !std::isfinite(*x))
            tunekit::invalid(of.text() + ": '" + std::string(word) + "' is not a number, want one");
        out.whole = out.whole && tunekit::core::number<std::int64_t>(word).has_value();
        return *x;
    };
    out.first = number(first);
    out.last = number(last);
    if (step.empty() && !out.whole)
        tunekit::invalid(of.text() + ": a range of fractions has no step, want one" +
                         (of.name == "-P" ? " by -D STEP" : ": 0..1:0.25"));
    if (factor) {
        const bool ends = tunekit::core::number<std::int64_t>(first).has_value();
        out.whole = ends;
        out.factor = number(step);
    } else {
        out.step = step.empty() ? 1 : number(step);
    }
    return out.values(of);
}

/// The numbers of a word such as 1..64, 1..64:4, 8..512*2 or 2^0..2^10; none where it is no range.
inline std::optional<std::vector<json>> range_in(const std::string& word, const space_option& of)
{
    const std::string_view all = word;
    const std::size_t dots = all.find("..");
    if (dots == all.npos) return {};
    const std::string_view first = all.substr(0, dots), rest = all.substr(dots + 2);
    if (const std::size_t hat = first.find('^'); hat != first.npos) {
        const std::string_view base = first.substr(0, hat);
        const auto x = tunekit::core::number<double>(base);
        if (!x) return {};
        const auto from = tunekit::core::number<int>(first.substr(hat + 1));
        const auto to = rest.starts_with(std::string(base) + '^')
                            ? tunekit::core::number<int>(rest.substr(base.size() + 1))
                            : std::nullopt;
        if (!from || !to) tunekit::invalid(of.text() + ": powers are of one number, want such as 2^0..2^10");
        return number_range{.first = std::pow(*x, *from),
                            .last = std::pow(*x, *to),
                            .factor = *x,
                            .whole = *from >= 0 && tunekit::core::number<std::int64_t>(base).has_value()}
            .values(of);
    }
    if (!tunekit::core::number<double>(first)) return {};  // a text, such as ../data
    const std::size_t how = rest.find_first_of(":*");
    if (how != rest.npos && how + 1 == rest.size())
        tunekit::invalid(of.text() + ": nothing follows '" + rest[how] + "', want a number");
    const std::string_view step = how == rest.npos ? std::string_view() : rest.substr(how + 1);
    return range_of(first, rest.substr(0, how), step, how != rest.npos && rest[how] == '*', of);
}

/// The values of a list: numbers where every one is, else texts. `ranges`: words may be ranges, and stand in quotes.
inline json values_of_list(const std::string& text, bool ranges, const space_option& of)
{
    if (text.empty()) tunekit::invalid(of.text() + ": has no values, want such as NAME=1,2,4");
    json numbers = json::array(), texts = json::array();
    bool numeric = true;
    for (const list_word& word : words_of_list(text, ranges, of)) {
        if (const auto range = ranges && !word.quoted ? range_in(word.text, of) : std::nullopt) {
            for (const json& x : *range) {
                numbers.push_back(x);
                texts.push_back(x.dump());
            }
            continue;
        }
        const auto number = word.quoted ? std::nullopt : number_of(word.text);
        numeric = numeric && number;
        if (numeric) numbers.push_back(*number);
        texts.push_back(word.text);
    }
    return numeric ? numbers : texts;
}

/// What one of --parameter, -L and -P says; `step` is the word of the -D behind it.
inline json parameter_of(const space_option& of, const std::optional<std::string>& step)
{
    const std::vector<std::string>& words = of.words;
    if (of.name == "-P") {
        const auto all = range_of(words[1], words[2], step.value_or(""), false, of);
        return {{"name", words[0]}, {"values", all}};
    }
    if (of.name == "-L") return {{"name", words[0]}, {"values", values_of_list(words[1], false, of)}};
    const std::size_t at = words[0].find('=');
    if (at == std::string::npos || at == 0)
        tunekit::invalid(of.text() + ": want NAME=VALUES, such as threads=1,2,4,8 or tile=8..512*2");
    const std::string name = words[0].substr(0, at), list = words[0].substr(at + 1);
    constexpr std::string_view orders = "permutation(";
    if (list.starts_with(orders) && list.ends_with(')')) {
        const auto n =
            tunekit::core::number<std::uint64_t>(list.substr(orders.size(), list.size() - orders.size() - 1));
        if (!n) tunekit::invalid(of.text() + ": want a number of entries, such as permutation(3)");
        return {{"name", name}, {"permutation", *n}};
    }
    return {{"name", name}, {"values", values_of_list(list, true, of)}};
}

}  // namespace detail

/// How many words stand behind an option of a space; none where it is another option. `name` becomes its short one.
inline std::optional<std::size_t> words_of_space_option(std::string& name)
{
    static constexpr std::pair<std::string_view, std::string_view> of_hyperfine[] = {
        {"--parameter-list", "-L"}, {"--parameter-scan", "-P"}, {"--parameter-step-size", "-D"}};
    static constexpr std::pair<std::string_view, std::size_t> all[] = {
        {"--parameter", 1}, {"-L", 2}, {"-P", 3}, {"-D", 1}, {"--where", 1}};
    for (const auto& [theirs, ours] : of_hyperfine)
        if (name == theirs) name = ours;
    for (const auto& [ours, words] : all)
        if (name == ours) return words;
    return {};
}

/// The space that `options` add to `file`. Throws std::invalid_argument that names the option for what cannot be read,
/// and what io::read_space_file throws for a space that cannot be made.
inline tunekit::io::space_file space_of_options(const std::vector<space_option>& options,
                                                tunekit::io::space_file file = {})
{
    auto all = json_of(file);
    if (file.untuned)
        for (std::size_t j = 0; j < file.parameters.size(); ++j)
            all["default"][file.parameters[j].name] = (*file.untuned)[j];
    for (std::size_t k = 0; k < options.size(); ++k) {
        const space_option& of = options[k];
        if (of.name == "--where") {
            all["constraints"].push_back(of.words[0]);
            continue;
        }
        if (of.name == "-D") tunekit::invalid(of.text() + ": is no step of a -P, want it right behind one");
        std::optional<std::string> step;
        if (of.name == "-P" && k + 1 < options.size() && options[k + 1].name == "-D") step = options[++k].words[0];
        all["parameters"].push_back(detail::parameter_of(of, step));
        const auto& p = all["parameters"].back();
        if (!file.untuned) continue;  // else it has the first value of what the file does not know
        auto& first = all["default"][p["name"].get<std::string>()];
        if (p.contains("values")) first = p["values"][0];
        else
            for (std::uint64_t n = 0; n < p["permutation"].get<std::uint64_t>(); ++n) first.push_back(n);
    }
    const auto text = [&] {
        try {
            return all.dump(-1, ' ', true);
        } catch (const nlohmann::json::exception&) {
            tunekit::invalid("the command line: a parameter or a value is not UTF-8, want a space in UTF-8");
        }
    }();
    auto out = tunekit::io::detail::parse_space_file(text, "the command line");
    out.scenario = std::move(file.scenario);
    out.notes = std::move(file.notes);
    return out;
}

}  // namespace programs
