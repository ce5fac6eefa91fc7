// SPDX-License-Identifier: MIT
#include "tests/support/one_worker.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tunekit/measure/clocks.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using support::one_worker;
using tk::job;
using tk::ticket;

namespace {

/// Costs 1 + index and takes as long; notes each call.
struct plain {
    measure::virtual_clock time;
    std::vector<std::vector<tk::index>> calls{};

    std::vector<measure::measurement> measure(std::span<const tk::index> batch, const measure::limits&)
    {
        calls.emplace_back(batch.begin(), batch.end());
        std::vector<measure::measurement> out;
        for (const tk::index i : batch) {
            out.emplace_back().cost = 1 + static_cast<double>(i);
            time.advance(out.back().cost);
        }
        return out;
    }
};

/// The same, each as soon as it is known; breaks at `broken`.
struct streaming {
    plain inner;
    tk::index broken = 1000;

    std::vector<measure::measurement> measure(std::span<const tk::index> batch, const measure::limits& l)
    {
        return inner.measure(batch, l);
    }
    template <class Each>
    void measure(std::span<const tk::index> batch, const measure::limits& l, Each&& each)
    {
        inner.calls.emplace_back(batch.begin(), batch.end());
        for (const tk::index i : batch) {
            if (i == broken) throw tk::error("broken");
            each(inner.measure(std::span(&i, 1), l).front());
            inner.calls.pop_back();
        }
    }
};

static_assert(tk::pool<one_worker<plain, measure::virtual_clock>> && tk::pool<one_worker<streaming>>);

job numbered(std::uint64_t name, tk::index which, std::size_t task = 0)
{
    return {.ticket = ticket{name}, .task = task, .candidate = which};
}

}  // namespace

TEST_CASE("one worker measures what was submitted, one job a call, and takes no more until all are answered")
{
    double now = 100;
    plain m{measure::virtual_clock(now)};
    one_worker pool(m, {.ahead = 2}, measure::virtual_clock(now));
    CHECK(pool.room() == 2);
    CHECK(pool.collect(0).empty());
    pool.submit(numbered(1, 4));
    CHECK(pool.room() == 1);
    pool.submit(numbered(2, 0));
    CHECK(pool.room() == 0);
    CHECK_THROWS_AS(pool.submit(numbered(3, 0)), std::invalid_argument);
    const auto first = pool.collect(0);  // however short
    REQUIRE(first.size() == 1);
    CHECK(first[0].ticket == ticket{1});
    CHECK(first[0].measured->cost == 5);
    CHECK(first[0].ran_s == 5);
    CHECK(pool.now() == 5);
    CHECK(pool.room() == 0);
    const auto second = pool.collect(0);
    REQUIRE(second.size() == 1);
    CHECK(second[0].ticket == ticket{2});
    CHECK(second[0].queued_s == 5);
    CHECK(pool.room() == 2);
    CHECK(m.calls == std::vector<std::vector<tk::index>>{{4}, {0}});
}

TEST_CASE("one worker: a streaming measurer gets the batch that shares its task and limits")
{
    double now = 0;
    std::vector<streaming> tasks(2, streaming{plain{measure::virtual_clock(now)}});
    one_worker pool(std::span<streaming>{tasks}, {.ahead = 5}, measure::virtual_clock(now));
    pool.submit(numbered(1, 1));
    pool.submit(numbered(2, 2));
    job other = numbered(3, 3);
    other.limits.abandon_above = 7;
    pool.submit(other);
    pool.submit(numbered(4, 4, 1));
    CHECK_THROWS_AS(pool.submit(numbered(5, 0, 2)), std::invalid_argument);
    const auto both = pool.collect(0);
    REQUIRE(both.size() == 2);
    CHECK(both[0].ran_s == 2);
    CHECK(both[1].ran_s == 3);
    CHECK(pool.collect(0).at(0).ticket == ticket{3});
    CHECK(pool.collect(0).at(0).ticket == ticket{4});
    CHECK(tasks[0].inner.calls == std::vector<std::vector<tk::index>>{{1, 2}, {3}});
    CHECK(tasks[1].inner.calls == std::vector<std::vector<tk::index>>{{4}});
}

TEST_CASE("one worker: limits fall within a batch and for what waits behind it, of the same task")
{
    double now = 0;
    std::vector<streaming> tasks(2, streaming{plain{measure::virtual_clock(now)}});
    one_worker pool(std::span<streaming>{tasks}, {.ahead = 4}, measure::virtual_clock(now));
    const tk::index candidates[] = {3, 1, 2};
    for (std::uint64_t k = 0; k < 3; ++k) {
        job j = numbered(k, candidates[k]);
        j.limits.abandon_factor = 2;
        pool.submit(j);
    }
    job other = numbered(9, 1, 1);
    other.limits.abandon_factor = 2;
    pool.submit(other);
    const auto got = pool.collect(0);
    REQUIRE(got.size() == 3);
    CHECK(std::isinf(got[0].within->abandon_above));
    CHECK(got[1].within->abandon_above == 2 * got[0].measured->cost);
    CHECK(got[2].within->abandon_above == 2 * got[1].measured->cost);
    CHECK(std::isinf(pool.collect(0).at(0).within->abandon_above));
}

TEST_CASE("one worker: a measurer that breaks loses nothing that it measured before")
{
    double now = 0;
    streaming m{plain{measure::virtual_clock(now)}, 2};
    one_worker pool(m, {.ahead = 3}, measure::virtual_clock(now));
    for (std::uint64_t k = 0; k < 3; ++k) pool.submit(numbered(k, k + 1));
    const auto before = pool.collect(0);
    REQUIRE(before.size() == 1);
    CHECK(before[0].ticket == ticket{0});
    CHECK_THROWS_WITH_AS(static_cast<void>(pool.collect(0)), "tunekit: broken", tk::error);
    m.broken = 1000;
    CHECK(pool.collect(0).size() == 2);
}
