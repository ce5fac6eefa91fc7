// SPDX-License-Identifier: MIT
#include "tunekit/processes/isolated.hpp"

#include <doctest/doctest.h>
#include <new>

#include <fcntl.h>
#include <unistd.h>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/isolation.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/until_stable.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using measure::failure_kind;
using measure::measurement;
using support::has_children, support::no_zombie, support::plain;
using four = support::numbered<int, 4>;

static_assert(measure::measurer<measure::detail::isolated_measurer>);
static_assert(!std::copy_constructible<measure::detail::isolated_measurer> &&
              std::movable<measure::detail::isolated_measurer>);

namespace {

/// What a configuration does. Each is a real fault of a real loop over its output.
enum fault : int {
    good,
    slower,
    stores_far_outside,
    divides_by_zero,
    aborts,
    exits,
    loops,
    allocates,
    overflows_the_stack,
    closes_descriptors,
    closes_descriptors_and_loops,
    writes_into_the_canary,
    writes_into_the_guard,
    wrong_in_one_element,
    throws,
    kinds
};

constexpr std::size_t length = 1000;  // floats: 96 bytes are left of the page

volatile int sink = 0;
volatile std::size_t most = static_cast<std::size_t>(-1);

TUNEKIT_TEST_AS_IS void fill(float* out, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(i);
}

TUNEKIT_TEST_AS_IS int recurse(int depth)
{
    volatile char frame[4096];
    frame[0] = static_cast<char>(depth);
    sink = frame[0];
    return sink > 1000 ? 0 : recurse(depth + 1) + frame[0];  // a char is never above 1000
}

TUNEKIT_TEST_AS_IS int divide(int by) { return 7 / by; }

TUNEKIT_TEST_AS_IS void run_fault(fault kind, float* out)
{
    fill(out, length);
    switch (kind) {
        case good:
        case kinds:
            break;
        case slower:
            for (int k = 0; k < 20; ++k) fill(out, length);
            break;
        case stores_far_outside:
            fill(out, most / 2);
            break;
        case divides_by_zero:
            sink = divide(sink);
            break;
        case aborts:
            std::abort();
        case exits:
            ::_exit(0);
        case loops:
            for (;;) sink = 1 - sink;
        case allocates:
            for (std::size_t n = std::size_t{1} << 20;; ++n) {
                char* const more = new char[n];
                for (std::size_t i = 0; i < n; i += 4096) more[i] = 1;
                sink = more[n / 2];
            }
        case overflows_the_stack:
            sink = recurse(0);
            break;
        case closes_descriptors:
        case closes_descriptors_and_loops:
            for (int fd = 0; fd < 64; ++fd) ::close(fd);
            while (kind == closes_descriptors_and_loops) sink = 1 - sink;
            break;
        case writes_into_the_canary:
            fill(out, length + 1);
            break;
        case writes_into_the_guard:
            fill(out, length + 25);
            break;
        case wrong_in_one_element:
            out[617] = 616;
            break;
        case throws:
            throw std::runtime_error("no such tile");
    }
}

struct rig {
    measure::guarded_buffer<float> out{length};
    measure::guarded_buffer<float> want{length};
    measure::detail::isolated_measurer measurer;

    explicit rig(measure::isolated_options options = {}) : measurer(make(options)) {}

    measure::detail::isolated_measurer make(measure::isolated_options options)
    {
        fill(want.data(), length);
        want.protect();
        options.canaries = {out.canary(), want.canary()};
        options.memory_bytes = std::size_t{256} << 20;
        return measure::isolated(
            support::numbered<fault, kinds>{},
            measure::timed{[o = out.data()](fault kind) { run_fault(kind, o); }, measure::fixed{.runs = 6, .batch = 2},
                           measure::matches<float>{out.span(), want.span(), {.absolute = 0.5}}},
            std::move(options));
    }

    std::vector<measurement> operator()(std::vector<tk::index> batch, double seconds = 20)
    {
        return measurer.measure(batch, {.run_seconds = seconds});
    }
};

#if defined(__x86_64__)
constexpr bool traps = true;  // a division by zero
#else
constexpr bool traps = false;
#endif

/// A fault among good candidates: what it is recorded as, once in a worker that has run others and once in a fresh one.
measurement among_good(rig& r, fault kind, double seconds = 20)
{
    CAPTURE(static_cast<int>(kind));
    const auto before = r({good, slower});
    CHECK(before[0].ok());
    CHECK(before[1].ok());
    const auto m = r({static_cast<tk::index>(kind)}, seconds).front();
    REQUIRE(m.failed);
    CHECK_FALSE(m.ok());
    CHECK(std::isnan(m.cost));
    CHECK(m.run_seconds > 0);
    CHECK_FALSE(m.failed->message.empty());
    CHECK(no_zombie());
    CHECK(r({good}).front().ok());
    CHECK(r({static_cast<tk::index>(kind)}, seconds).front().failed == m.failed);
    CHECK(r({slower}).front().ok());
    CHECK(r.out.canary().intact());
    return m;
}

}  // namespace

