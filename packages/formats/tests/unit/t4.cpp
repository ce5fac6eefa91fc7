// SPDX-License-Identifier: MIT
#include "tunekit/formats/t4.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace tk = tunekit;
using nlohmann::json;
using tk::measure::failure_kind;

namespace {

const std::string good = R"({"results": [
 {"timestamp": "2026-01-02 03:04:05+00:00", "configuration": {"block_size_x": 128, "tile": 2, "layout": "rows"},
  "times": {"compilation": 100.0, "benchmark": 40.0, "framework": 5.0, "search_algorithm": 7.0, "validation": 3.0, "runtimes": [2.0, 4.0]},
  "invalidity": "correct", "correctness": 1, "measurements": [{"name": "time", "value": 2.5, "unit": "ms"}, {"name": "GFLOP/s", "value": 812.5, "unit": ""}], "objectives": ["time"]},
 {"timestamp": "2026-01-02 03:04:06+00:00", "configuration": {"block_size_x": 2048, "tile": 1, "layout": "rows"},
  "times": {"compilation": 90.0, "runtimes": []}, "invalidity": "compile", "correctness": 1, "measurements": [], "objectives": ["time"]}
], "schema_version": "1.0.0"})";

}  // namespace

TEST_CASE("T4 results are read and written as the same JSON value")
{
    const auto file = tk::io::detail::parse_t4(good, "a.json");
    CHECK(file.problems.empty());
    REQUIRE(file.results.size() == 2);
    const auto& r = file.results[0];
    CHECK(r.configuration.begin().key() == "block_size_x");  // in the order of the file
    CHECK(r.configuration.at("layout") == "rows");
    CHECK(r.runtimes == std::vector<double>{2, 4});
    CHECK(r.times.at("validation") == 3.0);
    CHECK(r.quantities.size() == 2);
    CHECK(json(tk::io::detail::to_json(file)) == json::parse(good));
    const support::temporary_folder folder;
    tk::io::write_t4(folder / "b.json", file);
    const auto again = tk::io::read_t4(folder / "b.json");
    CHECK(again.results == file.results);
    CHECK(again.schema_version == "1.0.0");
}

TEST_CASE("a result becomes a row of a replay table")
{
    const auto file = tk::io::detail::parse_t4(good, "a.json");
    const auto row = file.results[0].recorded();
    CHECK(row.result.ok());
    CHECK(row.result.cost == 2.5e-3);  // the objective, not the mean of the runtimes
    CHECK(row.result.batches == std::vector<double>{2e-3, 4e-3});
    CHECK(row.result.spread == doctest::Approx(1e-3));
    CHECK(row.result.build_seconds == 0.1);
    CHECK(row.result.run_seconds == doctest::Approx(0.043));
    CHECK(row.seconds == doctest::Approx(0.148));  // the search's 7 ms are not the evaluation's
    const auto failed = file.results[1].recorded();
    CHECK(failed.result.failed.value().kind == failure_kind::build_error);
    CHECK(failed.seconds == 0.09);

    auto r = file.results[0];
    r.quantities.clear();
    CHECK(r.recorded().result.cost == 3e-3);
    r.runtimes.clear();
    CHECK(r.recorded().result.failed.value().kind == failure_kind::bad_cost);
    for (const auto& [word, kind] :
         {std::pair{"timeout", failure_kind::run_timeout}, std::pair{"runtime", failure_kind::launch_error},
          std::pair{"correctness", failure_kind::wrong_result}, std::pair{"constraints", failure_kind::invalid}}) {
        r.invalidity = word;
        CHECK(r.recorded().result.failed.value().kind == kind);
    }
}

TEST_CASE("malformed results name their field and lose no other result")
{
    json j = json::parse(good);
    const json first = j["results"][0];
    j["results"] = json::array();
    const auto add = [&](const char* pointer, const json& value) {
        json r = first;
        r[json::json_pointer(pointer)] = value;
        j["results"].push_back(r);
    };
    add("/invalidity", "maybe");
    add("/times/runtimes/1", "long");
    j["results"].push_back(first);
    add("/configuration", 3);
    add("/measurements/0/name", 1);
    const auto file = tk::io::detail::parse_t4(j.dump(), "bad.json");
    CHECK(file.results.size() == 1);
    std::vector<std::string> told;
    for (const auto& p : file.problems) told.push_back(p.text());
    CHECK(told == std::vector<std::string>{
                      "bad.json: results[0].invalidity: is unknown, want correct, timeout, compile, runtime, "
                      "correctness or constraints",
                      "bad.json: results[1].times.runtimes[1]: is not a number, want one",
                      "bad.json: results[3].configuration: is not an object, want one of values by name",
                      "bad.json: results[4].measurements[0].name: is not a text, want a string",
                  });
    CHECK_THROWS_WITH_AS((void)tk::io::detail::parse_t4("{", "x.json"), "tunekit: x.json: is not JSON, want an object",
                         tk::error);
    CHECK_THROWS_WITH_AS((void)tk::io::detail::parse_t4("{}", "x.json"),
                         "tunekit: x.json: results: is missing, want it", tk::error);
}

TEST_CASE("nesting, names that stand twice and times that are none are refused, not believed")
{
    const auto deep = [](std::size_t n) {
        return "{\"results\":[],\"x\":" + std::string(n, '[') + std::string(n, ']') + '}';
    };
    CHECK(tk::io::detail::parse_t4(deep(60), "x.json").results.empty());
    for (const std::size_t n : {std::size_t{64}, std::size_t{50'000}, std::size_t{300'000}})
        CHECK_THROWS_WITH_AS((void)tk::io::detail::parse_t4(deep(n), "x.json"),
                             "tunekit: x.json: is nested deeper than 64, want less", tk::error);
    CHECK_THROWS_WITH_AS((void)tk::io::detail::parse_t4(R"({"results":[],"results":[]})", "x.json"),
                         "tunekit: x.json: results: stands twice, want it once", tk::error);
    const auto with_members = [](int n) {
        std::string text = R"({"results":[{"configuration":{)";
        for (int k = 0; k < n; ++k) text += (k == 0 ? "\"p" : ",\"p") + std::to_string(k) + "\":1";
        return tk::io::detail::parse_t4(
            text + R"(},"times":{"runtimes":[1]},"invalidity":"correct","correctness":1}]})", "x.json");
    };
    CHECK(with_members(4096).results.at(0).configuration.size() == 4096);
    CHECK(with_members(400'000).problems.at(0).text() ==  // refused in no time
          "x.json: configuration: has an object of more than 4096 members, want less");
    const auto one = [](const std::string& times) {
        return tk::io::detail::parse_t4(R"({"results":[{"configuration":{"a":1},"times":)" + times +
                                            R"(,"invalidity":"correct","correctness":1}]})",
                                        "x.json");
    };
    CHECK(one(R"({"runtimes":[1,5],"compilation":2})").results.size() == 1);
    for (const char* times : {R"({"runtimes":[-1,5]})", R"({"runtimes":[1e308,1e308]})",
                              R"({"runtimes":[1],"compilation":-5000})", R"({"runtimes":[1],"framework":1e300})"}) {
        CAPTURE(times);
        const auto file = one(times);
        CHECK(file.results.empty());
        REQUIRE(file.problems.size() == 1);
        CHECK(file.problems[0].what == "is out of range, want milliseconds of 0 or more");
    }
}
