// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Recorded search spaces: every configuration of a space with what measuring it gave and cost, as files. Needs zlib.

#include "tunekit/io/read_recorded_space.hpp"
#include "tunekit/io/replay_table.hpp"
#include "tunekit/io/space_record.hpp"
#include "tunekit/io/write_recorded_space.hpp"
