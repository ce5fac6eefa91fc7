// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Advice on pages of memory.

#include "tunekit/processes/detail/system/memory.hpp"

namespace tunekit::system {

/// Asks for pages of 2 MiB for memory at a multiple of that. It is advice: nothing depends on it.
using detail::prefer_large_pages;

}  // namespace tunekit::system
