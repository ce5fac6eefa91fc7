// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Readings of numbers in a program's output, and a check of its output against a reference.

#include <regex.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tunekit/core/detail/numbers.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/measure/verify.hpp"
#include "tunekit/processes/program/finished_run.hpp"

namespace tunekit::measure {

namespace detail {

/// The number that `text` begins with, and how many characters it has; else 0. Hexadecimal numbers,
/// infinities and NaN do not count: words of a text begin with "in" and "na".
inline std::pair<double, std::size_t> leading_number(const char* text)
{
    const char* digits = text + (*text == '-' || *text == '+' ? 1 : 0);
    const bool decimal = (*digits >= '0' && *digits <= '9') || (*digits == '.' && digits[1] >= '0' && digits[1] <= '9');
    if (!decimal || (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))) return {0, 0};
    const std::size_t plus = *text == '+' ? 1 : 0;
    const auto found = core::leading_number<double>(text + plus);  // whatever the locale of this program
    return {found.fits ? found.value : core::detail::plain_strtod(text), plus + found.length};
}

/// The end of a text, on one line, for messages: its last lines that are whole within 160 characters.
inline std::string last_words(std::string_view text)
{
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
    if (text.empty()) return "nothing";
    std::string out = "'";
    if (text.size() > 160) {
        const char before = text[text.size() - 161];
        text.remove_prefix(text.size() - 160);
        if (const auto end = text.find('\n'); before != '\n' && end != std::string_view::npos)
            text.remove_prefix(end + 1);
        else if (before != '\n') out += "... ";  // one line that is longer
    }
    for (const char c : text)
        if (c == '\n') out += " | ";
        else out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    return out += '\'';
}

}  // namespace detail

/// The number that a regular expression finds in the text of a run: its first group, or the whole match where it has no
/// group. It must be found exactly once. No match, or two, is a failure `bad_cost`, because the right one is not known.
///
///     program_options{.command = {"./stencil"}, .cost = matched("^elapsed: ([0-9.]+) s")}
///
/// Expressions are POSIX extended regular expressions, with `\d` for a digit as an addition. They are matched line by
/// line. Only the first 8192 characters of a line are searched.
///
/// Cost:   linear in the text for expressions without back references.
class matched {
public:
    /// Compiles the expression. Throws std::invalid_argument, with the system's reason, where it is not a regular
    /// expression.
    explicit matched(std::string expression) : text_(std::move(expression)), compiled_(new regex_t, release{})
    {
        const std::string posix = with_digits(text_);
        const int wrong = ::regcomp(compiled_.get(), posix.c_str(), REG_EXTENDED);
        if (wrong == 0) return;
        char why[200];
        ::regerror(wrong, compiled_.get(), why, sizeof why);
        ::regcomp(compiled_.get(), "x", REG_EXTENDED);  // so that `release` has something to free
        invalid("matched: '" + text_ + "' is not a regular expression (" + why +
                "), want an extended one, such as 'time: ([0-9.]+)'");
    }

    /// The number of `run`. Throws a candidate_error of kind `bad_cost` where it is not found exactly once.
    [[nodiscard]] double operator()(const finished_run& run) const
    {
        const std::string all = run.text();
        std::optional<double> found;
        for (std::size_t at = 0; at < all.size();) {
            std::size_t end = all.find('\n', at);
            if (end == std::string::npos) end = all.size();
            look_at(all.substr(at, end - at < max_line ? end - at : max_line), found);
            at = end + 1;
        }
        if (!found)
            detail::no_number("'" + text_ + "' was not found, want it once; the run ended with " +
                              detail::last_words(all));
        return *found;
    }

private:
    static constexpr std::size_t max_line = 8192;

    struct release {
        void operator()(regex_t* r) const noexcept
        {
            ::regfree(r);
            delete r;
        }
    };

