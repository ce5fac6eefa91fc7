// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The parts of a generated header that all devices share: where its numbers come from, its configurations, its
/// functions.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/core/text.hpp"
#include "tunekit/dispatch/choice.hpp"
#include "tunekit/dispatch/detail/cpp_text.hpp"
#include "tunekit/dispatch/detail/dialect.hpp"
#include "tunekit/dispatch/detail/lookup.hpp"
#include "tunekit/processes/files/sealed_file.hpp"
#include "tunekit/processes/machine.hpp"

namespace tunekit::dispatch::detail {

/// The comments that say where the numbers of a choice come from.
[[nodiscard]] inline std::string provenance(const choice& c, const choice::part& home)
{
    std::string devices;
    for (const choice::part& d : c.devices) {
        devices += "//\n// Device " + as_comment(d.device) + (&d == &home ? " (home)" : "") + ", measured " +
                   (d.date.empty() ? "on a day not said" : as_comment(d.date)) + ", " +
                   core::detail::counted(d.shapes.size(), "shape") + "; to others it answers by rung " +
                   to_text(d.general) + ".\n";
        if (!d.scores.empty())
            devices += "//   rung     shapes  best/chosen  worst  untuned/chosen  least  slower than untuned\n";
        for (const choice::score& s : d.scores) {
            const auto column = [](std::string text, std::size_t width) {
                return text += std::string(width - (std::min)(width, text.size()), ' ');
            };
            devices += "//   " + column(to_text(s.by), 9) + column(std::to_string(s.shapes), 8) +
                       column(three_digits(s.share), 13) + column(three_digits(s.worst), 7) +
                       column(s.against == 0 ? "-" : three_digits(s.gain), 16) +
                       column(s.against == 0 ? "-" : three_digits(s.least_gain), 7) +
                       (s.against == 0 ? "-" : std::to_string(s.below) + " of " + std::to_string(s.against)) + '\n';
        }
    }
    return filled(R"(//
// Kernel {kernel}, version {version}: {configs} configurations for every shape ({sizes}).
{devices}// Exact: the shapes that were measured. The other rungs were scored on shapes held out of their fit.
// A device that is not above gets what its kin among them gets, and without kin rung one: the one
// configuration that loses least over all of these. TUNEKIT_DISPATCH={word}=CANDIDATE in the environment forces one.
)",
                  "kernel version configs sizes devices word", as_comment(c.kernel), as_comment(c.version),
                  c.configs.size(), as_comment(joined_by(c.sizes, ", ")), devices, as_comment(as_word(c.kernel)));
}

/// The structure of a configuration, the table of those kept, and what a pick is.
[[nodiscard]] inline std::string config_text(const choice& c, const dialect& in)
{
    std::string members, rows, words;
    std::vector<value_type> types;
    for (std::size_t j = 0; j < c.parameters.size(); ++j) {
        std::vector<std::string> texts;
        for (const choice::kept& k : c.configs) texts.push_back(k.values[j]);
        types.push_back(type_of(texts));
        members += "    " + in.type(types.back()) + ' ' + c.parameters[j] + ";\n";
    }
    for (const choice::kept& k : c.configs) {
        rows += "    {" + std::to_string(k.candidate) + "ULL";
        for (std::size_t j = 0; j < k.values.size(); ++j) rows += ", " + in.literal(types[j], k.values[j]);
        rows += "},  // " + std::to_string(k.shapes) + " of the measured shapes\n";
    }
    for (const enumeration& e : c.words) words += '\n' + in.enumeration(e.size, e.words, true, 1);
    return in.spoken(R"(/// One configuration; `candidate` is its index in the space of this fingerprint.
@s $config {
    unsigned long long candidate;
{members}}{config};

@t unsigned long long $fingerprint = 0x{fingerprint}ULL;

@t $config $configs[] = {
{rows}};
{words}
/// How a configuration was chosen, the surest first.
{rung}
/// How the device that was asked for is related to the one whose measurements answered.
{kinship}
@s $pick {
    int config;  ///< in configs
    $rung by;
    @b untuned;  ///< what runs untuned is believed to be faster still
    $kinship on;
}{pick};
)",
                     "members config fingerprint rows words rung kinship pick", members, in.closing("config"),
                     io::in_hex(c.fingerprint), rows, words,
                     in.enumeration("rung", {"exact", "nearest", "tree", "one", "forced"}, false, 0),
                     in.enumeration("kinship", {"same", "kin", "other"}, false, 0), in.closing("pick"));
}

/// A measured shape, and the functions that all devices share.
inline constexpr std::string_view shared_text = R"(@s $shape {
    long long at[{rank}];
    int config;  ///< here
    int around;  ///< next to it
    @b untuned;  ///< here
    @b around_untuned;
}{shape};

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
    return {equal};
}

@f unsigned long long $hash(const long long* at)
{
    return {hash};
}

/// The square of the distance, both by log2_steps, words by their places.
@f long long $distance(const int* s, const long long* at)
{
    return {distance};
}

