// SPDX-License-Identifier: MIT
#include "tunekit/formats/recorded_space.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tunekit/formats/replay_table.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/replay.hpp"

namespace tk = tunekit;
using tk::io::recorded_space;
using tk::measure::failure_kind;

namespace {

const std::string params =
    "# tiles: parameters in column order\n"
    "kernel tiles\n"
    "device a machine of two words\n"
    "param a 1 2 4\n"
    "param b 0 1\n"
    "param c 7\n"
    "constraint a > 1 or b == 0\n";

const std::string header = "a,b,c,time_ms,status,cost_ms,compile_ms,verification_ms,benchmark_ms,framework_ms,t0,t1\n";

const std::string table = header +
                          "1,0,7,2.5,valid,10,4,1,3,2,2.25,2.75\n"
                          "2,0,7,,compile_error,5,5,0,0,0,,\n"
                          "2,1,7,,runtime_error,7,4,0,1,2,,\n"
                          "4,0,7,,invalid,1,0,0,0,1,,\n"
                          "4,1,7,0.25,valid,9,4,1,3,1,0.25,0.25\n";

recorded_space read(const support::temporary_folder& folder, const std::string& p, const std::string& t)
{
    tk::io::write_text(folder / "s.params", p);
    tk::io::write_text(folder / "s.csv", t);
    return tk::io::read_recorded_space(folder / "s");
}

/// `f` throws an error whose message ends so.
template <class F>
void fails(F&& f, const std::string& end)
{
    std::string told;
    try {
        f();
    } catch (const tk::error& e) {
        told = e.what();
    }
    CAPTURE(told);
    CHECK(told.ends_with(end));
}

}  // namespace

TEST_CASE("a recorded space is read as it stands: seconds, failures, costs, repeats")
{
    const support::temporary_folder folder;
    const auto got = read(folder, params, table);
    CHECK(got.problems.empty());
    CHECK(got.kernel == "tiles");
    CHECK(got.device == "a machine of two words");
    CHECK(got.parameters ==
          std::vector<tk::io::recorded_space::parameter>{{"a", {1, 2, 4}}, {"b", {0, 1}}, {"c", {7}}});
    CHECK(got.constraints == std::vector<std::string>{"a > 1 or b == 0"});
    REQUIRE(got.rows.size() == 5);
    const auto& first = got.rows[0].record;
    CHECK(got.rows[0].ordinals == std::vector<std::uint16_t>{0, 0, 0});
    CHECK(got.rows[0].line == 2);
    CHECK(first.seconds == 10e-3);
    CHECK(first.result.ok());
    CHECK(first.result.cost == 2.5e-3);
    CHECK(first.result.build_seconds == 4e-3);
    CHECK(first.result.run_seconds == 1e-3 + 3e-3);
    CHECK(first.result.batches == std::vector<double>{2.25e-3, 2.75e-3});
    CHECK(first.result.runs == 2);
    CHECK(first.result.spread == doctest::Approx(0.25e-3));  // sd 0.3536e-3 over sqrt(2)
    CHECK(got.rows[1].record.result.failed.value().kind == failure_kind::build_error);
    CHECK(got.rows[1].record.seconds == 5e-3);
    CHECK(got.rows[2].record.result.failed.value().kind == failure_kind::launch_error);
    CHECK(got.rows[3].record.result.failed.value().kind == failure_kind::invalid);
}

TEST_CASE("a compressed table is read, and is read before a plain one")
{
    const support::temporary_folder folder;
    tk::io::write_text(folder / "s.params", params);
    tk::io::detail::write_gzip(folder / "s.csv.gz", table);
    tk::io::write_text(folder / "s.csv", header);
    CHECK(tk::io::read_recorded_space(folder / "s").rows.size() == 5);
}

TEST_CASE("what is written reads back equal")
{
    const support::temporary_folder folder;
    auto first = read(folder, params, table);
    tk::io::write_recorded_space(folder / "again", first);
    auto second = tk::io::read_recorded_space(folder / "again");
    CHECK(second.problems.empty());
    for (auto* space : {&first, &second})
        for (auto& row : space->rows)
            if (row.record.result.failed) row.record.result.cost = 0;  // a NaN equals nothing
    CHECK(first == second);
}

