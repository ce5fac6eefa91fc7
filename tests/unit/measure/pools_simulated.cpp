// SPDX-License-Identifier: MIT
#include "tests/support/simulated_workers.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "tunekit/measure/until_stable.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using measure::recorded_row;
using support::simulated_workers;
using tk::answer;
using tk::job;
using tk::ticket;

static_assert(tk::pool<simulated_workers<>>);
static_assert(support::rows<measure::recorded_rows> && support::rows<measure::resampled_rows<measure::fixed>>);
static_assert(!support::rows<std::vector<recorded_row>>);

namespace {

struct rows_of_measurements {
    [[nodiscard]] measure::measurement row(tk::index i, const measure::limits& l) const;
};
static_assert(!support::rows<rows_of_measurements>);

constexpr double forever = std::numeric_limits<double>::infinity();
constexpr measure::limits asked{};  // of the jobs here

job numbered(std::uint64_t name, tk::index which) { return {.ticket = ticket{name}, .candidate = which}; }

/// A row that takes `seconds`, of which `build` are building, and costs its seconds.
recorded_row taking(double seconds, double build = 0)
{
    recorded_row r;
    r.result.cost = seconds;
    r.result.build_seconds = build;
    r.seconds = seconds;
    return r;
}

const std::vector<recorded_row> table{taking(1), taking(2), taking(4), taking(8)};

}  // namespace

TEST_CASE("simulated workers answer in the order of their ends, with what was recorded, on a clock of their own")
{
    simulated_workers pool(table, {.workers = 2});
    CHECK(pool.workers() == 2);
    CHECK(pool.room() == 2);
    CHECK(pool.collect(5).empty());
    CHECK(pool.now() == 0);  // nothing is out: at once

    pool.submit(numbered(1, 2));
    pool.submit(numbered(2, 0));
    CHECK(pool.room() == 0);
    CHECK_THROWS_AS(pool.submit(numbered(3, 1)), std::invalid_argument);
    const auto first = pool.collect(forever);
    REQUIRE(first.size() == 1);
    CHECK(first[0] ==
          answer{.ticket = ticket{2}, .measured = table[0].result, .worker = 1, .ran_s = 1, .within = asked});
    CHECK(pool.now() == 1);
    pool.submit(numbered(3, 1));
    CHECK(pool.collect(0.5).empty());  // waits, in vain
    CHECK(pool.now() == 1.5);
    CHECK(pool.collect(forever).at(0) ==
          answer{.ticket = ticket{3}, .measured = table[1].result, .worker = 1, .ran_s = 2, .within = asked});
    CHECK(pool.now() == 3);
    CHECK(pool.collect(forever).at(0) ==
          answer{.ticket = ticket{1}, .measured = table[2].result, .worker = 0, .ran_s = 4, .within = asked});
    CHECK(pool.now() == 4);
}

TEST_CASE("simulated workers: those that end together answer together; a slow worker takes longer")
{
    simulated_workers pool(table, {.workers = 3, .slowness = {1, 2, 4}});
    for (std::uint64_t k = 0; k < 3; ++k) pool.submit(numbered(k, 2 - k));
    const auto all = pool.collect(forever);
    REQUIRE(all.size() == 3);
    for (std::size_t k = 0; k < 3; ++k) {
        CHECK(all[k].worker == k);
        CHECK(all[k].ran_s == 4);
    }
}

TEST_CASE("simulated workers: a job may wait for its worker, and says how long")
{
    simulated_workers pool(table, {.workers = 1, .queued = 1});
    CHECK(pool.room() == 2);
    pool.submit(numbered(1, 1));
    pool.submit(numbered(2, 0));
    CHECK(pool.room() == 0);
    CHECK(pool.collect(forever).at(0).queued_s == 0);
    CHECK(pool.room() == 1);
    CHECK(pool.collect(forever).at(0) ==
          answer{.ticket = ticket{2}, .measured = table[0].result, .queued_s = 2, .ran_s = 1, .within = asked});
}

