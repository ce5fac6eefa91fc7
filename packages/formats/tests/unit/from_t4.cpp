// SPDX-License-Identifier: MIT
#include "tunekit/formats/from_t4.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tunekit/formats/recorded_space.hpp"
#include "tunekit/formats/replay_table.hpp"

namespace tk = tunekit;
using tk::io::detail::parse_t4;
using tk::measure::failure_kind;

namespace {

const std::string header = R"({
"schema_version": "1.1.0",
"device_name": "Testing",
"kernel_name": "vector_add",
"problem_size": [4096],
"tune_params_keys": ["block_size_x", "tile"],
"tune_params": {"block_size_x": [16, 32], "tile": [2, 1]},
"objective": "time",
"cache": {
)";

std::string row(const std::string& key, const std::string& time, const std::string& more = "")
{
    const auto comma = key.find(',');
    return "\"" + key + "\": {\"block_size_x\": " + key.substr(0, comma) + ", \"tile\": " + key.substr(comma + 1) +
           ", \"time\": " + time + more +
           ", \"compile_time\": 900.0, \"verification_time\": 3, \"benchmark_time\": 120.0, \"GFLOP/s\": NaN, "
           "\"strategy_time\": 7, \"framework_time\": 2.0, \"timestamp\": \"2026-01-02 03:04:05+00:00\"}";
}

const std::string rows = row("16,1", "4.0", ", \"times\": [3.5, 4.5]") + ",\n" +
                         row("16,2", "\"CompilationFailedConfig\"") + ",\n" + row("32,1", "\"RuntimeFailedConfig\"") +
                         ",\n" + row("32,2", "3.0", ", \"times\": [3.0]");

const std::string cache = header + rows + "}\n}";

}  // namespace

TEST_CASE("a cache of Kernel Tuner is read as its T4 results, closed or not")
{
    for (const std::string& text : {cache, header + rows, header + rows + ",\n"}) {
        const auto file = parse_t4(text, "cache.json");
        CHECK(file.problems.empty());
        REQUIRE(file.results.size() == 4);
        const auto first = file.results[0].recorded();
        CHECK(file.results[0].configuration.begin().key() == "block_size_x");
        CHECK(first.result.cost == 4e-3);
        CHECK(first.result.batches == std::vector<double>{3.5e-3, 4.5e-3});
        CHECK(first.result.build_seconds == 0.9);
        CHECK(first.result.run_seconds == 0.123);
        CHECK(first.seconds == doctest::Approx(1.025));  // without the strategy's
        CHECK(file.results[1].recorded().result.failed.value().kind == failure_kind::build_error);
        CHECK(file.results[2].recorded().result.failed.value().kind == failure_kind::launch_error);
        CHECK(file.results[3].recorded().result.cost == 3e-3);
    }
    const auto old = parse_t4(header + row("16,1", "1e20") + "}}", "old.json");  // a failure of versions before 0.4
    CHECK(old.results.at(0).recorded().result.failed.value().kind == failure_kind::launch_error);
    const auto odd = parse_t4(header + row("16,1", "\"LostConfig\"") + ',' + row("32,1", "2") + "}}", "odd.json");
    CHECK(odd.results.size() == 1);
    CHECK(odd.problems.at(0).text().starts_with("odd.json: results[0].invalidity: is unknown, want correct"));
    const auto other = parse_t4(header + "\"k\": {\"bx\": 16, \"time\": 2}}}", "other.json");  // of other parameters
    CHECK(other.results.at(0).configuration.empty());
    CHECK_THROWS_WITH_AS((void)parse_t4(header + rows.substr(0, rows.size() - 9), "torn.json"),
                         "tunekit: torn.json: is not JSON, want an object", tk::error);
}

TEST_CASE("a NaN or an infinity costs one result, and not the file")
{
    const auto of = [](const std::string& time) {
        return R"({"configuration": {"a \" NaN": "Infinity"}, "invalidity": "correct", "correctness": 1,
                  "times": {"runtimes": [)" +
               time + "]}}";
    };
    const auto file = parse_t4(
        "{\"results\": [" + of("1") + ',' + of("NaN") + ',' + of("-Infinity") + ',' + of("2") + "]}", "t4.json");
    REQUIRE(file.results.size() == 2);
    CHECK(file.results[1].configuration.at("a \" NaN") == "Infinity");
    REQUIRE(file.problems.size() == 2);
    CHECK(file.problems[0].text() == "t4.json: results[1].times.runtimes[0]: is not a number, want one");
}

TEST_CASE("results are a recorded space of the values that occur, and a sample of it")
{
    const support::temporary_folder folder;
    auto text = header + rows + "," + row("32,2.5", "1") + "}}";
    const auto recorded = tk::io::recorded_space_of(parse_t4(text, "c.json"), "c.json");
    CHECK(recorded.sample);
    CHECK(recorded.parameters ==
          std::vector<tk::io::recorded_space::parameter>{{"block_size_x", {16, 32}}, {"tile", {1, 2}}});
    REQUIRE(recorded.rows.size() == 4);
    REQUIRE(recorded.problems.size() == 1);
    CHECK(recorded.problems[0].text().find("].configuration: is not an integer for each parameter") !=
          std::string::npos);
    CHECK(recorded.rows[3].ordinals == std::vector<std::uint16_t>{1, 1});
    CHECK(recorded.rows[0].framework_seconds == doctest::Approx(2e-3));
    const auto space = tk::io::listed_space_of(recorded);
    const auto table = tk::io::table_of(recorded);
    CHECK(space.texts(0) == std::vector<std::string>{"16", "1"});
    CHECK(table.rows[3].result.cost == 3e-3);
    tk::io::write_recorded_space(folder / "c", recorded);
    CHECK(tk::io::read_recorded_space(folder / "c").rows.size() == 4);
    const auto twice = parse_t4(R"({"results": [{"configuration": {"a": 1}, "invalidity": "correct", "correctness": 1,
        "times": {"runtimes": [1]}}, {"configuration": {"a": 1}, "invalidity": "correct", "correctness": 1,
        "times": {"runtimes": [2]}}]})",
                                "d.json");
    const auto once = tk::io::recorded_space_of(twice, "d.json");
    CHECK(once.rows.at(0).record.result.cost == 1e-3);
    CHECK(once.problems.at(0).text() ==
          "d.json: results[1].configuration: repeats an earlier configuration, want each once");
}

TEST_CASE("results are experience of one source")
{
    const auto past = tk::io::experience_of(parse_t4(cache, "c.json"), "c.json");
    CHECK(past.notes.empty());
    REQUIRE(past.sources.size() == 1);
    const auto& s = past.sources[0];
    CHECK(s.name == "c.json");
    CHECK(s.names() == std::vector<std::string>{"block_size_x", "tile"});
    CHECK(s.results.size() == 4);
    CHECK(s.valid() == 2);
    CHECK(s.texts(s.best()) == std::vector<std::string>{"32", "2"});
    CHECK(tk::io::experience_of(parse_t4("{\"results\": []}", "e"), "e").empty());
}
