// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#include "support.hpp"
#include "tunekit/kernels/conv2d/choice.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

namespace {

std::size_t allocations = 0;  // of this program so far; the tests of a floor run one after another

void* counted(std::size_t bytes, std::size_t alignment)
{
    ++allocations;
    void* const p = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (p == nullptr) throw std::bad_alloc();
    return p;
}

constexpr conv2d_shape shape = small_shape;

/// Allocations of the second run of kernels made from random points of a space.
template <class Kernel, class Space, class ConfigOf>
std::size_t allocations_of_runs(const Space& space, const ConfigOf& config_of)
{
    tk::random::philox gen(61);
    const auto w = uniform_floats(shape.weights(), gen);
    std::size_t n = 0;
    for (const tk::index i : space.sample(60, gen)) {
        Kernel kernel(shape, config_of(space.at(i)), test_table(), w);
        std::vector<float> x(kernel.input_size()), y(kernel.output_size());
        const std::size_t before = allocations;
        kernel.run(x.data(), y.data());
        n += allocations - before;
    }
    return n;
}

}  // namespace

// Not inlined: g++ 12 would warn that memory of operator new ends in free.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return counted(bytes, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment)
{
    return counted(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

TEST_CASE("allocations are counted")
{
    const std::size_t before = allocations;
    const std::vector<float> some(10);
    const buffer more(10);
    asm volatile("" : : "g"(some.data()), "g"(more.data()) : "memory");  // else a compiler may leave them out
    CHECK(allocations == before + 2);
}

TEST_CASE("a run of a convolution allocates nothing, whatever its algorithm, layouts and configuration")
{
    CHECK(allocations_of_runs<any_conv2d_kernel>(any_conv2d_space(shape, test_table()),
                                                 [](const auto& c) { return config_of<any_conv2d_config>(c); }) == 0);
    CHECK(allocations_of_runs<any_nchw_kernel>(any_nchw_space(shape, test_table()),
                                               [](const auto& c) { return config_of<any_nchw_config>(c); }) == 0);
}
