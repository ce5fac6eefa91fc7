// SPDX-License-Identifier: MIT
// What carries a paper's name has the paper's parts: loss, acquisition, explorer, screen, evaluator, sizes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "tunekit/measure/replay.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/adatune.hpp"
#include "tunekit/recipes/autotvm.hpp"
#include "tunekit/recipes/chameleon.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
namespace recipes = tk::recipes;

namespace {

template <class A, class B>
constexpr bool same = std::is_same_v<std::remove_cvref_t<A>, B>;

/// AutoTVM's cost model: xgboost of depth 3, eta 0.3, gamma 1e-4, exact splits, stopped by a-recall after 20 rounds.
void check_trees(const tk::surrogate::boosted_trees& trees, tk::surrogate::boosted_loss loss)
{
    CHECK(trees.loss == loss);
    CHECK(trees.rounds == 8000);
    CHECK(trees.max_depth == 3);
    CHECK(trees.eta == 0.3);
    CHECK(trees.gamma == 1e-4);
    CHECK(trees.max_bins == 0);
    CHECK(trees.stop_after == 20);
    CHECK(trees.members == 0);
}

void check_annealing(const tk::explore::annealing& search)
{
    CHECK(search.chains == 128);
    CHECK(search.steps == 500);
    CHECK(search.patience == 50);
    CHECK(search.unit == tk::explore::heat::absolute);
}

/// Rounds of 64 from the start, throughput against the best, failures 0.
void check_rounds(const tk::search::model_guided_options& options)
{
    CHECK(options.round == 64);
    CHECK(options.first == 0);
    CHECK(options.growth == 0);
    CHECK(options.cost_cap_quantile == 1);
    CHECK(options.scale == tk::search::score_scale::throughput);
}

/// Counts what the screen of a recipe synthesised.
struct counting {
    tk::screen::adaptive_sampling inner;
    std::size_t* synthesised;
    std::size_t* chosen;

    template <class Space, tk::generator G>
    [[nodiscard]] std::vector<tk::index> select(const Space& space,
                                                std::span<const tk::explore::scored_candidate> candidates,
                                                const tk::space::index_set& visited, std::size_t n, G& gen) const
    {
        auto sample = inner.draw(space, candidates, visited, n, gen);
        *synthesised += sample.synthesised;
        *chosen += sample.chosen.size();
        return sample.chosen;
    }
};

/// The diverse choice, which notes how many candidates it was shown.
struct noting : tk::screen::diversity {
    std::vector<std::size_t>* shown;

    template <class Space, tk::generator G>
    [[nodiscard]] std::vector<tk::index> select(const Space& space,
                                                std::span<const tk::explore::scored_candidate> candidates,
                                                const tk::space::index_set& visited, std::size_t n, G& gen) const
    {
        shown->push_back(candidates.size());
        return diversity::select(space, candidates, visited, n, gen);
    }
};

}  // namespace

TEST_CASE("autotvm_rank_paper and autotvm_reg_paper have AutoTVM's parts")
{
    const auto rank = recipes::autotvm_rank_paper(), reg = recipes::autotvm_reg_paper();
    check_trees(rank.strategy.model, tk::surrogate::boosted_loss::pairwise);
    check_trees(reg.strategy.model, tk::surrogate::boosted_loss::squared);
    static_assert(same<decltype(rank.strategy.acquire), tk::acquisition::mean>);
    static_assert(same<decltype(rank.strategy.screen), tk::screen::epsilon_greedy<tk::screen::keep_best>>);
    check_annealing(rank.strategy.explore);
    check_rounds(rank.strategy.options);
    CHECK(rank.strategy.screen.options.epsilon == 0.05);
    CHECK_FALSE(rank.strategy.screen.options.stochastic_rounding);
    CHECK(rank.repetition == tk::measure::fixed{.runs = 10, .batch = 1});
    static_assert(same<decltype(rank.schedule), tk::schedule::sequential>);
}

TEST_CASE("autotvm_rank_diverse_paper chooses among twice as many candidates")
{
    const auto diverse = recipes::autotvm_rank_diverse_paper();
    static_assert(same<decltype(diverse.strategy.screen), tk::screen::epsilon_greedy<tk::screen::diversity>>);
    check_trees(diverse.strategy.model, tk::surrogate::boosted_loss::pairwise);
    check_rounds(diverse.strategy.options);
    CHECK(diverse.strategy.screen.inner.lambda == 2);
    CHECK(tk::screen::candidates_for(diverse.strategy.screen, 64) == 128);
    CHECK(tk::screen::candidates_for(recipes::autotvm_rank_paper().strategy.screen, 64) == 64);
}

