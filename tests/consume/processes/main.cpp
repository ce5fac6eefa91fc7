// SPDX-License-Identifier: MIT
// The front door: a kernel in a child process.
#include "tunekit/processes.hpp"

#include <cstddef>
#include <cstdio>
#include <vector>

#include "tunekit/space/product.hpp"
#include "tunekit/version.hpp"

namespace tk = tunekit;

int main()
{
    std::vector<float> a(1 << 16, 1.0F);
    const tk::space::product space{tk::space::powers_of_two<"step">(1, 64)};
    const auto kernel = [&](const auto& p) {
        const auto step = static_cast<std::size_t>(tk::get<"step">(p));
        for (std::size_t first = 0; first < step; ++first)
            for (std::size_t i = first; i < a.size(); i += step) a[i] *= 1.5F;
    };
    const auto found = tk::tune(space, kernel, {.trials = 5});
    std::printf("tunekit %d: %s\n", TUNEKIT_VERSION, to_text(found).c_str());
}
