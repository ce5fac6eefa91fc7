// SPDX-License-Identifier: MIT

// Turns recorded results into a header that chooses a kernel for every shape, as a step of a build.
//
//     make_header RESULTS HEADER NAME KERNELS

#include <charconv>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <string_view>

#include "tunekit/dispatch/fit.hpp"
#include "tunekit/dispatch/header.hpp"
#include "tunekit/dispatch/results_file.hpp"

namespace dispatch = tunekit::dispatch;

int main(int argc, char** argv)
{
    if (argc != 5) {
        std::fprintf(stderr, "usage: make_header RESULTS HEADER NAME KERNELS\n");
        return 2;
    }
    const std::string_view number = argv[4];
    std::size_t kernels = 0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), kernels);
    if (read.ec != std::errc{} || read.ptr != number.data() + number.size() || kernels == 0) {
        std::fprintf(stderr, "make_header: KERNELS is %s, want a whole number >= 1\n", argv[4]);
        return 2;
    }
    try {
        const auto chosen = dispatch::fit(dispatch::read_results(argv[1]), {.max_kernels = kernels});
        dispatch::write_header(argv[2], chosen, {.name = argv[3]});
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 2;
    }
}
