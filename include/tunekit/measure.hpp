// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How a configuration gets its cost: clocks, repetition, checks, races and replays, all within this process. For who
/// measures.

#include "tunekit/measure/any_repetition.hpp"
#include "tunekit/measure/batches.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/fastest_quarter.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/function.hpp"
#include "tunekit/measure/in_process.hpp"
#include "tunekit/measure/jobs.hpp"
#include "tunekit/measure/keep.hpp"
#include "tunekit/measure/measurement.hpp"
#include "tunekit/measure/over.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/measure/replay.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/timed_options.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/measure/until_stable.hpp"
#include "tunekit/measure/verify.hpp"
