// expect: tunekit: model_guided, part 3: not an explore::explorer, explore\(state, space, judge, visited, n, gen\) is missing
// first lines: tunekit: model_guided, part 3: not an explore::explorer, explore\(state, space, judge, visited, n, gen\) is missing
// SPDX-License-Identifier: MIT
#include "tunekit/search/model_guided.hpp"

#include "parts.hpp"

#include "tunekit/acquisition/criteria.hpp"
#include "tunekit/screen/keep_best.hpp"
#include "tunekit/surrogate/random_forest.hpp"

struct bad {
    struct state {};
    state start(const auto& space) const;
};

void mistake()
{
    (void)tk::search::model_guided{tk::surrogate::random_forest{}, tk::acquisition::expected_improvement{}, bad{},
                                   tk::screen::keep_best{}};
}
