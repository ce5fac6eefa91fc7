// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Files, signals, pages and terminals, as Linux, macOS and Windows have them. For who writes a package.

#include "tunekit/processes/system/files.hpp"
#include "tunekit/processes/system/memory.hpp"
#include "tunekit/processes/system/own_files.hpp"
#include "tunekit/processes/system/terminal.hpp"
