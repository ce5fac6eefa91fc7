// SPDX-License-Identifier: MIT
// What a pool over MPI promises when ranks fail, as a program under mpirun: scenarios SCENARIO [LOG [TRIALS]]. Costs are made up
// and the same everywhere, so results are known.
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <csignal>
#include <exception>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tunekit/measure/function.hpp"
#include "tunekit/mpi/decide.hpp"
#include "tunekit/mpi/pool.hpp"
#include "tunekit/processes/stop_on_signal.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/parameter.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
namespace mpi = tk::mpi;

namespace {

constexpr std::uint64_t trials_of_a_run = 120;

auto space_of_all()
{
    return tk::space::product{tk::space::powers_of_two<"a">(1, 64), tk::space::powers_of_two<"b">(1, 64),
                              tk::space::powers_of_two<"c">(1, 64)};
}

template <class Config>
double cost_of(const Config& c)
{
    const double a = std::abs(tk::get<"a">(c) - 8.0), b = std::abs(tk::get<"b">(c) - 16.0),
                 d = std::abs(tk::get<"c">(c) - 4.0);
    return 1e-3 * (1 + a + b + d);
}

template <class Config>
tk::measure::measurement measured(const Config& c, bool large)
{
    tk::measure::measurement m;
    m.cost = cost_of(c);
    m.runs = 1;
    m.run_seconds = m.cost;
    if (large) m.batches.assign(65536, m.cost);
    return m;
}

/// What happens to one rank, once. A process beside the rank does it, when a candidate of the rank asks for it in memory that
/// they share: signals must come from outside, and a stopped rank must be continued.
class fault {
public:
    fault(const std::string& scenario, std::size_t rank) : scenario_(scenario), rank_(rank)
    {
        const bool stops = scenario == "stop" || scenario == "long_stop" || scenario == "for_good";
        if (rank_ != 2 || (scenario != "kill" && !stops)) return;
        const pid_t pid = ::getpid();
        if (::fork() != 0) return;
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (seen_.data()[0] < 3 && ::getppid() == pid) ::usleep(1000);
        ::kill(pid, scenario == "kill" ? SIGKILL : SIGSTOP);
        if (scenario == "for_good") ::_exit(0);
        ::usleep(scenario == "stop" ? 2000000 : 6000000);
        ::kill(pid, SIGCONT);
        ::_exit(0);
    }

