// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every public header of study/ that needs no more than tunekit does.

#include "tunekit/study/outcome.hpp"
#include "tunekit/study/page.hpp"
#include "tunekit/study/recording.hpp"
#include "tunekit/study/score.hpp"
#include "tunekit/study/text.hpp"
#include "tunekit/study/trajectory.hpp"
#include "tunekit/study/yardstick.hpp"
