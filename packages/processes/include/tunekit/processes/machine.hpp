// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The name of the machine that measures, and whether two names are of the same machine, of kin, or neither.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tunekit/core/config.hpp"

namespace tunekit {

/// The parts of a machine's name: those that decide how fast a kernel runs and that a processor says of itself. The
/// marketing name is not among them, because virtual machines call very different processors "AMD EPYC". As text:
/// "AuthenticAMD 25.17.1, 2 cores, avx512".
struct machine {
    std::string vendor = "unknown";  ///< letters and digits, such as AuthenticAMD, GenuineIntel, ARM
    /// The processor's family, model and stepping; on ARM its part, variant and revision. 0 where not known.
    std::uint32_t family = 0, model = 0, stepping = 0;
    std::uint32_t cores = 0;  ///< processors online, counted as the system does (threads of a core apart); 0: not known
    std::string vectors = "unknown";  ///< the widest: sse2, avx, avx2, avx512; asimd, sve

    /// Reads a name that `to_text` wrote; empty for any other text.
    [[nodiscard]] static std::optional<machine> of(std::string_view text);

    /// Whether it has the form of a machine's name before 0.3, "AMD EPYC, 2 cores". Several kinds of processors shared
    /// one.
    [[nodiscard]] static bool is_old_name(std::string_view text);

    friend bool operator==(const machine&, const machine&) = default;
};

/// How two machines, or two names of devices, are related. What was measured on one is used on the other accordingly.
enum class kinship : std::uint8_t {
    same,   ///< a time of one is a time of the other
    kin,    ///< same vendor, family and vectors: what won on one is worth trying on the other, no more
    other,  ///< neither: nothing is known
};

/// "same", "kin" or "other".
[[nodiscard]] inline std::string to_text(kinship k)
{
    return k == kinship::same ? "same" : k == kinship::kin ? "kin" : "other";
}

/// The machine that this program runs on. On x86 the processor is asked, on ARM /proc/cpuinfo is read, which also
/// counts the cores. Without these, the part is not known: the name is then less telling, not wrong.
/// Cost: reads a file; keep the result.
[[nodiscard]] machine this_machine();

/// The machine's name in one line, which logs and files of results keep.
[[nodiscard]] std::string to_text(const machine& m);

/// The kinship of two machines. Machines of unknown vendor are never kin.
[[nodiscard]] kinship kinship_of(const machine& a, const machine& b);

/// The kinship of two devices by their names: machines as `to_text` writes them, or any text of a user's, such as a
/// GPU's name. Equal texts are the same; two names of machines are compared by their parts; all else is `other`.
[[nodiscard]] kinship kinship_of(std::string_view a, std::string_view b);

/// A device's name as messages quote it. It says so where the name is an old one.
[[nodiscard]] std::string quoted_device(std::string_view name);

namespace detail {

/// Registers that cpuid gives for a leaf.
struct cpuid_leaf {
    std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// An x86 processor by its leaves 0, 1 and 7 and by what the system saves of its registers (xcr0): an instruction set
/// whose registers are not saved does not run.
[[nodiscard]] machine x86_machine(cpuid_leaf of0, cpuid_leaf of1, cpuid_leaf of7, std::uint32_t xcr0);

/// What /proc/cpuinfo says: the number of processors and, on ARM, what the first of them is.
[[nodiscard]] machine machine_listed(std::string_view cpuinfo);

}  // namespace detail

}  // namespace tunekit
