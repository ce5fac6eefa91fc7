// SPDX-License-Identifier: MIT

// Tunes on several devices, one a rank, in an application that begins MPI itself.
//
// Each rank sees one device: the entry of CUDA_VISIBLE_DEVICES with its number on the machine. Ranks with one kind of
// device are one run, so kinds never mix their times. The kernel is a stand-in that sleeps: it needs no device.
//
//     mpirun -n 4 device_ranks              # one run on four devices
//     mpirun -n 4 device_ranks fast slow    # kinds in turn: two runs at once

#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/mpi/pool.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/parameter.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

namespace {

auto threads_and_tiles()
{
    return tk::space::product{tk::space::powers_of_two<"threads">(32, 1024), tk::space::powers_of_two<"tile">(1, 32)};
}

/// The device of a rank: the entry with this number of CUDA_VISIBLE_DEVICES, which a batch system may have set for the
/// whole machine or for this rank alone; the number itself where nothing is set.
std::string device_of(std::size_t local_rank)
{
    const char* const set = std::getenv("CUDA_VISIBLE_DEVICES");
    std::vector<std::string> all;
    std::istringstream list(set == nullptr ? "" : set);
    for (std::string one; std::getline(list, one, ',');) all.push_back(one);
    return all.empty() ? std::to_string(local_rank) : all[local_rank % all.size()];
}

/// A stand-in for a launch. A real one builds its device's context here, in the worker, and not before.
template <class Config>
void launch(const Config& c, bool slow)
{
    const int threads = tk::get<"threads">(c), tile = tk::get<"tile">(c);
    ::usleep(static_cast<useconds_t>((slow ? 300 : 100) + 2 * std::abs(threads - 256) + 10 * std::abs(tile - 8)));
}

void report(const tk::tuning& found, const tk::mpi::pool& pool, const std::string& kind)
{
    const auto best = threads_and_tiles().at(found.incumbent().candidate);
    std::printf("%s: %zu trials, %.0f us with %d threads and tiles of %d\n", kind.c_str(), found.trials().size(),
                1e6 * found.best_cost(), static_cast<int>(tk::get<"threads">(best)),
                static_cast<int>(tk::get<"tile">(best)));
    for (const auto& m : pool.members())
        std::printf("%s: device %u of %s, %llu answers%s%s\n", kind.c_str(), m.who.local_rank, m.who.host.c_str(),
                    static_cast<unsigned long long>(m.answered), m.why.empty() ? "" : ", ", m.why.c_str());
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv)
{
    // First of all: what is forked here sees this device alone, and so do CUDA and MPI, which begin later.
    const std::size_t k = tk::mpi::launched().value_or(tk::mpi::place{}).local_rank;
    ::setenv("CUDA_VISIBLE_DEVICES", device_of(k).c_str(), 1);
    const std::string kind = argc > 1 ? argv[1 + k % static_cast<std::size_t>(argc - 1)] : "device";
    const auto make = [&](std::size_t) {
        const tk::measure::timed how{[slow = kind == "slow"](const auto& c) { launch(c, slow); },
                                     tk::measure::fixed{.runs = 3}};
        return tk::measure::worker_task{threads_and_tiles(), how};
    };
    // Rank 0 measures as well: its own work does not disturb a device.
    auto ready = tk::mpi::prepare(make, {.device = kind, .head_measures = true});

    MPI_Init(&argc, &argv);  // the application's own
    try {
        if (auto lead = tk::mpi::serve(std::move(ready), MPI_COMM_WORLD)) {  // the first rank of each kind
            tk::mpi::pool pool(*lead, {tk::measure::identity_of(threads_and_tiles())});
            tk::random::philox gen(1);
            report(tk::tune(threads_and_tiles(), pool, tk::search::random{}, {.trials = 36}, gen), pool, kind);
            if (lead->finish(0) != 0) throw tk::error(lead->absent());
        }
    } catch (const std::exception& e) {  // without that rank, what is collective would wait for ever
        std::fprintf(stderr, "device_ranks: %s\n", e.what());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    int mine = 1, all = 0, rank = 0;  // and here is every rank again
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::printf("%d ranks go on\n", all);
    MPI_Finalize();
    return 0;
}