TEST_CASE("what was cut short stays a bound: it is written as one, and a replay does not draw a time from it")
{
    const support::temporary_folder folder;
    const auto got = read(folder, params, header + "1,0,7,2.5,at_least,10,4,1,3,2,2.5,2.75\n");
    CHECK(got.problems.empty());
    REQUIRE(got.rows.size() == 1);
    const auto& m = got.rows[0].record.result;
    CHECK(m.at_least);
    CHECK(!m.ok());
    CHECK(m.cost == 2.5e-3);
    tk::io::write_recorded_space(folder / "again", got);
    CHECK(tk::io::read_recorded_space(folder / "again").rows == got.rows);
    const auto replayed = tk::io::table_of(got).rows;
    const tk::measure::resampled_rows rows(replayed, tk::measure::fixed{.runs = 3, .batch = 1}, 1);
    CHECK(rows.row(0, {}) == replayed[0]);
}

TEST_CASE("numbers beside the cost are read and written by the names of the .params file")
{
    const support::temporary_folder folder;
    const std::string with = params + "value bytes\nvalue joules\n";
    const std::string head =
        "a,b,c,time_ms,status,cost_ms,compile_ms,verification_ms,benchmark_ms,framework_ms,bytes,joules,t0,t1\n";
    const auto got = read(folder, with,
                          head +
                              "1,0,7,2.5,valid,10,4,1,3,2,4096,0.125,2.25,2.75\n"
                              "2,0,7,,compile_error,5,5,0,0,0,,,,\n"
                              "2,1,7,2,valid,10,4,1,3,2,8192,,2,2\n"
                              "4,1,7,2,valid,10,4,1,3,2,many,1,2,2\n");
    CHECK(got.value_names == std::vector<std::string>{"bytes", "joules"});
    REQUIRE(got.rows.size() == 3);
    CHECK(got.rows[0].record.result.values == tk::measure::measured_values{4096, 0.125});
    CHECK(got.rows[0].record.result.batches == std::vector<double>{2.25e-3, 2.75e-3});
    CHECK(got.rows[1].record.result.values.size() == 0);
    CHECK(got.rows[2].record.result.values[0] == 8192);
    CHECK(std::isnan(got.rows[2].record.result.values[1]));
    REQUIRE(got.problems.size() == 1);
    CHECK(got.problems[0].text().ends_with(":5: bytes: 'many' is not a number, want one, or nothing"));
    tk::io::write_recorded_space(folder / "again", got);
    const auto again = tk::io::read_recorded_space(folder / "again");
    CHECK(again.problems.empty());
    CHECK(again.value_names == got.value_names);
    REQUIRE(again.rows.size() == 3);
    CHECK(again.rows[0] == got.rows[0]);
    CHECK(std::isnan(again.rows[2].record.result.values[1]));
    fails([&] { (void)read(folder, with, table); }, ":1: bytes: the header has no such column, want one");
    fails(
        [&] {
            (void)read(
                folder,
                params + "value a1\nvalue a2\nvalue a3\nvalue a4\nvalue a5\nvalue a6\nvalue a7\nvalue a8\nvalue a9\n",
                table);
        },
        "a9: is value 9, want at most 8 beside the cost");
}

TEST_CASE("the order of the runs is written, and read back; who does not know it reads the same rows")
{
    const support::temporary_folder folder;
    auto first = read(folder, params, table);
    for (const auto& row : first.rows) CHECK(row.record.pass_runs == 0);
    for (auto& row : first.rows) {
        auto& m = row.record.result;
        if (!m.ok()) continue;
        m.batches.assign({0.25e-3, 0.5e-3, 0.75e-3, 1e-3, 2e-3, 0.125e-3, 1e-3, 3e-3});
        m.runs = 8;
        row.record.pass_runs = 4;
        row.record.block_runs = 2;
    }
    tk::io::write_recorded_space(folder / "again", first);
    CHECK(tk::io::read_text(folder / "again.params").find("# passes: 4 runs in blocks of 2\n") != std::string::npos);
    const auto second = tk::io::read_recorded_space(folder / "again");
    CHECK(second.problems.empty());
    REQUIRE(second.rows.size() == first.rows.size());
    for (std::size_t k = 0; k < first.rows.size(); ++k) {
        const auto &was = first.rows[k].record, &is = second.rows[k].record;
        CHECK(is.result.batches == was.result.batches);
        CHECK(is.pass_runs == was.pass_runs);
        CHECK(is.block_runs == was.block_runs);
    }
    first.rows[0].record.pass_runs = 8;
    fails([&] { tk::io::write_recorded_space(folder / "again", first); },
          "again: rows have their runs in different orders, want one for all");
}

