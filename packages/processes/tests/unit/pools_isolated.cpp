// SPDX-License-Identifier: MIT
#include "tunekit/processes/isolated_workers.hpp"

#include <doctest/doctest.h>
#include <algorithm>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "tests/support/isolation.hpp"
#include "tests/support/parents.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/until_stable.hpp"
#include "tunekit/processes/detail/process.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using measure::failure_kind;
using measure::isolated_workers;
using support::has_children;
using tk::answer;
using tk::job;
using tk::ticket;

static_assert(tk::pool<isolated_workers> && measure::measurer<measure::detail::lone_worker>);
static_assert(std::movable<isolated_workers> && !std::copy_constructible<isolated_workers>);

namespace {

using ten = support::numbered<int, 10>;

/// What the workers tell each other and the test, in shared memory.
struct shared {
    int runs[10];
    int pid[4];     // of the worker that ran last
    int made[4];    // how often `make` was called
    int hold_back;  // configuration 2 runs until this is set
    int cores[4];   // the processors that a worker may use
    unsigned mask[4];
};

constexpr measure::fixed once{.runs = 1, .batch = 1};

/// Costs 1 + c by its own word. 2 waits; 3 crashes; 4 writes beside the output; 5 kills the zygote; 6 ends late; 7 kills its
/// parent.
struct kernel {
    shared* seen;
    std::shared_ptr<measure::guarded_buffer<float>> out;
    std::size_t worker;

    double operator()(int c) const
    {
        ++seen->runs[c];
        seen->pid[worker] = ::getpid();
        cpu_set_t set;
        CPU_ZERO(&set);
        ::sched_getaffinity(0, sizeof set, &set);
        seen->cores[worker] = CPU_COUNT(&set);
        for (unsigned k = 0; k < 32; ++k) seen->mask[worker] |= CPU_ISSET(k, &set) ? 1U << k : 0U;
        out->span()[0] = static_cast<float>(worker);
        volatile int* const go = &seen->hold_back;
        while (c == 2 && *go == 0) ::usleep(500);
        if (c == 3) std::abort();
        if (c == 4) out->data()[out->size()] = 1;
        if (c == 5) {
            ::kill(support::grandparent(), SIGKILL);
            ::pause();
        }
        if (c == 7) {
            ::kill(::getppid(), SIGKILL);
            ::pause();
        }
        while (c == 6) ::usleep(1000);
        return out->span()[0] == static_cast<float>(worker) ? 1.0 + c : -1.0;
    }
};

struct rig {
    measure::guarded_buffer<shared> seen{1};
    isolated_workers pool;

    explicit rig(std::size_t n, measure::isolated_workers::options options = {.pinned = false})
        : pool(
              n,
              [this](std::size_t worker) {
                  ++seen.data()->made[worker];
                  auto out = std::make_shared<measure::guarded_buffer<float>>(100);
                  const auto canary = out->canary();
                  return measure::worker_task{
                      ten{}, measure::timed{kernel{seen.data(), std::move(out), worker}, once}, {canary}};
              },
              options)
    {
    }

    void submit(std::uint64_t name, tk::index candidate, double seconds = 20)
    {
        pool.submit({.ticket = ticket{name}, .candidate = candidate, .limits = {.run_seconds = seconds}});
    }
    std::vector<answer> wait(std::size_t n)
    {
        std::vector<answer> out;
        while (out.size() < n)
            for (answer& a : pool.collect(30)) out.push_back(std::move(a));
        return out;
    }
};

}  // namespace

TEST_CASE("isolated workers: one may be long, the others answer meanwhile; each has its own kernel and buffer")
{
    rig r(2);
    CHECK(r.pool.workers() == 2);
    CHECK(r.pool.room() == 2);
    CHECK(r.pool.collect(60).empty());  // nothing is out: at once
    r.submit(1, 2);
    CHECK(r.pool.room() == 1);
    std::uint64_t name = 2;
    for (const tk::index candidate : {0U, 1U, 8U}) {
        r.submit(name, candidate);
        CHECK(r.pool.room() == 0);
        const auto a = r.wait(1);
        REQUIRE(a.size() == 1);
        CHECK(a[0].ticket == ticket{name});
        REQUIRE(a[0].measured);
        CHECK(a[0].measured->cost == 1.0 + static_cast<double>(candidate));
        CHECK(a[0].worker == 1);
        CHECK(a[0].ran_s >= 0);
        ++name;
    }
    CHECK_THROWS_AS((r.submit(9, 0), r.submit(10, 0)), std::invalid_argument);
    r.wait(1);
    CHECK(r.pool.collect(0).empty());  // does not wait
    r.seen.data()->hold_back = 1;
    const auto last = r.wait(1);
    CHECK(last[0].ticket == ticket{1});
    CHECK(last[0].worker == 0);
    CHECK(r.seen.data()->pid[0] != r.seen.data()->pid[1]);
    CHECK(r.seen.data()->made[0] == 1);
    CHECK(r.seen.data()->made[1] == 1);
}

