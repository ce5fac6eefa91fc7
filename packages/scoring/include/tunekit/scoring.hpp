// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How good a search strategy is, on recorded spaces. For who compares strategies.

#include "tunekit/scoring/outcome.hpp"
#include "tunekit/scoring/page.hpp"
#include "tunekit/scoring/recording.hpp"
#include "tunekit/scoring/score.hpp"
#include "tunekit/scoring/text.hpp"
#include "tunekit/scoring/trajectory.hpp"
#include "tunekit/scoring/yardstick.hpp"
