// expect: tunekit: not a strategy: the state that start\(space\) returns cannot be copied
// SPDX-License-Identifier: MIT
// first error: tunekit: not a strategy: the state that start\(space\) returns cannot be copied
// first lines: third_of_tune
#include "tunekit/tune/tune.hpp"

#include "parts.hpp"

struct bad {
    struct state {
        state(const state&) = delete;
    };
    template <class Space>
    state start(const Space&) const;
    template <class Space, class G>
    std::vector<tk::index> propose(state&, const Space&, std::size_t, G&) const;
    template <class Space, class G>
    void observe(state&, const Space&, batch, answers, G&) const;
};

void mistake()
{
    tk::random::philox gen(1);
    good_measurer measure;
    (void)tk::tune(some_space, measure, bad{}, {.trials = 5}, gen);
}
