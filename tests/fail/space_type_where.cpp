// expect: the predicate does not take the values of these parameters
// first lines: the predicate does not take the values of these parameters
// SPDX-License-Identifier: MIT
#include "tunekit/space/product.hpp"

int main()
{
    const tunekit::space::product space{
        tunekit::space::parameter<"algorithm">({"direct", "winograd"}),
        tunekit::space::where<"algorithm">([](int a) { return a == 1; }),
    };
}
