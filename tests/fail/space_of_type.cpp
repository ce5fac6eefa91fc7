// expect: tunekit: of: the value has another type
// SPDX-License-Identifier: MIT
// first error: tunekit: of: the value has another type
// first lines: takes<.*named
#include "tunekit/space/product.hpp"

namespace tk = tunekit;

const tk::space::product tiles{tk::space::integers<"rows">(1, 9), tk::space::integers<"columns">(1, 9)};

void mistake() { (void)tiles.of(tk::value<"rows">("three"), tk::value<"columns">(3)); }
