// expect: no parameter of this name
// first lines: no parameter of this name
// SPDX-License-Identifier: MIT
#include "tunekit/space/product.hpp"

int main()
{
    const tunekit::space::product space{
        tunekit::space::parameter<"mr">({1, 2}),
        tunekit::space::where<"mr", "nv">([](int mr, int nv) { return mr < nv; }),
    };
}
