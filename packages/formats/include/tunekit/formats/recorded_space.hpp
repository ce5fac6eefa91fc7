// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Recorded search spaces as files: every configuration with the result and the time of its measurement. Needs zlib.

#include "tunekit/io/read_recorded_space.hpp"
#include "tunekit/io/replay_table.hpp"
#include "tunekit/io/space_record.hpp"
#include "tunekit/io/write_recorded_space.hpp"
