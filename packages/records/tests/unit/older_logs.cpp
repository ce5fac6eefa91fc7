// SPDX-License-Identifier: MIT
/// Logs of older versions stay readable. The files in tests/unit/logs are not written anew: 0.1.jsonl and 0.2.jsonl are seeds of tests/fuzz/corpus as of version 0.2
/// (commit fb35a132), 0.3.jsonl is a run of `tune_command` shortly before 1.0, with its race.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tunekit/records/read_log.hpp"

namespace tk = tunekit;

namespace {

std::string stored(const std::string& version) { return "packages/records/tests/unit/logs/" + version + ".jsonl"; }

/// A space as a log names it.
struct named_space {
    tk::index n;
    std::uint64_t f;

    [[nodiscard]] tk::index size() const { return n; }
    [[nodiscard]] std::uint64_t fingerprint() const { return f; }
};

}  // namespace

TEST_CASE("a stored log of version 0.1 is read: a line per trial, of two tasks, without checksums")
{
    const auto log = tk::io::read_log(stored("0.1"));
    CHECK(log.header.schema == tk::io::log_content::head::of_trials);
    CHECK(log.header.version == "0.1.0");
    CHECK(log.header.batch == 2);
    CHECK_FALSE(log.note.empty());  // that it has no checksums
    REQUIRE(log.header.tasks.size() == 2);
    REQUIRE(log.trials.size() == 3);
    CHECK(log.trials[0].measured.cost == 0.5);
    REQUIRE(log.trials[1].measured.failed);
    CHECK(log.trials[1].measured.failed->kind == tk::measure::failure_kind::run_timeout);
    CHECK(log.trials[2].measured.at_least);
    const auto of_a = tk::io::trials_of(log, "a", named_space{4, 5});
    REQUIRE(of_a.size() == 2);
    CHECK(of_a[0].candidate == 3);
}

TEST_CASE("a stored log of version 0.2 is read: asks, tells, a dropped job, workers and a budget that change")
{
    const auto log = tk::io::read_log(stored("0.2"));
    CHECK(log.header.schema == tk::io::log_content::head::of_events);
    CHECK(log.header.version == "0.2.0");
    CHECK(log.header.workers == 2);
    CHECK(log.header.budget.trials == 9);
    CHECK(log.events.size() == 8);
    const auto trials = tk::io::trials_of(log, "a", named_space{400, 123456789});
    REQUIRE(trials.size() == 2);
    CHECK(trials[0].candidate == 17);
    CHECK(trials[0].measured.cost == 0.001);
    CHECK(trials[0].measured.batches == std::vector<double>{0.001, 0.002});
    REQUIRE(trials[1].measured.failed);
    CHECK(trials[1].measured.failed->kind == tk::measure::failure_kind::crash);
    CHECK(trials[1].measured.failed->message == "signal 11 \"in\" kernel\n");
}

TEST_CASE("a stored log of version 0.3 is read: what costs mean, numbers beside them, checks, a race and its verdict")
{
    const auto log = tk::io::read_log(stored("0.3"));
    CHECK(log.header.meaning.cost == "wall");
    CHECK(log.header.meaning.check == "status:0");
    CHECK(log.header.value_names == std::vector<std::string>{"e"});
    CHECK(log.header.about.values == std::vector<std::vector<std::string>>{{"1", "2", "3"}});
    const auto trials = tk::io::trials_of(log, "command", named_space{3, 14297935025947144274U});
    REQUIRE(trials.size() == 3);
    CHECK(trials[0].measured.cost == 0.0007021100000201841);
    CHECK(trials[1].candidate == 2);
    CHECK(trials[2].measured.at_least);
    std::size_t rounds = 0;
    for (const auto& e : log.events) {
        if (e.what == tk::io::log_content::event::kind::round) ++rounds;
    }
    CHECK(rounds == 28);
    REQUIRE_FALSE(log.events.empty());
    CHECK(log.events.back().what == tk::io::log_content::event::kind::ended);
    CHECK(log.events.back().why == "the budget of trials is used up");
}
