// SPDX-License-Identifier: MIT
// How runs end, and what is left of them: processes, folders, room.
#include "tunekit/processes/program/program.hpp"

#include <doctest/doctest.h>
#include <csignal>
#include <ctime>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/environment_variable.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/processes/detail/child.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/processes/program/readings.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using measure::failure_kind;
using measure::program;
using measure::program_options;
using support::contains, support::lives_on, support::measured, support::numbers, support::of, support::once,
    support::put, support::script, support::temporary_folder, support::text_of;

TEST_CASE("program: a system without descriptors ends the run in one line, and no configuration is blamed")
{
    if (measure::detail::sanitized) return;  // whose reports need descriptors, too
    const temporary_folder f;
    int refused = 0;
    for (rlim_t n = 4; n <= 16; ++n) {
        CAPTURE(n);
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            for (int fd = 3; fd < 64; ++fd) ::close(fd);
            std::string said;
            try {
                program p(numbers(3), {.command = script("exit 0"), .repetition = once});
                const rlimit few{n, 64};
                ::setrlimit(RLIMIT_NOFILE, &few);
                said = measured(p, 0).ok() ? "ok" : "failed";
            } catch (const tk::error& e) {
                said = e.what();
            }
            const rlimit many{64, 64};
            ::setrlimit(RLIMIT_NOFILE, &many);
            put(f / "said", said);
            ::_exit(0);
        }
        int status = 1;
        REQUIRE(::waitpid(child, &status, 0) == child);
        const std::string said = text_of(f / "said");
        if (said == "ok") continue;
        ++refused;
        CHECK(contains(said, "Too many open files; want more descriptors (ulimit -n)"));
        CHECK(!contains(said, "\n"));
    }
    CHECK(refused >= 4);
    CHECK(text_of(f / "said") == "ok");  // of the last
}

TEST_CASE("program: a process may not have more memory than it may")
{
    if (measure::detail::sanitized) return;  // its own address space is terabytes
    program_options o{.command = {"/bin/sh", "-c", "head -c 200000000 /dev/zero | tail | wc -c # {x}"},
                      .cost = measure::matched("[0-9]+")};
    CHECK(of(o).cost == 2e8);
    o.memory_bytes = std::size_t{64} << 20;
    CHECK(of(o).failed);  // tail keeps its input and is told that there is no memory
}

TEST_CASE("program: a number in the middle of 40 MiB is found, in output of one line and of many, in errors and files")
{
    temporary_folder at;
    const std::string xs = "head -c 20000000 /dev/zero | tr '\\0' ", number = "; printf ' t=%s ' 7; ";
    const auto cost = [](const std::string& shell, const std::string& file = {}) {
        const auto m = of(
            {.command = script(shell), .result_file = file, .cost = measure::matched("t=([0-9]+)"), .repetition = once},
            {.run_seconds = 60});
        REQUIRE_MESSAGE(m.ok(), (m.failed ? m.failed->message : ""));
        return m.cost;
    };
    CHECK(cost(xs + "x" + number + xs + "y") == 7);
    CHECK(cost("{ yes | head -c 20000000" + number + "yes | head -c 20000000; } >&2") == 7);
    CHECK(cost("{ " + xs + "x" + number + xs + "y; } > " + (at / "out"), at / "out") == 7);
}

TEST_CASE("program: a gibibyte of output is heard, and its ends are kept")
{
    const auto m = of({.command = script("echo first 7; head -c 1073741824 /dev/zero; echo; echo last 8"),
                       .cost = measure::matched("last ([0-9]+)"),
                       .numbers = {{"first", measure::matched("first ([0-9]+)")}},
                       .output_bytes = 65536},
                      {.run_seconds = 60});
    REQUIRE_MESSAGE(m.ok(), (m.failed ? m.failed->message : ""));
    CHECK(m.cost == 8);
    for (const std::size_t size : {0U, 1U, 5U, 9U, 10U, 11U, 30U, 1000U}) {
        measure::detail::bounded_text text(8);
        std::string all;
        for (std::size_t i = 0; i < size; ++i) all += static_cast<char>('a' + i % 26);
        for (std::size_t at = 0; at < size; at += 3) text.add(std::string_view(all).substr(at, 3));
        CHECK(text.text().starts_with(all.substr(0, 5)));
        CHECK(text.text().ends_with(all.substr(size - (std::min)(size, std::size_t{5}))));
        if (!text.cut()) CHECK(text.text() == all);
    }
}

