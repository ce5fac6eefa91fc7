// SPDX-License-Identifier: MIT

// A space of one's own and a kernel of one's own: the tiles of a transposition.

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
    constexpr int n = 1024;
    std::vector<float> a(n * n, 1.0F), b(n * n);
    const tk::space::product space{
        tk::space::powers_of_two<"rows">(1, 256),
        tk::space::powers_of_two<"columns">(1, 256),
        tk::space::where<"rows", "columns">([](int rows, int columns) { return rows * columns <= 8192; }),
    };
    const auto transpose = [&](const auto& p) {
        const int rows = tk::get<"rows">(p), columns = tk::get<"columns">(p);
        for (int i = 0; i < n; i += rows)
            for (int j = 0; j < n; j += columns)
                for (int x = i; x < i + rows; ++x)
                    for (int y = j; y < j + columns; ++y) b[static_cast<std::size_t>(y * n + x)] = a[static_cast<std::size_t>(x * n + y)];
    };
    auto measure = tk::measure::in_process(space, tk::measure::timed{transpose, tk::measure::until_confident{}});
    tk::random::philox gen(1);
    const auto found = tk::tune(space, measure, tk::search::annealing{}, {.trials = 48}, gen);
    const auto best = space.at(found.incumbent().candidate);
    std::printf("%zu of %llu configurations measured; the best is rows = %d, columns = %d: %.3f ms\n", found.trials().size(),
                static_cast<unsigned long long>(space.size()), tk::get<"rows">(best), tk::get<"columns">(best), 1e3 * found.best_cost());
}
