// expect: error: .*(cannot convert|no viable conversion|invalid conversion)
// SPDX-License-Identifier: MIT
#include "tunekit/space/product.hpp"

int main()
{
    const tunekit::space::product space{tunekit::space::parameter<"algorithm">({"direct", "winograd"})};
    const auto c = space.at(0);
    const int algorithm = tunekit::get<"algorithm">(c);
    return algorithm;
}
