// SPDX-License-Identifier: MIT
#include "packages/kernels/operators/child.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

TEST_CASE("what a child writes comes back whole, with its exit status, its exception or its signal")
{
    const auto writes = programs::in_child("test", 60, [] {
        for (int i = 0; i < 20000; ++i) ::dprintf(1, "%05d\n", i);  // more than a pipe holds
        return 3;
    });
    CHECK(WEXITSTATUS(writes.status) == 3);
    CHECK(writes.text.size() == 20000 * 6);
    CHECK(writes.text.ends_with("19999\n"));

    const auto throws = programs::in_child("test", 60, []() -> int { throw std::runtime_error("why"); });
    CHECK(WEXITSTATUS(throws.status) == 126);
    CHECK(throws.text == "error: why\n");

    const auto aborts = programs::in_child("test", 60, []() -> int { std::abort(); });
    CHECK(WIFSIGNALED(aborts.status));
    CHECK(WTERMSIG(aborts.status) == SIGABRT);
}

TEST_CASE("a child that does not end is killed, and that is an error that names it")
{
    const auto hangs = []() -> int {
        while (true) ::pause();
    };
    CHECK_THROWS_WITH_AS((void)programs::in_child("contest", 0.05, hangs),
                         "tunekit: contest: the child has not ended in time", tunekit::error);
}
