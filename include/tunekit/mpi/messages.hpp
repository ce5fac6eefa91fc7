// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The messages between rank 0 and the ranks that measure, and the concept of their carrier.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/worker_task.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::mpi {

/// The kind of a message. The numbers are the tags of MPI.
enum class word : std::uint16_t {
    hello = 7301,  ///< a rank can measure: `greeting`
    order,         ///< measure this: `order`
    began,         ///< the order's number; from here its lease counts
    answer,        ///< `reply`
    end,           ///< from rank 0: no more orders come
    bye,           ///< from a rank: it measures no more; a text, empty after `end`
    refused,       ///< from rank 0: this rank is not used; a text
};

/// A message on its way. `worker` is its sender or its receiver.
struct message {
    std::size_t worker = 0;
    word what{};
    std::vector<unsigned char> bytes{};
};

/// The part of a job that a rank does.
enum class part : std::uint8_t {
    measures,  ///< builds, where there is something to build, and runs
    builds,    ///< makes code and hands it over: needs compilers, no device
    runs,      ///< runs what others have built: needs a device, no compilers
};

/// The greeting of a rank: its version, host, device, part and tasks.
struct greeting {
    std::uint32_t protocol = current;
    std::string version{};  ///< of tunekit
    std::string host{};
    std::string
        device{};  ///< key of the device on which it measures: ranks with the same key may share a table of costs
    std::uint32_t local_rank = 0;
    mpi::part part = mpi::part::measures;
    std::vector<measure::task_identity> tasks{};

    static constexpr std::uint32_t current = 2;

    friend bool operator==(const greeting&, const greeting&) = default;
};

/// One configuration to be measured, built or run.
struct order {
    std::uint64_t number = 0;
    std::uint64_t task = 0;
    index candidate = 0;
    measure::limits within{};
    std::vector<unsigned char> code{};  ///< what was built of it, for a rank that runs

    friend bool operator==(const order&, const order&) = default;
};

/// The reply to an order.
struct reply {
    std::uint64_t number = 0;
    std::optional<measure::measurement> measured{};  ///< none: it was lost on that rank
    double ran_s = 0;
    std::vector<unsigned char> code{};  ///< of a rank that builds

    friend bool operator==(const reply&, const reply&) = default;
};

/// The most batches that a reply carries; of more, only the first are sent. (`cost` and `spread` were made of all of
/// them, where they were measured.)
inline constexpr std::size_t max_batches = 65536;
/// The longest text that a message carries, in bytes; a longer one is cut.
inline constexpr std::size_t max_text = 65536;
/// The largest code that goes at all, in bytes; what is built and larger has failed.
inline constexpr std::size_t max_code = std::size_t{64} << 20;

/// A carrier brings messages between rank 0, whose side this is, and workers 0, 1, ... None of its functions waits for
/// a worker, but `wait`, and that not longer than it was told.
///
///   * `send(worker, what, bytes)`, `receive() -> std::optional<message>`: what one worker says keeps its order. A worker
///     that is known to be gone says `bye`, whoever says it for it.
///   * `wait(seconds)`: until something may have come.
///   * `now()`: seconds, never backwards.
template <class C>
concept carrier =
    requires(C& c, const C& k, std::size_t worker, const std::vector<unsigned char>& bytes, double seconds) {
        { k.workers() } -> std::same_as<std::size_t>;
        { c.send(worker, word{}, bytes) } -> std::same_as<void>;
        { c.receive() } -> std::same_as<std::optional<message>>;
        { c.wait(seconds) } -> std::same_as<void>;
        { k.now() } -> std::same_as<double>;
    };

}  // namespace tunekit::mpi
