// SPDX-License-Identifier: MIT
#include "tunekit/processes/isolated.hpp"

#include <doctest/doctest.h>

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <atomic>
#include <cfenv>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "tests/support/parents.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/until_stable.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using measure::failure_kind;
using measure::measurement;

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

struct faults {
    using config = fault;
    [[nodiscard]] tk::index size() const { return kinds; }
    [[nodiscard]] config at(tk::index i) const { return static_cast<fault>(i); }
    [[nodiscard]] std::optional<tk::index> index_of(const config& c) const { return static_cast<tk::index>(c); }
};

#if defined(__has_attribute)
#if __has_attribute(no_sanitize)
#define TUNEKIT_TEST_AS_IS __attribute__((noinline, no_sanitize("address", "undefined")))
#endif
#endif
#ifndef TUNEKIT_TEST_AS_IS
#define TUNEKIT_TEST_AS_IS __attribute__((noinline))
#endif

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

/// Whether this process has no child that has ended and was not waited for, and how many live ones.
bool no_zombie()
{
    siginfo_t info{};
    info.si_pid = 0;
    return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0;
}

bool has_children()
{
    siginfo_t info{};
    return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
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
            faults{},
            measure::timed{[o = out.data()](fault kind) { run_fault(kind, o); }, measure::fixed{.runs = 6, .batch = 2},
                           measure::matches<float>{out.span(), want.span(), {.absolute = 0.5}}},
            std::move(options));
    }

    std::vector<measurement> operator()(std::vector<tk::index> batch, double seconds = 20)
    {
        return measurer.measure(batch, {.run_seconds = seconds});
    }
};

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

constexpr bool plain = !measure::detail::sanitized;

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

TEST_CASE("isolated: SIGSEGV by a store far outside")
{
    rig r;
    CHECK(among_good(r, stores_far_outside).failed ==
          measure::failure{failure_kind::crash, SIGSEGV,
                           "SIGSEGV, touched memory that it may not; wrote beside output 0, 0 bytes past its end"});
}

TEST_CASE("isolated: SIGFPE")
{
    rig r;
    const auto m = among_good(r, divides_by_zero);
#if defined(__x86_64__)
    CHECK(m.failed->kind == failure_kind::crash);
    CHECK(m.failed->code == SIGFPE);
#endif
}

TEST_CASE("isolated: abort")
{
    rig r;
    const auto m = among_good(r, aborts);
    CHECK(m.failed->kind == failure_kind::crash);
    CHECK(m.failed->code == SIGABRT);
}

