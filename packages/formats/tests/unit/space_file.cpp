// SPDX-License-Identifier: MIT
#include "tunekit/formats/space_file.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace tk = tunekit;
using tk::io::detail::parse_space_file;

namespace {

const std::string own =
    R"json({"parameters": [{"name": "tile", "values": [16, 32, 64]}, {"name": "opt", "values": ["-O2", "-O3"]},
 {"name": "share", "values": [0.5, 1.5]}, {"name": "on", "values": [true, false]}],
 "constraints": ["tile < 64 or opt == '-O3'"], "default": {"opt": "-O2", "tile": 16, "share": 0.5, "on": false}})json";

const std::string t1 = R"json({"General": {"FormatVersion": 1}, "ConfigurationSpace": {"TuningParameters": [
 {"Name": "block_size_x", "Type": "int", "Values": "[16, 32 , 64]", "Default": 32}, {"Name": "unroll", "Type": "bool", "Values": "[True, False]", "Default": true},
 {"Name": "layout", "Type": "string", "Values": "['rows', \"columns\"]", "Default": "rows"}, {"Name": "f", "Type": "float", "Values": [0.5, 1], "Default": 1}],
 "Conditions": [{"Parameters": ["block_size_x", "unroll"], "Expression": "block_size_x <= 32 || !unroll"}]}, "KernelSpecification": {}})json";

const std::string baco =
    R"json({"application_name": "taco", "optimization_objectives": ["time"], "design_of_experiment": {"number_of_samples": 5},
 "optimization_iterations": 7, "feasible_output": {"enable_feasible_predictor": true, "name": "Valid", "true_value": "1", "false_value": "0"},
 "input_parameters": {
  "z": {"parameter_type": "ordinal", "values": [8, 2, 4], "parameter_default": 4, "constraints": ["(z % 4 == 0) | (z == 2)", "z >= n"], "dependencies": ["n"]},
  "n": {"parameter_type": "integer", "values": [1, 5], "parameter_default": 2},
  "kind": {"parameter_type": "categorical", "values": ["a", "b"], "parameter_default": "a"},
  "r": {"parameter_type": "real", "values": [0, 1], "preferred_discretization": [0, 0.5, 1], "parameter_default": 0.5},
  "p": {"parameter_type": "permutation", "values": [3], "parameter_default": [0, 1, 2], "constraints": ["(p_i0 < p_i2) & (p_i1 < p_i2)"]}}})json";

/// What is said of a text, without the file's name.
std::string refused(const std::string& text)
{
    try {
        static_cast<void>(parse_space_file(text, "s.json"));
    } catch (const std::exception& e) {
        const std::string what = e.what();
        CHECK(what.starts_with("tunekit: s.json:"));
        CHECK(what.find('\n') == std::string::npos);
        return what;
    }
    return "read";
}