    static std::string with_digits(const std::string& from)
    {
        std::string out;
        std::size_t opened = std::string::npos;  // where a bracket expression began
        for (std::size_t i = 0; i < from.size(); ++i) {
            const bool inside = opened != std::string::npos;
            if (from[i] != '\\' || i + 1 == from.size()) {
                if (!inside && from[i] == '[') opened = i;
                else if (inside && from[i] == ']' && i > opened + (from[opened + 1] == '^' ? 2 : 1))
                    opened = std::string::npos;
                out += from[i];
            } else if (from[++i] == 'd') {
                out += inside ? "0-9" : "[0-9]";
            } else {
                (out += '\\') += from[i];
            }
        }
        return out;
    }

    void look_at(const std::string& line, std::optional<double>& found) const
    {
        const char* rest = line.c_str();
        regmatch_t where[2];
        for (int flags = 0; ::regexec(compiled_.get(), rest, 2, where, flags) == 0; flags = REG_NOTBOL) {
            const regmatch_t& group = compiled_->re_nsub > 0 && where[1].rm_so >= 0 ? where[1] : where[0];
            const std::string word(rest + group.rm_so, rest + group.rm_eo);
            const auto [value, length] = detail::leading_number(word.c_str());
            if (length == 0 || length != word.size())
                detail::no_number("'" + text_ + "' found '" + word + "', want a number");
            if (found)
                detail::no_number("'" + text_ + "' was found twice, with " + detail::last_words(line) +
                                  " again, want an expression that is found once");
            found = value;
            if (where[0].rm_eo == 0) return;
            rest += where[0].rm_eo;
        }
    }

    std::string text_;
    std::shared_ptr<regex_t> compiled_;
};

/// A check that compares the output with a reference. Numbers are compared as `close_to` does, and everything else
/// character by character. A run of blanks counts as one blank.
///
///     program_options{.command = {"./stencil"}, .check = same_output{reference_text, {.relative = 1e-6}}}
///
/// It compares the result file of the run where one was named, else standard output. Where that was too long to be kept
/// whole, the check fails with a message that says so: raise program_options::output_bytes, or check by a command.
struct same_output {
    std::string reference;  ///< the text of a right run
    tolerance within{};     ///< the allowed distance of each number; 0: numbers must be equal

    /// Throws std::invalid_argument where the tolerance is negative or NaN.
    void validate() const { within.validate(); }

    /// The first line that differs, with what it should be; empty where none does.
    [[nodiscard]] std::optional<std::string> operator()(const finished_run& run) const
    {
        if (run.cut) return "there is more output than is kept, want a longer bound to compare it";
        const std::string& got = run.file ? *run.file : run.output;
        const char* a = got.c_str();
        const char* b = reference.c_str();
        for (std::size_t line = 1;; ++line) {
            for (;;) {
                const bool blank_a = skip_blanks(a);
                const bool blank_b = skip_blanks(b);
                const bool ends = at_end(a) || at_end(b);
                if (ends) break;
                const auto [x, length_x] = detail::leading_number(a);
                const auto [y, length_y] = detail::leading_number(b);
                if (length_x > 0 && length_y > 0) {
                    if (!close_to(x, y)) return differs(line, a, b);
                    a += length_x;
                    b += length_y;
                } else if (blank_a != blank_b || *a != *b) {
                    return differs(line, a, b);
                } else {
                    ++a;
                    ++b;
                }
            }
            if (*a != *b) return differs(line, a, b);
            if (*a == '\0') return std::nullopt;
            ++a;
            ++b;
        }
    }

private:
    [[nodiscard]] bool close_to(double x, double y) const
    {
        if (x == y) return true;
        return std::fabs(x - y) <= within.absolute + within.relative * std::fabs(y) &&
               std::fabs(y) <= (std::numeric_limits<double>::max)();
    }
    static bool skip_blanks(const char*& p)
    {
        const char* const begin = p;
        while (*p == ' ' || *p == '\t' || *p == '\r') ++p;
        return p != begin;
    }
    static bool at_end(const char* p) { return *p == '\0' || *p == '\n'; }
    static std::string differs(std::size_t line, const char* a, const char* b)
    {
        const auto rest = [](const char* p) {
            std::string out;
            while (!at_end(p) && out.size() < 40) out += *p++;
            return out.empty() ? std::string("its end") : '\'' + out + '\'';
        };
        return "line " + std::to_string(line) + " of the output is " + rest(a) + ", want " + rest(b);
    }
};

}  // namespace tunekit::measure
