// SPDX-License-Identifier: MIT
// Every kind of faulty kernel, in every way that tunekit runs one: no good configuration is lost, each bad one has the
// verdict that it has earned, and no process is left. TUNEKIT_FAULT=NAME tries one of them alone.
// also run: --as nobody
#include <doctest/doctest.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cfenv>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "tests/support/attacks.hpp"
#include "tests/support/parents.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/until_stable.hpp"
#include "tunekit/measure/verify.hpp"
#include "tunekit/processes/build/generated.hpp"
#include "tunekit/processes/detail/keeper.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/detail/worker.hpp"
#include "tunekit/processes/isolated.hpp"
#include "tunekit/processes/serve.hpp"
#include "tunekit/processes/system/own_files.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using measure::failure_kind;
using measure::measurement;

namespace {

constexpr std::size_t length = 1000;  // floats: 96 bytes are left of the page

volatile int sink = 0;
std::jmp_buf stale;

bool bad(int i) { return i % 4 == 1; }

[[noreturn]] void rest()
{
    for (;;) ::pause();
}

template <class F>
void child(F&& f)
{
    if (::fork() != 0) return;
    f();
    ::_exit(0);
}

void daemons(int n)
{
    for (int k = 0; k < n; ++k)
        child([] {
            ::setsid();
            child([] { rest(); });
        });
    while (::wait(nullptr) > 0) {
    }
}

[[gnu::noinline]] int deep(int depth)
{
    volatile char frame[4096];
    frame[0] = static_cast<char>(depth);
    sink = frame[0];
    return sink > 1000 ? 0 : deep(depth + 1) + frame[0];  // a char is never above 1000
}

[[gnu::noinline]] void remember_dead_frame()
{
    volatile char frame[256];
    frame[0] = 0;
    if (setjmp(stale) != 0) sink = frame[0];
}

[[noreturn]] void spin()
{
    for (;;) sink = 1;
}

/// The processors that a worker begins with.
const std::vector<int>& home()
{
    static const std::vector<int> first = measure::detail::allowed_cores();
    return first;
}

/// SIGUSR1, which nobody hears, again and again.
void timer_every(long milliseconds)
{
    sigevent how{};
    how.sigev_notify = SIGEV_SIGNAL;
    how.sigev_signo = SIGUSR1;
    timer_t timer{};
    itimerspec when{};
    when.it_value.tv_nsec = when.it_interval.tv_nsec = 1'000'000 * milliseconds;
    if (::timer_create(CLOCK_MONOTONIC, &how, &timer) == 0) ::timer_settime(timer, 0, &when, nullptr);
}

volatile std::uintptr_t nowhere = 8;  // volatile: a compiler that sees the address refuses it

void segv() { *reinterpret_cast<volatile int*>(nowhere) = 1; }

/// What a verdict has to be. `code` -1: any.
struct verdict {
    int kind = -1;  ///< of failure_kind; -1: the configuration is as good as the others
    int code = -1;
    const char* says = "";
};

constexpr verdict fine{};
constexpr verdict crash(int signal, const char* says = "")
{
    return {static_cast<int>(failure_kind::crash), signal, says};
}
constexpr verdict exited(int status) { return {static_cast<int>(failure_kind::exited), status}; }
constexpr verdict late{static_cast<int>(failure_kind::run_timeout)};
constexpr verdict memory{static_cast<int>(failure_kind::out_of_memory)};
constexpr verdict beside{static_cast<int>(failure_kind::damaged_canary)};
constexpr verdict wrong{static_cast<int>(failure_kind::wrong_result)};
constexpr verdict lost{static_cast<int>(failure_kind::lost)};
constexpr verdict nonsense = crash(0, "answered nonsense");
constexpr verdict killed_keeper = crash(SIGKILL, "killed the process that looks after it");

struct fault {
    const char* name;
    void (*run)(float* out);
    verdict want;
};

const fault faults[] = {
    {"nothing", [](float*) {}, fine},
    {"SIGSEGV", [](float*) { segv(); }, crash(SIGSEGV)},
    {"SIGBUS",
     [](float*) {
         const int file = ::memfd_create("empty", 0);
         sink = *static_cast<volatile int*>(::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0));
     },
     crash(SIGBUS)},
    {"SIGFPE", [](float*) { ::raise(SIGFPE); }, crash(SIGFPE)},
    {"SIGILL", [](float*) { ::raise(SIGILL); }, crash(SIGILL)},
    {"abort", [](float*) { std::abort(); }, crash(SIGABRT)},
    {"terminate", [](float*) { std::terminate(); }, crash(SIGABRT)},
    {"stack", [](float*) { sink = deep(0); }, crash(SIGSEGV)},
    {"crash in a thread", [](float*) { std::thread(segv).join(); }, crash(SIGSEGV)},
    {"munmap",
     [](float* out) {
         ::munmap(out, 4096);
         out[0] = 1;
     },
     crash(SIGSEGV)},
    {"mprotect",
     [](float* out) {
         ::mprotect(out, 4096, PROT_READ);
         out[0] = 1;
     },
     crash(SIGSEGV)},
    {"dead frame", [](float*) { std::longjmp(stale, 1); }, {-2}},  // whatever happens, it fails
    {"exit 0", [](float*) { std::exit(0); }, exited(0)},
    {"_exit 0", [](float*) { ::_exit(0); }, exited(0)},
    {"exit 1", [](float*) { std::exit(1); }, exited(1)},
    {"quick_exit", [](float*) { std::quick_exit(3); }, exited(3)},
    {"exec true", [](float*) { ::execl("/bin/true", "true", nullptr); }, exited(0)},
    {"endless", [](float*) { spin(); }, late},
    {"endless, deaf",
     [](float*) {
         sigset_t all;
         ::sigfillset(&all);
         ::sigprocmask(SIG_SETMASK, &all, nullptr);
         for (int s = 1; s < NSIG; ++s) ::signal(s, SIG_IGN);
         spin();
     },
     late},
    {"stops itself", [](float*) { ::raise(SIGSTOP); }, late},
    {"exec sleep", [](float*) { ::execl("/bin/sleep", "sleep", "1000", nullptr); }, late},
    {"endless without a parent",
     [](float*) {
         ::prctl(PR_SET_PDEATHSIG, 0);
         ::setpgid(0, ::getppid());
         ::setsid();
         spin();
     },
     late},
    {"children",
     [](float*) {
         for (int k = 0; k < 50; ++k) child(rest);
     },
     fine},
    {"children, endless",
     [](float*) {
         for (int k = 0; k < 50; ++k) child(rest);
         spin();
     },
     late},
    {"children, exit",
     [](float*) {
         for (int k = 0; k < 50; ++k) child(rest);
         ::_exit(7);
     },
     exited(7)},
    {"daemons", [](float*) { daemons(50); }, fine},
    {"daemons, exit",
     [](float*) {
         daemons(50);
         ::_exit(7);
     },
     exited(7)},
    {"daemon, crash",
     [](float*) {
         daemons(1);
         segv();
     },
     crash(SIGSEGV)},
    {"daemons that spin",
     [](float*) {
         child([] {
             ::setsid();
             spin();
         });
     },
     fine},
    {"daemon that answers",
     [](float*) {
         child([] {
             ::setsid();
             for (char garbage[40] = "xxxx";;) (void)!::send(3, garbage, sizeof garbage, MSG_NOSIGNAL);
         });
         ::usleep(20'000);
     },
     nonsense},
    {"returns twice", [](float*) { (void)::fork(); }, fine},
    {"running threads", [](float*) { std::thread(spin).detach(); }, fine},
    {"kills its parent",
     [](float*) {
         ::kill(::getppid(), SIGKILL);
         rest();
     },
     killed_keeper},
    {"kills its parent and answers",
     [](float*) {
         daemons(3);
         ::kill(::getppid(), SIGKILL);
         const measure::wall_clock now;
         for (const double end = now() + 1e-3; now() < end;) sink = 1;
     },
     killed_keeper},
    {"stops its parent and the zygote",
     [](float*) {
         ::kill(support::grandparent(), SIGSTOP);
         ::kill(::getppid(), SIGSTOP);
         daemons(3);
         spin();
     },
     late},
    {"stops its parent again and again",
     [](float*) {
         child([] {
             ::setsid();
             for (const pid_t above = support::grandparent();;) ::kill(above, SIGSTOP);
         });
         for (;;) ::kill(::getppid(), SIGSTOP);
     },
     {-2}},
    {"stops the zygote and answers", [](float*) { ::kill(support::grandparent(), SIGSTOP); }, fine},
    {"stops its parent",
     [](float*) {
         ::kill(::getppid(), SIGSTOP);
         segv();
     },
     crash(SIGSEGV)},
    {"tells its parent to end",
     [](float*) {
         ::kill(::getppid(), SIGTERM);
         segv();
     },
     crash(SIGSEGV)},
    {"kills the zygote",
     [](float*) {
         ::kill(support::grandparent(), SIGKILL);
         rest();
     },
     lost},
    {"kills its group", [](float*) { ::kill(0, SIGKILL); }, crash(SIGKILL)},
    {"new of 100 GiB", [](float*) { sink = std::vector<char>(std::size_t{100} << 30).data()[5]; }, memory},
    {"leaves no memory",
     [](float*) {
         for (std::size_t size = std::size_t{1} << 28; size >= 16;) {
             void* volatile kept = std::malloc(size);
             if (kept == nullptr) size /= 2;
         }
     },
     memory},
    {"asks to be traced",
     [](float*) {
         ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
         ::raise(SIGTRAP);
     },
     crash(SIGTRAP)},
    {"traces its parent",
     [](float*) {
         ::ptrace(PTRACE_ATTACH, ::getppid(), nullptr, nullptr);
         spin();
     },
     late},
    {"a file for its socket", [](float*) { ::dup2(::memfd_create("file", 0), 3); }, exited(121)},
    {"malloc unchecked", [](float*) { static_cast<volatile char*>(std::malloc(std::size_t{100} << 30))[0] = 1; },
     crash(SIGSEGV)},
    {"output",
     [](float*) {
         for (int k = 0; k < 20'000; ++k) std::printf("garbage %d\n", k);
         std::fflush(stdout);
     },
     fine},
    {"garbage to descriptors",
     [](float*) {
         for (int fd = 0; fd < 64; ++fd) (void)!::write(fd, "garbage, and more of it than a head has, or not", 48);
     },
     nonsense},
    {"flood",
     [](float*) {
         while (::write(3, "x", 1) > 0) {
         }
     },
     nonsense},
    {"forged answer",
     [](float*) {
         measure::detail::order to;
         to.candidate = 1;
         measurement cheap;
         cheap.cost = 1e-9;
         const auto bytes = measure::detail::to_bytes(to, cheap, false);
         (void)!::write(3, bytes.data(), bytes.size());
     },
     nonsense},
    {"closes descriptors",
     [](float*) {
         for (int fd = 0; fd < 64; ++fd) ::close(fd);
     },
     exited(121)},
    {"closes descriptors, endless",
     [](float*) {
         for (int fd = 0; fd < 64; ++fd) ::close(fd);
         spin();
     },
     exited(0)},
    {"shuts down", [](float*) { ::shutdown(3, SHUT_RDWR); }, exited(121)},
    {"does not block", [](float*) { ::fcntl(3, F_SETFL, O_NONBLOCK); }, fine},
    {"working directory",
     [](float*) {
         (void)!::chdir("/");
         ::umask(0777);
     },
     fine},
    {"limits",
     [](float*) {
         const rlimit none{0, 0};
         const rlimit three{3, 3};
         ::setrlimit(RLIMIT_NOFILE, &three);
         ::setrlimit(RLIMIT_NPROC, &none);
         ::setrlimit(RLIMIT_FSIZE, &none);
     },
     fine},
    {"arithmetic",
     [](float*) {
         std::fesetround(FE_UPWARD);
#if defined(__SSE__)
         _mm_setcsr(_mm_getcsr() | 0x8040U);
#endif
     },
     fine},
    {"signals ignored",
     [](float*) {
         for (int s = 1; s < NSIG; ++s) ::signal(s, SIG_IGN);
     },
     fine},
    {"nice", [](float*) { (void)!::nice(19); }, fine},
    {"idle",
     [](float*) {
         const sched_param p{};
         ::sched_setscheduler(0, SCHED_IDLE, &p);
     },
     fine},
    {"environment", [](float*) { ::clearenv(); }, fine},
    {"affinity",
     [](float*) {
         cpu_set_t one;
         CPU_ZERO(&one);
         CPU_SET(static_cast<std::size_t>(home().back()), &one);
         ::sched_setaffinity(0, sizeof one, &one);
     },
     fine},
    {"alarm",
     [](float*) {
         itimerval soon{};
         soon.it_value.tv_usec = soon.it_interval.tv_usec = 1000;
         ::setitimer(ITIMER_REAL, &soon, nullptr);
         spin();
     },
     crash(SIGALRM)},
    {"timer",
     [](float*) {
         timer_every(1);
         spin();
     },
     crash(SIGUSR1)},
    {"alarms left",
     [](float*) {
         ::alarm(1);
         itimerval soon{};
         soon.it_value.tv_usec = soon.it_interval.tv_usec = 1000;  // of time that the worker computes
         for (const auto timer : {ITIMER_VIRTUAL, ITIMER_PROF}) {
             ::setitimer(timer, &soon, nullptr);
             ::signal(timer == ITIMER_PROF ? SIGPROF : SIGVTALRM, SIG_IGN);
         }
     },
     fine},
    {"timer left", [](float*) { timer_every(100); }, fine},
#if defined(__x86_64__) && defined(PR_SET_TSC)
    {"clock",
     [](float*) {
         ::prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
         sink = static_cast<int>(__builtin_ia32_rdtsc());
     },
     crash(SIGSEGV)},
#endif
    {"fork bomb",
     [](float*) {
         if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) spin();  // who is bound by no limit
         const rlimit few{60, 60};  // so that a neighbour still gets a processor
         ::setrlimit(RLIMIT_NPROC, &few);
         const measure::wall_clock now;
         for (const double end = now() + 5; now() < end;) (void)::fork();
         spin();
     },
     late},
    {"throws", [](float*) { throw std::runtime_error("oops\nnew line"); }, crash(0, "oops")},
    {"throws an int", [](float*) { throw 3; }, crash(0)},
    {"throws much", [](float*) { throw std::runtime_error(std::string(200'000, 'q')); }, crash(0)},
    {"one byte beyond", [](float* out) { reinterpret_cast<volatile unsigned char*>(out + length)[0] = 1; }, beside},
    {"one byte before", [](float* out) { reinterpret_cast<volatile unsigned char*>(out)[-1] = 1; }, crash(SIGSEGV)},
    {"1 MiB beyond", [](float* out) { reinterpret_cast<volatile unsigned char*>(out)[1 << 20] = 1; }, {-2}},
    {"wrong element", [](float* out) { out[999] += 1; }, wrong},
    {"NaN", [](float* out) { out[3] = std::numeric_limits<float>::quiet_NaN(); }, wrong},
};

/// The fault of this process; in a served worker it comes by name.
const fault* chosen = &faults[0];

const fault& fault_of(std::string_view name)
{
    for (const fault& f : faults)
        if (name == f.name) return f;
    throw std::runtime_error("no such fault");
}

auto space() { return tk::space::product{tk::space::parameter<"i">({0, 1, 2, 3, 4, 5, 6, 7})}; }

/// The loop that every configuration has, and the fault of the bad ones.
void compute(int i, float* out)
{
    for (std::size_t k = 0; k < length; ++k) out[k] = 2 * static_cast<float>(k);
    if (bad(i)) chosen->run(out);
    else if (measure::detail::allowed_cores() != home()) out[0] = 1;  // where another one sent it
}

constexpr measure::fixed twice{.runs = 2, .batch = 1};

struct rig {
    std::shared_ptr<measure::guarded_buffer<float>> out = std::make_shared<measure::guarded_buffer<float>>(length);
    std::shared_ptr<measure::guarded_buffer<float>> want = std::make_shared<measure::guarded_buffer<float>>(length);

    rig()
    {
        for (std::size_t k = 0; k < length; ++k) want->data()[k] = 2 * static_cast<float>(k);
        want->protect();
        remember_dead_frame();
    }
    auto check() const
    {
        return [o = out, w = want] { return measure::matches<float>{o->span(), w->span(), {.absolute = 1e-4}}(); };
    }
    auto how() const
    {
        return measure::timed{[o = out](const auto& c) { compute(tk::get<"i">(c), o->data()); }, twice, check()};
    }
};

auto task(std::size_t)
{
    const rig r;
    return measure::worker_task{space(), r.how(), {r.out->canary(), r.want->canary()}};
}

support::attack* asked = nullptr;

[[gnu::constructor]] void serve_before_main(int argc, char** argv, char**)
{
    static support::attack first(argc, argv);
    asked = &first;
    measure::serve(argc, argv, [&](std::size_t worker) {
        chosen = &fault_of(argc > 3 ? argv[3] : "");
        return task(worker);
    });
}

const measure::limits within{.run_seconds = 1, .build_seconds = 120};
const std::vector<tk::index> all{0, 1, 2, 3, 4, 5, 6, 7};

std::vector<measurement> by_isolated(bool enclosed)
{
    const rig r;
    auto m = measure::isolated(space(), r.how(), {.canaries = {r.out->canary()}, .enclosed = enclosed});
    return m.measure(all, within);
}

std::vector<measurement> by_generated(const std::string& cache)
{
    const rig r;
    using function = void(float*, void (*)(int, float*));
    const measure::source_template what{space(),
                                        [](const auto& c) {
                                            return "extern \"C\" void kernel(float* out, void (*f)(int, float*)) { f(" +
                                                   std::to_string(tk::get<"i">(c)) + ", out); }";
                                        },
                                        "kernel"};
    measure::builder compilers({.flags = {"-O1"}, .directory = cache, .processes = 1});
    auto kernel = measure::generated_kernel<function>(
        what, compilers.cache(), [o = r.out](auto* run, const auto&) { return [=] { run(o->data(), compute); }; });
    auto runs = measure::isolated(space(), measure::timed{kernel, twice, r.check()}, {.canaries = {r.out->canary()}});
    auto m = measure::generated(what, std::move(compilers), std::move(runs));
    return m.measure(all, within);
}

std::vector<measurement> by_pool(measure::isolated_workers pool)
{
    std::vector<measurement> out(all.size());
    std::vector<int> losses(all.size());
    std::vector<tk::index> waiting(all.rbegin(), all.rend());
    for (std::size_t left = all.size(); left > 0;) {
        while (pool.room() > 0 && !waiting.empty()) {
            pool.submit({.ticket = tk::ticket{waiting.back()}, .candidate = waiting.back(), .limits = within});
            waiting.pop_back();
        }
        for (tk::answer& a : pool.collect(60)) {
            const auto i = static_cast<std::size_t>(a.ticket);
            if (a.measured) {
                out[i] = std::move(*a.measured);
                --left;
            } else if (++losses[i] < 2) {
                waiting.push_back(i);
            } else {
                out[i].failed = measure::failure{failure_kind::lost, 0, "lost twice"};
                --left;
            }
        }
    }
    return out;
}

void judge(const std::vector<measurement>& got, verdict want, int (&counts)[2])
{
    for (std::size_t i = 0; i < got.size(); ++i) {
        CAPTURE(i);
        const auto& failed = got[i].failed;
        const std::string says = failed ? failed->message : std::string("ok");
        CAPTURE(says);
        if (!bad(static_cast<int>(i)) || want.kind == -1) {
            CHECK(got[i].ok());
            ++counts[0];
            continue;
        }
        ++counts[1];
        REQUIRE(failed);
        if (want.kind >= 0) CHECK(static_cast<int>(failed->kind) == want.kind);
        if (want.code >= 0) CHECK(failed->code == want.code);
        CHECK(says.find(want.says) != std::string::npos);
    }
}

verdict expected(const fault& f, bool enclosed)
{
    const std::string_view name = f.name;
    if (enclosed && name == "kills its parent") return late;  // which is immune, so that it waits
    if (enclosed && name == "kills its parent and answers") return fine;
    return f.want;
}

}  // namespace

TEST_CASE("every kind of faulty kernel, in every way to run it")
{
    if (measure::detail::sanitized) return;  // a sanitizer catches what is to be caught here
    measure::detail::adopt_descent();        // whatever outlives its measurer becomes ours, and is counted
    const measure::detail::temporary_directory cache("/tmp/tunekit-cache-");
    const bool can_enclose = measure::detail::can_enclose();
    int counts[2] = {0, 0};
    const char* const only = std::getenv("TUNEKIT_FAULT");
    for (const fault& f : faults) {
        if (only != nullptr ? f.name != std::string_view(only) : !asked->tries(static_cast<std::uint64_t>(&f - faults)))
            continue;
        const std::string kind = f.name;
        CAPTURE(kind);
        chosen = &f;
        const verdict want = expected(f, false);
        const auto tried = [&](const std::string& way, const std::vector<measurement>& got, verdict w) {
            CAPTURE(way);
            judge(got, w, counts);
            CHECK(support::left_over() == 0);
        };
        tried("isolated", by_isolated(false), want);
        tried("generated", by_generated(cache.name()), want);
        const auto forked = by_pool(measure::isolated_workers(2, task, {.pinned = false}));  // whose end is here
        tried("isolated_workers", forked, want);
        if (::access("/proc/self/exe", X_OK) == 0) {  // a folder of root's may hide this program from others
            const auto served =
                by_pool(measure::served_workers(2, space(), {.workers = {.pinned = false}, .arguments = {f.name}}));
            tried("served_workers", served, want);
        }
        const std::string_view name = f.name;
        if (can_enclose && !name.ends_with("s the zygote") &&
            name != "stops the zygote and answers")  // not to be named there
            tried("enclosed", by_isolated(true), expected(f, true));
    }
    const std::string way = can_enclose ? "with" : "without";
    MESSAGE(counts[0], " good measurements, ", counts[1], " bad ones, ", way, " PID namespaces");
}
