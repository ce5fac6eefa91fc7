// SPDX-License-Identifier: MIT
// Every kind of faulty program, run by measure::program with one worker, with two, and with a build: no good configuration is lost, each bad
// one has the verdict that it has earned, and neither a process nor a file is left. TUNEKIT_FAULT=NAME tries one of them alone.
// also run: --as nobody
#include <doctest/doctest.h>
#include <algorithm>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/attacks.hpp"
#include "tests/support/parents.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/program.hpp"
#include "tunekit/space/value_product.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using measure::failure_kind;
using measure::measurement;

namespace {

volatile int sink = 0;

bool bad(int i) { return i % 4 == 1; }

[[noreturn]] void rest()
{
    for (;;) ::pause();
}

void daemons(int n)
{
    for (int k = 0; k < n; ++k) {
        if (::fork() != 0) continue;
        ::setsid();
        if (::fork() != 0) ::_exit(0);
        ::prctl(PR_SET_PDEATHSIG, 0);
        for (int fd = 0; fd < 64; ++fd) ::close(fd);
        rest();
    }
    while (::waitpid(-1, nullptr, 0) > 0) {
    }
}

/// Writes that text to standard output again and again.
[[noreturn]] void say_forever(std::string_view text)
{
    while (::write(1, text.data(), text.size()) >= 0) {
    }
    ::_exit(3);
}

[[noreturn]] void say(const char* text)
{
    std::puts(text);
    std::fflush(stdout);
    ::_exit(0);
}

constexpr int good = -1, any = -2;  ///< verdicts beside the kinds of failure

struct fault {
    const char* name;
    void (*run)();
    int want;  ///< a failure_kind; `good`: as the other configurations; `any`: some failure
};

constexpr int kind(failure_kind k) { return static_cast<int>(k); }
constexpr int crash = kind(failure_kind::crash), exited = kind(failure_kind::exited),
              late = kind(failure_kind::run_timeout), lost = kind(failure_kind::lost),
              bad_cost = kind(failure_kind::bad_cost);

const fault faults[] = {
    {"nothing", [] {}, good},
    {"crash", [] { ::raise(SIGSEGV); }, crash},
    {"abort", [] { std::abort(); }, crash},
    {"exit 7", [] { ::_exit(7); }, exited},
    {"exit 255", [] { ::_exit(255); }, exited},
    {"hang", [] { rest(); }, late},
    {"spin",
     [] {
         for (;;) sink = 1;
     },
     late},
    {"deaf",
     [] {
         sigset_t all;
         sigfillset(&all);
         ::sigprocmask(SIG_SETMASK, &all, nullptr);
         for (int s = 1; s < NSIG; ++s) ::signal(s, SIG_IGN);
         rest();
     },
     late},
    {"stops itself", [] { ::raise(SIGSTOP); }, late},
    {"exec sleep", [] { ::execlp("sleep", "sleep", "1000", nullptr); }, late},
    {"eats memory",
     [] {
         const rlimit some{std::size_t{1} << 26, std::size_t{1} << 26};
         ::setrlimit(RLIMIT_AS, &some);
         for (;;) {
             void* const more = std::malloc(1 << 20);
             if (more == nullptr) std::abort();
             std::memset(more, 1, 1 << 20);
         }
     },
     crash},
    {"a file beyond its limit",
     [] {
         const rlimit some{4096, 4096};
         ::setrlimit(RLIMIT_FSIZE, &some);
         const int file = ::open("file", O_WRONLY | O_CREAT, 0600);
         for (char bytes[8192] = ""; ::write(file, bytes, sizeof bytes) > 0;) {
         }
     },
     crash},
    {"zombies",
     [] {
         for (int k = 0; k < 50; ++k)
             if (::fork() == 0) ::_exit(0);
     },
     good},
    {"daemons", [] { daemons(20); }, good},
    {"daemons, crash",
     [] {
         daemons(5);
         ::raise(SIGSEGV);
     },
     crash},
    {"daemons, hang",
     [] {
         daemons(5);
         rest();
     },
     late},
    {"a daemon that holds its output",
     [] {
         if (::fork() == 0) {
             ::setsid();
             rest();
         }
     },
     good},
    {"a chain of forks",
     [] {
         if (::fork() != 0) {
             ::usleep(3000);
             return;
         }
         ::setsid();
         while (::fork() <= 0) ::usleep(100);
         ::_exit(0);
     },
     good},
    {"kills its parent",
     [] {
         daemons(3);
         ::kill(::getppid(), SIGKILL);
         rest();
     },
     lost},
    {"kills its parent and answers",
     [] {
         daemons(3);
         ::kill(::getppid(), SIGKILL);
     },
     lost},
    {"kills its parent's parent",
     [] {
         daemons(3);
         ::kill(support::grandparent(), SIGKILL);
         rest();
     },
     lost},
    {"tells its parent to end",
     [] {
         daemons(3);
         ::kill(::getppid(), SIGTERM);
         rest();
     },
     lost},
    {"stops its parent",
     [] {
         daemons(3);
         ::kill(::getppid(), SIGSTOP);
     },
     good},
    {"stops its parent and hangs",
     [] {
         daemons(3);
         ::kill(::getppid(), SIGSTOP);
         rest();
     },
     late},
    {"stops both above it",
     [] {
         daemons(3);
         const pid_t above = support::grandparent();
         ::kill(above, SIGSTOP);
         ::kill(::getppid(), SIGSTOP);
         rest();
     },
     late},
    {"stops its parent again and again",
     [] {
         daemons(3);
         for (;;) ::kill(::getppid(), SIGSTOP);
     },
     any},
    {"closes descriptors",
     [] {
         for (int fd = 0; fd < 64; ++fd) ::close(fd);
     },
     bad_cost},
    {"output without end", [] { say_forever("cost 1 and more words that nobody wants\n"); }, late},
    {"one line without end", [] { say_forever("1111111111111111"); }, late},
    {"binary output",
     [] {
         for (int k = 0; k < 100000; ++k) std::putchar(k * 7919 % 251);
         std::putchar('\n');
     },
     good},
    {"escapes",
     [] {
         std::fputs("\033]0;owned\007\033[2J\x9b\r\n", stderr);
         ::_exit(7);
     },
     exited},
    {"says nan", [] { say("cost nan"); }, bad_cost},
    {"says 1e999", [] { say("cost 1e999"); }, bad_cost},
    {"says -1", [] { say("cost -1"); }, bad_cost},
    {"says 0", [] { say("cost 0"); }, bad_cost},
    {"says two", [] { say("cost 1\ncost 2"); }, bad_cost},
    {"says nothing", [] { ::_exit(0); }, bad_cost},
    {"deep folders",
     [] {
         const std::string name(200, 'd');
         for (int k = 0; k < 100; ++k)  // five times as long as a path may be
             if (::mkdir(name.c_str(), 0777) != 0 || ::chdir(name.c_str()) != 0) break;
     },
     good},
    {"sealed folders",
     [] {
         ::mkdir("x", 0777);
         ::mkdir("x/y", 0777);
         ::chmod("x", 0);
     },
     good},
    {"seals its own folder",
     [] {
         ::mkdir("x", 0777);
         ::chmod(".", 0);
     },
     good},
    {"removes its folder",
     [] {
         char here[PATH_MAX];
         if (::getcwd(here, sizeof here) != nullptr) ::rmdir(here);
     },
     good},
    {"a link for its folder",
     [] {
         char here[PATH_MAX];
         if (::getcwd(here, sizeof here) == nullptr || ::chdir("/") != 0) return;
         ::rmdir(here);
         (void)!::symlink("/", here);
     },
     good},
    {"limits and priority",
     [] {
         (void)!::nice(19);
         const rlimit none{0, 0};
         ::setrlimit(RLIMIT_NPROC, &none);
     },
     good},
};

support::attack* asked = nullptr;

/// This program is its own candidate: `modes_programs --candidate NAME NUMBER`.
[[gnu::constructor]] void candidate_before_main(int argc, char** argv, char**)
{
    if (argc < 4 || std::string_view(argv[1]) != "--candidate") {
        static support::attack first(argc, argv);
        asked = &first;
        return;
    }
    const int i = std::atoi(argv[3]);
    if (std::filesystem::directory_iterator(".") != std::filesystem::directory_iterator())
        ::_exit(99);  // of another one
    for (const fault& f : faults)
        if (bad(i) && f.name == std::string_view(argv[2])) f.run();
    std::printf("cost %d.5\n", i + 1);
    std::fflush(stdout);
    ::_exit(0);
}

constexpr int configurations = 8;
const measure::limits within{.run_seconds = 1, .build_seconds = 30};

std::vector<measurement> measured(measure::program& p)
{
    std::vector<measurement> out(configurations);
    std::vector<int> losses(configurations);
    std::vector<tk::index> waiting;
    for (tk::index i = configurations; i-- > 0;) waiting.push_back(i);
    for (std::size_t left = configurations; left > 0;) {
        for (; p.room() > 0 && !waiting.empty(); waiting.pop_back())
            p.submit({.ticket = tk::ticket{waiting.back()}, .candidate = waiting.back(), .limits = within});
        for (tk::answer& a : p.collect(60)) {
            const auto i = static_cast<std::size_t>(a.ticket);
            if (!a.measured && ++losses[i] < 2) {
                waiting.push_back(i);
                continue;
            }
            out[i] = a.measured ? std::move(*a.measured)
                                : measurement{.failed = measure::failure{failure_kind::lost, 0, "lost twice"}};
            --left;
        }
    }
    return out;
}

}  // namespace

