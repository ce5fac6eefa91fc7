// expect: the predicate does not take the values of these parameters
// first lines: the predicate does not take the values of these parameters
// SPDX-License-Identifier: MIT
#include "tunekit/space/product.hpp"

int main()
{
    const tunekit::space::product space{
        tunekit::space::parameter<"mr">({1, 2}),
        tunekit::space::parameter<"nv">({1, 2}),
        tunekit::space::where<"mr", "nv">([](int mr) { return mr < 2; }),
    };
}