TEST_CASE("the diverse choice is shown twice as many candidates as it chooses")
{
    const tk::space::product space{tk::space::integers<"a">(0, 31), tk::space::integers<"b">(0, 31)};
    const auto paper = recipes::autotvm_reg_paper().strategy;
    std::vector<std::size_t> shown;
    const tk::search::model_guided strategy{
        paper.model, paper.acquire, paper.explore, noting{{}, &shown}, {.round = 16}};
    std::vector<tk::measure::recorded_row> table(space.size());
    for (std::size_t i = 0; i < table.size(); ++i) table[i].result.cost = 1e-3 * static_cast<double>(1 + i % 37);
    double now = 0;
    tk::measure::replay measure(table, tk::measure::virtual_clock(now));
    tk::random::philox gen(1);
    CHECK(tk::tune(space, measure, strategy, {.trials = 48}, gen).trials().size() == 48);
    CHECK(shown == std::vector<std::size_t>{32, 32});
}

TEST_CASE(
    "adatune_paper: jackknife, expected improvement, the contextual share on top of the diverse choice, the evaluator")
{
    const auto adatune = recipes::adatune_paper();
    static_assert(same<decltype(adatune.strategy.model), tk::surrogate::random_forest>);
    static_assert(same<decltype(adatune.strategy.acquire), tk::acquisition::expected_improvement>);
    static_assert(same<decltype(adatune.strategy.explore),
                       tk::explore::contextual<tk::screen::screened<tk::explore::annealing, tk::screen::diversity>>>);
    static_assert(same<decltype(adatune.strategy.screen), tk::screen::keep_best>);
    CHECK(adatune.strategy.model.sd == tk::surrogate::forest_sd::jackknife);
    CHECK(adatune.strategy.model.bootstrap);
    CHECK(adatune.strategy.model.max_features == 10);
    check_annealing(adatune.strategy.explore.inner.search);
    CHECK(tk::screen::candidates_for(adatune.strategy.explore.inner.rule, 64) == 128);
    CHECK_FALSE(adatune.strategy.explore.stochastic_rounding);
    check_rounds(adatune.strategy.options);
    CHECK(adatune.repetition == tk::measure::until_stable::paper());
    CHECK(adatune.repetition.max_runs == 500);
    CHECK(adatune.repetition.batch == 50);
    static_assert(same<decltype(adatune.schedule), tk::schedule::sequential>);
}

namespace {

/// Scores fall with the distance from 0 on a line; the model's sd is a quarter of the best score everywhere.
struct unsure {
    [[nodiscard]] double best() const { return 1; }
    void score(std::span<const tk::index> in, std::span<double> out) const
    {
        for (std::size_t i = 0; i < in.size(); ++i) out[i] = -1e-4 * static_cast<double>(in[i]);
    }
    void predict(std::span<const tk::index> in, std::span<tk::stats::prediction> out) const
    {
        for (std::size_t i = 0; i < in.size(); ++i) out[i] = {-1e-4 * static_cast<double>(in[i]), 0.25};
    }
};

}  // namespace

TEST_CASE("of a round of adatune_paper the contextual share is random, whatever the diverse choice thinks of it")
{
    const tk::space::product space{tk::space::integers<"a">(0, 63), tk::space::integers<"b">(0, 63)};
    const auto contextual = recipes::adatune_paper().strategy.explore;
    std::size_t worst_half = 0;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        tk::random::philox gen(seed), again(seed);
        auto state = contextual.start(space), alone = contextual.inner.start(space);
        const auto round = contextual.explore(state, space, unsure{}, {}, 64, gen);
        const auto diverse = contextual.inner.explore(alone, space, unsure{}, {}, 64, again);
        REQUIRE(round.size() == 64);
        REQUIRE(diverse.size() == 64);
        tk::space::index_set seen;
        for (const auto& c : round) CHECK(seen.insert(c.candidate));
        // 48 = (1 - 0.25) 64 are the first of the diverse choice, as that chose them; 16 are random.
        CHECK(std::equal(round.begin(), round.begin() + 48, diverse.begin()));
        for (std::size_t i = 48; i < 64; ++i) worst_half += round[i].candidate >= space.size() / 2;
    }
    // Of 128 uniform draws about half lie in the worse half: outside 36 to 92 with probability below 1e-6. The search has none there.
    CHECK(worst_half >= 36);
    CHECK(worst_half <= 92);
}

