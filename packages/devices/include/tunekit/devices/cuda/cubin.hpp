// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The resources that a compiled kernel needs, read from its machine code. No device is needed.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tunekit/processes/system/own_files.hpp"

namespace tunekit::measure {

namespace detail {

/// The parts of a little-endian 64-bit ELF file that cubins use. Offsets out of range give an empty text.
class cubin_reader {
public:
    explicit cubin_reader(std::string_view bytes) : bytes_(bytes)
    {
        if (bytes_.size() < 64 ||
            bytes_.substr(0, 4) !=
                "\x7f"
                "ELF" ||
            bytes_[4] != 2 || bytes_[5] != 1 || number<std::uint16_t>(bytes_, 18) != machine)
            return;
        table_ = number<std::uint64_t>(bytes_, 40);
        if (table_ > bytes_.size()) return;
        const std::size_t most = (bytes_.size() - static_cast<std::size_t>(table_)) / 64;  // headers in the file
        count_ = (std::min)(most, std::size_t{number<std::uint16_t>(bytes_, 60)});
        names_ = contents(number<std::uint16_t>(bytes_, 62));
    }

    static constexpr std::uint16_t machine = 190;  ///< EM_CUDA
    [[nodiscard]] std::size_t sections() const noexcept { return count_; }

    [[nodiscard]] std::string_view name(std::size_t k) const
    {
        return text(names_, number<std::uint32_t>(bytes_, header(k)));
    }
    [[nodiscard]] std::uint64_t size(std::size_t k) const { return number<std::uint64_t>(bytes_, header(k) + 32); }
    [[nodiscard]] std::string_view contents(std::size_t k) const
    {
        if (number<std::uint32_t>(bytes_, header(k) + 4) == 8) return {};  // SHT_NOBITS: nothing in the file
        return part(bytes_, number<std::uint64_t>(bytes_, header(k) + 24), size(k));
    }
    /// The name of symbol `i` of the table in section `k`.
    [[nodiscard]] std::string_view symbol(std::size_t k, std::size_t i) const
    {
        const std::string_view names = contents(number<std::uint32_t>(bytes_, header(k) + 40));
        return text(names, number<std::uint32_t>(contents(k), 24 * i));
    }

    template <class T>
    [[nodiscard]] static T number(std::string_view from, std::uint64_t at) noexcept
    {
        T out{};
        if (at <= from.size() && from.size() - at >= sizeof out) std::memcpy(&out, from.data() + at, sizeof out);
        return out;
    }
    [[nodiscard]] static std::string_view part(std::string_view from, std::uint64_t at, std::uint64_t size) noexcept
    {
        return at <= from.size() && from.size() - at >= size ? from.substr(at, size) : std::string_view();
    }

private:
    [[nodiscard]] std::uint64_t header(std::size_t k) const noexcept { return table_ + 64 * std::uint64_t{k}; }
    [[nodiscard]] static std::string_view text(std::string_view names, std::uint64_t at) noexcept
    {
        const std::string_view rest = at < names.size() ? names.substr(at) : std::string_view();
        return rest.substr(0, rest.find('\0'));
    }

    std::string_view bytes_;
    std::string_view names_{};
    std::uint64_t table_ = 0;
    std::size_t count_ = 0;
};

/// Calls `f(attribute, value)` for each entry of an .nv.info section: format and attribute of a byte each, then two
/// bytes that are the value (formats 1 to 3) or its length (format 4).
template <class F>
void each_attribute(std::string_view info, F&& f)
{
    for (std::size_t at = 0; at + 4 <= info.size();) {
        const auto format = static_cast<unsigned char>(info[at]);
        const auto attribute = static_cast<unsigned char>(info[at + 1]);
        std::size_t length = 0;
        if (format == 4) length = cubin_reader::number<std::uint16_t>(info, at + 2);
        f(attribute, cubin_reader::part(info, format == 4 ? at + 4 : at + 2, format == 4 ? length : 2));
        at += 4 + length;
    }
}

}  // namespace detail

/// The resources that one kernel needs. CUDA's cuFuncGetAttribute gives the same for a loaded kernel.
struct cuda_resources {
    int registers = 0;             ///< per thread; 0: not known
    std::size_t local_bytes = 0;   ///< per thread: values that did not fit into registers, and arrays that are indexed
    std::size_t shared_bytes = 0;  ///< per block, without those that the launch adds
    int max_threads = 0;           ///< per block, from __launch_bounds__; 0: not given

    friend bool operator==(const cuda_resources&, const cuda_resources&) = default;
};

namespace detail {

/// The kernels of a cubin by name; empty where the bytes are no cubin. NVIDIA does not document the format. This reads
/// the attributes that cuobjdump and ptxas -v show. Tests compare the values with those of ptxas.
[[nodiscard]] inline std::map<std::string, cuda_resources> cubin_kernels(std::string_view cubin)
{
    constexpr unsigned char max_threads = 0x05, required_threads = 0x10, frame_size = 0x11, least_stack = 0x12;
    constexpr unsigned char registers = 0x2f;
    const cubin_reader file(cubin);
    std::map<std::string, cuda_resources> out;
    std::size_t symbols = 0;
    std::uint64_t reserved = 0;  // from compute capability 9 on, the size includes the system's own part of a block
    for (std::size_t k = 0; k < file.sections(); ++k) {
        const std::string_view name = file.name(k);
        if (name == ".symtab") symbols = k;
        if (name == ".nv.shared.reserved.0") reserved = 1024;
        if (name.starts_with(".text.")) out[std::string(name.substr(6))] = {};
    }
    const auto whole = [](std::string_view v, std::size_t at) { return cubin_reader::number<std::uint32_t>(v, at); };
    for (std::size_t k = 0; k < file.sections(); ++k) {
        const std::string_view name = file.name(k);
        const auto of = [&](std::string_view prefix) -> cuda_resources* {
            const auto at = name.starts_with(prefix) ? out.find(std::string(name.substr(prefix.size()))) : out.end();
            return at == out.end() ? nullptr : &at->second;
        };
        if (cuda_resources* const mine = of(".nv.shared.")) {
            mine->shared_bytes = static_cast<std::size_t>(file.size(k) > reserved ? file.size(k) - reserved : 0);
        } else if (cuda_resources* const bound = of(".nv.info.")) {
            each_attribute(file.contents(k), [&](unsigned char what, std::string_view v) {
                if ((what == max_threads || what == required_threads) && v.size() >= 12)
                    bound->max_threads = static_cast<int>(whole(v, 0) * whole(v, 4) * whole(v, 8));
            });
        } else if (name == ".nv.info") {
            each_attribute(file.contents(k), [&](unsigned char what, std::string_view v) {
                const auto at = v.size() >= 8 ? out.find(std::string(file.symbol(symbols, whole(v, 0)))) : out.end();
                if (at == out.end()) return;
                const std::uint32_t value = whole(v, 4);
                if (what == registers) at->second.registers = static_cast<int>(value);
                if ((what == frame_size || what == least_stack) && value > at->second.local_bytes)
                    at->second.local_bytes = value;
            });
        }
    }
    return out;
}

/// The resources of `kernel` in the file `cubin`, which is ours; empty where the file does not give them.
[[nodiscard]] inline std::optional<cuda_resources> cubin_resources(const std::string& cubin, const std::string& kernel)
{
    const auto all = cubin_kernels(bytes_of(cubin).value_or(std::string()));
    const auto at = all.find(kernel);
    if (at == all.end() || at->second.registers == 0) return std::nullopt;
    return at->second;
}

}  // namespace detail
}  // namespace tunekit::measure