TEST_CASE("a row of broken passes is left out, and an order that is none is a problem")
{
    const support::temporary_folder folder;
    const auto got = read(folder, params + "# passes: 2 runs in blocks of 1\n",
                          header +
                              "1,0,7,2.5,valid,10,4,1,3,2,2.25,oops\n"
                              "2,0,7,,compile_error,5,5,0,0,0,,\n"
                              "4,1,7,0.25,valid,9,4,1,3,1,0.25,0.25\n");
    CHECK(got.rows.size() == 2);
    REQUIRE(got.problems.size() == 2);
    CHECK(got.problems[1].text().ends_with("s.csv:2: t0: has 1 runs, want whole passes of 2"));
    CHECK(got.rows[0].record.pass_runs == 0);
    CHECK(got.rows[1].record.pass_runs == 2);
    for (const std::string order :
         {"# passes: 2 runs", "# passes: 3 runs in blocks of 2", "# passes: 0 runs in blocks of 1",
          "# passes: 2 runs in blocks of 0", "# passes: two runs in blocks of 1"}) {
        CAPTURE(order);
        const auto odd = read(folder, params + order + '\n', table);
        CHECK(odd.rows.size() == 5);
        CHECK(odd.rows[0].record.pass_runs == 0);
        REQUIRE(odd.problems.size() == 1);
        CHECK(odd.problems[0].text().ends_with(
            "s.params:8: passes: is not an order of runs, want 'passes: RUNS runs in blocks of RUNS', whole blocks"));
    }
}

TEST_CASE("seconds that came from milliseconds are written as milliseconds that read back equal")
{
    int wrong = 0;
    for (int k = 1; k < 200000; ++k) {
        const double seconds = std::sqrt(static_cast<double>(k)) * 1.7e-2 / 1e3;
        if (tk::io::detail::milliseconds(seconds) / 1e3 != seconds) ++wrong;
    }
    CHECK(wrong == 0);
}

TEST_CASE("malformed rows are listed with line and field, and every other row is read")
{
    const support::temporary_folder folder;
    const auto got = read(folder, params,
                          header +
                              "1,0,7,2.5,valid,10,4,1,3,2,2.25,oops\n"  // only the repeat is lost
                              "3,0,7,2.5,valid,10,4,1,3,2,,\n"
                              "x,0,7,2.5,valid,10,4,1,3,2,,\n"
                              "2,0,7,,valid,10,4,1,3,2,,\n"
                              "2,0,7,-1,valid,10,4,1,3,2,,\n"
                              "2,0,7,inf,valid,10,4,1,3,2,,\n"
                              "2,0,7,1,odd,10,4,1,3,2,,\n"
                              "2,0,7,1,valid,,4,1,3,2,,\n"
                              "2,0\n"
                              "1,0,7,9,valid,10,4,1,3,2,,\n"  // again
                              "4,1,7,0.5,valid,9,4,1,3,1,,\n");
    CHECK(got.rows.size() == 2);
    CHECK(got.rows[0].record.result.batches == std::vector<double>{2.25e-3});
    CHECK(got.rows[0].record.result.cost == 2.5e-3);
    std::vector<std::string> told;
    for (const auto& p : got.problems) told.push_back(p.text().substr(p.file.size() - 5));
    CHECK(told ==
          std::vector<std::string>{
              "s.csv:2: t1: 'oops' is not a time, want milliseconds above 0",
              "s.csv:3: a: '3' is not one of its values, want one of the .params file",
              "s.csv:4: a: 'x' is not one of its values, want one of the .params file",
              "s.csv:5: time_ms: '' is not a time, want milliseconds above 0 if status is valid",
              "s.csv:6: time_ms: '-1' is not a time, want milliseconds above 0 if status is valid",
              "s.csv:7: time_ms: 'inf' is not a time, want milliseconds above 0 if status is valid",
              "s.csv:8: status: 'odd' is unknown, want valid, at_least, compile_error, runtime_error or invalid",
              "s.csv:9: cost_ms: '' is not a time, want milliseconds of 0 or more",
              "s.csv:10: has 2 fields, want 12 as the header",
              "s.csv:11: repeats an earlier configuration, want each once",
          });
}

