// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Files, signals and pages, as Linux, macOS and Windows have them. For who writes a package.

#include "tunekit/processes/system/files.hpp"
#include "tunekit/processes/system/memory.hpp"
