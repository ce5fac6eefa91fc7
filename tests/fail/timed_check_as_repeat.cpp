// expect: argument 2 \(repeat\)
// first lines: timed, argument 2 \(repeat\) is not a repetition policy
// SPDX-License-Identifier: MIT
#include "tunekit/measure/timed.hpp"

namespace measure = tunekit::measure;

int main()
{
    measure::timed how{[](int) {}, [] { return true; }};
}
