// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Other tools' files: recorded spaces, Kernel Tuner's T4 and caches, CSV. For who comes from them.

#include "tunekit/formats/csv.hpp"
#include "tunekit/formats/from_t4.hpp"
#include "tunekit/formats/listed.hpp"
#include "tunekit/formats/read_recorded_space.hpp"
#include "tunekit/formats/recorded_space.hpp"
#include "tunekit/formats/replay_table.hpp"
#include "tunekit/formats/space_file.hpp"
#include "tunekit/formats/space_record.hpp"
#include "tunekit/formats/t4.hpp"
#include "tunekit/formats/write_recorded_space.hpp"