TEST_CASE("isolated measures what in-process measuring does")
{
    rig r;
    const auto m = r({good, slower, good});
    REQUIRE(m.size() == 3);
    for (const auto& one : m) {
        CHECK(one.ok());
        CHECK(one.batches.size() == 3);
        CHECK(one.cost > 0);
        CHECK(one.run_seconds > 0);
    }
    CHECK(r.out.span()[617] == 617);  // outputs survive in shared memory
    CHECK(r({}).empty());
}

TEST_CASE("isolated: every fault is told as what it is")
{
    struct told {
        const char* name;
        fault kind;
        measure::failure want;  // without a message: of any
        double seconds = 20;
    };
    const told all[] = {
        {"a store far outside",
         stores_far_outside,
         {failure_kind::crash, SIGSEGV,
          "SIGSEGV, touched memory that it may not; wrote beside output 0, 0 bytes past its end"}},
        {"a division by zero", divides_by_zero, {failure_kind::crash, SIGFPE, ""}},
        {"abort", aborts, {failure_kind::crash, SIGABRT, ""}},
        {"_exit(0) is no success", exits, {failure_kind::exited, 0, "ended the process with status 0"}},
        {"stack overflow", overflows_the_stack, {failure_kind::crash, SIGSEGV, ""}},
        {"closing the worker's descriptors",
         closes_descriptors,
         {failure_kind::exited, 121, "closed the worker's descriptors"}},
        {"closing them and running on",
         closes_descriptors_and_loops,
         {failure_kind::exited, 0, "closed the worker's descriptors and ran on"},
         5},
        {"one element past the output damages the canary",
         writes_into_the_canary,
         {failure_kind::damaged_canary, 0, "wrote beside output 0, 0 bytes past its end"}},
        {"beyond the page of the output is a crash there and then",
         writes_into_the_guard,
         {failure_kind::crash, SIGSEGV, ""}},
        {"wrong in one element",
         wrong_in_one_element,
         {failure_kind::wrong_result, 0, "element 617 is 616, want 617 (absolute 0.5, relative 0)"}},
        {"an exception is data", throws, {failure_kind::crash, 0, "threw: no such tile"}},
    };
    for (const told& row : all) {
        SUBCASE(row.name)
        {
            rig r;
            const auto m = among_good(r, row.kind, row.seconds);
            if (!row.want.message.empty()) {
                CHECK(m.failed == row.want);
            } else if (row.kind != divides_by_zero || traps) {
                CHECK(m.failed->kind == row.want.kind);
                CHECK(m.failed->code == row.want.code);
            }
        }
    }
}

TEST_CASE("isolated: an infinite loop ends at run_seconds")
{
    rig r;
    CHECK(among_good(r, loops, 0.3).failed->kind == failure_kind::run_timeout);
    CHECK(r({loops}, 0.2).front().failed->message ==
          "was still running after 0.3 s, and again in a fresh worker");  // known: not run again
    CHECK(r({loops}, 0.4).front().failed->message ==
          "was still running after 0.4 s, and again in a fresh worker");  // a longer limit is another question
}

TEST_CASE("isolated: infinite allocation, held by the system")
{
    if (!plain) return;  // a sanitizer's allocator does not live within RLIMIT_AS
    rig r(measure::isolated_options{.rule = measure::isolated_options::memory_rule::address_space});
    const auto m = among_good(r, allocates);
    CHECK(m.failed->kind == failure_kind::out_of_memory);
    CHECK(m.failed->message == "std::bad_alloc, held to 256 MiB more of address space (RLIMIT_AS)");
}

TEST_CASE("isolated: infinite allocation, held by the parent")
{
    rig r(measure::isolated_options{.rule = measure::isolated_options::memory_rule::resident});
    const auto m = among_good(r, allocates);
    CHECK(m.failed->kind == failure_kind::out_of_memory);
    CHECK(m.failed->message == "made more than 256 MiB resident (killed by the parent)");
}

