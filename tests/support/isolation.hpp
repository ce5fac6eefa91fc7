// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What tests of kernels in processes of their own share.

#include <doctest/doctest.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/isolated.hpp"

/// A fault as it is written, which no sanitizer sees and nothing inlines.
#if defined(__has_attribute)
#if __has_attribute(no_sanitize)
#define TUNEKIT_TEST_AS_IS __attribute__((noinline, no_sanitize("address", "undefined")))
#endif
#endif
#ifndef TUNEKIT_TEST_AS_IS
#define TUNEKIT_TEST_AS_IS __attribute__((noinline))
#endif

namespace support {

/// Whether no sanitizer has an allocator or a thread of its own here.
constexpr bool plain = !tunekit::measure::detail::sanitized;

/// The configurations 0 to n - 1, numbers or faults by name.
template <class Config, int n>
struct numbered {
    using config = Config;
    [[nodiscard]] tunekit::index size() const { return n; }
    [[nodiscard]] config at(tunekit::index i) const { return static_cast<config>(i); }
    [[nodiscard]] std::optional<tunekit::index> index_of(const config& c) const
    {
        return static_cast<tunekit::index>(c);
    }
};

/// Whether this process has no child that has ended and was not waited for.
inline bool no_zombie()
{
    siginfo_t info{};
    info.si_pid = 0;
    return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0;
}

inline bool has_children()
{
    siginfo_t info{};
    return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/// A process with another thread, for its life.
class with_thread {
public:
    with_thread()
    {
        REQUIRE(::pipe(stop_) == 0);
        REQUIRE(::pthread_create(
                    &other_, nullptr,
                    [](void* fd) -> void* {
                        char byte = 0;
                        while (::read(*static_cast<int*>(fd), &byte, 1) < 0) {
                        }
                        return nullptr;
                    },
                    &stop_[0]) == 0);
    }
    with_thread(const with_thread&) = delete;
    with_thread& operator=(const with_thread&) = delete;
    ~with_thread()
    {
        ::close(stop_[1]);
        ::pthread_join(other_, nullptr);
        ::close(stop_[0]);
    }

private:
    int stop_[2]{};
    pthread_t other_{};
};

}  // namespace support
