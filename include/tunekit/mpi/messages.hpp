// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The messages between rank 0 and the ranks that measure, and the concept of their carrier.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
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

/// The greeting of a rank: its version, host, device and tasks.
struct greeting {
    std::uint32_t protocol = current;
    std::string version{};  ///< of tunekit
    std::string host{};
    std::string
        device{};  ///< key of the device on which it measures: ranks with the same key may share a table of costs
    std::uint32_t local_rank = 0;
    std::vector<measure::task_identity> tasks{};

    static constexpr std::uint32_t current = 1;

    friend bool operator==(const greeting&, const greeting&) = default;
};

/// One configuration to be measured.
struct order {
    std::uint64_t number = 0;
    std::uint64_t task = 0;
    index candidate = 0;
    measure::limits within{};

    friend bool operator==(const order&, const order&) = default;
};

/// The reply to an order.
struct reply {
    std::uint64_t number = 0;
    std::optional<measure::measurement> measured{};  ///< none: it was lost on that rank
    double ran_s = 0;

    friend bool operator==(const reply&, const reply&) = default;
};

/// The most batches that a reply carries; of more, only the first are sent. (`cost` and `spread` were made of all of
/// them, where they were measured.)
inline constexpr std::size_t max_batches = 65536;
/// The longest text that a message carries, in bytes; a longer one is cut.
inline constexpr std::size_t max_text = 65536;

namespace detail {

/// Numbers and texts as bytes. All ranks are of one kind of machine as to the order and size of numbers.
class writer {
public:
    template <class T>
        requires std::is_arithmetic_v<T>
    writer& number(T x)
    {
        const auto* const p = reinterpret_cast<const unsigned char*>(&x);
        bytes_.insert(bytes_.end(), p, p + sizeof x);
        return *this;
    }
    writer& text(const std::string& s)
    {
        const std::size_t n = s.size() < max_text ? s.size() : max_text;
        number(std::uint64_t{n});
        bytes_.insert(bytes_.end(), s.begin(), s.begin() + static_cast<std::ptrdiff_t>(n));
        return *this;
    }
    [[nodiscard]] std::vector<unsigned char> bytes() && { return std::move(bytes_); }

private:
    std::vector<unsigned char> bytes_{};
};

/// Reads what `writer` wrote. What is not there is 0, and `whole` false from then on.
class reader {
public:
    explicit reader(std::span<const unsigned char> bytes) : left_(bytes) {}

    template <class T>
    T number()
    {
        T x{};
        if (left_.size() < sizeof x) {
            short_ = true;
            return x;
        }
        std::memcpy(&x, left_.data(), sizeof x);
        left_ = left_.subspan(sizeof x);
        return x;
    }
    std::string text()
    {
        const auto n = number<std::uint64_t>();
        if (n > left_.size() || n > max_text) {
            short_ = true;
            return {};
        }
        std::string out(left_.begin(), left_.begin() + static_cast<std::ptrdiff_t>(n));
        left_ = left_.subspan(static_cast<std::size_t>(n));
        return out;
    }
    [[nodiscard]] std::size_t left() const noexcept { return left_.size(); }
    /// Everything was there, and nothing besides.
    [[nodiscard]] bool whole() const noexcept { return !short_ && left_.empty(); }

private:
    std::span<const unsigned char> left_;
    bool short_ = false;
};

}  // namespace detail

/// The bytes of a message.
[[nodiscard]] inline std::vector<unsigned char> to_bytes(const greeting& g)
{
    detail::writer w;
    w.number(g.protocol).text(g.version).text(g.host).text(g.device).number(g.local_rank);
    w.number(std::uint64_t{g.tasks.size()});
    for (const auto& t : g.tasks) w.number(t.size).number(t.fingerprint);
    return std::move(w).bytes();
}

[[nodiscard]] inline std::vector<unsigned char> to_bytes(const order& o)
{
    detail::writer w;
    w.number(o.number).number(o.task).number(o.candidate);
    w.number(o.within.abandon_above).number(o.within.run_seconds).number(o.within.build_seconds);
    return std::move(w).bytes();
}

