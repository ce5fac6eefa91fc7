// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>

#include "tests/support/attacks.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/records/read_log.hpp"

namespace support {

/// Runs with a log, each by a process of its own, which ends by itself when the run is over. Signals end it at random
/// moments of its first quarter of a second, until `signals_wanted` have, and another one takes the run up. None of its
/// processes is left, no line of its log is lost, and in the end the log has `trials` results, each configuration once.
struct signalled_runs {
    std::size_t signals_wanted;
    std::uint64_t first_seed;
    std::size_t trials;

    /// `take_up` is called with the path of a log, in a process of its own, and does not return; `check` with each result.
    template <class TakeUp, class Check>
    void operator()(const TakeUp& take_up, const Check& check) const
    {
        tunekit::measure::detail::adopt_descent();  // what an ended process leaves is waited for here
        const temporary_folder f;
        const environment_variable temporary("TMPDIR", f / "");
        constexpr int signals[] = {SIGKILL, SIGKILL, SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
        std::size_t sent = 0, runs = 0, answers = 0;
        for (std::uint64_t seed = first_seed; sent < signals_wanted; ++seed) {
            CAPTURE(seed);
            tunekit::random::philox dice(seed);
            const std::string path = f / ("log" + std::to_string(seed));
            std::string before;
            for (bool over = false; !over;) {
                const pid_t child = ::fork();
                REQUIRE(child >= 0);
                if (child == 0) take_up(path);
                int status = 0;
                if (sent < signals_wanted) {
                    ::usleep(static_cast<useconds_t>(5'000 + tunekit::random::uniform_index(250'000, dice)));
                    ::kill(child, signals[tunekit::random::uniform_index(std::size(signals), dice)]);
                }
                REQUIRE(::waitpid(child, &status, 0) == child);
                over = WIFEXITED(status);
                if (over) REQUIRE(WEXITSTATUS(status) == 0);
                else ++sent;
                REQUIRE(left_over(60) == 0);
                const std::string text = text_of(path);
                CHECK(text.starts_with(before));
                before = text.substr(0, text.rfind('\n') + 1);
            }
            std::set<tunekit::index> told;
            for (const auto& t : tunekit::io::read_log(path).trials) {
                CAPTURE(t.candidate);
                CHECK(told.insert(t.candidate).second);
                check(t);
            }
            CHECK(told.size() == trials);
            answers += told.size();
            ++runs;
        }
        MESSAGE(sent, " signals in ", runs, " runs, ", answers, " answers");
    }
};

}  // namespace support
