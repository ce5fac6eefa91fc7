// SPDX-License-Identifier: MIT
#include "tunekit/measure/replay.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/until_stable.hpp"
#include "tunekit/random/normal.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/stats/moments.hpp"
#include "tunekit/stats/rank.hpp"

namespace tk = tunekit;
using tk::measure::fixed;
using tk::measure::limits;
using tk::measure::noisy_replay;
using tk::measure::recorded_row;
using tk::measure::replay;
using tk::measure::virtual_clock;

static_assert(tk::measure::measurer<replay>);
static_assert(tk::measure::measurer<noisy_replay<fixed>>);
static_assert(tk::measure::clock<virtual_clock>);

namespace {

/// Three rows: repeats 1, 2, 3, 4 s in 12 s; a failure in 0.5 s; two repeats in 3 s.
std::vector<recorded_row> table()
{
    std::vector<recorded_row> rows(3);
    rows[0].result.cost = 2.5;
    rows[0].result.runs = 4;
    rows[0].result.batches = {1, 2, 3, 4};
    rows[0].result.run_seconds = 11;
    rows[0].seconds = 12;
    rows[1].result.failed = tk::measure::failure{tk::measure::failure_kind::build_error, 0, "no"};
    rows[1].result.cost = 0;  // a NaN would equal nothing
    rows[1].seconds = 0.5;
    rows[2].result.cost = 0.25;
    rows[2].result.batches = {0.25, 0.25};
    rows[2].seconds = 3;
    return rows;
}

}  // namespace

TEST_CASE("replay returns the rows as they are and moves the clock by their seconds")
{
    const auto rows = table();
    double now = 0;
    const virtual_clock time(now);
    replay measure(rows, time);
    const std::vector<tk::index> batch{2, 0, 1, 2};
    const auto got = measure.measure(batch, {.abandon_above = 0.1, .run_seconds = 1e-9});
    REQUIRE(got.size() == 4);
    for (std::size_t k = 0; k < 4; ++k) CHECK(got[k] == rows[static_cast<std::size_t>(batch[k])].result);
    CHECK(time() == 3 + 12 + 0.5 + 3);
    CHECK(measure.measure({}, {}).empty());
    CHECK(now == 18.5);
}

TEST_CASE("replay refuses an index that is no row before any time passes")
{
    const auto rows = table();
    double now = 0;
    replay measure(rows, virtual_clock(now));
    const std::vector<tk::index> batch{0, 3};
    CHECK_THROWS_WITH_AS((void)measure.measure(batch, {}),
                         "tunekit: replay: index 3 of a table of 3 rows, want the table of the same space",
                         std::invalid_argument);
    CHECK(now == 0);
}

TEST_CASE("noisy_replay draws runs from the repeats and charges the runs used")
{
    const auto rows = table();
    double now = 0;
    noisy_replay measure(rows, virtual_clock(now), fixed{.runs = 3, .batch = 1}, 9);
    const std::vector<tk::index> first{0};
    const auto got = measure.measure(first, {}).at(0);
    CHECK(got.runs == 3);
    REQUIRE(got.batches.size() == 3);
    double sum = 0;
    for (const double t : got.batches) {
        CHECK((t == 1 || t == 2 || t == 3 || t == 4));
        sum += t;
    }
    CHECK(got.cost == doctest::Approx(sum / 3));
    CHECK(got.run_seconds == doctest::Approx(11 - 10 + sum));
    CHECK(now == doctest::Approx(12 - 10 + sum));
    CHECK(got.ok());
}

TEST_CASE("noisy_replay answers a row the same whatever was asked before, and differently under another seed")
{
    auto rows = table();
    for (int k = 0; k < 60; ++k) rows[2].result.batches.push_back(0.25 + 0.001 * k);
    double now = 0;
    const fixed thirty{.runs = 30, .batch = 3};
    noisy_replay a(rows, virtual_clock(now), thirty, 1);
    noisy_replay b(rows, virtual_clock(now), thirty, 1);
    noisy_replay c(rows, virtual_clock(now), thirty, 2);
    const std::vector<tk::index> two{2}, one_two{1, 2, 2};
    const auto want = a.measure(two, {}).at(0);
    CHECK(want.runs == 30);
    CHECK(want.batches.size() == 10);
    const auto got = b.measure(one_two, {});
    CHECK(got[1] == want);
    CHECK(got[2] == want);
    CHECK(c.measure(two, {}).at(0) != want);
}

