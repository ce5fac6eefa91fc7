// SPDX-License-Identifier: MIT
// What leaves through every door is what it is: a time, a bound of what was cut short, and a failure of each kind, written
// and read back.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/formats/csv.hpp"
#include "tunekit/formats/from_t4.hpp"
#include "tunekit/formats/recorded_space.hpp"
#include "tunekit/formats/t4.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/records/read_experience.hpp"
#include "tunekit/records/read_log.hpp"
#include "tunekit/report/findings.hpp"
#include "tunekit/report/from_log.hpp"
#include "tunekit/report/page.hpp"
#include "tunekit/report/terminal.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/space/value_product.hpp"
#include "tunekit/tune/tuner.hpp"

namespace tk = tunekit;
using tk::measure::failure_kind;
using tk::measure::measurement;

namespace {

const measurement timed{
    .cost = 0.25, .spread = 0.01, .runs = 2, .build_seconds = 0.5, .run_seconds = 0.75, .batches = {0.25, 0.25}};
const measurement bound{.cost = 0.125,
                        .runs = 3,
                        .at_least = true,
                        .build_seconds = 0.5,
                        .run_seconds = 0.75,
                        .batches = {0.125, 0.1875, 0.25}};

/// A time, a bound below it, and a failure of each kind: configuration k of `space`.
std::vector<tk::measure::trial> trials()
{
    std::vector<tk::measure::trial> out{{.candidate = 0, .measured = timed}, {.candidate = 1, .measured = bound}};
    for (std::uint8_t k = 0; const auto kind = tk::measure::failure_kind_of(k); ++k)
        out.push_back({.candidate = out.size(),
                       .measured = {.build_seconds = 0.5, .failed = tk::measure::failure{*kind, k, "why, \"so\""}}});
    return out;
}

tk::space::value_product space()
{
    tk::space::value_parameter n{"n", {}};
    for (std::size_t k = 0; k < trials().size(); ++k) n.values.emplace_back(static_cast<std::int64_t>(k));
    return {{n}, {}};
}

/// The run of these trials, logged.
std::string logged_at(const std::string& path)
{
    tk::io::logged run(path, tk::tuner(space(), tk::search::grid{}, {.trials = trials().size()}, tk::random::philox(1)),
                       {.name = "n", .strategy = "grid"});
    while (const auto j = run.ask()) run.tell(*j, trials().at(static_cast<std::size_t>(j->candidate)).measured);
    REQUIRE(run.record().trials().size() == trials().size());
    return path;
}

/// Whether what came back is what went out: whole times alone are times.
void same(const measurement& back, const measurement& was)
{
    CHECK(back.at_least == was.at_least);
    CHECK(back.ok() == was.ok());
    CHECK(back.failed.has_value() == was.failed.has_value());
    if (!was.failed) CHECK(back.cost == was.cost);
    CHECK(back.build_seconds == was.build_seconds);
    CHECK(back.run_seconds == was.run_seconds);
}

}  // namespace

TEST_CASE("T4: every outcome is read back, and a bound is no time for who knows none")
{
    const support::temporary_folder folder;
    tk::io::t4_file file;
    for (const auto& t : trials()) {
        file.results.emplace_back().configuration = {{"n", t.candidate}};
        file.results.back().take(t.measured, "time", "s");
    }
    tk::io::write_t4(folder / "t4.json", file);
    const auto back = tk::io::read_t4(folder / "t4.json");
    CHECK(back.problems.empty());
    for (std::size_t k = 0; k < trials().size(); ++k) {
        CAPTURE(k);
        const measurement m = back.results.at(k).recorded().result;
        const measurement was = trials()[k].measured;
        same(m, was);
        if (was.failed) CHECK(m.failed->kind == was.failed->kind);
        if (was.failed) CHECK(m.failed->message == was.failed->message);
        CHECK((back.results[k].invalidity == "correct") == was.ok());
        CHECK(back.results[k].runtimes.empty() != was.ok());
    }
}

