// expect: tunekit: of: no parameter of this name
// SPDX-License-Identifier: MIT
// first error: tunekit: of: no parameter of this name
// first lines: is_of_the_space<.*(colums|99, *.?o.?.?, *108|named_value)
#include "tunekit/space/product.hpp"

namespace tk = tunekit;

const tk::space::product tiles{tk::space::integers<"rows">(1, 9), tk::space::integers<"columns">(1, 9)};

void mistake() { (void)tiles.of(tk::value<"rows">(3), tk::value<"columns">(3), tk::value<"colums">(3)); }
