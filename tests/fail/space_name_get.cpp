// expect: no parameter of this name
// first lines: no parameter of this name
// SPDX-License-Identifier: MIT
#include "tunekit/space/product.hpp"

int main()
{
    const tunekit::space::product space{tunekit::space::parameter<"mr">({1, 2})};
    const auto c = space.at(0);
    return sizeof(tunekit::get<"mrr">(c)) == 1;
}
