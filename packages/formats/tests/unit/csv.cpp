// SPDX-License-Identifier: MIT
#include "tunekit/formats/csv.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/processes/files/text.hpp"

namespace tk = tunekit;
using tk::io::csv_record;

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
    CHECK(tk::io::csv_records("").empty());
    CHECK(tk::io::csv_records("a,b\nc\n") == std::vector<csv_record>{{1, {"a", "b"}}, {2, {"c"}}});
    CHECK(tk::io::csv_records("a,\r\n\n,b") == std::vector<csv_record>{{1, {"a", ""}}, {3, {"", "b"}}});
    CHECK(tk::io::csv_records("\"a,\"\"b\"\"\nc\",d\ne") ==
          std::vector<csv_record>{{1, {"a,\"b\"\nc", "d"}}, {3, {"e"}}});
    CHECK(tk::io::csv_records("\"open") == std::vector<csv_record>{{1, {"open"}}});
}

TEST_CASE("csv_field quotes what must be quoted")
{
    for (const std::string text : {"", "plain", "a,b", "\"", "two\nlines", "\r"}) {
        const auto back = tk::io::csv_records("x," + tk::io::detail::csv_field(text) + "\n");
        REQUIRE(back.size() == 1);
        CHECK(back[0].fields == std::vector<std::string>{"x", text});
    }
}

TEST_CASE("trials are written with all digits, a line each")
{
    const support::temporary_folder folder;
    tk::io::write_csv(folder / "trials.csv", trials(), support::grid_space({3, 2}));
    CHECK(tk::io::read_text(folder / "trials.csv") ==
          "trial,index,x0,x1,cost_s,spread_s,runs,at_least,build_s,run_s,failure,code,message,batches_s\n"
          "1,5,2,1,0.30000000000000004,1e-300,3,0,0,0.3333333333333333,,,,0.3 0.14285714285714285 5e-324\n"
          "2,0,0,0,2,0,0,1,0,0,,,,\n"
          "3,1,1,0,,0,0,0,4,0,crash,11,\"signal 11, \"\"at\"\" \n the store\",\n");
}

TEST_CASE("numbers beside the cost have a column each, by their names")
{
    const support::temporary_folder folder;
    auto all = trials();
    all[0].measured.values = {4096, 0.125};
    all[1].measured.values = {1, std::numeric_limits<double>::quiet_NaN()};
    tk::io::write_csv(folder / "trials.csv", all, support::grid_space({3, 2}),
                      std::vector<std::string>{"bytes", "a, b"});
    const auto records = tk::io::csv_records(tk::io::read_text(folder / "trials.csv"));
    REQUIRE(records.size() == 4);
    const auto last = [&](std::size_t k) {
        return std::vector<std::string>(records[k].fields.end() - 2, records[k].fields.end());
    };
    CHECK(last(0) == std::vector<std::string>{"bytes", "a, b"});
    CHECK(last(1) == std::vector<std::string>{"4096", "0.125"});
    CHECK(last(2) == std::vector<std::string>{"1", ""});
    CHECK(last(3) == std::vector<std::string>{"", ""});
}
