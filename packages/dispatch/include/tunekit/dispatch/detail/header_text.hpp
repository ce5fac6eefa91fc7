// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The parts of a generated header that all devices share: where its numbers come from, its configurations, its
/// functions.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tunekit/core/text.hpp"
#include "tunekit/dispatch/choice.hpp"
#include "tunekit/dispatch/detail/cpp_text.hpp"
#include "tunekit/dispatch/detail/dialect.hpp"
#include "tunekit/dispatch/detail/lookup.hpp"
#include "tunekit/processes/files/sealed_lines.hpp"
#include "tunekit/processes/machine.hpp"

namespace tunekit::dispatch::detail {

/// The comments that say where the numbers of a choice come from.
[[nodiscard]] inline std::string provenance(const choice& c, const device_choice& home)
{
    std::string out = "//\n// Kernel " + as_comment(c.kernel) + ", version " + as_comment(c.version) + ": " +
                      std::to_string(c.configs.size()) + " configurations for every shape (" +
                      as_comment(joined_by(c.sizes, ", ")) + ").\n";
    for (const device_choice& d : c.devices) {
        out += "//\n// Device " + as_comment(d.device) + (&d == &home ? " (home)" : "") + ", measured " +
               (d.date.empty() ? "on a day not said" : as_comment(d.date)) + ", " + std::to_string(d.shapes.size()) +
               " shapes; to others it answers by rung " + to_text(d.general) + ".\n";
        if (!d.scores.empty())
            out += "//   rung     shapes  best/chosen  worst  untuned/chosen  least  slower than untuned\n";
        for (const rung_score& s : d.scores) {
            const auto column = [](std::string text, std::size_t width) {
                return text += std::string(width - (std::min)(width, text.size()), ' ');
            };
            out += "//   " + column(to_text(s.by), 9) + column(std::to_string(s.shapes), 8) +
                   column(three_digits(s.share), 13) + column(three_digits(s.worst), 7) +
                   column(s.against == 0 ? "-" : three_digits(s.gain), 16) +
                   column(s.against == 0 ? "-" : three_digits(s.least_gain), 7) +
                   (s.against == 0 ? "-" : std::to_string(s.below) + " of " + std::to_string(s.against)) + '\n';
        }
    }
    return out +=
           "// Exact: the shapes that were measured. The other rungs were scored on shapes held out of their fit.\n"
           "// A device that is not above gets what its kin among them gets, and without kin rung one: the one\n"
           "// configuration that loses least over all of these. TUNEKIT_DISPATCH=" +
           as_comment(as_word(c.kernel)) + "=CANDIDATE in the environment forces one.\n";
}

/// The structure of a configuration, the table of those kept, and what a pick is.
[[nodiscard]] inline std::string config_text(const choice& c, const dialect& in)
{
    std::string members = "    unsigned long long candidate;\n", rows;
    std::vector<value_type> types;
    for (std::size_t j = 0; j < c.parameters.size(); ++j) {
        std::vector<std::string> texts;
        for (const kept_config& k : c.configs) texts.push_back(k.values[j]);
        types.push_back(type_of(texts));
        members += "    " + in.type(types.back()) + ' ' + c.parameters[j] + ";\n";
    }
    for (const kept_config& k : c.configs) {
        rows += "    {" + std::to_string(k.candidate) + "ULL";
        for (std::size_t j = 0; j < k.values.size(); ++j) rows += ", " + in.literal(types[j], k.values[j]);
        rows += "},  // " + std::to_string(k.shapes) + " of the measured shapes\n";
    }
    std::string out = "/// One configuration; `candidate` is its index in the space of this fingerprint.\n" +
                      in.structure("config", members) +
                      in.spoken("\n@t unsigned long long $fingerprint = 0x" + io::in_hex(c.fingerprint) +
                                "ULL;\n\n@t $config $configs[] = {\n") +
                      rows + "};\n";
    for (const enumeration& e : c.words) out += '\n' + in.enumeration(e.size, e.words, true, 1);
    return out + "\n/// How a configuration was chosen, the surest first.\n" +
           in.enumeration("rung", {"exact", "nearest", "tree", "one", "forced"}, false, 0) +
           "\n/// How the device that was asked for is related to the one whose measurements answered.\n" +
           in.enumeration("kinship", {"same", "kin", "other"}, false, 0) + '\n' +
           in.structure("pick", in.spoken("    int config;  ///< in configs\n    $rung by;\n    @b untuned;  ///< what "
                                          "runs untuned is believed to be faster still\n    $kinship on;\n"));
}

/// The structure of a measured shape, and the functions that all devices share.
[[nodiscard]] inline std::string functions_text(const choice& c, const dialect& in)
{
    const std::string rank = std::to_string(c.sizes.size());
    std::string equal, distance, hash;
    for (std::size_t j = 0; j < c.sizes.size(); ++j) {
        const std::string k = '[' + std::to_string(j) + ']', and_ = j == 0 ? "" : " && ", plus = j == 0 ? "" : " + ";
        equal += and_ + "s->at" + k + " == at" + k;
        hash += plus + "@u(at" + k + ") * 0x" + io::in_hex(hash_factors[j]) + "ULL";
        if (dialect::is_word(c, c.sizes[j])) distance += plus + "(at" + k + " == s" + k + " ? 0 : 1LL << 44)";
        else distance += plus + "(at" + k + " - s" + k + ") * (at" + k + " - s" + k + ')';
    }
    return in.structure("shape", in.spoken("    long long at[" + rank +
                                           "];\n    int config;  ///< here\n    int around;  "
                                           "///< next to it\n    @b untuned;  ///< here\n    @b around_untuned;\n")) +
           in.spoken(R"(
/// The whole part of log2; 0 below 1.
@f int $log2_whole(long long x)
{
#ifdef __GNUC__
    return x < 1 ? 0 : 63 - __builtin_clzll(@u(x));
#else
    int whole = 0;
    while (whole < 62 && (x >> (whole + 1)) > 0) ++whole;
    return whole;
#endif
}

/// log2 in steps of 1/65536, linear between powers of two.
@f long long $log2_steps(long long x)
{
    const int whole = $log2_whole(x);
    const long long above = x < 1 ? 0 : x - (1LL << whole);
    return whole * 65536LL + (whole <= 46 ? (above << 16) >> whole : above >> (whole - 16));
}

@f @b $equal_text(const char* a, const char* b)
{
    while (*a != 0 && *a == *b) ++a, ++b;
    return *a == *b;
}

/// Whether two names of machines, "VENDOR FAMILY.MODEL.STEPPING, N cores, VECTORS", agree in vendor, family and
/// vectors.
@f @b $kin_text(const char* a, const char* b)
{
    while (*a != 0 && *a != '.' && *a == *b) ++a, ++b;
    if (*a != '.' || *b != '.') return @n;
    for (const char* k = a; *k != 0; ++k)
        if (*k == ' ') a = k;
    for (const char* k = b; *k != 0; ++k)
        if (*k == ' ') b = k;
    return *a == ' ' && *b == ' ' && $equal_text(a, b);
}

@f @b $has_sizes(const $shape* s, const long long* at)
{
    return )" + equal +
                     R"(;
}

@f unsigned long long $hash(const long long* at)
{
    return )" + hash +
                     R"(;
}

/// The square of the distance, both by log2_steps, words by their places.
@f long long $distance(const int* s, const long long* at)
{
    return )" + distance +
                     R"(;
}

