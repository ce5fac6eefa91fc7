// SPDX-License-Identifier: MIT
#include "tools/support/names.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>
#include <utility>

#include "tunekit/core/text.hpp"
#include "tunekit/recipes/adatune.hpp"
#include "tunekit/recipes/autotvm.hpp"
#include "tunekit/recipes/chameleon.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/recipes/dynatune.hpp"
#include "tunekit/recipes/dynatune_curves.hpp"
#include "tunekit/recipes/parego.hpp"
#include "tunekit/records/experience.hpp"
#include "tunekit/records/read_experience.hpp"
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

namespace {

/// Calls `add(name, recipe)` for each.
template <class Add>
void each_recipe(const Add& add)
{
    namespace tk = tunekit;
    const auto plain = [&](const char* name, auto strategy) {
        add(name, tk::recipe{std::move(strategy), tk::measure::fixed{.runs = 10, .batch = 1}, tk::candidate_limits{},
                             std::size_t{8}});
    };
    plain("random", tk::search::random{});
    plain("grid", tk::search::grid{});
    plain("hill-climb", tk::search::hill_climb{});
    plain("annealing", tk::search::annealing{});
    add("autotvm", tk::recipes::autotvm_reg());
    const auto carried = [](auto recipe, const tk::carrying& how) {
        recipe.carry = how;
        return recipe;
    };
    add("autotvm-carried", carried(tk::recipes::autotvm_reg(), tk::recipes::combined().carry));
    add("autotvm-rank", tk::recipes::autotvm_rank());
    add("autotvm-paper", tk::recipes::autotvm_reg_paper());
    add("autotvm-rank-paper", tk::recipes::autotvm_rank_paper());
    add("autotvm-rank-diverse-paper", tk::recipes::autotvm_rank_diverse_paper());
    add("autotvm-genetic", tk::recipes::autotvm_genetic());
    add("adatune-rfei", tk::recipes::adatune_rfei());
    plain("adatune-rfei-csa", tk::recipes::adatune().strategy);  // without its evaluator
    add("adatune-paper", tk::recipes::adatune_paper());
    add("combined", tk::recipes::combined());
    add("combined-alone", carried(tk::recipes::combined(), {}));
    add("parego", tk::recipes::parego());
    add("adatune", tk::recipes::adatune());
    add("chameleon-sa-as", tk::recipes::chameleon_sa_as());
    add("chameleon-ae", tk::recipes::chameleon_ae());
    add("chameleon", tk::recipes::chameleon());
}

}  // namespace

named<tunekit::recipes::any_recipe> recipes()
{
    named<tunekit::recipes::any_recipe> out;
    each_recipe(
        [&](const char* name, const auto& recipe) { out.emplace_back(name, tunekit::recipes::erased(recipe)); });
    return out;
}

begun_recipe begun_recipe_of(const std::string& what, const std::string& name, const std::vector<std::string>& paths,
                             const std::vector<std::string>& own_logs, tunekit::experience more)
{
    begun_recipe out{.how = find(recipes(), what, name), .name = name};
    if (paths.empty() && more == tunekit::experience{}) return out;
    out.past = tunekit::io::experience_in(paths, own_logs);
    out.past.merge(std::move(more));
    out.notes = std::exchange(out.past.notes, {});
    bool takes = false;
    each_recipe([&](const char* known, auto recipe) {
        if constexpr (requires { recipe.strategy.remember(out.past); })
            if (known == name) {
                recipe.strategy.remember(out.past);
                out.how = tunekit::recipes::erased(recipe);
                takes = true;
            }
    });
    if (!takes)
        tunekit::invalid(what + " \"" + name + "\" takes no experience, want one with a model, such as combined");
    if (out.past.empty()) return out;
    tunekit::experience nameless = out.past;
    for (tunekit::experience_source& source : nameless.sources)
        source.name.clear();  // a log may lie elsewhere next time
    const std::string text = tunekit::io::to_text(nameless);
    out.name += " from " + text.substr(text.rfind(' ') + 1);  // it ends with its checksum
    out.name.pop_back();
    return out;
}

