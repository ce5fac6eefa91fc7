// SPDX-License-Identifier: MIT

// The smallest program that tunes, for tests/machines/places.sh to compile in every place.

#include <cstdio>

#include "tunekit/measure/function.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

int main()
{
    const tk::space::product space{tk::space::integers<"x">(0, 99)};
    tk::random::philox gen(1);
    tk::measure::function measure(space, [](const auto& c) { return 1.5 + tk::get<"x">(c); });
    const auto found = tk::tune(space, measure, tk::search::annealing{}, {.trials = 100}, gen);
    std::printf("%zu trials, best %.1f\n", found.trials().size(), found.best_cost());
}
