// SPDX-License-Identifier: MIT
#include "tunekit/processes/stop_on_signal.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <span>
#include <vector>

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
