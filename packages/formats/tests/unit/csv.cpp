// SPDX-License-Identifier: MIT
#include "tunekit/formats/csv.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tk = tunekit;
using tk::io::detail::csv_record;

namespace {

std::vector<tk::measure::trial> trials()
{
    std::vector<tk::measure::trial> out(3);
    out[0].candidate = 5;
    out[0].measured.cost = 0.1 + 0.2;  // 0.30000000000000004: all digits must survive
    out[0].measured.spread = 1e-300;
    out[0].measured.runs = 3;
    out[0].measured.run_seconds = 1.0 / 3;
    out[0].measured.batches = {0.3, 1.0 / 7, 5e-324};
    out[1].candidate = 0;
    out[1].measured.cost = 2;
    out[1].measured.at_least = true;
    out[2].candidate = 1;
    out[2].measured.failed =
        tk::measure::failure{tk::measure::failure_kind::crash, 11, "signal 11, \"at\" \n the store"};
    out[2].measured.build_seconds = 4;
    return out;
}

}  // namespace

TEST_CASE("csv_records reads fields, quotes, line ends and line numbers")
{
    CHECK(tk::io::detail::csv_records("").empty());
    CHECK(tk::io::detail::csv_records("a,b\nc\n") == std::vector<csv_record>{{1, {"a", "b"}}, {2, {"c"}}});
    CHECK(tk::io::detail::csv_records("a,\r\n\n,b") == std::vector<csv_record>{{1, {"a", ""}}, {3, {"", "b"}}});
    CHECK(tk::io::detail::csv_records("\"a,\"\"b\"\"\nc\",d\ne") ==
          std::vector<csv_record>{{1, {"a,\"b\"\nc", "d"}}, {3, {"e"}}});
    CHECK(tk::io::detail::csv_records("\"open") == std::vector<csv_record>{{1, {"open"}}});
}

TEST_CASE("csv_field quotes what must be quoted")
{
    for (const std::string text : {"", "plain", "a,b", "\"", "two\nlines", "\r"}) {
        const auto back = tk::io::detail::csv_records("x," + tk::io::detail::csv_field(text) + "\n");
        REQUIRE(back.size() == 1);
        CHECK(back[0].fields == std::vector<std::string>{"x", text});
    }
}

TEST_CASE("trials written as CSV read back equal")
{
    const support::grid_space space({3, 2});
    const support::temporary_folder folder;
    tk::io::write_csv(folder / "trials.csv", trials(), space);
    auto got = tk::io::read_csv(folder / "trials.csv", space);
    CHECK(got.problems.empty());
    auto want = trials();
    REQUIRE(got.trials.size() == 3);
    got.trials[2].measured.cost = want[2].measured.cost = 0;  // of a failure it means nothing, and NaN equals nothing
    CHECK(got.trials == want);
}

TEST_CASE("numbers beside the cost have a column each, by their names")
{
    const support::grid_space space({3, 2});
    const std::vector<std::string> names{"bytes", "a, b"};
    auto all = trials();
    all[0].measured.values = {4096, 0.125};
    all[1].measured.values = {1, std::numeric_limits<double>::quiet_NaN()};
    const std::string text = tk::io::trials_to_csv(all, space, names);
    CHECK(text.substr(0, text.find('\n')).ends_with(",batches_s,bytes,\"a, b\""));
    auto got = tk::io::parse_csv(text, "t.csv", space);
    CHECK(got.problems.empty());
    CHECK(got.value_names == names);
    REQUIRE(got.trials.size() == 3);
    CHECK(got.trials[0] == all[0]);
    CHECK(got.trials[1].measured.values[0] == 1);
    CHECK(std::isnan(got.trials[1].measured.values[1]));
    CHECK(got.trials[2].measured.values.size() == 0);
    CHECK(tk::io::trials_to_csv(got.trials, space, got.value_names) == text);
    const std::string head = text.substr(0, text.find('\n') + 1);
    const auto wrong =
        tk::io::parse_csv(head + "1,0,0,0,1.5,0,1,0,0,0,,,,,many,2\n2,1,1,0,1,0,1,0,0,0,,,,\n", "t.csv", space);
    CHECK(wrong.trials.empty());
    REQUIRE(wrong.problems.size() == 2);
    CHECK(wrong.problems[0].text() == "t.csv:2: bytes: 'many' is not a number, want one, or nothing");
    CHECK(wrong.problems[1].text() == "t.csv:3: has 14 fields, want 16");
    std::string many = text.substr(0, text.find('\n'));
    for (int k = 0; k < 7; ++k) many += ",v" + std::to_string(k);
    CHECK_THROWS_AS((void)tk::io::parse_csv(many + '\n', "t.csv", space), tk::error);
}

