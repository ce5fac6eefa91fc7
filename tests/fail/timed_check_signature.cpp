// expect: argument 3 \(check\) is called
// first lines: timed, argument 3 \(check\) is called with the configuration or with nothing
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
    auto m = tk::measure::in_process(
        digits{}, tk::measure::timed{[](int) {}, tk::measure::until_confident{}, [](int, int) { return true; }});
}
