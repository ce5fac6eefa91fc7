// expect: argument 2 \(repeat\)
// first lines: timed, argument 2 \(repeat\) is not a repetition policy: measure::estimate estimate_of\(std::span<const double>\) const is missing or returns another type
// SPDX-License-Identifier: MIT
#include "tunekit/measure/timed.hpp"

#include "digits.hpp"

struct policy : sound_policy {
    [[nodiscard]] double estimate_of(std::span<const double> batches) const { return batches[0]; }
};

int main()
{
    tk::measure::timed how{[](int) {}, policy{}};
}
