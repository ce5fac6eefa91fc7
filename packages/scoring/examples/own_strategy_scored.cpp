// SPDX-License-Identifier: MIT

// Scores a search strategy of your own beside two of ours, on the recorded spaces that come with tunekit.
//
// `main` is all that scoring takes.

#include <cstddef>
#include <cstdio>
#include <limits>
#include <span>
#include <vector>

#include "tunekit/processes/files/text.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/scoring/page.hpp"
#include "tunekit/scoring/read_recordings.hpp"
#include "tunekit/scoring/score.hpp"
#include "tunekit/scoring/text.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/unvisited.hpp"

namespace tk = tunekit;

/// Every other configuration is a neighbour of the best one so far, the rest are random.
struct half_greedy {
    struct state {
        tk::space::unvisited rest;
        tk::index best = 0;
        double cost = std::numeric_limits<double>::infinity();
    };

    template <class Space>
    state start(const Space&) const
    {
        return {};
    }

    template <class Space, tk::generator G>
    std::vector<tk::index> propose(state& s, const Space& space, std::size_t, G& gen) const
    {
        if (s.cost < std::numeric_limits<double>::infinity() && tk::random::uniform_index(2, gen) == 0) {
            tk::index next = s.best;
            space.neighbours({&s.best, 1}, {&next, 1}, tk::space::neighbourhood::adjacent, gen);
            if (s.rest.take(next)) return {next};
        }
        if (const auto i = s.rest.draw(space, gen)) return {*i};
        return {};
    }

    template <class Space, tk::generator G>
    void observe(state& s, const Space&, std::span<const tk::index> batch,
                 std::span<const tk::measure::measurement> measured, G&) const
    {
        for (std::size_t k = 0; k < batch.size(); ++k)
            if (measured[k].ok() && measured[k].cost < s.cost) s.best = batch[k], s.cost = measured[k].cost;
    }
};

int main(int argc, char** argv)
{
    const auto spaces = tk::scoring::read_recordings(tk::scoring::recordings_folder(TUNEKIT_RECORDINGS));
    const auto scores = tk::scoring::score(
        {{"half greedy", half_greedy{}}, {"random", tk::search::random{}}, {"hill climb", tk::search::hill_climb{}}},
        spaces, {.repeats = 10});
    std::fputs(tk::scoring::to_text(scores).c_str(), stdout);
    if (argc > 1) tk::io::write_text(argv[1], tk::scoring::to_page(scores));
    return scores.standings[0].s.mean > scores.standings[1].s.mean ? 0 : 1;
}
