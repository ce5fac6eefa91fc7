// SPDX-License-Identifier: MIT
#include "tunekit/processes/machine.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace tk = tunekit;
using tk::kinship;
using tk::machine;
using tk::detail::cpuid_leaf;

namespace {

cpuid_leaf vendor(const char (&word)[13])
{
    cpuid_leaf out;
    std::memcpy(&out.ebx, word, 4);
    std::memcpy(&out.edx, word + 4, 4);
    std::memcpy(&out.ecx, word + 8, 4);
    return out;
}

constexpr std::uint32_t avx = 1U << 28, osxsave = 1U << 27, avx2 = 1U << 5;
constexpr std::uint32_t v4 = 1U << 16 | 1U << 17 | 1U << 28 | 1U << 30 | 1U << 31;
constexpr std::uint32_t of_sse = 3, of_avx = 7, of_avx512 = 0xe7;  // xcr0

std::string x86(const char (&word)[13], std::uint32_t signature, std::uint32_t ecx, std::uint32_t ebx,
                std::uint32_t xcr0)
{
    return to_text(tk::detail::x86_machine(vendor(word), {.eax = signature, .ecx = ecx}, {.ebx = ebx}, xcr0));
}

}  // namespace

TEST_CASE("machine: processors of one marketing name have names of their own")
{
    const std::string zen3 = x86("AuthenticAMD", 0x00A00F11, avx | osxsave, avx2, of_avx);
    const std::string zen4 = x86("AuthenticAMD", 0x00A10F11, avx | osxsave, avx2 | v4, of_avx512);
    const std::string zen5 = x86("AuthenticAMD", 0x00B00F21, avx | osxsave, avx2 | v4, of_avx512);
    CHECK(zen3 == "AuthenticAMD 25.1.1, 0 cores, avx2");
    CHECK(zen4 == "AuthenticAMD 25.17.1, 0 cores, avx512");
    CHECK(zen5 == "AuthenticAMD 26.2.1, 0 cores, avx512");
    CHECK(tk::kinship_of(zen3, zen4) == kinship::other);  // the same family
    CHECK(tk::kinship_of(zen4, zen5) == kinship::other);  // the same vectors
    CHECK(x86("GenuineIntel", 0x000C06F2, avx | osxsave, avx2 | v4, of_avx512) ==
          "GenuineIntel 6.207.2, 0 cores, avx512");
    CHECK(x86("GenuineIntel", 0x00000F4A, 0, 0, 0) == "GenuineIntel 15.4.10, 0 cores, sse2");
    CHECK(x86("  Shanghai  ", 0x000506E3, 0, 0, 0) == "Shanghai 6.94.3, 0 cores, sse2");
    CHECK(x86("\1\2\3, .  \n\t\r ", 0, 0, 0, 0) == "unknown 0.0.0, 0 cores, sse2");
}

TEST_CASE("machine: vectors whose registers the system does not save are none")
{
    const auto vectors = [](std::uint32_t ecx, std::uint32_t ebx, std::uint32_t xcr0) {
        return tk::detail::x86_machine(vendor("GenuineIntel"), {.ecx = ecx}, {.ebx = ebx}, xcr0).vectors;
    };
    CHECK(vectors(avx | osxsave, avx2 | v4, of_avx512) == "avx512");
    CHECK(vectors(avx | osxsave, avx2 | v4, of_avx) == "avx2");
    CHECK(vectors(avx | osxsave, avx2 | v4, of_sse) == "sse2");
    CHECK(vectors(avx, avx2 | v4, of_avx512) == "sse2");
    CHECK(vectors(avx | osxsave, avx2 | (v4 & ~(1U << 30)), of_avx512) == "avx2");  // Knights Landing: no BW
    CHECK(vectors(avx | osxsave, 0, of_avx) == "avx");
}

TEST_CASE("machine: /proc/cpuinfo of ARM")
{
    const auto named = [](std::string_view cpuinfo) { return to_text(tk::detail::machine_listed(cpuinfo)); };
    const std::string n1 =
        "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd evtstrm aes asimdrdm lrcpc dcpop asimddp ssbs\n"
        "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n\n";
    std::string v1 = n1;
    v1.replace(v1.find("lrcpc"), 5, "sve i8mm");
    v1.replace(v1.find("0xd0c"), 5, "0xd40");
    CHECK(named(n1) == "ARM 3340.3.1, 1 core, asimd");
    CHECK(named(v1 + v1) == "ARM 3392.3.1, 2 cores, sve");
    CHECK(named(n1 + v1) == "ARM 3340.3.1, 2 cores, asimd");  // the first of two kinds
    std::string nobodys = n1;
    nobodys.replace(nobodys.find("0x41"), 4, "0x7f");
    CHECK(named(nobodys) == "implementer127 3340.3.1, 1 core, asimd");
    CHECK(named("Features : half thumb neon vfpv4\nCPU part : 0xc07\nprocessor : 0") ==
          "unknown 3079.0.0, 1 core, neon");
    CHECK(named("") == "unknown 0.0.0, 0 cores, unknown");
    CHECK(named(":\n:::\nprocessor\nCPU part\t:\nCPU part :0x\n : \nCPU part: 99999999999999") ==
          "unknown 0.0.0, 0 cores, unknown");
}

