// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What the messages say, and their form as bytes. All ranks must be of one kind of machine as to the order and size of
/// numbers.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/measurement.hpp"
#include "tunekit/mpi/messages.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/processes/worker_task.hpp"
#include "tunekit/space/concepts.hpp"

namespace tunekit::mpi::detail {

/// The greeting of a rank: its version and build, host, device, duty and tasks.
struct greeting {
    std::uint32_t protocol = current;  ///< the version of these messages
    std::string version{};             ///< the version of tunekit
    std::string build{};               ///< which program it is: a text of the caller's or a sum; empty: any
    std::string host{};                ///< the name of the machine
    /// The key of the device on which it measures. Ranks with the same key may share a table of costs.
    std::string device{};
    std::uint32_t local_rank = 0;                 ///< its number among the ranks of its machine
    mpi::duty duty = mpi::duty::measures;         ///< what it does of a job
    std::vector<measure::task_identity> tasks{};  ///< its tasks

    static constexpr std::uint32_t current = 7;  ///< the version of the messages of this library

    friend bool operator==(const greeting&, const greeting&) = default;
    /// Hands `io` the members of `m` in the order of their bytes.
    static void each(auto& m, auto& io)
    {
        io(m.protocol), io(m.version), io(m.build), io(m.host), io(m.device), io(m.local_rank), io(m.duty), io(m.tasks);
    }
};

/// One configuration to be measured, built or run.
struct order {
    std::uint64_t number = 0;           ///< the number of the order; `began` and the reply repeat it
    std::uint64_t task = 0;             ///< the position of the task in those of the greeting
    index candidate = 0;                ///< the configuration, in the space of that task
    measure::limits within{};           ///< the limits of the measurement
    std::vector<unsigned char> code{};  ///< what was built of it, for a rank that runs; empty otherwise

    friend bool operator==(const order&, const order&) = default;
    static void each(auto& m, auto& io)
    {
        io(m.number), io(m.task), io(m.candidate), io(m.code);
        io(m.within.abandon_above), io(m.within.run_seconds), io(m.within.build_seconds), io(m.within.abandon_factor);
        io(m.within.max_runs);
    }
};

/// The reply to an order.
struct reply {
    std::uint64_t number = 0;                        ///< the number of the order
    std::optional<measure::measurement> measured{};  ///< the measurement; none: it was lost on that rank
    double ran_s = 0;                                ///< the seconds that the rank spent on it
    std::vector<unsigned char> code{};               ///< what a rank built, where it only builds; empty otherwise

    friend bool operator==(const reply&, const reply&) = default;
    static void each(auto& m, auto& io) { io(m.number), io(m.measured), io(m.ran_s), io(m.code); }

    /// Whether its seconds can be times: a damaged rank's are added up and written into logs like any other's, so the
    /// sum of many has to stay finite.
    [[nodiscard]] bool possible() const noexcept
    {
        const auto time = [](double s) { return s >= 0 && s <= io::max_seconds; };
        return time(ran_s) && (!measured || (time(measured->build_seconds) && time(measured->run_seconds)));
    }
};

/// Writes values as bytes, one after another.
class writer {
public:
    template <class T>
        requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
    void operator()(T x)
    {
        append(&x, sizeof x);
    }
    void operator()(const std::string& s) { block(s.data(), (std::min)(s.size(), max_text)); }
    void operator()(const std::vector<unsigned char>& b) { block(b.data(), b.size()); }
    void operator()(const std::vector<measure::task_identity>& tasks)
    {
        (*this)(std::uint64_t{tasks.size()});
        for (const auto& t : tasks) (*this)(t.size), (*this)(t.fingerprint), (*this)(t.times);
    }
    /// No measurement has no bytes.
    void operator()(const std::optional<measure::measurement>& m)
    {
        (*this)(m ? measure::to_bytes(*m) : std::vector<unsigned char>());
    }
    [[nodiscard]] std::vector<unsigned char> bytes() && { return std::move(bytes_); }

    static constexpr std::size_t max_text = 65536;  ///< bytes; a longer text is cut

private:
    void append(const void* from, std::size_t n)
    {
        const auto* const p = static_cast<const unsigned char*>(from);
        bytes_.insert(bytes_.end(), p, p + n);
    }
    void block(const void* from, std::size_t n) { (*this)(std::uint64_t{n}), append(from, n); }

    std::vector<unsigned char> bytes_{};
};

/// Reads what `writer` wrote. What is missing, or is no such value, reads as 0 or empty, and `whole` is false from then
/// on.
class reader {
public:
    explicit reader(std::span<const unsigned char> bytes) : left_(bytes) {}

    template <class T>
        requires std::is_arithmetic_v<T>
    void operator()(T& x)
    {
        if (const auto b = next(sizeof x); !b.empty()) std::memcpy(&x, b.data(), sizeof x);
    }
    void operator()(duty& x)
    {
        std::uint8_t number = 0;
        (*this)(number);
        good_ = good_ && number <= static_cast<std::uint8_t>(duty::runs);
        x = good_ ? static_cast<duty>(number) : duty{};
    }
    void operator()(std::string& s)
    {
        const auto b = block(writer::max_text);
        s.assign(b.begin(), b.end());
    }
    void operator()(std::vector<unsigned char>& out)
    {
        const auto b = block(max_code);
        out.assign(b.begin(), b.end());
    }
    void operator()(std::vector<measure::task_identity>& tasks)
    {
        std::uint64_t n = 0;
        (*this)(n);
        for (; n > 0 && good_; --n) {
            auto& t = tasks.emplace_back();
            (*this)(t.size), (*this)(t.fingerprint), (*this)(t.times);
        }
    }
    void operator()(std::optional<measure::measurement>& m)
    {
        try {
            if (const auto b = block(max_code); !b.empty()) m = measure::measurement_from(b);
        } catch (const error&) {
            good_ = false;
        }
    }
    /// Whether everything was there, and nothing more.
    [[nodiscard]] bool whole() const noexcept { return good_ && left_.empty(); }

private:
    std::span<const unsigned char> next(std::uint64_t n)
    {
        good_ = good_ && n <= left_.size();
        if (!good_) return {};
        const auto out = left_.first(static_cast<std::size_t>(n));
        left_ = left_.subspan(out.size());
        return out;
    }
    std::span<const unsigned char> block(std::size_t most)
    {
        std::uint64_t n = 0;
        (*this)(n);
        good_ = good_ && n <= most;
        return next(n);
    }

    std::span<const unsigned char> left_;
    bool good_ = true;
};

/// Hands `io` the parts of `m`: the members of a message, or the number or text that it is.
template <class M>
void each_part(auto& m, auto& io)
{
    if constexpr (requires { M::each(m, io); }) M::each(m, io);
    else io(m);
}

/// The bytes of a message: a greeting, an order, a reply, the number of an order, or a text.
template <class M>
[[nodiscard]] std::vector<unsigned char> to_bytes(const M& m)
{
    writer w;
    each_part<M>(m, w);
    return std::move(w).bytes();
}

/// Reads a message from its bytes; none where they are no such message, or one whose numbers are impossible.
template <class M>
[[nodiscard]] std::optional<M> from_bytes(std::span<const unsigned char> bytes)
{
    reader r(bytes);
    M m{};
    each_part<M>(m, r);
    if constexpr (requires { m.possible(); })
        if (r.whole() && !m.possible()) return std::nullopt;
    return r.whole() ? std::optional(std::move(m)) : std::nullopt;
}

}  // namespace tunekit::mpi::detail
