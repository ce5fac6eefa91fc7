// SPDX-License-Identifier: MIT
#include "tunekit/io/session.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "support/grid_space.hpp"
#include "support/temporary_folder.hpp"
#include "tunekit/measure/guarded_buffer.hpp"
#include "tunekit/measure/isolated.hpp"
#include "tunekit/measure/replay.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/virtual_clock.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/schedule/round_robin.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/tune/tune.hpp"
#include "tunekit/tune/tune_tasks.hpp"

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
    useconds_t real_pause = 0;

    std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&)
    {
        std::vector<tk::measure::measurement> out;
        for (const auto i : batch) {
            const double cost = 1e-3 / 3 * static_cast<double>(1 + i % 97);
            time.advance(0.1 / 7 + cost * 3);
            if (measured != nullptr) ++*measured;
            if (real_pause != 0) ::usleep(real_pause);
            tk::measure::measurement m{.cost = cost, .spread = cost / 9, .runs = 3, .run_seconds = 3 * cost, .batches = {cost, cost / 3}};
            if (i % 7 == 0)
                m.failed = tk::measure::failure{tk::measure::failure_kind::crash, 11, "signal 11 \"in\" kernel\n\tat \xff"};
            out.push_back(std::move(m));
        }
        return out;
    }
};

tk::io::log_header header(std::uint64_t seed = 1)
{
    return {.version = "0.1.0", .machine = "here", .seed = seed, .strategy = "random", .schedule = "", .seconds = 1e9,
            .slot_seconds = 0, .batch = 4, .tasks = {{"only", 400, 0xdeadbeefcafef00d}}};
}

/// 30 trials in batches of 4 over a space of 400, logged. Returns what was learned.
tk::tuning run(const std::string& path, bool resume, int* measured = nullptr, useconds_t pause = 0, std::uint64_t seed = 1)
{
    const grid_space space({20, 20});
    double seconds = 0;
    virtual_clock time(seconds);
    tk::io::session log(path, header(seed), time, {.resume = resume});
    tk::random::philox gen(seed);
    return tk::tune(space, log.record(0, scripted{time, measured, pause}), tk::search::random{},
                    {.trials = 30, .batch = 4, .limits = {.abandon_factor = 10}}, log.clock(),
                    [&](const tk::tuning&) { return log.failed(); }, gen);
}

}  // namespace

TEST_CASE("a logged run learns what an unlogged one learns")
{
    const temporary_folder f;
    const auto logged = run((f / "log"), false);
    double seconds = 0;
    virtual_clock time(seconds);
    tk::random::philox gen(1);
    const auto plain = tk::tune(grid_space({20, 20}), scripted{time}, tk::search::random{},
                                {.trials = 30, .batch = 4, .limits = {.abandon_factor = 10}}, time,
                                [](const tk::tuning&) { return false; }, gen);
    REQUIRE(logged.trials().size() == plain.trials().size());
    for (std::size_t i = 0; i < 30; ++i) CHECK(logged.trials()[i] == plain.trials()[i]);
    CHECK(logged.seconds() == doctest::Approx(plain.seconds()).epsilon(1e-12));
}

TEST_CASE("a log reads back to the last bit")
{
    const temporary_folder f;
    const auto found = run((f / "log"), false);
    const auto log = tk::io::read_log((f / "log"));
    REQUIRE(log.trials.size() == 30);
    for (std::size_t i = 0; i < 30; ++i) {
        CHECK(log.trials[i].candidate == found.trials()[i].candidate);
        auto expected = found.trials()[i].measured;
        if (expected.failed) expected.failed->message = "signal 11 \"in\" kernel\n\tat \xc3\xbf";  // foreign bytes are Latin-1
        CHECK(log.trials[i].measured == expected);
        CHECK(log.trials[i].stamp_ns.has_value() == (i % 4 == 3 || i == 29));
        CHECK(log.trials[i].batch == i / 4);
    }
    CHECK(log.header.tasks[0].fingerprint == 0xdeadbeefcafef00d);
    CHECK(std::isinf(log.trials[0].limits.abandon_above));
    CHECK(log.whole_bytes == static_cast<std::int64_t>(content((f / "log")).size()));
}

