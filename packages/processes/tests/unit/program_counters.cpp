// SPDX-License-Identifier: MIT
// What the processor and the kernel count of a run, and what is said where they count nothing.
#include "tunekit/processes/program/program.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "tests/support/programs.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/processes/detail/system/counters.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using measure::program;
using measure::program_options;
using support::contains, support::measured, support::numbers;
using tk::system::detail::counter_problem, tk::system::detail::event_counter;

namespace {

/// The mean of a counter over three runs of a shell's text; 0, after a check of what is said, where it cannot be had.
double counted(const std::string& counter, const std::string& text)
{
    program_options o{.command = {"sh:" + text + "; : {x}"},
                      .counters = {counter},
                      .repetition = measure::any_repetition(measure::fixed{.runs = 3, .batch = 1}),
                      .whole_first = true};
    o.cost = program_options::reading([](const measure::finished_run& run) { return 1 + run.counts.at(0); });
    const bool there = static_cast<bool>(event_counter(counter));
    const int why = errno;
    if (!there) {
        CHECK_THROWS_WITH_AS(program(numbers(1), o), counter_problem(counter, why).insert(0, "tunekit: ").c_str(),
                             tk::error);
        MESSAGE("not here: " << counter_problem(counter, why));
        return 0;
    }
    program p(numbers(1), o);
    const auto m = measured(p, 0);
    REQUIRE_MESSAGE(m.ok(), (m.failed ? m.failed->message : ""));
    CHECK(m.runs == 3);
    return m.cost - 1;
}

}  // namespace

TEST_CASE("program: counters are those of a run, of what it starts too, and of no other run")
{
    if (const double alone = counted("page-faults", "true"); alone > 0) {
        const double with_forty = counted("page-faults", "i=0; while [ $i -lt 40 ]; do /bin/true; i=$((i + 1)); done");
        CHECK(alone > 10);                    // pages of the shell
        CHECK(with_forty > alone + 40 * 10);  // those that it starts have some of their own
        CHECK(with_forty < alone + 40 * 1000);
    }
    if (const double few = counted("instructions", "true"); few > 0) {
        const double many = counted("instructions", "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done");
        CHECK(many > few + 2e6);  // a turn of the loop takes some hundreds
        CHECK(many < few + 2e9);
    }
}

TEST_CASE("program: a counter that cannot be had is told in one line, with what to do")
{
    CHECK(contains(counter_problem("cycles", EACCES), "/proc/sys/kernel/perf_event_paranoid"));
    CHECK(contains(counter_problem("cycles", EPERM), "a container that allows perf_event_open"));
    CHECK(contains(counter_problem("cycles", ENOENT), "none of this machine, as in most virtual machines"));
    CHECK(contains(counter_problem("cycles", ENOSYS), "needs perf_event_open"));
    for (const int why : {EINVAL, EACCES, ENOENT, ENOSYS, EMFILE})
        CHECK(counter_problem("cycles", why).find('\n') == std::string::npos);
    program_options o{.command = {"/bin/true", "{x}"}, .counters = {"instrs"}};
    CHECK_THROWS_WITH_AS(program(numbers(1), o), doctest::Contains("want one of instructions, cycles, "), tk::error);
    CHECK_THROWS_WITH_AS((void)measure::unused_parameters(std::vector<std::string>{"x"}, o),
                         doctest::Contains("'instrs' is unknown"), tk::error);
}
