// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of recipes/ that needs no more than tunekit does.

#include "tunekit/recipes/adatune.hpp"
#include "tunekit/recipes/any_recipe.hpp"
#include "tunekit/recipes/autotvm.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/recipes/dynatune.hpp"
#include "tunekit/recipes/parego.hpp"
