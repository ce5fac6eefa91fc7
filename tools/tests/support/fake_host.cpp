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
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tools/kokkos_tuner/kokkos_tools.hpp"

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
    decltype(kokkosp_init_library)* init = symbol<decltype(kokkosp_init_library)>(library, "kokkosp_init_library");
    decltype(kokkosp_finalize_library)* finalize =
        symbol<decltype(kokkosp_finalize_library)>(library, "kokkosp_finalize_library");
    decltype(kokkosp_parse_args)* arguments = symbol<decltype(kokkosp_parse_args)>(library, "kokkosp_parse_args");
    decltype(kokkosp_print_help)* help = symbol<decltype(kokkosp_print_help)>(library, "kokkosp_print_help");
    decltype(kokkosp_request_tool_settings)* ask_settings =
        symbol<decltype(kokkosp_request_tool_settings)>(library, "kokkosp_request_tool_settings");
    decltype(kokkosp_provide_tool_programming_interface)* provide =
        symbol<decltype(kokkosp_provide_tool_programming_interface)>(library,
                                                                     "kokkosp_provide_tool_programming_interface");
    decltype(kokkosp_declare_output_type)* output =
        symbol<decltype(kokkosp_declare_output_type)>(library, "kokkosp_declare_output_type");
    decltype(kokkosp_declare_input_type)* input =
        symbol<decltype(kokkosp_declare_input_type)>(library, "kokkosp_declare_input_type");
    decltype(kokkosp_begin_context)* begin = symbol<decltype(kokkosp_begin_context)>(library, "kokkosp_begin_context");
    decltype(kokkosp_request_values)* request =
        symbol<decltype(kokkosp_request_values)>(library, "kokkosp_request_values");
    decltype(kokkosp_declare_optimization_goal)* goal =
        symbol<decltype(kokkosp_declare_optimization_goal)>(library, "kokkosp_declare_optimization_goal");
    decltype(kokkosp_end_context)* end = symbol<decltype(kokkosp_end_context)>(library, "kokkosp_end_context");
    decltype(kokkosp_begin_parallel_for)* begin_kernel =
        symbol<decltype(kokkosp_begin_parallel_for)>(library, "kokkosp_begin_parallel_for");
    decltype(kokkosp_end_parallel_for)* end_kernel =
        symbol<decltype(kokkosp_end_parallel_for)>(library, "kokkosp_end_parallel_for");
};

constexpr std::uint32_t openmp = 1U << 24, cuda = 2U << 24, hip = 3U << 24;

/// A number of a built-in tuner as an index into `n` values.
std::size_t of_values(const kt_variable_value& v, std::size_t n)
{
    return static_cast<std::size_t>(static_cast<double>(n) * v.value.double_value);
}

/// The tile that a built-in tuner reads from the numbers, at most 1024 elements.
std::vector<int> tile_of(const std::vector<kt_variable_value>& numbers)
{
    std::vector<int> out;
    unsigned left = 1024;
    for (const auto& v : numbers) {
        out.push_back(1 << of_values(v, static_cast<std::size_t>(std::bit_width(left - 1))));
        left /= static_cast<unsigned>(out.back());
    }
    return out;
}

kt_variable text_input()
{
    kt_variable v{};
    v.type = kt_string;
    v.quantity = kt_unbounded;
    return v;
}

kt_variable fraction(double cells = 20)
{
    kt_variable v{};
    v.type = kt_double;
    v.category = kt_interval;
    v.quantity = kt_range;
    v.candidates.range.lower.double_value = 0;
    v.candidates.range.upper.double_value = 0.999;
    v.candidates.range.step.double_value = 0.999 / cells;
    v.candidates.range.open_lower = v.candidates.range.open_upper = true;
    return v;
}

