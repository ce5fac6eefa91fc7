// SPDX-License-Identifier: MIT
#pragma once

#include <sys/wait.h>
#include <unistd.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <utility>

#include "tunekit/core/index_table.hpp"
#include "tunekit/measure/detail/descent.hpp"

namespace support {

/// What an attack is asked for: all of it, or the tenth that a seed draws; as whom.
class attack {
public:
    /// Reads `--tenth`, `--seed N` and `--as nobody`, before main: nothing of this process is another user's then.
    attack(int argc, char** argv)
    {
        for (int k = 1; k < argc; ++k) {
            if (const std::string_view word = argv[k]; word == "--tenth" && !std::exchange(tenth_, true)) seed_ = static_cast<std::uint64_t>(std::time(nullptr));
        }
        for (int k = 1; k < argc; ++k) {
            const std::string_view word = argv[k];
            const char* const next = k + 1 < argc ? argv[k + 1] : "";
            if (word == "--seed") seed_ = std::strtoull(next, nullptr, 10);
            if (word == "--as" && !become(next)) std::exit(77);
        }
        if (tenth_) std::printf("a tenth: --tenth --seed %llu\n", static_cast<unsigned long long>(seed_));
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
               ::setresuid(65534, 65534, 65534) == 0 && ::setenv("HOME", "/tmp", 1) == 0;
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
        while (::waitpid(-1, nullptr, WNOHANG | tunekit::core::detail::system::all_children) > 0) {
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
