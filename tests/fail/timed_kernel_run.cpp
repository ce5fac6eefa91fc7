// expect: argument 1 \(kernel\) returns something else
// first lines: timed, argument 1 \(kernel\) returns something else .* that returns nothing or
// SPDX-License-Identifier: MIT
#include "tunekit/measure/in_process.hpp"

#include "digits.hpp"

int main()
{
    auto m = tk::measure::in_process(digits{}, tk::measure::timed{[](int) { return [] { return true; }; }});
}
