// SPDX-License-Identifier: MIT
#include "tunekit/records/read_log.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/core/error.hpp"

namespace tk = tunekit;
using support::grid_space;

namespace {

tk::io::log_content log_of(const grid_space& first, const grid_space& second)
{
    tk::io::log_content out;
    out.header.tasks = {{"first", first.size(), first.fingerprint()}, {"second", second.size(), second.fingerprint()}};
    for (std::uint64_t i = 0; i < 6; ++i)
        out.trials.push_back(
            {.task = i % 2, .candidate = i, .measured = {.cost = 1.0 + static_cast<double>(i), .runs = 3}});
    out.trials.back().measured.failed = tk::measure::failure{};
    return out;
}

}  // namespace

TEST_CASE("the trials of a task are its own, in order, with their measurements")
{
    const grid_space first({4, 3}), second({3, 3});
    const auto log = log_of(first, second);
    const auto trials = tk::io::trials_of(log, "second", second);
    REQUIRE(trials.size() == 3);
    for (std::size_t k = 0; k < 3; ++k) {
        CHECK(trials[k].candidate == 2 * k + 1);
        CHECK(trials[k].measured == log.trials[2 * k + 1].measured);
    }
    CHECK(trials.back().measured.failed);
    CHECK(tk::io::trials_of(log, "first", first).size() == 3);
}

TEST_CASE("a task that the log has not, and another space than its own, are refused")
{
    const grid_space first({4, 3}), second({3, 3});
    const auto log = log_of(first, second);
    CHECK_THROWS_AS((void)tk::io::trials_of(log, "third", first), tk::error);
    CHECK_THROWS_WITH_AS((void)tk::io::trials_of(log, "first", second),
                         "tunekit: log: task first was tuned over another space, of 12 configurations, not 9; give the "
                         "space that the log was written with, or delete the log and tune again",
                         tk::error);
}

TEST_CASE("a log of version 0.1 is read, with the words that it had for failures")
{
    const grid_space first({4, 3}), second({3, 3});
    const support::temporary_folder folder;
    const std::string path = folder / "old.jsonl";
    const auto header = log_of(first, second).header;
    const std::vector<std::string> words = {"invalid",        "build error",  "build time-out", "crash",
                                            "exit",           "run time-out", "out of memory",  "wrong result",
                                            "damaged canary", "launch error", "bad cost"};
    {
        std::ofstream out(path, std::ios::binary);
        out << tk::io::to_line(header) << '\n';
        for (std::size_t k = 0; k < words.size(); ++k) {
            tk::io::log_trial t{.task = 0, .candidate = k};
            t.measured.failed =
                tk::measure::failure{.kind = *tk::measure::failure_kind_of(static_cast<std::uint8_t>(k))};
            std::string line = tk::io::to_line(t);
            const std::string now = '"' + std::string(tk::measure::to_text(t.measured.failed->kind)) + '"';
            const auto at = line.find(now);
            REQUIRE(at != std::string::npos);
            out << line.replace(at, now.size(), '"' + words[k] + '"') << '\n';
        }
    }
    const auto log = tk::io::read_log(path);
    REQUIRE(log.trials.size() == words.size());
    for (std::size_t k = 0; k < words.size(); ++k) {
        REQUIRE(log.trials[k].measured.failed);
        CHECK(log.trials[k].measured.failed->kind == static_cast<tk::measure::failure_kind>(k));
    }
}