TEST_CASE("simulated workers: builders build the next while a worker runs")
{
    const std::vector<recorded_row> built{taking(3, 2), taking(3, 2), taking(3, 2), taking(3, 2)};
    simulated_workers alone(built, {.workers = 1, .queued = 3});
    simulated_workers pool(built, {.workers = 1, .builders = 2, .queued = 1});
    for (std::uint64_t k = 0; k < 4; ++k) {
        alone.submit(numbered(k, k));
        pool.submit(numbered(k, k));
    }
    std::vector<double> ends;
    std::size_t answers = 0;
    while (answers < 4) answers += alone.collect(forever).size();
    CHECK(alone.now() == 12);
    for (answers = 0; answers < 4; ends.push_back(pool.now())) {
        const auto some = pool.collect(forever);
        answers += some.size();
        for (const answer& a : some) {
            CHECK(a.ran_s == 1);
            CHECK(a.measured->build_seconds == 2);
        }
    }
    CHECK(ends == std::vector<double>{3, 4, 5, 6});  // two builds at a time, one run at a time
}

TEST_CASE("simulated workers: what a job may take is decided when it begins to run, and what is cut short takes less")
{
    recorded_row fast = taking(4, 1), slow = taking(24, 1);
    fast.result.batches = {1, 1, 1};
    slow.result.batches = {2, 2, 2};
    slow.check_seconds = 5;
    for (recorded_row* r : {&fast, &slow}) r->result.run_seconds = r->seconds - 1;
    const std::vector<recorded_row> both{fast, slow, slow};
    using rows = measure::resampled_rows<measure::fixed>;
    support::simulated_workers<rows> pool(
        {rows(both, {.runs = 10, .batch = 1}, 1), rows(both, {.runs = 10, .batch = 1}, 1)},
        {.workers = 1, .builders = 3});
    const measure::limits none{.abandon_factor = 1.05};
    for (std::uint64_t k = 0; k < 3; ++k)
        pool.submit({.ticket = ticket{k}, .task = k / 2, .candidate = k, .limits = none});
    const auto first = pool.collect(forever).at(0);
    CHECK(first.within == none);
    CHECK(first.measured->runs == 3);  // there was nothing to beat
    CHECK(first.measured->ok());
    CHECK(pool.now() == 4);
    const auto second = pool.collect(forever).at(0);  // asked for before anything was in
    CHECK(second.within->abandon_above == 1.05);
    CHECK(second.measured->at_least);
    CHECK(pool.now() == 4 + (23 - 6 - 5) + 6);       // three runs, no check
    const auto other = pool.collect(forever).at(0);  // of a task of which nothing was in
    CHECK(other.within == none);
    CHECK(other.measured->ok());
}

TEST_CASE("simulated workers: a job is lost on demand, a worker ends on demand, and the last one says so")
{
    simulated_workers pool(table, {.workers = 2, .queued = 1});
    for (std::uint64_t k = 0; k < 4; ++k) pool.submit(numbered(k, k));
    CHECK(pool.collect(forever).at(0).ticket == ticket{0});  // worker 0; then it takes ticket 2
    pool.lose(ticket{2});
    auto lost = pool.collect(forever);
    REQUIRE(lost.size() == 1);
    CHECK(lost[0] == answer{.ticket = ticket{2}, .queued_s = 1});
    CHECK(pool.now() == 1);  // known at once; worker 0 goes on, with ticket 3
    CHECK_THROWS_AS(pool.lose(ticket{2}), std::invalid_argument);
    pool.end(1);
    lost = pool.collect(forever);
    REQUIRE(lost.size() == 1);
    CHECK(lost[0] == answer{.ticket = ticket{1}, .worker = 1, .ran_s = 1});
    CHECK(pool.workers() == 2);
    CHECK(pool.room() == 1);
    pool.submit(numbered(9, 0));
    pool.end(0);
    CHECK(pool.room() == 0);
    lost = pool.collect(forever);  // all that was out, then the end
    CHECK(lost.size() == 2);
    for (const answer& a : lost) CHECK_FALSE(a.measured);
    CHECK_THROWS_WITH_AS(static_cast<void>(pool.collect(forever)),
                         "tunekit: simulated_workers: every worker has ended, so nothing more can be measured",
                         tk::error);
}

