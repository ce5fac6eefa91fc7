// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Readings of numbers in a program's output, and a check of its output against a reference.

#include "tunekit/processes/detail/needs_forks.hpp"  // first: it says what is wanted where a system forks nothing

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tunekit/measure/verify.hpp"
#include "tunekit/processes/program/finished_run.hpp"

namespace tunekit::measure {

namespace detail {

/// The number that `text` begins with, and how many characters it has; else 0. Hexadecimal numbers,
/// infinities and NaN do not count: words of a text begin with "in" and "na".
std::pair<double, std::size_t> leading_number(const char* text);

/// What a message says of a text of which a part was not kept; else empty.
std::string left_out(const finished_run& run);

/// The end of a text, on one line, for messages: its last lines that are whole within 160 characters.
std::string last_words(std::string_view text);

}  // namespace detail

/// The number that a regular expression finds in the text of a run: its first group, or the whole match where it has no
/// group. It must be found exactly once. No match, or two, is a failure `bad_cost`, because the right one is not known.
///
///     program_options{.command = {"./stencil"}, .cost = matched("^elapsed: ([0-9.]+) s")}
///
/// Expressions are POSIX extended regular expressions, with `\d` for a digit as an addition. They are matched line by
/// line, whatever its length; a carriage return ends a line, too, as progress bars write it. All that is kept of the
/// text is searched (program_options::output_bytes); where that is not all of it, the failure says so.
///
/// Cost:   linear in the text for expressions that begin with a character of their own and have no back references;
///         beside the text one line of it is held.
class matched {
public:
    /// Compiles the expression. Throws std::invalid_argument, with the system's reason, where it is not a regular
    /// expression.
    explicit matched(std::string expression);

    /// The number of `run`. Throws a candidate_error of kind `bad_cost` where it is not found exactly once.
    [[nodiscard]] double operator()(const finished_run& run) const;

private:
    std::string text_;
    std::shared_ptr<const void> compiled_;  ///< a regex_t
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
    [[nodiscard]] std::optional<std::string> operator()(const finished_run& run) const;
};

}  // namespace tunekit::measure