/// The position in configs that a list such as "NAME=CANDIDATE OTHER=CANDIDATE" names for this kernel; -1 where it
/// names none, -2 where it names what is not there.
@f int $named_in(const char* list)
{
    const char* const name = )") +
           as_literal(value_type::text, as_word(c.kernel) + '=') + in.spoken(R"(;
    while (list != 0 && *list != 0) {
        int k = 0;
        while (*list == ' ') ++list;
        while (name[k] != 0 && list[k] == name[k]) ++k;
        if (name[k] == 0) {
            const char* digit = list + k;
            unsigned long long candidate = 0;
            while (*digit >= '0' && *digit <= '9') candidate = 10 * candidate + @u(*digit++ - '0');
            if (digit != list + k && (*digit == 0 || *digit == ' '))
                for (k = 0; k < )" + std::to_string(c.configs.size()) + R"(; ++k)
                    if ($configs[k].candidate == candidate) return k;
            return -2;
        }
        while (*list != 0 && *list != ' ') ++list;
    }
    return -1;
}
)");
}

/// The function that chooses by the device's name.
[[nodiscard]] inline std::string by_device_text(const choice& c, const dialect& in)
{
    std::string out = in.spoken("\n@f $pick $pick_on(const char* device, const long long* at)\n{\n");
    std::string kin;
    for (std::size_t k = 0; k < c.devices.size(); ++k) {
        const std::string name = as_literal(value_type::text, c.devices[k].device), id = std::to_string(k);
        out += in.spoken("    if ($equal_text(device, ") + name + in.spoken(")) return $pick_") + id + "(at);\n";
        const auto m = machine_of(c.devices[k].device);
        if (m && m->vendor != "unknown")
            kin += in.spoken("    if ($kin_text(device, ") + name + in.spoken(")) {\n        $pick of_kin = $pick_") +
                   id + in.spoken("(at);\n        of_kin.on = @kkin;\n        return of_kin;\n    }\n");
    }
    return out + kin + in.spoken("    return @p{" + std::to_string(c.one) + ", @rone, ") + in.truth(c.one_untuned) +
           in.spoken(", @kother};\n}\n");
}