TEST_CASE("isolated workers: failures are those of isolated, and one worker's failure is known to all")
{
    rig r(2);
    for (std::uint64_t k = 0; k < 2; ++k) r.submit(k, 0);
    r.wait(2);
    r.submit(3, 3);
    r.submit(4, 4);
    std::map<ticket, measure::measurement> got;
    for (const answer& a : r.wait(2)) got[a.ticket] = *a.measured;
    CHECK(got[ticket{3}].failed->code == SIGABRT);
    CHECK(r.seen.data()->runs[3] == 2);  // its worker had run another: once more in a fresh one
    CHECK(got[ticket{4}].failed ==
          measure::failure{failure_kind::damaged_canary, 0, "wrote beside output 0, 0 bytes past its end"});
    CHECK(2 * r.seen.data()->runs[4] == r.seen.data()->runs[0]);  // measured once: the canary says who it was
    r.submit(5, 3);
    r.submit(6, 3);
    for (const answer& a : r.wait(2)) {
        CHECK(a.measured->failed->code == SIGABRT);
        CHECK(a.ran_s == 0);
    }
    CHECK(r.seen.data()->runs[3] == 2);
    r.submit(7, 6, 0.2);
    CHECK(r.wait(1)[0].measured->failed->kind == failure_kind::run_timeout);
    r.submit(8, 9);
    CHECK(r.wait(1)[0].measured->ok());
}

TEST_CASE("isolated workers: a kernel that kills its parent has failed, one that kills the zygote loses its job")
{
    rig r(2);
    r.submit(1, 2);
    r.submit(4, 7);
    const auto failed = r.wait(1);
    CHECK(failed[0].measured->failed ==
          measure::failure{failure_kind::crash, SIGKILL, "killed the process that looks after it"});
    r.submit(2, 5);
    const auto lost = r.wait(1);
    CHECK(lost[0].ticket == ticket{2});
    CHECK_FALSE(lost[0].measured);
    CHECK(r.pool.room() == 1);  // forked again
    r.submit(3, 1);
    const auto next = r.wait(1);
    CHECK(next[0].measured->ok());
    CHECK(next[0].worker == 1);
    CHECK(r.seen.data()->made[1] == 1);  // with what it had
    r.seen.data()->hold_back = 1;
    CHECK(r.wait(1)[0].measured->ok());
}

TEST_CASE("isolated workers: with threads there is no new worker; when the last is lost, collect says so")
{
    if (measure::detail::sanitized) return;  // a sanitizer may run threads of its own
    rig r(1, {.pinned = false});
    const support::with_thread other;
    r.submit(1, 0);
    CHECK(r.wait(1)[0].measured->ok());  // threads that came later disturb nobody
    r.submit(2, 5);
    CHECK_FALSE(r.wait(1)[0].measured);
    CHECK(r.pool.room() == 0);
    CHECK_THROWS_WITH_AS(static_cast<void>(r.pool.collect(1)),
                         "tunekit: isolated_workers: every worker is lost; the zygote is gone; something ended it",
                         tk::error);
    CHECK_THROWS_AS((rig(1)), tk::error);
}

TEST_CASE("isolated workers: alone, one worker measures for a race, while nothing else is out")
{
    rig r(2);
    auto quiet = r.pool.alone(1);
    const auto m = quiet.measure(std::vector<tk::index>{0, 3, 1}, {});
    REQUIRE(m.size() == 3);
    CHECK(m[0].cost == 1);
    CHECK(m[1].failed->code == SIGABRT);
    CHECK(m[2].cost == 2);
    CHECK(r.seen.data()->pid[0] == 0);
    const auto result = measure::race(quiet, std::vector<tk::index>{1, 0, 8});
    CHECK(result.winner == 0);
    const int before = r.seen.data()->pid[1];
    (void)quiet.measure(std::vector<tk::index>{0, 1}, {});
    CHECK(r.seen.data()->pid[1] == before);
    (void)r.pool.alone(1, 0, true).measure(std::vector<tk::index>{0, 1}, {});
    CHECK(r.seen.data()->pid[1] != before);
    r.submit(1, 1);
    CHECK_THROWS_AS(static_cast<void>(quiet.measure(std::vector<tk::index>{0}, {})), std::invalid_argument);
    r.wait(1);
    r.submit(2, 3);
    CHECK(r.wait(1)[0].ran_s == 0);  // what was learned alone is known
    CHECK_THROWS_AS(static_cast<void>(r.pool.alone(2)), std::invalid_argument);
    CHECK_THROWS_AS(static_cast<void>(r.pool.alone(0, 1)), std::invalid_argument);
}

