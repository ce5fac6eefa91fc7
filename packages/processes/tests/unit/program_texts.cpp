// SPDX-License-Identifier: MIT
// What a program is given and what it says: texts with placeholders, numbers in an output.
#include "tunekit/processes/program/readings.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/programs.hpp"
#include "tunekit/processes/program/program.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using measure::failure_kind;
using support::contains;

namespace {

measure::finished_run said(const std::string& output) { return {.output = output}; }

}  // namespace

TEST_CASE("matched: a number that is found once is the cost")
{
    const auto number = [](const char* expression, const std::string& text) {
        return measure::matched(expression)(said(text));
    };
    CHECK(number("time: ([0-9.]+)", "x\ntime: 0.25 s\ny") == 0.25);
    CHECK(number("[0-9]+$", "got 17") == 17);
    CHECK(number("t=(\\d+)", "t=12") == 12);
    CHECK(number("t=([\\d.e+-]+)", "t=1.5e-3") == 1.5e-3);
    CHECK(number("t=([^]\\d]+|\\d+)", "t=4") == 4);
    CHECK(number("^b ([0-9]+)", "a 1\nb 2\nc b 3") == 2);
    CHECK(measure::matched("([0-9]+)")({.output = "a", .errors = "err 9"}) == 9);
    CHECK(measure::matched("([0-9]+)")({.output = "5", .file = "in the file: 6"}) == 6);
    const auto fails = [&](const char* expression, const std::string& text) {
        try {
            static_cast<void>(number(expression, text));
        } catch (const measure::candidate_error& e) {
            CHECK(e.why.kind == failure_kind::bad_cost);
            return e.why.message;
        }
        return std::string("no failure");
    };
    CHECK(contains(fails("time: ([0-9.]+)", "it crashed\nbadly\n"),
                   "was not found, want it once; the run ended with 'it crashed | badly'"));
    CHECK(contains(fails("time: ([0-9.]+)", ""), "ended with nothing"));
    CHECK(contains(fails("([0-9.]+)", "1 and 2"), "was found twice"));
    CHECK(contains(fails("(n.*)", "nan"), "found 'nan', want a number"));
    CHECK(contains(fails("time: (.*)", "time: 3 s"), "found '3 s', want a number"));
    CHECK_THROWS_AS(measure::matched("time: ("), std::invalid_argument);
    // A line that would overflow the stack of a matcher that recurses.
    CHECK(contains(fails("(a|b)*c([0-9]+)", std::string(1000000, 'a') + "c1"), "found 'a', want a number"));
}

TEST_CASE("matched: progress bars, long lines and zero bytes hide no number; what was not kept is told")
{
    const auto number = [](const char* expression, const std::string& text) {
        return measure::matched(expression)(said(text));
    };
    std::string bar;
    for (int k = 0; k < 20'000; ++k) bar += "\r" + std::to_string(k) + "/20000 [#####     ] eta 00:01";
    CHECK(number("time: ([0-9.]+)", bar + " time: 0.5 s\n") == 0.5);
    CHECK(number("^time: ([0-9.]+) s$", bar + "\rtime: 0.25 s\r\n") == 0.25);
    std::string json = "{\"samples\": [0";
    for (int k = 1; k < 100'000; ++k) json += ", " + std::to_string(k);
    CHECK(number("\"seconds\": ([0-9.]+)", json + "], \"seconds\": 0.5}") == 0.5);
    CHECK(number("t=([0-9]+)", std::string("a\0t=4\0b", 7)) == 4);
    const auto why = [](const measure::finished_run& run) {
        try {
            static_cast<void>(measure::matched("time: ([0-9.]+)")(run));
        } catch (const measure::candidate_error& e) {
            return e.why.message;
        }
        return std::string();
    };
    CHECK(!contains(why({.output = "a"}), "kept"));
    CHECK(
        contains(why({.output = "a", .cut = true}), "'a'; it wrote more than is kept, and the middle of that was not"));
    CHECK(contains(why({.output = "a", .errors_cut = true}), "'a'; it wrote more than is kept"));
    CHECK(!contains(why({.errors_cut = true, .file = "a"}), "kept"));
    CHECK(contains(why({.cut = true, .file = "a"}), "the file is longer than what is kept of it, and its end was not"));
}

TEST_CASE("same_output: numbers within the tolerance, all else as it is")
{
    const auto wrong = [](const char* got, const char* want, measure::tolerance within = {}) {
        return measure::same_output{want, within}(said(got)).value_or("");
    };
    CHECK(wrong("a 1.0\n", "a 1\n") == "");
    CHECK(wrong("sum = 1.0001", "sum = 1", {.relative = 1e-3}) == "");
    CHECK(wrong("sum = 1.01", "sum = 1", {.relative = 1e-3}) == "line 1 of the output is '1.01', want '1'");
    CHECK(wrong("a\nb 2\n", "a\nb 3\n") == "line 2 of the output is '2', want '3'");
    CHECK(wrong("a   b", "a b") == "");
    CHECK(wrong("ab", "a b") != "");
    CHECK(wrong("a\n", "a\nb\n") == "line 2 of the output is its end, want 'b'");
    CHECK(wrong("a\nb\n", "a\n") == "line 2 of the output is 'b', want its end");
    CHECK(wrong("inf", "nan") != "");
    CHECK(wrong("1e999", "1", {.relative = 1}) != "");
    CHECK(measure::same_output{"a"}({.output = "a", .cut = true}).has_value());
    CHECK(!measure::same_output{"a"}({.output = "b", .file = "a"}).has_value());
    for (const double none : {-1e-3, std::nan("")}) {
        CHECK_THROWS_AS(measure::program_options::run_check(measure::same_output{"a", {.relative = none}}),
                        std::invalid_argument);
        CHECK_THROWS_AS(measure::program_options::run_check(measure::same_output{"a", {.absolute = none}}),
                        std::invalid_argument);
    }
}

TEST_CASE("the end of an output is shown in whole lines")
{
    const std::string line(50, 'a');
    using measure::detail::last_words;
    CHECK(last_words("x" + line + '\n' + line + '\n' + line + "\n\n") ==
          '\'' + ("x" + line + " | " + line + " | " + line) + '\'');
    CHECK(last_words("cannot open file or directory\n" + line + '\n' + line + '\n' + line) ==
          '\'' + line + " | " + line + " | " + line + '\'');
    const std::string tail(160, 'b');
    CHECK(last_words("first\n" + tail) == '\'' + tail + '\'');
    CHECK(last_words("first" + tail) == "'... " + tail + '\'');
    CHECK(last_words("\n") == "nothing");
}
