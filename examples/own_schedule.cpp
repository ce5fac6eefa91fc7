// SPDX-License-Identifier: MIT

// Writes a schedule of your own: `select` and `update`.
//
// This one gives the next slot to the task whose last slot gained most per second, and every fifth slot to the task that has
// waited longest.

#include <cstdio>
#include <span>
#include <vector>

#include "tunekit/measure/function.hpp"
#include "tunekit/schedule/concepts.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune_tasks.hpp"

namespace tk = tunekit;

struct greedy_by_last_gain {
    struct state {
        std::vector<double> gain;      // of the last slot, model seconds per second
        std::vector<unsigned> waited;  // slots since
        std::vector<double> weights;
        unsigned slots = 0;
    };

    state start(std::span<const tk::schedule::task_view> tasks, const tk::schedule::run_shape&) const
    {
        state s{std::vector<double>(tasks.size(), tk::forever), std::vector<unsigned>(tasks.size()), {}};
        for (const auto& t : tasks) s.weights.push_back(t.weight);
        return s;
    }

    template <tk::generator G>
    std::size_t select(state& s, std::span<const tk::schedule::task_view> tasks, G&) const
    {
        const bool turn = ++s.slots % 5 == 0;
        std::size_t best = tasks.size();
        const auto worth = [&](std::size_t k) { return turn ? static_cast<double>(s.waited[k]) : s.gain[k]; };
        for (std::size_t k = 0; k < tasks.size(); ++k)
            if (tasks[k].active && (best == tasks.size() || worth(k) > worth(best))) best = k;
        return best;
    }

    void update(state& s, std::size_t k, const tk::schedule::slot& last) const
    {
        for (auto& w : s.waited) ++w;
        s.waited[k] = 0;
        s.gain[k] = s.weights[k] * (last.best_cost_before - last.best_cost_after) / (last.seconds + 1e-9);
    }
};
static_assert(tk::schedule::schedule<greedy_by_last_gain, tk::random::philox>);

int main()
{
    // Two operators that exist as formulas; each trial takes 50 ms of a clock that the measurers move.
    double now = 0;
    const tk::space::product space{tk::space::integers<"x">(0, 999)};
    const auto formula = [&](double scale) {
        const auto cost = [&now, scale](const auto& c) {
            now += 0.05;
            const double x = tk::get<"x">(c) - 420;
            return scale * (1 + x * x / 1000);
        };
        return tk::measure::function{space, cost};
    };
    auto tasks = tk::tasks(tk::task("big", space, formula(1e-2), 1e9), tk::task("small", space, formula(1e-4), 1e7, 3));
    tk::random::philox gen(1);
    const auto plan = tk::tune_tasks(tasks, tk::search::annealing{}, greedy_by_last_gain{},
                                     {.seconds = 20, .slot_seconds = 0.5}, gen, {.clock = [&] { return now; }});
    for (std::size_t k = 0; k < tasks.size(); ++k)
        std::printf("%-5s %3llu slots, best %.4f ms\n", tasks[k].name().c_str(),
                    static_cast<unsigned long long>(plan.tasks[k].slots), 1e3 * plan.tasks[k].record.best_cost());
    std::printf("model latency %.4f ms after %.0f s\n", 1e3 * tk::model_latency(tasks, plan), plan.seconds);
    return tk::model_latency(tasks, plan) < 0.02 ? 0 : 1;
}
