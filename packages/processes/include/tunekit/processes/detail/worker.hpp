// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The child that runs candidates: its limits, its orders and its answers.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tunekit/measure/concepts.hpp"
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

/// The limits of a worker's candidates.
struct worker_hold {
    std::size_t memory_bytes = 0;    ///< what a candidate may add; 0: no limit
    bool watched = false;            ///< the parent limits resident memory; else the system limits the address space
    std::vector<canary> canaries{};  ///< those that the parent can see
    std::vector<int> cores{};        ///< processors; empty: all that this process may use
    bool enclosed = false;           ///< each worker has a PID namespace
    bool confined = false;           ///< the same, without a network and without some system calls
};

/// A number that cannot be guessed.
std::uint64_t fresh_nonce() noexcept;

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
std::vector<unsigned char> to_bytes(const order& to, const measurement& m, bool changed);

/// The head of an answer that begins with `bytes`. Empty where they are no answer to `to`: a candidate may have damaged
/// the worker that sent them, or have sent them itself.
std::optional<answer_head> head_of(const std::vector<unsigned char>& bytes, const order& to);

/// Reads the whole answer in `bytes`, whose head is `head`, into `m`. False where the two do not fit.
bool from_bytes(const std::vector<unsigned char>& bytes, const answer_head& head, measurement& m);

/// One line about what was written outside the outputs; empty where nothing was. It restores the canaries.
std::string damage_at(std::span<const canary> canaries);

/// Turns a measurement into that of a candidate that wrote outside its output.
void blame(measurement& m, const std::string& where);

/// Answers orders on descriptor 3 until the other end is closed. After each candidate it checks `own`: canaries that
/// the parent cannot see. It throws nothing: an exception would run the parent's own handlers and destructors here.
[[noreturn]] void obey(const work_ref& work, std::span<const canary> own) noexcept;

}  // namespace tunekit::measure::detail
