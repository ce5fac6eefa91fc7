// SPDX-License-Identifier: MIT
#include "tunekit/formats/t4.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
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
    auto with_unit = json::parse(good);
    with_unit["metadata"]["timeunit"] = "milliseconds";
    CHECK(json(tk::io::detail::to_json(file)) == with_unit);
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

namespace {

/// A result of KTT's kind: a run of 96.256 and one of 97 of a unit, a build of 1500.
tk::io::t4_file of_unit(const std::string& objective, const std::string& file = "")
{
    return tk::io::detail::parse_t4(
        (file.empty() ? "{" : R"({"metadata":{"autotuner":"KTT","timeunit":")" + file + "\"},") +
            R"("results":[{"configuration":{"x":32},"objectives":["TotalDuration"],"invalidity":"correct","correctness":1,
                "times":{"compilation_time":1500,"runtimes":[96.256,97.0]},
                "measurements":[{"name":"TotalDuration","value":96.256,"unit":")" +
            objective + R"("},{"name":"l2_hits","value":3,"unit":"Sectors"}]}]})",
        "k.json");
}

}  // namespace

TEST_CASE("times are in the unit that the file, or else the objective, says, in every spelling")
{
    const std::pair<double, std::vector<std::string>> spellings[] = {
        {1, {"s", "S", "sec", "Secs", "second", "Seconds", "SECONDS"}},
        {1e-3, {"ms", "MS", "msec", "millisecond", "Milliseconds", "MILLISECONDS", "miliseconds"}},
        {1e-6, {"us", "\xC2\xB5s", "\xCE\xBCs", "usec", "microsecond", "Microseconds", "microseconds"}},
        {1e-9, {"ns", "NS", "nsec", "nanosecond", "Nanoseconds"}}};
    const auto near = [](double x, double wanted) { return x == doctest::Approx(wanted).epsilon(1e-15); };
    const auto is_in = [&](const tk::io::t4_file& file, double unit) {
        REQUIRE(file.problems.empty());
        const auto row = file.results.at(0).recorded();
        CHECK(near(row.result.cost, 96.256 * unit));
        CHECK(near(row.result.batches.at(1), 97 * unit));
        CHECK(row.result.spread == doctest::Approx(0.372 * unit));  // half of the distance of two
        CHECK(near(row.result.build_seconds, 1500 * unit));
        CHECK(near(row.seconds, 1500 * unit));
    };
    for (const auto& [unit, words] : spellings)
        for (const std::string& word : words) {
            CAPTURE(word);
            is_in(of_unit(word), unit);
            is_in(of_unit(word, word), unit);
        }
    // The unit of the file is that of its times; a quantity without one is none of them, and the runtimes count.
    const auto row = of_unit("", "microseconds").results.at(0).recorded();
    CHECK(near(row.result.cost, 96.628e-6));
    CHECK(near(of_unit("ms", "microseconds").results.at(0).recorded().result.cost, 0.096256));
    CHECK(near(of_unit("ms", "microseconds").results.at(0).recorded().result.batches.at(0), 96.256e-6));
    CHECK(near(of_unit("").results.at(0).recorded().result.cost, 96.628e-3));  // Kernel Tuner's files say nothing
}

TEST_CASE("a unit that is not known is a problem, and nothing of it is used")
{
    CHECK_THROWS_WITH_AS((void)of_unit("us", "fortnights"),
                         "tunekit: k.json: metadata.timeunit: 'fortnights' is not a unit of time, want s, ms, us or "
                         "ns, or their words",
                         tk::error);
    for (const char* word : {"Ticks", "m", "u", "seconds ", "msecond s"}) {
        CAPTURE(word);
        const auto file = of_unit(word);
        CHECK(file.results.empty());
        REQUIRE(file.problems.size() == 1);
        CHECK(file.problems[0].text() == "k.json: results[0].measurements[0].unit: '" + std::string(word) +
                                             "' is not a unit of time, want s, ms, us or ns, or their words");
    }
    const auto score = of_unit("GFLOP/s", "ms");  // the times have a unit, the objective is none of them
    CHECK(score.problems.empty());
    CHECK(score.results.at(0).recorded().result.failed.value().message ==
          "was recorded as correct, but its objective 'TotalDuration' is in 'GFLOP/s', which is no unit of time");
    auto none = of_unit("").results.at(0);
    none.runtimes.clear();
    CHECK(none.recorded().result.failed.value().message ==
          "was recorded as correct, but it has neither runtimes nor an objective in a unit of time");
}

TEST_CASE("what a measurement gave is read back: a time, a bound, and a failure of each kind")
{
    using tk::measure::measurement;
    const support::temporary_folder folder;
    std::vector<measurement> all(2);
    all[0] = {.cost = 0.1 + 0.2,
              .runs = 2,
              .build_seconds = 1.0 / 3,
              .run_seconds = 0.7,
              .batches = {0.3, 0.30000000000000004}};
    all[1] = {.cost = 0.123, .at_least = true, .run_seconds = 0.7, .batches = {0.123, 0.2, 0.3}};
    for (std::uint8_t k = 0; const auto kind = tk::measure::failure_kind_of(k); ++k)
        all.push_back({.build_seconds = 0.5, .failed = tk::measure::failure{*kind, 0, "because \xff"}});
    REQUIRE(all.size() == 14);
    tk::io::t4_file file;
    for (const measurement& m : all) file.results.emplace_back().take(m, "time", "s");
    tk::io::write_t4(folder / "t4.json", file);
    const auto back = tk::io::read_t4(folder / "t4.json");
    CHECK(back.problems.empty());
    REQUIRE(back.results.size() == all.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
        CAPTURE(k);
        const measurement m = back.results[k].recorded().result;
        CHECK(m.at_least == all[k].at_least);
        CHECK(m.build_seconds == all[k].build_seconds);
        CHECK(m.run_seconds == all[k].run_seconds);
        CHECK(m.failed.has_value() == all[k].failed.has_value());
        if (m.failed) CHECK(m.failed->kind == all[k].failed->kind);
        if (m.failed) CHECK(m.failed->message == "because \xEF\xBF\xBD");  // what is no UTF-8 is no JSON
        if (!m.failed) CHECK(m.cost == all[k].cost);
        if (m.ok()) CHECK(m.batches == all[k].batches);
    }
    CHECK(back.results[1].invalidity == "timeout");  // and no time for who knows nothing of bounds
    CHECK(back.results[1].runtimes.empty());
    CHECK(back.results[1].objectives.empty());

    tk::io::t4_file::result score;
    score.take({.cost = 0.02, .at_least = true}, "score", "GB/s", true);
    CHECK(score.quantities == std::vector<tk::io::t4_file::quantity>{{"at_most", 50.0, "GB/s"}});
    tk::io::t4_file::result in_us;
    in_us.take({.cost = 250, .runs = 1, .batches = {250}}, "cost", "us");
    CHECK(in_us.recorded().result.cost == 250e-6);
    CHECK(in_us.recorded().result.batches == std::vector<double>{250e-6});
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
        CHECK(file.problems[0].what == "is out of range, want a time of 0 or more");
    }
}
