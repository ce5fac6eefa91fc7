// SPDX-License-Identifier: MIT
// What is built before it runs: once for the same arguments, kept in a folder, beside what runs.
#include "tunekit/processes/program/program.hpp"

#include <doctest/doctest.h>
#include <csignal>

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/programs.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/program/readings.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/parameter.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/recipe.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using measure::failure_kind;
using measure::program;
using measure::program_options;
using support::contains, support::measured, support::numbers, support::of, support::once, support::put, support::script,
    support::temporary_folder, support::text_of;

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

TEST_CASE("program: a build that takes much longer than those before waits for the end of the run, and is no failure")
{
    for (const std::size_t builders : {std::size_t{0}, std::size_t{1}}) {
        temporary_folder at;
        program p(numbers(14),
                  {.command = {"/bin/sh", "-c", "cat {build}/made"},
                   .build = {"/bin/sh", "-c",  // of the 12th the first build never ends
                             "echo {x} >> " + (at / "begun") + "; if test {x} = 11 && mkdir " + (at / "once") +
                                 "; then sleep 300; fi 2> /dev/null; echo {x} > {build}/made"},
                   .repetition = once,
                   .builders = builders,
                   .pinned = false});
        tk::random::philox gen(1);
        const auto found = tk::tune(numbers(14), p, tk::recipe{tk::search::grid{}, once, {.max_build_seconds = 600}},
                                    {.trials = 14}, gen, {.checks = false});
        REQUIRE(found.trials().size() == 14);
        CHECK(found.failed() == 0);
        CHECK(found.checks().put_off >= 1);  // on a busy machine it may be more
        CHECK(contains(text_of(at / "begun"), "11\n12\n13\n"));
        const auto slow =
            std::find_if(found.trials().begin(), found.trials().end(), [](const auto& t) { return t.candidate == 11; });
        CHECK(slow->measured.ok());
    }
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
