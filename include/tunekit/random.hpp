// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Generators and distributions that give the same numbers on every machine. For who draws.

#include "tunekit/random/choice.hpp"
#include "tunekit/random/fill.hpp"
#include "tunekit/random/generator.hpp"
#include "tunekit/random/normal.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