TEST_CASE("isolated workers: several tasks, each with its space and buffers")
{
    measure::guarded_buffer<int> seen(2);
    isolated_workers pool(
        1,
        [&](std::size_t) {
            std::vector<measure::any_worker_task> tasks;
            for (int t = 0; t < 2; ++t)
                tasks.emplace_back(measure::worker_task{ten{}, measure::timed{[t, at = seen.data() + t](int c) {
                                                                                  *at = *at + 1;
                                                                                  if (c == 9 && t == 0) std::abort();
                                                                                  return t + 1.0;
                                                                              },
                                                                              once}});
            return tasks;
        },
        {.pinned = false});
    const auto cost = [&](std::size_t task, tk::index candidate) {
        pool.submit({.task = task, .candidate = candidate});
        return pool.collect(30).at(0).measured.value();
    };
    CHECK(cost(0, 1).cost == 1);
    CHECK(cost(1, 1).cost == 2);
    CHECK(cost(0, 9).failed);
    CHECK(cost(1, 9).ok());  // another task's candidate of the same index
    CHECK_THROWS_AS(pool.submit({.task = 2}), std::invalid_argument);
}

TEST_CASE("isolated workers: each is pinned to processors of its own")
{
    const auto allowed = measure::detail::allowed_cores();
    const std::size_t n = (std::min)(allowed.size(), std::size_t{4});
    {
        rig r(n, {});
        for (std::uint64_t k = 0; k < n; ++k) r.submit(k, 2);
        r.seen.data()->hold_back = 1;
        r.wait(n);
        unsigned seen = 0;
        for (std::size_t k = 0; k < n; ++k) {
            CHECK(r.seen.data()->cores[k] >= 1);
            CHECK((seen & r.seen.data()->mask[k]) == 0);
            seen |= r.seen.data()->mask[k];
        }
    }
    CHECK_THROWS_AS(rig(allowed.size() + 1, {}), std::invalid_argument);
    CHECK_THROWS_AS(rig(0), std::invalid_argument);
    CHECK_THROWS_AS(rig(2, {.cores = {{allowed[0]}, {allowed[0]}}}), std::invalid_argument);
    CHECK_THROWS_AS(rig(1, {.cores = {{}}}), std::invalid_argument);
    CHECK_THROWS_AS(rig(1, {.cores = {{100000}}}), std::invalid_argument);
    CHECK_THROWS_AS(rig(1, {.cores = {{allowed[0]}, {allowed[0]}}}), std::invalid_argument);
}

TEST_CASE("shares of processors are whole cores where there are enough, equal, and leave out what is spared")
{
    using cores = std::vector<std::vector<int>>;
    const auto pairs = [](int cpu) { return cpu % 4; };  // 0 and 4 share a core, and so on
    const auto each = [](int cpu) { return cpu; };
    const std::vector<int> eight{0, 1, 2, 3, 4, 5, 6, 7};
    CHECK(measure::detail::share_cores(2, 0, eight, pairs).workers == cores{{0, 4, 1, 5}, {2, 6, 3, 7}});
    CHECK(measure::detail::share_cores(3, 1, eight, pairs).workers == cores{{0, 4}, {1, 5}, {2, 6}});
    CHECK(measure::detail::share_cores(3, 0, eight, pairs).workers == cores{{0, 4}, {1, 5}, {2, 6, 3, 7}});
    CHECK(measure::detail::share_cores(8, 0, eight, pairs).workers == cores{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}});
    CHECK(measure::detail::share_cores(1, 1, {3, 5}, each).workers == cores{{3}});
    CHECK(measure::detail::share_cores(3, 1, eight, pairs).spared == std::vector<int>{3, 7});
    CHECK(measure::share_cores(1).spared.empty());
    CHECK_THROWS_AS(static_cast<void>(measure::detail::share_cores(8, 1, eight, pairs)), std::invalid_argument);
}

TEST_CASE("isolated workers: nothing outlives the pool, not even what runs")
{
    REQUIRE_FALSE(has_children());
    int running = 0;
    {
        rig r(2);
        r.submit(1, 6, 100);
        r.submit(2, 2, 100);
        while (r.seen.data()->pid[0] == 0 || r.seen.data()->pid[1] == 0)
            REQUIRE(r.pool.collect(0.01).empty());  // a job begins in collect
        running = r.seen.data()->pid[0];
        CHECK(has_children());
        isolated_workers moved = std::move(r.pool);
        CHECK(moved.workers() == 2);
    }
    CHECK_FALSE(has_children());
    CHECK(::kill(running, 0) != 0);
}