TEST_CASE("noisy_replay answers as recorded where a row failed or has no repeats")
{
    auto rows = table();
    rows[2].result.batches.clear();
    double now = 0;
    noisy_replay measure(rows, virtual_clock(now), fixed{.runs = 6, .batch = 3}, 1);
    const std::vector<tk::index> batch{1, 2};
    const auto got = measure.measure(batch, {});
    CHECK(got[0] == rows[1].result);
    CHECK(got[1] == rows[2].result);
    CHECK(now == 3.5);
}

TEST_CASE("noisy_replay draws more runs than were recorded, and charges them all")
{
    auto rows = table();
    rows[0].result.batches = {1, 2, 3, 4};
    rows[0].seconds = 12;  // 2 of them are no runs
    double now = 0;
    noisy_replay measure(rows, virtual_clock(now), tk::measure::until_stable::paper(), 1);
    const std::vector<tk::index> first{0};
    const auto got = measure.measure(first, {}).at(0);
    CHECK(got.runs == 150);  // three micro-batches of 50 agree within 10 %
    CHECK(got.batches.size() == 3);
    double drawn = 0;
    for (const double mean : got.batches) drawn += 50 * mean;
    CHECK(now == doctest::Approx(2 + drawn));
}

TEST_CASE("noisy_replay cuts a dear row short after three batches")
{
    const auto rows = table();
    double now = 0;
    noisy_replay measure(rows, virtual_clock(now), fixed{.runs = 100, .batch = 1}, 1);
    const std::vector<tk::index> batch{0};
    const auto got = measure.measure(batch, {.abandon_above = 0.5}).at(0);
    CHECK(got.at_least);
    CHECK(got.batches.size() == 3);
    CHECK(got.cost >= 1);
    CHECK_FALSE(got.ok());
}

TEST_CASE("noisy_replay charges no check for what is cut short; three batches are all where there is nothing to beat")
{
    auto rows = table();
    rows[0].check_seconds = 0.25;
    rows[0].result.checked = tk::measure::check_state::ok;
    double now = 0;
    const std::vector<tk::index> batch{0};
    noisy_replay replayed(rows, virtual_clock(now), fixed{.runs = 100, .batch = 1}, 1);
    const auto seconds = [&](const tk::measure::limits& l, std::size_t batches) {
        const double before = now;
        const auto m = replayed.measure(batch, l).at(0);
        CHECK(m.batches.size() == batches);
        CHECK((m.checked == tk::measure::check_state::ok) == !m.at_least);
        double drawn = 0;
        for (const double t : m.batches) drawn += t;
        return now - before - drawn;
    };
    const double full = seconds({}, 100);
    CHECK(seconds({.abandon_above = 0.5}, 3) == doctest::Approx(full - 0.25));
    CHECK(seconds({.abandon_factor = 2}, 3) == doctest::Approx(full));
}

// The mean of 100 000 draws of {1, 2, 3, 4}: sd 1.118 / sqrt(1e5) = 0.00354; 5 sd is passed with probability 5.7e-7.
TEST_CASE("noisy_replay draws every repeat equally often: mean of 1e5 draws within 5 sd, false alarm < 1e-6")
{
    const auto rows = table();
    double now = 0;
    noisy_replay measure(rows, virtual_clock(now), fixed{.runs = 100000, .batch = 1}, 4);
    const std::vector<tk::index> batch{0};
    const auto got = measure.measure(batch, {}).at(0);
    CHECK(std::abs(got.cost - 2.5) < 5 * 0.00354);
}

