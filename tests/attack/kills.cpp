// SPDX-License-Identifier: MIT
// Runs over several tasks and workers, killed at random moments and taken up by a number of workers that changes: no answer is
// lost or measured again, none is held against its configuration, the record is that of the killed process to the last bit, and no
// process is left. 200 kills; `attack_kills --kills 1000` for as many as one likes, `--seed 2` for others.
#include <doctest/doctest.h>
#include <csignal>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/attacks.hpp"
#include "tests/support/grid_space.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/guarded_buffer.hpp"
#include "tunekit/processes/isolated_workers.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/schedule/round_robin.hpp"
#include "tunekit/search/annealing.hpp"
#include "tunekit/search/random.hpp"

namespace tk = tunekit;
using support::grid_space;
using philox = tk::random::philox;

namespace {

std::size_t kills_wanted = 200;
std::uint64_t first_seed = 1;

[[gnu::constructor]] void options_before_main(int argc, char** argv, char**)
{
    const support::attack asked(argc, argv);
    first_seed = asked.seed();
    if (asked.tenth()) kills_wanted /= 10;
    for (int k = 1; k + 1 < argc; ++k)
        if (std::string_view(argv[k]) == "--kills") kills_wanted = std::strtoull(argv[k + 1], nullptr, 10);
}

constexpr std::size_t task_count = 3;
constexpr tk::index sizes[task_count] = {400, 300, 81};
constexpr std::size_t trials_each = 60;
constexpr std::size_t most_workers = 4;

/// The spaces of the tasks once more, as a worker knows them.
struct numbers {
    using config = int;
    tk::index n;
    [[nodiscard]] tk::index size() const { return n; }
    [[nodiscard]] config at(tk::index i) const { return static_cast<int>(i); }
    [[nodiscard]] std::optional<tk::index> index_of(const config& c) const { return static_cast<tk::index>(c); }
};

/// An answer as the process saw it that was told it.
struct entry {
    std::size_t task = 0;
    tk::index candidate = 0;
    tk::measure::measurement measured{};
    tk::curve::curve_point point{};
};

/// What outlives the processes.
struct memory {
    int runs[task_count][400];         // of each configuration
    std::atomic<std::size_t> answers;  // watched by the process that was killed
    struct answer {
        std::size_t task;
        tk::index candidate;
        double cost, seconds, best;
    } seen[task_count * trials_each];
};

std::vector<tk::task> three_tasks()
{
    std::vector<tk::task> out;
    out.emplace_back("a", grid_space({20, 20}), 1e6, 1);
    out.emplace_back("b", grid_space({30, 10}), 2e6, 2);
    out.emplace_back("c", grid_space({9, 9}), 3e6, 1);
    return out;
}

constexpr const char* strategies[] = {"annealing", "random", "combined"};

tk::tasks_tuner fresh(std::string_view strategy, std::size_t workers)
{
    philox gen(3);
    const auto tasks = three_tasks();
    const tk::tasks_budget limit{.trials_per_task = trials_each, .slot_seconds = 0.02};
    if (strategy == "combined") return {tasks, tk::recipes::combined(), limit, workers, gen};
    if (strategy == "random") return {tasks, tk::search::random{}, tk::schedule::round_robin{}, limit, workers, gen};
    return {tasks, tk::search::annealing{}, tk::schedule::round_robin{}, limit, workers, gen};
}

tk::io::logged_options how(std::string_view strategy)
{
    return {.strategy = std::string(strategy), .seed = 3, .resume = true};
}

/// A process of its own that takes the run up; it ends by itself when the run is over.
[[noreturn]] void take_up(const std::string& path, std::string_view strategy, std::size_t workers, memory* seen)
{
    int status = 2;
    try {
        tk::measure::isolated_workers pool(
            workers,
            [&](std::size_t) {
                std::vector<tk::measure::any_worker_task> out;
                for (std::size_t k = 0; k < task_count; ++k)
                    out.emplace_back(tk::measure::worker_task{
                        numbers{sizes[k]}, tk::measure::timed{[seen, k](int c) {
                                                                  ++seen->runs[k][c];
                                                                  ::usleep(2000);
                                                                  return 1e-3 * (1 + c % 97);
                                                              },
                                                              tk::measure::fixed{.runs = 1, .batch = 1}}});
                return out;
            },
            {.pinned = false});
        tk::io::logged run(path, fresh(strategy, workers), how(strategy));
        tk::tune_tasks(run, pool,
                       {.watch =
                            [&](const tk::plan& p, std::size_t k) {
                                const tk::tuning& record = p.tasks[k].record;
                                const tk::measure::trial& last = record.trials().back();
                                const std::size_t n = seen->answers.load();
                                seen->seen[n] = {k, last.candidate, last.measured.cost, record.curve().back().seconds,
                                                 record.best_cost()};
                                seen->answers.store(n + 1);
                            },
                        .checks = false});  // which run the incumbent again
        status = run.failed() ? 3 : 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
    }
    ::_exit(status);
}

/// What a log tells whoever takes it up: its answers, in its order, as the record then has them.
std::vector<entry> record_of(const std::string& path, std::string_view strategy, std::size_t workers)
{
    const auto log = tk::io::read_log(path);
    const tk::io::logged again(path, fresh(strategy, workers), how(strategy));
    std::size_t at[task_count] = {};
    std::vector<entry> out;
    for (const auto& t : log.trials) {
        const tk::tuning& record = again.record().tasks[t.task].record;
        std::size_t& k = at[t.task];
        REQUIRE(k < record.trials().size());
        CHECK(!record.trials()[k].measured.failed);  // a kill of the tuner is held against no configuration
        out.push_back({t.task, record.trials()[k].candidate, record.trials()[k].measured, record.curve()[k]});
        ++k;
    }
    CHECK(again.replayed() == log.trials.size());
    return out;
}

bool same(const entry& a, const entry& b)
{
    return a.task == b.task && a.candidate == b.candidate && a.measured == b.measured &&
           a.point.seconds == b.point.seconds && a.point.best_cost == b.point.best_cost;
}

struct tally {
    std::size_t kills = 0, early = 0, torn = 0, chains = 0, answers = 0;
};

/// One run, killed 5 to 15 times but at most `left`, then left to end.
void chain(std::uint64_t seed, std::size_t left, tally& all)
{
    const std::string_view strategy = strategies[seed % std::size(strategies)];
    CAPTURE(seed);
    const support::temporary_folder f;
    const std::string path = f / "log", copy = f / "copy";
    tk::measure::guarded_buffer<memory> shared(1);
    memory& seen = *shared.data();
    philox dice(seed);
    const std::size_t most = (std::min)(left, 5 + tk::random::uniform_index(11, dice));
    std::vector<entry> told;  // what the log has had so far
    std::vector<int> runs;    // and how often each of it had run
    std::string before;
    std::size_t kills = 0;
    for (bool over = false; !over;) {
        const std::size_t workers = 2 + tk::random::uniform_index(most_workers - 1, dice);
        seen.answers.store(0);
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) take_up(path, strategy, workers, &seen);
        int status = 0;
        pid_t ended = 0;
        if (kills < most) {  // behind so many answers and a moment, so that a loaded machine is killed no earlier
            const std::size_t answers = tk::random::uniform_index(24, dice);
            while (seen.answers.load() < answers && (ended = ::waitpid(child, &status, WNOHANG)) == 0) ::usleep(100);
            if (ended == 0) {
                ::usleep(static_cast<useconds_t>(tk::random::uniform_index(8'000, dice)));
                ::kill(child, SIGKILL);
            }
        }
        if (ended == 0) ended = ::waitpid(child, &status, 0);
        REQUIRE(ended == child);
        REQUIRE(support::left_over(60) == 0);
        over = WIFEXITED(status);
        if (over) REQUIRE(WEXITSTATUS(status) == 0);
        else ++kills;
        const std::string text = support::text_of(path);
        const std::size_t whole = text.rfind('\n') + 1;  // 0 where there is none
        if (whole != text.size()) ++all.torn;
        if (whole == 0) {
            ++all.early;
            CHECK(told.empty());
            continue;
        }
        CHECK(text.compare(0, before.size(), before) == 0);
        before = text.substr(0, whole);

        std::ofstream(copy, std::ios::binary) << text;
        const auto found = record_of(copy, strategy, 1 + tk::random::uniform_index(6, dice));
        REQUIRE(found.size() >= told.size() + seen.answers.load());  // nothing that was told is lost
        for (std::size_t i = 0; i < told.size(); ++i) {
            CHECK(same(found[i], told[i]));
            CHECK(seen.runs[told[i].task][told[i].candidate] == runs[i]);  // and is not measured again
        }
        for (std::size_t i = 0; i < seen.answers.load(); ++i) {  // the record of the process that was killed
            const entry& is = found[told.size() + i];
            const memory::answer& was = seen.seen[i];
            CHECK(is.task == was.task);
            CHECK(is.candidate == was.candidate);
            CHECK(is.measured.cost == was.cost);
            CHECK(is.point.seconds == was.seconds);
            CHECK(is.point.best_cost == was.best);
        }
        for (std::size_t i = told.size(); i < found.size(); ++i)
            runs.push_back(seen.runs[found[i].task][found[i].candidate]);
        told = found;
    }
    std::size_t of[task_count] = {};
    for (const entry& e : told) ++of[e.task];
    const auto end = record_of(path, strategy, 5);
    CHECK(end.size() == told.size());
    const tk::io::logged record(path, fresh(strategy, 3), how(strategy));
    for (std::size_t k = 0; k < task_count; ++k) {
        CHECK(record.record().tasks[k].record.trials().size() == trials_each);
        CHECK(of[k] <= trials_each);
    }
    all.kills += kills;
    all.answers += told.size();
    ++all.chains;
}

}  // namespace

TEST_CASE("runs with several workers, killed at random moments, are taken up to the same record")
{
    tk::measure::detail::adopt_descent();  // what a killed process leaves is waited for here
    tally all;
    for (std::uint64_t seed = first_seed; all.kills < kills_wanted; ++seed) chain(seed, kills_wanted - all.kills, all);
    CHECK(all.early < all.kills);
    MESSAGE(all.kills, " kills in ", all.chains, " runs, ", all.early, " before there was a log, ", all.torn,
            " torn lines, ", all.answers, " answers");
}