/// One call of a kernel as Kokkos makes it up to 4.6: the policy's context within the kernel's, which is never ended; the
/// policy's is ended twice, and both ids are used again.
template <class Run>
void policy_call(const tools& t, kt_variable& label, const char* name, std::vector<kt_variable_value>& out,
                 const Run& run)
{
    kt_variable_value in{1, {}, &label};
    std::strncpy(in.value.string_value, name, sizeof in.value.string_value - 1);
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
    kt_variable_value in{1, {}, &label};
    std::strncpy(in.value.string_value, name, sizeof in.value.string_value - 1);
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
    kt_variable label = text_input(), team{}, lengths = fraction(), sizes = fraction();
    kt_variable tile[2] = {fraction(), fraction()};
    std::vector<kt_variable_value> teams{{2, {.int_value = 1}, &team}};
    std::vector<kt_variable_value> automatic{{8, {.double_value = 0}, &lengths}, {9, {.double_value = 0}, &sizes}};
    std::vector<kt_variable_value> tiles{{5, {.double_value = 0}, &tile[0]}, {6, {.double_value = 0}, &tile[1]}};
    static constexpr double each = 50e-6;  // seconds of a thread

    /// The team that a built-in tuner maps numbers onto: 128 threads, 64, ... 1.
    static int threads(const std::vector<kt_variable_value>& out) { return 128 >> of_values(out[1], 8); }

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
        {
            std::vector<std::int64_t> few{1, 2, 4, 8, 16, 32, 64, 128};
            team.type = kt_int64;
            team.quantity = kt_set;
            team.candidates.set.size = few.size();
            team.candidates.set.values.int_value = few.data();
            t.output("team", 2, &team);
            std::fill(few.begin(), few.end(), -1);
        }
    }

    /// n calls of a kernel that is fastest with a team of 16; f(team).
    template <class F>
    void calls(const char* name, int n, const F& f, bool ends = true)
    {
        for (int k = 0; k < n; ++k) {
            teams[0].value.int_value = 1;
            kt_variable_value in{1, {}, &label};
            std::strncpy(in.value.string_value, name, sizeof in.value.string_value - 1);
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

    void declared_set()
    {
        small_set();
        int fastest = 0;
        for (int k = 0; k < 3000; ++k) {
            teams[0].value.int_value = 1;  // the host presets its default
            call(t, label, "dot", teams, [&](const auto& out) {
                const auto n = out[0].value.int_value;
                check(n >= 1 && n <= 128, "a team size that was never declared");
                wait(20e-6 * (1 + std::abs(std::log2(static_cast<double>(n)) - 4)));
                if (k >= 2900) fastest += n == 16;
            });
        }
        check(fastest >= 95, "the fastest team size is not used in the end");
        const int fenced = fences;
        check(fenced > 0 && fenced < 3000, "timed calls are fenced, and they alone");
    }

    /// The order of a real Kokkos.
    void policy_contexts()
    {
        int fastest = 0;
        for (int k = 0; k < 3000; ++k) {
            teams[0].value.int_value = 1;
            policy_call(t, label, "policy", teams, [&](const auto& out) {
                const auto n = out[0].value.int_value;
                wait(10e-6 * (1 + std::abs(std::log2(static_cast<double>(n)) - 3)));
                if (k >= 2900) fastest += n == 8;
            });
        }
        check(fastest >= 95, "the fastest team size is not used within a policy's context");
    }

    /// AUTO teams: the default of a host is one thread, and larger ones are tried within the regret.
    void automatic_teams()
    {
        t.output("rows_vector_length", 8, &lengths);
        t.output("rows_team_size", 9, &sizes);
        double spent = 0, most_above = 0;
        int single = 0;
        constexpr double regret = 0.5;
        for (int k = 0; k < 20000; ++k)
            kernel_call(t, openmp, label, "busy", automatic, [&](const auto& out) {
                const int n = threads(out);
                wait(each * n);
                spent += each * n;
                most_above = (std::max)(most_above, spent - (1 + regret) * (k + 1) * each);
                if (k < 100 || k >= 19000) single += n == 1;
            });
        check(single >= 1095, "a host's default is the team of one thread, and stays where it is the fastest");
        check(most_above <= 29 * each,
              "larger teams cost more than the regret and one surprise");  // of 128, where 100 is presumed
        check(spent > 20000 * each + 100 * each, "larger teams were never tried");
    }

    /// The fastest of them is found, and on a device what is preset stays.
    void automatic_teams_elsewhere()
    {
        int four = 0;
        for (int k = 0; k < 20000; ++k)
            kernel_call(t, openmp, label, "idle", automatic, [&](const auto& out) {
                wait(each * (1 + std::abs(std::log2(threads(out)) - 2)));
                if (k >= 19000) four += threads(out) == 4;
            });
        check(four >= 950, "the fastest team of a host is not used in the end");
        kernel_call(t, cuda, label, "device", automatic,
                    [&](const auto& out) { check(threads(out) == 128, "a device's default is not what is preset"); });
    }

    /// A goal: the rate is highest where the call is slowest.
    void goals()
    {
        kt_variable rate{};
        rate.type = kt_double;
        rate.quantity = kt_unbounded;
        t.input("rate", 7, &rate);
        for (const bool most : {true, false}) {
            int reached = 0;
            for (int k = 0; k < 3000; ++k) {
                teams[0].value.int_value = 32;
                kt_variable_value in[2] = {{1, {}, &label}, {7, {.double_value = static_cast<double>(k)}, &rate}};
                std::strcpy(in[0].value.string_value, "goal");
                t.begin(1);
                t.goal(1, {7, most ? kt_maximize : kt_minimize});
                t.request(1, 2, in, 1, teams.data());
                const auto n = static_cast<double>(teams[0].value.int_value);
                const double value = 1 / (1 + std::abs(std::log2(n) - 2));  // most at 4, least at 128
                t.end(1, {7, {.double_value = k % 500 == 499 ? -1 : value}, &rate});
                if (k >= 2900) reached += most ? n == 4 : n == 128;
            }
            check(reached >= 95, most ? "the largest value is not reached" : "the smallest value is not reached");
        }
        t.goal(55, {7, kt_minimize});  // of no context
        t.begin(1);
        t.goal(1, {99, kt_minimize});  // never declared
        t.goal(1, {1, kt_minimize});   // a text
        t.end(1, {});
    }

    /// Open ends: nothing outside ]0, 0.999[; two variables at once.
    void open_ends()
    {
        kt_variable fractions[2] = {fraction(), fraction()};
        t.output("dot_vector_length", 3, &fractions[0]);
        t.output("dot_team_size", 4, &fractions[1]);
        std::vector<kt_variable_value> two{{3, {.double_value = 0}, &fractions[0]},
                                           {4, {.double_value = 0}, &fractions[1]}};
        for (int k = 0; k < 500; ++k)
            call(t, label, "rows", two, [&](const auto& out) {
                for (const auto& v : out)
                    check(v.value.double_value > 0 && v.value.double_value < 0.999, "a value outside its range");
                wait(10e-6);
            });
    }

    /// Tiles are not tuned unasked, and never set to a tile of one element.
    void tiles_unasked()
    {
        t.output("copy_tile_size_0", 5, &tile[0]);
        t.output("copy_tile_size_1", 6, &tile[1]);
        double first = 0;
        for (int k = 0; k < 300; ++k)
            call(t, label, "copy", tiles, [&](const auto& out) {
                if (k == 0) first = out[0].value.double_value;
                check(out[0].value.double_value == first && first > 0.2, "tiles were tuned");
            });
    }

    /// By the device, they are those of an untuned Kokkos.
    void tiles_of_devices()
    {
        kt_variable part[3] = {fraction(15), fraction(15), fraction(15)};
        std::vector<kt_variable_value> parts;
        for (std::size_t k = 0; k < 3; ++k) {
            t.output(("swap_tile_size_" + std::to_string(k)).c_str(), 10 + k, &part[k]);
            parts.push_back({10 + k, {.double_value = 0}, &part[k]});
        }
        const auto tile_is = [&](std::uint32_t device, const char* name, const std::vector<int>& wanted) {
            kernel_call(t, device, label, name, parts, [&](const auto& out) { check(tile_of(out) == wanted, name); });
        };
        tile_is(openmp, "tile of a host", {2, 2, 128});
        tile_is(cuda, "tile of CUDA", {16, 2, 2});
        tile_is(hip, "tile of HIP", {16, 4, 4});
    }

    /// Nothing is kept of contexts that are over, or that never end.
    void nothing_kept()
    {
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
        for (int k = 0; k < 3; ++k) t.begin(1);  // the same id, nested
        for (int k = 0; k < 4; ++k) t.end(1, {});
    }

    /// The same names with other candidates are another kernel; then two threads have one.
    void other_candidates()
    {
        std::vector<std::int64_t> fewer{3, 5};
        team.candidates.set.size = 2;
        team.candidates.set.values.int_value = fewer.data();
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
    s.policy_contexts();
    s.automatic_teams();
    s.automatic_teams_elsewhere();
    s.goals();
    s.open_ends();
    s.tiles_unasked();
    s.tiles_of_devices();
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