TEST_CASE("AdaTune's evaluator runs in a replay: 150 runs a configuration of which 20 were recorded, all charged")
{
    const tk::space::product space{tk::space::integers<"a">(0, 15), tk::space::integers<"b">(0, 15)};
    std::vector<tk::measure::recorded_row> table(space.size());
    for (std::size_t i = 0; i < table.size(); ++i) {
        auto& m = table[i].result;
        m.cost = 1e-3 * static_cast<double>(1 + i % 17);
        for (int k = 0; k < 20; ++k) m.batches.push_back(m.cost * (1 + 0.01 * k));
    }
    const auto adatune = recipes::adatune();
    double now = 0;
    tk::measure::noisy_replay measure(table, tk::measure::virtual_clock(now), adatune.repetition, 7);
    tk::random::philox gen(1);
    const auto found = tk::tune(space, measure, adatune, {.trials = 24}, gen);
    double charged = 0;
    for (const auto& t : found.trials()) {
        CHECK(t.measured.runs == 150);
        CHECK(t.measured.cost != table[static_cast<std::size_t>(t.candidate)].result.cost);
        for (const double mean : t.measured.batches) charged += 50 * mean;
    }
    CHECK(found.trials().size() == 24);
    CHECK(now == doctest::Approx(charged));
}

TEST_CASE("all Chameleon recipes have squared error, rewards by score, table 9 of the paper, and the centroid")
{
    const auto whole = recipes::chameleon();
    static_assert(same<decltype(whole.strategy.explore), tk::explore::policy_gradient>);
    static_assert(same<decltype(whole.strategy.screen), tk::screen::epsilon_greedy<tk::screen::adaptive_sampling>>);
    static_assert(same<decltype(whole.strategy.acquire), tk::acquisition::mean>);
    for (const auto& trees : {recipes::chameleon_sa().strategy.model, recipes::chameleon_ae().strategy.model,
                              recipes::chameleon_sa_as().strategy.model, whole.strategy.model})
        check_trees(trees, tk::surrogate::boosted_loss::squared);
    check_rounds(whole.strategy.options);
    check_annealing(recipes::chameleon_sa_as().strategy.explore);
    const auto& policy = whole.strategy.explore;
    CHECK(policy.learning_rate == 1e-3);
    CHECK(policy.discount == 0.9);
    CHECK(policy.lambda == 0.99);
    CHECK(policy.epochs == 3);
    CHECK(policy.clip == 0.3);
    CHECK(policy.value_weight == 1);
    CHECK(policy.entropy_weight == 0.1);
    CHECK(policy.reward == tk::explore::reward_of::score);
    for (const auto& sampling : {recipes::chameleon_sa_as().strategy.screen.inner, whole.strategy.screen.inner}) {
        CHECK(sampling.represented_by == tk::screen::representative::rounded_mean);
        CHECK(sampling.size.first == 8);
        CHECK(sampling.size.last == 64);
        CHECK(sampling.size.factor == 2.5);
    }
}

TEST_CASE("Chameleon's adaptive sampling synthesises configurations")
{
    const tk::space::product space{tk::space::integers<"a">(0, 15), tk::space::integers<"b">(0, 15),
                                   tk::space::integers<"c">(0, 7)};
    std::size_t synthesised = 0, chosen = 0;
    const auto paper = recipes::chameleon_sa_as().strategy;
    const tk::search::model_guided watched{
        paper.model, paper.acquire, paper.explore,
        tk::screen::epsilon_greedy{counting{paper.screen.inner, &synthesised, &chosen}, paper.screen.options},
        paper.options};
    std::vector<tk::measure::recorded_row> table(space.size());
    for (std::size_t i = 0; i < table.size(); ++i) {
        const auto x = static_cast<double>(i % 16), y = static_cast<double>(i / 16 % 16),
                   z = static_cast<double>(i / 256);
        table[i].result.cost = 1e-3 * (1 + (x - 5) * (x - 5) + 2 * (y - 9) * (y - 9) + 3 * (z - 2) * (z - 2));
    }
    double now = 0;
    tk::measure::replay measure(table, tk::measure::virtual_clock(now));
    tk::random::philox gen(3);
    const auto found = tk::tune(space, measure, watched, {.trials = 256}, gen);
    CHECK(found.trials().size() == 256);
    CHECK(chosen > 64);
    CHECK(synthesised > 0);
    CHECK(synthesised < chosen);
}
