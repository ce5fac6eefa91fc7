// expect: tunekit: not a strategy: propose\(state, space, n, gen\) does not return std::vector<tunekit::index>
// SPDX-License-Identifier: MIT
// first error: tunekit: not a strategy: propose\(state, space, n, gen\) does not return std::vector<tunekit::index>
// first lines: third_of_tune
#include "tunekit/tune/tune.hpp"

#include "parts.hpp"

struct bad : good_strategy {
    template <class Space, class G>
    std::vector<int> propose(state&, const Space&, std::size_t, G&) const;
};

void mistake()
{
    tk::random::philox gen(1);
    good_measurer measure;
    (void)tk::tune(some_space, measure, bad{}, {.trials = 5}, gen);
}
