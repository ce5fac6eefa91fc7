// SPDX-License-Identifier: MIT
#pragma once

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/files.hpp"
#include "tunekit/core/index_table.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/processes/detail/descent.hpp"

namespace support {

/// What an attack is asked for: all of it, or the tenth that a seed draws; as whom.
class attack {
public:
    /// Reads `--tenth`, `--seed N` and `--as nobody` from the arguments and from TUNEKIT_ATTACK; before main, when nothing of
    /// this process is another user's.
    attack(int argc, char** argv)
    {
        std::vector<std::string> words(argv + 1, argv + argc);
        if (const char* const more = std::getenv("TUNEKIT_ATTACK")) {
            std::istringstream in(more);
            words.insert(words.end(), std::istream_iterator<std::string>(in), {});
        }
        const auto at = [&words](const char* word) { return std::find(words.begin(), words.end(), word); };
        tenth_ = at("--tenth") != words.end();
        if (tenth_) seed_ = static_cast<std::uint64_t>(std::time(nullptr));
        if (const auto it = at("--seed"); it != words.end() && it + 1 != words.end()) seed_ = std::stoull(*(it + 1));
        if (const auto it = at("--as"); it != words.end() && it + 1 != words.end() && !become(*(it + 1))) ::_exit(77);
        if (tenth_) std::printf("a tenth: --tenth --seed %llu\n", static_cast<unsigned long long>(seed_));
        std::fflush(stdout);
    }
    [[nodiscard]] std::uint64_t seed() const { return seed_; }
    [[nodiscard]] bool tenth() const { return tenth_; }
    /// Whether the part with this number is tried.
    [[nodiscard]] bool tries(std::uint64_t part) const
    {
        return !tenth_ || (tunekit::core::mixed(tunekit::core::mixed(0, seed_), part) >> 32 & 0xFFFF) % 10 == 0;
    }

private:
    /// Becomes the user nobody, where this is root: others run as themselves anyway.
    static bool become(std::string_view who)
    {
        return who == "nobody" && ::geteuid() == 0 && ::setresgid(65534, 65534, 65534) == 0 &&
               ::setresuid(65534, 65534, 65534) == 0 && ::prctl(PR_SET_DUMPABLE, 1) == 0;  // its /proc is its own
    }

    bool tenth_ = false;
    std::uint64_t seed_ = 1;
};

/// The processes that outlive what was tried, which became ours: their number, where some do not end within `seconds`.
/// Precondition: adopt_descent() was called.
inline int left_over(double seconds = 2)
{
    const tunekit::measure::wall_clock now;
    for (const double until = now() + seconds; now() < until; ::usleep(1000)) {
        while (::waitpid(-1, nullptr, WNOHANG | tunekit::system::detail::all_children) > 0) {
        }
        int n = 0;
        tunekit::measure::detail::each_child_of(::getpid(), [&n](pid_t) { ++n; });
        if (n == 0) return 0;
    }
    int n = 0;
    tunekit::measure::detail::each_child_of(::getpid(), [&n](pid_t) { ++n; });
    tunekit::measure::detail::end_descent();  // so that the next part is counted for itself
    return n;
}

}  // namespace support