/// The functions that a program calls.
[[nodiscard]] inline std::string calls_text(const choice& c, const dialect& in, std::size_t home)
{
    const std::string names = in.arguments(c, false), parameters = in.parameters(c);
    const std::string at = "    const long long at[] = {" + in.arguments(c, true) + "};\n";
    std::string out;
    for (const bool on_home : {false, true}) {
        const std::string end = in.c && !on_home ? "_on_device" : "";
        const std::string takes = (on_home ? "(" : "(const char* device, ") + parameters + ")\n{\n";
        const std::string passes = (on_home ? "(" : "(device, ") + names + ')';
        out += on_home ? "\n/// The same on the home device.\n"
                       : "\n/// What runs on that device, else on its kin; without kin, rung one.\n";
        out += in.spoken("@f $pick $pick_for" + end) + takes + at +
               in.spoken(on_home ? "    return @mpick_" + std::to_string(home) + "(at);\n}\n"
                                 : "    return @mpick_on(device, at);\n}\n");
        out += in.spoken("\n@f " + std::string(in.c ? "const $config*" : "const config&") + " $choose" + end) + takes +
               in.spoken(std::string("    return ") + (in.c ? "&" : "") + "$configs[$pick_for" + end) + passes +
               ".config];\n}\n";
        out +=
            "\n/// The same, unless the environment's TUNEKIT_DISPATCH, read at the first call, forces another one.\n" +
            in.spoken((in.c ? "static inline" : "inline") + std::string(" $pick $pick_now") + end) + takes +
            (in.c ? in.spoken("    static int forced = -3;\n    if (forced == -3) forced = "
                              "$named_in(getenv(\"TUNEKIT_DISPATCH\"));\n")
                  : "    static const int forced = measured::named_in(::getenv(\"TUNEKIT_DISPATCH\"));\n") +
            in.spoken("    $pick now = $pick_for" + end) + passes +
            in.spoken(
                ";\n    if (forced >= 0) {\n        now.config = forced;\n        now.by = @rforced;\n        "
                "now.untuned = " +
                in.truth(false) + ";\n    }\n    return now;\n}\n");
    }
    return out;
}

/// The configurations as types, and the switch that finds the one of a pick.
[[nodiscard]] inline std::string instances_text(const choice& c)
{
    std::string out = R"(
/// A configuration as a type, for kernels that are templates: `instance<2>::value` is configs[2].
template <int Position>
struct instance {
    static constexpr int position = Position;
    static constexpr config value = configs[Position];
};

/// Calls `f` with the instance that was picked, and returns what it returns:
)"
                      "///     visit(pick_for(...), [&](auto c) { run<c.value." +
                      (c.parameters.empty() ? "candidate" : c.parameters.front()) + R"(>(...); });
template <class F>
constexpr decltype(auto) visit(const pick& which, F&& f)
{
    switch (which.config) {
)";
    for (std::size_t k = 1; k < c.configs.size(); ++k) {
        const std::string id = std::to_string(k);
        out += "        case " + id + ": return f(instance<" + id + ">{});\n";
    }
    return out + "        default: return f(instance<0>{});\n    }\n}\n";
}

}  // namespace tunekit::dispatch::detail
