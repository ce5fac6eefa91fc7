// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The rank of this process, from its launcher's variables, before MPI has begun.

#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string>

namespace tunekit::mpi {

/// A rank among all and among those on its machine.
struct place {
    std::size_t rank = 0, ranks = 1;  ///< the number of this rank, and how many there are
    /// The number of this rank on its machine: each number below `local_ranks` occurs once. The launcher chooses the
    /// order. That of Open MPI 5 follows the processors that it binds to, so that rank 2 may have local rank 1.
    std::size_t local_rank = 0;
    std::size_t local_ranks = 1;  ///< the number of ranks on this machine; 1 where the launcher does not tell
    bool local_known = true;      ///< whether the launcher told the local rank; otherwise `local_rank` is 0

    friend bool operator==(const place&, const place&) = default;
};

namespace detail {

/// The value of the first of these variables whose value is a number.
[[nodiscard]] inline std::optional<std::size_t> first_number(std::initializer_list<const char*> names)
{
    for (const char* const name : names) {
        const char* const text = std::getenv(name);
        if (text == nullptr || *text < '0' || *text > '9') continue;
        char* end = nullptr;
        const unsigned long n = std::strtoul(text, &end, 10);
        if (*end == 0) return n;
    }
    return std::nullopt;
}

/// The number of tasks that Slurm has on machine `node`, from its list: "8(x3),4" means 8 on each of the first three
/// machines, then 4.
[[nodiscard]] inline std::optional<std::size_t> tasks_on(const std::string& list, std::size_t node)
{
    const char* at = list.c_str();
    for (std::size_t first = 0; *at >= '0' && *at <= '9';) {
        char* end = nullptr;
        const unsigned long tasks = std::strtoul(at, &end, 10);
        unsigned long machines = 1;
        if (end[0] == '(' && end[1] == 'x') {
            machines = std::strtoul(end + 2, &end, 10);
            if (*end++ != ')') return std::nullopt;
        }
        first += machines;
        if (node < first) return tasks;
        at = *end == ',' ? end + 1 : end;
    }
    return std::nullopt;
}

}  // namespace detail

/// Reads the place from the variables of the launcher. Those of an MPI come before those of a batch system, because the
/// processes of an `mpirun` inherit the latter. It knows Open MPI (OMPI_COMM_WORLD_...), MPICH's Hydra (PMI_RANK,
/// MPI_LOCALRANKID), MVAPICH (MV2_COMM_WORLD_...), PALS (PALS_RANKID, PALS_LOCAL_RANKID), Flux (FLUX_TASK_RANK,
/// FLUX_TASK_LOCAL_ID) and Slurm (SLURM_PROCID, SLURM_LOCALID). None where the rank or the number of ranks is not set.
/// Code that chooses a device by the node-local rank, or builds a measurer, needs the place before MPI_Init.
[[nodiscard]] inline std::optional<place> launched()
{
    using detail::first_number;
    const auto rank = first_number(
        {"OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "PMI_RANK", "PALS_RANKID", "FLUX_TASK_RANK", "SLURM_PROCID"});
    const auto ranks = first_number(
        {"OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "PMI_SIZE", "FLUX_JOB_SIZE", "SLURM_STEP_NUM_TASKS"});
    if (!rank || !ranks) return std::nullopt;
    const auto local = first_number({"OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                     "PALS_LOCAL_RANKID", "FLUX_TASK_LOCAL_ID", "SLURM_LOCALID"});
    auto locals = first_number({"OMPI_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"});
    if (const char* const list = std::getenv("SLURM_STEP_TASKS_PER_NODE"); !locals && list != nullptr)
        if (const auto node = first_number({"SLURM_NODEID"})) locals = detail::tasks_on(list, *node);
    return place{*rank, *ranks, local.value_or(0), locals.value_or(1), local.has_value()};
}

}  // namespace tunekit::mpi
