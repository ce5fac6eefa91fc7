// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What every floor stands on: errors, text and numbers, executors, vectors of one width. For who writes a part of
/// their own.

#include "tunekit/core/archetypes.hpp"
#include "tunekit/core/compiled.hpp"
#include "tunekit/core/config.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/core/executor.hpp"
#include "tunekit/core/index_table.hpp"
#include "tunekit/core/polymorphic.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/core/text_template.hpp"
