// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every header of space/ that needs no more than tunekit does.

#include "tunekit/space/archetypes.hpp"
#include "tunekit/space/concepts.hpp"
#include "tunekit/space/index_set.hpp"
