// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Tuning inside a running application, call by call. For who cannot stop to tune.

#include "tunekit/online/context.hpp"
#include "tunekit/online/kept.hpp"
#include "tunekit/online/options.hpp"
#include "tunekit/online/outcome.hpp"
#include "tunekit/online/pinned.hpp"
#include "tunekit/online/registry.hpp"
#include "tunekit/online/status.hpp"
#include "tunekit/online/widening.hpp"
#include "tunekit/online/winners_file.hpp"