TEST_CASE("for every k, a run killed after trial k and resumed writes the log of the uninterrupted run")
{
    const temporary_folder f;
    (void)run((f / "whole"), false);
    const std::string whole = content((f / "whole"));
    std::vector<std::size_t> ends;
    for (std::size_t at = whole.find('\n'); at != std::string::npos; at = whole.find('\n', at + 1)) ends.push_back(at + 1);
    REQUIRE(ends.size() == 31);
    for (std::size_t k = 0; k < ends.size(); ++k)
        for (const std::size_t torn : {std::size_t{0}, std::size_t{1}, std::size_t{25}}) {
            CAPTURE(k);
            CAPTURE(torn);
            put((f / "cut"), whole.substr(0, ends[k] + torn));
            int measured = 0;
            const auto found = run((f / "cut"), true, &measured);
            CHECK(measured == 30 - static_cast<int>(k));
            CHECK(found.trials().size() == 30);
            CHECK((content((f / "cut")) == whole));
            std::remove((f / "cut").c_str());
        }
}

TEST_CASE("a process killed at a random moment loses at most the trial in flight: 50 kills")
{
    const temporary_folder f;
    (void)run((f / "whole"), false);
    const std::string whole = content((f / "whole"));
    tk::random::philox gen(5);
    for (int repeat = 0; repeat < 50; ++repeat) {
        const std::string path = (f / "killed");
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            (void)run(path, false, nullptr, 400);
            ::_exit(0);
        }
        ::usleep(static_cast<useconds_t>(1000 + tk::random::uniform_index(12000, gen)));
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        int measured = 0;
        if (content(path).find('\n') == std::string::npos) std::remove(path.c_str());  // killed before the header was there
        (void)run(path, true, &measured);
        CHECK((content(path) == whole));
        std::remove(path.c_str());
    }
}

TEST_CASE("a log of another run is refused, naming what differs")
{
    const temporary_folder f;
    (void)run((f / "log"), false);
    const std::string before = content((f / "log"));
    CHECK_THROWS_WITH_AS((void)run((f / "log"), true, nullptr, 0, 2),
                         doctest::Contains("was written with seed 1, not 2"), tk::error);
    CHECK_THROWS_WITH_AS((void)run((f / "log"), false), doctest::Contains("exists already; resume it, or name another file"), tk::error);
    std::string other = before;
    const auto at = other.find("\"index\":", other.find('\n'));
    other.insert(at + 8, "3");
    put((f / "other"), other);
    CHECK_THROWS_WITH_AS((void)run((f / "other"), true), doctest::Contains("resume: trial 1 of the log is configuration 3"), tk::error);
    CHECK((content((f / "log")) == before));
}

TEST_CASE("a malformed line is named by its number and the file is left as it is")
{
    const temporary_folder f;
    (void)run((f / "log"), false);
    std::string text = content((f / "log"));
    std::size_t at = 0;
    for (int line = 1; line < 6; ++line) at = text.find('\n', at) + 1;
    const auto refused = [&](const std::string& line, const char* why) {
        std::string bad = text;
        bad.replace(at, text.find('\n', at) - at, line);
        put((f / "bad"), bad);
        CHECK_THROWS_WITH_AS((void)run((f / "bad"), true), doctest::Contains(why), tk::error);
        CHECK((content((f / "bad")) == bad));
    };
    refused("{\"task\":0,", "line 6:");
    refused("{}", "line 6:");
    refused("{}", "the 5 lines before it are whole");
    refused("[1,2]", "line 6:");
    refused("", "line 6:");
    put((f / "bad"), "hello\n");
    CHECK_THROWS_WITH_AS((void)run((f / "bad"), true), doctest::Contains("line 1:"), tk::error);
    put((f / "bad"), "{\"a\":1}\n");
    CHECK_THROWS_WITH_AS((void)run((f / "bad"), true), doctest::Contains("is no tunekit log"), tk::error);
}

