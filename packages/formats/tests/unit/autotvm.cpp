// SPDX-License-Identifier: MIT
#include "tunekit/formats/autotvm.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace tk = tunekit;
using nlohmann::json;
using tk::measure::failure_kind;

namespace {

const std::string good_02 =
    R"({"input": ["llvm -mcpu=core-avx2", "conv2d_NCHWc.x86", [["TENSOR", [1, 3, 224, 224], "float32"], ["TENSOR", [64, 3, 7, 7], "float32"], [2, 2], [3, 3, 3, 3], [1, 1], "NCHW", "NCHW", "float32"], {}], "config": {"index": 83, "code_hash": null, "entity": [["tile_ic", "sp", [-1, 3]], ["tile_oc", "sp", [-1, 32]], ["tile_ow", "sp", [-1, 14]], ["unroll_kw", "ot", true]]}, "result": [[0.0012, 0.0011, 0.0016, 0.0013], 0, 1.9271864891052246, 1600000000.25], "version": 0.2, "tvm_version": "0.7.0"})";
const std::string failed_02 =
    R"({"input": ["cuda", "dense", [], {}], "config": {"index": 4, "code_hash": "ab12", "entity": [["order", "re", [0, 2, 1]], ["ann", "an", ["none", "unroll"]]]}, "result": [[1000000000.0], 7, 10.5, 1600000001.0], "version": 0.2, "tvm_version": "0.7.0"})";
const std::string good_01 =
    R"({"i": ["cuda", "topi_nn_conv2d", [["TENSOR", [1, 64, 56, 56], "float32"]], {}, ["conv2d", [1, 64, 56, 56, "float32"]], {"i": 734204, "t": "direct", "c": null, "e": [["tile_f", "sp", [28, 2, 8, 1]], ["auto_unroll_max_step", "ot", 0]]}], "r": [[2.5e-05], 0, 3.5, 1540000000.5], "v": 0.1})";

}  // namespace

TEST_CASE("a record of version 0.2 is read and written as the same JSON value")
{
    const auto log = tk::io::parse_autotvm("# a comment\n\n" + good_02 + "\n" + failed_02 + "\n", "a.log");
    CHECK(log.problems.empty());
    REQUIRE(log.records.size() == 2);
    const auto& r = log.records[0];
    CHECK(r.target == "llvm -mcpu=core-avx2");
    CHECK(r.task == "conv2d_NCHWc.x86");
    CHECK(r.config == 83);
    CHECK(r.knobs.size() == 4);
    CHECK(r.knobs[2] == tk::io::autotvm_record::knob{"tile_ow", "sp", json::array({-1, 14})});
    CHECK(r.costs == std::vector<double>{0.0012, 0.0011, 0.0016, 0.0013});
    CHECK(r.timestamp == 1600000000.25);
    CHECK(tk::io::to_json(log.records[0]) == json::parse(good_02));
    CHECK(tk::io::to_json(log.records[1]) == json::parse(failed_02));
}

TEST_CASE("a record of version 0.1 is read and becomes one of 0.2")
{
    const auto log = tk::io::parse_autotvm(good_01, "a.log");
    CHECK(log.problems.empty());
    REQUIRE(log.records.size() == 1);
    CHECK(log.records[0].config == 734204);
    CHECK(log.records[0].knobs[0] == tk::io::autotvm_record::knob{"tile_f", "sp", json::array({28, 2, 8, 1})});
    const auto written = tk::io::to_json(log.records[0]);
    CHECK(written["version"] == 0.2);
    CHECK(written["config"]["index"] == 734204);
    CHECK(written["input"] ==
          json::parse(R"(["cuda", "topi_nn_conv2d", [["TENSOR", [1, 64, 56, 56], "float32"]], {}])"));
    CHECK(tk::io::parse_autotvm(written.dump(), "again").records == log.records);
}

TEST_CASE("a log written to a file reads back equal")
{
    const support::temporary_folder folder;
    const auto log = tk::io::parse_autotvm(good_02 + "\n" + failed_02 + "\n" + good_01, "a.log");
    tk::io::write_autotvm(folder / "b.log", log.records);
    const auto again = tk::io::read_autotvm(folder / "b.log");
    CHECK(again.problems.empty());
    CHECK(again.records == log.records);
    CHECK_THROWS_AS((void)tk::io::read_autotvm(folder / "none.log"), tk::error);
}

