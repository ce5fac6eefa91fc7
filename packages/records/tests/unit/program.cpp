// SPDX-License-Identifier: MIT
#include "tunekit/processes/program/program.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/environment_variable.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/processes/program/readings.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/records/json_reading.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/parameter.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/space/value_product.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using measure::failure_kind;
using measure::measurement;
using measure::program;
using measure::program_options;

static_assert(measure::measurer<program> && tk::pool<program>);

namespace {

using support::temporary_folder;

const measure::any_repetition once{measure::fixed{.runs = 1, .batch = 1}};

/// A command that a shell interprets: the program under test is the shell.
std::vector<std::string> script(const std::string& text) { return {"/bin/sh", "-c", text, "script", "{x}"}; }

auto numbers(int last) { return tk::space::product{tk::space::integers<"x">(0, last)}; }

measurement measured(program& p, tk::index i, measure::limits within = {.run_seconds = 20, .build_seconds = 20})
{
    return p.measure(std::vector<tk::index>{i}, within).front();
}

/// That of configuration 0, run once.
measurement of(program_options o, measure::limits within = {.run_seconds = 20, .build_seconds = 20})
{
    o.repetition = once;
    program p(numbers(3), std::move(o));
    return measured(p, 0, within);
}

std::string text_of(const std::string& path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

bool contains(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

/// Whether the process of that number, told by a file, is there; it is given a minute to end.
bool lives_on(const std::string& path)
{
    const int pid = std::atoi(text_of(path).c_str());
    REQUIRE(pid > 1);
    for (int k = 0; k < 6000; ++k, ::usleep(10000))
        if (::kill(pid, 0) != 0) return false;
    return true;
}

measure::finished_run said(const std::string& output) { return {.output = output}; }

}  // namespace

TEST_CASE("matched: a number that is found once is the cost")
{
    const auto number = [](const char* expression, const std::string& text) {
        return measure::matched(expression)(said(text));
    };
    CHECK(number("time: ([0-9.]+)", "x\ntime: 0.25 s\ny") == 0.25);
    CHECK(number("[0-9]+$", "got 17") == 17);
    CHECK(number("t=(\\d+)", "t=12") == 12);
    CHECK(number("t=([\\d.e+-]+)", "t=1.5e-3") == 1.5e-3);
    CHECK(number("t=([^]\\d]+|\\d+)", "t=4") == 4);
    CHECK(number("^b ([0-9]+)", "a 1\nb 2\nc b 3") == 2);
    CHECK(measure::matched("([0-9]+)")({.output = "a", .errors = "err 9"}) == 9);
    CHECK(measure::matched("([0-9]+)")({.output = "5", .file = "in the file: 6"}) == 6);
    const auto fails = [&](const char* expression, const std::string& text) {
        try {
            static_cast<void>(number(expression, text));
        } catch (const measure::candidate_error& e) {
            CHECK(e.why.kind == failure_kind::bad_cost);
            return e.why.message;
        }
        return std::string("no failure");
    };
    CHECK(contains(fails("time: ([0-9.]+)", "it crashed\nbadly\n"),
                   "was not found, want it once; the run ended with 'it crashed | badly'"));
    CHECK(contains(fails("time: ([0-9.]+)", ""), "ended with nothing"));
    CHECK(contains(fails("([0-9.]+)", "1 and 2"), "was found twice"));
    CHECK(contains(fails("(n.*)", "nan"), "found 'nan', want a number"));
    CHECK(contains(fails("time: (.*)", "time: 3 s"), "found '3 s', want a number"));
    CHECK_THROWS_AS(measure::matched("time: ("), std::invalid_argument);
    // A line that would overflow the stack of a matcher that recurses.
    CHECK(contains(fails("(a|b)*c([0-9]+)", std::string(1000000, 'a') + "c1"), "was not found"));
}

TEST_CASE("same_output: numbers within the tolerance, all else as it is")
{
    const auto wrong = [](const char* got, const char* want, measure::tolerance within = {}) {
        return measure::same_output{want, within}(said(got)).value_or("");
    };
    CHECK(wrong("a 1.0\n", "a 1\n") == "");
    CHECK(wrong("sum = 1.0001", "sum = 1", {.relative = 1e-3}) == "");
    CHECK(wrong("sum = 1.01", "sum = 1", {.relative = 1e-3}) == "line 1 of the output is '1.01', want '1'");
    CHECK(wrong("a\nb 2\n", "a\nb 3\n") == "line 2 of the output is '2', want '3'");
    CHECK(wrong("a   b", "a b") == "");
    CHECK(wrong("ab", "a b") != "");
    CHECK(wrong("a\n", "a\nb\n") == "line 2 of the output is its end, want 'b'");
    CHECK(wrong("a\nb\n", "a\n") == "line 2 of the output is 'b', want its end");
    CHECK(wrong("inf", "nan") != "");
    CHECK(wrong("1e999", "1", {.relative = 1}) != "");
    CHECK(measure::same_output{"a"}({.output = "a", .cut = true}).has_value());
    CHECK(!measure::same_output{"a"}({.output = "b", .file = "a"}).has_value());
    for (const double none : {-1e-3, std::nan("")}) {
        CHECK_THROWS_AS(measure::program_options::run_check(measure::same_output{"a", {.relative = none}}),
                        std::invalid_argument);
        CHECK_THROWS_AS(measure::program_options::run_check(measure::same_output{"a", {.absolute = none}}),
                        std::invalid_argument);
    }
}

TEST_CASE("at_pointer: a number of a JSON")
{
    CHECK(measure::at_pointer("/a/1/t")(said(R"({"a": [0, {"t": 2.5}]})")) == 2.5);
    CHECK(measure::at_pointer("/t")({.output = "x", .file = R"({"t": 3})"}) == 3);
    for (const char* text : {"", "{", R"({"t": )", R"({"u": 1})", R"({"t": "1"})", R"({"t": null})", "[1]"})
        CHECK_THROWS_AS(static_cast<void>(measure::at_pointer("/t")(said(text))), measure::candidate_error);
    CHECK_THROWS_AS(measure::at_pointer("t"), std::invalid_argument);
}

TEST_CASE("program: arguments, variables, folder and files arrive as they are, and no shell sees them")
{
    temporary_folder at;
    put(at / "template", "x={x} {not a name}\n");
    const tk::space::product space{
        tk::space::parameter<"x">({std::string("$(touch pwned); `touch pwned` \"'\n*"), std::string("")})};
    program p(space, {.command = {"/bin/sh", "-c",
                                  "printf '%s|' \"$@\" > args; printf %s \"$V\" > env; cat < written > copy; echo 2",
                                  "sh", "-{x}-", "{{x}}", "a b"},
                      .environment = {{"V", "v{x}"}},
                      .directory = at / "",
                      .files = {{at / "template", "written"}},
                      .cost = measure::matched("[0-9]+"),
                      .repetition = once});
    for (const tk::index i : {0U, 1U}) {
        const std::string x = space.texts(i)[0];
        const auto m = measured(p, i);
        REQUIRE_MESSAGE(m.ok(), (m.failed ? m.failed->message : ""));
        CHECK(m.cost == 2);
        CHECK(m.runs == 1);
        CHECK(m.run_seconds > 0);
        CHECK(text_of(at / "args") == "-" + x + "-|{x}|a b|");
        CHECK(text_of(at / "env") == "v" + x);
        CHECK(text_of(at / "copy") == "x=" + x + " {not a name}\n");
        CHECK(::access((at / "pwned").c_str(), F_OK) != 0);
    }
    CHECK(p.unused().empty());
    const auto told = p.command_of(1);
    CHECK(told.arguments.back() == "a b");
    CHECK(told.environment.front().second == "v");
}

TEST_CASE("program: the cost is wall time, processor time, or a number; others are kept beside it")
{
    const auto wall = of({.command = script("sleep 0.2")});
    CHECK(wall.ok());
    CHECK(wall.cost >= 0.2);
    CHECK(wall.cost < 5);
    const auto cpu = of({.command = script("sleep 0.2; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"),
                         .cost = &measure::finished_run::cpu_seconds});
    CHECK(cpu.cost > 0);
    CHECK(cpu.cost < 5);
    temporary_folder at;
    program p(numbers(3), {.command = script("echo '{\"cost\": '$1'5, \"energy\": 7}' > " + (at / "out.json")),
                           .result_file = at / "out.json",
                           .cost = measure::at_pointer("/cost"),
                           .numbers = {{"energy", measure::at_pointer("/energy")}},
                           .repetition = once});
    const auto both = measured(p, 2);
    CHECK(both.cost == 25);
    CHECK(both.values == measure::measured_values{7});
}

TEST_CASE("program: an argument that is one placeholder without a value is left out, or kept where that is wanted")
{
    const tk::space::value_product flags({{"f", {std::string(), std::string("-f")}}}, {});
    const std::vector<std::string> command{"/bin/sh", "-c", "echo $#", "sh", "{f}", "x{f}"};
    for (const bool keep : {false, true}) {
        program p(tk::space::any_space(flags),
                  {.command = command, .cost = measure::matched("^[0-9]+$"), .repetition = once, .keep_empty = keep});
        CHECK(measured(p, 0).cost == (keep ? 2 : 1));
        CHECK(measured(p, 1).cost == 2);
        CHECK(p.command_of(0).arguments.size() == (keep ? 6U : 5U));
    }
}

TEST_CASE("the end of an output is shown in whole lines")
{
    const std::string line(50, 'a');
    using measure::detail::last_words;
    CHECK(last_words("x" + line + '\n' + line + '\n' + line + "\n\n") ==
          '\'' + ("x" + line + " | " + line + " | " + line) + '\'');
    CHECK(last_words("cannot open file or directory\n" + line + '\n' + line + '\n' + line) ==
          '\'' + line + " | " + line + " | " + line + '\'');
    const std::string tail(160, 'b');
    CHECK(last_words("first\n" + tail) == '\'' + tail + '\'');
    CHECK(last_words("first" + tail) == "'... " + tail + '\'');
    CHECK(last_words("\n") == "nothing");
}

TEST_CASE("program: repetition, and the median as the cost")
{
    temporary_folder at;
    program_options o{
        .command = script("echo x >> " + (at / "runs") + "; n=$(wc -l < " + (at / "runs") + "); echo $((n * n))"),
        .cost = measure::matched("[0-9]+"),
        .repetition = measure::any_repetition(measure::fixed{.runs = 4, .batch = 2})};
    program p(numbers(3), o);
    const auto m = measured(p, 0);  // 1 4 9 16
    CHECK(m.batches == std::vector<double>{2.5, 12.5});
    CHECK(m.cost == 7.5);
    CHECK(m.runs == 4);
}

TEST_CASE("program: what costs nothing or less than nothing is refused in words that name a remedy")
{
    for (const char* cost : {"0", "-1", "1e999"}) {
        const auto m = of({.command = script(std::string("echo ") + cost), .cost = measure::matched("[-0-9e]+")});
        REQUIRE(m.failed);
        CHECK(m.failed->kind == failure_kind::bad_cost);
        CHECK(contains(m.failed->message, "exp(x)"));
        CHECK(contains(m.failed->message, "1/x"));
    }
}

TEST_CASE("program: every way of ending badly is a failure of its own")
{
    const auto fails = [](program_options o, failure_kind kind, const char* words, int code = 0,
                          measure::limits within = {.run_seconds = 20, .build_seconds = 20}) {
        const auto m = of(std::move(o), within);
        REQUIRE(m.failed);
        CAPTURE(m.failed->message);
        CHECK(m.failed->kind == kind);
        CHECK(m.failed->code == code);
        CHECK(contains(m.failed->message, words));
        CHECK(!contains(m.failed->message, "\n"));
    };
    fails({.command = script("kill -SEGV $$")}, failure_kind::crash, "SIGSEGV", SIGSEGV);
    fails({.command = script("echo on the way >&2; exit 3")}, failure_kind::exited,
          "exit status 3, want 0; it said 'on the way'", 3);
    fails({.command = script("exit 0"), .exit_status = 4}, failure_kind::exited, "exit status 0, want 4");
    CHECK(of({.command = script("exit 4"), .exit_status = 4}).ok());
    fails({.command = script("echo going; sleep 60")}, failure_kind::run_timeout,
          "still running after 1 s; it said 'going'", 0, {.run_seconds = 1});
    fails({.command = script("trap '' TERM; while :; do sleep 60; done")}, failure_kind::run_timeout, "still running",
          0, {.run_seconds = 0.3});
    fails({.command = script("while :; do :; done"), .cpu_seconds = 1}, failure_kind::run_timeout,
          "1 s of processor time");
    fails({.command = script("echo no number"), .cost = measure::matched("time: ([0-9]+)")}, failure_kind::bad_cost,
          "was not found");
    fails({.command = script("echo 1; echo 2"), .cost = measure::matched("[0-9]+")}, failure_kind::bad_cost,
          "found twice");
    fails({.command = {"./none-{x}"}}, failure_kind::invalid, "cannot be started: No such file", ENOENT);
    fails({.command = script("read line < /dev/tty || exit 5; echo $line")}, failure_kind::exited, "exit status 5", 5);
    fails({.command = script("read line || exit 6")}, failure_kind::exited, "exit status 6", 6);
    temporary_folder at;
    fails({.command = script("printf '{\"t\": 1' > " + (at / "half")),
           .result_file = at / "half",
           .cost = measure::at_pointer("/t")},
          failure_kind::bad_cost, "not whole JSON");
    fails({.command = script(":"), .result_file = at / "never", .cost = measure::at_pointer("/t")},
          failure_kind::bad_cost, "was not written");
    put(at / "stale", "{\"t\": 1}");
    fails({.command = script(":"), .result_file = at / "stale", .cost = measure::at_pointer("/t")},
          failure_kind::bad_cost, "was not written");
    fails({.command = script("echo 1"), .files = {{"/proc/self/cmdline", "/none/at/all"}}}, failure_kind::invalid,
          "'/none/at/all' cannot be written");
}

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

TEST_CASE("program: a disk without room ends the run, and no configuration is blamed")
{
    CHECK_THROWS_WITH_AS(
        of({.command = script(":"), .files = {{"/proc/self/cmdline", "/dev/full"}}, .repetition = once}),
        "tunekit: program: '/dev/full' cannot be written: No space left on device; want room there, or TMPDIR and the "
        "folder of builds elsewhere",
        tk::error);
}

TEST_CASE("program: what is built is built once for the same arguments, and a build that fails is told")
{
    temporary_folder at;
    put(at / "main.in", "echo built with {level}, {twice}");
    const tk::space::product space{tk::space::integers<"level">(0, 2), tk::space::integers<"twice">(1, 2),
                                   tk::space::integers<"n">(1, 3)};
    program_options o{
        .command = {"/bin/sh", "{build}/main", "{n}"},
        .files = {{at / "main.in", "{build}/main"}},
        .build = {"/bin/sh", "-c",
                  "echo {level} >> " + (at / "builds") + "; test {level} != 2 || { echo no level 2 >&2; exit 1; }"},
        .cost = measure::matched("with ([0-9]), "),
        .repetition = once};
    o.files.front().to = "{build}/main";
    {
        program p(space, o);
        for (tk::index i = 0; i < space.size(); ++i) {
            const auto values = space.texts(i);
            const auto m = measured(p, i);
            if (values[0] == "2") {
                REQUIRE(m.failed);
                CHECK(m.failed->kind == failure_kind::build_error);
                CHECK(contains(m.failed->message, "no level 2"));
            } else if (values[0] == "0") {
                REQUIRE(m.failed);  // a cost of 0
                CHECK(m.failed->kind == failure_kind::bad_cost);
            } else {
                REQUIRE_MESSAGE(m.ok(), m.failed->message);
                CHECK(m.cost == 1);
            }
        }
    }
    std::string built = text_of(at / "builds");
    CHECK(built.size() == 2 * 6);  // 3 levels x 2 texts of the file; n is not part of it
    // Kept in a folder, the next run finds all that went well.
    o.build_directory = at / "kept";
    for (int again = 0; again < 2; ++again) {
        program p(space, o);
        CHECK(measured(p, 1).ok());
    }
    CHECK(text_of(at / "builds").size() == built.size() + 2);
}

TEST_CASE(
    "program: a folder of builds is believed where it is ours and whole, and a failed build is tried again by the next "
    "run")
{
    temporary_folder at;
    put(at / "source", "echo 3\n");
    program_options o{.command = {"/bin/sh", "{build}/p"},
                      .build = {"/bin/sh", at / "make", at / "source", "{build}/p"},
                      .build_directory = at / "kept",
                      .cost = measure::matched("[0-9]+"),
                      .repetition = once};
    put(at / "make", "echo x >> " + (at / "builds") + "; [ -s $1 ] && cp $1 $2\n");
    const auto in_next_run = [&] {
        program p(numbers(3), o);
        return measured(p, 1);
    };
    const auto builds = [&] { return text_of(at / "builds").size() / 2; };
    const auto built = [&] {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(at / "kept"))
            if (entry.path().filename() == "p") return entry.path().string();
        return std::string();
    };
    CHECK(in_next_run().cost == 3);
    CHECK(in_next_run().cost == 3);
    CHECK(builds() == 1);
    put(built(), "echo 4\n");  // not what was built
    CHECK(in_next_run().cost == 3);
    CHECK(builds() == 2);
    put(built() + "-beside", "written by the program");
    CHECK(in_next_run().cost == 3);
    CHECK(builds() == 2);
    put(at / "source", "echo 5\n");  // the build names it
    CHECK(in_next_run().cost == 5);
    CHECK(builds() == 3);

    put(at / "source", "");
    {
        program p(numbers(3), o);
        for (const tk::index i : {0U, 1U, 2U}) CHECK(measured(p, i).failed->kind == failure_kind::build_error);
        CHECK(builds() == 4);  // one key, and no second try in this run
    }
    CHECK(in_next_run().failed->kind == failure_kind::build_error);
    CHECK(builds() == 5);

    put(at / "source", "echo 6\n");
    CHECK(in_next_run().cost == 6);
    CHECK(builds() == 6);
    o.rebuild = true;
    CHECK(in_next_run().cost == 6);
    CHECK(builds() == 7);
    {
        program p(numbers(3), o);
        for (const tk::index i : {0U, 1U, 2U}) CHECK(measured(p, i).cost == 6);  // once for one key, and each run
        CHECK(builds() == 8);
    }
    o.rebuild = false;
    CHECK(in_next_run().cost == 6);
    CHECK(builds() == 8);

    const auto refused = [&] {
        CHECK_THROWS_WITH_AS(program(numbers(3), o),
                             ("tunekit: program: others can write to the directory '" + (at / "kept") +
                              "', and who can do so runs code as you; want it owned by you, and chmod go-w")
                                 .c_str(),
                             tk::error);
    };
    for (const mode_t mode : {0777U, 01777U, 0773U, 0770U, 0720U, 0702U}) {
        CAPTURE(mode);
        REQUIRE(::chmod((at / "kept").c_str(), mode) == 0);
        refused();
    }
    REQUIRE(::chmod((at / "kept").c_str(), 0700) == 0);
    if (::geteuid() == 0) {
        REQUIRE(::chown((at / "kept").c_str(), 65534, 65534) == 0);
        refused();
    }
}

TEST_CASE("program: a build is named by its variables too, and by no worker's folder")
{
    temporary_folder at;
    program_options o{
        .command = {"/bin/sh", "{build}/p"},
        .environment = {{"LEVEL", "{x}"}, {"HOME", "{scratch}"}},
        .build = {"/bin/sh", "-c", "echo x >> " + (at / "builds") + "; echo echo $LEVEL > \"$1\"", "", "{build}/p"},
        .build_directory = at / "kept",
        .cost = measure::matched("[0-9]+"),
        .repetition = once};
    for (int run = 0; run < 2; ++run) {
        program p(numbers(3), o);
        for (const tk::index i : {1U, 2U}) CHECK(measured(p, i).cost == static_cast<double>(i));
    }
    CHECK(text_of(at / "builds").size() == 2 * 2);
}

TEST_CASE("program: what cannot be read, and a link that was changed, is no build of ours")
{
    temporary_folder at;
    const std::string hidden = ::geteuid() == 0 ? "chown 65534 {build}/q" : "chmod 0 {build}/q";
    for (const std::string& odd : {hidden, std::string("ln -s /one {build}/link")}) {
        CAPTURE(odd);
        program_options o{
            .command = {"/bin/sh", "{build}/p"},
            .build = {"/bin/sh", "-c",
                      "echo x >> " + (at / "builds") + "; echo echo 3 > {build}/p; echo q > {build}/q; " + odd},
            .build_directory = at / "kept",
            .cost = measure::matched("[0-9]+"),
            .repetition = once};
        const auto in_next_run = [&] {
            program p(numbers(3), o);
            return measured(p, 1).cost;
        };
        std::filesystem::remove(at / "builds");
        CHECK(in_next_run() == 3);
        for (const auto& entry : std::filesystem::recursive_directory_iterator(at / "kept"))
            if (entry.path().filename() == "link") {
                const std::string link = entry.path().string();
                REQUIRE(::unlink(link.c_str()) == 0);
                REQUIRE(::symlink("/two", link.c_str()) == 0);
                break;
            }
        CHECK(in_next_run() == 3);
        CHECK(text_of(at / "builds").size() == 2 * 2);
    }
}

TEST_CASE(
    "program: a build that its compiler refused is not tried again in this run, by no worker; one that was killed is")
{
    temporary_folder at;
    for (const bool killed : {false, true}) {
        CAPTURE(killed);
        std::filesystem::remove(at / "builds");
        program p(numbers(3),
                  {.command = {"/bin/sh", "{build}/p", "{x}"},
                   .build = {"/bin/sh", "-c",
                             "echo x >> " + (at / "builds") + "; sleep 0.2; " + (killed ? "kill -9 $$" : "exit 1")},
                   .repetition = once,
                   .workers = 3,
                   .pinned = false});
        for (const tk::index i : {0U, 1U, 2U}) p.submit({.ticket = tk::ticket{i}, .candidate = i});
        for (std::size_t told = 0; told < 3;)
            for (const tk::answer& a : p.collect(60)) {
                REQUIRE(a.measured);
                REQUIRE(a.measured->failed);
                CHECK(a.measured->failed->kind == failure_kind::build_error);
                ++told;
            }
        CHECK(text_of(at / "builds").size() == 2 * (killed ? 3U : 1U));
    }
}

TEST_CASE("program: who waits for another's build ends with its tuner")
{
    temporary_folder at;
    const pid_t tuner = ::fork();
    REQUIRE(tuner >= 0);
    if (tuner == 0) {
        program p(numbers(3), {.command = {"/bin/true", "{x}", "{build}"},
                               .build = {"/bin/sh", "-c", "echo $$ > " + (at / "pid") + "; exec sleep 300"},
                               .workers = 2,
                               .pinned = false});
        for (const tk::index i : {0U, 1U}) p.submit({.ticket = tk::ticket{i}, .candidate = i});
        while (text_of(at / "pid").empty()) ::usleep(10000);
        ::usleep(200000);  // so that the other one waits
        put(at / "waits", "yes");
        static_cast<void>(p.collect(300));
        ::_exit(0);
    }
    measure::detail::adopt_descent();
    while (text_of(at / "waits").empty()) ::usleep(10000);
    ::kill(tuner, SIGKILL);
    ::waitpid(tuner, nullptr, 0);
    const measure::wall_clock now;
    bool none = false;
    for (const double until = now() + 30; !none && now() < until; ::usleep(1000))
        none = ::waitpid(-1, nullptr, WNOHANG) < 0;
    CHECK(none);
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

TEST_CASE("program: what is built in place is built again when its arguments change")
{
    temporary_folder at;
    program p(numbers(3), {.command = {"/bin/sh", "-c", "cat built"},
                           .directory = at / "",
                           .build = {"/bin/sh", "-c", "echo {x} > built; echo x >> builds"},
                           .cost = measure::matched("[0-9]+"),
                           .repetition = once});
    for (const tk::index i : {1U, 1U, 2U, 2U, 1U}) CHECK(measured(p, i).cost == static_cast<double>(i));
    CHECK(text_of(at / "builds").size() == 2 * 3);
    for (int run = 0; run < 2; ++run) {  // nobody knows what lies there by the next run
        put(at / "built", "7");
        program next(numbers(3), {.command = {"/bin/sh", "-c", "cat built # {x}"},
                                  .directory = at / "",
                                  .build = {"/bin/sh", "-c", "echo 4 > built"},
                                  .build_directory = at / "kept",
                                  .cost = measure::matched("[0-9]+"),
                                  .repetition = once});
        CHECK(measured(next, 1).cost == 4);
    }
    const auto slow = of({.command = {"/bin/true", "{x}"}, .build = {"/bin/sleep", "60"}}, {.build_seconds = 0.2});
    REQUIRE(slow.failed);
    CHECK(slow.failed->kind == failure_kind::build_timeout);
}

TEST_CASE("program: a check by its output, and by a command")
{
    temporary_folder at;
    program_options o{
        .command = script("echo value $1"), .check = measure::same_output{"value 2\n"}, .repetition = once};
    {
        program p(numbers(3), o);
        CHECK(measured(p, 2).ok());
        const auto m = measured(p, 1);
        REQUIRE(m.failed);
        CHECK(m.failed->kind == failure_kind::wrong_result);
        CHECK(contains(m.failed->message, "line 1 of the output is '1', want '2'"));
    }
    o.check.reset();
    o.command = script("echo $1 > " + (at / "result"));
    o.check_command = {"/bin/sh", "-c", "grep -q 2 " + (at / "result") + " || { echo {x} is not 2; exit 1; }"};
    program p(numbers(3), o);
    CHECK(measured(p, 2).ok());
    const auto m = measured(p, 1);
    REQUIRE(m.failed);
    CHECK(m.failed->kind == failure_kind::wrong_result);
    CHECK(contains(m.failed->message, "1 is not 2"));
    CHECK(m.checked == measure::check_state::unchecked);  // it is not right
}

TEST_CASE("program: a configuration that is slower than the incumbent is cut short, and its runs are ended")
{
    temporary_folder at;
    const auto m = of({.command = script("echo x >> " + (at / "runs") + "; sleep 60"), .repetition = once},
                      {.abandon_above = 0.1, .run_seconds = 100});
    CHECK(!m.failed);
    CHECK(m.at_least);
    CHECK(m.cost >= 0.1);
    CHECK(m.cost < 30);
    CHECK(m.runs == 3);                           // all above
    CHECK(text_of(at / "runs").size() <= 2 * 3);  // on a busy machine one is ended before its shell has written
    // Where the cost is a number, seconds say nothing: three whole runs.
    program p(numbers(3), {.command = script("echo 9"),
                           .cost = measure::matched("9"),
                           .repetition = measure::any_repetition(measure::fixed{.runs = 10, .batch = 1})});
    const auto by_number = p.measure(std::vector<tk::index>{0}, {.abandon_above = 8}).front();
    CHECK(by_number.at_least);
    CHECK(by_number.runs == 3);
}

TEST_CASE("program: what is fast and wrong has no cost; what is too slow to win is not checked")
{
    temporary_folder at;
    const std::string seen = at / "checked";
    for (const bool builds : {false, true}) {
        CAPTURE(builds);
        program_options o{.command = script("echo $((1 + $1))"),
                          .cost = measure::matched("[0-9]+"),
                          .check_command = {"/bin/sh", "-c", "echo {x} >> " + seen + "; test {x} != 0"},
                          .repetition = measure::any_repetition(measure::fixed{.runs = 5, .batch = 1}),
                          .builders = builds ? std::size_t{1} : 0,
                          .pinned = false};
        if (builds) o.build = {"/bin/sh", "-c", "echo {x} > {build}/what"};
        program p(numbers(3), o);
        put(seen, "");
        tk::random::philox gen(1);
        const auto found =
            tk::tune(numbers(3), p, tk::recipe{tk::search::grid{}, measure::fixed{}, {.abandon_factor = 1.05}},
                     {.trials = 4}, gen);
        CHECK(found.incumbent().candidate == 1);
        CHECK(found.trials()[0].measured.failed->kind == failure_kind::wrong_result);
        for (const std::size_t slow : {std::size_t{2}, std::size_t{3}}) {
            CHECK(found.trials()[slow].measured.at_least);
            CHECK(found.trials()[slow].measured.checked == measure::check_state::unchecked);
        }
        CHECK(text_of(seen) == "0\n1\n");
    }
    // One that cannot be told slow in time is checked at the end.
    program_options o{.command = script("echo $((1 + $1))"), .cost = measure::matched("[0-9]+"), .repetition = once};
    o.check = measure::same_output{"4\n"};
    program p(numbers(3), o);
    CHECK(measured(p, 3, {.abandon_above = 2}).checked == measure::check_state::ok);
    CHECK(measured(p, 2, {.abandon_above = 2}).failed->kind == failure_kind::wrong_result);
    o.checks = measure::check::always;
    o.repetition = measure::any_repetition(measure::fixed{.runs = 5, .batch = 1});
    program all(numbers(3), o);
    CHECK(measured(all, 2, {.abandon_above = 2}).failed->kind == failure_kind::wrong_result);
    CHECK(measured(all, 3, {.abandon_above = 2}).at_least);
}

TEST_CASE("program: mistakes in its settings are told before anything runs")
{
    const auto refuses = [](program_options o, const char* words) {
        try {
            program p(numbers(3), std::move(o));
            FAIL("not refused: " << words);
        } catch (const std::exception& e) {
            CHECK_MESSAGE(contains(e.what(), words), e.what());
        }
    };
    refuses({}, "command is empty");
    refuses({.command = {"./no-such-program", "{x}"}}, "there is no program './no-such-program' to run");
    refuses({.command = {"no-such-program", "{x}"}}, "there is no program 'no-such-program' to run");
    refuses({.command = {"/bin/true", "{y}"}}, "command '{y}': no parameter is called {y}, want one of x");
    refuses({.command = {"/bin/true"}, .environment = {{"A=B", "1"}}}, "has '=' in it");
    refuses({.command = {"/bin/true"}, .environment = {{"A", "{q}"}}}, "environment A");
    refuses({.command = {"/bin/true"}, .directory = "/none"}, "there is no folder '/none'");
    refuses({.command = {"/bin/true"}, .files = {{"/none/template", "out"}}},
            "the template '/none/template' cannot be read");
    refuses({.command = {"/bin/true"}, .files = {{"/proc/self/cmdline", "out"}}, .workers = 2},
            "would be written by every worker");
    refuses({.command = {"/bin/true"}, .result_file = "out", .workers = 2}, "would be written by every worker");
    refuses({.command = {"/bin/true"}, .build = {"/bin/true"}, .workers = 2},
            "every worker would build in the same place");
    refuses({.command = {"/bin/true"}, .builders = 1}, "want a build whose result lies in {build}");
    refuses({.command = {"/bin/true"}, .build = {"/bin/true"}, .builders = 1},
            "want a build whose result lies in {build}");
    refuses({.command = {"{build}/a"}, .build = {"/bin/cp", "{scratch}/a", "{build}/a"}, .builders = 1},
            "a build in {scratch} is gone when it is to run");
    const tk::space::product taken{tk::space::integers<"build">(0, 1)};
    CHECK_THROWS_WITH_AS(
        program(taken, {.command = {"/bin/true"}}),
        "tunekit: program: a parameter is called 'build', which is the name of a folder; want another name",
        std::invalid_argument);
    program unused(numbers(3), {.command = {"/bin/true"}});
    CHECK(unused.unused() == std::vector<std::string>{"x"});
}

TEST_CASE("program: several at a time, each with a folder of its own, and the race")
{
    program_options o{.command = script("echo $1 > {scratch}/mine; sleep 0.05; cat {scratch}/mine"),
                      .cost = measure::matched("[0-9]+"),
                      .repetition = once,
                      .workers = 3,
                      .pinned = false};
    program p(numbers(20), o);
    CHECK(p.workers() == 3);
    tk::random::philox gen(1);
    const auto found = tk::tune(numbers(20), p, tk::search::random{}, {.trials = 21}, gen);
    CHECK(found.trials().size() == 21);
    CHECK(found.failed() == 1);  // x = 0 costs nothing
    for (const auto& t : found.trials())
        if (t.measured.ok()) CHECK(t.measured.cost == static_cast<double>(t.candidate));
    CHECK(found.best_cost() == 1);
    const auto result = measure::race(p, std::vector<tk::index>{3, 2, 4}, {.run_seconds = 10}, {.max_rounds = 12});
    REQUIRE(result.winner);
    CHECK(*result.winner == 2);
}

TEST_CASE("program: what is being built hears of what is in")
{
    temporary_folder at;
    const std::string go = at / "go";
    program p(numbers(2),
              {.command = script("echo 9; test -e {build}/what"),
               .build = {"/bin/sh", "-c",
                         "test {x} = 0 || while ! test -e " + go + "; do sleep 0.01; done; echo > {build}/what"},
               .cost = measure::matched("9"),
               .repetition = once,
               .builders = 1,
               .pinned = false});
    std::vector<tk::answer> answers;
    for (std::uint64_t k = 0; k < 2; ++k)
        p.submit({.ticket = tk::ticket{k}, .candidate = k, .limits = {.abandon_factor = 2}});
    while (answers.empty()) answers = p.collect(10);
    REQUIRE(answers.size() == 1);
    REQUIRE(answers[0].measured);
    REQUIRE(answers[0].measured->ok());
    put(go, "");
    answers.clear();
    while (answers.empty()) answers = p.collect(10);
    REQUIRE(answers[0].within);
    CHECK(answers[0].within->abandon_above == 2 * 9.0);
}

TEST_CASE("program: builders build the next one while one runs, and one runs at a time")
{
    temporary_folder at;
    // A run waits until two builds have begun, which without builders they never have while the first one runs.
    program_options o{
        .command = script("mkdir " + (at / "running") + " || exit 9; n=$(cat {build}/made); k=0; while [ $(wc -l < " +
                          (at / "begun") + ") -lt 2 ] && [ $k -lt 2000 ]; do sleep 0.01; k=$((k + 1)); done; rmdir " +
                          (at / "running") + "; [ $k -lt 2000 ] && echo $((n + 1))"),
        .build = {"/bin/sh", "-c", "echo {x} >> " + (at / "begun") + "; echo {x} > {build}/made; test {x} != 3"},
        .cost = measure::matched("[0-9]+"),
        .repetition = once,
        .builders = 1,
        .pinned = false};
    program p(numbers(5), o);
    CHECK(p.workers() == 1);
    CHECK(p.room() == 2);
    tk::random::philox gen(1);
    const auto found = tk::tune(numbers(5), p, tk::search::random{}, {.trials = 6}, gen);
    REQUIRE(found.trials().size() == 6);
    for (const auto& t : found.trials()) {
        CAPTURE(t.candidate);
        if (t.candidate == 3) {
            REQUIRE(t.measured.failed);
            CHECK(t.measured.failed->kind == failure_kind::build_error);
        } else {
            REQUIRE_MESSAGE(t.measured.ok(), (t.measured.failed ? t.measured.failed->message : ""));
            CHECK(t.measured.cost == static_cast<double>(t.candidate + 1));
            CHECK(t.measured.build_seconds > 0);
        }
    }
    CHECK(text_of(at / "begun").size() == 2 * 6);
    // As a measurer, and by another one that is told where the builds are: nothing is built again.
    CHECK(measured(p, 2).cost == 3);
    o.builders = 0;
    o.build_directory = p.builds();
    program other(numbers(5), o);
    CHECK(measured(other, 4).cost == 5);
    CHECK(text_of(at / "begun").size() == 2 * 6);
}