TEST_CASE("a log has one writer")
{
    const temporary_folder f;
    double seconds = 0;
    tk::io::session first((f / "log"), header(), virtual_clock(seconds), {});
    CHECK_THROWS_WITH_AS(tk::io::session((f / "log"), header(), virtual_clock(seconds), {.resume = true}),
                         doctest::Contains("is being written by another process"), tk::error);
}

TEST_CASE("an unwritable place and a full device are one line")
{
    double seconds = 0;
    CHECK_THROWS_WITH_AS(tk::io::session("/nonexistent/log", header(), virtual_clock(seconds), {}),
                         doctest::Contains("log /nonexistent/log: cannot be opened for writing: No such file"), tk::error);
    CHECK_THROWS_WITH_AS(tk::io::session("/dev/full", header(), virtual_clock(seconds), {}), doctest::Contains("No space left"), tk::error);
}

TEST_CASE("a file that reaches its size limit ends in a whole line, stops the run and can be resumed")
{
    const temporary_folder f;
    (void)run((f / "whole"), false);
    const std::string whole = content((f / "whole"));
    const std::string path = (f / "full");
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{whole.size() / 2, whole.size() / 2};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        const auto found = run(path, false);
        ::_exit(found.stopped == tk::stop_reason::asked ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    const std::string cut = content(path);
    CHECK(cut.size() <= whole.size() / 2);
    CHECK(cut.back() == '\n');
    CHECK((whole.compare(0, cut.size(), cut) == 0));
    (void)run(path, true);
    CHECK((content(path) == whole));
}

TEST_CASE("a clock that jumps by an hour loses nothing that was logged, and the log resumes to the same trials")
{
    const temporary_folder f;
    const grid_space space({20, 20});
    const auto jumpy = [&](const std::string& path, bool resume, double hours, int when, int& measured) {
        double seconds = 0;
        const virtual_clock time(seconds);
        int readings = 0;
        const auto clock = [&] { return time() + (readings++ >= when ? 3600 * hours : 0); };
        tk::io::session log(path, header(), clock, {.resume = resume});
        tk::random::philox gen(1);
        const auto found = tk::tune(space, log.record(0, scripted{time, &measured}), tk::search::random{},
                                    {.trials = 30, .seconds = 1000, .batch = 4}, log.clock(),
                                    [&](const tk::tuning&) { return log.failed(); }, gen);
        CHECK(found.stopped == tk::stop_reason::trials);
        CHECK_FALSE(log.failed());
        return found;
    };
    for (const double hours : {1.0, -1.0})
        for (const int when : {1, 4, 30}) {
            CAPTURE(hours);
            CAPTURE(when);
            int measured = 0;
            const auto found = jumpy(f / "jumpy", false, hours, when, measured);
            CHECK(measured == 30);
            const std::string whole = content(f / "jumpy");
            REQUIRE(tk::io::read_log(f / "jumpy").trials.size() == 30);
            std::size_t at = whole.find('\n') + 1;
            for (int k = 0; k < 30; ++k, at = whole.find('\n', at) + 1) {
                if (k % 3 == 1) continue;
                CAPTURE(k);
                put(f / "cut", whole.substr(0, at));
                measured = 0;
                const auto again = jumpy(f / "cut", true, hours, when, measured);
                CHECK(measured == 30 - k);
                REQUIRE(again.trials().size() == 30);
                for (std::size_t i = 0; i < 30; ++i) CHECK(again.trials()[i].candidate == found.trials()[i].candidate);
                CHECK((content(f / "cut").compare(0, at, whole, 0, at) == 0));
                CHECK(tk::io::read_log(f / "cut").trials.size() == 30);
                std::remove((f / "cut").c_str());
            }
            std::remove((f / "jumpy").c_str());
        }
}

TEST_CASE("for every k, tasks tuned over replayed tables, killed after trial k and resumed, write the log of the whole run")
{
    const temporary_folder f;
    std::vector<tk::measure::recorded> rows(400);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double cost = 1e-4 * (1 + std::abs(static_cast<double>(i) - 137) / 7);
        rows[i].result = {.cost = cost, .spread = cost / 100, .runs = 4, .build_seconds = 0.1 / 3, .run_seconds = 4 * cost, .batches = {cost, cost}};
        if (i % 11 == 3) rows[i].result.failed = tk::measure::failure{tk::measure::failure_kind::run_timeout, 0, "was still running"};
        rows[i].seconds = 0.1 + 5 * cost / 3;
    }
    tk::io::log_header head = header();
    head.tasks = {{"first", 400, 1}, {"second", 400, 2}};
    const auto tuned = [&](const std::string& path, bool resume) {
        double seconds = 0;
        const virtual_clock time(seconds);
        tk::io::session log(path, head, time, {.resume = resume});
        std::vector<tk::task> tasks;
        tasks.emplace_back("first", grid_space({20, 20}), log.record(0, tk::measure::replay(rows, time)), 1e6, 1.0);
        tasks.emplace_back("second", grid_space({20, 20}), log.record(1, tk::measure::replay(rows, time)), 2e6, 3.0);
        tk::random::philox gen(9);
        const tk::plan p = tk::tune_tasks(tasks, tk::search::annealing{}, tk::schedule::round_robin{},
                                          {.seconds = 7, .slot_seconds = 0.7, .batch = 4}, log.clock(),
                                          [&](const tk::plan&, std::size_t) { return log.failed(); }, gen);
        CHECK(p.stopped == tk::stop_reason::seconds);
    };
    tuned(f / "whole", false);
    const std::string whole = content(f / "whole");
    std::vector<std::size_t> ends;
    for (std::size_t at = whole.find('\n'); at != std::string::npos; at = whole.find('\n', at + 1)) ends.push_back(at + 1);
    REQUIRE(ends.size() > 40);
    for (std::size_t k = 0; k < ends.size(); ++k) {
        CAPTURE(k);
        const std::size_t length = (k + 1 < ends.size() ? ends[k + 1] : whole.size()) - ends[k];  // of the line torn
        for (const std::size_t torn : {std::size_t{0}, length / 2, length == 0 ? 0 : length - 1}) {
            put(f / "cut", whole.substr(0, ends[k] + torn));
            tuned(f / "cut", true);
            CHECK((content(f / "cut") == whole));
            std::remove((f / "cut").c_str());
        }
    }
}

