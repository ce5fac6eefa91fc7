// SPDX-License-Identifier: MIT

// Turns recorded results into a header that chooses a kernel for every shape, as a step of a build.
//
//     make_header RESULTS HEADER NAME KERNELS

#include <cstdio>
#include <cstdlib>
#include <exception>

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
    try {
        const auto chosen = dispatch::fit(dispatch::read_results(argv[1]),
                                          {.max_kernels = static_cast<std::size_t>(std::atoi(argv[4]))});
        dispatch::write_header(argv[2], chosen, {.name = argv[3]});
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 2;
    }
}
