// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every header of measure/ that needs no more than tunekit does.

#include "tunekit/measure/archetypes.hpp"
#include "tunekit/measure/build_cache.hpp"
#include "tunekit/measure/build_pool.hpp"
#include "tunekit/measure/builder.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/compilation.hpp"
#include "tunekit/measure/compiler.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/cuda_source.hpp"
#include "tunekit/measure/each.hpp"
#include "tunekit/measure/generated.hpp"
#include "tunekit/measure/generated_kernel.hpp"
#include "tunekit/measure/guarded_buffer.hpp"
#include "tunekit/measure/in_process.hpp"
#include "tunekit/measure/isolated.hpp"
#include "tunekit/measure/process.hpp"
#include "tunekit/measure/race.hpp"
#include "tunekit/measure/repetition.hpp"
#include "tunekit/measure/replay.hpp"
#include "tunekit/measure/source_template.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/measure/until_stable.hpp"
#include "tunekit/measure/verify.hpp"
#include "tunekit/measure/virtual_clock.hpp"
#include "tunekit/measure/worker.hpp"
