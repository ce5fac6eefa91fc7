// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The version of tunekit, as the file VERSION has it.

#define TUNEKIT_VERSION_MAJOR 0
#define TUNEKIT_VERSION_MINOR 2
#define TUNEKIT_VERSION_PATCH 0

/// major * 10000 + minor * 100 + patch
#define TUNEKIT_VERSION (TUNEKIT_VERSION_MAJOR * 10000 + TUNEKIT_VERSION_MINOR * 100 + TUNEKIT_VERSION_PATCH)
