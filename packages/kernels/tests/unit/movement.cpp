// SPDX-License-Identifier: MIT
#include "tunekit/kernels/detail/movement.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "support.hpp"
#include "tunekit/kernels/make_table.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

namespace {

/// Movements of machines with 4, 8 and 16 lanes, whatever this one has: the compiler splits the longer vectors.
constexpr detail::movement movements[] = {detail::movement_of<detail::machine{.lanes = 4}>,
                                          detail::movement_of<detail::machine{.lanes = 8}>,
                                          detail::movement_of<detail::machine{.lanes = 16}>};

/// Numbered from 1 beside a page without access.
void number(const guarded& floats)
{
    float next = 1;
    for (float& f : floats.span()) f = next++;
}

}  // namespace

TEST_CASE("a transposition of 2 x 3, by hand")
{
    const std::vector<float> from{1, 2, 3, 4, 5, 6};
    for (const auto& m : movements) {
        std::vector<float> to(6);
        m.transpose(from.data(), 3, to.data(), 2, 2, 3);
        CHECK(to == std::vector<float>{1, 4, 2, 5, 3, 6});
    }
}

TEST_CASE("transpositions of every size up to 37 put every float in its place and touch no others")
{
    for (const auto& m : movements) {
        for (int rows = 1; rows <= 37; rows += rows < 18 ? 1 : 5) {
            for (int columns = 1; columns <= 37; ++columns) {
                // Rows of the source 2 floats apart, those of the target 3, which keep their value.
                const auto n = [](int i) { return static_cast<std::size_t>(i); };
                const guard side = columns % 2 == 0 ? guard::behind : guard::before;
                const guarded from(n(rows * (columns + 2) - 2), side), to(n(columns * (rows + 3) - 3), side);
                number(from);
                to.fill(0);
                m.transpose(from.data(), columns + 2, to.data(), rows + 3, rows, columns);
                int wrong = 0;
                for (int c = 0; c < columns; ++c) {
                    for (int r = 0; r < rows + 3; ++r) {
                        if (c == columns - 1 && r >= rows) break;
                        const float want = r < rows ? from.data()[r * (columns + 2) + c] : 0.0F;
                        wrong += to.data()[c * (rows + 3) + r] != want;
                    }
                }
                CAPTURE(rows);
                CAPTURE(columns);
                CHECK(wrong == 0);
            }
        }
    }
}

TEST_CASE("every stride of every length is gathered, and no float beside the last one is touched")
{
    for (const auto& m : movements) {
        for (const int stride : {1, 2, 3}) {
            for (int n = 1; n <= 70; ++n) {
                const int rows = 3, width = (n - 1) * stride + 1;
                const auto size = [](int i) { return static_cast<std::size_t>(i); };
                const guard side = n % 2 == 0 ? guard::behind : guard::before;
                const guarded from(size(rows * width), side), to(size(rows * n), side);
                number(from);
                to.fill(0);
                m.gather(from.data(), width, stride, to.data(), n, rows, n);
                int wrong = 0;
                for (int r = 0; r < rows; ++r) {
                    for (int j = 0; j < n; ++j) wrong += to.data()[r * n + j] != from.data()[r * width + j * stride];
                }
                CAPTURE(stride);
                CAPTURE(n);
                CHECK(wrong == 0);
            }
        }
    }
}

TEST_CASE("copies are filled up with zeros")
{
    for (const auto& m : movements) {
        for (int columns = 1; columns <= 40; ++columns) {
            const auto n = static_cast<std::size_t>(columns);
            const guarded from(2 * n), to(2 * n + 10);
            number(from);
            to.fill(7);
            m.copy(from.data(), columns, to.data(), columns + 5, 2, columns, columns + 5);
            int wrong = 0;
            for (int r = 0; r < 2; ++r) {
                for (int c = 0; c < columns + 5; ++c) {
                    wrong += to.data()[r * (columns + 5) + c] != (c < columns ? from.data()[r * columns + c] : 0.0F);
                }
            }
            CHECK(wrong == 0);
        }
    }
}
