// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every header of surrogate/ that needs no more than tunekit does.

#include "tunekit/surrogate/a_recall.hpp"
#include "tunekit/surrogate/binned.hpp"
#include "tunekit/surrogate/boosted_ensemble.hpp"
#include "tunekit/surrogate/boosted_growth.hpp"
#include "tunekit/surrogate/boosted_loss.hpp"
#include "tunekit/surrogate/boosted_trees.hpp"
#include "tunekit/surrogate/boosted_walk.hpp"
#include "tunekit/surrogate/concepts.hpp"
#include "tunekit/surrogate/drawn_rows.hpp"
#include "tunekit/surrogate/forest_growth.hpp"
#include "tunekit/surrogate/forest_pack.hpp"
#include "tunekit/surrogate/forest_walk.hpp"
#include "tunekit/surrogate/grown_tree.hpp"
#include "tunekit/surrogate/jackknife.hpp"
#include "tunekit/surrogate/lanes.hpp"
#include "tunekit/surrogate/newton_search.hpp"
#include "tunekit/surrogate/packed_targets.hpp"
#include "tunekit/surrogate/random_forest.hpp"
#include "tunekit/surrogate/split_search.hpp"
#include "tunekit/surrogate/spread.hpp"
#include "tunekit/surrogate/transfer.hpp"
