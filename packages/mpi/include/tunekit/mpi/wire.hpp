// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Messages as bytes, and back.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/mpi/detail/bytes.hpp"
#include "tunekit/mpi/messages.hpp"

namespace tunekit::mpi {

/// The bytes of a message.
[[nodiscard]] inline std::vector<unsigned char> to_bytes(const greeting& g)
{
    detail::writer w;
    w.number(g.protocol)
        .text(g.version)
        .text(g.host)
        .text(g.device)
        .number(g.local_rank)
        .number(static_cast<std::uint8_t>(g.part));
    w.number(std::uint64_t{g.tasks.size()});
    for (const auto& t : g.tasks) w.number(t.size).number(t.fingerprint);
    return std::move(w).bytes();
}

[[nodiscard]] inline std::vector<unsigned char> to_bytes(const order& o)
{
    detail::writer w;
    w.number(o.number).number(o.task).number(o.candidate);
    w.number(o.within.abandon_above).number(o.within.run_seconds).number(o.within.build_seconds).block(o.code);
    return std::move(w).bytes();
}

[[nodiscard]] inline std::vector<unsigned char> to_bytes(const reply& r)
{
    detail::writer w;
    w.number(r.number).number(r.ran_s).block(r.code).number(static_cast<std::uint8_t>(r.measured ? 1 : 0));
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

/// The bytes of an order's number.
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
    const auto what = r.number<std::uint8_t>();
    if (what > static_cast<std::uint8_t>(part::runs)) return std::nullopt;
    g.part = static_cast<part>(what);
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
    o.code = r.block();
    if (!r.whole()) return std::nullopt;
    return o;
}

template <>
[[nodiscard]] inline std::optional<reply> from_bytes<reply>(std::span<const unsigned char> bytes)
{
    detail::reader r(bytes);
    reply out{.number = r.number<std::uint64_t>()};
    out.ran_s = r.number<double>();
    out.code = r.block();
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

}  // namespace tunekit::mpi
