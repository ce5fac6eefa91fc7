// expect: tunekit: of: a parameter has no value
// SPDX-License-Identifier: MIT
// first error: tunekit: of: a parameter has no value
// first lines: is_given_once<.*named
#include "tunekit/space/product.hpp"

namespace tk = tunekit;

const tk::space::product tiles{tk::space::integers<"rows">(1, 9), tk::space::integers<"columns">(1, 9)};

void mistake() { (void)tiles.of(tk::value<"rows">(3)); }
