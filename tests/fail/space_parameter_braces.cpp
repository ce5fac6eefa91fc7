// expect: tunekit: parameter<name>\(1, 2, 3\): want the values in braces: \(\{1, 2, 3\}\)
// first error: tunekit: parameter<name>\(1, 2, 3\): want the values in braces: \(\{1, 2, 3\}\)
// SPDX-License-Identifier: MIT
#include "tunekit/space/product.hpp"

int main()
{
    const tunekit::space::product space{tunekit::space::parameter<"mr">(1, 2, 3)};
    return static_cast<int>(space.size());
}
