// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Recorded search spaces as files: every configuration with the result and the time of its measurement. Needs zlib.

#include "tunekit/formats/read_recorded_space.hpp"
#include "tunekit/formats/replay_table.hpp"
#include "tunekit/formats/space_record.hpp"
#include "tunekit/formats/write_recorded_space.hpp"
