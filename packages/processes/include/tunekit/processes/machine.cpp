// SPDX-License-Identifier: MIT
#include "tunekit/processes/machine.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstring>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace tunekit {

namespace detail {

namespace {

constexpr std::uint32_t osxsave = 1U << 27;  // in ecx of leaf 1: the system saves registers, xcr0 says which

/// What the processor says of itself, where it can be asked.
void ask_processor([[maybe_unused]] machine& m)
{
#if defined(__x86_64__) || defined(__i386__)
    cpuid_leaf leaf[3];
    for (const unsigned k : {0U, 1U, 2U})
        __get_cpuid_count(k == 2 ? 7 : k, 0, &leaf[k].eax, &leaf[k].ebx, &leaf[k].ecx, &leaf[k].edx);
    std::uint32_t xcr0 = 0, high = 0;
    if ((leaf[1].ecx & osxsave) != 0) __asm__ volatile("xgetbv" : "=a"(xcr0), "=d"(high) : "c"(0));
    const std::uint32_t cores = m.cores;
    m = x86_machine(leaf[0], leaf[1], leaf[2], xcr0);
    m.cores = cores;
#elif defined(__aarch64__)
    if (m.vectors == "unknown") m.vectors = "asimd";  // every one has them
#endif
}

bool is_letter_or_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

machine x86_machine(cpuid_leaf of0, cpuid_leaf of1, cpuid_leaf of7, std::uint32_t xcr0)
{
    machine m;
    char vendor[12];
    std::memcpy(vendor, &of0.ebx, 4);
    std::memcpy(vendor + 4, &of0.edx, 4);
    std::memcpy(vendor + 8, &of0.ecx, 4);
    std::string word;
    for (const char c : vendor)
        if (is_letter_or_digit(c)) word += c;  // "  Shanghai  "
    if (!word.empty()) m.vendor = word;
    m.stepping = of1.eax & 15;
    m.model = of1.eax >> 4 & 15;
    m.family = of1.eax >> 8 & 15;
    if (m.family >= 6) m.model += (of1.eax >> 16 & 15) << 4;
    if (m.family == 15) m.family += of1.eax >> 20 & 255;
    constexpr std::uint32_t avx = 1U << 28, avx2 = 1U << 5;
    constexpr std::uint32_t v4 = 1U << 16 | 1U << 17 | 1U << 28 | 1U << 30 | 1U << 31;  // F, DQ, CD, BW, VL
    const bool saved = (of1.ecx & osxsave) != 0 && (xcr0 & 6) == 6;
    m.vectors = "sse2";
    if (saved && (of1.ecx & avx) != 0) {
        m.vectors = "avx";
        if ((of7.ebx & avx2) != 0) m.vectors = (of7.ebx & v4) == v4 && (xcr0 & 0xe6) == 0xe6 ? "avx512" : "avx2";
    }
    return m;
}

machine machine_listed(std::string_view cpuinfo)
{
    struct implementer {
        std::uint32_t number;
        const char* name;
    };
    static constexpr implementer known[] = {
        {0x41, "ARM"},    {0x42, "Broadcom"},  {0x43, "Cavium"},   {0x46, "Fujitsu"}, {0x48, "HiSilicon"},
        {0x4e, "NVIDIA"}, {0x50, "APM"},       {0x51, "Qualcomm"}, {0x53, "Samsung"}, {0x61, "Apple"},
        {0x69, "Intel"},  {0x6d, "Microsoft"}, {0x70, "Phytium"},  {0xc0, "Ampere"}};
    machine m;
    while (!cpuinfo.empty()) {
        std::string_view line = cpuinfo.substr(0, cpuinfo.find('\n'));
        cpuinfo.remove_prefix((std::min)(cpuinfo.size(), line.size() + 1));
        const std::size_t colon = line.find(':');
        if (colon == line.npos) continue;
        const std::string_view name = line.substr(0, line.find_last_not_of("\t :", colon) + 1);
        std::string_view value = line.substr(colon + 1);
        value.remove_prefix((std::min)(value.size(), value.find_first_not_of(' ')));
        std::uint32_t number = 0;
        const bool hex = value.starts_with("0x");
        std::from_chars(value.data() + (hex ? 2 : 0), value.data() + value.size(), number, hex ? 16 : 10);
        if (name == "processor") ++m.cores;
        if (m.cores > 1) continue;
        if (name == "CPU implementer") {
            m.vendor = "implementer" + std::to_string(number);
            for (const implementer& one : known)
                if (one.number == number) m.vendor = one.name;
        }
        if (name == "CPU part") m.family = number;
        if (name == "CPU variant") m.model = number;
        if (name == "CPU revision") m.stepping = number;
        if (name == "Features")
            m.vectors = value.find(" sve") != value.npos    ? "sve"
                        : value.find("asimd") != value.npos ? "asimd"
                        : value.find("neon") != value.npos  ? "neon"
                                                            : "unknown";
    }
    return m;
}

}  // namespace detail

machine this_machine()
{
    std::string text;
    if (std::FILE* const file = std::fopen("/proc/cpuinfo", "r")) {
        char block[4096];
        while (const std::size_t n = std::fread(block, 1, sizeof block, file)) text.append(block, n);
        std::fclose(file);
    }
    machine m = detail::machine_listed(text);
    detail::ask_processor(m);
    return m;
}

std::string to_text(const machine& m)
{
    return m.vendor + ' ' + std::to_string(m.family) + '.' + std::to_string(m.model) + '.' +
           std::to_string(m.stepping) + ", " + std::to_string(m.cores) + (m.cores == 1 ? " core, " : " cores, ") +
           m.vectors;
}

std::optional<machine> machine::of(std::string_view text)
{
    std::string_view rest = text;
    const auto until = [&rest](std::string_view end) {
        const std::string_view part = rest.substr(0, rest.find(end));
        rest.remove_prefix((std::min)(rest.size(), part.size() + end.size()));
        return part;
    };
    const auto word = [&](std::string_view end) {
        const std::string_view part = until(end);
        const bool good = !part.empty() && std::all_of(part.begin(), part.end(), detail::is_letter_or_digit);
        return good ? std::string(part) : std::string();
    };
    const auto number = [&](std::string_view end) {
        std::uint32_t n = 0;
        const std::string_view part = until(end);
        std::from_chars(part.data(), part.data() + part.size(), n);
        return n;
    };
    machine m;
    m.vendor = word(" ");
    m.family = number(".");
    m.model = number(".");
    m.stepping = number(", ");
    m.cores = number(" ");
    until(", ");
    m.vectors = word("\n");
    if (m.vendor.empty() || m.vectors.empty() || to_text(m) != text) return std::nullopt;
    return m;
}

kinship kinship_of(const machine& a, const machine& b)
{
    if (a == b) return kinship::same;
    const bool kin = a.vendor == b.vendor && a.vendor != "unknown" && a.family == b.family && a.vectors == b.vectors;
    return kin ? kinship::kin : kinship::other;
}

kinship kinship_of(std::string_view a, std::string_view b)
{
    if (a == b) return kinship::same;
    const std::optional<machine> one = machine::of(a), two = machine::of(b);
    return one && two ? kinship_of(*one, *two) : kinship::other;
}

bool machine::is_old_name(std::string_view text)
{
    constexpr std::string_view end = " cores";
    const std::size_t comma = text.rfind(", ");
    if (comma == text.npos || comma == 0 || !text.ends_with(end)) return false;
    const std::string_view number = text.substr(comma + 2, text.size() - end.size() - comma - 2);
    return !number.empty() && number.find_first_not_of("0123456789") == number.npos;
}

std::string quoted_device(std::string_view name)
{
    return '"' + std::string(name) + '"' + (machine::is_old_name(name) ? " (an old name, from before 0.3)" : "");
}

}  // namespace tunekit
