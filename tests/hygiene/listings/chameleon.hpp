// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/chameleon.md speak of.

#include <span>

#include "tests/hygiene/listings/listed.hpp"
#include "tunekit/explore/policy_gradient.hpp"
#include "tunekit/space/index_set.hpp"

namespace tk = tunekit;

namespace chameleon {

using listed::gen, listed::space;

struct judge_of_scores {
    void score(std::span<const tk::index>, std::span<double>) const {}
    void predict(std::span<const tk::index>, std::span<tk::stats::prediction>) const {}
    double best() const { return 0; }
};
inline const judge_of_scores judge;
inline const tk::space::index_set visited;

}  // namespace chameleon
