// SPDX-License-Identifier: MIT
#include "packages/kernels/operators/convolution_layer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "tunekit/kernels/autotvm/x86.hpp"

namespace at = tunekit::kernels::autotvm;

namespace {

struct operands {
    const float *x = nullptr, *w = nullptr, *y = nullptr, *frame = nullptr;
};

operands seen;

void kernel(const float* x, const float* w, float* y, float* frame) { seen = {x, w, y, frame}; }

}  // namespace

TEST_CASE(
    "convolution_layer: under every configuration operands are packed, and begin at 64 bytes whatever the heap holds")
{
    const auto shape = tunekit::kernels::square_conv2d(6, 5, 10, 3, 1, 1);
    programs::convolution_layer layer(shape);
    const programs::convolution_data data(shape);
    auto bind = layer.bind();
    const auto space = at::conv2d_x86_template(shape).space;
    std::vector<std::unique_ptr<char[]>> heap;
    for (tunekit::index i = 0; i < space.size(); ++i) {
        const auto c = space.at(i);
        heap.push_back(std::make_unique<char[]>(16 * (1 + i % 7)));
        bind(&kernel, c)();
        for (const float* const first : {seen.x, seen.w, seen.y, seen.frame})
            CHECK(reinterpret_cast<std::uintptr_t>(first) % 64 == 0);
        const int ic = tunekit::get<"tile_ic">(c)[1], oc = tunekit::get<"tile_oc">(c)[1];
        const auto x = at::blocked(data.x, shape.batch, shape.ci, shape.height * shape.width, ic);
        const auto w = at::blocked(data.w, shape, ic, oc);
        CHECK(std::equal(x.begin(), x.end(), seen.x));
        CHECK(std::equal(w.begin(), w.end(), seen.w));
    }
}
