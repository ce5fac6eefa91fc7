// SPDX-License-Identifier: MIT
// What belongs to a run and not to its time, and what a run has of the process that starts it.
#include "tunekit/processes/program/program.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/programs.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/program/readings.hpp"
#include "tunekit/space/parameter.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using measure::failure_kind;
using measure::program;
using measure::program_options;
using support::contains, support::measured, support::numbers, support::of, support::once, support::put, support::script,
    support::temporary_folder, support::text_of;

namespace {

/// Options whose every command adds a line to the file `log`.
program_options logging(const std::string& log)
{
    const auto say = [&](const std::string& word) {
        return std::vector<std::string>{"sh:echo " + word + " {x} >>" + log};
    };
    return {.command = say("run"),
            .setup = say("setup"),
            .prepare = say("prepare"),
            .cleanup = say("cleanup"),
            .repetition = measure::any_repetition(measure::fixed{.runs = 3, .batch = 1}),
            .whole_first = true};
}

}  // namespace

TEST_CASE("program: a setup before the runs, a preparation before each, a cleanup behind them")
{
    const temporary_folder at;
    program_options o = logging(at / "log");
    o.warmup = 1;
    program p(numbers(1), o);
    for (const tk::index i : {0U, 1U}) {
        const auto m = measured(p, i);
        REQUIRE_MESSAGE(m.ok(), (m.failed ? m.failed->message : ""));
        CHECK(m.runs == 3);
        CHECK(m.build_seconds > 0);  // where their time is
    }
    std::string want;
    for (const std::string x : {" 0\n", " 1\n"}) {
        want += "setup" + x;
        for (int k = 0; k < 4; ++k) want += "prepare" + x + "run" + x;
        want += "cleanup" + x;
    }
    CHECK(text_of(at / "log") == want);
    CHECK(p.failed_cleanups() == 0);
}

TEST_CASE("program: a setup or a preparation that fails is a failed configuration, a cleanup that fails costs nothing")
{
    const temporary_folder at;
    program_options o = logging(at / "log");
    o.setup = {"sh:echo no room >&2; exit 3"};
    auto m = of(o);
    REQUIRE(!m.ok());
    CHECK(m.failed->kind == failure_kind::exited);
    CHECK(contains(m.failed->message, "the setup 'sh -c echo no room >&2; exit 3': exit status 3, want 0"));
    CHECK(contains(m.failed->message, "no room"));
    CHECK(text_of(at / "log") == "cleanup 0\n");

    o.setup.clear();
    o.prepare = {"/bin/sh", "-c", "exit 4"};
    m = of(o);
    REQUIRE(!m.ok());
    CHECK(contains(m.failed->message, "the preparation '/bin/sh -c exit 4': exit status 4, want 0"));
    CHECK(text_of(at / "log") == "cleanup 0\ncleanup 0\n");

    o.prepare = {"/bin/sleep", "30"};
    o.aside_seconds = 0.1;
    m = of(o);
    REQUIRE(!m.ok());
    CHECK(m.failed->kind == failure_kind::run_timeout);
    CHECK(contains(m.failed->message, "the preparation '/bin/sleep 30': was still running after 0.1 s"));

    o.prepare.clear();
    o.aside_seconds = 20;
    o.cleanup = {"/bin/sh", "-c", "exit 5"};
    program p(numbers(1), o);
    CHECK(measured(p, 0).ok());
    CHECK(measured(p, 1).ok());
    CHECK(p.failed_cleanups() == 2);
}

TEST_CASE("program: a configuration that stays set up is set up once, and cleaned up in the end")
{
    const temporary_folder at;
    program_options o = logging(at / "log");
    o.setup = {"sh:echo setup {x} >>" + (at / "log") + "; echo kept >{scratch}/kept"};
    o.command = {"sh:grep -q kept {scratch}/kept && echo run {x} >>" + (at / "log")};
    o.prepare.clear();
    o.cleanup = {"sh:grep -q kept {scratch}/kept && echo cleanup {x} >>" + (at / "log") + "; echo no {x}; exit 5"};
    o.repetition = once;
    o.set_up_once = true;
    program p(numbers(1), o);
    for (const tk::index i : {0U, 1U, 0U, 1U, 0U}) REQUIRE(measured(p, i).ok());
    CHECK(text_of(at / "log") == "setup 0\nrun 0\nsetup 1\nrun 1\nrun 0\nrun 1\nrun 0\n");
    CHECK(p.failed_cleanups() == 0);
    put(at / "log", "");
    p.clean_up();
    CHECK(text_of(at / "log") == "cleanup 0\ncleanup 1\n");
    CHECK(p.failed_cleanups() == 2);
    CHECK(contains(p.failed_cleanup(), "exit status 5, want 0; it said 'no 0'"));
    p.clean_up();
    CHECK(p.failed_cleanups() == 2);
    REQUIRE(measured(p, 0).ok());
    CHECK(text_of(at / "log") == "cleanup 0\ncleanup 1\nsetup 0\nrun 0\n");
}

