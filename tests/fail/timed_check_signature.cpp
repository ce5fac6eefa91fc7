// expect: argument 3 \(check\) is called
// first lines: timed, argument 3 \(check\) is called with the configuration or with nothing
// SPDX-License-Identifier: MIT
#include "tunekit/measure/in_process.hpp"

#include "digits.hpp"

int main()
{
    auto m = tk::measure::in_process(
        digits{}, tk::measure::timed{[](int) {}, tk::measure::until_confident{}, [](int, int) { return true; }});
}