TEST_CASE("malformed parameters and headers name file, line and field")
{
    const support::temporary_folder folder;
    fails([&] { (void)read(folder, "param a 1 2.5\n", table); },
          "s.params:1: a: '2.5' is not an integer, want integer values");
    fails([&] { (void)read(folder, "kernel k\n", table); },
          "s.params: has no 'param NAME V1 V2 ...' line, want one per column");
    fails([&] { (void)read(folder, params + "param d 1\n", table); },
          "s.csv:1: d: the header has no such column, want one");
    fails([&] { (void)read(folder, params, "a,b,c,time_ms,status\n"); },
          "s.csv:1: cost_ms: the header has no such column, want one");
    fails([&] { (void)read(folder, params, ""); }, "s.csv: is empty, want a header line");
    fails([&] { (void)tk::io::read_recorded_space(folder / "none"); },
          "none.params: cannot be opened for reading: No such file or directory");
    const auto odd = read(folder, params + "parm e 1\nconstraint\n", table);
    REQUIRE(odd.problems.size() == 2);
    CHECK(odd.rows.size() == 5);
    CHECK(odd.problems[0].line == 8);
    CHECK(odd.problems[0].field == "parm");
}

TEST_CASE("a cut gzip file is one error")
{
    const support::temporary_folder folder;
    tk::io::write_text(folder / "s.params", params);
    tk::io::detail::write_gzip(folder / "s.csv.gz", table + std::string(5000, '#'));
    const std::string whole = tk::io::read_text(folder / "s.csv.gz");
    tk::io::write_text(folder / "s.csv.gz", whole.substr(0, whole.size() / 2));
    fails([&] { (void)tk::io::read_recorded_space(folder / "s"); },
          "s.csv.gz: is damaged or ends too early, want a whole gzip or plain file");
}

TEST_CASE("the table is in the order of the space, and tells what is missing and what is outside")
{
    const support::temporary_folder folder;
    auto recorded = read(folder, params, table);
    const auto space = tk::io::space_of(recorded);
    CHECK(space.size() == 5);
    auto whole = tk::io::table_of(recorded, space);
    CHECK(whole.problems.empty());
    for (std::size_t i = 0; i < 5; ++i) {
        const auto config = space.at(i);
        const auto& row = recorded.rows[whole.source[i]];
        for (std::size_t j = 0; j < 3; ++j)
            CHECK(tk::space::value(recorded.parameters[j].values[row.ordinals[j]]) == config[j]);
        CHECK(whole.rows[i].seconds == row.record.seconds);
    }
    recorded.rows.erase(recorded.rows.begin());
    recorded.rows[0].ordinals = {0, 1, 0};  // a == 1 and b == 1
    const auto part = tk::io::table_of(recorded, space);
    REQUIRE(part.problems.size() == 2);
    CHECK(part.problems[0].what == "is not a configuration of the space, want one within the constraints");
    CHECK(part.problems[1].what == "2 configurations of the space without a row, want all recorded");
    CHECK(part.rows[static_cast<std::size_t>(space.index_of({1, 0, 7}).value())].result.failed.value().kind ==
          failure_kind::invalid);
}

TEST_CASE("a sample is the space of its rows")
{
    const support::temporary_folder folder;
    CHECK_FALSE(read(folder, params, table).sample);
    const auto recorded = read(folder, "# sample: 5 of 10^16\n" + params, table);
    CHECK(recorded.sample);
    const auto space = tk::io::listed_space_of(recorded);
    const auto rows = tk::io::table_of(recorded);
    REQUIRE(space.size() == 5);
    REQUIRE(rows.rows.size() == 5);
    CHECK(space.at(2) == std::vector<std::int64_t>{2, 1, 7});
    CHECK(rows.rows[2].result.failed.value().kind == failure_kind::launch_error);
    CHECK(rows.rows[4].result.cost == 0.25e-3);
    CHECK(rows.source == std::vector<std::size_t>{0, 1, 2, 3, 4});
    CHECK(rows.problems.empty());
    tk::io::write_recorded_space(folder / "again", recorded);
    CHECK(tk::io::read_recorded_space(folder / "again").sample);
}