TEST_CASE("the cost is the mean without the extremes, failures keep their kind")
{
    const auto log = tk::io::parse_autotvm(good_02 + "\n" + failed_02 + "\n" + good_01, "a.log");
    const auto m = tk::io::measurement_of(log.records[0]);
    CHECK(m.ok());
    CHECK(m.cost == doctest::Approx((0.0012 + 0.0013) / 2));
    CHECK(m.spread == doctest::Approx(0.00005));  // half the distance of the two
    CHECK(m.runs == 4);
    CHECK(m.run_seconds == 1.9271864891052246);
    CHECK(tk::io::measurement_of(log.records[1]).failed.value().kind == failure_kind::run_timeout);
    CHECK(tk::io::measurement_of(log.records[2]).cost == 2.5e-5);
    CHECK(tk::io::autotvm_error(m) == 0);
    for (const int code : {1, 3, 4, 5, 6, 7}) {
        auto r = log.records[1];
        r.error = code;
        CHECK(tk::io::autotvm_error(tk::io::measurement_of(r)) == code);
    }
}

TEST_CASE("the best record of each workload is the one of the smallest mean without error")
{
    auto log = tk::io::parse_autotvm(good_02 + "\n" + failed_02 + "\n" + good_01 + "\n" + good_02, "a.log");
    REQUIRE(log.records.size() == 4);
    log.records[3].costs = {0.001};
    log.records[3].config = 7;
    const auto best = tk::io::best_of(log.records);
    REQUIRE(best.size() == 2);
    CHECK(best[0].config == 7);
    CHECK(best[1].config == 734204);
}

TEST_CASE("malformed lines name line and field and lose no other line")
{
    const auto broken = [](const char* pointer, const json& value) {
        json j = json::parse(good_02);
        j[json::json_pointer(pointer)] = value;
        return j.dump() + '\n';
    };
    json without = json::parse(good_02);
    without["config"].erase("index");
    const auto log = tk::io::parse_autotvm(
        "{not json\n" + broken("/config/entity/1", json::array({"x", "sp"})) + broken("/result/0/1", "fast") +
            broken("/result/1", 9) + without.dump() + "\n" + broken("/version", 0.3) + good_02 + "\n[]\n" +
            broken("/result/0", json::array()) + broken("/config/index", -1) + broken("/result/0/0", 0.0),
        "bad.log");
    CHECK(log.records.size() == 1);
    std::vector<std::string> told;
    for (const auto& p : log.problems) told.push_back(p.text());
    CHECK(told == std::vector<std::string>{
                      "bad.log:1: is not JSON, want an object",
                      "bad.log:2: config.entity[1][2]: is missing, want it",
                      "bad.log:3: result[0][1]: is not a number, want one",
                      "bad.log:4: result[1]: is not an error code, want 0 to 8",
                      "bad.log:5: config.index: is missing, want it",
                      "bad.log:6: version: is unknown, want 0.1 or 0.2",
                      "bad.log:8: is not an object, want one with \"input\"",
                      "bad.log:9: result[0]: is empty, want the seconds of each repeat",
                      "bad.log:10: config.index: is not an index, want an integer of 0 or more",
                      "bad.log:11: result[0][0]: is not a time, want seconds above 0",
                  });
}

TEST_CASE("nesting, names that stand twice and times that are none are problems, not records")
{
    const auto line = [](const std::string& args, const std::string& result) {
        return R"({"input":["a","b",)" + args + R"(,{}],"config":{"index":1,"code_hash":null,"entity":[]},"result":)" +
               result + R"(,"version":0.2,"tvm_version":"x"})";
    };
    const std::string good = line("[]", "[[0.5],0,1,1]");
    CHECK(tk::io::parse_autotvm("\xef\xbb\xbf" + good, "x").records.size() == 1);
    std::string twice = good;
    twice.insert(twice.find("\"version\""), "\"result\":[[0.25],0,1,1],");
    for (const std::string& bad :
         {line(std::string(100'000, '[') + std::string(100'000, ']'), "[[1],0,1,1]"), twice,
          line("[]", "[[1e308,1e308,1e308,1e308],0,1,1]"), line("[]", "[[0.5],0,-5,1]"), line("[]", "[[-1],0,1,1]"),
          line("[]", "[[0.5],0,1,-1]"), line("[]", "[[0.5],99999999999,1,1]"), line("[]", "[[0.5],0,1e300,1]")}) {
        CAPTURE(bad.substr(0, 200));
        const auto log = tk::io::parse_autotvm(good + '\n' + bad + '\n' + good, "x");
        CHECK(log.records.size() == 2);
        REQUIRE(log.problems.size() == 1);
        CHECK(log.problems[0].line == 2);
    }
}
