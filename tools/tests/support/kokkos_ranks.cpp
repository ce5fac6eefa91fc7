// SPDX-License-Identifier: MIT

// A host that is no Kokkos, on each rank of an MPI program: one kernel with eight tiles, of which 16 is the fastest.
//
//     mpirun -n 4 kokkos_ranks libtunekit_kokkos.so CALLS

#include <dlfcn.h>
#include <mpi.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tools/kokkos_tuner/kokkos_tools.hpp"
#include "tools/tests/support/kokkos_variables.hpp"

namespace {

void* library = nullptr;

template <class F>
F* named(const char* name)
{
    return reinterpret_cast<F*>(dlsym(library, name));
}
#define TOOL(name) named<decltype(name)>(#name)

void works(double us)
{
    using clock = std::chrono::steady_clock;
    for (const auto began = clock::now(); std::chrono::duration<double, std::micro>(clock::now() - began).count() < us;)
        continue;
}

}  // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    library = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : nullptr;
    if (library == nullptr) return MPI_Abort(MPI_COMM_WORLD, 2);
    TOOL(kokkosp_init_library)(0, 20240906, 0, nullptr);
    std::vector<std::int64_t> tiles{1, 2, 4, 8, 16, 32, 64, 128};
    kt_variable tile = support::one_of(tiles), kernel = support::told(kt_string);
    TOOL(kokkosp_declare_output_type)("tile", 1, &tile);
    TOOL(kokkosp_declare_input_type)("kernel", 2, &kernel);
    const int calls = std::atoi(argv[2]);
    int fastest = 0;
    for (int k = 0; k < calls; ++k) {
        TOOL(kokkosp_begin_context)(7);
        kt_variable_value in{.id = 2, .value = {}, .declared = &kernel}, out{.id = 1, .value = {}, .declared = &tile};
        std::strcpy(in.value.string_value, "stencil");
        out.value.int_value = 1;
        TOOL(kokkosp_request_values)(7, 1, &in, 1, &out);
        fastest += out.value.int_value == 16;
        works(5 * (1 + 0.4 * std::abs(std::log2(static_cast<double>(out.value.int_value)) - 4)));
        TOOL(kokkosp_end_context)(7, {});
        if (k % (calls / 10) == 0) MPI_Barrier(MPI_COMM_WORLD);
    }
    TOOL(kokkosp_finalize_library)();
    std::printf("rank %d: %d of %d calls with the fastest\n", rank, fastest, calls);
    std::fflush(stdout);
    MPI_Finalize();
}
