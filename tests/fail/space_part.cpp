// expect: a part is neither a parameter nor a constraint
// first lines: a part is neither a parameter nor a constraint
// SPDX-License-Identifier: MIT
#include "tunekit/space/product.hpp"

int main() { const tunekit::space::product space{tunekit::space::parameter<"mr">({1, 2}), 7}; }
