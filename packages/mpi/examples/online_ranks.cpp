// SPDX-License-Identifier: MIT

// Ranks that tune a kernel by its own calls, all with the same configuration at any time.
//
//     mpirun -n 4 online_ranks

#include <mpi.h>

#include <cstdio>
#include <vector>

#include "tunekit/online.hpp"
#include "tunekit/space.hpp"

namespace tk = tunekit;

namespace {

/// Each rank sends its vector to the next one in pieces of `piece` numbers and adds what it was sent: with other pieces on the
/// other side this would hang.
void exchange(std::vector<double>& mine, std::vector<double>& theirs, int piece, int rank, int ranks)
{
    const int n = static_cast<int>(mine.size()), to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    for (int i = 0; i < n; i += piece) {
        const int count = piece < n - i ? piece : n - i;
        MPI_Sendrecv(&mine[static_cast<std::size_t>(i)], count, MPI_DOUBLE, to, piece,
                     &theirs[static_cast<std::size_t>(i)], count, MPI_DOUBLE, from, piece, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = 0.5 * (mine[i] + theirs[i]);
}

int tuned(int rank, int ranks)
{
    std::vector<double> mine(2048, rank), theirs(2048);
    const tk::space::product pieces{tk::space::powers_of_two<"piece">(1, 2048)};
    const auto slowest = [](double seconds) {  // a failure is infinite, and so on all ranks
        double of_all = 0;
        MPI_Allreduce(&seconds, &of_all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        return of_all;
    };
    tk::online::registry exchanges({"exchange", "1", "any"}, pieces, pieces.at(3), {.regret = 0.2},
                                   tk::online::parts{tk::online::widening{}, slowest});
    auto& t = exchanges.at(tk::online::key(mine.size()));
    int differed = 0, others = 0;
    for (int call = 0; call < 1500; ++call)
        t.run([&](const auto& c) {
            const int piece = static_cast<int>(tk::get<"piece">(c));
            others += piece != 8;
            int least_and_most[2] = {-piece, piece};
            MPI_Allreduce(MPI_IN_PLACE, least_and_most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
            if (-least_and_most[0] != least_and_most[1]) ++differed;
            else exchange(mine, theirs, piece, rank, ranks);
        });
    const auto is = t.status();
    if (rank == 0)
        std::printf(
            "%d ranks, %llu calls, %s: %d not by the default, default %.3g us, best %.3g us, %d calls differed\n",
            ranks, static_cast<unsigned long long>(is.calls), to_text(is.phase).c_str(), others, 1e6 * is.default_cost,
            1e6 * is.cost, differed);
    return differed == 0 && others > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int status = tuned(rank, ranks);
    MPI_Finalize();
    return status;
}
