// SPDX-License-Identifier: MIT
// Isolation where the system has little to give.
#include <doctest/doctest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/support/said_in_child.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/isolated.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;

namespace {

/// What measuring comes to in a process for which `prepare` was called: "", or the error.
template <class Prepare>
std::string measured_after(Prepare&& prepare)
{
    return support::said_in_child([&] {
        std::string said;
        try {
            if (!prepare()) throw tk::error("cannot be prepared");
            auto work = [](tk::index, const measure::limits&) { return measure::measurement{.cost = 1, .runs = 1}; };
            auto measurer = measure::detail::isolated_measurer::keeping(work, {}, false);
            for (const tk::index i : {tk::index{0}, tk::index{1}})
                if (!measurer.measure(std::vector{i}, {}).front().ok()) said = "failed";
        } catch (const tk::error& e) {
            said = e.what();
        }
        return said;
    });
}

std::string with_descriptors(rlim_t n)
{
    return measured_after([n] {
        const rlimit few{n, n};
        return ::setrlimit(RLIMIT_NOFILE, &few) == 0;
    });
}

}  // namespace

TEST_CASE("isolated: where there are too few descriptors, one line says so")
{
    if (measure::detail::sanitized) return;  // whose reports are descriptors, too
    int refused = 0;
    for (rlim_t n = 5; n <= 20; ++n) {
        CAPTURE(n);
        const std::string said = with_descriptors(n);
        if (said.empty()) continue;
        ++refused;
        CHECK(said.find("Too many open files; want more descriptors (ulimit -n)") != std::string::npos);
        CHECK(said.find('\n') == std::string::npos);
    }
    CHECK(refused >= 1);
    CHECK(with_descriptors(20).empty());
}

TEST_CASE("isolated: without /dev/null one line says so")
{
    for (int k = 0; k < 20; ++k) {  // the order to start a worker and the zygote's last words may cross
        const std::string said = measured_after([] {
            return ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && ::mount("none", "/dev", "tmpfs", 0, nullptr) == 0;
        });
        if (said == "tunekit: cannot be prepared") return;  // a system without namespaces of users
        CAPTURE(said);
        CHECK(said.find("(/dev/null); want a system that has it") != std::string::npos);
        CHECK(said.find('\n') == std::string::npos);
    }
}