TEST_CASE("a tuner with workers killed at a random moment leaves no process and no line torn but the last, and measures nothing twice: 50 kills")
{
    const temporary_folder f;
    const grid_space space({20, 20});
    tk::measure::guarded_buffer<int> runs(400);  // of each configuration, by all processes
    const auto live = [&](const std::string& path, bool resume) {
        tk::measure::timed how{[&](tk::index i) {
                                   runs.data()[i] = runs.data()[i] + 1;
                                   ::usleep(100);
                               },
                               tk::measure::fixed{.runs = 2, .batch = 1}, tk::measure::no_check{}, tk::measure::wall_clock{},
                               tk::measure::timing{.least_steps = 0}};
        auto work = [&](tk::index i, const tk::measure::limits& within) { return how(i, within); };
        tk::measure::isolated_measurer measurer(work, {});
        tk::io::session log(path, header(), tk::measure::wall_clock{}, {.resume = resume});
        tk::random::philox gen(1);
        return tk::tune(space, log.record(0, std::move(measurer)), tk::search::random{}, {.trials = 20, .batch = 4}, log.clock(),
                        [&](const tk::tuning&) { return log.failed(); }, gen);
    };
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what a killed tuner leaves becomes ours, and can be waited for
    const tk::measure::wall_clock wall;
    const double begun_whole = wall();
    CHECK(live(f / "whole", false).trials().size() == 20);
    const auto whole = static_cast<std::uint64_t>(1e6 * (wall() - begun_whole)) + 1;  // microseconds; long under sanitizers
    tk::random::philox gen(6);
    std::size_t kept = 0;
    for (int repeat = 0; repeat < 50; ++repeat) {
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
        CHECK((content(path).compare(0, text.rfind('\n') + 1, text, 0, text.rfind('\n') + 1) == 0));
        CHECK(tk::io::read_log(path).trials.size() == 20);
        std::remove(path.c_str());
    }
    CHECK(kept > 0);  // or the kills come too early to tell anything
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}
