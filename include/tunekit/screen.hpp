// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Which of the explored candidates are measured: k-means, synthesis of samples. For who explores more than can be
/// measured.

#include "tunekit/screen/adaptive_sampling.hpp"
#include "tunekit/screen/concepts.hpp"
#include "tunekit/screen/diversity.hpp"
#include "tunekit/screen/epsilon_greedy.hpp"
#include "tunekit/screen/k_means.hpp"
#include "tunekit/screen/keep_best.hpp"
#include "tunekit/screen/point_rows.hpp"
#include "tunekit/screen/screened.hpp"
#include "tunekit/screen/synthesis.hpp"