TEST_CASE("runs that are in order are drawn from a block on, as they were recorded, and around the end of their pass")
{
    auto rows = table();
    rows[0].result.batches.clear();
    for (int run = 1; run <= 24; ++run) rows[0].result.batches.push_back(run);  // two passes of three blocks
    rows[0].pass_runs = 12;
    rows[0].block_runs = 4;
    std::set<double> begun;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        double now = 0;
        noisy_replay measure(rows, virtual_clock(now), fixed{.runs = 30, .batch = 1}, seed);
        const std::vector<tk::index> batch{0};
        const auto got = measure.measure(batch, {}).at(0);
        REQUIRE(got.batches.size() == 30);
        begun.insert(got.batches.front());
        for (std::size_t k = 1; k < 30; ++k) {
            const double before = got.batches[k - 1];
            CHECK(got.batches[k] == (before == 12 || before == 24 ? before - 11 : before + 1));
        }
    }
    // A block that never came in 200 draws of six: probability 6 (5 / 6)^200 = 9e-16.
    CHECK(begun == std::set<double>{1, 5, 9, 13, 17, 21});
    double now = 0;
    noisy_replay measure(rows, virtual_clock(now), fixed{.runs = 8, .batch = 4}, 1);
    const std::vector<tk::index> batch{0};
    const auto got = measure.measure(batch, {}).at(0);
    CHECK(got.batches[1] - got.batches[0] == (got.batches[0] == 10.5 || got.batches[0] == 22.5 ? -8 : 4));
}

// Runs of AR(1) with 0.9: 19 times the variance of independent ones in a mean of many.
TEST_CASE("a replay in blocks has the autocorrelation of the runs, one of single draws has none: false alarm < 1e-6")
{
    auto rows = table();
    auto& runs = rows[0].result.batches;
    runs.clear();
    auto gen = tk::random::stream(3, 1, 0);
    double x = 0;
    for (int k = 0; k < 4000; ++k) runs.push_back(100 + (x = 0.9 * x + tk::random::normal(gen)));
    const auto drawn = [&](std::uint64_t seed, std::uint32_t n) {
        double now = 0;
        noisy_replay measure(rows, virtual_clock(now), fixed{.runs = n, .batch = 1}, seed);
        const std::vector<tk::index> batch{0};
        return measure.measure(batch, {}).at(0).batches;
    };
    const auto next = [&](std::span<const double> of) {
        return tk::stats::pearson(of.first(of.size() - 1), of.subspan(1));
    };
    const auto variance_of_means = [&] {
        std::vector<double> means;
        for (std::uint64_t seed = 0; seed < 300; ++seed) means.push_back(tk::stats::mean(drawn(seed, 50)));
        return tk::stats::variance(means);
    };
    CHECK(std::abs(next(drawn(1, 2000))) < 5 / std::sqrt(2000.0));
    const double single = variance_of_means();
    rows[0].pass_runs = 2000;
    rows[0].block_runs = 50;
    CHECK(next(drawn(1, 2000)) == doctest::Approx(0.9).epsilon(0.06));  // sd sqrt((1 - 0.81) / 2000) = 0.0097
    // 14.6 times for 50 runs in the mean of 80 blocks, whose variance has a relative sd of 0.16.
    CHECK(variance_of_means() / single > 5);
}

TEST_CASE("runs that are no whole passes of whole blocks are refused")
{
    auto rows = table();
    double now = 0;
    const std::vector<tk::index> batch{0};
    for (const auto& [pass, block] : {std::pair{3U, 1U}, {4U, 3U}, {2U, 0U}, {8U, 2U}}) {
        rows[0].pass_runs = pass;
        rows[0].block_runs = block;
        noisy_replay measure(rows, virtual_clock(now), fixed{.runs = 2, .batch = 1}, 1);
        CHECK_THROWS_WITH_AS((void)measure.measure(batch, {}), doctest::Contains("want whole passes of whole blocks"),
                             std::invalid_argument);
    }
    CHECK(now == 0);
}
