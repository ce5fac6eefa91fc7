// SPDX-License-Identifier: MIT
#include "tunekit/processes/build/child_process.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "tunekit/processes/system/own_files.hpp"

namespace {

namespace measure = tunekit::measure;
using measure::child_process;

}  // namespace

TEST_CASE("a function in a child: its words, its status, its exception, its signal")
{
    child_process writes([] {
        for (int i = 0; i < 20000; ++i) ::dprintf(1, "%05d\n", i);  // more than a pipe holds
        return 3;
    });
    REQUIRE(writes.await(60));
    CHECK(WEXITSTATUS(writes.status()) == 3);
    CHECK(writes.text().size() == 20000 * 6);

    child_process throws([]() -> int { throw std::runtime_error("why"); });
    REQUIRE(throws.await(60));
    CHECK(WEXITSTATUS(throws.status()) == 126);
    CHECK(throws.text() == "error: why\n");

    child_process aborts([]() -> int { std::abort(); });
    REQUIRE(aborts.await(60));
    CHECK(WTERMSIG(aborts.status()) == SIGABRT);
}

TEST_CASE("a child that writes without end is heard in bounded memory, and what a child leaves ends with it")
{
    const measure::detail::temporary_directory place("/tmp/tunekit-child-");
    child_process floods({"/bin/sh", "-c", "echo first; head -c 100000000 /dev/zero; echo last"}, place.name());
    REQUIRE(floods.await(60));
    CHECK(floods.text().starts_with("first\n"));
    CHECK(floods.text().ends_with("last\n"));
    CHECK(floods.text().size() < (std::size_t{1} << 21));

    child_process leaves([&place] {  // a daemon of its own session, which no group kill reaches
        const pid_t daemon = ::fork();
        if (daemon == 0) {
            ::setsid();
            for (;;) ::pause();
        }
        measure::detail::write_file(place.name() + "/daemon", std::to_string(daemon));
        return 0;
    });
    REQUIRE(leaves.await(60));
    const auto daemon = static_cast<pid_t>(std::stol(measure::detail::bytes_of(place.name() + "/daemon").value()));
    CHECK(::kill(daemon, 0) != 0);
}

TEST_CASE("a child that hangs is not waited for, and ends with its owner")
{
    pid_t group = -1;
    {
        child_process hangs([]() -> int {
            ::dprintf(1, "%d", static_cast<int>(::getpid()));
            for (;;) ::pause();
        });
        while (hangs.text().empty()) CHECK_FALSE(hangs.advance());
        group = static_cast<pid_t>(std::stol(hangs.text()));
        CHECK_FALSE(hangs.await(0.01));
    }
    CHECK(::kill(-group, 0) != 0);
}

TEST_CASE("a tree of any depth is removed")
{
    measure::detail::temporary_directory place("/tmp/tunekit-child-");
    int at = ::open(place.name().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int k = 0; k < 500; ++k) {
        REQUIRE(::mkdirat(at, "a-name-that-is-long", 0700) == 0);
        const int below = ::openat(at, "a-name-that-is-long", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        REQUIRE(below >= 0);
        ::close(at);
        at = below;
    }
    ::close(at);
    REQUIRE(::mkdir((place.name() + "/sealed").c_str(), 0700) == 0);
    measure::detail::write_file(place.name() + "/sealed/file", "kept by its folder's mode");
    REQUIRE(::chmod((place.name() + "/sealed").c_str(), 0500) == 0);
    measure::detail::remove_tree(place.name());
    CHECK(::access(place.name().c_str(), F_OK) != 0);
}
