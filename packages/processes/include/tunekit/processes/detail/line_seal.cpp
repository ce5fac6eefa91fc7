// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/line_seal.hpp"

#include <array>

namespace tunekit::io {

namespace detail {

namespace {

/// CRC-32C (Castagnoli, polynomial 0x1EDC6F41, reflected), the checksum of RFC 3720, section 12.1. It finds every
/// change of up to three bits, and every burst of up to 32, in a line below 2^31 bits.
constexpr std::uint32_t crc32c(std::string_view bytes) noexcept
{
    constexpr auto table = [] {
        std::array<std::uint32_t, 256> out{};
        for (std::uint32_t i = 0; i < 256; ++i) {
            std::uint32_t x = i;
            for (int bit = 0; bit < 8; ++bit) x = x >> 1 ^ (x & 1U) * 0x82F63B78U;
            out[i] = x;
        }
        return out;
    }();
    std::uint32_t crc = ~std::uint32_t{0};
    for (const char c : bytes) crc = crc >> 8 ^ table[(crc ^ static_cast<unsigned char>(c)) & 0xffU];
    return ~crc;
}

static_assert(crc32c("123456789") == 0xE3069283U);

}  // namespace

std::string sealed(std::string_view line)
{
    line.remove_suffix(1);
    const std::uint32_t crc = crc32c(line);
    std::string out;
    out.reserve(line.size() + seal_size);
    out += line;
    out += seal_begins;
    for (int shift = 28; shift >= 0; shift -= 4) out += "0123456789abcdef"[crc >> shift & 15U];
    return out += "\"}";
}

seal seal_of(std::string_view line)
{
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() < seal_size || line.substr(line.size() - seal_size, seal_begins.size()) != seal_begins)
        return seal::none;
    const std::string_view body = line.substr(0, line.size() - seal_size);
    return sealed(std::string(body) + '}') == line ? seal::whole : seal::broken;
}

}  // namespace detail

}  // namespace tunekit::io
