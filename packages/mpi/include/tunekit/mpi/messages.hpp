// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What a rank does of a job, and the messages between rank 0 and the ranks that measure.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tunekit::mpi {

/// What a rank does of a job.
enum class duty : std::uint8_t {
    measures,  ///< builds, where there is something to build, and runs
    builds,    ///< makes code and sends it on: needs compilers, no device
    runs,      ///< runs what others have built: needs a device, no compilers
};

namespace detail {

/// The kind of a message. The numbers are the tags of MPI.
enum class word : std::uint16_t {
    hello = 7301,  ///< a rank says that it can measure, and what
    order,         ///< a rank is to measure something
    began,         ///< a rank has begun an order, whose lease begins now: the order's number
    answer,        ///< a rank has done an order: the measurement
    end,           ///< from rank 0: no more orders come
    bye,           ///< from a rank: it measures no more; a text with the reason, empty after `end`
    refused,       ///< from rank 0: this rank is not used; a text with the reason
};

/// A message between rank 0 and a worker.
struct message {
    std::size_t worker = 0;              ///< the sender, or the receiver
    word what{};                         ///< the kind
    std::vector<unsigned char> bytes{};  ///< the content, which rank 0 and the workers of one version understand
};

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

}  // namespace detail
}  // namespace tunekit::mpi