[[nodiscard]] inline std::vector<unsigned char> to_bytes(const reply& r)
{
    detail::writer w;
    w.number(r.number).number(r.ran_s).number(static_cast<std::uint8_t>(r.measured ? 1 : 0));
    if (r.measured) {
        const measure::measurement& m = *r.measured;
        w.number(m.cost).number(m.spread).number(m.runs).number(static_cast<std::uint8_t>(m.at_least ? 1 : 0));
        w.number(m.build_seconds).number(m.run_seconds).number(static_cast<std::uint8_t>(m.failed ? 1 : 0));
        if (m.failed)
            w.number(static_cast<std::uint8_t>(m.failed->kind)).number(m.failed->code).text(m.failed->message);
        const std::size_t n = m.batches.size() < max_batches ? m.batches.size() : max_batches;
        w.number(std::uint64_t{n});
        for (std::size_t k = 0; k < n; ++k) w.number(m.batches[k]);
    }
    return std::move(w).bytes();
}

/// The bytes of an order's number, or of a text.
[[nodiscard]] inline std::vector<unsigned char> to_bytes(std::uint64_t number)
{
    detail::writer w;
    w.number(number);
    return std::move(w).bytes();
}
[[nodiscard]] inline std::vector<unsigned char> to_bytes(const std::string& text)
{
    detail::writer w;
    w.text(text);
    return std::move(w).bytes();
}

/// Reads a message from its bytes; none where they are no such message.
template <class T>
[[nodiscard]] std::optional<T> from_bytes(std::span<const unsigned char> bytes) = delete;

template <>
[[nodiscard]] inline std::optional<greeting> from_bytes<greeting>(std::span<const unsigned char> bytes)
{
    detail::reader r(bytes);
    greeting g{.protocol = r.number<std::uint32_t>()};
    g.version = r.text();
    g.host = r.text();
    g.device = r.text();
    g.local_rank = r.number<std::uint32_t>();
    const auto n = r.number<std::uint64_t>();
    if (n > r.left() / (2 * sizeof(std::uint64_t))) return std::nullopt;
    for (std::uint64_t k = 0; k < n; ++k) {
        const auto size = r.number<std::uint64_t>();
        g.tasks.push_back({size, r.number<std::uint64_t>()});
    }
    if (!r.whole()) return std::nullopt;
    return g;
}

template <>
[[nodiscard]] inline std::optional<order> from_bytes<order>(std::span<const unsigned char> bytes)
{
    detail::reader r(bytes);
    order o{.number = r.number<std::uint64_t>()};
    o.task = r.number<std::uint64_t>();
    o.candidate = r.number<index>();
    o.within.abandon_above = r.number<double>();
    o.within.run_seconds = r.number<double>();
    o.within.build_seconds = r.number<double>();
    if (!r.whole()) return std::nullopt;
    return o;
}

template <>
[[nodiscard]] inline std::optional<reply> from_bytes<reply>(std::span<const unsigned char> bytes)
{
    detail::reader r(bytes);
    reply out{.number = r.number<std::uint64_t>()};
    out.ran_s = r.number<double>();
    if (r.number<std::uint8_t>() != 0) {
        measure::measurement& m = out.measured.emplace();
        m.cost = r.number<double>();
        m.spread = r.number<double>();
        m.runs = r.number<std::uint32_t>();
        m.at_least = r.number<std::uint8_t>() != 0;
        m.build_seconds = r.number<double>();
        m.run_seconds = r.number<double>();
        if (r.number<std::uint8_t>() != 0) {
            const auto kind = measure::failure_kind_of(r.number<std::uint8_t>());
            if (!kind) return std::nullopt;
            const int code = r.number<int>();
            m.failed = measure::failure{*kind, code, r.text()};
        }
        const auto n = r.number<std::uint64_t>();
        if (n > max_batches || n * sizeof(double) != r.left()) return std::nullopt;
        m.batches.reserve(static_cast<std::size_t>(n));
        for (std::uint64_t k = 0; k < n; ++k) m.batches.push_back(r.number<double>());
    }
    if (!r.whole()) return std::nullopt;
    return out;
}

template <>
[[nodiscard]] inline std::optional<std::uint64_t> from_bytes<std::uint64_t>(std::span<const unsigned char> bytes)
{
    detail::reader r(bytes);
    const auto n = r.number<std::uint64_t>();
    if (!r.whole()) return std::nullopt;
    return n;
}

template <>
[[nodiscard]] inline std::optional<std::string> from_bytes<std::string>(std::span<const unsigned char> bytes)
{
    detail::reader r(bytes);
    std::string out = r.text();
    if (!r.whole()) return std::nullopt;
    return out;
}

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
