// SPDX-License-Identifier: MIT
// Runs of a program with daemons, two at a time, ended by signals at random moments and taken up again: no answer is lost, told twice or
// held against its configuration, and no process is left. 60 signals; `attack_kills_programs --kills 1000 --seed 2` for others.
#include <doctest/doctest.h>

#include <sys/prctl.h>
#include <unistd.h>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/attacks.hpp"
#include "tests/support/signalled_runs.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/program.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/value_product.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;

namespace {

std::size_t kills_wanted = 60;
std::uint64_t first_seed = 1;
constexpr std::size_t trials = 40;

bool leaves_daemon(tk::index i) { return i % 5 == 1; }
bool crashes(tk::index i) { return i % 13 == 5; }

/// This program is its own candidate.
[[noreturn]] void be_candidate(tk::index i)
{
    if (leaves_daemon(i) && ::fork() == 0) {
        ::setsid();
        if (::fork() != 0) ::_exit(0);
        ::prctl(PR_SET_PDEATHSIG, 0);
        for (int fd = 0; fd < 64; ++fd) ::close(fd);
        for (;;) ::pause();
    }
    ::usleep(5000);
    if (crashes(i)) ::raise(SIGSEGV);
    std::printf("cost %d\n", static_cast<int>(i) + 1);
    std::fflush(stdout);
    ::_exit(0);
}

[[gnu::constructor]] void options_before_main(int argc, char** argv, char**)
{
    if (argc == 3 && std::string_view(argv[1]) == "--candidate")
        be_candidate(static_cast<tk::index>(std::atoi(argv[2])));
    const support::attack asked(argc, argv);
    first_seed = asked.seed();
    if (asked.tenth()) kills_wanted /= 10;
    for (int k = 1; k + 1 < argc; ++k)
        if (std::string_view(argv[k]) == "--kills") kills_wanted = std::strtoull(argv[k + 1], nullptr, 10);
}

tk::space::value_product space()
{
    std::vector<std::int64_t> all;
    for (int k = 0; k < 200; ++k) all.emplace_back(k);
    return tk::space::value_product({{"x", all}}, {});
}

auto fresh() { return tk::tuner(space(), tk::search::random{}, {.trials = trials}, tk::random::philox(3)); }

/// A process of its own that takes the run up; it ends by itself when the run is over.
[[noreturn]] void take_up(const std::string& path, const std::string& self)
{
    measure::detail::reset_signals();  // those that doctest hears
    int status = 2;
    try {
        measure::program pool(space(), {.command = {self, "--candidate", "{x}"},
                                        .directory = "{scratch}",
                                        .cost = measure::matched("cost ([0-9]+)"),
                                        .repetition = measure::fixed{.runs = 1, .batch = 1},
                                        .workers = 2,
                                        .pinned = false});
        tk::io::logged run(path, fresh(), {.strategy = "random", .seed = 3, .resume = true});
        tk::tune(run, pool);
        status = run.failed() ? 3 : 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
    }
    ::_exit(status);
}

}  // namespace

TEST_CASE("runs of a program, ended by signals at random moments, are taken up to the end")
{
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    const support::signalled_runs runs{kills_wanted, first_seed, trials};
    runs([&](const std::string& path) { take_up(path, self); },
         [](const tk::io::log_content::trial& t) {
             CHECK(t.measured.failed.has_value() == crashes(t.candidate));
             if (t.measured.failed) CHECK(t.measured.failed->kind == measure::failure_kind::crash);
             else CHECK(t.measured.cost == static_cast<double>(t.candidate + 1));
         });
}
