// SPDX-License-Identifier: MIT
// Programs that take a recipe by its name measure by that recipe's evaluator.
#include "tools/support/names.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tunekit/io/experience.hpp"

namespace {

/// Runs of a configuration whose batches all take as long.
std::uint32_t runs_of(const std::string& recipe)
{
    const auto how = programs::find(programs::recipes(), "strategy", recipe).repetition;
    std::vector<double> seen;
    std::uint32_t runs = 0;
    while (const std::uint32_t n = how.next(seen)) {
        runs += n;
        seen.push_back(1e-3);
    }
    return runs;
}

}  // namespace

TEST_CASE("a recipe by its name has its own evaluator: AdaTune's 3 batches of 50, AutoTVM's 10 runs, combined's 20")
{
    CHECK(runs_of("adatune-paper") == 150);
    CHECK(runs_of("adatune") == 150);
    CHECK(runs_of("autotvm-paper") == 10);
    CHECK(runs_of("chameleon") == 10);
    CHECK(runs_of("combined") == 20);
}

TEST_CASE("a recipe that begins with a past is named by it, and what cannot be used is told")
{
    const support::temporary_folder folder;
    tunekit::experience_source one{.name = "a", .parameters = {{.name = "tile"}}};
    for (const char* const tile : {"1", "2", "4", "8", "16", "32", "64", "128", "256"})
        one.add(std::vector<std::string>{tile}, {.cost = 1.0 / static_cast<double>(one.results.size() + 1)});
    tunekit::experience past;
    past.add(one);
    tunekit::io::save_experience(folder / "past.experience", past);

    const auto begun = programs::begun_recipe_of("strategy", "combined", {folder / "past.experience"});
    CHECK(begun.notes.empty());
    CHECK_MESSAGE((begun.name.starts_with("combined from ") && begun.name.size() > 20), begun.name);
    CHECK(begun.name.back() != '\n');
    CHECK(programs::begun_recipe_of("strategy", "autotvm", {folder / "past.experience"}).name ==
          "autotvm" + begun.name.substr(8));

    past.sources.front().name = "b";  // as of a log that was moved
    tunekit::io::save_experience(folder / "moved.experience", past);
    CHECK(programs::begun_recipe_of("strategy", "combined", {folder / "moved.experience"}).name == begun.name);
    past.sources.front().results.front().cost = 3;
    tunekit::io::save_experience(folder / "other.experience", past);
    CHECK(programs::begun_recipe_of("strategy", "combined", {folder / "other.experience"}).name != begun.name);

    const auto missing = programs::begun_recipe_of("strategy", "combined", {folder / "nowhere.jsonl"});
    CHECK(missing.notes.size() == 1);
    CHECK(missing.name == "combined");
    CHECK(programs::begun_recipe_of("strategy", "random", {}).name == "random");
    CHECK_THROWS_WITH_AS((void)programs::begun_recipe_of("strategy", "random", {folder / "past.experience"}),
                         "tunekit: strategy \"random\" takes no experience, want one with a model, such as combined",
                         std::invalid_argument);
}

TEST_CASE("combined and autotvm are there with carrying between tasks and without")
{
    const auto one_in = [](const char* name) {
        return programs::find(programs::recipes(), "strategy", name).carry.one_in;
    };
    CHECK(one_in("combined") == 4);
    CHECK(one_in("combined-alone") == 0);
    CHECK(one_in("autotvm") == 0);
    CHECK(one_in("autotvm-carried") == 4);
}
