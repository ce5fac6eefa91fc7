// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every header of acquisition/ that needs no more than tunekit does.

#include "tunekit/acquisition/concepts.hpp"