TEST_CASE("program: children and daemons end with the run that started them")
{
    temporary_folder at;
    // A child that goes on, one that holds the output open, and a daemon in a session of its own whose parent has ended.
    const auto m =
        of({.command = script("sleep 300 & echo $! > " + (at / "child") + "; (setsid sh -c 'echo $$ > " +
                              (at / "daemon") + "; exec sleep 300' < /dev/null > /dev/null 2>&1 &) ; while [ ! -s " +
                              (at / "daemon") + " ]; do sleep 0.01; done; echo 1"),
            .cost = measure::matched("^1$")});
    REQUIRE_MESSAGE(m.ok(), (m.failed ? m.failed->message : ""));
    CHECK(!lives_on(at / "child"));
    CHECK(!lives_on(at / "daemon"));
    const auto hangs =
        of({.command = script("(setsid sh -c 'echo $$ > " + (at / "second") + "; exec sleep 300' &) ; sleep 300")},
           {.run_seconds = 0.5});
    REQUIRE(hangs.failed);
    CHECK(hangs.failed->kind == failure_kind::run_timeout);
    if (!text_of(at / "second").empty()) CHECK(!lives_on(at / "second"));  // else it was ended before it told
}

TEST_CASE("program: nothing outlives the process that measures, not even where that is killed")
{
    temporary_folder at;
    const pid_t tuner = ::fork();
    if (tuner == 0) {
        program p(numbers(3),
                  {.command = script("echo $$ > " + (at / "pid") + "; exec sleep 300"), .repetition = once});
        static_cast<void>(p.measure(std::vector<tk::index>{0}, {.run_seconds = 300}));
        ::_exit(0);
    }
    while (text_of(at / "pid").empty()) ::usleep(10000);
    ::kill(tuner, SIGKILL);
    ::waitpid(tuner, nullptr, 0);
    CHECK(!lives_on(at / "pid"));
}

TEST_CASE("program: one that kills or stops the process which runs it is ended, and the run goes on")
{
    temporary_folder at;
    program p(numbers(3), {.command = script("echo $$ > " + (at / "pid") +
                                             "; [ $1 = 1 ] && kill -9 $PPID && exec sleep 300; echo 5"),
                           .cost = measure::matched("^5$"),
                           .repetition = once});
    const auto m = measured(p, 1);
    REQUIRE(m.failed);
    CHECK(m.failed->kind == failure_kind::lost);
    CHECK(!lives_on(at / "pid"));
    CHECK(measured(p, 2).cost == 5);
}

TEST_CASE(
    "program: one that stops the process which runs it, or kills it behind daemons, holds nothing up and leaves "
    "nothing")
{
    temporary_folder at;
    const auto stops = of({.command = script("kill -STOP $PPID; echo 5"), .cost = measure::matched("^5$")});
    REQUIRE_MESSAGE(stops.ok(), stops.failed->message);
    const auto hangs =
        of({.command = script("kill -STOP $PPID; exec sleep 300"), .repetition = once}, {.run_seconds = 0.3});
    REQUIRE(hangs.failed);
    CHECK(hangs.failed->kind == failure_kind::run_timeout);
    const auto kills =
        of({.command = script("(setsid sh -c 'echo $$ > " + (at / "daemon") +
                              "; exec sleep 300' < /dev/null > /dev/null 2>&1 &) ; while [ ! -s " + (at / "daemon") +
                              " ]; do sleep 0.01; done; kill -9 $PPID; exec sleep 300"),
            .repetition = once});
    REQUIRE(kills.failed);
    CHECK(kills.failed->kind == failure_kind::lost);
    CHECK(!lives_on(at / "daemon"));
}

TEST_CASE("program: a disk that is broken ends the run, and no configuration is blamed")
{
    CHECK_THROWS_WITH_AS(  // this file's beginning cannot be written
        of({.command = script(":"), .files = {{"/proc/self/cmdline", "/proc/self/mem"}}, .repetition = once}),
        "tunekit: program: '/proc/self/mem' cannot be written: Input/output error", tk::error);
}

