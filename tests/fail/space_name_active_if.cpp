// expect: no parameter of this name
// first lines: no parameter of this name
// SPDX-License-Identifier: MIT
#include "tunekit/space/product.hpp"

int main()
{
    const tunekit::space::product space{
        tunekit::space::parameter<"algorithm">({1, 2}),
        tunekit::space::active_if<"tile", "algorithm">([](int a) { return a == 1; }),
    };
}