TEST_CASE("isolated: _exit(0) is no success")
{
    rig r;
    CHECK(among_good(r, exits).failed == measure::failure{failure_kind::exited, 0, "ended the process with status 0"});
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

TEST_CASE("isolated: stack overflow")
{
    rig r;
    const auto m = among_good(r, overflows_the_stack);
    CHECK(m.failed->kind == failure_kind::crash);
    CHECK(m.failed->code == SIGSEGV);
}

TEST_CASE("isolated: closing the worker's descriptors")
{
    rig r;
    CHECK(among_good(r, closes_descriptors).failed ==
          measure::failure{failure_kind::exited, 121, "closed the worker's descriptors"});
    CHECK(among_good(r, closes_descriptors_and_loops, 5).failed ==
          measure::failure{failure_kind::exited, 0, "closed the worker's descriptors and ran on"});
}

TEST_CASE("isolated: one element past the output damages the canary, which names the candidate")
{
    rig r;
    CHECK(among_good(r, writes_into_the_canary).failed ==
          measure::failure{failure_kind::damaged_canary, 0, "wrote beside output 0, 0 bytes past its end"});
}

TEST_CASE("isolated: beyond the page of the output is a crash there and then")
{
    rig r;
    const auto m = among_good(r, writes_into_the_guard);
    CHECK(m.failed->kind == failure_kind::crash);
    CHECK(m.failed->code == SIGSEGV);
}

TEST_CASE("isolated: wrong in one element")
{
    rig r;
    CHECK(among_good(r, wrong_in_one_element).failed ==
          measure::failure{failure_kind::wrong_result, 0, "element 617 is 616, want 617 (absolute 0.5, relative 0)"});
}

TEST_CASE("isolated: an exception is data")
{
    rig r;
    CHECK(among_good(r, throws).failed == measure::failure{failure_kind::crash, 0, "threw: no such tile"});
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

namespace {

/// Configuration 0 spoils what the worker keeps between candidates; 1 crashes where it was spoilt; 2 always crashes; 3
/// never.
struct spoilt {
    std::unique_ptr<int> shared = std::make_unique<int>(1);
    int* runs;  // in shared memory: runs of each configuration

    void operator()(int c)
    {
        runs[c] = runs[c] + 1;
        if (c == 0) *shared = 0;
        if (c == 2 || (c == 1 && *shared == 0)) std::abort();
    }
};

struct four {
    using config = int;
    [[nodiscard]] tk::index size() const { return 4; }
    [[nodiscard]] config at(tk::index i) const { return static_cast<int>(i); }
    [[nodiscard]] std::optional<tk::index> index_of(const config& c) const { return static_cast<tk::index>(c); }
};

}  // namespace

TEST_CASE("isolated: silent damage before an innocent successor leaves that one's record valid")
{
    measure::guarded_buffer<int> runs(4);
    auto measurer = measure::isolated(four{}, measure::timed{spoilt{.runs = runs.data()},
                                                             measure::fixed{.runs = 3, .batch = 1},
                                                             measure::no_check{},
                                                             measure::wall_clock{},
                                                             {.min_steps = 0}});
    const auto m = measurer.measure(std::vector<tk::index>{0, 1, 3, 2, 3, 1}, {});
    CHECK(m[0].ok());
    CHECK(m[1].ok());
    CHECK(m[2].ok());
    CHECK(m[3].failed->code == SIGABRT);
    CHECK(m[4].ok());
    CHECK(m[5].ok());
    CHECK(runs.span()[2] == 2);  // the suspect once more, in a fresh worker
    CHECK(measurer.measure(std::vector<tk::index>{2}, {}).front() != m[0]);
    CHECK(runs.span()[2] == 2);  // and never again
}

namespace {

/// Configuration 0 writes past the end of a block of the heap, over what the allocator keeps of the block behind it,
/// and nobody notices; 1 frees that block and takes another, as any innocent kernel may, which ends a damaged process.
struct heap_user {
    static constexpr std::size_t block = 984;  // what is freed stays as it is, for the next block of this size...
    static constexpr std::size_t enough = 64;  // ...once there is no longer a store of those that were freed before
    unsigned char* first = nullptr;            // of two neighbours
    unsigned char* second = nullptr;
    std::vector<unsigned char*> blocks;
    int* worker;  // in shared memory: the process that last ran each configuration

    explicit heap_user(int* processes) : worker(processes)
    {
        blocks.push_back(take());
        while (blocks.size() < 1000 && second == nullptr) {
            unsigned char* const before = blocks.back();
            blocks.push_back(take());
            if (blocks.size() < enough || blocks.back() <= before) continue;
            if (blocks.back() - before >= 2 * static_cast<std::ptrdiff_t>(block)) continue;
            first = before;
            second = blocks.back();
        }
    }

    static unsigned char* take() { return static_cast<unsigned char*>(std::malloc(block)); }

    void operator()(int c)
    {
        worker[c] = ::getpid();
        if (c == 0) damage();
        if (c == 1) {
            std::free(second);
            second = take();
        }
    }

    TUNEKIT_TEST_AS_IS void damage() const
    {
        unsigned char* volatile at = first;
        for (unsigned char* p = at + block; p < second; ++p) *p = 0x5A;
    }
};

}  // namespace

TEST_CASE("isolated: a heap damaged in silence costs the innocent successor a second try and nothing else")
{
    measure::guarded_buffer<int> worker(4);
    const heap_user kernel(worker.data());
    if (!plain && kernel.second == nullptr) return;  // a sanitizer's allocator, with blocks where it likes
    REQUIRE(kernel.second != nullptr);
    auto measurer = measure::isolated(four{}, measure::timed{kernel,
                                                             measure::fixed{.runs = 3, .batch = 1},
                                                             measure::no_check{},
                                                             measure::wall_clock{},
                                                             {.min_steps = 0}});
    const auto m = measurer.measure(std::vector<tk::index>{1, 0, 3}, {});
    for (const auto& one : m) CHECK(one.ok());
    CHECK(worker.span()[0] == worker.span()[1]);
    const int damaged = worker.span()[0];
    CHECK(worker.span()[3] == damaged);
    const auto innocent = measurer.measure(std::vector<tk::index>{1}, {}).front();
    CHECK(innocent.ok());
    CHECK(innocent.runs == 3);
    CHECK(innocent.batches.size() == 3);
    if (plain) CHECK(worker.span()[1] != damaged);  // which ended under it
    CHECK(no_zombie());
    for (unsigned char* const one : kernel.blocks) std::free(one);
}

TEST_CASE("isolated: a fault in a fresh worker is not repeated")
{
    measure::guarded_buffer<int> runs(4);
    auto measurer =
        measure::isolated(four{}, measure::timed{spoilt{.runs = runs.data()}, measure::fixed{.runs = 3, .batch = 1}});
    CHECK(measurer.measure(std::vector<tk::index>{2}, {}).front().failed);
    CHECK(runs.span()[2] == 1);
}

TEST_CASE("isolated: a worker that ends between two candidates is nobody's fault")
{
    measure::guarded_buffer<int> worker(1);
    auto measurer = measure::isolated(four{}, measure::timed{[pid = worker.data()](int) {
                                                                 *pid = ::getpid();
                                                                 return 1.0;
                                                             },
                                                             measure::fixed{.runs = 1, .batch = 1}});
    CHECK(measurer.measure(std::vector<tk::index>{0}, {}).front().ok());
    const int first = *worker.data();
    CHECK(::kill(first, SIGKILL) == 0);
    const auto m = measurer.measure(std::vector<tk::index>{1, 2}, {});
    CHECK(m[0].ok());
    CHECK(m[1].ok());
    CHECK(*worker.data() != first);
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
    pthread_t other{};
    int stop[2];
    REQUIRE(::pipe(stop) == 0);
    REQUIRE(::pthread_create(
                &other, nullptr,
                [](void* fd) -> void* {
                    char byte = 0;
                    while (::read(*static_cast<int*>(fd), &byte, 1) < 0) {
                    }
                    return nullptr;
                },
                &stop[0]) == 0);
    CHECK_THROWS_WITH_AS(
        static_cast<void>(measure::isolated(four{}, measure::timed{[](int) {}, measure::fixed{}})),
        "tunekit: isolated: this process runs 2 threads, of which a fork keeps one; build it before starting threads",
        tk::error);
    ::close(stop[1]);
    ::pthread_join(other, nullptr);
    ::close(stop[0]);
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

namespace {

/// Ways to leave something behind, or to turn against those above; what a configuration does in its first run.
enum attack : int {
    none,
    kills_parent,
    stops_parent_and_crashes,
    kills_zygote,
    stops_zygote_and_crashes,
    leaves_children,
    leaves_daemons,
    daemon_then_crash,
    leaves_running_thread,
    leaves_sleeping_thread,
    returns_twice,
    child_returns_first,
    forges_answer,
    floods,
    changes_process,
    is_nice,
    leaves_no_memory,
    asks_to_be_traced,
    attacks
};

struct attack_space {
    using config = attack;
    [[nodiscard]] tk::index size() const { return attacks; }
    [[nodiscard]] config at(tk::index i) const { return static_cast<attack>(i); }
    [[nodiscard]] std::optional<tk::index> index_of(const config& c) const { return static_cast<tk::index>(c); }
};

/// What a candidate finds, in shared memory.
struct surroundings {
    int pid;
    int rounding;
    unsigned control;  // of the vector unit: flushing to zero
    int usr1_is_default;
    int usr1_blocked;
    char directory[256];
    unsigned mask;
    int niceness;
};

surroundings here()
{
    surroundings out{};
    out.pid = ::getpid();
    out.rounding = std::fegetround();
#if defined(__SSE__)
    out.control = _mm_getcsr() & 0x8040U;
#endif
    struct sigaction now{};
    ::sigaction(SIGUSR1, nullptr, &now);
    out.usr1_is_default = now.sa_handler == SIG_DFL;
    sigset_t blocked;
    ::sigprocmask(SIG_BLOCK, nullptr, &blocked);
    out.usr1_blocked = ::sigismember(&blocked, SIGUSR1);
    if (::getcwd(out.directory, sizeof out.directory) == nullptr) out.directory[0] = '?';
    out.mask = ::umask(0);
    ::umask(out.mask);
    out.niceness = ::getpriority(PRIO_PROCESS, 0);
    return out;
}

/// Whether a thread of this process sleeps.
bool sleeps(pid_t thread)
{
    std::ifstream in("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string stat;
    std::getline(in, stat);
    const auto name_ends = stat.rfind(") ");
    return name_ends != std::string::npos && stat.compare(name_ends + 2, 1, "S") == 0;
}

[[noreturn]] void rest()
{
    for (;;) ::pause();
}

void run_attack(attack kind)
{
    switch (kind) {
        case none:
        case attacks:
            return;
        case kills_parent:
            ::kill(::getppid(), SIGKILL);
            rest();
        case stops_parent_and_crashes:
            ::kill(::getppid(), SIGSTOP);
            std::abort();
        case kills_zygote:
            ::kill(support::grandparent(), SIGKILL);
            rest();
        case stops_zygote_and_crashes:
            ::kill(support::grandparent(), SIGSTOP);
            std::abort();
        case leaves_children:
            for (int k = 0; k < 10; ++k)
                if (::fork() == 0) rest();
            return;
        case leaves_daemons:
        case daemon_then_crash:
            for (int k = 0; k < 10; ++k)
                if (::fork() == 0) {
                    ::setsid();
                    if (::fork() != 0) ::_exit(0);
                    rest();
                }
            while (::wait(nullptr) > 0) {
            }
            if (kind == daemon_then_crash) std::abort();
            return;
        case leaves_running_thread:
        case leaves_sleeping_thread: {
            static const bool spins = kind == leaves_running_thread;
            static std::atomic<pid_t> there;
            there = 0;  // each run starts one, and waits for its own
            pthread_t other{};
            if (::pthread_create(
                    &other, nullptr,
                    [](void*) -> void* {
                        there = static_cast<pid_t>(::syscall(SYS_gettid));
                        while (spins) sink = 1;
                        rest();
                    },
                    nullptr) != 0)
                std::abort();
            while (there == 0 || (!spins && !sleeps(there))) ::usleep(100);
            return;
        }
        case returns_twice:
            (void)::fork();
            return;
        case child_returns_first:
            if (::fork() > 0) ::usleep(20000);
            return;
        case forges_answer: {
            measure::detail::order to;
            to.candidate = forges_answer;
            measurement cheap;
            cheap.cost = 1e-9;
            const auto bytes = measure::detail::to_bytes(to, cheap, false);
            (void)!::write(3, bytes.data(), bytes.size());
            return;
        }
        case floods:
            for (const char byte = 'x';;) (void)!::write(3, &byte, 1);
        case changes_process:
            std::fesetround(FE_UPWARD);
#if defined(__SSE__)
            _mm_setcsr(_mm_getcsr() | 0x8040U);
#endif
            ::signal(SIGUSR1, SIG_IGN);
            sigset_t all;
            ::sigfillset(&all);
            ::sigprocmask(SIG_SETMASK, &all, nullptr);
            (void)!::chdir("/");
            ::umask(0777);
            return;
        case is_nice:
            (void)!::nice(5);
            return;
        case leaves_no_memory:
            for (std::size_t size = std::size_t{1} << 28; size >= 16;) {
                void* volatile kept = std::malloc(size);
                if (kept == nullptr) size /= 2;
            }
            return;
        case asks_to_be_traced:
            ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
            ::raise(SIGTRAP);
            return;
    }
}

struct attack_rig {
    measure::guarded_buffer<surroundings> seen{attacks};
    measure::detail::isolated_measurer measurer;

    explicit attack_rig(measure::isolated_options options = {})
        : measurer(measure::isolated(attack_space{},
                                     measure::timed{[at = seen.data()](attack kind) {
                                                        at[kind] = here();
                                                        run_attack(kind);
                                                        return 1.0 + static_cast<int>(kind);
                                                    },
                                                    measure::fixed{.runs = 1, .batch = 1}},
                                     options))
    {
    }

    measurement operator()(attack kind, double seconds = 20)
    {
        return measurer.measure(std::vector<tk::index>{static_cast<tk::index>(kind)}, {.run_seconds = seconds}).front();
    }
};

/// Adopts what loses its parent below this process, so that whatever outlives a measurer can be counted.
struct orphanage {
    orphanage() { measure::detail::adopt_descent(); }
    ~orphanage() { ::prctl(PR_SET_CHILD_SUBREAPER, 0); }
    static int orphans()
    {
        int n = 0;
        while (::waitpid(-1, nullptr, WNOHANG) > 0) {
        }
        measure::detail::each_child_of(::getpid(), [&n](pid_t) { ++n; });
        return n;
    }
};

}  // namespace

TEST_CASE("isolated: a kernel that turns against its parents is a failed candidate, and nothing is left")
{
    const orphanage here;
    for (const bool enclosed : {false, true}) {
        CAPTURE(enclosed);
        if (enclosed && (!plain || !measure::detail::can_enclose())) continue;
        {
            attack_rig r({.enclosed = enclosed});
            CHECK(r(none).ok());
            const auto killed = r(kills_parent, enclosed ? 0.3 : 20);  // in a namespace the first process is immune
            REQUIRE(killed.failed);
            if (enclosed) {
                CHECK(killed.failed->kind == failure_kind::run_timeout);
            } else {
                CHECK(killed.failed ==
                      measure::failure{failure_kind::crash, SIGKILL, "killed the process that looks after it"});
            }
            CHECK(r(none).ok());
            const auto stopped = r(stops_parent_and_crashes);
            REQUIRE(stopped.failed);
            CHECK(stopped.failed->kind == failure_kind::crash);
            CHECK(stopped.failed->code == SIGABRT);
            CHECK(r(none).ok());
            for (const attack deliberate : {kills_zygote, stops_zygote_and_crashes}) {
                if (enclosed) continue;  // it cannot be named
                CAPTURE(static_cast<int>(deliberate));
                const auto lost = r(deliberate);
                REQUIRE(lost.failed);
                CHECK(lost.failed->kind == failure_kind::lost);
                CHECK(r(none).ok());
            }
        }
        // A zygote that was killed leaves the end of its worker to the keeper, which ends in its own time.
        const measure::wall_clock clock;
        for (const double until = clock() + 60; orphanage::orphans() != 0 && clock() < until;) ::usleep(1000);
        CHECK(orphanage::orphans() == 0);
    }
}

TEST_CASE("isolated: a zygote that waits for a processor gets time, one that was stopped or is traced does not")
{
    using measure::detail::patience_with;
    CHECK(patience_with('R', 100, 101) == 100 + measure::detail::zygote_seconds);
    for (const char idle : {'S', 'D', '?'}) CHECK(patience_with(idle, 100, 107) == 107);
    for (const char held : {'T', 't'}) {
        CHECK(patience_with(held, 100, 107) == 100.5);
        CHECK(patience_with(held, 100.25, 100.5) == 100.5);
    }
}

TEST_CASE("isolated: nothing that a candidate starts runs beside the next, and verdicts wait for no child")
{
    const orphanage adopting;
    for (const bool enclosed : {false, true}) {
        CAPTURE(enclosed);
        if (enclosed && (!plain || !measure::detail::can_enclose())) continue;
        attack_rig r({.enclosed = enclosed});
        for (const attack kind : {leaves_children, leaves_daemons, returns_twice, child_returns_first}) {
            const bool twice = kind == returns_twice || kind == child_returns_first;
            CAPTURE(static_cast<int>(kind));
            CHECK(r(none).ok());
            const int worker = r.seen.data()[none].pid;
            CHECK(r(kind).ok());
            if (!enclosed && !twice) CHECK(r.seen.data()[kind].pid == worker);  // else the child's own
            const auto after = r(changes_process);
            CHECK(after.ok());
            const auto below = [] {
                int found = 0;
                const auto count = [&found](auto&& self, pid_t of) -> void {
                    measure::detail::each_child_of(of, [&](pid_t child) {
                        const char state = measure::detail::proc_text("/proc/%d/stat", child).state_and_parent().first;
                        if (state != '\0' && state != 'Z' && state != 'X') ++found;  // who has ended runs nowhere
                        self(self, child);
                    });
                };
                count(count, ::getpid());
                return found;
            };
            // The zygote, a keeper, a worker. A keeper whose worker was replaced ends in its own time.
            const measure::wall_clock clock;
            for (const double until = clock() + 10; twice && below() > 3 && clock() < until;) ::usleep(1000);
            CHECK(below() == 3);
        }
        const auto m = r(daemon_then_crash);
        REQUIRE(m.failed);
        CHECK(m.failed->kind == failure_kind::crash);  // no time-out, which is what waiting for the daemon would end in
        CHECK(m.failed->code == SIGABRT);
    }
    CHECK(orphanage::orphans() == 0);
}

TEST_CASE("isolated: a thread that goes on running costs its worker, one that rests does not")
{
    if (!plain) return;  // a sanitizer's own thread
    attack_rig r;
    CHECK(r(none).ok());
    const int worker = r.seen.data()[none].pid;
    CHECK(r(leaves_sleeping_thread).ok());
    CHECK(r(is_nice).ok());
    CHECK(r.seen.data()[is_nice].pid == worker);
    CHECK(r(changes_process).ok());  // who is nice stays so, and its worker goes
    CHECK(r.seen.data()[changes_process].pid != worker);
    CHECK(r.seen.data()[changes_process].niceness == r.seen.data()[none].niceness);
    attack_rig other;
    CHECK(other(leaves_running_thread).ok());
    CHECK(other(none).ok());
    CHECK(other.seen.data()[none].pid != other.seen.data()[leaves_running_thread].pid);
}

TEST_CASE("isolated: an answer that is not the worker's own is none")
{
    attack_rig r;
    CHECK(r(none).ok());
    for (const attack kind : {forges_answer, floods}) {
        const auto m = r(kind);
        CHECK(m.failed == measure::failure{failure_kind::crash, 0, "damaged the worker, which answered nonsense"});
        CHECK(r(none).ok());
    }
}

TEST_CASE(
    "isolated: a candidate that leaves no memory for its answer has failed, and its worker runs nothing of the tuner's")
{
    if (!plain) return;                         // sanitizers need terabytes of addresses
    measure::guarded_buffer<int> strangers(1);  // shared memory: other processes that came to the end of this scope
    struct ending {
        int* strangers;
        pid_t tuner = ::getpid();
        ~ending()
        {
            if (::getpid() != tuner) ++*strangers;
        }
    };
    for (const bool enclosed : {false, true}) {
        CAPTURE(enclosed);
        if (enclosed && !measure::detail::can_enclose()) continue;
        const ending here{strangers.data()};
        attack_rig r({.enclosed = enclosed});
        const auto m = r(leaves_no_memory);
        REQUIRE(m.failed);
        CHECK(m.failed->kind == failure_kind::out_of_memory);
        CHECK(r(none).ok());
    }
    CHECK(strangers.data()[0] == 0);
}

TEST_CASE("isolated: a candidate that asks its parent to trace it gets its signals all the same")
{
    attack_rig r;
    const auto m = r(asks_to_be_traced);
    REQUIRE(m.failed);
    CHECK(m.failed->kind == failure_kind::crash);
    CHECK(m.failed->code == SIGTRAP);
    CHECK(r(none).ok());
}

TEST_CASE("isolated: every candidate finds arithmetic, signals, directory and umask as the first did")
{
    attack_rig r;
    CHECK(r(none).ok());
    const surroundings first = r.seen.data()[none];
    CHECK(r(changes_process).ok());
    CHECK(r(none).ok());
    const surroundings& now = r.seen.data()[none];
    CHECK(now.pid == first.pid);
    CHECK(now.rounding == first.rounding);
    CHECK(now.control == first.control);
    CHECK(now.usr1_is_default == 1);
    CHECK(now.usr1_blocked == 0);
    CHECK(std::string(now.directory) == first.directory);
    CHECK(now.mask == first.mask);
}

TEST_CASE("isolated: a tuner that is killed leaves nothing, children of its kernel included")
{
    const orphanage adopting;
    measure::guarded_buffer<int> begun(1);
    const pid_t tuner = ::fork();
    REQUIRE(tuner >= 0);
    if (tuner == 0) {
        auto measurer = measure::isolated(four{}, measure::timed{[b = begun.data()](int) {
                                                                     ::prctl(PR_SET_PDEATHSIG, 0);
                                                                     for (int k = 0; k < 10; ++k)
                                                                         if (::fork() == 0) rest();
                                                                     if (::fork() == 0) {
                                                                         ::setsid();
                                                                         rest();
                                                                     }
                                                                     *b = 1;
                                                                     rest();
                                                                 },
                                                                 measure::fixed{.runs = 1, .batch = 1}});
        (void)measurer.measure(std::vector<tk::index>{0}, {.run_seconds = 100});
        measure::detail::end_process(0);
    }
    const volatile int* const waiting = begun.data();
    while (*waiting == 0) ::usleep(1000);
    ::kill(tuner, SIGKILL);
    while (::waitpid(-1, nullptr, 0) > 0) {  // ends once all of them have
    }
    CHECK(orphanage::orphans() == 0);
}
