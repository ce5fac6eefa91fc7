// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <string>

#include <doctest/doctest.h>

#include "tunekit/processes/detail/process.hpp"

namespace support {

/// What `work` returns in a child process, of at most one pipe's length. The child has descriptors 0 to 3 alone.
template <class Work>
std::string said_in_child(Work&& work)
{
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        for (int fd = 3; fd < 64; ++fd)
            if (fd != ends[1]) ::close(fd);
        ::dup2(ends[1], 3);
        for (int fd = 4; fd < 64; ++fd) ::close(fd);
        const std::string said = work();
        (void)!::write(3, said.data(), said.size());
        tunekit::measure::detail::end_process(0);
    }
    ::close(ends[1]);
    std::string said;
    char text[512];
    for (ssize_t got = 0; (got = ::read(ends[0], text, sizeof text)) > 0;)
        said.append(text, static_cast<std::size_t>(got));
    ::close(ends[0]);
    int status = 1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    return said;
}

}  // namespace support
