// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Text files, logs and sealed lines, written so that a full disk or a signal loses nothing. For who keeps results.

#include "tunekit/processes/files/log_file.hpp"
#include "tunekit/processes/files/problem.hpp"
#include "tunekit/processes/files/regular_file.hpp"
#include "tunekit/processes/files/sealed_file.hpp"
#include "tunekit/processes/files/text.hpp"
