// SPDX-License-Identifier: MIT
#include "support/names.hpp"

#include "tunekit/recipes/adatune.hpp"
#include "tunekit/recipes/autotvm.hpp"
#include "tunekit/recipes/chameleon.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/recipes/dynatune.hpp"
#include "tunekit/schedule/ansor.hpp"
#include "tunekit/schedule/early_stop.hpp"
#include "tunekit/schedule/linear.hpp"
#include "tunekit/schedule/random.hpp"
#include "tunekit/schedule/round_robin.hpp"
#include "tunekit/schedule/sequential.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/search/random.hpp"

namespace programs {

named<tunekit::any_strategy> strategies()
{
    named<tunekit::any_strategy> out;
    const auto add = [&](const char* name, auto strategy) { out.emplace_back(name, tunekit::any_strategy(std::move(strategy))); };
    add("random", tunekit::search::random{});
    add("grid", tunekit::search::grid{});
    add("hill-climb", tunekit::search::hill_climb{});
    add("annealing", tunekit::search::annealing{});
    add("autotvm", tunekit::recipes::autotvm_reg());
    add("autotvm-rank", tunekit::recipes::autotvm_rank());
    add("autotvm-paper", tunekit::recipes::autotvm_reg_paper());
    add("autotvm-genetic", tunekit::recipes::autotvm_genetic());
    add("adatune-rfei", tunekit::recipes::adatune_rfei());
    add("adatune-rfei-csa", tunekit::recipes::adatune());
    add("adatune-paper", tunekit::recipes::adatune_paper());
    add("combined", tunekit::recipes::combined());
    add("adatune", tunekit::recipes::adatune());  // with its evaluator, where a program measures
    add("chameleon-sa-as", tunekit::recipes::chameleon_sa_as());
    add("chameleon-ae", tunekit::recipes::chameleon_ae());
    add("chameleon", tunekit::recipes::chameleon());
    return out;
}

named<tunekit::any_schedule> schedules(const run_plan& run)
{
    named<tunekit::any_schedule> out;
    const auto add = [&](const char* name, auto schedule) { out.emplace_back(name, tunekit::any_schedule(std::move(schedule))); };
    add("sequential", tunekit::schedule::sequential{.seconds_per_task = run.seconds / static_cast<double>(run.tasks)});
    add("random", tunekit::schedule::random{});
    add("round-robin", tunekit::schedule::round_robin{});
    add("linear", tunekit::schedule::linear{.seconds = run.seconds});
    add("da-random", tunekit::schedule::early_stop{tunekit::schedule::random{}});
    add("da-round-robin", tunekit::schedule::early_stop{tunekit::schedule::round_robin{}});
    add("ansor", tunekit::schedule::ansor{});
    add("dynatune", tunekit::recipes::dynatune(run.slot_seconds));
    add("dynatune-curves", tunekit::recipes::dynatune_curves(run.slot_seconds));
    add("dynatune-egreedy", tunekit::recipes::dynatune_egreedy(run.slot_seconds));
    add("dynatune-softmax", tunekit::recipes::dynatune_softmax(run.slot_seconds));
    return out;
}

}  // namespace programs
