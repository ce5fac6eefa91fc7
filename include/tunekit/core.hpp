// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of core/ that needs no more than tunekit does.

#include "tunekit/core/archetypes.hpp"
#include "tunekit/core/compiled.hpp"
#include "tunekit/core/config.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/executor.hpp"
#include "tunekit/core/index_table.hpp"
#include "tunekit/core/lanes.hpp"
#include "tunekit/core/machine.hpp"
#include "tunekit/core/names.hpp"
#include "tunekit/core/polymorphic.hpp"
#include "tunekit/core/state_of.hpp"
#include "tunekit/core/text.hpp"
