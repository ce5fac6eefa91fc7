// expect: argument 1 \(kernel\) does not take a configuration
// first lines: timed, argument 1 \(kernel\) does not take a configuration: write \[\]\(const auto& p\)
// SPDX-License-Identifier: MIT
#include "tunekit/processes/isolated.hpp"

#include "tunekit/measure/timed.hpp"
#include "tunekit/space/product.hpp"

int main()
{
    namespace tk = tunekit;
    const auto s = tk::space::product{tk::space::powers_of_two<"tile">(1, 64)};
    auto m = tk::measure::isolated(s, tk::measure::timed{[](const std::string&) {}});
}
