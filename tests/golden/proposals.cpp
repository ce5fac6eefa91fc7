// SPDX-License-Identifier: MIT

// Prints what every strategy proposes, on a space and with costs of its own: built by several compilers at several levels of
// optimisation, its output must not differ by a byte.

#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "tools/support/names.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/schedule/round_robin.hpp"
#include "tunekit/search/any_strategy.hpp"
#include "tunekit/space/permutation.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/space/split.hpp"
#include "tunekit/tune/tune_tasks.hpp"

namespace tk = tunekit;

namespace {

/// A cost of a configuration by integer arithmetic alone; one in eight fails.
struct arithmetic {
    tk::space::any_space space;
    double* now;

    std::vector<tk::measure::measurement> measure(std::span<const tk::index> batch, const tk::measure::limits&)
    {
        const std::size_t d = space.dimensions();
        std::vector<std::uint16_t> rows(batch.size() * d);
        space.ordinals(batch, rows);
        std::vector<tk::measure::measurement> out;
        for (std::size_t i = 0; i < batch.size(); ++i) {
            std::uint64_t sum = 1000;
            for (std::size_t j = 0; j < d; ++j) {
                const std::uint64_t x = rows[i * d + j];
                sum += (j + 2) * x * x + 97 * ((x * (j + 3)) % 5);
            }
            tk::measure::measurement m{.cost = static_cast<double>(sum) / 1048576, .runs = 1};
            if (sum % 8 == 0) m.failed = tk::measure::failure{};
            out.push_back(m);
            *now += 0.125;
        }
        return out;
    }
};

}  // namespace

int main()
{
    const tk::space::product space{
        tk::space::parameter<"mr">({1, 2, 4, 6, 8, 14}),
        tk::space::parameter<"nv">({1, 2, 3, 4}),
        tk::space::powers_of_two<"kc">(16, 2048),
        tk::space::split<"tile">(224, 3),
        tk::space::permutation<"order">({0, 1, 2}),
        tk::space::where<"mr", "nv">([](int mr, int nv) { return mr * nv + nv + 1 <= 34; }),
    };
    auto by_name = programs::strategies();
    auto plain = tk::recipes::combined().strategy;  // as it was before failures were information
    plain.options.failing_share = std::numeric_limits<double>::infinity();
    by_name.push_back({"combined, failures as costs", tk::search::any_strategy(plain)});
    for (const auto& [name, strategy] : by_name) {
        // Strategies that search a model every few trials show in 24 trials of each task what others show in 80.
        const bool often = (name.starts_with("autotvm") || name.starts_with("adatune")) && !name.ends_with("-paper") &&
                           name != "autotvm-genetic";
        double now = 0;
        std::vector<tk::task> tasks;
        tasks.emplace_back("first", space, arithmetic{space, &now}, 1.0, 1.0);
        tasks.emplace_back("second", space, arithmetic{space, &now}, 1.0, 1.0);
        tk::random::philox gen(2026);
        const auto plan =
            tk::tune_tasks(tasks, strategy, tk::schedule::round_robin{},
                           {.seconds = often ? 6.0 : 20.0, .slot_seconds = 3}, gen, {.clock = [&] { return now; }});
        for (std::size_t k = 0; k < tasks.size(); ++k) {
            std::printf("%s %s", name.c_str(), tasks[k].name().c_str());
            for (const auto& t : plan.tasks[k].record.trials())
                std::printf(" %llu", static_cast<unsigned long long>(t.candidate));
            std::printf("\n");
        }
    }
}
