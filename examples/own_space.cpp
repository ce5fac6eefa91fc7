// SPDX-License-Identifier: MIT

// Tunes a kernel of your own over a space of your own: the tiles of a transposition.

#include <cstdio>
#include <vector>
#include "tunekit/measure.hpp"
#include "tunekit/random.hpp"
#include "tunekit/search.hpp"
#include "tunekit/space.hpp"
#include "tunekit/tune.hpp"
namespace tk = tunekit;
int main()
{
    constexpr std::size_t n = 1024;
    std::vector<float> a(n * n, 1.0F), b(n * n);
    const tk::space::product space{
        tk::space::powers_of_two<"rows", std::size_t>(1, 256), tk::space::powers_of_two<"columns", std::size_t>(1, 256),
        tk::space::where<"rows", "columns">([](auto rows, auto columns) { return rows * columns <= 8192; })};
    const auto transpose = [&](const auto& p) {
        const std::size_t rows = tk::get<"rows">(p), columns = tk::get<"columns">(p);
        for (std::size_t i = 0; i < n; i += rows)
            for (std::size_t j = 0; j < n; j += columns)
                for (std::size_t x = i; x < i + rows; ++x)
                    for (std::size_t y = j; y < j + columns; ++y) b[y * n + x] = a[x * n + y];
    };
    tk::random::philox gen(1);
    const auto found = tk::tune(
        space,
        tk::measure::in_process(space, tk::measure::timed{transpose, tk::measure::until_confident{.max_runs = 50}}),
        tk::search::annealing{}, {.trials = 48}, gen);
    const auto best = found.best();
    std::printf("best of %zu trials: %zu x %zu, %.3f ms\n", found.trials().size(), tk::get<"rows">(best),
                tk::get<"columns">(best), 1e3 * found.best_cost());
}
