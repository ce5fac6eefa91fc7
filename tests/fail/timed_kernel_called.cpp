// expect: argument 1 \(kernel\) does not take a configuration
// first lines: timed, argument 1 \(kernel\) does not take a configuration: write \[\]\(const auto& p\)
// SPDX-License-Identifier: MIT
#include "tunekit/measure/timed.hpp"

#include <string>

namespace measure = tunekit::measure;

struct tile {};

int main()
{
    measure::timed how{[](const std::string&) {}};
    return how(tile{}, {}).ok() ? 0 : 1;
}
