// SPDX-License-Identifier: MIT
// What needs MPI: the place of this process in a job, and a call of the MPI that was linked.
#include <cstdio>

#include "tunekit/mpi/pool.hpp"
#include "tunekit/version.hpp"

int main()
{
    int version = 0, subversion = 0;
    if (MPI_Get_version(&version, &subversion) != MPI_SUCCESS || version < 3) return 1;
    std::printf("tunekit %d, MPI %d.%d, %s\n", TUNEKIT_VERSION, version, subversion,
                tunekit::mpi::launched() ? "in a job" : "alone");
}
