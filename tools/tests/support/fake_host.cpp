// SPDX-License-Identifier: MIT

// Stands in for Kokkos in the tests: loads libtunekit_kokkos.so and plays sequences of calls, right and wrong ones. Kernels take
// no time: they move a clock, which the library reads through clock_gettime, and its memory is counted by operator new.
//
//     fake_host LIBRARY OTHER_TOOL

#include <dlfcn.h>
#include <malloc.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tools/kokkos_tuner/kokkos_tools.hpp"
#include "tools/tests/support/kokkos_variables.hpp"

namespace {

std::atomic<std::int64_t> ticks{0};  // nanoseconds
std::atomic<std::size_t> held{0};    // bytes
std::atomic<std::size_t> allocations{0};

}  // namespace

extern "C" int clock_gettime(clockid_t, timespec* now) noexcept
{
    const std::int64_t at = ticks += 10;
    *now = {.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000};
    return 0;
}

// Not inline: g++ 12 would see malloc meet delete.
[[gnu::noinline]] void* operator new(std::size_t n)
{
    void* const at = std::malloc(n);
    if (at == nullptr) throw std::bad_alloc();
    held += malloc_usable_size(at);
    ++allocations;
    return at;
}

[[gnu::noinline]] void operator delete(void* at) noexcept
{
    if (at != nullptr) held -= malloc_usable_size(at);
    std::free(at);
}

void operator delete(void* at, std::size_t) noexcept { operator delete(at); }

namespace {

using support::fraction;

int bad = 0;
int fences = 0;

void check(bool good, const char* what)
{
    if (good) return;
    std::printf("FAILED: %s\n", what);
    bad = 1;
}

template <class F>
F* symbol(void* library, const char* name)
{
    void* const at = dlsym(library, name);
    check(at != nullptr, name);
    return reinterpret_cast<F*>(at);
}

void wait(double seconds) { ticks += std::llround(1e9 * seconds); }

/// The host's side of the library.
struct tools {
    void* library;
#define TUNEKIT_HOOK(member, name) decltype(name)* member = symbol<decltype(name)>(library, #name)
    TUNEKIT_HOOK(init, kokkosp_init_library);
    TUNEKIT_HOOK(finalize, kokkosp_finalize_library);
    TUNEKIT_HOOK(arguments, kokkosp_parse_args);
    TUNEKIT_HOOK(help, kokkosp_print_help);
    TUNEKIT_HOOK(ask_settings, kokkosp_request_tool_settings);
    TUNEKIT_HOOK(provide, kokkosp_provide_tool_programming_interface);
    TUNEKIT_HOOK(output, kokkosp_declare_output_type);
    TUNEKIT_HOOK(input, kokkosp_declare_input_type);
    TUNEKIT_HOOK(begin, kokkosp_begin_context);
    TUNEKIT_HOOK(request, kokkosp_request_values);
    TUNEKIT_HOOK(goal, kokkosp_declare_optimization_goal);
    TUNEKIT_HOOK(end, kokkosp_end_context);
    TUNEKIT_HOOK(begin_kernel, kokkosp_begin_parallel_for);
    TUNEKIT_HOOK(end_kernel, kokkosp_end_parallel_for);
#undef TUNEKIT_HOOK
};

constexpr std::uint32_t openmp = 1U << 24, cuda = 2U << 24;

kt_variable_value named(kt_variable& label, const char* name)
{
    kt_variable_value in{1, {}, &label};
    std::strncpy(in.value.string_value, name, sizeof in.value.string_value - 1);
    return in;
}

/// One call of a kernel as Kokkos makes it up to 4.6: the policy's context within the kernel's, which is never ended; the
/// policy's is ended twice, and both ids are used again.
template <class Run>
void policy_call(const tools& t, kt_variable& label, const char* name, std::vector<kt_variable_value>& out,
                 const Run& run)
{
    const kt_variable_value in = named(label, name);
    t.begin(1);
    t.begin(2);
    t.request(2, 1, &in, out.size(), out.data());
    run(out);
    t.end(2, {});
    t.end(2, {});
}

/// The same within a kernel on a device.
template <class Run>
void kernel_call(const tools& t, std::uint32_t device, kt_variable& label, const char* name,
                 std::vector<kt_variable_value>& out, const Run& run)
{
    std::uint64_t kernel = 0;
    t.begin_kernel(name, device, &kernel);
    for (kt_variable_value& v : out) v.value.double_value = 0;
    policy_call(t, label, name, out, run);
    t.end_kernel(kernel);
}

/// A region that an application tunes, with a kernel in it.
template <class Run>
void call(const tools& t, kt_variable& label, const char* name, std::vector<kt_variable_value>& out, const Run& run)
{
    const kt_variable_value in = named(label, name);
    t.begin(1);
    t.request(1, 1, &in, out.size(), out.data());
    t.begin(2);
    run(out);
    t.end(2, {});
    t.end(1, {});
}

/// A sequence of calls after the other, on one library.
struct scenes {
    tools t;
    kt_variable label = support::told(kt_string), team{}, lengths = fraction(), sizes = fraction();
    kt_variable tile[2] = {fraction(), fraction()};
    std::vector<kt_variable_value> teams{{2, {.int_value = 1}, &team}};
    std::vector<kt_variable_value> automatic{{8, {.double_value = 0}, &lengths}, {9, {.double_value = 0}, &sizes}};
    std::vector<kt_variable_value> tiles{{5, {.double_value = 0}, &tile[0]}, {6, {.double_value = 0}, &tile[1]}};
    static constexpr double each = 50e-6;  // seconds of a thread

