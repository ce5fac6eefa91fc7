// SPDX-License-Identifier: MIT
// Calls of MPI that fail, linked in front of the MPI (its profiling interface): TUNEKIT_FAULT=KIND of one rank of MPI_COMM_WORLD.
//   send     rank 0's fifth MPI_Isend to rank 2 fails, and every later one
//   probe    rank 0's 40th MPI_Improbe that finds a message fails, and every later one
//   receive  rank 0's 40th MPI_Imrecv fails
//   answer   rank 2's fifth MPI_Isend fails, and every later one
//   late     rank 2's first MPI_Isend takes half a second more, so the rank joins when others have measured
//   vanish   from rank 2's fifth message on they vanish, as if its network were gone
//   dead     the same, and MPI tells rank 0 that the process has failed (where this MPI has the words of ULFM)
#include "tunekit/mpi/detail/mpi.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <utility>

namespace {

int rank()
{
    int out = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &out);
    return out;
}

bool wanted(std::string_view kind, int at)
{
    static const char* const what = std::getenv("TUNEKIT_FAULT");
    return what != nullptr && what == kind && rank() == at;
}

constexpr int sick = 2, after_sends = 4, after_receives = 40;
int sends = 0, receives = 0, probes = 0;

}  // namespace

extern "C" {

int MPI_Isend(const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request)
{
    if (wanted("send", 0) && to == sick && ++sends > after_sends) return MPI_ERR_OTHER;
    if (wanted("late", sick) && ++sends == 1) ::usleep(500000);
    if (wanted("answer", sick) && ++sends > after_sends) return MPI_ERR_OTHER;
    if ((wanted("vanish", sick) || wanted("dead", sick)) && ++sends > after_sends) {
        *request = MPI_REQUEST_NULL;
        return MPI_SUCCESS;
    }
    return PMPI_Isend(data, n, type, to, tag, comm, request);
}

int MPI_Improbe(int from, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status)
{
    if (wanted("probe", 0) && probes >= after_receives) return MPI_ERR_OTHER;
#if defined(MPIX_ERR_PROC_FAILED)
    static bool told = false;
    if (wanted("dead", 0) && probes >= after_receives && !std::exchange(told, true)) return MPIX_ERR_PROC_FAILED;
#endif
    const int code = PMPI_Improbe(from, tag, comm, flag, message, status);
    if (code == MPI_SUCCESS && *flag != 0) ++probes;
    return code;
}

int MPI_Imrecv(void* data, int n, MPI_Datatype type, MPI_Message* message, MPI_Request* request)
{
    if (wanted("receive", 0) && ++receives == after_receives) return MPI_ERR_OTHER;
    return PMPI_Imrecv(data, n, type, message, request);
}

#if defined(MPIX_ERR_PROC_FAILED)
int MPIX_Comm_failure_ack(MPI_Comm comm) { return wanted("dead", 0) ? MPI_SUCCESS : PMPIX_Comm_failure_ack(comm); }

int MPIX_Comm_failure_get_acked(MPI_Comm comm, MPI_Group* gone)
{
    if (!wanted("dead", 0)) return PMPIX_Comm_failure_get_acked(comm, gone);
    MPI_Group all = MPI_GROUP_NULL;
    PMPI_Comm_group(comm, &all);
    const int code = PMPI_Group_incl(all, 1, &sick, gone);
    PMPI_Group_free(&all);
    return code;
}
#endif
}
