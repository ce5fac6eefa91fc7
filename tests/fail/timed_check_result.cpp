// expect: argument 3 \(check\) returns neither
// first lines: timed, argument 3 \(check\) returns neither bool nor text
// SPDX-License-Identifier: MIT
#include "tunekit/measure/in_process.hpp"

#include "digits.hpp"

int main()
{
    auto m = tk::measure::in_process(digits{},
                                     tk::measure::timed{[](int) {}, tk::measure::until_confident{}, [] { return 1; }});
}