TEST_CASE("malformed lines are listed with line and column, and every other line is read")
{
    const support::grid_space space({3, 2});
    const std::string good = tk::io::trials_to_csv(trials(), space);
    const std::string header = good.substr(0, good.find('\n') + 1);
    const auto got = tk::io::parse_csv(header +
                                           "1,0,0,0,1.5,0,1,0,0,0,,,,\n"      // good
                                           "2,1,0,0,1,0,1,0,0,0,,,,\n"        // x0 of index 1 is 1
                                           "3,9,0,0,1,0,1,0,0,0,,,,\n"        // no index
                                           "4,1,1\n"                          // too short
                                           "5,1,1,0,fast,0,1,0,0,0,,,,\n"     // no cost
                                           "6,1,1,0,nan,0,1,0,0,0,,,,\n"      // nor that
                                           "7,1,1,0,,0,0,0,0,0,melted,0,,\n"  // unknown failure
                                           "8,2,2,0,1,0,1,0,0,0,,,,1 two\n"   // batches
                                           "9,2,2,0,2.5,0,1,0,0,0,,,,2 3\n",  // good
                                       "t.csv", space);
    REQUIRE(got.trials.size() == 2);
    CHECK(got.trials[0].measured.cost == 1.5);
    CHECK(got.trials[1].measured.batches == std::vector<double>{2, 3});
    std::vector<std::string> told;
    for (const auto& p : got.problems) told.push_back(p.text());
    CHECK(told == std::vector<std::string>{
                      "t.csv:3: x0: '0' is not what index 1 has, want 1",
                      "t.csv:4: index: '9' is not an index of this space, want one below 6",
                      "t.csv:5: has 3 fields, want 14",
                      "t.csv:6: cost_s: 'fast' is not a time, want seconds above 0 where it did not fail",
                      "t.csv:7: cost_s: 'nan' is not a time, want seconds above 0 where it did not fail",
                      "t.csv:8: failure: 'melted' is not a kind of failure, want one of docs/formats.md",
                      "t.csv:9: batches_s: '1 two' are not times, want seconds with a blank between them",
                  });
}

TEST_CASE("a header of another space is refused")
{
    const std::string text = tk::io::trials_to_csv(trials(), support::grid_space({3, 2}));
    const support::grid_space other({3, 2, 2});
    CHECK_THROWS_AS((void)tk::io::parse_csv(text, "t.csv", other), tk::error);
    try {
        (void)tk::io::parse_csv("", "t.csv", other);
        FAIL("an empty file was read");
    } catch (const tk::error& e) {
        CHECK(std::string(e.what()).find('\n') == std::string::npos);
    }
}

TEST_CASE("costs and batches that are not times, and a trial that stands twice, are problems")
{
    const support::grid_space space({3, 2});
    const std::string head = tk::io::trials_to_csv({}, space);
    const std::string good = "1,0,0,0,0.5,0,1,0,0,0,,,,0.5 0.5\n";
    CHECK(tk::io::parse_csv("\xef\xbb\xbf" + head + good, "t", space).trials.size() == 1);
    for (const std::string bad :
         {"2,0,0,0,0,0,1,0,0,0,,,,\n", "2,0,0,0,1e-400,0,1,0,0,0,,,,\n", "2,0,0,0,0.5,0,1,0,0,0,,,,nan\n",
          "2,0,0,0,0.5,0,1,0,0,0,,,,-inf\n", "2,0,0,0,1e101,0,1,0,0,0,,,,\n", "2,0,0,0,0.5,1e308,1,0,0,0,,,,\n",
          "2,0,0,0,0.5,0,1,0,1e101,0,,,,\n", "2,0,0,0,0.5,0,1,0,0,1e101,,,,\n", "2,0,0,0,0.5,0,1,0,0,0,,,,1e101\n",
          "1,0,0,0,0.5,0,1,0,0,0,,,,\n", "0,0,0,0,0.5,0,1,0,0,0,,,,\n"}) {
        CAPTURE(bad);
        const auto read = tk::io::parse_csv(head + good + bad, "t", space);
        CHECK(read.trials.size() == 1);
        CHECK(read.problems.size() == 1);
    }
}
