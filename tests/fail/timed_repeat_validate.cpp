// expect: argument 2 \(repeat\)
// first lines: timed, argument 2 \(repeat\) is not a repetition policy: void validate\(\) const is missing
// SPDX-License-Identifier: MIT
#include "tunekit/measure/timed.hpp"

#include "digits.hpp"

struct policy : sound_policy {
    void validate() const = delete;
};

int main()
{
    tk::measure::timed how{[](int) {}, policy{}};
}