TEST_CASE("isolated: every fault in one batch leaves the good ones as they are")
{
    rig r;
    std::vector<tk::index> batch;
    for (const fault kind :
         {stores_far_outside, divides_by_zero, aborts, exits, overflows_the_stack, closes_descriptors,
          writes_into_the_canary, writes_into_the_guard, wrong_in_one_element, throws}) {
        batch.push_back(good);
        batch.push_back(static_cast<tk::index>(kind));
    }
    batch.push_back(slower);
    const auto m = r(batch);
    REQUIRE(m.size() == batch.size());
    for (std::size_t i = 0; i < m.size(); ++i) CHECK(m[i].ok() == (batch[i] <= slower));
    CHECK(no_zombie());
}
TEST_CASE("isolated: long answers arrive whole")
{
    auto measurer = measure::isolated(
        four{}, measure::timed{[](int c) { return 1.0 + c; }, measure::fixed{.runs = 20000, .batch = 1}});
    const auto m = measurer.measure(std::vector<tk::index>{3}, {}).front();
    REQUIRE(m.ok());
    CHECK(m.batches == std::vector<double>(20000, 4.0));
    CHECK(m.runs == 20000);
    CHECK(m.cost == doctest::Approx(4));
}

TEST_CASE("isolated: children, handlers, descriptors: none of the parent's")
{
    int pipe_ends[2];
    REQUIRE(::pipe(pipe_ends) == 0);
    ::signal(SIGUSR1, [](int) {});
    struct seen_by_child {
        int open_descriptors;
        int handler_is_default;
        int own_group;
    };
    measure::guarded_buffer<seen_by_child> seen(1);
    auto measurer = measure::isolated(four{}, measure::timed{[s = seen.data()](int) {
                                                                 s->open_descriptors = 0;
                                                                 for (int fd = 0; fd < 256; ++fd)
                                                                     s->open_descriptors += ::fcntl(fd, F_GETFD) >= 0;
                                                                 struct sigaction now{};
                                                                 ::sigaction(SIGUSR1, nullptr, &now);
                                                                 s->handler_is_default = now.sa_handler == SIG_DFL;
                                                                 s->own_group = ::getpgrp() == ::getpid();
                                                                 return 1.0;
                                                             },
                                                             measure::fixed{.runs = 1, .batch = 1}});
    CHECK(measurer.measure(std::vector<tk::index>{0}, {}).front().ok());
    CHECK(seen.data()->open_descriptors == 4);  // the null device thrice, and its own
    CHECK(seen.data()->handler_is_default == 1);
    CHECK(seen.data()->own_group == 1);
    ::signal(SIGUSR1, SIG_DFL);
    ::close(pipe_ends[0]);
    ::close(pipe_ends[1]);
}

TEST_CASE("isolated: moving moves the children, and the end of the last owner is theirs")
{
    REQUIRE_FALSE(has_children());
    {
        auto first =
            measure::isolated(four{}, measure::timed{[](int) { return 1.0; }, measure::fixed{.runs = 1, .batch = 1}});
        auto second = std::move(first);
        CHECK(second.measure(std::vector<tk::index>{0}, {}).front().ok());
        second =
            measure::isolated(four{}, measure::timed{[](int) { return 2.0; }, measure::fixed{.runs = 1, .batch = 1}});
        CHECK(second.measure(std::vector<tk::index>{0}, {}).front().cost == 2);
        CHECK(has_children());
    }
    CHECK_FALSE(has_children());
}

TEST_CASE("isolated refuses to be built beside other threads")
{
    if (!plain) return;  // a sanitizer may run threads of its own
    const support::with_thread other;
    CHECK_THROWS_WITH_AS(
        static_cast<void>(measure::isolated(four{}, measure::timed{[](int) {}, measure::fixed{}})),
        "tunekit: isolated: this process runs 2 threads, of which a fork keeps one; build it before starting threads",
        tk::error);
}

TEST_CASE("guarded_buffer: canary up to the end of the page, none where the page is full, at its place when moved")
{
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    measure::guarded_buffer<double> part(100);
    CHECK(part.size() == 100);
    CHECK(part.canary().size == page - 800);
    CHECK(part.canary().intact());
    CHECK(part.span()[99] == 0);
    double* const at = part.data();
    part.span()[99] = 5;
    CHECK(part.canary().intact());
    part.canary().bytes[3] = 0;
    CHECK(part.canary().first_damaged() == 3);
    part.canary().restore();
    CHECK(part.canary().intact());
    auto moved = std::move(part);
    CHECK(moved.data() == at);
    CHECK(moved.span()[99] == 5);
    measure::guarded_buffer<double> full(page / 8);
    CHECK(full.canary().size == 0);
    CHECK(full.canary().intact());
    CHECK_THROWS_AS(measure::guarded_buffer<double>(0), std::invalid_argument);
    CHECK_THROWS_AS(measure::guarded_buffer<double>(std::size_t{1} << 58), tk::error);
}
