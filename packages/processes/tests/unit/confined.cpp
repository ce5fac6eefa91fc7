// SPDX-License-Identifier: MIT
// What a confined worker may do and may not.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/processes/detail/keeper.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/guarded_buffer.hpp"
#include "tunekit/processes/isolated.hpp"
#include "tunekit/processes/isolated_workers.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;

namespace {

enum deed : int {
    connects,
    opens_unix_socket,
    traces,
    makes_namespace,
    forks_namespace,
    makes_pair,
    forks,
    computes,
    deeds
};

struct deed_space {
    using config = deed;
    [[nodiscard]] tk::index size() const { return deeds; }
    [[nodiscard]] config at(tk::index i) const { return static_cast<deed>(i); }
    [[nodiscard]] std::optional<tk::index> index_of(const config& c) const { return static_cast<tk::index>(c); }
    [[nodiscard]] std::uint64_t fingerprint() const { return deeds; }
};

/// The errno of a deed; 0 where it was done.
int errno_of(bool done) { return done ? 0 : errno; }

int connect_to(std::uint16_t port)
{
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0) return errno;
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = port;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return errno_of(::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
}

std::atomic<int> thread_sum{0};

/// Four threads of GNU's OpenMP, where it is installed; -1 where it is not.
int compute()
{
    void* const library = ::dlopen("libgomp.so.1", RTLD_NOW);
    if (library == nullptr) return -1;
    using parallel = void (*)(void (*)(void*), void*, unsigned, unsigned);
    const auto run = reinterpret_cast<parallel>(::dlsym(library, "GOMP_parallel"));
    if (run == nullptr) return -1;
    thread_sum = 0;
    run([](void*) { ++thread_sum; }, nullptr, 4, 0);
    return thread_sum;
}

int do_it(deed what, std::uint16_t port)
{
    switch (what) {
        case connects:
            return connect_to(port);
        case opens_unix_socket:
            return errno_of(::socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
        case traces:
            return errno_of(::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0);
        case makes_namespace:
            return errno_of(::syscall(SYS_unshare, 0x10000000) == 0);
        case forks_namespace: {
            const long child = ::syscall(SYS_clone, 0x10000000UL | SIGCHLD, 0UL, 0UL, 0UL, 0UL);
            if (child == 0) ::_exit(0);
            return errno_of(child > 0);
        }
        case makes_pair: {
            int ends[2];
            return errno_of(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
        }
        case forks: {
            const pid_t child = ::fork();
            if (child == 0) ::_exit(0);
            int status = 1;
            return errno_of(child > 0 && ::waitpid(child, &status, 0) == child && status == 0);
        }
        case computes:
            return compute();
        case deeds:
            break;
    }
    return 0;
}

/// Somebody who listens on 127.0.0.1.
struct listener {
    int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    std::uint16_t port = 0;

    listener()
    {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof at;
        REQUIRE(::bind(fd, reinterpret_cast<const sockaddr*>(&at), size) == 0);
        REQUIRE(::listen(fd, 8) == 0);
        REQUIRE(::getsockname(fd, reinterpret_cast<sockaddr*>(&at), &size) == 0);
        port = at.sin_port;
    }
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;
    ~listener() { ::close(fd); }
};

std::vector<int> all_deeds(measure::isolated_options options)
{
    const listener there;
    measure::guarded_buffer<int> said(deeds);
    measure::timed timing{[&, port = there.port](deed what) {
                              said.data()[what] = do_it(what, port);
                              return 1.0;
                          },
                          measure::fixed{.runs = 1, .batch = 1}};
    auto measurer = measure::isolated(deed_space{}, timing, options);
    for (int k = 0; k < deeds; ++k) {
        const auto m = measurer.measure(std::vector<tk::index>{static_cast<tk::index>(k)}, {}).front();
        CAPTURE(k);
        CAPTURE((m.failed ? m.failed->message : std::string()));
        CHECK(m.ok());
    }
    return {said.span().begin(), said.span().end()};
}

}  // namespace

TEST_CASE("confined: a candidate reaches neither a network nor other processes, and has its threads and children")
{
    const std::vector<int> free = all_deeds({});
    CHECK(free[connects] == 0);
    CHECK(free[opens_unix_socket] == 0);
    if (measure::detail::sanitized) return;  // which traces itself, or cannot be a process of another namespace
    if (!measure::detail::can_enclose(true)) {
        MESSAGE("not tried: this system gives no network namespaces or no seccomp");
        measure::timed timing{[](deed) { return 1.0; }};
        auto measurer = measure::isolated(deed_space{}, timing, {.confined = true});
        CHECK_THROWS_WITH_AS((void)measurer.measure(std::vector<tk::index>{0}, {}),
                             doctest::Contains("want a system that gives PID and network namespaces and seccomp, or "
                                               ".confined = false"),
                             tk::error);
        return;
    }
    const std::vector<int> confined = all_deeds({.confined = true});
    for (const deed refused : {connects, opens_unix_socket, traces, makes_namespace, forks_namespace}) {
        CAPTURE(static_cast<int>(refused));
        CHECK(confined[static_cast<std::size_t>(refused)] == EACCES);
    }
    CHECK(confined[makes_pair] == 0);
    CHECK(confined[forks] == 0);
    CHECK(confined[computes] == free[computes]);
    CHECK((free[computes] == 4 || free[computes] == -1));
}

TEST_CASE("confined: the workers of a pool are")
{
    if (measure::detail::sanitized || !measure::detail::can_enclose(true)) return;
    const listener there;
    measure::guarded_buffer<int> said(deeds);
    measure::isolated_workers pool(1,
                                   [&](std::size_t) {
                                       return measure::worker_task{
                                           deed_space{}, measure::timed{[&, port = there.port](deed what) {
                                                                            said.data()[what] = do_it(what, port);
                                                                            return 1.0;
                                                                        },
                                                                        measure::fixed{.runs = 1, .batch = 1}}};
                                   },
                                   {.confined = true});
    auto alone = pool.alone(0);
    CHECK(alone.measure(std::vector<tk::index>{connects}, {}).front().ok());
    CHECK(said.span()[connects] == EACCES);
}