TEST_CASE("program: pipes and devices are neither its templates nor what it writes, and a link gives way")
{
    const temporary_folder at;
    const std::string pipe = at / "pipe", link = at / "link", kept = at / "kept", text = at / "text";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    tk::io::write_text(kept, "kept");
    tk::io::write_text(text, "filled");
    REQUIRE(::symlink(kept.c_str(), link.c_str()) == 0);
    const std::vector<std::string> five = script("echo 5");
    const auto says = [&](program_options options, const char* what) {
        CHECK_THROWS_WITH_AS((void)of(std::move(options)), doctest::Contains(what), tk::error);
    };
    says({.command = five, .files = {{pipe, at / "out"}}}, "cannot be read");
    says({.command = five, .files = {{text, pipe}}}, "is a pipe, want a regular file");
    says({.command = five, .files = {{text, "/dev/full"}}}, "is a device, want a regular file");
    says({.command = five, .result_file = pipe}, "is a pipe, want a regular file");
    says({.command = five, .result_file = "/dev/full"}, "is a device, want a regular file");  // which root could remove
    says({.command = five, .directory = kept}, "there is no folder");
    CHECK(std::filesystem::is_fifo(pipe));
    const auto m = of({.command = script("cat " + link), .files = {{text, link}}, .repetition = once});
    CHECK_MESSAGE(m.ok(), m.failed->message);
    CHECK(text_of(link) == "filled");
    CHECK(text_of(kept) == "kept");
    const auto late = of({.command = script("echo 5"),
                          .result_file = "{scratch}/../../../../../../../../.." + pipe,
                          .repetition = once});
    REQUIRE(late.failed);  // what is known in the run alone is a failure there
    CHECK(late.failed->message.find("is a pipe") != std::string::npos);
}

TEST_CASE("program: {scratch} is empty before each configuration, however deep the last one left folders in it")
{
    temporary_folder at;
    const std::string deep =
        "cd {scratch}; ls | wc -l > " + (at / "seen") +
        "; L=$(printf 'd/%.0s' $(seq 1000)); mkdir -p $L && cd $L && mkdir -p $L && cd $L && mkdir "
        "-p $L && echo 1";  // longer than a path may be
    program p(numbers(3), {.command = script(deep), .cost = measure::matched("^1$"), .repetition = once});
    for (const tk::index i : {0U, 1U}) {
        const auto m = measured(p, i);
        REQUIRE_MESSAGE(m.ok(), m.failed->message);
        CHECK(text_of(at / "seen").find_first_not_of(" 0\n") == std::string::npos);
    }
}

TEST_CASE("program: a relative TMPDIR serves, also behind a failure in another folder")
{
    const temporary_folder at;
    const auto here = std::filesystem::current_path();
    std::filesystem::current_path(at / "");
    std::filesystem::create_directory("tmp");
    {
        const support::environment_variable folder("TMPDIR", "tmp");
        program p(
            numbers(3),
            {.command = script("pwd > " + (at / "seen") + "; exit $1"), .directory = "{scratch}", .repetition = once});
        CHECK(measured(p, 1).failed->kind == failure_kind::exited);
        CHECK(measured(p, 0).ok());
        CHECK(text_of(at / "seen").starts_with(at / "tmp/tunekit-program-"));
    }
    std::filesystem::current_path(here);
}

TEST_CASE("program: the folder that a killed run left is removed by the next, a minute later, and no other")
{
    const temporary_folder at;
    const support::environment_variable folder("TMPDIR", at / "");
    measure::detail::adopt_descent();
    const pid_t tuner = ::fork();
    REQUIRE(tuner >= 0);
    if (tuner == 0) {
        program p(numbers(3), {.command = script("mkdir -p {scratch}/d && touch {scratch}/d/f && exec sleep 300"),
                               .repetition = once});
        p.submit({.candidate = 0});
        static_cast<void>(p.collect(300));
        ::_exit(0);
    }
    const auto folders = [&] {
        std::size_t n = 0;
        for (const auto& one : std::filesystem::directory_iterator(at / ""))
            n += contains(one.path().string(), "tunekit-program-") ? 1U : 0U;
        return n;
    };
    const auto begun = [&] {
        for (const auto& one : std::filesystem::recursive_directory_iterator(at / ""))
            if (one.path().filename() == "f") return true;
        return false;
    };
    while (!begun()) ::usleep(10000);
    ::kill(tuner, SIGKILL);
    while (::waitpid(-1, nullptr, 0) > 0) {  // ends once all below it have, which hold its folder
    }
    REQUIRE(folders() == 1);
    {
        const program young(numbers(3), {.command = script("echo 1")});
        CHECK(folders() == 2);  // it might be about to be locked
    }
    const std::string left = std::filesystem::directory_iterator(at / "")->path().string();
    const timespec old[2] = {{::time(nullptr) - 100, 0}, {::time(nullptr) - 100, 0}};
    REQUIRE(::utimensat(AT_FDCWD, left.c_str(), old, 0) == 0);
    {
        const program next(numbers(3), {.command = script("echo 1")});
        CHECK(folders() == 1);
    }
    CHECK(folders() == 0);
}
