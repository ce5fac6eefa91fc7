// expect: argument 1 \(kernel\) does not take a configuration
// first lines: timed, argument 1 \(kernel\) does not take a configuration: write \[\]\(const auto& p\)
// SPDX-License-Identifier: MIT
#include "tunekit/processes/isolated.hpp"

#include "digits.hpp"

int main()
{
    auto m = tk::measure::isolated(digits{}, tk::measure::timed{[](const std::string&) {}});
}
