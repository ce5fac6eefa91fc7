// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The child that runs candidates: its orders and its answers.

#include <unistd.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tunekit/core/index_table.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/concepts.hpp"
#include "tunekit/measure/measurement.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/detail/process_state.hpp"
#include "tunekit/processes/detail/system/files.hpp"
#include "tunekit/processes/guarded_buffer.hpp"

namespace tunekit::measure::detail {

/// The way to measure one candidate: a function, and the object on which it is called. A view.
struct work_ref {
    void* self = nullptr;
    measurement (*run)(void* self, std::size_t task, index candidate, const limits& within) = nullptr;
};

/// An order from the parent to a worker.
struct order {
    std::uint64_t task = 0;
    index candidate = 0;
    limits within{};
    std::uint64_t nonce = 0;  ///< the answer must repeat it; a new one each time
};

/// A number that cannot be guessed.
inline std::uint64_t fresh_nonce() noexcept
{
    std::uint64_t out = 0;
    if (!system::detail::unguessable(out))  // the system has just started
        out = core::mixed(static_cast<std::uint64_t>(1e9 * wall_clock{}()), static_cast<std::uint64_t>(::getpid()));
    return out;
}

/// The beginning of a worker's answer. The measurement follows it, as bytes.
struct answer_head {
    std::uint64_t magic = expected_magic;
    std::uint64_t nonce = 0;  ///< of the order
    std::uint64_t total = 0;  ///< bytes, this head included
    index candidate = 0;
    std::uint64_t changed = 0;  ///< whether the candidate changed its process so that no other may run in it

    static constexpr std::uint64_t expected_magic = 0x74756E656B697431U;
    static constexpr std::uint64_t max_total = std::uint64_t{1} << 26;
};

inline constexpr std::size_t max_packet = 32768;
inline constexpr int status_unheard = 121;  ///< exit status of a worker whose answer could not be sent

/// The bytes of an answer.
inline std::vector<unsigned char> to_bytes(const order& to, const measurement& m, bool changed)
{
    std::vector<unsigned char> bytes = measure::to_bytes(m);
    const answer_head head{.nonce = to.nonce,
                           .total = sizeof head + bytes.size(),
                           .candidate = to.candidate,
                           .changed = changed ? std::uint64_t{1} : 0};
    const auto* const first = reinterpret_cast<const unsigned char*>(&head);
    bytes.insert(bytes.begin(), first, first + sizeof head);
    return bytes;
}

/// The head of an answer that begins with `bytes`. Empty where they are no answer to `to`: a candidate may have damaged
/// the worker that sent them, or have sent them itself.
inline std::optional<answer_head> head_of(const std::vector<unsigned char>& bytes, const order& to)
{
    answer_head head;
    if (bytes.size() < sizeof head) return std::nullopt;
    std::memcpy(&head, bytes.data(), sizeof head);
    const bool fits = head.magic == answer_head::expected_magic && head.nonce == to.nonce &&
                      head.candidate == to.candidate && head.total >= bytes.size() &&
                      head.total <= answer_head::max_total;
    if (!fits) return std::nullopt;
    return head;
}

/// Reads the whole answer in `bytes`, whose head is `head`, into `m`. False where the two do not fit.
inline bool from_bytes(const std::vector<unsigned char>& bytes, const answer_head& head, measurement& m)
{
    if (head.total != bytes.size() || bytes.size() < sizeof head) return false;
    try {
        m = measurement_from(std::span(bytes).subspan(sizeof head));
        return true;
    } catch (const error&) {
        return false;
    }
}

/// One line about what was written outside the outputs; empty where nothing was. It restores the canaries.
inline std::string damage_at(std::span<const canary> canaries)
{
    std::string where;
    for (std::size_t k = 0; k < canaries.size(); ++k) {
        const canary& c = canaries[k];
        const std::size_t first = c.first_damaged();
        if (first == c.size) continue;
        c.restore();
        where += where.empty() ? "wrote beside output " : ", ";
        where += std::to_string(k) + ", " + std::to_string(first) + " bytes past its end";
    }
    return where;
}

/// Turns a measurement into that of a candidate that wrote outside its output.
inline void blame(measurement& m, const std::string& where)
{
    if (m.failed && (m.failed->kind == failure_kind::crash || m.failed->kind == failure_kind::exited)) {
        m.failed->message += "; " + where;
    } else {
        m.failed = failure{failure_kind::damaged_canary, 0, where};
    }
    m.cost = std::numeric_limits<double>::quiet_NaN();
    m.spread = 0;
    m.at_least = false;
    m.checked = check_state::unchecked;
}

/// What one order comes to; what the candidate throws is its failure.
inline measurement outcome_of(const work_ref& work, const order& next)
{
    measurement m;
    try {
        m = work.run(work.self, static_cast<std::size_t>(next.task), next.candidate, next.within);
    } catch (const std::bad_alloc&) {
        m.failed = failure{failure_kind::out_of_memory, 0, "std::bad_alloc"};
    } catch (const std::exception& e) {
        m.failed = failure{failure_kind::invalid, 0, std::string("threw: ") + e.what()};
    } catch (...) {
        m.failed = failure{failure_kind::invalid, 0, "threw something other than a std::exception"};
    }
    return m;
}

/// Answers that there is no memory left, which takes none.
inline bool answer_without_memory(const order& to) noexcept
{
    static constexpr char message[] = "left no memory for its own answer";
    struct {
        answer_head head;
        measurement_head measured;
        char text[sizeof message];
    } out;
    out.measured.failed = 1;
    out.measured.kind = static_cast<std::uint8_t>(failure_kind::out_of_memory);
    out.measured.message = sizeof message - 1;
    out.head.nonce = to.nonce;
    out.head.candidate = to.candidate;
    out.head.total = sizeof out.head + sizeof out.measured + out.measured.message;
    std::memcpy(out.text, message, sizeof message);
    return send_packet(3, &out, static_cast<std::size_t>(out.head.total));
}

/// Answers orders on descriptor 3 until the other end is closed. After each candidate it checks `own`: canaries that
/// the parent cannot see. It throws nothing: an exception would run the parent's own handlers and destructors here.
[[noreturn]] inline void obey(const work_ref& work, std::span<const canary> own) noexcept
{
    const process_state before;
    order next;
    while (receive_packet(3, &next, sizeof next) == sizeof next) {
        bool heard = true;
        try {
            measurement m = outcome_of(work, next);
            if (const std::string where = damage_at(own); !where.empty()) blame(m, where);
            const std::vector<unsigned char> bytes = to_bytes(next, m, before.changed());
            for (std::size_t sent = 0; heard && sent < bytes.size(); sent += max_packet)
                heard = send_packet(3, bytes.data() + sent, (std::min)(max_packet, bytes.size() - sent));
        } catch (const std::bad_alloc&) {
            heard = answer_without_memory(next);
        }
        if (!heard) end_process(status_unheard);
        before.restore();  // after the answer, while the parent handles it
    }
    end_process(0);
}

}  // namespace tunekit::measure::detail