TEST_CASE("every kind of faulty program, in every way to run it")
{
    measure::detail::adopt_descent();  // whatever outlives its measurer becomes ours, and is counted
    const support::temporary_folder folders;
    REQUIRE(::setenv("TMPDIR", (folders / "").c_str(), 1) == 0);
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    if (::access(self.c_str(), X_OK) != 0) return;  // a folder of root's hides this program from others
    const char* const only = std::getenv("TUNEKIT_FAULT");
    int counts[2] = {0, 0};
    double longest = 0;
    for (const fault& f : faults) {
        if (only != nullptr ? f.name != std::string_view(only) : !asked->tries(static_cast<std::uint64_t>(&f - faults)))
            continue;
        for (const char* const way : {"one worker", "two workers", "built", "built ahead"}) {
            const std::string name = f.name;
            CAPTURE(name);
            const std::string how = way;
            CAPTURE(how);
            measure::program_options o{.command = {self, "--candidate", f.name, "{x}"},
                                       .directory = "{scratch}",
                                       .cost = measure::matched("cost ([^ \n]+)"),
                                       .repetition = measure::fixed{.runs = 1, .batch = 1},
                                       .workers = how == "two workers" ? 2U : 1U,
                                       .builders = how == "built ahead" ? 1U : 0U,
                                       .pinned = false};
            if (how.starts_with("built")) {
                o.build = {"/bin/ln", "-s", self, "{build}/p"};
                o.command.front() = "{build}/p";
                o.directory = how == "built" ? "{scratch}" : "/tmp";
            }
            if (how == "built ahead")
                o.command = {"/bin/sh", "-c",   "cd {scratch} && exec {build}/p --candidate \"$1\" \"$2\"",
                             "",        f.name, "{x}"};
            const measure::wall_clock now;
            const double begun = now();
            {
                measure::program p(tk::space::value_product({{"x", {0, 1, 2, 3, 4, 5, 6, 7}}}, {}), o);
                const auto got = measured(p);
                for (int i = 0; i < configurations; ++i) {
                    CAPTURE(i);
                    const measurement& m = got[static_cast<std::size_t>(i)];
                    const std::string says = m.failed ? m.failed->message : std::string("ok");
                    CAPTURE(says);
                    ++counts[bad(i)];
                    if (!bad(i) || f.want == good) {
                        REQUIRE(m.ok());
                        CHECK(m.cost == i + 1.5);
                    } else {
                        REQUIRE(m.failed);
                        if (f.want >= 0) CHECK(static_cast<int>(m.failed->kind) == f.want);
                    }
                }
            }
            longest = (std::max)(longest, now() - begun);
            CHECK(support::left_over() == 0);
            CHECK(std::filesystem::is_empty(folders / ""));
        }
    }
    MESSAGE(counts[0], " good measurements, ", counts[1], " bad ones; the slowest program took ", longest, " s");
}
