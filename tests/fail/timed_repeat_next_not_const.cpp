// expect: argument 2 \(repeat\)
// first lines: timed, argument 2 \(repeat\) is not a repetition policy: std::uint32_t next\(std::span<const double>\) const is missing
// SPDX-License-Identifier: MIT
#include "tunekit/measure/timed.hpp"

#include "digits.hpp"

struct policy : sound_policy {
    [[nodiscard]] std::uint32_t next(std::span<const double> batches) { return batches.empty() ? 1 : 0; }
};

int main()
{
    tk::measure::timed how{[](int) {}, policy{}};
}
