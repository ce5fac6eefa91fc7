// SPDX-License-Identifier: MIT
// Programs that take a recipe by its name measure by that recipe's evaluator.
#include "tools/support/names.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/dynatune_curves.hpp"
#include "tunekit/records/read_experience.hpp"
#include "tunekit/schedule/any_schedule.hpp"
#include "tunekit/space/product.hpp"

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
    tunekit::io::write_experience(folder / "past.experience", past);

    const auto begun = programs::begun_recipe_of("strategy", "combined", {folder / "past.experience"}, {});
    CHECK(begun.notes.empty());
    CHECK_MESSAGE((begun.name.starts_with("combined from ") && begun.name.size() > 20), begun.name);
    CHECK(begun.name.back() != '\n');
    CHECK(programs::begun_recipe_of("strategy", "autotvm", {folder / "past.experience"}, {}).name ==
          "autotvm" + begun.name.substr(8));

    past.sources.front().name = "b";  // as of a log that was moved
    tunekit::io::write_experience(folder / "moved.experience", past);
    CHECK(programs::begun_recipe_of("strategy", "combined", {folder / "moved.experience"}, {}).name == begun.name);
    past.sources.front().results.front().cost = 3;
    tunekit::io::write_experience(folder / "other.experience", past);
    CHECK(programs::begun_recipe_of("strategy", "combined", {folder / "other.experience"}, {}).name != begun.name);

    const auto missing = programs::begun_recipe_of("strategy", "combined", {folder / "nowhere.jsonl"}, {});
    CHECK(missing.notes.size() == 1);
    CHECK(missing.name == "combined");
    CHECK(programs::begun_recipe_of("strategy", "random", {}, {}).name == "random");
    CHECK_THROWS_WITH_AS((void)programs::begun_recipe_of("strategy", "random", {folder / "past.experience"}, {}),
                         "tunekit: strategy \"random\" takes no experience, want one with a model, such as combined",
                         std::invalid_argument);
}

TEST_CASE("a run's own log is no past of it: the folder that it lies in means the same when the run is taken up")
{
    const support::temporary_folder folder;
    const std::filesystem::path in = folder / "logs";
    std::filesystem::create_directory(in);
    tunekit::experience_source one{.name = "a", .parameters = {{.name = "tile"}}};
    for (const char* const tile : {"1", "2", "4", "8", "16", "32", "64", "128", "256"})
        one.add(std::vector<std::string>{tile}, {.cost = 1.0 / static_cast<double>(one.results.size() + 1)});
    tunekit::experience past;
    past.add(one);
    tunekit::io::write_experience(in / "past.experience", past);
    const std::string own = in / "own.jsonl", elsewhere = folder / "link.jsonl";
    const auto begun = [&](const std::vector<std::string>& logs) {
        return programs::begun_recipe_of("strategy", "combined", {in}, logs);
    };
    const auto before = begun({own});
    CHECK(before.notes.empty());
    one.results.front().cost = 3;
    past.sources = {one};
    tunekit::io::write_experience(own, past);
    std::filesystem::create_symlink(own, elsewhere);
    for (const std::string& path : {own, elsewhere}) {
        const auto after = begun({path});
        CHECK(after.name == before.name);
        CHECK(after.past == before.past);
        REQUIRE(after.notes.size() == 1);
        CHECK(after.notes.front() == "log " + own + ": is that of this run; left out");
    }
    CHECK(begun({}).name != before.name);

    // A run on several kinds of devices has a log of each: none of them is a past of it, each is one of another run.
    const std::vector<std::string> both{own, in / "own.jsonl.1"};
    past.sources.front().results.back().cost = 5;
    tunekit::io::write_experience(both.back(), past);
    CHECK(begun(both).name == before.name);
    CHECK(begun(both).notes.size() == 2);
    CHECK(begun({}).past.sources.size() == 3);
}

TEST_CASE("what tasks take of a past is told: how much of it they have, and which parameters only one side has")
{
    tunekit::experience past;
    CHECK(programs::told_of(past, {}).empty());
    const auto add = [&](const std::vector<std::string>& names, std::size_t results) {
        tunekit::experience_source s{.name = names.front()};
        for (const std::string& n : names) s.parameters.push_back({.name = n});
        for (std::size_t k = 1; k <= results; ++k)
            s.add(std::vector<std::string>(names.size(), std::to_string(k)), {.cost = static_cast<double>(k)});
        past.add(s);
    };
    namespace space = tunekit::space;
    const tunekit::task tasks[] = {
        {"a", space::product(space::integers<"tile">(1, 10), space::integers<"unroll">(1, 10)), 1.0},
        {"b", space::product(space::integers<"lanes">(1, 10)), 1.0}};
    const auto told = [&](std::size_t n) { return programs::told_of(past, std::span(tasks).first(n)); };
    add({"tile", "unroll"}, 7);
    CHECK(told(1) ==
          "experience of 1 source, 7 results: none is used, as each has no parameter's name in common, or fewer than 8 "
          "costs");
    add({"unroll", "tile"}, 20);
    CHECK(told(1) == "experience of 2 sources, 27 results: 1 used, 100 % of their results are configurations here");
    add({"tile", "depth"}, 20);
    CHECK(told(2) ==
          "experience of 3 sources, 47 results: up to 2 used by 1 of 2 tasks, 50 % of their results are configurations "
          "here; "
          "parameters only there: depth; only here: unroll");
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

TEST_CASE("dynatune-paper takes the peak of the device from its name")
{
    // Two tasks that are alike: the samples of their beliefs decide. With a peak that leaves nothing of the curves there are none.
    std::vector<tunekit::curve::curve_point> curve;
    for (std::size_t i = 1; i <= 30; ++i)
        curve.push_back({.trial = i, .seconds = 0.1, .best_cost = 1e-3 + 1e-3 / static_cast<double>(i)});
    const std::vector<tunekit::schedule::task_view> tasks(2, {.flops = 1e8, .curve = curve, .slots = 3, .seconds = 3});
    const auto choices = [&](const tunekit::schedule::any_schedule& by) {
        std::vector<std::size_t> out;
        for (std::uint64_t seed = 0; seed < 48; ++seed) {
            tunekit::random::philox gen(seed);
            auto state = by.start(tasks, {.seconds = 60, .slot_seconds = 1, .tasks = 2});
            out.push_back(by.select(state, tasks, gen));
        }
        return out;
    };
    const auto named = choices(programs::schedule_of("schedule", "dynatune-paper-at-1e12"));
    CHECK(named == choices(tunekit::schedule::any_schedule(tunekit::recipes::dynatune_paper(1e21))));
    CHECK(named == std::vector<std::size_t>(48, 0));
    CHECK(named != choices(programs::schedule_of("schedule", "dynatune-paper")));
    for (const char* const wrong : {"dynatune-paper-at-", "dynatune-paper-at-0", "dynatune-paper-at-inf",
                                    "dynatune-paper-at-1x", "dynatune-paper-peak"})
        CHECK_THROWS_AS((void)programs::schedule_of("schedule", wrong), std::invalid_argument);
}