TEST_CASE("CSV, recorded spaces, logs and experience: every outcome is read back")
{
    const support::temporary_folder folder;
    const auto all = trials();
    tk::io::write_csv(folder / "trials.csv", all, space());
    const auto rows = tk::io::csv_records(tk::io::read_text(folder / "trials.csv"));
    REQUIRE(rows.size() == all.size() + 1);
    const auto column = [&](std::size_t row, const std::string& name) {
        for (std::size_t j = 0; j < rows[0].fields.size(); ++j)
            if (rows[0].fields[j] == name) return rows[row].fields[j];
        return std::string("no such column");
    };
    tk::io::recorded_space recorded;
    recorded.parameters = {{"n", {}}};
    for (std::size_t k = 0; k < all.size(); ++k) {
        const measurement& m = all[k].measured;
        CAPTURE(k);
        CHECK(column(k + 1, "cost_s") == (m.failed ? "" : tk::core::text_of(m.cost)));
        CHECK(column(k + 1, "at_least") == (m.at_least ? "1" : "0"));
        CHECK(column(k + 1, "failure") == (m.failed ? to_text(m.failed->kind) : ""));
        CHECK(column(k + 1, "message") == (m.failed ? m.failed->message : ""));
        recorded.parameters[0].values.push_back(static_cast<std::int64_t>(k));
        recorded.rows.push_back({.ordinals = {static_cast<std::uint16_t>(k)},
                                 .record = {.result = m, .seconds = m.build_seconds + m.run_seconds}});
    }
    tk::io::write_recorded_space(folder / "n", recorded);
    const auto again = tk::io::read_recorded_space(folder / "n");
    const auto log = tk::io::read_log(logged_at(folder / "run.jsonl"));
    const auto past = tk::io::experience_in(std::vector<std::string>{folder / "run.jsonl"});
    REQUIRE(past.sources.size() == 1);
    tk::io::write_experience(folder / "n.experience", past);
    const auto kept = tk::io::experience_in(std::vector<std::string>{folder / "n.experience"});
    CHECK(kept.sources == past.sources);
    for (std::size_t k = 0; k < all.size(); ++k) {
        CAPTURE(k);
        same(again.rows.at(k).record.result, all[k].measured);
        same(log.trials.at(k).measured, all[k].measured);
        CHECK(log.trials[k].measured.failed == all[k].measured.failed);
        CHECK(past.sources[0].results.at(k).at_least == all[k].measured.at_least);
        CHECK(past.sources[0].results[k].failed() == all[k].measured.failed.has_value());
    }
}

TEST_CASE("page and terminal: a bound below the best time is not the best, and each kind of failure is told")
{
    const support::temporary_folder folder;
    const auto run = tk::report::seen_run_of_log(logged_at(folder / "run.jsonl"));
    const auto found = tk::report::findings_of(run);
    REQUIRE(found.size() == 1);
    CHECK(run.problems.empty());
    tk::io::write_text(folder / "torn.jsonl", tk::io::read_text(folder / "run.jsonl") + "{\"tell\": \xff");
    const auto torn = tk::report::seen_run_of_log(folder / "torn.jsonl");
    REQUIRE(torn.problems.size() == 1);
    CHECK(torn.problems[0].ends_with("torn.jsonl: its last line has no end, and is left out"));
    CHECK(torn.tasks[0].trials.size() == trials().size());
    CHECK(found[0].cut_short == 1);
    CHECK(found[0].failed == trials().size() - 2);
    CHECK(found[0].verified == 1);
    REQUIRE(found[0].best);
    CHECK(found[0].best->candidate == 0);
    const std::string page = tk::report::to_page(run, found), text = tk::report::to_terminal(run, found);
    for (const std::string& door : {page, text}) {
        CHECK(door.find("cut short") != std::string::npos);
        for (std::uint8_t k = 0; const auto kind = tk::measure::failure_kind_of(k); ++k) {
            std::string words = to_text(*kind);
            std::replace(words.begin(), words.end(), '_', ' ');
            CAPTURE(words);
            CHECK(door.find(words) != std::string::npos);
        }
    }
}
