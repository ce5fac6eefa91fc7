// SPDX-License-Identifier: MIT

// Writes a search strategy of your own: two functions over a state.
//
// This one measures a random configuration, then walks to any neighbour that is better. After `patience` failures in a row it
// starts again elsewhere.

#include <cstdio>
#include <span>
#include <vector>

#include "tunekit/measure/function.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/space/unvisited.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

struct wanderer {
    int patience = 12;

    struct state {
        tk::space::unvisited rest;
        tk::index here = 0;
        double cost = tk::forever;
        int disappointments = 0;
    };

    template <class Space>
    state start(const Space&) const
    {
        return {};
    }

    template <class Space, tk::generator G>
    std::vector<tk::index> propose(state& s, const Space& space, std::size_t, G& gen) const
    {
        if (s.disappointments >= patience) s.cost = tk::forever;
        if (s.cost < tk::forever) {
            tk::index next = s.here;
            space.neighbours({&s.here, 1}, {&next, 1}, tk::space::neighbourhood::adjacent, gen);
            if (s.rest.take(next)) return {next};
        }
        if (const auto i = s.rest.draw(space, gen)) return {*i};
        return {};
    }

    template <class Space, tk::generator G>
    void observe(state& s, const Space&, std::span<const tk::index> batch,
                 std::span<const tk::measure::measurement> measured, G&) const
    {
        ++s.disappointments;
        if (!measured[0].ok() || measured[0].cost >= s.cost) return;
        s.here = batch[0];
        s.cost = measured[0].cost;
        s.disappointments = 0;
    }
};

int main()
{
    const tk::space::product space{tk::space::integers<"x">(0, 99), tk::space::integers<"y">(0, 99)};
    static_assert(tk::search::strategy<wanderer, decltype(space), tk::random::philox>);

    const auto cost = [](const auto& p) {  // a formula instead of a kernel
        const double x = tk::get<"x">(p) - 37, y = tk::get<"y">(p) - 71;
        return 1e-3 * (1 + x * x + y * y);
    };
    tk::measure::function bowl{space, cost};
    tk::random::philox gen(1);
    const auto found = tk::tune(space, bowl, wanderer{}, {.trials = 400}, gen);
    const auto best = space.at(found.incumbent().candidate);
    std::printf("best of %zu: x = %d, y = %d, cost %g ms\n", found.trials().size(), tk::get<"x">(best),
                tk::get<"y">(best), 1e3 * found.best_cost());
    return found.best_cost() < 0.1 ? 0 : 1;
}
