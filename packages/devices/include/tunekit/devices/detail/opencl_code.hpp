// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Files of built OpenCL programs: the resources of each kernel, and the driver's binary, or the text that it was built
/// from.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/text.hpp"

namespace tunekit::measure::detail {

/// The resources of one kernel, as the driver that built it reports them.
struct opencl_resources {
    std::int64_t max_threads = 0;    ///< the most work-items per work-group
    std::int64_t shared_bytes = 0;   ///< local memory per work-group that its text declares
    std::int64_t private_bytes = 0;  ///< private memory per work-item; 0 where the driver does not say

    friend bool operator==(const opencl_resources&, const opencl_resources&) = default;
};

/// A built program. Its file has lines `kernel NAME max_threads shared_bytes private_bytes`, `text OPTIONS` where it
/// holds no binary, an empty line, and the binary or the text.
struct opencl_code {
    std::map<std::string, opencl_resources> kernels{};  ///< the resources of each kernel, by its name
    std::string binary{};  ///< for clCreateProgramWithBinary, on the same device and driver
    /// Those of clBuildProgram, where `binary` is the text: of a driver that keeps what it built of each text.
    std::optional<std::string> options{};

    /// The content of a file.
    [[nodiscard]] std::string text() const
    {
        std::string out;
        for (const auto& [name, k] : kernels)
            out += "kernel " + name + ' ' + std::to_string(k.max_threads) + ' ' + std::to_string(k.shared_bytes) + ' ' +
                   std::to_string(k.private_bytes) + '\n';
        if (options) out += "text " + *options + '\n';
        return out + '\n' + binary;
    }

    friend bool operator==(const opencl_code&, const opencl_code&) = default;
};

/// The program in a file's content; empty where it is not a program.
[[nodiscard]] inline std::optional<opencl_code> parse_opencl_code(std::string_view text)
{
    opencl_code out;
    while (!text.empty() && text.front() != '\n') {
        const std::string line(text.substr(0, (std::min)(text.find('\n'), text.size())));
        if (line.starts_with("text ") && line.size() < text.size()) {
            out.options = line.substr(5);
            text.remove_prefix(line.size() + 1);
            break;
        }
        char name[256] = {};
        opencl_resources k;
        long long threads = 0, shared = 0, own = 0;
        if (line.size() == text.size() ||
            std::sscanf(line.c_str(), "kernel %255s %lld %lld %lld", name, &threads, &shared, &own) != 4)
            return std::nullopt;
        k = {threads, shared, own};
        out.kernels.emplace(name, k);
        text.remove_prefix(line.size() + 1);
    }
    if (text.empty() || text.front() != '\n' || out.kernels.empty()) return std::nullopt;
    out.binary = text.substr(1);
    return out;
}

/// A launch for which a compiler prepares a program, in words: the entry, the work-group, the bytes of local memory,
/// and each argument, `a` and its bytes for an array, and `v` with hexadecimal digits for a value.
struct opencl_launch {
    struct argument {
        std::size_t array = 0;               ///< its bytes; 0 for a value
        std::vector<unsigned char> value{};  ///< that of a value

        friend bool operator==(const argument&, const argument&) = default;
    };

    std::string entry{};
    std::array<std::size_t, 3> block{1, 1, 1};
    std::size_t shared_bytes = 0;
    std::vector<argument> arguments{};

    [[nodiscard]] std::string text() const
    {
        std::string out = entry;
        for (const std::size_t n : {block[0], block[1], block[2], shared_bytes}) out += ' ' + std::to_string(n);
        for (const argument& a : arguments) {
            out += a.array != 0 ? " a" + std::to_string(a.array) : " v";
            for (const unsigned char byte : a.value)
                for (const int digit : {byte / 16, byte % 16}) out += "0123456789abcdef"[digit];
        }
        return out;
    }
    /// Reads what `text` wrote.
    [[nodiscard]] static opencl_launch of(std::string_view text)
    {
        const auto word = [&] {
            const std::string_view out = text.substr(0, text.find(' '));
            text.remove_prefix((std::min)(out.size() + 1, text.size()));
            return out;
        };
        const auto number = [](std::string_view of) { return core::number<std::size_t>(of).value_or(0); };
        const auto digit = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
        opencl_launch out{.entry = std::string(word())};
        for (std::size_t& n : out.block) n = number(word());
        out.shared_bytes = number(word());
        while (!text.empty()) {
            const std::string_view a = word();
            argument& to = out.arguments.emplace_back();
            if (a.starts_with('a')) to.array = number(a.substr(1));
            else
                for (std::size_t k = 1; k + 1 < a.size(); k += 2)
                    to.value.push_back(static_cast<unsigned char>(digit(a[k]) * 16 + digit(a[k + 1])));
        }
        return out;
    }

    friend bool operator==(const opencl_launch&, const opencl_launch&) = default;
};

}  // namespace tunekit::measure::detail
