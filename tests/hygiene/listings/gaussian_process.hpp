// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/gaussian_process.md speak of.

#include <cstdint>
#include <vector>

#include "tests/hygiene/listings/listed.hpp"
#include "tunekit/acquisition/criteria.hpp"
#include "tunekit/explore/annealing.hpp"
#include "tunekit/screen/keep_best.hpp"
#include "tunekit/search/model_guided.hpp"
#include "tunekit/surrogate/gaussian_process.hpp"

namespace tk = tunekit;

namespace gaussian_process {

using listed::gen;

inline const std::vector<float> x(24), candidates(12);
inline const std::vector<double> scores(8);
inline std::vector<tk::stats::prediction> predicted(4);
inline const std::vector<std::uint32_t> positions{0, 2};
inline const tk::surrogate::gaussian_process model{};
inline auto state = model.start(3);

}  // namespace gaussian_process