    static int threads(const std::vector<kt_variable_value>& out)
    {
        return support::team_of(out[1].value.double_value);
    }

    /// The library begins, and asks for no fences but those of timed calls.
    void begin()
    {
        const std::size_t at_first = held;
        t.init(0, 20240906, 0, nullptr);
        check(held > at_first, "the library's memory is not counted");
        kt_settings settings{};
        settings.requires_global_fencing = true;
        t.ask_settings(1, &settings);
        check(settings.requires_global_fencing == (std::getenv("KOKKOS_TOOLS_LIBS") != nullptr),
              "fences of every kernel are not needed");
        kt_actions actions{};
        actions.fence = [](std::uint32_t) { ++fences; };
        t.provide(1, actions);

        t.input("kokkos.kernel_name", 1, &label);
    }

    /// A set whose memory is gone once it was declared.
    void small_set()
    {
        std::vector<std::int64_t> few{1, 2, 4, 8, 16, 32, 64, 128};
        team = support::one_of(few);
        t.output("team", 2, &team);
        std::fill(few.begin(), few.end(), -1);
    }

    /// n calls of a kernel that is fastest with a team of 16; f(team).
    template <class F>
    void calls(const char* name, int n, const F& f, bool ends = true)
    {
        for (int k = 0; k < n; ++k) {
            teams[0].value.int_value = 1;
            const kt_variable_value in = named(label, name);
            const auto id = static_cast<std::size_t>(ends ? 1 : 100 + k);
            t.begin(id);
            t.request(id, 1, &in, 1, teams.data());
            const auto size = teams[0].value.int_value;
            wait(20e-6 * (1 + std::abs(std::log2(static_cast<double>(size)) - 4)));
            f(size);
            if (ends) t.end(id, {});
        }
    }
    void calls(const char* name, int n)
    {
        calls(name, n, [](std::int64_t) {});
    }

    /// A region that an application tunes, and the order of a real Kokkos: timed calls are fenced, and they alone.
    void declared_set()
    {
        small_set();
        for (const bool policy : {false, true}) {
            int fastest = 0;
            const int fenced_before = fences;
            for (int k = 0; k < 3000; ++k) {
                teams[0].value.int_value = 1;  // the host presets its default
                const auto run = [&](const auto& out) {
                    const auto n = out[0].value.int_value;
                    check(n >= 1 && n <= 128, "a team size that was never declared");
                    wait(20e-6 * (1 + std::abs(std::log2(static_cast<double>(n)) - 4)));
                    if (k >= 2900) fastest += n == 16;
                };
                if (policy) policy_call(t, label, "policy", teams, run);
                else call(t, label, "dot", teams, run);
            }
            check(fastest >= 95, policy ? "the fastest team size is not used within a policy's context"
                                        : "the fastest team size is not used in the end");
            const int fenced = fences - fenced_before;
            check(fenced > 0 && fenced < 3000, "timed calls are fenced, and they alone");
        }
    }

    /// The default is that of the device: on a host the team of one thread, on others what is preset.
    void devices()
    {
        t.output("rows_vector_length", 8, &lengths);
        t.output("rows_team_size", 9, &sizes);
        const auto begins_with = [&](std::uint32_t device, const char* name, int wanted) {
            kernel_call(t, device, label, name, automatic,
                        [&](const auto& out) { check(threads(out) == wanted, "the default is another device's"); });
        };
        begins_with(openmp, "busy", 1);
        begins_with(cuda, "device", 128);
        begins_with(openmp, "idle", 1);
    }