std::string told_of(const tunekit::experience& past, std::span<const tunekit::task> tasks)
{
    if (past.empty()) return {};
    std::size_t taking = 0, most = 0, results = 0, configurations = 0;
    std::set<std::string> only_there, only_here;
    for (const tunekit::task& task : tasks) {
        const auto taken = tunekit::search::taken_of(past, task.space());
        const std::size_t used = taken.size();
        if (used > 0) ++taking;
        if (used > most) most = used;
        for (const auto& t : taken) {
            results += past.sources[t.source].results.size();
            configurations += t.configurations;
            const auto there = past.sources[t.source].names();
            const auto here = task.space().names();
            const auto without = [](const auto& names, const auto& others, std::set<std::string>& to) {
                for (const std::string& n : names)
                    if (std::find(others.begin(), others.end(), n) == others.end()) to.insert(n);
            };
            without(there, here, only_there);
            without(here, there, only_here);
        }
    }
    const auto number = [](std::size_t n) { return std::to_string(n); };
    using tunekit::core::detail::counted;
    std::string out =
        "experience of " + counted(past.sources.size(), "source") + ", " + counted(past.size(), "result") + ": ";
    if (taking == 0) return out + "none is used, as each has no parameter's name in common, or fewer than 8 costs";
    out += tasks.size() == 1
               ? number(most) + " used"
               : "up to " + number(most) + " used by " + number(taking) + " of " + counted(tasks.size(), "task");
    out += ", " + number(100 * configurations / results) + " % of their results are configurations here";
    const auto add = [&](const char* what, const std::set<std::string>& names) {
        for (const char* before = what; const std::string& n : names) {
            out += before + n;
            before = ", ";
        }
    };
    add("; parameters only there: ", only_there);
    add("; only here: ", only_here);
    return out;
}

named<tunekit::search::any_strategy> strategies()
{
    named<tunekit::search::any_strategy> out;
    for (const auto& [name, recipe] : recipes()) out.emplace_back(name, recipe.strategy);
    return out;
}

named<tunekit::schedule::any_schedule> schedules()
{
    named<tunekit::schedule::any_schedule> out;
    const auto add = [&](const char* name, auto schedule) {
        out.emplace_back(name, tunekit::schedule::any_schedule(std::move(schedule)));
    };
    add("sequential", tunekit::schedule::sequential{});
    add("sequential-64", tunekit::schedule::early_stop{
                             tunekit::schedule::sequential{std::numeric_limits<double>::infinity()}, {.patience = 64}});
    add("random", tunekit::schedule::random{});
    add("round-robin", tunekit::schedule::round_robin{});
    add("linear", tunekit::schedule::linear{});
    add("da-random", tunekit::schedule::early_stop{tunekit::schedule::random{}});
    add("da-round-robin", tunekit::schedule::early_stop{tunekit::schedule::round_robin{}});
    add("ansor", tunekit::schedule::ansor{});
    add("dynatune", tunekit::recipes::dynatune());
    add("dynatune-curves", tunekit::recipes::dynatune_curves());
    add("dynatune-paper", tunekit::recipes::dynatune_paper());
    add("dynatune-egreedy", tunekit::recipes::dynatune_egreedy());
    add("dynatune-softmax", tunekit::recipes::dynatune_softmax());
    add("dynatune-curves-egreedy", tunekit::recipes::dynatune_curves_egreedy());
    add("dynatune-curves-softmax", tunekit::recipes::dynatune_curves_softmax());
    return out;
}

tunekit::schedule::any_schedule schedule_of(const std::string& what, const std::string& name)
{
    constexpr std::string_view with_peak = "dynatune-paper-at-";
    if (!name.starts_with(with_peak)) return find(schedules(), what, name);
    const auto gflops = tunekit::core::number<double>(name.substr(with_peak.size()));
    if (!gflops || !(*gflops > 0 && *gflops < std::numeric_limits<double>::infinity()))
        tunekit::invalid(what + " \"" + name + "\", want the peak of the device in GFLOP/s behind " +
                         std::string(with_peak));
    return tunekit::schedule::any_schedule(tunekit::recipes::dynatune_paper(1e9 * *gflops));
}

}  // namespace programs
