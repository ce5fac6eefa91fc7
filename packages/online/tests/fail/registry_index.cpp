// expect: tunekit: online::registry, argument 3 is an index, want a configuration
// first error: tunekit: online::registry, argument 3 is an index, want a configuration
// SPDX-License-Identifier: MIT
#include "tunekit/online/registry.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;

void mistake()
{
    const tk::space::product space{tk::space::integers<"x">(1, 9)};
    tk::online::registry dslash({"dslash", "1", "machine"}, space, 7);
}