std::string with(std::string text, const std::string& from, const std::string& to)
{
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("our own spaces, T1 problems and BaCO's scenarios are read whole")
{
    const auto ours = parse_space_file(own, "s");
    CHECK(ours.format == "tunekit");
    CHECK(ours.space().size() == (2 * 2 + 1) * 2 * 2);
    REQUIRE(ours.untuned);
    CHECK(*ours.untuned == std::vector<std::string>{"16", "-O2", "0.5", "false"});

    const auto tuner = parse_space_file(t1, "s");
    CHECK(tuner.format == "T1");
    CHECK(tuner.space().size() == (2 * 2 + 1) * 2 * 2);
    CHECK(tuner.constraints == std::vector<std::string>{"block_size_x <= 32  or   not unroll"});
    REQUIRE(tuner.untuned);
    CHECK(*tuner.untuned == std::vector<std::string>{"32", "true", "rows", "1"});

    const auto taco = parse_space_file(baco, "s");
    CHECK(taco.format == "BaCO");
    // z >= n: 2 -> n 1, 2; 4 -> 4; 8 -> 5. Entry 2 last: two orders of six.
    CHECK(taco.space().size() == (2 + 4 + 5) * 2 * 3 * 2);
    CHECK(taco.space().texts(0).back() == "(0, 1, 2)");
    CHECK(taco.parameters.front().name == "z");  // in the order of the file
    CHECK(std::get<std::int64_t>(taco.parameters.front().values.front()) == 2);
    REQUIRE(taco.scenario);
    CHECK(taco.scenario->objective == "time");
    CHECK(taco.scenario->feasible == "Valid");
    CHECK(taco.scenario->true_value == "1");
    CHECK(taco.scenario->first == 5);
    CHECK(taco.scenario->then == 7);
    REQUIRE(taco.untuned);
    CHECK(*taco.untuned == std::vector<std::string>{"4", "2", "a", "0.5", "(0, 1, 2)"});

    const auto extreme = parse_space_file(
        R"({"input_parameters": {"n": {"parameter_type": "integer", "values": [9223372036854775806, 9223372036854775807]}}})",
        "s");
    CHECK(extreme.space().size() == 2);
    CHECK(extreme.space().texts(1) == std::vector<std::string>{"9223372036854775807"});
}

TEST_CASE("values of a T1 problem may be ranges and comprehensions, as public problems have them")
{
    const auto values = [](const std::string& text) {
        const auto file = parse_space_file(
            R"({"ConfigurationSpace": {"TuningParameters": [{"Name": "a", "Values": ")" + text + R"("}]}})", "t1.json");
        std::string out;
        for (const auto& v : file.parameters.at(0).values)
            (out += out.empty() ? "" : " ") += tk::space::text_of_value(v);
        return out;
    };
    CHECK(values("list(range(1, 9))") == "1 2 3 4 5 6 7 8");
    CHECK(values("range(3)") == "0 1 2");
    CHECK(values("range(9, 3, -2)") == "9 7 5");
    CHECK(values("[1, 2] + list(range(32, 128+1, 32))") == "1 2 32 64 96 128");
    CHECK(values("[i for i in range(3,13,2)]") == "3 5 7 9 11");
    CHECK(values("[i for i in range(1, 33) if 32 % i == 0 and i != 4]") == "1 2 8 16 32");
    CHECK(values("[2**i for i in range(0, 6)]") == "1 2 4 8 16 32");
    CHECK(values("[3 * i**2 - 1 for i in range(1, 4)]") == "2 11 26");
    CHECK(values("[1] + [2 * i for i in range(1, 4)]") == "1 2 4 6");
    CHECK(values("[128+64*i for i in range(3)]") == "128 192 256");
    CHECK(values("[i / 2 for i in range(1, 4)]") == "0.5 1 1.5");
    CHECK(values("[16 // n for n in range(1, 5) ]") == "16 8 5 4");
    CHECK(values("['1 for 2', 'x']") == "1 for 2 x");
}

TEST_CASE("a default of a T1 problem that its space does not have is left out, and told")
{
    const auto file = [](const std::string& given) {
        return parse_space_file(R"({"ConfigurationSpace": {"TuningParameters": [
            {"Name": "a", "Values": "[1, 2]", "Default": )" +
                                    given + R"(}, {"Name": "b", "Values": [1, 2], "Default": 1}],
            "Conditions": [{"Expression": "a <= b", "Parameters": ["a", "b"]}]}})",
                                "t1.json");
    };
    CHECK(file("1").untuned == std::vector<std::string>{"1", "1"});
    CHECK(file("[1]").untuned == std::vector<std::string>{"1", "1"});
    CHECK(file("[1]").notes.empty());
    for (const char* none : {"2", "3"}) {
        CHECK(!file(none).untuned);
        REQUIRE(file(none).notes.size() == 1);
        CHECK(file(none).notes[0].starts_with("t1.json: the default is not a configuration of the space: "));
        CHECK(file(none).notes[0].ends_with("; left out"));
        CHECK(file(none).space().size() == 3);
    }
}