    /// A goal: the rate is highest where the call is slowest.
    void goals()
    {
        kt_variable rate = support::told(kt_double);
        t.input("rate", 7, &rate);
        int reached = 0;
        for (int k = 0; k < 3000; ++k) {
            teams[0].value.int_value = 32;
            const kt_variable_value in[2] = {named(label, "goal"),
                                             {7, {.double_value = static_cast<double>(k)}, &rate}};
            t.begin(1);
            t.goal(1, {7, kt_maximize});
            t.request(1, 2, in, 1, teams.data());
            const auto n = static_cast<double>(teams[0].value.int_value);
            const double value = 1 / (1 + std::abs(std::log2(n) - 2));
            t.end(1, {7, {.double_value = k % 500 == 499 ? -1 : value}, &rate});
            if (k >= 2900) reached += n == 4;
        }
        check(reached >= 95, "the largest value is not reached");
        t.goal(55, {7, kt_minimize});  // of no context
        t.begin(1);
        t.goal(1, {99, kt_minimize});  // never declared
        t.goal(1, {1, kt_minimize});   // a text
        t.end(1, {});
    }

    /// Nothing is kept of contexts that are over, or that never end.
    void nothing_kept()
    {
        t.output("copy_tile_size_0", 5, &tile[0]);
        t.output("copy_tile_size_1", 6, &tile[1]);
        const auto many = [&] {
            for (int k = 0; k < 20000; ++k) {
                kernel_call(t, openmp, label, "busy", automatic, [&](const auto& out) { wait(each * threads(out)); });
                call(t, label, "copy", tiles, [](const auto&) {});
                t.begin(3);
                kernel_call(t, openmp, label, "idle", automatic, [&](const auto& out) { wait(each * threads(out)); });
                t.end(3, {});
            }
        };
        many();
        const std::size_t before = held;
        many();
        check(held <= before + 65536, "contexts that are over pile up");  // they would be 10 times that, at least
    }

    /// Wrong sequences do no harm.
    void wrong_sequences()
    {
        t.end(77, {});                               // never begun
        t.request(78, 0, nullptr, 1, teams.data());  // in no context
        teams[0].id = 99;
        call(t, label, "undeclared", teams, [](const auto&) {});
        teams[0].id = 2;
        t.request(1, 0, nullptr, 0, nullptr);
        t.begin(5);
        t.begin(6);  // never ended
        t.request(6, 0, nullptr, 1, teams.data());
        t.end(5, {});
        t.begin(5);
        const int before = fences;
        for (int k = 0; k < 2; ++k) t.request(5, 0, nullptr, 1, teams.data());
        check(fences == before + 1, "a call that asks twice is timed twice, or never");
        t.end(5, {});
        for (int k = 0; k < 3; ++k) t.begin(1);  // the same id, nested
        for (int k = 0; k < 4; ++k) t.end(1, {});
    }