TEST_CASE("machine: a name is read back, and nothing else is one")
{
    const machine all = {
        .vendor = "Z9", .family = 4294967295U, .model = 0, .stepping = 7, .cores = 1, .vectors = "sve"};
    CHECK(to_text(all) == "Z9 4294967295.0.7, 1 core, sve");
    CHECK(tk::machine::of(to_text(all)) == all);
    CHECK(tk::machine::of("AuthenticAMD 25.17.1, 2 cores, avx512") ==
          machine{.vendor = "AuthenticAMD", .family = 25, .model = 17, .stepping = 1, .cores = 2, .vectors = "avx512"});
    for (const std::string_view text : {"",
                                        " ",
                                        "AMD EPYC, 2 cores",
                                        "AuthenticAMD",
                                        "AuthenticAMD 25.17.1",
                                        "AuthenticAMD 25.17.1, 2 cores",
                                        "AuthenticAMD 25.17.1, 2 cores, ",
                                        "AuthenticAMD 25.17.1, 1 cores, avx2",
                                        "AuthenticAMD 25.17.1, 2 core, avx2",
                                        " 25.17.1, 2 cores, avx2",
                                        "Authentic AMD 25.17.1, 2 cores, avx2",
                                        "A 025.17.1, 2 cores, avx2",
                                        "A 25.17, 2 cores, avx2",
                                        "A 25.17.1.1, 2 cores, avx2",
                                        "A -5.17.1, 2 cores, avx2",
                                        "A +5.17.1, 2 cores, avx2",
                                        "A 4294967296.17.1, 2 cores, avx2",
                                        "A 25.17.1, 2 cores, avx2 NVIDIA H100",
                                        "A 25.17.1, 2 cores, avx2\n",
                                        "A 25.17.1,2 cores, avx2",
                                        "A\x01 25.17.1, 2 cores, avx2",
                                        "A 25.17.1, 2 cores, avx2, avx"})
        CHECK_MESSAGE(!tk::machine::of(text), text);
    CHECK_FALSE(tk::machine::of(std::string_view("A 25.17.1, 2 cores, avx2\0", 25)));
    CHECK_FALSE(tk::machine::of(std::string(1 << 20, '9')));
}

TEST_CASE("machine: same, kin, other")
{
    const machine here = {
        .vendor = "AuthenticAMD", .family = 25, .model = 17, .stepping = 1, .cores = 2, .vectors = "avx512"};
    const auto with = [&](auto change) {
        machine m = here;
        change(m);
        CHECK(tk::kinship_of(m, here) == tk::kinship_of(here, m));
        CHECK(tk::kinship_of(to_text(m), to_text(here)) == tk::kinship_of(m, here));
        return to_text(tk::kinship_of(here, m));
    };
    CHECK(with([](machine&) {}) == "same");
    CHECK(with([](machine& m) { m.cores = 4; }) == "kin");
    CHECK(with([](machine& m) { m.model = 97; }) == "kin");
    CHECK(with([](machine& m) { m.stepping = 2; }) == "kin");
    CHECK(with([](machine& m) { m.family = 26; }) == "other");
    CHECK(with([](machine& m) { m.vectors = "avx2"; }) == "other");
    CHECK(with([](machine& m) { m.vendor = "GenuineIntel"; }) == "other");

    CHECK(tk::kinship_of("NVIDIA H100, driver 550", "NVIDIA H100, driver 550") == kinship::same);
    CHECK(tk::kinship_of("NVIDIA H100, driver 550", "NVIDIA H100, driver 560") == kinship::other);
    CHECK(tk::kinship_of("AMD EPYC, 2 cores", "AMD EPYC, 4 cores") == kinship::other);
    CHECK(tk::kinship_of("AMD EPYC, 2 cores", to_text(here)) == kinship::other);
    CHECK(tk::kinship_of(to_text(here) + ", NVIDIA H100", to_text(here)) == kinship::other);
    CHECK(tk::kinship_of("unknown 0.0.0, 2 cores, asimd", "unknown 0.0.0, 4 cores, asimd") == kinship::other);
    CHECK(tk::kinship_of("", "") == kinship::same);
}

TEST_CASE("machine: names from before 0.3 are called old")
{
    CHECK(tk::machine::is_old_name("AMD EPYC, 2 cores"));
    CHECK(tk::machine::is_old_name("Intel(R) Xeon(R) Platinum 8581C CPU @ 2.10GHz, 1 cores"));
    CHECK(tk::machine::is_old_name("unknown processor, 64 cores"));
    for (const char* text : {"", "NVIDIA H100", "2 cores", ", 2 cores", "AMD EPYC, cores", "AMD EPYC, two cores",
                             "AMD EPYC, 2 cores ", "AuthenticAMD 25.17.1, 2 cores, avx512"})
        CHECK_MESSAGE(!tk::machine::is_old_name(text), text);
    CHECK(tk::quoted_device("AMD EPYC, 2 cores") == "\"AMD EPYC, 2 cores\" (an old name, from before 0.3)");
    CHECK(tk::quoted_device("NVIDIA H100") == "\"NVIDIA H100\"");
}

TEST_CASE("machine: this one has a name")
{
    const machine here = tk::this_machine();
    CAPTURE(to_text(here));
    CHECK(tk::machine::of(to_text(here)) == here);
    CHECK(tk::this_machine() == here);
    CHECK(here.cores >= 1);
#if defined(__x86_64__)
    CHECK(here.vendor != "unknown");
    CHECK(here.family >= 6);
    CHECK((here.vectors == "avx512") == (__builtin_cpu_supports("avx512vl") != 0));
    CHECK((here.vectors != "sse2") == (__builtin_cpu_supports("avx") != 0));
#endif
}
