// SPDX-License-Identifier: MIT
#include "tunekit/records/json_reading.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
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

TEST_CASE("at_pointer finds what the whole JSON has there, for each pointer and text")
{
    const char* const texts[] = {R"({"a": 1, "b": [2, {"a": 3}, [4, 5]], "c": {"a": {"": 6}, "b/": 7, "m~n": 8}})",
                                 R"([[0, 1], [2, [3, {"0": 4}]], {"1": 5, "a": null}])",
                                 R"({"a": 1, "a": "x", "b": 1, "b": {"a": 2}, "c": {"a": 3}, "c": {"b": 4}})",
                                 R"({"b": {"a": 2}, "b": 3, "a": "x", "a": 1.5})",
                                 "7",
                                 "[]",
                                 "{}",
                                 R"({"a": -3, "b": [18446744073709551615, true, 1e300]})"};
    int there = 0;
    for (const char* text : texts)
        for (const char* pointer :
             {"",       "/a",       "/b",   "/c",    "/b/0",   "/b/1",    "/b/1/a", "/b/2/0", "/b/2/1", "/b/2",
              "/b/a",   "/c/a",     "/c/b", "/c/a/", "/c/b~1", "/c/m~0n", "/0",     "/0/1",   "/1",     "/1/0",
              "/1/1/0", "/1/1/1/0", "/2/1", "/2/a",  "/00",    "/0/01",   "/-",     "/a/0"}) {
            const auto whole = nlohmann::json::parse(text);
            const nlohmann::json::json_pointer at(pointer);
            const bool has = whole.contains(at) && whole.at(at).is_number();
            CAPTURE(text);
            CAPTURE(pointer);
            there += has ? 1 : 0;
            if (has) CHECK(measure::at_pointer(pointer)(said(text)) == whole.at(at).get<double>());
            else CHECK_THROWS_AS(static_cast<void>(measure::at_pointer(pointer)(said(text))), measure::candidate_error);
        }
    CHECK(there == 21);  // counted by another program
    CHECK(measure::at_pointer("/t")(
              said(R"({"a": )" + std::string(100'000, '[') + std::string(100'000, ']') + R"(, "t": 2})")) == 2);
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
