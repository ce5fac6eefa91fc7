// SPDX-License-Identifier: MIT
#include "tunekit/processes/program/program.hpp"

#include <doctest/doctest.h>
#include <csignal>

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/programs.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/processes/program/readings.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/parameter.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/space/value_product.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using measure::failure_kind;
using measure::program;
using measure::program_options;
using support::contains, support::measured, support::numbers, support::of, support::once, support::put, support::script,
    support::temporary_folder, support::text_of;

static_assert(measure::measurer<program> && tk::pool<program>);

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
    program p(numbers(3), {.command = script("echo cost $1; echo energy 7"),
                           .cost = measure::matched("cost ([0-9]+)"),
                           .numbers = {{"energy", measure::matched("energy ([0-9]+)")}},
                           .repetition = once});
    const auto both = measured(p, 2);
    CHECK(both.cost == 2);
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

TEST_CASE("program: the repeats of a configuration end with the budget of the run, after one run at least")
{
    temporary_folder at;
    program_options o{.command = script("echo x >> " + (at / "runs") + "; echo 2"),
                      .cost = measure::matched("[0-9]+"),
                      .repetition = measure::any_repetition(measure::fixed{.runs = 6, .batch = 1})};
    program p(numbers(3), o);
    p.repeat_until(0);
    const auto m = measured(p, 0);
    CHECK(m.ok());
    CHECK(m.runs == 1);
    CHECK(text_of(at / "runs") == "x\n");
    p.repeat_until(std::numeric_limits<double>::infinity());
    CHECK(measured(p, 1).runs == 6);
    o.repetition = measure::any_repetition(measure::fixed{.runs = 6, .batch = 3});  // within a batch, too
    program batches(numbers(3), o);
    batches.repeat_until(0);
    const auto first = measured(batches, 0);
    CHECK(first.runs == 1);
    CHECK(first.batches == std::vector<double>{2});
}

TEST_CASE("program: who has no cost to beat yet has three batches, or all where that is wanted")
{
    for (const bool whole : {false, true}) {
        program_options o{.command = script("echo 2"),
                          .cost = measure::matched("[0-9]+"),
                          .repetition = measure::any_repetition(measure::fixed{.runs = 5, .batch = 1}),
                          .whole_first = whole};
        program p(numbers(3), o);
        const tk::index first = 0;
        CHECK(p.measure({&first, 1}, {.abandon_factor = 2}).at(0).runs == (whole ? 5U : 3U));
    }
}

TEST_CASE("program: one that fails in a later run says in which, and what came before")
{
    temporary_folder at;
    program_options o{.command = script("echo x >> " + (at / "runs") + "; test $(wc -l < " + (at / "runs") +
                                        ") -lt 3 || exit 2; echo 7"),
                      .cost = measure::matched("[0-9]+"),
                      .repetition = measure::any_repetition(measure::fixed{.runs = 4, .batch = 1})};
    program p(numbers(3), o);
    const auto m = measured(p, 0);
    REQUIRE(m.failed);
    CHECK(m.failed->kind == failure_kind::exited);
    CHECK(m.failed->message.starts_with("run 3, after 2 without a failure: "));
    CHECK(m.runs == 2);
    CHECK(m.batches == std::vector<double>{7, 7});
}

TEST_CASE("program: a number beside the cost that is infinite is a failure that names it")
{
    const auto m = of({.command = script("echo c=1 n=1e400"),
                       .cost = measure::matched("c=([0-9]+)"),
                       .numbers = {{"n", measure::matched("n=([0-9e]+)")}}});
    REQUIRE(m.failed);
    CHECK(m.failed->kind == failure_kind::bad_cost);
    CHECK(m.failed->message == "n: the number is infinite, want a finite one");
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
    fails({.command = script(":"), .result_file = at / "never", .cost = measure::matched("[0-9]+")},
          failure_kind::bad_cost, "was not written");
    put(at / "stale", "1");
    fails({.command = script(":"), .result_file = at / "stale", .cost = measure::matched("[0-9]+")},
          failure_kind::bad_cost, "was not written");
    fails({.command = script("echo 1"), .files = {{"/proc/self/cmdline", "/none/at/all"}}}, failure_kind::invalid,
          "'/none/at/all' cannot be written");
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
    // A limit that is short beside the time after which a starter is looked for holds, too. A busy machine may see one
    // end late, not each of ten.
    program naps(numbers(10), {.command = script("sleep 0.4"), .repetition = once});
    int ended = 0;
    for (tk::index k = 0; k < 10; ++k) ended += measured(naps, k, {.abandon_above = 0.02}).at_least;
    CHECK(ended > 0);
    // Where the cost is a number, seconds say nothing: three whole runs.
    program p(numbers(3), {.command = script("echo 9"),
                           .cost = measure::matched("9"),
                           .repetition = measure::any_repetition(measure::fixed{.runs = 10, .batch = 1})});
    const auto by_number = p.measure(std::vector<tk::index>{0}, {.abandon_above = 8}).front();
    CHECK(by_number.at_least);
    CHECK(by_number.runs == 3);
}

TEST_CASE("program: a look ends with a run that is not above the limit, and checks nothing")
{
    temporary_folder at;
    // Runs take 0.3 s, but for those after the second.
    const std::string runs = at / "runs";
    const auto p = [&](const char* then) {
        return of(
            {.command = script("echo x >> " + runs + "; test $(wc -l < " + runs + ") -gt 2 || sleep 0.3; " + then),
             .check_command = {"/bin/sh", "-c", "exit 1"},
             .repetition = once},
            {.abandon_above = 0.2, .run_seconds = 100, .max_runs = 3});
    };
    const auto third = p("true");
    CHECK(!third.failed);
    CHECK(!third.at_least);
    CHECK(text_of(runs) == "x\nx\nx\n");
    put(runs, "");
    const auto slow = p("sleep 0.3");
    CHECK(slow.at_least);
    CHECK(slow.runs == 3);
    CHECK(program(numbers(2), {.command = script("echo 1")}).measures_time());
    CHECK(program(numbers(2), {.command = script("echo 1"), .cost = &measure::finished_run::cpu_seconds})
              .measures_time());
    CHECK_FALSE(program(numbers(2), {.command = script("echo 1"), .cost = measure::matched("1")}).measures_time());
    CHECK_FALSE(
        program(numbers(2), {.command = script("echo 1"), .cost = &measure::finished_run::peak_bytes}).measures_time());
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
