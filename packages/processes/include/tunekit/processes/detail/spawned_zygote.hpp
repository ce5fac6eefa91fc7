// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A zygote that is a program of its own, started from its file. A process that runs threads can have one.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tunekit/processes/detail/fork_zygote.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/detail/worker.hpp"
#include "tunekit/processes/worker_task.hpp"
#include "tunekit/version.hpp"

namespace tunekit::measure::detail {

inline constexpr const char* serve_mark = "--tunekit-worker";  ///< the first argument of a program started to serve

/// The program that is started, and the tasks that it must have.
struct served_program {
    std::string path{};
    std::vector<std::string> arguments{};
    std::vector<task_identity> tasks{};
    double start_seconds = 0;
};

/// The parent's first message. The processors follow it.
struct serve_setup {
    std::uint64_t magic = expected_magic;
    std::uint64_t memory_bytes = 0;  ///< limit of the address space that a candidate may add; 0: no limit
    std::uint64_t enclosed = 0;
    std::uint64_t confined = 0;
    std::uint64_t cores = 0;

    static constexpr std::uint64_t expected_magic = 0x74756E656B697432U;
    static constexpr std::size_t max_cores = 4096;
};

/// The program's first message. An identity for each task follows it, or a text that says what is wrong.
struct serve_hello {
    std::uint64_t magic = expected_magic;
    std::uint64_t version = TUNEKIT_VERSION;
    std::uint64_t tasks = 0;
    std::uint64_t refusal = 0;  ///< bytes of that text; 0: nothing is wrong

    static constexpr std::uint64_t expected_magic = 0x74756E656B697433U;
};

/// Starts worker `k`. Throws tunekit::error where the system starts nothing.
started_zygote start_served(const served_program& program, std::size_t k, const worker_hold& hold);

/// Waits for a program's first message, which says whether costs of its tasks are times. Throws tunekit::error where it
/// does not come in time or does not fit.
void await_hello(served_program& program, const descriptor& control);

/// Tells the parent why this program does not serve, and ends it.
[[noreturn]] void refuse_to_serve(const std::string& why);

/// Receives the limits of this program and its workers. A program that serves calls it before it makes its tasks.
worker_hold hear_setup();

/// Serves: sends the identities of its tasks, then forks workers until the parent closes the conversation.
[[noreturn]] void serve_tasks(work_ref work, std::span<const task_identity> tasks, std::span<const canary> own,
                              const worker_hold& hold);

}  // namespace tunekit::measure::detail
