// expect: argument 4 \(now\)
// first lines: timed, argument 4 \(now\) is not a clock: double operator\(\)\(\) is missing or returns another type
// SPDX-License-Identifier: MIT
#include "tunekit/measure/timed.hpp"

namespace measure = tunekit::measure;

int main()
{
    measure::timed how{[](int) {}, measure::until_confident{}, measure::no_check{}, [] { return 1; }};
}