TEST_CASE("program: what starts programs may be killed or stopped by one of them")
{
    for (const std::string signal : {"KILL", "STOP"}) {
        CAPTURE(signal);
        program_options o{.command = {"sh:for c in $(cat /proc/$PPID/task/$PPID/children); do [ $c = $$ ] || kill -" +
                                      signal + " $c; done; : {x}"},
                          .repetition = measure::any_repetition(measure::fixed{.runs = 3, .batch = 1}),
                          .whole_first = true};
        program p(numbers(1), o);
        const auto m = measured(p, 0);
        REQUIRE_MESSAGE(m.ok(), (m.failed ? m.failed->message : ""));
        CHECK(m.runs == 3);
    }
}

TEST_CASE("program: the time of a preparation is distinguished from that of the runs")
{
    const auto m = of({.command = {"/bin/true", "{x}"}, .prepare = {"/bin/sleep", "0.6"}});
    REQUIRE_MESSAGE(m.ok(), (m.failed ? m.failed->message : ""));
    CHECK(m.build_seconds >= 0.6);
    CHECK(m.cost <= m.run_seconds);
}

TEST_CASE("program: a shell gets each value as one word, and no placeholder stands in quotes")
{
    const temporary_folder at;
    const std::string nasty = "$(touch pwned); `touch pwned` \"'\n*";
    const tk::space::product space{tk::space::parameter<"x">({nasty, std::string("")})};
    program p(space, {.command = {"sh:printf '%s|' a {x} b{x} {{x}} >args"}, .directory = at / "", .repetition = once});
    for (const tk::index i : {0U, 1U}) {
        const std::string x = space.texts(i)[0];
        REQUIRE(measured(p, i).ok());
        CHECK(text_of(at / "args") == "a|" + x + "|b" + x + "|{x}|");
    }
    for (const char* const text : {"sh:echo '{x}'", "sh:echo \"a {x}\"", "sh:echo \"it's {x}\""}) {
        CAPTURE(text);
        CHECK_THROWS_WITH_AS(program(space, {.command = {text}}),
                             doctest::Contains("{x} stands in quotes of the shell, want it outside"),
                             std::invalid_argument);
    }
    CHECK_NOTHROW(program(space, {.command = {"sh:echo \\' {x} \\\" {x} 'a' {x} '{{y}}'"}}));
}

TEST_CASE("program: it reads its input from a file, each run from the beginning")
{
    const temporary_folder at;
    put(at / "in0", "3");
    program_options o{.command = {"/bin/sh", "-c", "read n; echo $n"},
                      .input = at / "in{x}",
                      .cost = measure::matched("[0-9]+"),
                      .repetition = measure::any_repetition(measure::fixed{.runs = 2, .batch = 1}),
                      .whole_first = true};
    program p(numbers(1), o);
    const auto m = measured(p, 0);
    REQUIRE_MESSAGE(m.ok(), (m.failed ? m.failed->message : ""));
    CHECK(m.batches == std::vector<double>{3, 3});
    const auto none = measured(p, 1);
    REQUIRE(!none.ok());
    CHECK(contains(none.failed->message, "the input '" + (at / "in1") + "' cannot be read: No such file"));
    o.input = at / "none";
    CHECK_THROWS_WITH_AS(program(numbers(1), o), doctest::Contains("cannot be read; name a file that can"), tk::error);
}

TEST_CASE("program: any exit status is right where that is wanted, but no signal")
{
    program_options o{.command = script("exit 7"), .any_status = true};
    CHECK(of(o).ok());
    o.command = script("kill -SEGV $$");
    CHECK(of(o).failed->kind == failure_kind::crash);
}

TEST_CASE("program: the memory of a run is its own, whatever its tuner holds")
{
    if (measure::detail::sanitized) return;  // whose processes are large
    const std::vector<char> held(std::size_t{64} << 20, 'x');
    program_options o{.command = {"/bin/true", "{x}"}};
    o.numbers = {{.name = "peak", .read = &measure::finished_run::peak_bytes}};
    const auto m = of(o);
    REQUIRE(m.ok());
    CHECK(m.values[0] < 8.0 * (1 << 20));
    CHECK(held.back() == 'x');
}
