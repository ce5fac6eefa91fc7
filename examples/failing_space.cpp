// SPDX-License-Identifier: MIT

// Searches a space where much fails and much costs the same, by a model and a screen of its own in `model_guided`.
//
// The directives of a loop for an FPGA, with a formula instead of a synthesis: large ones do not fit, and unrolling does
// nothing while the loop is not pipelined. The usual parts and these search it with ten seeds each.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include "tunekit/acquisition/criteria.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/measure/function.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/screen/keep_best.hpp"
#include "tunekit/search/idle_parameters.hpp"
#include "tunekit/search/model_guided.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/stats/expected_excess.hpp"
#include "tunekit/surrogate/random_forest.hpp"
#include "tunekit/surrogate/validity.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

// A model of ln(EI P): one forest knows the costs of what ran, another one what runs. The score of a failure is 0.
struct worth_if_valid {
    tk::surrogate::random_forest cost{.trees = 32};
    tk::surrogate::validity<tk::surrogate::random_forest> valid{{.trees = 32}};

    struct state {
        tk::surrogate::random_forest::state cost, valid;
    };
    state start(std::size_t columns) const { return {cost.start(columns), valid.start(columns)}; }

    template <class G>
    void fit(state& s, const tk::surrogate::features& rows, std::span<const double> scores, G& gen) const
    {
        std::vector<float> good;
        std::vector<double> logs, ran;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            ran.push_back(scores[i] > 0 ? 1 : 0);
            if (scores[i] > 0) good.insert(good.end(), rows[i].begin(), rows[i].end());
            if (scores[i] > 0) logs.push_back(std::log(scores[i]));  // 0 for the best
        }
        cost.fit(s.cost, tk::surrogate::features(good, rows.dimensions()), logs, gen);
        valid.fit(s.valid, rows, ran, gen);
    }
    void predict(const state& s, const tk::surrogate::features& rows, std::span<tk::stats::prediction> out) const
    {
        cost.predict(s.cost, rows, out);
        const auto log_chances = valid.log_chances(s.valid, rows);
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = {std::max(tk::stats::log_expected_excess(out[i], 0), -1e3) + log_chances[i], 0};
    }
};

struct results {
    std::vector<tk::index> ran;
    std::vector<double> costs;
};

// A screen: of four times as many candidates those of the highest worth that are no copies of what ran.
struct no_copies {
    const results* known;

    std::size_t candidates_for(std::size_t n) const { return 4 * n; }
    template <class Space, class G>
    std::vector<tk::index> select(const Space& space, std::span<const tk::explore::scored_candidate> candidates,
                                  const tk::space::index_set& visited, std::size_t n, G& gen) const
    {
        std::vector<tk::explore::scored_candidate> order(candidates.begin(), candidates.end());
        const tk::search::idle_parameters idle(space, known->ran, known->costs);
        for (auto& c : order) c.score += idle.log_new(space, {{c.candidate}}).front();
        std::stable_sort(order.begin(), order.end(), [](auto& a, auto& b) { return a.score > b.score; });
        return tk::screen::keep_best{}.select(space, order, visited, n, gen);
    }
};

int main()
{
    const tk::space::product space{tk::space::boolean<"pipeline">(), tk::space::powers_of_two<"unroll">(1, 64),
                                   tk::space::powers_of_two<"banks">(1, 64), tk::space::powers_of_two<"width">(1, 16),
                                   tk::space::integers<"buffers">(1, 4)};
    const auto seconds = [](const auto& p) {
        const double unroll = tk::get<"pipeline">(p) ? tk::get<"unroll">(p) : 1, banks = tk::get<"banks">(p),
                     width = tk::get<"width">(p), buffers = tk::get<"buffers">(p);
        if (unroll * width + 8 * banks * buffers > 150 || 2 * banks < unroll) return std::nan("");  // does not fit
        const double stalls = std::ceil(unroll * width / 2 / banks), deep = std::sqrt(unroll * width);
        return 1e-9 * (65536 / unroll / width * stalls + 20 * deep + 3000 / buffers + 40 * banks);
    };
    results known;
    const auto mean_best = [&](const auto& strategy) {
        double sum = 0;
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            known = {};
            const auto learn = [&](const tk::tuning& run) {
                const tk::measure::trial& t = run.trials().back();
                if (!t.measured.ok()) return;
                known.ran.push_back(t.candidate);
                known.costs.push_back(t.measured.cost);
            };
            tk::measure::function chip{space, seconds};
            tk::random::philox gen(seed);
            sum += tk::tune(space, chip, strategy, {.trials = 60}, gen, {.watch = learn}).best_cost();
        }
        return 1e5 * sum;
    };
    const tk::explore::annealing search{.chains = 32, .steps = 100};
    const tk::search::model_guided usual{tk::surrogate::random_forest{.trees = 32},
                                         tk::acquisition::expected_improvement{},
                                         search,
                                         tk::screen::keep_best{},
                                         {.first = 8, .growth = 0.1}};
    const tk::search::model_guided mine{worth_if_valid{}, tk::acquisition::mean{}, search, no_copies{&known},
                                        usual.options};
    const double before = mean_best(usual), now = mean_best(mine);
    std::printf("the best of 60: %.1f us by the usual parts, %.1f us by these\n", before, now);
    return now < before ? 0 : 1;
}
