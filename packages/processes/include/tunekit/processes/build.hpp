// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Kernels that are compiled while the search goes on. For who generates or builds what is measured.

#include "tunekit/processes/build/build_cache.hpp"
#include "tunekit/processes/build/build_pool.hpp"
#include "tunekit/processes/build/builder.hpp"
#include "tunekit/processes/build/child_process.hpp"
#include "tunekit/processes/build/compiler.hpp"
#include "tunekit/processes/build/device_source.hpp"
#include "tunekit/processes/build/generated.hpp"
#include "tunekit/processes/build/generated_kernel.hpp"
#include "tunekit/processes/build/pipeline.hpp"
#include "tunekit/processes/build/source_template.hpp"
#include "tunekit/processes/build/store.hpp"
