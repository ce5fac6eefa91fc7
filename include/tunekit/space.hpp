// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of space/ that needs no more than tunekit does.

#include "tunekit/space/any_space.hpp"
#include "tunekit/space/archetypes.hpp"
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
