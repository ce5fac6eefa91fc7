// expect: tunekit: reports bad arguments by exceptions
// first lines: tunekit: reports bad arguments by exceptions
// SPDX-License-Identifier: MIT
#undef __cpp_exceptions
#include "tunekit/core/config.hpp"
