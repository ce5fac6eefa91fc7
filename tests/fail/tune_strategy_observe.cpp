// expect: tunekit: not a strategy: observe\(state, space, batch, measured, gen\) is missing
// SPDX-License-Identifier: MIT
// first error: tunekit: not a strategy: observe\(state, space, batch, measured, gen\) is missing
// first lines: third_of_tune
#include "tunekit/tune/tune.hpp"

#include "parts.hpp"

struct bad {  // as good_strategy, without observe
    using state = good_strategy::state;
    template <class Space>
    state start(const Space&) const;
    template <class Space, class G>
    std::vector<tk::index> propose(state&, const Space&, std::size_t, G&) const;
};

void mistake()
{
    tk::random::philox gen(1);
    good_measurer measure;
    (void)tk::tune(some_space, measure, bad{}, {.trials = 5}, gen);
}
