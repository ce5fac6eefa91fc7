// SPDX-License-Identifier: MIT
#include "tunekit/processes/stop_on_signal.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <span>
#include <string>
#include <vector>

#include "tests/support/files.hpp"
#include "tests/support/grid_space.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

namespace {

/// Costs 1; the process gets `signal` while it measures for the fifth time.
struct interrupted {
    int signal;
    int measured = 0;

    std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&)
    {
        std::vector<tk::measure::measurement> out(batch.size());
        for (auto& m : out) {
            m.cost = 1;
            if (++measured == 5) ::raise(signal);
        }
        return out;
    }
};

}  // namespace

TEST_CASE("a signal ends the run with what it has, and the status says which")
{
    const support::grid_space space({20, 20});
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        CAPTURE(signal);
        tk::stop_on_signal stop;
        CHECK(stop.heard() == 0);
        CHECK(stop.status() == 0);
        tk::random::philox gen(1);
        const auto found =
            tk::tune(space, interrupted{.signal = signal}, tk::search::random{}, {.trials = 100}, gen, {.watch = stop});
        CHECK(found.trials().size() == 8);  // to the end of the batch, which is the strategy's
        CHECK(found.found());
        CHECK(stop.heard() == signal);
        CHECK(stop.status() == 128 + signal);
        CHECK_THROWS_AS(tk::stop_on_signal(), tk::error);
    }
}

TEST_CASE("afterwards signals do what they did before; the second of a kind ends the program at once")
{
    struct sigaction before{};
    struct sigaction after{};
    ::sigaction(SIGINT, nullptr, &before);
    {
        const tk::stop_on_signal stop;
    }
    ::sigaction(SIGINT, nullptr, &after);
    CHECK((before.sa_handler == after.sa_handler));
    ::signal(SIGHUP, SIG_IGN);  // as nohup does
    {
        const tk::stop_on_signal stop;
        ::raise(SIGHUP);
        CHECK(stop.heard() == 0);
    }
    CHECK((::signal(SIGHUP, SIG_DFL) == SIG_IGN));
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const tk::stop_on_signal stop;
        ::raise(SIGTERM);
        if (stop.heard() != SIGTERM) ::_exit(1);
        ::raise(SIGTERM);
        ::_exit(2);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGTERM);
}

TEST_CASE("the first signal ends a read that would wait for ever")
{
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        CAPTURE(signal);
        int ready[2], never[2];
        REQUIRE(::pipe(ready) == 0);
        REQUIRE(::pipe(never) == 0);
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            const tk::stop_on_signal stop;
            char none = 0;
            if (::write(ready[1], &none, 1) != 1) ::_exit(2);
            const ssize_t n = ::read(never[0], &none, 1);
            ::_exit(n < 0 && errno == EINTR && stop.heard() == signal ? 0 : 1);
        }
        char none = 0;
        REQUIRE(::read(ready[0], &none, 1) == 1);
        const std::string state = "/proc/" + std::to_string(child) + "/stat";
        while (support::text_of(state).find(") S ") == std::string::npos) ::usleep(1000);  // until it waits
        ::kill(child, signal);
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        CHECK(status == 0);
        for (const int fd : {ready[0], ready[1], never[0], never[1]}) ::close(fd);
    }
}

TEST_CASE("a reader that left ends the run as the other signals do, and each later write fails")
{
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    ::close(ends[0]);
    {
        const tk::stop_on_signal stop;
        for (int write = 0; write < 3; ++write) {
            CHECK(::write(ends[1], "x", 1) == -1);
            CHECK(errno == EPIPE);
        }
        CHECK(stop.heard() == SIGPIPE);
        CHECK(stop.status() == 141);
        ::raise(SIGTERM);
        CHECK(stop.status() == 141);  // what came first counts
    }
    ::signal(SIGPIPE, SIG_IGN);
    {
        const tk::stop_on_signal stop;
        CHECK(::write(ends[1], "x", 1) == -1);
        CHECK(stop.heard() == 0);
    }
    CHECK((::signal(SIGPIPE, SIG_DFL) == SIG_IGN));
    ::close(ends[1]);
}
