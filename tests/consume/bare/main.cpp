// SPDX-License-Identifier: MIT
// What needs nothing but a compiler: two tasks, tuned by `combined` in slots that `dynatune` gives.
#include <cstdio>
#include <span>
#include <vector>

#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/recipes/dynatune.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune_tasks.hpp"
#include "tunekit/version.hpp"

namespace tk = tunekit;

struct formula {
    double scale;
    std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&) const
    {
        std::vector<tk::measure::measurement> out;
        for (const auto i : batch) {
            const double x = static_cast<double>(i) - 420;
            out.push_back({.cost = scale * (1 + x * x / 1000), .runs = 1, .run_seconds = 0.05});
        }
        return out;
    }
};

int main()
{
    const tk::space::product space{tk::space::integers<"x">(0, 999)};
    auto tasks = tk::tasks(tk::task("big", space, formula{1e-2}, 1e9), tk::task("small", space, formula{1e-4}, 1e7, 3));
    tk::random::philox gen(1);
    const auto plan = tk::tune_tasks(tasks, tk::recipes::combined(), {.seconds = 0.5}, gen);
    std::printf("tunekit %d: %.4f ms, %.5f ms\n", TUNEKIT_VERSION, 1e3 * plan.tasks[0].record.best_cost(),
                1e3 * plan.tasks[1].record.best_cost());
}
