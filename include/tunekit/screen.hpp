// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every header of screen/ that needs no more than tunekit does.

#include "tunekit/screen/concepts.hpp"
#include "tunekit/screen/diversity.hpp"
#include "tunekit/screen/epsilon_greedy.hpp"
#include "tunekit/screen/keep_best.hpp"
