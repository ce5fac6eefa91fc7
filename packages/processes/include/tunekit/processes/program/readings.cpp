// SPDX-License-Identifier: MIT
#include "tunekit/processes/program/readings.hpp"

#include <regex.h>
#include <algorithm>
#include <cmath>
#include <limits>

#include "tunekit/core/detail/numbers.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/text.hpp"

namespace tunekit::measure {

namespace detail {

std::pair<double, std::size_t> leading_number(const char* text)
{
    const char* digits = text + (*text == '-' || *text == '+' ? 1 : 0);
    const bool decimal = (*digits >= '0' && *digits <= '9') || (*digits == '.' && digits[1] >= '0' && digits[1] <= '9');
    if (!decimal || (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))) return {0, 0};
    const std::size_t plus = *text == '+' ? 1 : 0;
    const auto found = core::leading_number<double>(text + plus);  // whatever the locale of this program
    return {found.fits ? found.value : core::detail::plain_strtod(text), plus + found.length};
}

std::string left_out(const finished_run& run)
{
    if (run.file) return run.cut ? "; the file is longer than what is kept of it, and its end was not searched" : "";
    return run.cut || run.errors_cut ? "; it wrote more than is kept, and the middle of that was not searched" : "";
}

std::string last_words(std::string_view text)
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

namespace {

/// The expression with a bracket expression for each `\d`.
std::string with_digits(const std::string& from)
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

/// Looks for the numbers that `expression` finds in a line; `text` is how it was written.
void look_at(const std::string& line, const regex_t& expression, const std::string& text, std::optional<double>& found)
{
    const char* rest = line.c_str();
    regmatch_t where[2];
    for (int flags = 0; ::regexec(&expression, rest, 2, where, flags) == 0; flags = REG_NOTBOL) {
        const regmatch_t& group = expression.re_nsub > 0 && where[1].rm_so >= 0 ? where[1] : where[0];
        const std::string word(rest + group.rm_so, rest + group.rm_eo);
        const auto [value, length] = leading_number(word.c_str());
        if (length == 0 || length != word.size()) no_number("'" + text + "' found '" + word + "', want a number");
        if (found)
            no_number("'" + text + "' was found twice, with " + last_words(line) +
                      " again, want an expression that is found once");
        found = value;
        if (where[0].rm_eo == 0) return;
        rest += where[0].rm_eo;
    }
}

bool close_enough(double x, double y, const tolerance& within)
{
    if (x == y) return true;
    return std::fabs(x - y) <= within.absolute + within.relative * std::fabs(y) &&
           std::fabs(y) <= (std::numeric_limits<double>::max)();
}

bool skip_blanks(const char*& p)
{
    const char* const begin = p;
    while (*p == ' ' || *p == '\t' || *p == '\r') ++p;
    return p != begin;
}

bool at_line_end(const char* p) { return *p == '\0' || *p == '\n'; }

std::string differs(std::size_t line, const char* a, const char* b)
{
    const auto rest = [](const char* p) {
        std::string out;
        while (!at_line_end(p) && out.size() < 40) out += *p++;
        return out.empty() ? std::string("its end") : '\'' + out + '\'';
    };
    return "line " + std::to_string(line) + " of the output is " + rest(a) + ", want " + rest(b);
}

}  // namespace

}  // namespace detail

matched::matched(std::string expression) : text_(std::move(expression))
{
    const auto release = [](regex_t* r) {
        ::regfree(r);
        delete r;
    };
    const std::shared_ptr<regex_t> held(new regex_t, release);
    compiled_ = held;
    const std::string posix = detail::with_digits(text_);
    const int wrong = ::regcomp(held.get(), posix.c_str(), REG_EXTENDED);
    if (wrong == 0) return;
    char why[200];
    ::regerror(wrong, held.get(), why, sizeof why);
    ::regcomp(held.get(), "x", REG_EXTENDED);  // so that `release` has something to free
    invalid("matched: '" + text_ + "' is not a regular expression (" + why +
            "), want an extended one, such as 'time: ([0-9.]+)'");
}

double matched::operator()(const finished_run& run) const
{
    const auto& expression = *static_cast<const regex_t*>(compiled_.get());
    std::optional<double> found;
    const auto search = [&](std::string_view all) {
        while (!all.empty()) {
            const std::size_t end = (std::min)(all.find_first_of(std::string_view("\r\n\0", 3)), all.size());
            if (end > 0) detail::look_at(std::string(all.substr(0, end)), expression, text_, found);
            all.remove_prefix((std::min)(end + 1, all.size()));
        }
    };
    search(run.file ? *run.file : run.output);
    if (!run.file) search(run.errors);
    if (!found)
        detail::no_number("'" + text_ + "' was not found, want it once; the run ended with " +
                          detail::last_words(run.text()) + detail::left_out(run));
    return *found;
}

std::optional<std::string> same_output::operator()(const finished_run& run) const
{
    if (run.cut) return "there is more output than is kept, want a longer bound to compare it";
    const std::string& got = run.file ? *run.file : run.output;
    const char* a = got.c_str();
    const char* b = reference.c_str();
    for (std::size_t line = 1;; ++line) {
        for (;;) {
            const bool blank_a = detail::skip_blanks(a);
            const bool blank_b = detail::skip_blanks(b);
            const bool ends = detail::at_line_end(a) || detail::at_line_end(b);
            if (ends) break;
            const auto [x, length_x] = detail::leading_number(a);
            const auto [y, length_y] = detail::leading_number(b);
            if (length_x > 0 && length_y > 0) {
                if (!detail::close_enough(x, y, within)) return detail::differs(line, a, b);
                a += length_x;
                b += length_y;
            } else if (blank_a != blank_b || *a != *b) {
                return detail::differs(line, a, b);
            } else {
                ++a;
                ++b;
            }
        }
        if (*a != *b) return detail::differs(line, a, b);
        if (*a == '\0') return std::nullopt;
        ++a;
        ++b;
    }
}

}  // namespace tunekit::measure
