// expect: tunekit: not a strategy: propose\(state, space, n, gen\) is missing or not const
// SPDX-License-Identifier: MIT
// first error: tunekit: not a strategy: propose\(state, space, n, gen\) is missing or not const
// first lines: third_of_tune
#include "tunekit/tune/tune.hpp"

#include "parts.hpp"

struct bad : good_strategy {
    template <class Space, class G>
    std::vector<tk::index> propose(state&, const Space&, std::size_t, G&);
};

void mistake()
{
    tk::random::philox gen(1);
    good_measurer measure;
    (void)tk::tune(some_space, measure, bad{}, {.trials = 5}, gen);
}