    /// The same names with other candidates are another kernel; then two threads have one.
    void other_candidates()
    {
        std::vector<std::int64_t> fewer{3, 5};
        team = support::one_of(fewer);
        t.output("team", 2, &team);
        for (int k = 0; k < 50; ++k)
            call(t, label, "dot", teams, [&](const auto& out) {
                check(out[0].value.int_value == 3 || out[0].value.int_value == 5, "a value of before");
            });

        const auto work = [&] {
            kt_variable own = label;
            std::vector<kt_variable_value> mine{{2, {.int_value = 3}, &team}};
            for (int k = 0; k < 2000; ++k)
                call(t, own, "shared", mine, [&](const auto& out) {
                    if (out[0].value.int_value != 3 && out[0].value.int_value != 5) std::abort();
                    wait(2e-6);
                });
        };
        std::thread other(work);
        work();
        other.join();
    }
};

/// A file's text.
std::string text_of(const char* file)
{
    std::string text;
    if (std::FILE* const f = std::fopen(file, "rb")) {
        char buffer[4096];
        for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, f)) > 0;) text.append(buffer, n);
        std::fclose(f);
    }
    return text;
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// A process with a library of its own that calls f(scenes); its wait status.
template <class F>
int in_process(const char* library, std::vector<std::string> arguments, const F& f)
{
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        void* const own = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
        if (own == nullptr) _exit(2);
        scenes s{{own}};
        s.begin();
        std::vector<char*> argv;
        arguments.insert(arguments.begin(), "host");
        for (std::string& a : arguments) argv.push_back(a.data());
        s.t.arguments(static_cast<int>(argv.size()), argv.data());
        s.small_set();
        f(s);
        std::fflush(stdout);
        _exit(bad);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

/// Processes of their own.
struct processes {
    const char* library;
    std::string file;

    [[nodiscard]] std::vector<std::string> with(std::vector<std::string> more) const
    {
        more.push_back("--file=" + file);
        return more;
    }

    /// 2000 calls are enough for a winner in values; the next process begins with it.
    void short_programs() const
    {
        check(in_process(library, with({"--quiet=1"}),
                         [](scenes& s) {
                             s.calls("short", 2000);
                             s.t.finalize();
                         }) == 0,
              "a short program fails");
        const std::string text = text_of(file.c_str());
        check(has(text, "kokkos.kernel_name=short team"), "a short program saves nothing");
        check(has(text, "team=16; then team="), "the file names no values");
        check(in_process(library, with({"--quiet=1"}),
                         [](scenes& s) {
                             int fastest = 0;
                             s.calls("short", 300, [&](std::int64_t n) { fastest += n == 16; });
                             check(fastest > 280, "the next program does not begin with what was found");
                             s.t.finalize();
                         }) == 0,
              "the second short program fails");
    }

    /// SIGTERM saves and then ends the process; so does an end that Kokkos does not announce.
    void other_ends() const
    {
        const int status = in_process(library, with({"--quiet=1"}), [](scenes& s) {
            s.calls("terminated", 1500);
            raise(SIGTERM);
            for (;;) pause();
        });
        check(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "SIGTERM does not end the process");
        check(has(text_of(file.c_str()), "name=terminated team"), "SIGTERM loses what was found");
        check(in_process(library, with({"--quiet=1"}),
                         [](scenes& s) {
                             s.calls("forked", 1500);
                             const pid_t child = fork();
                             if (child == 0) {
                                 alarm(20);
                                 std::exit(0);
                             }
                             int left = -1;
                             check(waitpid(child, &left, 0) == child && left == 0, "a forked child does not end");
                             alarm(20);
                             raise(SIGTERM);
                             for (;;) pause();
                         }) == SIGTERM,
              "an exit of a forked child stops the thread that saves");
        check(has(text_of(file.c_str()), "name=forked team"), "after a fork SIGTERM loses what was found");
        check(in_process(library, with({"--quiet=1"}),
                         [](scenes& s) {
                             s.calls("ended", 1500);
                             std::exit(bad);
                         }) == 0,
              "an end without finalize fails");
        check(has(text_of(file.c_str()), "name=ended team"), "an end without finalize loses what was found");
    }

    /// Signals at any moment of a process that saves again and again end it, and the file stays whole: the next one begins
    /// with what was found.
    void signalled() const
    {
        for (std::size_t k = 0; k < 30; ++k) {
            constexpr int signals[] = {SIGKILL, SIGTERM, SIGKILL, SIGHUP, SIGINT, SIGKILL, SIGQUIT};
            const int signal = signals[k % std::size(signals)];
            const int status = in_process(library, with({"--quiet=1", "--every=0.001"}), [&](scenes& s) {
                const pid_t self = getpid();
                if (fork() == 0) {
                    usleep(static_cast<useconds_t>(20'000 + 7919 * k % 40'000));
                    for (int n = 0; n < 20; ++n, usleep(100)) kill(self, signal);
                    _exit(0);
                }
                for (;;) s.calls("signalled", 200);
            });
            check(WIFSIGNALED(status) && WTERMSIG(status) == signal, "a signal does not end a process that saves");
        }
        check(has(text_of(file.c_str()), "name=signalled team"), "signals lose what was found");
        check(in_process(library, with({"--quiet=1"}),
                         [](scenes& s) {
                             int fastest = 0;
                             s.calls("signalled", 300, [&](std::int64_t n) { fastest += n == 16; });
                             check(fastest > 280, "after signals a program does not begin with what was found");
                             s.t.finalize();
                         }) == 0,
              "a program after signals fails");
        for (const auto& beside : std::filesystem::directory_iterator("."))  // of killed ones; ours go after a minute
            if (beside.path().filename().string().starts_with(file + '.')) std::filesystem::remove(beside);
    }

    /// A timed call that never ends stops its kernel for a while, and no longer.
    void never_ended() const
    {
        check(in_process(library, {"--quiet=1"},
                         [](scenes& s) {
                             s.calls("thrown", 3, [](std::int64_t) {}, false);
                             int fastest = 0;
                             s.calls("thrown", 6000, [&](std::int64_t n) { fastest += n == 16; });
                             check(fastest > 3000, "a call that never ended stops its kernel for ever");
                             for (std::size_t k = 0; k < 1000; ++k) s.t.begin(1000 + k);  // none is ever ended
                             const std::size_t before = held;
                             for (std::size_t k = 0; k < 1000; ++k) s.t.begin(2000 + k);
                             check(held <= before + 1024, "contexts that never end pile up");
                         }) == 0,
              "calls that never end");
    }

    /// Nothing per call depends on the number of candidates: settled and excluded ones allocate nothing.
    void allocations_of_a_call() const
    {
        for (const bool excluded : {false, true})
            check(in_process(library, {"--quiet=1", excluded ? "--only=nothing" : "--trials=20"},
                             [&](scenes& s) {
                                 for (const double step : {0.25, 1.0 / 320}) {  // 9 and 102,400 candidates
                                     kt_variable part[2] = {fraction(), fraction()};
                                     std::vector<kt_variable_value> two;
                                     for (std::size_t k = 0; k < 2; ++k) {
                                         part[k].candidates.range.step.double_value = step;
                                         s.t.output(k == 0 ? "first" : "second", 20 + k, &part[k]);
                                         two.push_back({20 + k, {.double_value = 0}, &part[k]});
                                     }
                                     const char* const name = step > 0.1 ? "few" : "many";
                                     const auto run = [&](int n) {
                                         for (int k = 0; k < n; ++k)
                                             call(s.t, s.label, name, two, [](const auto&) { wait(1e-5); });
                                     };
                                     run(20000);
                                     const std::size_t before = allocations;
                                     run(1000);
                                     // A check of another configuration makes that and the winner anew.
                                     check(allocations <= before + (excluded ? 0 : 60),
                                           "a settled or excluded call allocates");
                                 }
                             }) == 0,
                  "allocations of a call");
    }

    /// Four ranks: the first one tunes and writes, the others use what it found and say nothing.
    void ranks() const
    {
        const auto rank = [&](int of, const auto& f) {
            setenv("OMPI_COMM_WORLD_RANK", std::to_string(of).c_str(), 1);
            const int status = in_process(library, with({"--every=0.01", of == 0 ? "--quiet=1" : "--quiet=0"}), f);
            unsetenv("OMPI_COMM_WORLD_RANK");
            return status;
        };
        check(rank(0,
                   [](scenes& s) {
                       s.calls("shared by ranks", 8000);
                       s.t.finalize();
                   }) == 0,
              "the first rank fails");
        const std::string written = text_of(file.c_str());
        for (const int other : {1, 2, 3})
            check(rank(other,
                       [](scenes& s) {
                           std::set<std::int64_t> used;
                           s.calls("shared by ranks", 3000, [&](std::int64_t n) { used.insert(n); });
                           check(used == std::set<std::int64_t>{16},
                                 "another rank does not use what the first one found");
                           s.t.finalize();
                       }) == 0,
                  "another rank fails");
        check(text_of(file.c_str()) == written, "another rank writes");
    }

    /// A rank that runs before the first one has found anything takes it over once that is written.
    void late_news() const
    {
        int done[2], found[2];
        check(pipe(done) == 0 && pipe(found) == 0, "no pipe");
        std::fflush(stdout);
        const pid_t follower = fork();
        if (follower == 0) {
            setenv("PMI_RANK", "1", 1);
            const int status = in_process(library, with({"--every=0.01"}), [&](scenes& s) {
                s.calls("news", 10, [](std::int64_t n) { check(n == 1, "a follower tunes"); });
                char c = 'r';
                check(write(done[1], &c, 1) == 1 && read(found[0], &c, 1) == 1, "no word");
                bool taken = false;
                for (int k = 0; k < 100000 && !taken; ++k) {
                    usleep(100);
                    s.calls("news", 1, [&](std::int64_t n) { taken = n == 16; });
                }
                check(taken, "a follower never hears of what was found");
            });
            _exit(status != 0);
        }
        char c = 0;
        check(read(done[0], &c, 1) == 1, "no word of the follower");
        check(in_process(library, with({"--quiet=1"}),
                         [](scenes& s) {
                             s.calls("news", 5000);
                             s.t.finalize();
                         }) == 0,
              "the rank that tunes fails");
        check(write(found[1], &c, 1) == 1, "no word to the follower");
        int status = 0;
        waitpid(follower, &status, 0);
        check(status == 0, "the follower fails");
    }

    /// Another tool behind ours hears of kernels and regions, and is fenced for; tuning goes on.
    void stacked(const char* other) const
    {
        setenv("KOKKOS_TOOLS_LIBS", (std::string(library) + ';' + other).c_str(), 1);
        const int status = in_process(library, {"--quiet=1"}, [&](scenes& s) {
            int fastest = 0;
            for (int k = 0; k < 3000; ++k) {
                std::uint64_t kernel = 0;
                s.t.begin_kernel("stacked", openmp, &kernel);
                s.calls("stacked", 1, [&](std::int64_t n) { fastest += k >= 2900 && n == 16; });
                s.t.end_kernel(kernel);
            }
            check(fastest >= 90, "nothing is tuned beside another tool");
            symbol<void(const char*)>(s.t.library, "kokkosp_push_profile_region")("region");
            s.t.finalize();
            void* const there = dlopen(other, RTLD_NOW | RTLD_NOLOAD);
            check(there != nullptr, "the other tool is not loaded");
            if (there == nullptr) return;
            const auto count = [&](const char* name) { return *static_cast<int*>(dlsym(there, name)); };
            check(count("begun") == 3000 && count("ended") == 3000, "the other tool does not hear of kernels");
            check(count("regions") == 1 && count("finished") == 1, "the other tool does not hear of the rest");
            kt_settings settings{};
            s.t.ask_settings(1, &settings);
            check(settings.requires_global_fencing, "the other tool is not fenced for");
        });
        check(status == 0, "a stack of tools");
        unsetenv("KOKKOS_TOOLS_LIBS");
    }

    /// The help names the settings; wrong arguments are one line each.
    void arguments() const
    {
        int out[2];
        check(pipe(out) == 0, "no pipe");
        check(in_process(library, {"--seed=2"},
                         [&](scenes& s) {
                             dup2(out[1], 1);
                             dup2(out[1], 2);
                             std::vector<std::string> wrong{"host", "--regret=-1", "--trials=many", "--colour=red"};
                             std::vector<char*> argv;
                             for (std::string& a : wrong) argv.push_back(a.data());
                             s.t.help(argv[0]);
                             std::fflush(stdout);
                             s.t.arguments(static_cast<int>(argv.size()), argv.data());
                         }) == 0,
              "help and arguments");
        char buffer[8192];
        std::string said;
        close(out[1]);
        for (ssize_t n = 0; (n = read(out[0], buffer, sizeof buffer)) > 0;)
            said.append(buffer, static_cast<std::size_t>(n));
        close(out[0]);
        for (const char* const part :
             {"--regret ", "KOKKOS_TOOLS_TUNEKIT_FILE", "--regret=-1: online::options: regret is negative",
              "--trials=many is not a possible value", "'--colour=red' is not an argument"})
            check(has(said, part), part);
    }
};

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 3) return std::fprintf(stderr, "fake_host: want LIBRARY OTHER_TOOL\n"), 2;
    char file[] = "tunekit-kokkos-XXXXXX";
    const int made = mkstemp(file);
    check(made >= 0, "no temporary file");
    close(made);
    const processes own{argv[1], std::string(file) + ".own"};
    own.short_programs();
    own.other_ends();
    own.signalled();
    own.never_ended();
    own.allocations_of_a_call();
    own.ranks();
    own.late_news();
    own.arguments();
    own.stacked(argv[2]);
    unlink(own.file.c_str());
    void* const library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) return std::fprintf(stderr, "fake_host: %s\n", dlerror()), 2;
    setenv("KOKKOS_TOOLS_TUNEKIT_FILE", file, 1);
    setenv("KOKKOS_TOOLS_TUNEKIT_REGRET", "0.5", 1);  // many candidates in few calls
    setenv("KOKKOS_TOOLS_TUNEKIT_TRIALS", "60", 1);
    setenv("OMP_NUM_THREADS", "128", 1);
    scenes s{{library}};
    s.begin();
    s.declared_set();
    s.devices();
    s.goals();
    s.nothing_kept();
    s.wrong_sequences();
    s.other_candidates();
    s.t.finalize();
    const std::string text = text_of(file);
    check(has(text, "kokkos.kernel_name=dot team") && has(text, "team=16; then team="), "the winner was not saved");
    unlink(file);
    std::printf("%s\n", bad ? "failed" : "passed");
    return bad;
}
