// SPDX-License-Identifier: MIT

// Tunes the blocks of a transposition by its own calls, and keeps the winner in tuned.txt.

#include <cstddef>
#include <cstdio>
#include <vector>

#include "tunekit/online.hpp"
#include "tunekit/processes/machine.hpp"
#include "tunekit/space.hpp"

namespace tk = tunekit;

int main()
{
    constexpr std::size_t n = 128;
    std::vector<double> a(n * n, 1.0), b(n * n);
    const tk::space::product blocks{tk::space::powers_of_two<"rows">(1, 64), tk::space::powers_of_two<"cols">(1, 64)};
    const auto untuned = blocks.of(tk::value<"rows">(1), tk::value<"cols">(1));
    tk::online::registry transposes({"transpose", "1", to_text(tk::this_machine())}, blocks, untuned);
    tk::online::kept file(transposes, "tuned.txt");

    auto& transpose = transposes.at(tk::online::key(n));
    for (int step = 0; step < 40000; ++step) {
        transpose.run([&](const auto& block) {
            const auto rows = static_cast<std::size_t>(tk::get<"rows">(block));
            const auto cols = static_cast<std::size_t>(tk::get<"cols">(block));
            for (std::size_t i = 0; i < n; i += rows)
                for (std::size_t j = 0; j < n; j += cols)
                    for (std::size_t k = i; k < i + rows; ++k)
                        for (std::size_t l = j; l < j + cols; ++l) b[l * n + k] = a[k * n + l];
        });
        file.step();
    }

    const auto is = transpose.status();
    const auto best = blocks.at(is.best);
    std::printf("%s: rows %d, cols %d take %.1f us, the default %.1f us\n", to_text(is.phase).c_str(),
                tk::get<"rows">(best), tk::get<"cols">(best), 1e6 * is.cost, 1e6 * is.default_cost);
}
