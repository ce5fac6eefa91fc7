// SPDX-License-Identifier: MIT
#include "tunekit/records/json_reading.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "tests/support/programs.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/processes/program/program.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using support::contains, support::measured, support::numbers, support::of, support::once, support::script,
    support::temporary_folder;

namespace {

measure::finished_run said(const std::string& output) { return {.output = output}; }

}  // namespace

TEST_CASE("at_pointer: a number of a JSON")
{
    CHECK(measure::at_pointer("/a/1/t")(said(R"({"a": [0, {"t": 2.5}]})")) == 2.5);
    CHECK(measure::at_pointer("/t")({.output = "x", .file = R"({"t": 3})"}) == 3);
    for (const char* text : {"", "{", R"({"t": )", R"({"u": 1})", R"({"t": "1"})", R"({"t": null})", "[1]"})
        CHECK_THROWS_AS(static_cast<void>(measure::at_pointer("/t")(said(text))), measure::candidate_error);
    CHECK_THROWS_AS(measure::at_pointer("t"), std::invalid_argument);
}

TEST_CASE("at_pointer: a line of any length is read; what was not kept of it is told")
{
    std::string text = "{\"samples\": [0";
    for (int k = 1; k < 200'000; ++k) text += ',' + std::to_string(k);
    text += "], \"seconds\": 0.5}";
    CHECK(measure::at_pointer("/seconds")(said(text)) == 0.5);
    const auto why = [](const measure::finished_run& run) {
        try {
            static_cast<void>(measure::at_pointer("/seconds")(run));
        } catch (const measure::candidate_error& e) {
            return e.why.message;
        }
        return std::string();
    };
    CHECK(!contains(why({.output = "{"}), "kept"));
    CHECK(contains(why({.output = "{", .cut = true}), "it wrote more than is kept, and the middle"));
    CHECK(contains(why({.cut = true, .file = "{"}), "the file is longer than what is kept of it, and its end"));
}

TEST_CASE("a program's cost and numbers come from the JSON that it writes")
{
    temporary_folder at;
    measure::program p(numbers(3), {.command = script("echo '{\"cost\": '$1'5, \"energy\": 7}' > " + (at / "out.json")),
                                    .result_file = at / "out.json",
                                    .cost = measure::at_pointer("/cost"),
                                    .numbers = {{"energy", measure::at_pointer("/energy")}},
                                    .repetition = once});
    const auto both = measured(p, 2);
    CHECK(both.cost == 25);
    CHECK(both.values == measure::measured_values{7});
    const auto half = of({.command = script("printf '{\"t\": 1' > " + (at / "half")),
                          .result_file = at / "half",
                          .cost = measure::at_pointer("/t")});
    REQUIRE(half.failed);
    CHECK(half.failed->kind == measure::failure_kind::bad_cost);
    CHECK(contains(half.failed->message, "not whole JSON"));
}
