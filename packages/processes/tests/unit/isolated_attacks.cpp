// SPDX-License-Identifier: MIT
// Kernels that turn against those above them, or leave something behind.
#include "tunekit/processes/isolated.hpp"

#include <doctest/doctest.h>

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <cfenv>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "tests/support/isolation.hpp"
#include "tests/support/parents.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/until_stable.hpp"
#include "tunekit/processes/detail/descent.hpp"
#include "tunekit/processes/detail/keeper.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/detail/worker.hpp"
#include "tunekit/processes/detail/worker_link.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using measure::failure_kind;
using measure::measurement;
using support::plain;

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

volatile int sink = 0;

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

/// Whether a thread of this process waits in a system call; one that only waits for a page goes on at once.
bool sleeps(pid_t thread)
{
    const std::string of = "/proc/self/task/" + std::to_string(thread);
    std::string line;
    if (std::getline(std::ifstream(of + "/syscall"), line)) return line[0] >= '0' && line[0] <= '9';
    std::getline(std::ifstream(of + "/stat"), line);  // of a kernel that does not tell
    const auto name_ends = line.rfind(") ");
    return name_ends != std::string::npos && line.compare(name_ends + 2, 1, "S") == 0;
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
        : measurer(measure::isolated(support::numbered<attack, attacks>{},
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
        auto measurer =
            measure::isolated(support::numbered<int, 4>{}, measure::timed{[b = begun.data()](int) {
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
