// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The rank of this process, from its launcher's variables, before MPI has begun.

#include <cstddef>
#include <cstdlib>
#include <optional>

namespace tunekit::mpi {

/// A rank among all and among those on its machine.
struct place {
    std::size_t rank = 0, ranks = 1;
    std::size_t local_rank = 0, local_ranks = 1;

    friend bool operator==(const place&, const place&) = default;
};

/// Reads the place from the launcher's variables: those of Open MPI (OMPI_COMM_WORLD_...), of MPICH's Hydra (PMI_RANK,
/// MPI_LOCALRANKID) or of Slurm (SLURM_PROCID, SLURM_LOCALID); none where there are no such variables. Code that
/// chooses a device by the node-local rank, or builds a measurer, needs it before MPI_Init.
[[nodiscard]] inline std::optional<place> launched()
{
    const auto number = [](const char* name) -> std::optional<std::size_t> {
        const char* const text = std::getenv(name);
        if (text == nullptr || *text == 0) return std::nullopt;
        char* end = nullptr;
        const unsigned long n = std::strtoul(text, &end, 10);
        if (*end != 0) return std::nullopt;
        return n;
    };
    struct names {
        const char *rank, *ranks, *local_rank, *local_ranks;
    };
    constexpr names known[] = {
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
        {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
        {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_NTASKS_PER_NODE"}};
    for (const names& n : known)
        if (const auto rank = number(n.rank), ranks = number(n.ranks); rank && ranks)
            return place{*rank, *ranks, number(n.local_rank).value_or(0), number(n.local_ranks).value_or(1)};
    return std::nullopt;
}

}  // namespace tunekit::mpi
