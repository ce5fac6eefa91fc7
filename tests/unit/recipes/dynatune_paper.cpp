// SPDX-License-Identifier: MIT
// DynaTune as its paper has it: the belief, the units, and that it runs.
#include <doctest/doctest.h>

#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/bandit/epsilon_greedy.hpp"
#include "tunekit/bandit/softmax.hpp"
#include "tunekit/curve/belief.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/dynatune_curves.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune_tasks.hpp"

namespace tk = tunekit;

namespace {

/// Costs that fall towards `least` with the index, and time passes on the run's own clock.
struct formula {
    double least;
    double* now;
    std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&) const
    {
        std::vector<tk::measure::measurement> out;
        for (const auto i : batch) {
            out.push_back({.cost = least * (1 + 100 / (1 + static_cast<double>(i))), .runs = 1});
            *now += 0.05;
        }
        return out;
    }
};

}  // namespace

TEST_CASE("dynatune_paper is the paper's belief under its index in milliseconds, with an early stop after 200")
{
    const auto paper = tk::recipes::dynatune_paper();
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(paper.inner.belief)>, tk::curve::belief<>>);
    CHECK(paper.options.patience == 200);
    CHECK(paper.inner.belief.options.walkers == 10);
    CHECK(paper.inner.belief.options.steps == 500);
    CHECK(paper.inner.options.peak == 0);
    CHECK(tk::recipes::dynatune_paper(9.3e12).inner.options.peak == 9.3e12);  // the paper's P100
    CHECK(paper.inner.bandit(0.010) == tk::bandit::ucb::paper(0.010));
    CHECK(tk::bandit::ucb::paper(0.010).exploration == 2);
    CHECK(tk::bandit::ucb::paper(0.0009).exploration == 0.2);
}

TEST_CASE("the rules of the paper's appendix A stand on the paper's belief, with an early stop after 200")
{
    const auto greedy = tk::recipes::dynatune_curves_egreedy();
    const auto soft = tk::recipes::dynatune_curves_softmax();
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(greedy.inner.belief)>, tk::curve::belief<>>);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(soft.inner.belief)>, tk::curve::belief<>>);
    CHECK(greedy.options.patience == 200);
    CHECK(soft.options.patience == 200);
    CHECK(greedy.inner.bandit == tk::bandit::epsilon_greedy{.epsilon = 0.05});
    CHECK(soft.inner.bandit == tk::bandit::softmax{});
}

TEST_CASE("dynatune_paper runs: more slots for the task that has more to gain")
{
    const tk::space::product space{tk::space::integers<"x">(0, 999)};
    double now = 0;
    auto tasks =
        tk::tasks(tk::task("big", space, formula{1.0, &now}, 1e9), tk::task("small", space, formula{1e-6, &now}, 1e5));
    tk::random::philox gen(5);
    const auto plan = tk::tune_tasks(tasks, tk::search::random{}, tk::recipes::dynatune_paper(),
                                     {.seconds = 12, .slot_seconds = 0.5}, gen, {.clock = [&] { return now; }});
    CHECK(plan.tasks[0].record.trials().size() + plan.tasks[1].record.trials().size() >= 230);
    CHECK(plan.tasks[0].record.trials().size() > plan.tasks[1].record.trials().size());
}
