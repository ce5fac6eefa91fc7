// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of online/ that needs no more than tunekit::online does.

#include "tunekit/online/context.hpp"
#include "tunekit/online/kept.hpp"
#include "tunekit/online/options.hpp"
#include "tunekit/online/outcome.hpp"
#include "tunekit/online/registry.hpp"
#include "tunekit/online/status.hpp"
#include "tunekit/online/widening.hpp"
#include "tunekit/online/winners_file.hpp"