TEST_CASE(
    "simulated workers: no worker works twice at a time, none idles while a job waits, every job is answered once")
{
    auto gen = tk::random::stream(7, 1, 1);
    std::vector<recorded_row> rows;
    for (int k = 0; k < 200; ++k) {
        const double build = tk::random::uniform_01(gen);
        rows.push_back(taking(build + 2 * tk::random::uniform_01(gen), build));
    }
    for (const std::size_t builders : {0U, 1U, 3U}) {
        simulated_workers pool(rows, {.workers = 5, .builders = builders, .queued = 2});
        struct span {
            double from, to;
        };
        std::map<std::size_t, std::vector<span>> busy;
        std::map<ticket, double> sent;
        std::uint64_t next = 0;
        std::size_t answered = 0;
        while (answered < 200) {
            for (std::size_t k = tk::random::uniform_index(pool.room() + 1, gen); k-- > 0 && next < 200;) {
                sent[ticket{next}] = pool.now();
                pool.submit(numbered(next, next));
                ++next;
            }
            for (const answer& a : pool.collect(next < 200 ? tk::random::uniform_01(gen) : forever)) {
                ++answered;
                REQUIRE(sent.count(a.ticket) == 1);
                const double began = pool.now() - a.ran_s;
                const double lane = builders == 0 ? 0 : a.measured->build_seconds;
                CHECK(began == doctest::Approx(sent[a.ticket] + lane + a.queued_s));
                CHECK(a.queued_s >= -1e-12);
                CHECK(a.ran_s == doctest::Approx(a.measured->cost - lane));
                sent.erase(a.ticket);
                busy[a.worker].push_back({began, pool.now()});
            }
        }
        CHECK(sent.empty());
        CHECK(busy.size() == 5);
        for (const auto& [worker, spans] : busy)
            for (std::size_t k = 1; k < spans.size(); ++k) CHECK(spans[k].from >= spans[k - 1].to - 1e-9);
    }
}

TEST_CASE("simulated workers: several tasks, rows under a repetition policy, and what is refused")
{
    std::vector<recorded_row> noisy(3, taking(1));
    for (recorded_row& r : noisy) r.result.batches = {0.25, 0.25, 0.25, 0.25};
    using resampled = measure::resampled_rows<measure::fixed>;
    simulated_workers pool(std::vector<resampled>{resampled(noisy, {.runs = 2, .batch = 1}, 1),
                                                  resampled(noisy, {.runs = 3, .batch = 1}, 1)},
                           {.workers = 2});
    pool.submit({.ticket = ticket{1}, .task = 0, .candidate = 1});
    pool.submit({.ticket = ticket{2}, .task = 1, .candidate = 1});
    CHECK(pool.collect(forever).at(0).ticket == ticket{1});
    CHECK(pool.now() == 0.5);
    const auto second = pool.collect(forever);
    CHECK(second.at(0).measured->runs == 3);
    CHECK(pool.now() == 0.75);
    CHECK_THROWS_AS(pool.submit({.task = 2}), std::invalid_argument);
    CHECK_THROWS_AS(pool.submit({.candidate = 3}), std::invalid_argument);
    CHECK_THROWS_AS(simulated_workers(table, {.workers = 0}), std::invalid_argument);
    CHECK_THROWS_AS(simulated_workers(table, {.workers = 2, .slowness = {1}}), std::invalid_argument);
    CHECK_THROWS_AS(simulated_workers(table, {.workers = 1, .slowness = {0}}), std::invalid_argument);
    CHECK_THROWS_AS(simulated_workers(std::vector<measure::recorded_rows>{}, {}), std::invalid_argument);
}