    [[nodiscard]] const tk::measure::guarded_buffer<int>& seen() const { return seen_; }
    void candidate()
    {
        ++seen_.data()[0];
        const bool sick = (scenario_.starts_with("crash") && rank_ == 2) || (scenario_ == "three" && rank_ > 0) ||
                          scenario_.starts_with("all");
        if (sick) ::raise(SIGSEGV);
        while (scenario_ == "hang" && rank_ == 2) ::usleep(1000);
        if (scenario_ != "equal") ::usleep(scenario_ == "slow" && rank_ == 2 ? 200000 : 20000);
    }

private:
    std::string scenario_;
    std::size_t rank_;
    tk::measure::guarded_buffer<int> seen_{1};  ///< candidates
};

/// Numbers are by node-local rank, which need not be in the order of the workers.
int report(const tk::tuning& found, const mpi::pool& pool)
{
    auto members = pool.members();
    std::stable_sort(members.begin(), members.end(),
                     [](const auto& a, const auto& b) { return a.who.local_rank < b.who.local_rank; });
    std::printf("trials %zu failed %llu best %.4f late %llu by", found.trials().size(),
                static_cast<unsigned long long>(found.failed()), found.best_cost(),
                static_cast<unsigned long long>(pool.late()));
    for (const auto& m : members) std::printf(" %llu", static_cast<unsigned long long>(m.answered));
    std::printf(" lost");
    for (const auto& m : members) std::printf(" %llu", static_cast<unsigned long long>(m.lost));
    std::printf("\n");
    for (const std::size_t w : pool.left()) {
        const auto& m = pool.members()[w];
        std::printf("left: %llu on %s %s\n", static_cast<unsigned long long>(m.who.local_rank), m.who.host.c_str(),
                    m.why.c_str());
    }
    for (const auto& m : members)
        if (m.at == mpi::member::state::silent)
            std::printf("silent: %llu on %s %s\n", static_cast<unsigned long long>(m.who.local_rank),
                        m.who.host.c_str(), m.why.c_str());
    return found.found() ? 0 : 1;
}

/// One rank measures, one leads: the run is that of a single process, trial by trial.
int equal(mpi::pool& pool)
{
    const auto space = space_of_all();
    const auto alone = [&] {
        tk::random::philox gen(5);
        auto m = tk::measure::function{space, [](const auto& c) { return cost_of(c); }};
        return tk::tune(space, m, tk::recipe{tk::search::random{}}, {.trials = trials_of_a_run}, gen);
    }();
    tk::random::philox gen(5);
    const auto over = tk::tune(space, pool, tk::search::random{}, {.trials = trials_of_a_run}, gen);
    if (alone.trials().size() != over.trials().size()) return 1;
    for (std::size_t k = 0; k < alone.trials().size(); ++k)
        if (alone.trials()[k].candidate != over.trials()[k].candidate ||
            alone.trials()[k].measured.cost != over.trials()[k].measured.cost)
            return 1;
    return report(over, pool);
}

int run(const std::string& scenario, mpi::leader& lead, int argc, char** argv)
{
    const auto space = space_of_all();
    const bool patient = scenario == "stop";  // the two seconds may fall between a job's being sent and its begin
    mpi::leased_options how{
        .margin_seconds = patient ? 5.0 : 1.0, .begin_seconds = patient ? 10.0 : 2.0, .join_seconds = 20};
    if (scenario.ends_with("aa")) how.reference = mpi::leased_options::reference_job{.candidate = 0};
    mpi::pool pool(lead, {tk::measure::identity_of(space)}, how);
    if (scenario == "equal") return equal(pool);
    if (scenario == "aa") {
        while (pool.room() < pool.workers()) (void)pool.collect(1);
        for (std::size_t w = 0; w < pool.workers(); ++w) {
            const auto c = pool.against_first(w);
            if (!c) return 1;
            std::printf("worker %zu on %s: %.3f [%.3f, %.3f]\n", w, pool.members()[w].who.device.c_str(), c->value,
                        c->low, c->high);
        }
        return 0;
    }
    const tk::recipe recipe{tk::search::random{}, tk::measure::fixed{},
                            tk::candidate_limits{.max_run_seconds = 0.5, .max_build_seconds = 0.01}};
    std::uint64_t trials = trials_of_a_run;
    if (argc > 3) trials = std::strtoull(argv[3], nullptr, 10);
    if (argc <= 2) {
        tk::random::philox gen(1);
        return report(tk::tune(space, pool, recipe, {.trials = trials}, gen), pool);
    }
    tk::io::logged log(argv[2], tk::tuner(space, recipe, {.trials = trials}, tk::random::philox(1)),
                       {.name = "made up", .seed = 1, .workers = pool.workers(), .resume = true});
    const tk::stop_on_signal stop;
    tk::tune(log, pool, {.watch = [&](const tk::tuning& so_far) {
                 if (so_far.trials().size() == 40 && scenario == "kill_head") ::raise(SIGKILL);
                 if (so_far.trials().size() == 40 && scenario == "term") ::raise(SIGTERM);
                 return stop(so_far);
             }});
    std::printf("replayed %zu ", log.replayed());
    const int status = report(log.record(), pool);
    return stop.heard() != 0 ? stop.status() : status;
}

/// A candidate of a rank: what happens to the rank, and a cost.
auto task_of(const std::string& scenario, std::size_t local_rank)
{
    auto what = std::make_shared<fault>(scenario, local_rank);
    const bool lies = scenario == "lies" && local_rank == 2;
    const auto how = [what, lies, large = scenario == "large"](const auto& c, const tk::measure::limits&) {
        what->candidate();
        auto out = measured(c, large);
        if (lies) out.cost /= 1000;
        return out;
    };
    return tk::measure::worker_task{space_of_all(), how, {what->seen().canary()}};
}

/// An application: it begins MPI itself, tunes on all ranks but the last, twice, and has every rank back after each; where one is
/// stopped it ends with the line of `absent`.
int inside(int argc, char** argv, const std::string& scenario)
{
    const bool threads = scenario == "inside_threads", stopped = scenario == "inside_stopped";
    const auto make = [stopped](std::size_t local_rank) {
        return task_of(stopped ? "for_good" : "inside", local_rank);
    };
    std::vector<mpi::prepared> ready;
    for (int k = 0; k < 2; ++k) ready.push_back(mpi::prepare(make, {.worker = {.pinned = false}}));
    int level = 0, rank = 0, size = 0, status = 0;
    if (threads) MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    else MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm some = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < size - 1 ? 0 : MPI_UNDEFINED, rank, &some);
    for (auto& p : ready) {
        if (some != MPI_COMM_NULL) {
            if (auto lead = mpi::serve(std::move(p), some)) {
                int word = 7;  // a message of the application's own, over the same ranks
                MPI_Send(&word, 1, MPI_INT, 1, 7303, some);
                mpi::pool pool(*lead, {tk::measure::identity_of(space_of_all())},
                               {.margin_seconds = stopped ? 1.0 : 5.0, .begin_seconds = stopped ? 2.0 : 30.0});
                const tk::recipe recipe{tk::search::random{}, tk::measure::fixed{},
                                        tk::candidate_limits{.max_run_seconds = 0.5, .max_build_seconds = 0.01}};
                tk::random::philox gen(1);
                status = report(tk::tune(space_of_all(), pool, recipe, {.trials = 60}, gen), pool);
                status += lead->finish(0, stopped ? 1 : 5);
                if (!lead->absent().empty()) {
                    std::printf("absent: %s\n", lead->absent().c_str());
                    std::fflush(stdout);
                    MPI_Abort(MPI_COMM_WORLD, 7);
                }
            }
            int got = 0;
            if (rank == 1) MPI_Recv(&got, 1, MPI_INT, 0, 7303, some, MPI_STATUS_IGNORE);
        }
        int one = 1, all = 0;
        MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0) std::printf("returned %d\n", all);
    }
    try {
        (void)mpi::prepare(make);
        status = 1;
    } catch (const tk::error&) {
    }
    if (some != MPI_COMM_NULL) MPI_Comm_free(&some);
    MPI_Finalize();
    return status;
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string scenario = argc > 1 ? argv[1] : "";
    if (scenario == "tells") {
        std::puts(mpi::detail::tells_of_failures ? "yes" : "no");
        return 0;
    }
    if (scenario == "late") {  // serve is called after MPI_Init
        MPI_Init(&argc, &argv);
        int status = 1;
        try {
            (void)mpi::serve(argc, argv, [](std::size_t) -> tk::measure::any_worker_task { std::abort(); });
        } catch (const tk::error& e) {
            status = std::strstr(e.what(), "want serve before MPI_Init") != nullptr ? 0 : 1;
        }
        MPI_Finalize();
        return status;
    }
    if (scenario == "decide") {
        MPI_Init(&argc, &argv);
        int rank = 0, status = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        const mpi::choice mine{static_cast<tk::index>(10 + rank), rank == 0 ? std::nan("") : 1.0 / (1 + rank % 3)};
        if (mpi::decide(MPI_COMM_WORLD, mine, 7) != mpi::choice{12, 1.0 / 3}) status = 1;
        if (mpi::decide(MPI_COMM_WORLD, {}, 7).cost < 1e300) status = 1;
        try {
            (void)mpi::decide(MPI_COMM_WORLD, mine, static_cast<std::uint64_t>(rank));
            status = 1;
        } catch (const tk::error&) {
        }
        if (mpi::slowest(MPI_COMM_WORLD, rank) < 1) status = 1;
        MPI_Finalize();
        return status;
    }
    if (scenario.starts_with("inside")) return inside(argc, argv, scenario);
    const std::size_t here = mpi::launched().value_or(mpi::place{}).rank;
    const mpi::serve_options options{.worker = {.pinned = false},
                                     .build = scenario != "stale" ? ""
                                              : here == 2         ? "old"
                                                                  : "new",
                                     .head_measures = scenario == "head" || scenario == "three"};
    auto lead = mpi::serve(
        argc, argv,
        [&](std::size_t local_rank) {
            if (scenario == "cannot" && local_rank == 2) throw tk::error("no device here");
            return task_of(scenario, local_rank);
        },
        options);
    int status = 1;
    try {
        status = run(scenario, lead, argc, argv);
    } catch (const std::exception& e) {
        std::printf("%s\n", e.what());
        status = 3;
    }
    return lead.finish(status, 1);
}
