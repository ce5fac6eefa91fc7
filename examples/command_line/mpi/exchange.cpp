// SPDX-License-Identifier: MIT
// The time of an allreduce as a solver calls it: small ones for scalars and a large one for a gradient. Which algorithm the
// library takes, in what segments, is decided by its variables alone. See docs/command_line.md.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

namespace {

/// Seconds of one call, the lowest of three times `calls`, for the slowest rank; negative where a sum is wrong.
double allreduce(int count, int calls)
{
    int rank = 0, size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::vector<double> mine(static_cast<std::size_t>(count), rank + 1.0), sum(mine.size());
    double lowest = 0;
    for (int round = 0; round < 3; ++round) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        for (int k = 0; k < calls; ++k)
            MPI_Allreduce(mine.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        const double seconds = (MPI_Wtime() - start) / calls;
        lowest = round == 0 ? seconds : (std::min)(lowest, seconds);
    }
    const double want = size * (size + 1) / 2.0;
    const int wrong = std::all_of(sum.begin(), sum.end(), [&](double x) { return std::abs(x - want) < 1e-9; }) ? 0 : 1;
    int any_wrong = 0;
    double slowest = 0;
    MPI_Allreduce(&wrong, &any_wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&lowest, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return any_wrong != 0 ? -1 : slowest;
}

}  // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const double few = allreduce(8, 30), many = allreduce(1 << 17, 2);
    if (rank == 0)
        std::printf("few %.3f us\nmany %.3f us\nstep %.3f us\n", 1e6 * few, 1e6 * many, 1e6 * (20 * few + many));
    MPI_Finalize();
    return few > 0 && many > 0 ? 0 : 1;
}
