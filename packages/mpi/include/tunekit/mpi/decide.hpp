// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Decisions that all ranks share, for applications whose ranks must all use the same configuration.

#include <cmath>
#include <cstdint>
#include <limits>

#include "tunekit/core/error.hpp"
#include "tunekit/mpi/detail/mpi.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::mpi {

/// A configuration and its cost.
struct choice {
    index candidate = 0;                                    ///< its index in the space that all ranks share
    double cost = std::numeric_limits<double>::infinity();  ///< seconds; infinity: this rank has none

    friend bool operator==(const choice&, const choice&) = default;
};

/// Gives every rank the cheapest choice of all ranks; among equal ones that of the lowest rank. Collective: every rank
/// of `comm` must call it equally often, so the number of calls must follow from what all ranks know.
///
///     const auto mine = tk::tune(space, measurer, recipe, budget, gen);               // or nothing, on most ranks
///     const auto all  = tk::mpi::decide(comm, {mine.incumbent().candidate, mine.best_cost()}, space.fingerprint());
///     use(space.at(all.candidate));
///
/// `fingerprint` is that of the space. Where it differs between ranks, every rank throws tunekit::error, so that none
/// goes on with an index that means something else there. A NaN counts as infinity. Where no rank has a choice, the
/// cost of the result is infinity.
[[nodiscard]] inline choice decide(MPI_Comm comm, choice mine, std::uint64_t fingerprint)
{
    struct {
        double cost;
        int rank;
    } own{std::isnan(mine.cost) ? std::numeric_limits<double>::infinity() : mine.cost, 0}, best{};
    detail::check(MPI_Comm_rank(comm, &own.rank), "rank");
    std::uint64_t seen[2] = {fingerprint, ~fingerprint}, most[2] = {};
    detail::check(MPI_Allreduce(seen, most, 2, MPI_UINT64_T, MPI_MAX, comm), "compare spaces");
    if (most[0] != ~most[1]) throw error("mpi.decide: ranks have different spaces, want the same fingerprint on all");
    detail::check(MPI_Allreduce(&own, &best, 1, MPI_DOUBLE_INT, MPI_MINLOC, comm), "find the cheapest");
    std::uint64_t candidate = mine.candidate;
    detail::check(MPI_Bcast(&candidate, 1, MPI_UINT64_T, best.rank, comm), "tell the decision");
    return {candidate, best.cost};
}

/// The largest of all ranks' seconds. It is the time of a step in an application whose ranks wait for each other. It
/// can be the `agree` of `online::parts`. A NaN counts as infinity. Collective.
[[nodiscard]] inline double slowest(MPI_Comm comm, double seconds)
{
    double mine = std::isnan(seconds) ? std::numeric_limits<double>::infinity() : seconds, all = 0;
    detail::check(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, comm), "find the slowest");
    return all;
}

}  // namespace tunekit::mpi
