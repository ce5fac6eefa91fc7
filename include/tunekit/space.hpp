// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What can be chosen: parameters, their values, and the restrictions between them. For who describes a search space.

#include "tunekit/space/any_space.hpp"
#include "tunekit/space/carried.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/index_set.hpp"
#include "tunekit/space/parameter.hpp"
#include "tunekit/space/permutation.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/space/split.hpp"
#include "tunekit/space/text.hpp"
#include "tunekit/space/unvisited.hpp"
#include "tunekit/space/value.hpp"
