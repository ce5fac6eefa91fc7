// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/core.md speak of.

#include "tunekit/core/error.hpp"

namespace tk = tunekit;

namespace core {

struct settings {
    int rounds = 1;
};
inline const settings options;

}  // namespace core
