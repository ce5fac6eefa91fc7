// SPDX-License-Identifier: MIT
#include "tunekit/processes/interruptible.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tk = tunekit;
namespace measure = tk::measure;

namespace {

/// A pool of two places whose jobs take as many seconds as their candidate's index; 100 and more never end.
struct slow_pool {
    struct out {
        tk::job what;
        double ends;
    };
    std::vector<out> jobs{};
    std::vector<double> above{};  ///< the limits::abandon_above of each
    double time = 0;
    int collects = 0;

    [[nodiscard]] std::size_t workers() const { return 2; }
    [[nodiscard]] std::size_t room() const { return 2 - jobs.size(); }
    [[nodiscard]] double now() const { return time; }
    void submit(const tk::job& j)
    {
        jobs.push_back({j, time + static_cast<double>(j.candidate)});
        above.push_back(j.limits.abandon_above);
    }
    std::vector<tk::answer> collect(double seconds)
    {
        ++collects;
        time += seconds;
        std::vector<tk::answer> answers;
        for (const out& j : jobs)
            if (j.ends <= time && j.what.candidate < 100)
                answers.push_back({.ticket = j.what.ticket, .measured = measure::measurement{.cost = j.ends}});
        std::erase_if(jobs, [&](const out& j) { return j.ends <= time && j.what.candidate < 100; });
        return answers;
    }
};

tk::job job_of(std::uint64_t ticket, tk::index candidate)
{
    return {.ticket = tk::ticket{ticket}, .candidate = candidate};
}

}  // namespace

static_assert(tk::pool<measure::interruptible<slow_pool, bool (*)()>>);
static_assert(measure::streaming_measurer<measure::interruptible<slow_pool, bool (*)()>>);

TEST_CASE("interruptible: until an end is asked for it is the pool")
{
    slow_pool slow;
    measure::interruptible pool(slow, [] { return false; });
    CHECK(pool.workers() == 2);
    CHECK(pool.room() == 2);
    CHECK(pool.collect(5).empty());  // nothing is out, so it does not wait
    CHECK(slow.time < 1);
    pool.submit(job_of(1, 3));
    pool.submit(job_of(2, 2));
    CHECK(pool.room() == 0);
    CHECK(pool.collect(1).empty());
    CHECK(slow.time < 1.3);
    const auto first = pool.collect(60);
    REQUIRE(first.size() == 1);
    CHECK(first[0].ticket == tk::ticket{2});
    CHECK(first[0].measured.has_value());
    CHECK(pool.room() == 1);
    CHECK(pool.collect(60).size() == 1);
    CHECK(pool.now() == slow.time);
}

TEST_CASE("interruptible: once asked, what is out and what is submitted later comes back as lost")
{
    slow_pool slow;
    measure::interruptible pool(slow, [&] { return slow.collects >= 3; });
    pool.submit(job_of(1, 100));
    pool.submit(job_of(2, 200));
    const auto lost = pool.collect(1e9);
    REQUIRE(lost.size() == 2);
    CHECK(lost[0] == tk::answer{.ticket = tk::ticket{1}});
    CHECK(lost[1] == tk::answer{.ticket = tk::ticket{2}});
    CHECK(pool.stopped());
    CHECK(slow.time < 1);
    CHECK(pool.room() == 2);  // those that never end hold no place here
    pool.submit(job_of(3, 0));
    CHECK(slow.jobs.size() == 2);  // and no other goes out
    CHECK(pool.room() == 1);
    CHECK(pool.collect(1) == std::vector<tk::answer>{{.ticket = tk::ticket{3}}});
    CHECK(pool.collect(1).empty());
}

TEST_CASE("interruptible: as a measurer it gives what was ended a failure")
{
    slow_pool slow;
    measure::interruptible pool(slow, [&] { return slow.time > 8; });
    const std::vector<tk::index> batch{2, 5, 100, 1};
    const auto measured = pool.measure(batch, {});
    REQUIRE(measured.size() == 4);
    CHECK(measured[0].ok());
    CHECK(measured[1].ok());
    for (const std::size_t k : {std::size_t{2}, std::size_t{3}}) {
        REQUIRE(measured[k].failed.has_value());
        CHECK(measured[k].failed->kind == measure::failure_kind::lost);
        CHECK(measured[k].failed->message == "the run was ended");
    }
}

TEST_CASE("interruptible: as a measurer it reads the limits when a run begins, so that they fall inside a batch")
{
    slow_pool slow;
    measure::interruptible pool(slow, [] { return false; });
    measure::limits within{.abandon_above = 90};
    const std::vector<tk::index> batch{2, 5, 1};
    pool.measure(batch, within, [&](const measure::measurement&) { within.abandon_above /= 3; });
    CHECK(slow.above == std::vector<double>{90, 30, 10});
}
