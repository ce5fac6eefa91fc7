// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A measurement as bytes, and back: for pipes and messages between processes of one kind of machine.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/measure/measurement.hpp"

namespace tunekit::measure {

namespace detail {

/// The first bytes of a measurement. The message and the batches follow.
struct measurement_head {
    double cost = 0, spread = 0, build_seconds = 0, run_seconds = 0;
    std::array<double, measured_values::most> values{};
    std::uint32_t message = 0, batches = 0, runs = 0;  ///< the first two: how many bytes and doubles follow
    std::int32_t code = 0;
    std::uint8_t failed = 0, kind = 0, at_least = 0, checked = 0, value_count = 0;
    std::uint8_t unused[3] = {};

    static constexpr std::size_t most = 65536;  ///< of the message, and of the batches
};
static_assert(sizeof(measurement_head) == 96 + 16 + 8, "every byte is set");

}  // namespace detail

/// The bytes of a measurement: 120, the failure's message, the batches. Of a message or batches beyond 65536 only the first
/// are taken; cost and spread come from all of them.
[[nodiscard]] inline std::vector<unsigned char> to_bytes(const measurement& m)
{
    using detail::measurement_head;
    const std::string_view message = m.failed ? std::string_view(m.failed->message) : std::string_view();
    measurement_head h{m.cost, m.spread, m.build_seconds, m.run_seconds};
    std::copy(m.values.begin(), m.values.end(), h.values.begin());
    h.message = static_cast<std::uint32_t>((std::min)(message.size(), h.most));
    h.batches = static_cast<std::uint32_t>((std::min)(m.batches.size(), h.most));
    h.runs = m.runs;
    h.failed = m.failed ? 1 : 0;
    h.kind = m.failed ? static_cast<std::uint8_t>(m.failed->kind) : 0;
    h.code = m.failed ? m.failed->code : 0;
    h.at_least = m.at_least ? 1 : 0;
    h.checked = static_cast<std::uint8_t>(m.checked);
    h.value_count = static_cast<std::uint8_t>(m.values.size());
    std::vector<unsigned char> out(sizeof h + h.message + h.batches * sizeof(double));
    std::memcpy(out.data(), &h, sizeof h);
    if (h.message != 0) std::memcpy(out.data() + sizeof h, message.data(), h.message);
    if (h.batches != 0) std::memcpy(out.data() + sizeof h + h.message, m.batches.data(), h.batches * sizeof(double));
    return out;
}

/// The measurement of `bytes`, which a damaged or hostile process may have sent. Throws tunekit::error, one line, where they
/// are not what `to_bytes` writes.
[[nodiscard]] inline measurement measurement_from(std::span<const unsigned char> bytes)
{
    const auto check = [](bool good, const char* what) {
        if (!good) throw error(std::string("measurement: its bytes ") + what);
    };
    detail::measurement_head h;
    check(bytes.size() >= sizeof h, "end before its numbers do");
    std::memcpy(&h, bytes.data(), sizeof h);
    check(h.message <= h.most && h.batches <= h.most, "claim a longer message or more batches than are ever sent");
    check(bytes.size() == sizeof h + h.message + h.batches * sizeof(double), "are fewer or more than they claim");
    check(failure_kind_of(h.kind).has_value(), "name a kind of failure that there is not");
    check(h.value_count <= h.values.size(), "claim more values than a measurement has");
    check(h.failed <= 1 && h.at_least <= 1 && h.checked <= 1, "have another answer than yes and no");
    measurement m{.cost = h.cost,
                  .spread = h.spread,
                  .runs = h.runs,
                  .at_least = h.at_least != 0,
                  .checked = static_cast<check_state>(h.checked),
                  .build_seconds = h.build_seconds,
                  .run_seconds = h.run_seconds};
    m.values = measured_values(std::span(h.values).first(h.value_count));
    const unsigned char* const rest = bytes.data() + sizeof h;
    if (h.failed != 0) m.failed = failure{*failure_kind_of(h.kind), h.code, std::string(rest, rest + h.message)};
    m.batches.resize(h.batches);
    if (h.batches != 0) std::memcpy(m.batches.data(), rest + h.message, h.batches * sizeof(double));
    return m;
}

}  // namespace tunekit::measure
