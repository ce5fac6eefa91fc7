// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The parent's end of a worker: one candidate at a time, from its order to its measurement, without waiting.

#include <optional>
#include <string>
#include <utility>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/processes/detail/worker.hpp"

namespace tunekit::system::detail {
class descriptor;
}

namespace tunekit::measure::detail {

struct poll_set;
struct started_zygote;

/// Seconds within which a zygote answers: it waits half a second, and then for killed processes to end.
inline constexpr double zygote_seconds = 10;

/// The moment at which a zygote counts as gone unless it has answered; `patience` is the one before. `state` is its
/// letter in /proc/PID/stat: one that waits for a processor has time, one that was stopped or is traced goes on at once
/// or never.
double patience_with(char state, double now, double patience) noexcept;

/// Owns a zygote and the worker that it made last, and has the conversation about one candidate:
///
///     link.begin(order);
///     while (!link.advance()) { poll_set events; link.watch(events); events.wait(now()); }
///     const std::optional<measurement> m = link.take();          // empty: the children are gone, and the job is lost
///
/// A worker is replaced after any failure. Where it had run other candidates before, the one that failed is repeated in
/// the fresh one, unless a canary identifies it. Move-only.
class worker_link {
public:
    worker_link(started_zygote children, worker_hold hold);
    worker_link(worker_link&& other) noexcept : it_(std::exchange(other.it_, nullptr)) {}
    worker_link& operator=(worker_link&& other) noexcept
    {
        std::swap(it_, other.it_);  // so that the old children end in order
        return *this;
    }
    worker_link(const worker_link&) = delete;
    worker_link& operator=(const worker_link&) = delete;

    /// Ends the children and waits for them.
    ~worker_link();

    /// Whether there are no children any more.
    [[nodiscard]] bool gone() const noexcept;
    /// Whether the system gives no children, which no candidate has caused.
    [[nodiscard]] bool refused() const noexcept;
    /// The conversation with the zygote.
    [[nodiscard]] const system::detail::descriptor& control() const noexcept;
    [[nodiscard]] const worker_hold& hold() const noexcept;
    /// Ends the children at once.
    void end();
    /// Precondition: gone().
    [[nodiscard]] const std::string& why_gone() const;

    /// Gives a candidate to the worker, or to a new one if it has ended. Precondition: not gone(), and the candidate
    /// before was taken.
    void begin(const order& next);

    /// The next candidate gets a new worker. Precondition: as that of `begin`.
    void renew() noexcept;

    /// Adds what it waits for to `events`.
    void watch(poll_set& events) const;

    /// Does what can be done without waiting. True once the candidate is measured or lost; then `take` it.
    bool advance();

    /// Waits until the candidate is measured or lost.
    void await();

    /// The measurement; empty where the children are gone and the candidate's result is not known. Precondition:
    /// `advance` has returned true since `begin`.
    [[nodiscard]] std::optional<measurement> take();

private:
    class parts;

    parts* it_;
};

}  // namespace tunekit::measure::detail
