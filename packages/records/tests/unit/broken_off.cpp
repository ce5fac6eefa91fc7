// SPDX-License-Identifier: MIT
// Runs that are broken off: by a kill, a full disk, a line that is no line; and logs of version 0.1.
#include "tunekit/records/logged.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/grid_space.hpp"
#include "tests/support/in_batches.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/processes/guarded_buffer.hpp"
#include "tunekit/processes/isolated.hpp"
#include "tunekit/search/random.hpp"

namespace tk = tunekit;
using support::grid_space;
using support::temporary_folder;
using tk::measure::virtual_clock;

namespace {

std::string content(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void put(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

/// Costs that depend on the candidate, every seventh fails; moves the clock by awkward amounts.
struct scripted {
    virtual_clock time;
    int* measured = nullptr;

    std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&)
    {
        std::vector<tk::measure::measurement> out;
        for (const auto i : batch) {
            const double cost = 1e-3 / 3 * static_cast<double>(1 + i % 97);
            time.advance(0.1 / 7 + cost * 3);
            if (measured != nullptr) ++*measured;
            tk::measure::measurement m{
                .cost = cost, .spread = cost / 9, .runs = 3, .run_seconds = 3 * cost, .batches = {cost, cost / 3}};
            if (i % 7 == 0)
                m.failed =
                    tk::measure::failure{tk::measure::failure_kind::crash, 11, "signal 11 \"in\" kernel\n\tat \xff"};
            out.push_back(std::move(m));
        }
        return out;
    }
};

tk::io::logged_options how(bool resume, std::uint64_t seed = 1)
{
    return {.name = "only", .strategy = "random", .seed = seed, .resume = resume};
}

const auto in_fours = support::in_batches(4, tk::search::random{}, {.abandon_factor = 10});

auto thirty(std::uint64_t seed = 1)
{
    return tk::tuner(grid_space({20, 20}), in_fours, tk::budget{.trials = 30}, tk::random::philox(seed));
}

/// 30 trials in batches of 4 over a space of 400, logged. Returns what was learned.
tk::tuning run(const std::string& path, bool resume, int* measured = nullptr, std::uint64_t seed = 1)
{
    double seconds = 0;
    const virtual_clock time(seconds);
    tk::io::logged t(path, thirty(seed), how(resume, seed));
    scripted measure{time, measured};
    tk::tune(t, measure, {.clock = time});
    return t.record();
}

}  // namespace

TEST_CASE("a logged run learns what an unlogged one learns, and its log reads back to the last bit")
{
    const temporary_folder f;
    const auto found = run(f / "log", false);
    double seconds = 0;
    const virtual_clock time(seconds);
    auto plain = thirty();
    scripted measure{time};
    tk::tune(plain, measure, {.clock = time});
    CHECK(found.seconds() == plain.record().seconds());
    const auto log = tk::io::read_log(f / "log");
    REQUIRE(log.trials.size() == 30);
    REQUIRE(found.trials().size() == 30);
    for (std::size_t i = 0; i < 30; ++i) {
        CHECK(found.trials()[i].candidate == plain.record().trials()[i].candidate);
        CHECK(log.trials[i].candidate == found.trials()[i].candidate);
        auto expected = found.trials()[i].measured;
        if (expected.failed)
            expected.failed->message = "signal 11 \"in\" kernel\n\tat \xc3\xbf";  // foreign bytes are Latin-1
        CHECK(log.trials[i].measured == expected);
    }
    CHECK(log.whole_bytes == static_cast<std::int64_t>(content(f / "log").size()));
}

TEST_CASE("a malformed line is named by its number and the file is left as it is")
{
    const temporary_folder f;
    (void)run(f / "log", false);
    const std::string text = content(f / "log");
    std::size_t at = 0;
    for (int line = 1; line < 6; ++line) at = text.find('\n', at) + 1;
    const auto refused = [&](const std::string& line, const char* why) {
        std::string bad = text;
        bad.replace(at, text.find('\n', at) - at, line);
        put(f / "bad", bad);
        CHECK_THROWS_WITH_AS((void)run(f / "bad", true), doctest::Contains(why), tk::error);
        CHECK((content(f / "bad") == bad));
    };
    refused("{\"task\":0,", "line 6:");
    refused("{}", "line 6:");
    refused("{}", "the 5 lines before it are whole");
    refused("[1,2]", "line 6:");
    refused("", "line 6:");
    put(f / "bad", "hello\n");
    CHECK_THROWS_WITH_AS((void)run(f / "bad", true), doctest::Contains("line 1:"), tk::error);
    put(f / "bad", "{\"a\":1}\n");
    CHECK_THROWS_WITH_AS((void)run(f / "bad", true), doctest::Contains("is not a tunekit log"), tk::error);
}

TEST_CASE("a log has one writer")
{
    const temporary_folder f;
    const tk::io::logged first(f / "log", thirty(), how(false));
    CHECK_THROWS_WITH_AS(tk::io::logged(f / "log", thirty(), how(true)),
                         doctest::Contains("is being written by another process"), tk::error);
}

TEST_CASE("an unwritable place and a device are one line")
{
    CHECK_THROWS_WITH_AS(tk::io::logged("/nonexistent/log", thirty(), how(false)),
                         doctest::Contains("log /nonexistent/log: cannot be opened for writing: No such file"),
                         tk::error);
    CHECK_THROWS_WITH_AS(tk::io::logged("/dev/full", thirty(), how(false)),
                         doctest::Contains("is a device, want a regular file"), tk::error);
}

TEST_CASE("a file that reaches its size limit ends in a whole line, stops the run and can be resumed")
{
    const temporary_folder f;
    (void)run(f / "whole", false);
    const std::string whole = content(f / "whole");
    const std::string path = f / "full";
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{whole.size() / 2, whole.size() / 2};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        ::_exit(run(path, false).stopped() == tk::stop_reason::asked ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    const std::string cut = content(path);
    CHECK(cut.size() <= whole.size() / 2);
    CHECK(cut.back() == '\n');
    CHECK((whole.compare(0, cut.size(), cut) == 0));
    const auto before = tk::io::read_log(path).trials.size();
    int measured = 0;
    CHECK(run(path, true, &measured).trials().size() == 30);
    CHECK(measured == 30 - static_cast<int>(before));
    CHECK(before > 5);
}

TEST_CASE("a clock that jumps by an hour loses nothing that was logged, and the log resumes to the same trials")
{
    const temporary_folder f;
    const auto jumpy = [&](const std::string& path, bool resume, double hours, int when, int& measured) {
        double seconds = 0;
        const virtual_clock time(seconds);
        int readings = 0;
        const auto clock = [&] { return time() + (readings++ >= when ? 3600 * hours : 0); };
        tk::io::logged t(
            path,
            tk::tuner(grid_space({20, 20}), in_fours, tk::budget{.trials = 30, .seconds = 1000}, tk::random::philox(1)),
            how(resume));
        scripted measure{time, &measured};
        tk::tune(t, measure, {.clock = clock});
        CHECK(t.stopped() == tk::stop_reason::trials);
        CHECK_FALSE(t.failed());
        return t.record();
    };
    for (const double hours : {1.0, -1.0})
        for (const int when : {1, 4, 30}) {
            CAPTURE(hours);
            CAPTURE(when);
            int measured = 0;
            const auto found = jumpy(f / "jumpy", false, hours, when, measured);
            CHECK(measured == 30);
            const std::string whole = content(f / "jumpy");
            std::size_t at = whole.find('\n') + 1;
            for (int line = 0; at < whole.size(); ++line, at = whole.find('\n', at) + 1) {
                if (line % 3 == 1) continue;
                put(f / "cut", whole.substr(0, at));
                const auto before = static_cast<int>(tk::io::read_log(f / "cut").trials.size());
                measured = 0;
                const auto again = jumpy(f / "cut", true, hours, when, measured);
                CHECK(measured == 30 - before);
                CHECK(again.trials().size() == 30);
                CHECK((content(f / "cut").compare(0, at, whole, 0, at) == 0));
                CHECK(tk::io::read_log(f / "cut").trials.size() == 30);
                std::remove((f / "cut").c_str());
            }
            std::remove((f / "jumpy").c_str());
        }
}

TEST_CASE(
    "a tuner with a worker killed at a random moment leaves no process and no line torn but the last, and measures "
    "nothing twice that was logged: 30 kills")
{
    const temporary_folder f;
    const grid_space space({20, 20});
    tk::measure::guarded_buffer<int> runs(400);  // of each configuration, by all processes
    const auto live = [&](const std::string& path, bool resume) {
        tk::measure::timed timing{[&](tk::index i) {
                                      runs.data()[i] = runs.data()[i] + 1;
                                      ::usleep(100);
                                  },
                                  tk::measure::fixed{.runs = 2, .batch = 1}, tk::measure::no_check{},
                                  tk::measure::wall_clock{}, tk::measure::timed_options{.min_steps = 0}};
        auto work = [&](tk::index i, const tk::measure::limits& within) { return timing(i, within); };
        return tk::io::logged_run(path, space, tk::measure::detail::isolated_measurer(work, {}),
                                  support::in_batches(4, tk::search::random{}), {.trials = 20}, how(resume));
    };
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what a killed tuner leaves becomes ours, and can be waited for
    const tk::measure::wall_clock wall;
    const double begun_whole = wall();
    CHECK(live(f / "whole", false).trials().size() == 20);
    const auto whole =
        static_cast<std::uint64_t>(1e6 * (wall() - begun_whole)) + 1;  // microseconds; long under sanitizers
    tk::random::philox gen(6);
    std::size_t kept = 0;
    for (int repeat = 0; repeat < 30; ++repeat) {
        CAPTURE(repeat);
        const std::string path = f / "killed";
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            (void)live(path, false);
            ::_exit(0);
        }
        // Not before the log is there, or a busy machine would be asked nothing.
        for (int wait = 0; wait < 5000 && ::access(path.c_str(), F_OK) != 0; ++wait) ::usleep(1000);
        ::usleep(static_cast<useconds_t>(tk::random::uniform_index((std::min)(whole, std::uint64_t{999'999}), gen)));
        ::kill(child, SIGKILL);
        while (::waitpid(-1, nullptr, 0) > 0) {  // ends once the tuner, its zygote and its worker have
        }
        std::vector<tk::index> logged;
        const std::string text = content(path);
        const bool begun = text.find('\n') != std::string::npos;
        if (begun)
            for (const auto& t : tk::io::read_log(path).trials) logged.push_back(t.candidate);
        else std::remove(path.c_str());
        kept += logged.size();
        const std::vector<int> before(runs.span().begin(), runs.span().end());
        const auto found = live(path, true);
        CHECK(found.trials().size() == 20);
        CHECK(found.failed() == 0);
        for (const tk::index i : logged) CHECK(runs.span()[i] == before[i]);
        if (begun) CHECK((content(path).compare(0, text.rfind('\n') + 1, text, 0, text.rfind('\n') + 1) == 0));
        CHECK(tk::io::read_log(path).trials.size() == 20);
        std::remove(path.c_str());
    }
    CHECK(kept > 0);  // or the kills come too early to tell anything
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST_CASE("a log of version 0.1 is read as it was written, and is not resumed")
{
    const temporary_folder f;
    const std::string path = f / "old";
    put(path,
        R"({"tunekit_log":1,"version":"0.1.0","machine":"here","seed":1,"strategy":"random","schedule":"","seconds":60,"slot_seconds":0.5,"batch":2,"tasks":[{"name":"only","size":400,"fingerprint":16045690984503111693}]}
{"task":0,"batch":0,"index":243,"limits":{"abandon_above":null,"run_s":10,"build_s":10},"cost":0.0166,"spread":0.0018,"runs":3,"at_least":false,"build_s":0,"run_s":0.05,"batches":[0.0166,0.0055],"ended_ns":64285714}
{"task":0,"batch":0,"index":7,"limits":{"abandon_above":0.1,"run_s":10,"build_s":10},"cost":null,"spread":null,"runs":0,"at_least":false,"build_s":0,"run_s":0.01,"failed":{"kind":"damaged canary","code":0,"message":"at \u00ff"},"batches":[],"ended_ns":74285714,"stamp_ns":74285800}
)");
    const auto log = tk::io::read_log(path);
    CHECK(log.header.schema == 1);
    CHECK(log.header.workers == 1);
    CHECK(log.header.slot_seconds == 0.5);
    CHECK(log.header.budget == tk::io::log_content::budget{});
    CHECK(log.header.tasks.at(0).fingerprint == 0xdeadbeefcafef00d);
    REQUIRE(log.trials.size() == 2);
    CHECK(log.events.empty());
    CHECK(log.trials[0].candidate == 243);
    CHECK(log.trials[0].measured.cost == 0.0166);
    CHECK(log.trials[0].measured.batches == std::vector{0.0166, 0.0055});
    CHECK(std::isinf(log.trials[0].limits.abandon_above));
    CHECK_FALSE(log.trials[0].stamp_ns.has_value());
    REQUIRE(log.trials[1].measured.failed);
    CHECK(log.trials[1].measured.failed->kind == tk::measure::failure_kind::damaged_canary);
    CHECK(log.trials[1].stamp_ns == 74285800);
    CHECK_THROWS_WITH_AS((void)run(path, true), doctest::Contains("was written with tunekit version 0.1.0, not "),
                         tk::error);
}
