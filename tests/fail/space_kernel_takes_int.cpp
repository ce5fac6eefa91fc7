// expect: error: .*(cannot convert|no viable conversion|invalid conversion|no known conversion|no matching function)
// first lines: (cannot convert|no viable conversion|invalid conversion|no matching function)
// SPDX-License-Identifier: MIT
// A configuration is no number: its values are read by name.
#include "tunekit/space/product.hpp"

void run(int mr);

int main()
{
    const tunekit::space::product space{tunekit::space::parameter<"mr">({1, 2})};
    run(space.at(0));
}
