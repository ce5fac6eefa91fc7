// SPDX-License-Identifier: MIT

// Begins with what was measured before: a second device, a second size, a second week.

#include <cmath>
#include <cstdio>
#include <string>
#include "tunekit/measure/function.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/records/read_experience.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune.hpp"
namespace tk = tunekit;

/// Computed, so that the output is the same everywhere: seconds of a tiled product of n x n on a device with so much cache and so many lanes, by a simple model.
struct simulated {
    double cache, lanes, n;

    template <class Config>
    double operator()(const Config& c) const
    {
        const double rows = tk::get<"rows">(c), columns = tk::get<"columns">(c), depth = tk::get<"depth">(c);
        const double unroll = tk::get<"unroll">(c), bytes = 4 * (rows * columns + depth * (rows + columns));
        const double fits = 1 + std::pow(bytes / cache, 2),
                     fills = 1 + std::pow(std::log2(columns / (2 * lanes)), 2) / 4;
        const double overhead = 1 + 8 / depth + 16 / rows + std::pow(std::log2(unroll / 4), 2) / 8,
                     rest = std::fmod(n, rows) / n;
        return 1e-12 * n * n * n / lanes * fits * fills * overhead * (1 + rest);
    }
};

/// The trials until a cost within 5 % of the best that any run here found.
template <class Found>
void tell(const char* what, const Found& found, double best)
{
    std::size_t k = 0;
    while (k < found.trials().size() && !(found.trials()[k].measured.cost <= 1.05 * best)) ++k;
    std::printf("%-36s %6.3f ms, within 5 %% of the best after %zu\n", what, 1e3 * found.best_cost(), k + 1);
}

int main()
{
    using namespace tk::space;
    const product space{powers_of_two<"rows">(1, 512), powers_of_two<"columns">(1, 512), powers_of_two<"depth">(1, 512),
                        integers<"unroll">(1, 16)};
    const product other_space{integers<"rows">(8, 384, 8), integers<"columns">(8, 384, 8), integers<"depth">(8, 384, 8),
                              integers<"unroll">(1, 8)};
    tk::random::philox gen(1);
    const auto run = [&](const auto& in, const simulated& kernel, const tk::experience& past) {
        return tk::tune(in, tk::measure::function{in, kernel}, tk::recipes::combined(past), {.trials = 100}, gen);
    };

    // two devices were tuned before
    tk::experience past;
    past.add(space, run(space, {.cache = 32e3, .lanes = 8, .n = 1000}, {}), "small device");
    past.add(space, run(space, {.cache = 512e3, .lanes = 16, .n = 1000}, {}), "large device");

    // a second device
    const simulated device{.cache = 128e3, .lanes = 16, .n = 1000};
    const auto cold = run(space, device, {}), warm = run(space, device, past);
    double best = std::fmin(cold.best_cost(), warm.best_cost());
    tell("another device, cold", cold, best);
    tell("another device, with experience", warm, best);

    // a second size, whose space has other values
    const simulated size{.cache = 128e3, .lanes = 16, .n = 3000};
    const auto cold_size = run(other_space, size, {}), warm_size = run(other_space, size, past);
    best = std::fmin(cold_size.best_cost(), warm_size.best_cost());
    tell("another size, cold", cold_size, best);
    tell("another size, with experience", warm_size, best);

    // a second week: what was found this week is kept in a file
    past.add(space, warm, "third device", "its key");
    tk::io::write_experience("kept.experience", past);
    const tk::experience next_week = tk::io::experience_in({"kept.experience", "missing.jsonl"});
    std::remove("kept.experience");
    for (const std::string& line : next_week.notes) std::printf("%s\n", line.c_str());
    const auto again = run(space, {.cache = 140e3, .lanes = 16, .n = 1100}, next_week);
    std::printf("next week: %zu sources, %zu results; %s\n", next_week.sources.size(), next_week.size(),
                tk::to_text(again).c_str());
}