TEST_CASE("a name has one rule: what a file may call a parameter, constraints may name")
{
    const auto file = tk::io::detail::parse_space_file(
        R"({"parameters": [{"name": "units/0", "values": [1, 2, 3]}, {"name": "gr\u00f6\u00dfe", "values": [1, 2, 3]},
            {"name": "a+b", "values": [1, 1e19]}, {"name": "3|4", "values": [5, 6]}],
            "constraints": ["`units/0` < gr\u00f6\u00dfe", "!(`3|4` == 5) && `a+b` == 1"]})",
        "names.json");
    const auto space = file.space();
    CHECK(space.size() == 3);  // 1 < 2, 1 < 3, 2 < 3
    for (tk::index i = 0; i < space.size(); ++i) CHECK(space.texts(i)[3] == "6");
    CHECK_THROWS_WITH_AS((void)tk::io::detail::parse_space_file(
                             R"({"parameters": [{"name": "a-b", "values": [1]}], "constraints": ["`a-c` < 2"]})", "n"),
                         doctest::Contains("no parameter is called 'a-c', want a-b"), std::invalid_argument);
    CHECK_THROWS_WITH_AS((void)tk::io::detail::parse_space_file(
                             R"({"parameters": [{"name": "a-b", "values": [1]}], "constraints": ["`a-b < 2"]})", "n"),
                         doctest::Contains("a name without an end, want a closing `"), std::invalid_argument);
}

TEST_CASE("every mistake in a space file is one line that names the file and the field")
{
    const std::vector<std::pair<std::string, std::string>> mistakes{
        {"", "is not JSON from here on"},
        {"{\"parameters\":\n [", "is not JSON from here on"},
        {"[]", "is not a JSON object"},
        {R"({"parameters": [1e999]})", "is not JSON"},
        {std::string(100'000, '[') + std::string(100'000, ']'), "is nested deeper than 64"},
        {R"({"parameters": 1, "parameters": 2})", "parameters: stands twice"},
        {"{}", "parameters: is missing"},
        {R"({"parameters": []})", "parameters: is empty"},
        {R"({"parameters": {}})", "parameters: is not a list"},
        {R"({"parameters": [3]})", "parameters[0]: is not an object"},
        {R"({"parameters": [{"values": [1]}]})", "parameters[0].name: is missing"},
        {R"({"parameters": [{"name": "", "values": [1]}]})", "parameters[0].name: is not a name"},
        {R"({"parameters": [{"name": "a b", "values": [1]}]})", "parameters[0].name: is not a name"},
        {with(own, "[16, 32, 64]", "[]"), "parameters[0].values: is empty"},
        {with(own, "[16, 32, 64]", "[16, null]"), "parameters[0].values[1]: is not a value"},
        {with(own, "[16, 32, 64]", "[16, 16]"), "value 16 is there twice"},
        {with(own, "[16, 32, 64]", "[16, 18446744073709551615]"), "is beyond 64 bits"},
        {with(own, "[16, 32, 64]", "[16, 18446744073709551616]"), "values: 18446744073709551616 is beyond 64 bits"},
        {with(own, "[16, 32, 64]", "[16, 123456789012345680000]"), "values: 123456789012345680000 is beyond 64 bits"},
        {with(own, "[16, 32, 64]", "[16, -9223372036854775809]"), "values: -9223372036854775809 is beyond 64 bits"},
        {R"({"parameters": [{"name": "a`b", "values": [1]}]})", "parameters[0].name: is not a name"},
        {R"({"parameters": [{"name": "a", "values": [1]}, {"name": "a", "values": [1]}]})",
         "parameter 'a': is there twice"},
        {with(own, "constraints", "constrains"), "constrains: is unknown"},
        {with(own, "\"name\": \"tile\",", "\"name\": \"tile\", \"step\": 1,"), "parameters[0].step: is unknown"},
        {with(own, "tile < 64", "tiles < 64"), "no parameter is called 'tiles'"},
        {with(own, "tile < 64", "tile <"), "want a number, the name of a parameter"},
        {with(own, "'-O3'", "'-O9'"), "no parameter has the value '-O9'"},
        {with(own, "tile < 64 or", "tile < 1 and"), "leaves nothing"},
        {with(own, "\"tile\": 16", "\"tile\": 17"), "the default is not a configuration"},
        {with(own, "\"tile\": 16", "\"tille\": 16"), "default.tille: is not a parameter"},
        {with(own, "\"tile\": 16, ", ""), "default.tile: is missing"},
        {with(t1, "[16, 32 , 64]", "rang(3)"), "is not a list of literals"},
        {with(t1, "[16, 32 , 64]", "range(3"), "is not a list of literals"},
        {with(t1, "[16, 32 , 64]", "range(1, 9, 0)"), "is not a list of literals"},
        {with(t1, "[16, 32 , 64]", "[i for i in 8]"), "is not a list of literals"},
        {with(t1, "[16, 32 , 64]", "[j for i in range(8)]"), "is not a list of literals"},
        {with(t1, "[16, 32 , 64]", "[2**(i+1) for i in range(8)]"), "is not a list of literals"},
        {with(t1, "[16, 32 , 64]", "[i for i in range(8) if j]"), "is not a list of literals"},
        {with(t1, "[16, 32 , 64]", "range(10**9)"), "is not a list of literals"},
        {with(t1, "[16, 32 , 64]", "range(1000000000)"), "has 65536 values"},
        {with(t1, "[16, 32 , 64]", "[16, 32"), "is not a list of literals"},
        {with(t1, "[16, 32 , 64]", "[16 32]"), "is not a list of literals"},
        {with(t1, "[16, 32 , 64]", "[]"), "is not a list of literals"},
        {with(t1, "\"Name\": \"unroll\"", "\"Nam\": \"unroll\""), "TuningParameters[1].Name: is missing"},
        {with(baco, "\"ordinal\"", "\"ordinary\""), "input_parameters.z.parameter_type: 'ordinary' is unknown"},
        {with(baco, "(z % 4 == 0) | (z == 2)", "z % 4 == 0 | z == 2"), "input_parameters.z.constraints[0]: has '|'"},
        {with(baco, "\"preferred_discretization\": [0, 0.5, 1], ", ""), "want its preferred_discretization"},
        {with(baco, "\"values\": [3]", "\"values\": [30]"), "is a permutation of 30 entries"},
        {with(baco, "[1, 5]", "[5, 1]"), "bounds of no or too many integers"},
        {with(baco, "[1, 5]", "[-9223372036854775808, 9223372036854775807]"), "bounds of no or too many integers"},
        {with(baco, "[1, 5]", "[1]"), "input_parameters.n.values[1]: is missing"},
        {with(baco, "[\"time\"]", "[\"time\", \"area\"]"), "are 2 objectives, want one"},
    };
    const std::string much(1'000'000, 'x');
    const std::vector<std::pair<std::string, std::string>> long_ones{
        {R"({"parameters": [{"name": ")" + much + R"(", "values": [1]}]})",
         "is a name of 1000000 bytes, want at most 80"},
        {R"({"parameters": [{"name": "a", "values": [")" + much + "\", \"" + much + R"("]}]})", "is there twice"},
        {R"({"parameters": [{"name": "a", "values": [1]}], ")" + much + R"(": 1})", "is unknown"},
        {with(own, "\"tile\": 16", '"' + much + "\": 16"), "is not a parameter"},
        {with(own, "tile < 64", much + " < 64"), "no parameter is called"},
        {with(own, "'-O3'", '\'' + much + '\''), "no parameter has the value"},
        {with(t1, "[16, 32 , 64]", much), "is not a list of literals"},
        {with(baco, "\"ordinal\"", '"' + much + '"'), "is unknown"},
        {with(baco, "\"z\": {", '"' + much + "\": {"), "is a name of 1000000 bytes"},
    };
    for (const auto& [text, words] : long_ones) {
        const std::string said = refused(text);
        CHECK(said.size() < 1000);
        CHECK_MESSAGE(said.find(words) != std::string::npos, said.substr(0, 1000));
    }
    for (const auto& mistake : mistakes) {
        const auto& text = mistake.first;
        const auto& words = mistake.second;
        CAPTURE(text);
        const std::string said = refused(text);
        CHECK_MESSAGE(said.find(words) != std::string::npos, said);
    }
    try {
        static_cast<void>(parse_space_file("{\"parameters\":\n [", "s.json"));
    } catch (const tk::error& e) {
        CHECK(std::string(e.what()).starts_with("tunekit: s.json:2: "));
    }
}
