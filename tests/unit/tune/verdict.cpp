// SPDX-License-Identifier: MIT
#include "tunekit/tune/verdict.hpp"

#include <doctest/doctest.h>

namespace tk = tunekit;
using tk::verdict;

TEST_CASE("a verdict in words: what is known, by what, and what would make it clear")
{
    CHECK(to_text(verdict{}) == "not raced");
    verdict v{.says = verdict::kind::separated, .slower_at_least = 0.0213, .finalists = 4, .rounds = 12};
    CHECK(to_text(v) == "separated from 3 others, at least 2.13 % slower (12 rounds side by side, 95 %)");
    v.slower_at_least = -1;  // not bounded
    CHECK(to_text(v) == "separated from 3 others (12 rounds side by side, 95 %)");
    v = {.says = verdict::kind::tied, .tied = {3}, .confidence = 0.9, .finalists = 2, .rounds = 60};
    CHECK(to_text(v) == "tied with 1 of 1 other (60 rounds side by side, 90 %)");
    v = {.says = verdict::kind::unclear, .finalists = 4, .rounds = 1, .rounds_to_separate = 11};
    CHECK(to_text(v) == "unclear: 1 round side by side, with fewer than 11 none can be distinguished");
    v.seconds_to_separate = 1234;
    v.why = "the race ended: no child";
    CHECK(to_text(v) ==
          "unclear: 1 round side by side, with fewer than 11 none can be distinguished; want 1234 s or more; the race "
          "ended: no child");
}

TEST_CASE("how the machine was, in words")
{
    CHECK(to_text(tk::machine_checks{}, 60) == "not watched");
    CHECK(to_text(tk::machine_checks{.on = true, .made = 12, .seconds = 0.25}, 60) ==
          "watched, and not disturbed in 12 checks, 0.25 s of 60 s");
    CHECK(to_text(tk::machine_checks{.on = true, .made = 9, .disturbed = 3, .measured_again = 4, .seconds = 2.1}, 60) ==
          "disturbed 3 times, 2.1 s of 60 s; 4 configurations were measured again");
    CHECK(to_text(
              tk::machine_checks{
                  .on = true, .made = 9, .disturbed = 1, .unsettled = 1, .measured_again = 1, .seconds = 2},
              10) ==
          "disturbed 1 time, 2 s of 10 s; 1 configuration was measured again, and 1 time it did not become quiet");
}
