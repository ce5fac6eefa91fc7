// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of scoring/ that needs no more than tunekit::scoring does.

#include "tunekit/scoring/outcome.hpp"
#include "tunekit/scoring/page.hpp"
#include "tunekit/scoring/recording.hpp"
#include "tunekit/scoring/score.hpp"
#include "tunekit/scoring/text.hpp"
#include "tunekit/scoring/trajectory.hpp"
#include "tunekit/scoring/yardstick.hpp"
