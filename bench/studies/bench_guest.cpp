// SPDX-License-Identifier: MIT
// The right winner on a machine that is disturbed: `tune` over a transpose, while a second process takes a core and the
// memory in windows, with and without checks in turn. At the end all winners run side by side.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "bench/studies/support/study_app.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/tune_kernel.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/space/parameter.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

namespace {

constexpr int side = 1024;

struct settings {
    std::size_t repeats = 20, rounds = 60;
    std::uint64_t seed = 1;
    double seconds = 15;
};

/// A process that rests for 2 to 10 s in the mean, drawn anew each time, and then works for 0.5 to 3 s.
class guest {
public:
    explicit guest(std::uint64_t seed) : pid_(::fork())
    {
        if (pid_ == 0) work(tk::random::philox(seed), ::getppid());
    }
    guest(const guest&) = delete;
    guest& operator=(const guest&) = delete;
    ~guest()
    {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }

private:
    [[noreturn]] static void work(tk::random::philox gen, pid_t parent)
    {
        std::vector<double> memory(std::size_t{8} << 20);
        const auto between = [&](double low, double high) { return low + (high - low) * tk::random::uniform_01(gen); };
        const tk::measure::wall_clock now;
        while (::getppid() == parent) {
            ::usleep(static_cast<useconds_t>(-1e6 * between(2, 10) * std::log1p(-between(0, 0.999))));
            for (const double until = now() + between(0.5, 3); now() < until;)
                for (double& x : memory) x += 1;
        }
        ::_exit(0);
    }

    pid_t pid_;
};

struct transpose {
    std::vector<float> from = std::vector<float>(side * side, 1.0F), to = std::vector<float>(side * side);

    template <class Configuration>
    void operator()(const Configuration& p)
    {
        const int rows = tk::get<"rows">(p), columns = tk::get<"columns">(p);
        const bool across = tk::get<"across">(p) == 1;
        const auto block = [&](int i, int j) {
            for (int x = i; x < i + rows; ++x)
                for (int y = j; y < j + columns; ++y) to[index_of(y, x)] = from[index_of(x, y)];
        };
        if (across)
            for (int i = 0; i < side; i += rows)
                for (int j = 0; j < side; j += columns) block(i, j);
        else
            for (int j = 0; j < side; j += columns)
                for (int i = 0; i < side; i += rows) block(i, j);
    }

private:
    static std::size_t index_of(int x, int y) { return static_cast<std::size_t>(x * side + y); }
};

void run(const settings& s)
{
    const tk::space::product space{tk::space::powers_of_two<"rows">(1, side),
                                   tk::space::powers_of_two<"columns">(1, side), tk::space::integers<"across">(0, 1)};
    struct ended {
        tk::index winner = 0;
        tk::verdict says{};
        tk::machine_checks seen{};
        std::size_t trials = 0;
    };
    std::vector<ended> all[2];  // without checks, and with
    for (std::size_t k = 0; k < 2 * s.repeats; ++k) {
        const guest beside(s.seed + k / 2);
        tk::random::philox gen(s.seed + k / 2);
        const auto found =
            tk::tune(space, transpose{}, tk::recipes::combined(), {.seconds = s.seconds}, gen, {.checks = k % 2 == 1});
        all[k % 2].push_back({found.best_index(), found.verdict(), found.checks(), found.trials().size()});
        std::printf("%s %s; %s\n", k % 2 == 1 ? "checks: " : "without:", to_text(found).c_str(),
                    to_text(found.checks(), found.seconds()).c_str());
        std::fflush(stdout);
    }
    // Each in every round, and its least: what else works on the machine only adds.
    std::map<tk::index, double> least;
    for (const auto& runs : all)
        for (const ended& e : runs) least[e.winner] = tk::forever;
    transpose kernel;
    const tk::measure::wall_clock now;
    for (std::size_t round = 0; round < s.rounds; ++round)
        for (auto& [i, seconds] : least) {
            const double start = now();
            kernel(space.at(i));
            seconds = (std::min)(seconds, now() - start);
        }
    double best = tk::forever;
    for (const auto& [i, seconds] : least) best = (std::min)(best, seconds);
    std::printf(
        "| checks | within 1, 2, 5 %% of the best winner | mean %% | worst %% | separated | of these wrong by 2 %% | "
        "trials | disturbed | waited s |\n|---|---|---|---|---|---|---|---|---|\n");
    for (int with = 0; with < 2; ++with) {
        double within[3] = {}, mean = 0, worst = 0, trials = 0, disturbed = 0, waited = 0;
        std::size_t separated = 0, wrong = 0;
        const double weight = 1 / static_cast<double>(s.repeats);
        for (const ended& e : all[with]) {
            const double regret = least[e.winner] / best - 1;
            constexpr double bounds[] = {0.01, 0.02, 0.05};
            for (int b = 0; b < 3; ++b) within[b] += regret <= bounds[b] ? 100 * weight : 0;
            mean += 100 * regret * weight;
            worst = (std::max)(worst, 100 * regret);
            const bool apart = e.says.says == tk::verdict::kind::separated;
            separated += apart;
            wrong += apart && regret > 0.02;
            trials += static_cast<double>(e.trials) * weight;
            disturbed += static_cast<double>(e.seen.disturbed) * weight;
            waited += e.seen.waited_seconds * weight;
        }
        std::printf("| %s | %.0f %.0f %.0f | %.2f | %.1f | %zu | %zu | %.0f | %.1f | %.2f |\n",
                    with == 1 ? "on" : "off", within[0], within[1], within[2], mean, worst, separated, wrong, trials,
                    disturbed, waited);
    }
}

}  // namespace

int main(int argc, char** argv)
{
    settings s;
    programs::study_app app("The right winner while a second process disturbs the machine, live.", "bench_guest");
    app.repeats(s.repeats, "runs with checks, and as many without");
    app.seed(s.seed, "of the first run and of its guest");
    app.add_option("--seconds", s.seconds, "of a run");
    app.add_option("--rounds", s.rounds, "in which all winners run at the end");
    return app.run(argc, argv, [&] { run(s); });
}
