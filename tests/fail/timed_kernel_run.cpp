// expect: argument 1 \(kernel\) returns something else
// first lines: timed, argument 1 \(kernel\) returns something else .* that returns nothing or
// SPDX-License-Identifier: MIT
#include "tunekit/measure/in_process.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace tk = tunekit;

struct digits {
    using config = int;
    [[nodiscard]] config at(tk::index i) const { return static_cast<int>(i); }
    [[nodiscard]] std::optional<tk::index> index_of(const config& c) const { return static_cast<tk::index>(c); }
};

int main()
{
    auto m = tk::measure::in_process(digits{}, tk::measure::timed{[](int) { return [] { return true; }; }});
}
