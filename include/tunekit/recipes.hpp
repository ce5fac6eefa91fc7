// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Whole tuners as values: the recommended one, and those of the papers. For who wants results first and parts later.

#include "tunekit/recipes/adatune.hpp"
#include "tunekit/recipes/autotvm.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/recipes/dynatune.hpp"
#include "tunekit/recipes/parego.hpp"