namespace {

const std::string two_by_two = "param a 1 2\nparam b 3 4\n";
const std::string columns = "a,b,time_ms,status,cost_ms,compile_ms,verification_ms,benchmark_ms,framework_ms,t0,t1\n";

tk::io::recorded_space recorded(const support::temporary_folder& folder, const std::string& of_params,
                                const std::string& of_table)
{
    tk::io::write_text(folder / "s.params", of_params);
    tk::io::write_text(folder / "s.csv", of_table);
    return tk::io::read_recorded_space(folder / "s");
}

}  // namespace

TEST_CASE("times that are none are problems, and a mark of UTF-8 is none")
{
    const support::temporary_folder folder;
    const std::string mark = "\xef\xbb\xbf";
    const auto good = recorded(folder, mark + two_by_two, mark + columns + "1,3,2,valid,5,1,1,1,2,1,3\n");
    CHECK(good.parameters.size() == 2);
    CHECK(good.rows.size() == 1);
    CHECK(good.problems.empty());
    for (const std::string row :
         {"1,3,1e-323,valid,5,1,1,1,2,,\n", "1,3,inf,valid,5,1,1,1,2,,\n", "1,3,2,valid,-1e-301,1,1,1,2,,\n",
          "1,3,2,valid,1e308,1,1,1,2,,\n", "1,3,1e300,valid,5,1,1,1,2,,\n"}) {
        CAPTURE(row);
        const auto bad = recorded(folder, two_by_two, columns + row);
        CHECK(bad.rows.empty());
        CHECK(bad.problems.size() == 1);
    }
    CHECK_THROWS_WITH_AS(recorded(folder, "param a 1 2\nparam time_ms 3 4\n", columns),
                         doctest::Contains("time_ms: is a column of measurements"), tk::error);
    CHECK_THROWS_WITH_AS(recorded(folder, two_by_two, "a," + columns),
                         doctest::Contains("a: the header has this column twice"), tk::error);
}

TEST_CASE("a table of repeated rows, and a parameter of many values, are read in linear time")
{
    const support::temporary_folder folder;
    constexpr int n = 100'000;  // took minutes where it was quadratic
    std::string values = "param a", rows = columns;
    for (int k = 0; k < 400; ++k) values += ' ' + std::to_string(k);
    values += "\nparam b";
    for (int k = 0; k < 300; ++k) values += ' ' + std::to_string(k);
    for (int k = 0; k < n; ++k) rows += "0,0,2,valid,1,1,1,1,1,,\n";
    for (int k = 1; k < n; ++k)
        rows += std::to_string(k % 400) + ',' + std::to_string(k / 400) + ",2,valid,1,1,1,1,1,,\n";
    const auto read = recorded(folder, values + '\n', rows);
    CHECK(read.rows.size() == n);
    CHECK(read.problems.size() == n - 1);
    values = "param a";
    for (int k = 0; k < 65'535; ++k) values += ' ' + std::to_string(k);
    CHECK(recorded(folder, values + "\nparam b 3\n", columns).parameters[0].values.size() == 65'535);
    CHECK_THROWS_WITH_AS(recorded(folder, values + " 65535\nparam b 3\n", columns),
                         doctest::Contains("a: has more than 65535 values, want fewer"), tk::error);
}

TEST_CASE("a file that unpacks to more than its bound is refused")
{
    const support::temporary_folder folder;
    tk::io::detail::write_gzip(folder / "s.gz", std::string(1 << 20, 'x'));
    CHECK(tk::io::read_gzip(folder / "s.gz").size() == 1 << 20);
    CHECK_THROWS_WITH_AS((void)tk::io::read_gzip(folder / "s.gz", (1 << 20) - 1),
                         doctest::Contains("s.gz: holds more than 0 MiB of text, want less"), tk::error);
    tk::io::detail::write_gzip(folder / "bomb.gz", std::string(std::size_t{32} << 20, 'x'));  // 32 kB
    CHECK_THROWS_WITH_AS((void)tk::io::read_gzip(folder / "bomb.gz"), doctest::Contains("MiB of text, want less"),
                         tk::error);
}
