// SPDX-License-Identifier: MIT
#include "tunekit/records/read_log.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/processes/detail/line_seal.hpp"

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
        out << header.line() << '\n';
        for (std::size_t k = 0; k < words.size(); ++k) {
            tk::io::log_content::trial t{.task = 0, .candidate = k};
            t.measured.failed =
                tk::measure::failure{.kind = *tk::measure::failure_kind_of(static_cast<std::uint8_t>(k))};
            std::string line = t.line();
            const std::string now = '"' + tk::measure::to_text(t.measured.failed->kind) + '"';
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

TEST_CASE("a log is read up to the first line that cannot be, and the problem is what refuses the whole log")
{
    const grid_space first({4, 3}), second({3, 3});
    auto header = log_of(first, second).header;
    header.schema = tk::io::log_content::head::of_events;
    std::string whole = tk::io::detail::sealed(header.line()) + '\n';
    for (std::uint64_t i = 0; i < 3; ++i)
        whole += tk::io::detail::sealed(tk::io::log_content::event{.what = tk::io::log_content::event::kind::tell,
                                                                   .jobs = {{.candidate = i}},
                                                                   .about = {.device = "board"},
                                                                   .measured = {.cost = 1, .runs = 1}}
                                            .line()) +
                 '\n';
    CHECK_FALSE(tk::io::detail::parse_log_beginning(whole, "log").problem);
    CHECK_FALSE(tk::io::detail::parse_log_beginning(whole + "{\"tell\":", "log").problem);  // torn, as ever
    CHECK_FALSE(tk::io::detail::parse_log_beginning(whole, "log").torn);
    CHECK(tk::io::detail::parse_log_beginning(whole + "{\"tell\":", "log").torn);
    const auto marked = tk::io::detail::parse_log_beginning("\xEF\xBB\xBF" + whole, "log");  // a byte-order mark
    CHECK_FALSE(marked.problem);
    CHECK(marked.events.size() == 3);
    CHECK(marked.whole_bytes == static_cast<std::int64_t>(whole.size()) + 3);

    const std::string last = whole.substr(whole.rfind('\n', whole.size() - 2) + 1);
    std::string changed = last, misfit = last.substr(0, last.size() - tk::io::detail::seal_size - 1) + '}';
    changed.replace(changed.find("\"cost\":1"), 8, "\"cost\":2");
    misfit.replace(misfit.find("\"board\""), 7, "7");  // a trial that is whole, of an event that is not
    for (const std::string& bad :
         {std::string("NaN\n"), std::string("\n"), changed, tk::io::detail::sealed(misfit) + '\n'}) {
        CAPTURE(bad);
        const auto read = tk::io::detail::parse_log_beginning(whole + bad + last, "log");
        CHECK(read.whole_bytes == static_cast<std::int64_t>(whole.size()));
        CHECK(read.events.size() == 3);
        CHECK(read.trials.size() == 3);
        REQUIRE(read.problem);
        CHECK(std::string(read.problem->what()).find("tunekit: log log, line 5: ") == 0);
        CHECK_THROWS_WITH_AS((void)tk::io::detail::parse_log(whole + bad + last, "log"), read.problem->what(),
                             tk::error);
        CHECK_THROWS_WITH_AS((void)tk::io::detail::parse_log_beginning(bad + whole, "log"),
                             doctest::Contains("log log, line 1: "), tk::error);
    }
}
