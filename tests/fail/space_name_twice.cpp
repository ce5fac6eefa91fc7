// expect: two parameters have one name
// first lines: two parameters have one name
// SPDX-License-Identifier: MIT
#include "tunekit/space/product.hpp"

int main()
{
    const tunekit::space::product space{tunekit::space::parameter<"mr">({1, 2}), tunekit::space::boolean<"mr">()};
}