/// The position in configs that a list such as "NAME=CANDIDATE OTHER=CANDIDATE" names for this kernel; -1 where it
/// names none, -2 where it names what is not there.
@f int $named_in(const char* list)
{
    const char* const name = {name};
    while (list != 0 && *list != 0) {
        int k = 0;
        while (*list == ' ') ++list;
        while (name[k] != 0 && list[k] == name[k]) ++k;
        if (name[k] == 0) {
            const char* digit = list + k;
            unsigned long long candidate = 0;
            while (*digit >= '0' && *digit <= '9') candidate = 10 * candidate + @u(*digit++ - '0');
            if (digit != list + k && (*digit == 0 || *digit == ' '))
                for (k = 0; k < {configs}; ++k)
                    if ($configs[k].candidate == candidate) return k;
            return -2;
        }
        while (*list != 0 && *list != ' ') ++list;
    }
    return -1;
}
)";

/// This text for a choice.
[[nodiscard]] inline std::string functions_text(const choice& c, const dialect& in)
{
    std::string equal, distance, hash;
    for (std::size_t j = 0; j < c.sizes.size(); ++j) {
        const std::string k = '[' + std::to_string(j) + ']', plus = j == 0 ? "" : " + ";
        equal += (j == 0 ? "" : " && ") + filled("s->at{k} == at{k}", "k", k);
        hash += plus + in.spoken("@u(at{k}) * 0x{factor}ULL", "k factor", k, io::in_hex(hash_factors[j]));
        distance += plus + filled(dialect::is_word(c, c.sizes[j]) ? "(at{k} == s{k} ? 0 : 1LL << 44)"
                                                                  : "(at{k} - s{k}) * (at{k} - s{k})",
                                  "k", k);
    }
    return in.spoken(shared_text, "rank shape equal hash distance name configs", c.sizes.size(), in.closing("shape"),
                     equal, hash, distance, as_literal(value_type::text, as_word(c.kernel) + '='), c.configs.size());
}

/// The function that chooses by the device's name.
[[nodiscard]] inline std::string by_device_text(const choice& c, const dialect& in)
{
    std::string same, kin;
    for (std::size_t k = 0; k < c.devices.size(); ++k) {
        const std::string name = as_literal(value_type::text, c.devices[k].device);
        same += in.spoken("    if ($equal_text(device, {name})) return $pick_{k}(at);\n", "name k", name, k);
        const auto m = machine::of(c.devices[k].device);
        if (m && m->vendor != "unknown")
            kin += in.spoken(R"(    if ($kin_text(device, {name})) {
        $pick of_kin = $pick_{k}(at);
        of_kin.on = @kkin;
        return of_kin;
    }
)",
                             "name k", name, k);
    }
    return in.spoken(R"(
@f $pick $pick_on(const char* device, const long long* at)
{
{same}{kin}    return @p{{one}, @rone, {untuned}, @kother};
}
)",
                     "same kin one untuned", same, kin, c.one, in.truth(c.one_untuned));
}

/// The functions that a program calls.
[[nodiscard]] inline std::string calls_text(const choice& c, const dialect& in, std::size_t home)
{
    std::string out;
    for (const bool on_home : {false, true})
        out +=
            in.spoken(R"(
/// {about}
@f $pick $pick_for{end}({takes})
{
    const long long at[] = {sizes};
    return @m{answer};
}

@f const $config{ref} $choose{end}({takes})
{
    return {address}$configs[$pick_for{end}({passes}).config];
}

/// The same, unless the environment's TUNEKIT_DISPATCH, read at the first call, forces another one.
{inline} $pick $pick_now{end}({takes})
{
{forced}    $pick now = $pick_for{end}({passes});
    if (forced >= 0) {
        now.config = forced;
        now.by = @rforced;
        now.untuned = @n;
    }
    return now;
}
)",
                      "about end takes passes sizes answer ref address inline forced",
                      on_home ? "The same on the home device."
                              : "What runs on that device, else on its kin; without kin, rung one.",
                      in.c && !on_home ? "_on_device" : "", (on_home ? "" : "const char* device, ") + in.parameters(c),
                      (on_home ? "" : "device, ") + in.arguments(c, false), '{' + in.arguments(c, true) + '}',
                      on_home ? "pick_" + std::to_string(home) + "(at)" : "pick_on(device, at)", in.c ? "*" : "&",
                      in.c ? "&" : "", in.c ? "static inline" : "inline",
                      in.spoken(in.c ? R"(    static int forced = -3;
    if (forced == -3) forced = $named_in(getenv("TUNEKIT_DISPATCH"));
)"
                                     : R"(    static const int forced = @mnamed_in(::getenv("TUNEKIT_DISPATCH"));
)"));
    return out;
}

/// The configurations as types, and the switch that finds the one of a pick.
[[nodiscard]] inline std::string instances_text(const choice& c)
{
    std::string cases;
    for (std::size_t k = 1; k < c.configs.size(); ++k)
        cases += filled("        case {k}: return f(instance<{k}>{});\n", "k", k);
    return filled(R"(
/// A configuration as a type, for kernels that are templates: `instance<2>::value` is configs[2].
template <int Position>
struct instance {
    static constexpr int position = Position;
    static constexpr config value = configs[Position];
};

/// Calls `f` with the instance that was picked, and returns what it returns:
///     visit(pick_for(...), [&](auto c) { run<c.value.{first}>(...); });
template <class F>
constexpr decltype(auto) visit(const pick& which, F&& f)
{
    switch (which.config) {
{cases}        default: return f(instance<0>{});
    }
}
)",
                  "first cases", c.parameters.empty() ? "candidate" : c.parameters.front(), cases);
}

}  // namespace tunekit::dispatch::detail
