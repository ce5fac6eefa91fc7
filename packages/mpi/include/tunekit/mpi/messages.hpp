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
    hello = 7301,  ///< a rank says that it can measure: `greeting`
    order,         ///< a rank is to measure something: `order`
    began,         ///< a rank has begun an order, whose lease begins now: the order's number
    answer,        ///< a rank has done an order: `reply`
    end,           ///< from rank 0: no more orders come
    bye,           ///< from a rank: it measures no more; a text with the reason, empty after `end`
    refused,       ///< from rank 0: this rank is not used; a text with the reason
};

/// A message between rank 0 and a worker.
struct message {
    std::size_t worker = 0;              ///< the sender, or the receiver
    word what{};                         ///< the kind
    std::vector<unsigned char> bytes{};  ///< the content, as `to_bytes` writes it
};

/// The part of a job that a rank does.
enum class part : std::uint8_t {
    measures,  ///< builds, where there is something to build, and runs
    builds,    ///< makes code and sends it on: needs compilers, no device
    runs,      ///< runs what others have built: needs a device, no compilers
};

/// The greeting of a rank: its version, host, device, part and tasks.
struct greeting {
    std::uint32_t protocol = current;  ///< the version of these messages
    std::string version{};             ///< the version of tunekit
    std::string host{};                ///< the name of the machine
    /// The key of the device on which it measures. Ranks with the same key may share a table of costs.
    std::string device{};
    std::uint32_t local_rank = 0;                 ///< its number among the ranks of its machine
    mpi::part part = mpi::part::measures;         ///< the part of a job that it does
    std::vector<measure::task_identity> tasks{};  ///< the size and fingerprint of each task's space

    static constexpr std::uint32_t current = 2;  ///< the version of the messages of this library

    friend bool operator==(const greeting&, const greeting&) = default;
};

/// One configuration to be measured, built or run.
struct order {
    std::uint64_t number = 0;           ///< the number of the order; `began` and the reply repeat it
    std::uint64_t task = 0;             ///< the position of the task in those of the greeting
    index candidate = 0;                ///< the configuration, in the space of that task
    measure::limits within{};           ///< the limits of the measurement
    std::vector<unsigned char> code{};  ///< what was built of it, for a rank that runs; empty otherwise

    friend bool operator==(const order&, const order&) = default;
};

/// The reply to an order.
struct reply {
    std::uint64_t number = 0;                        ///< the number of the order
    std::optional<measure::measurement> measured{};  ///< the measurement; none: it was lost on that rank
    double ran_s = 0;                                ///< the seconds that the rank spent on it
    std::vector<unsigned char> code{};               ///< what a rank built, where it only builds; empty otherwise

    friend bool operator==(const reply&, const reply&) = default;
};

/// The most batches that a reply carries. Of a longer list only the first are sent. `cost` and `spread` come from all
/// of them, because the rank that measured computed them.
inline constexpr std::size_t max_batches = 65536;
/// The longest text that a message carries, in bytes. A longer one is cut.
inline constexpr std::size_t max_text = 65536;
/// The largest code that a message carries, in bytes. A build with larger code has failed.
inline constexpr std::size_t max_code = std::size_t{64} << 20;

/// A carrier brings messages between rank 0 and the workers 0, 1, ... The pool uses it on rank 0. None of its functions
/// waits for a worker, except `wait`, which waits no longer than it is told.
///
///   * `send(worker, what, bytes)` sends; `receive() -> std::optional<message>` gives what has come. Messages of one
///     worker keep their order. For a worker that is known to be gone, the carrier itself gives a `bye`.
///   * `wait(seconds)` returns when something may have come.
///   * `now()` gives seconds that never go backwards.
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
