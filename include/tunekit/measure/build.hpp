// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of measure/build/ that needs no more than tunekit does.

#include "tunekit/measure/build/build_cache.hpp"
#include "tunekit/measure/build/build_pool.hpp"
#include "tunekit/measure/build/builder.hpp"
#include "tunekit/measure/build/child_process.hpp"
#include "tunekit/measure/build/compiler.hpp"
#include "tunekit/measure/build/device_source.hpp"
#include "tunekit/measure/build/generated.hpp"
#include "tunekit/measure/build/generated_kernel.hpp"
#include "tunekit/measure/build/pipeline.hpp"
#include "tunekit/measure/build/source_template.hpp"
#include "tunekit/measure/build/store.hpp"
