// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of random/ that needs no more than tunekit does.

#include "tunekit/random/choice.hpp"
#include "tunekit/random/fill.hpp"
#include "tunekit/random/generator.hpp"
#include "tunekit/random/normal.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
