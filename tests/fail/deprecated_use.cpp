// expect: old_name.* is deprecated: tunekit: use new_name instead \(since 0[.]3\)
// SPDX-License-Identifier: MIT
#include "tunekit/core/deprecated.hpp"

#pragma GCC diagnostic error "-Wdeprecated-declarations"

TUNEKIT_DEPRECATED("0.3", "new_name")
inline int old_name() { return 0; }

int mistake() { return old_name(); }
