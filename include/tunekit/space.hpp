// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every header of space/ that needs no more than tunekit does.

#include "tunekit/space/any_space.hpp"
#include "tunekit/space/archetypes.hpp"
#include "tunekit/space/axis.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/condition.hpp"
#include "tunekit/space/dynamic_product.hpp"
#include "tunekit/space/expression.hpp"
#include "tunekit/space/expression_parser.hpp"
#include "tunekit/space/expression_tree.hpp"
#include "tunekit/space/grid.hpp"
#include "tunekit/space/index_set.hpp"
#include "tunekit/space/interned.hpp"
#include "tunekit/space/least_crowded.hpp"
#include "tunekit/space/level_plan.hpp"
#include "tunekit/space/moves.hpp"
#include "tunekit/space/name.hpp"
#include "tunekit/space/number.hpp"
#include "tunekit/space/numbering.hpp"
#include "tunekit/space/parameter.hpp"
#include "tunekit/space/permutation.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/space/split.hpp"
#include "tunekit/space/text.hpp"
#include "tunekit/space/tree.hpp"
#include "tunekit/space/tree_builder.hpp"
#include "tunekit/space/unvisited.hpp"
#include "tunekit/space/value_list.hpp"
#include "tunekit/space/where.hpp"
