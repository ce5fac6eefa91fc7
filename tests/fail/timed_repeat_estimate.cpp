// expect: argument 2 \(repeat\)
// first lines: timed, argument 2 \(repeat\) is no repetition policy: measure::estimate estimate_of\(std::span<const double>\) const is missing or returns another type
// SPDX-License-Identifier: MIT
#include "tunekit/measure/timed.hpp"

#include <cstdint>
#include <span>

namespace measure = tunekit::measure;

struct policy {
    [[nodiscard]] std::uint32_t next(std::span<const double> batches) const { return batches.empty() ? 1 : 0; }
    [[nodiscard]] double estimate_of(std::span<const double> batches) const { return batches[0]; }
    void validate() const {}
};

int main()
{
    measure::timed how{[](int) {}, policy{}};
}
