// SPDX-License-Identifier: MIT
// Readers where memory does not suffice: an error that names the file, never the end of the program. nlohmann-json's own
// destructor allocates memory and ends the program that has none.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "packages/records/tests/support/faulty_system.hpp"
#include "tests/support/said_in_child.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/dispatch/load.hpp"
#include "tunekit/dispatch/results_file.hpp"
#include "tunekit/formats/recorded_space.hpp"
#include "tunekit/formats/space_file.hpp"
#include "tunekit/formats/t4.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/records/log.hpp"
#include "tunekit/records/read_log.hpp"

namespace tk = tunekit;
using faulty::call;

namespace {

std::optional<faulty::nth> fault;

/// What was read, for which memory suffices again: to destroy JSON takes some.
template <class T>
const T& without_fault(const T& read)
{
    fault.reset();
    return read;
}

/// A reader, and a file of about n entries for it. `read` returns how many it has read.
struct reader {
    const char* name;
    std::function<std::string(int n)> text;
    std::function<std::size_t(const std::string& path)> read;
};

std::string repeated(const std::string& text, int n, const std::string& between = "")
{
    std::string out;
    for (int k = 0; k < n; ++k) out += (k == 0 ? "" : between) + text;
    return out;
}

const std::string t4_result =
    R"({"timestamp":"now","configuration":{"x":128,"l":[[1,2],[3]]},"times":{"compilation":100.0,"runtimes":[2.0]},)"
    R"("invalidity":"correct","correctness":1,"measurements":[{"name":"time","value":[[2.5]],"unit":"ms"}],"objectives":["time"]})";

const reader readers[] = {
    {"log",
     [](int n) {
         tk::io::log_content::head h{.machine = "here", .strategy = "random"};
         h.tasks.push_back({.name = "only task of this log", .size = 10, .parameters = {"a name of some length"}});
         h.schema = tk::io::log_content::head::of_events;
         std::string out = h.line() + '\n';
         for (int k = 0; k < n; ++k) {
             tk::io::log_content::event e;
             e.n = 1;
             e.jobs.push_back({.ticket = tk::ticket{static_cast<std::uint64_t>(k)}, .candidate = 3});
             out += e.line() + '\n';
         }
         return out;
     },
     [](const std::string& path) { return without_fault(tk::io::read_log(path)).events.size(); }},
    {"T4", [](int n) { return "{\"results\":[" + repeated(t4_result, n, ",") + "],\"schema_version\":\"1.0.0\"}"; },
     [](const std::string& path) { return without_fault(tk::io::read_t4(path)).results.size(); }},
    {"T4 with a mistake",
     [](int n) { return "{\"results\":[" + repeated(t4_result + ",{\"configuration\":{\"a\":[[1]]}}", n, ",") + "]}"; },
     [](const std::string& path) { return without_fault(tk::io::read_t4(path)).results.size(); }},
    {"space file",
     [](int n) {
         return R"({"parameters":[{"name":"a","values":[1,[1,2],"a text of some length"]}],"constraints":[)" +
                repeated("\"a != 7\"", n, ",") + "]}";
     },
     [](const std::string& path) { return without_fault(tk::io::read_space_file(path)).constraints.size(); }},
    {"T1",
     [](int n) {
         return R"({"ConfigurationSpace":{"TuningParameters":[{"Name":"a","Values":"[1, 2]"}],"Conditions":[)" +
                repeated(R"({"Expression":"a != 7","Parameters":["a"]})", n, ",") + "]}}";
     },
     [](const std::string& path) { return without_fault(tk::io::read_space_file(path)).constraints.size(); }},
    {"results",
     [](int n) {
         std::string out =
             "# tunekit results 1\nkernel k\nversion 1\nspace ab\nsizes m\nparameters mr\n"
             "config 0 a%20value%20of%20some%20length\ndevice box %\n";
         for (int k = 1; k <= n; ++k) out += std::to_string(k) + " 0 1 1 1 1 s\n";
         return tk::io::detail::with_end(std::move(out));
     },
     [](const std::string& path) { return without_fault(tk::dispatch::read_results(path)).rows.size(); }},
    {"choice",
     [](int n) {
         std::string out =
             "# tunekit choice 1\nkernel k\nversion 1\nspace ab\nsizes m\nparameters mr\n"
             "config 0 1 a%20value%20of%20some%20length\none 0\ndevice box % nearest\n";
         for (int k = 1; k <= n; ++k) out += "shape 0 0 " + std::to_string(k) + '\n';
         return tk::io::detail::with_end(out + "leaf 0\n");
     },
     [](const std::string& path) {
         const auto c = tk::io::within_memory(
             path, [&] { return tk::dispatch::detail::choice_in(tk::io::read_text(path), "choice " + path); });
         return without_fault(c).devices.front().shapes.size();
     }},
};

/// Takes what earlier tests left free on the heap: a limit would not count it.
void use_up_heap()
{
    for (const std::size_t size : {65536U, 4096U, 512U, 64U, 16U}) {
        const void* const top = ::sbrk(0);
        while (::sbrk(0) == top) {
            void* volatile kept = std::malloc(size);
            (void)kept;
        }
    }
}

/// What reading comes to: "", "no memory" or the error.
std::string outcome(const reader& r, const std::string& path)
{
    try {
        (void)r.read(path);
        return "";
    } catch (const tk::error& e) {
        return e.what();
    } catch (const std::bad_alloc&) {
        return "no memory";
    }
}

}  // namespace

TEST_CASE("whichever allocation of a reader fails, it reads all or names the file, and never ends the program")
{
    const support::temporary_folder f;
    for (const reader& r : readers) {
        const std::string path = f / "file", name = r.name;
        CAPTURE(name);
        std::ofstream(path, std::ios::binary) << r.text(2);
        REQUIRE(r.read(path) > 0);
        for (const call which : {call::allocate, call::allocate_on}) {
            int n = 1;
            for (bool came = true; came; ++n) {
                CAPTURE(n);
                std::string said;
                said.reserve(1000);
                fault.emplace(which, n);
                try {
                    (void)r.read(path);
                } catch (const std::exception& e) {
                    fault.reset();
                    said = e.what();
                }
                came = faulty::nth::came();
                if (came && which == call::allocate && !said.empty()) CHECK(said.find(path) != std::string::npos);
            }
            CHECK(n > 5);
        }
    }
}

TEST_CASE("a reader under a limit of memory ends in one line that names the file")
{
    if (tk::measure::detail::sanitized) return;  // sanitizers need terabytes of addresses
    const support::temporary_folder f;
    for (const reader& r : readers) {
        const std::string path = f / "file", name = r.name;
        CAPTURE(name);
        std::ofstream(path, std::ios::binary) << r.text(20'000);
        int refused = 0, whole = 0;
        for (const rlim_t mib : {2U, 9U, 20U, 35U, 500U}) {
            CAPTURE(mib);
            const std::string said = support::said_in_child([&] {
                use_up_heap();
                std::size_t pages = 0;
                std::ifstream("/proc/self/statm") >> pages;
                const rlim_t most = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (mib << 20);
                const rlimit limit{most, most};
                ::setrlimit(RLIMIT_AS, &limit);
                return outcome(r, path);
            });
            if (said.empty()) {
                ++whole;
                continue;
            }
            ++refused;
            CHECK(said.find(path) != std::string::npos);
            CHECK(said.find("memory") != std::string::npos);
            CHECK(said.find('\n') == std::string::npos);
        }
        CHECK(refused > 0);
        CHECK(whole > 0);
    }
}
