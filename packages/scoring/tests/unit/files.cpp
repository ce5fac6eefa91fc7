// SPDX-License-Identifier: MIT
#include "tunekit/scoring/read_recordings.hpp"
#include "tunekit/scoring/trajectory_file.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/random.hpp"

namespace tk = tunekit;
using tk::scoring::read_trajectories;

TEST_CASE("trajectories come back as they were written")
{
    const support::temporary_folder in;
    const double inf = std::numeric_limits<double>::infinity();
    const std::vector<tk::scoring::trajectory> runs{{.seconds = {0.5, 1.25},
                                                     .best = {inf, 0.0031},
                                                     .own = {0.001, 0.002},
                                                     .rows = {7, tk::scoring::recording::no_row}},
                                                    {.seconds = {2}, .best = {1e-6}, .own = {0.5}, .rows = {3}}};
    CHECK(tk::scoring::detail::to_csv(runs) ==
          "repeat,eval,sim_time_s,best_ms,overhead_s,row\n0,1,0.500000000,,0.001000000,7\n0,2,1.250000000,3.1,0."
          "002000000,\n"
          "1,1,2.000000000,0.001,0.500000000,3\n");
    tk::scoring::write_trajectories(in / "a.csv", runs);
    const auto back = read_trajectories(in / "a.csv");
    REQUIRE(back.size() == 2);
    CHECK(back[0].seconds == runs[0].seconds);
    CHECK(back[0].best[0] == inf);
    CHECK(back[0].best[1] == doctest::Approx(0.0031));
    CHECK(back[0].own == runs[0].own);
    CHECK_FALSE(back[0].failures_known);
    CHECK(back[1].evaluations() == 1);
}

TEST_CASE("lines that were left out: the cost holds, time passes evenly; columns in another order, no overhead")
{
    const support::temporary_folder in;
    const std::string path = in / "b.csv";
    tk::io::write_text(path, "eval,repeat,best_ms,sim_time_s\r\n2,5,,4\r\n4,5,8,10\r\n1,2,3,1\r\n");
    const auto runs = read_trajectories(path);
    REQUIRE(runs.size() == 2);  // repeat 2, then 5
    CHECK(runs[0].best == std::vector<double>{0.003});
    CHECK(runs[1].seconds == std::vector<double>{2, 4, 7, 10});
    CHECK(std::isinf(runs[1].best[2]));
    CHECK(runs[1].best[3] == 0.008);
    CHECK(std::isnan(runs[1].own[3]));
}

TEST_CASE("malformed trajectory files are told of with their line")
{
    const support::temporary_folder in;
    const std::string path = in / "c.csv";
    const auto refused = [&](const std::string& text, const char* says) {
        tk::io::write_text(path, text);
        try {
            (void)read_trajectories(path);
            FAIL_CHECK("read: ", text);
        } catch (const tk::error& e) {
            CHECK_MESSAGE(std::string(e.what()).find(says) != std::string::npos, e.what());
        }
    };
    const std::string head = "repeat,eval,sim_time_s,best_ms\n";
    refused("", "is empty");
    refused("repeat,eval,best_ms\n", ":1: has no column sim_time_s");
    refused(head, "has no line after its header");
    refused(head + "0,1,1\n", ":2: has 3 fields, want 4");
    refused(head + "0,0,1,1\n", ":2: repeat or eval is not a count");
    refused(head + "0,1,x,1\n", ":2: sim_time_s is 'x'");
    refused(head + "0,1,nan,1\n", "sim_time_s is 'nan'");
    refused(head + "0,1,1,-3\n", "best_ms is '-3'");
    refused(head + "0,2,1,1\n0,1,2,1\n", ":3: does not follow");
    refused(head + "0,1,2,1\n0,2,1,1\n", ":3: does not follow");
    refused(head + "0,1,1,1\n0,2,2,5\n", ":3: does not follow");
    refused(head + "0,16777217,1,1\n", ":2: repeat or eval is not a count");
    refused(head + "0,16777216,1,1\n1,1,1,1\n", ":3: brings the evaluations of the file to more than 2^24");
    CHECK_THROWS_AS((void)read_trajectories(in / "none.csv"), tk::error);
}

TEST_CASE("recordings of a folder, of one file, by name; a played one knows its rows")
{
    const auto all = tk::scoring::read_recordings("packages/scoring/recordings/");
    REQUIRE(all.size() == 2);
    CHECK(all[0].problems.empty());
    CHECK(all[0].name == "conv2d_S12");
    CHECK(all[1].optimum == doctest::Approx(0.8697e-3).epsilon(1e-3));
    CHECK(tk::scoring::read_recordings("packages/scoring/recordings", "gemm").size() == 1);
    const auto one = tk::scoring::read_recordings("packages/scoring/recordings/gemm_Out.params");
    REQUIRE(one.size() == 1);
    CHECK(one[0].name == "gemm_Out");
    CHECK(one[0].source_rows.size() == one[0].rows.size());
    auto gen = tk::random::philox(1);
    const auto run = tk::scoring::play(tk::search::random{}, one[0], {.evaluations = 5}, gen);
    for (const std::size_t row : run.rows) CHECK(row < one[0].rows.size());
    CHECK_THROWS_WITH_AS((void)tk::scoring::read_recordings("nowhere"),
                         "tunekit: \"nowhere\" is not a folder, want one with recorded spaces", tk::error);
    CHECK_THROWS_AS((void)tk::scoring::read_recordings("packages/scoring/recordings", "nothing"), tk::error);
}

TEST_CASE("the folder of the recordings: the environment decides, else that of a checkout")
{
    ::unsetenv("TUNEKIT_RECORDINGS");
    CHECK(tk::scoring::recordings_folder("there") == "there");
    ::setenv("TUNEKIT_RECORDINGS", "elsewhere", 1);
    CHECK(tk::scoring::recordings_folder("there") == "elsewhere");
    ::setenv("TUNEKIT_RECORDINGS", "", 1);
    CHECK(tk::scoring::recordings_folder("there") == "there");
    CHECK_THROWS_AS((void)tk::scoring::recordings_folder(""), tk::error);  // an installed tunekit has none
    ::unsetenv("TUNEKIT_RECORDINGS");
}
