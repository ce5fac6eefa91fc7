// SPDX-License-Identifier: MIT
#pragma once

// The settings of libtunekit_kokkos.so: an environment variable and an argument of --kokkos-tools-args each.

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "tunekit/core/text.hpp"
#include "tunekit/online/options.hpp"
#include "tunekit/processes/machine.hpp"

namespace kokkos_tuner {

struct settings {
    std::string file, only, version, device = to_text(tunekit::this_machine());
    bool tiles = false, quiet = false, share = true;
    double every = 30;
    tunekit::online::options options;
};

struct setting {
    const char* name;
    const char* meaning;
    bool (*take)(settings&, const std::string&);
};

template <class T>
bool take_number(T& to, const std::string& text)
{
    const auto x = tunekit::core::number<T>(text);
    if (x) to = *x;
    return x.has_value();
}

inline bool take_flag(bool& to, const std::string& text)
{
    to = text == "1";
    return text == "0" || text == "1";
}

inline constexpr setting all_settings[] = {
    {"file", "from which winners are read, and to which they are saved",
     [](settings& s, const std::string& x) { return s.file = x, true; }},
    {"every", "seconds between two times of saving (30)",
     [](settings& s, const std::string& x) { return take_number(s.every, x) && s.every > 0; }},
    {"version", "of the program: winners of another one are refused",
     [](settings& s, const std::string& x) { return s.version = x, true; }},
    {"device", "on which it runs (this machine): winners of another one are refused",
     [](settings& s, const std::string& x) { return s.device = x, true; }},
    {"only", "tune what has this text in its key; keys stand in the summary",
     [](settings& s, const std::string& x) { return s.only = x, true; }},
    {"regret", "share of the default's time that tuning may lose (0.02)",
     [](settings& s, const std::string& x) { return take_number(s.options.regret, x); }},
    {"trials", "candidates of a kernel (1600)",
     [](settings& s, const std::string& x) { return take_number(s.options.max_trials, x); }},
    {"watch", "of a settled kernel one call in so many is fenced and timed (32); 0: none",
     [](settings& s, const std::string& x) { return take_number(s.options.watch, x); }},
    {"seed", "of all draws (1)", [](settings& s, const std::string& x) { return take_number(s.options.seed, x); }},
    {"tiles", "1: tune the tiles of MDRangePolicy",
     [](settings& s, const std::string& x) { return take_flag(s.tiles, x); }},
    {"share", "0: each rank of an MPI program tunes for itself",
     [](settings& s, const std::string& x) { return take_flag(s.share, x); }},
    {"quiet", "1: no summary and no remarks", [](settings& s, const std::string& x) { return take_flag(s.quiet, x); }},
};

/// The environment variable of a setting.
inline std::string variable_of(const setting& s)
{
    std::string out = "KOKKOS_TOOLS_TUNEKIT_";
    for (const char* c = s.name; *c != 0; ++c) out += static_cast<char>(std::toupper(static_cast<unsigned char>(*c)));
    return out;
}

/// Takes a setting. `say` gets one line where it is invalid; it then stays as it was.
template <class Say>
void take_setting(settings& to, const setting& s, const std::string& value, const std::string& written, const Say& say)
{
    settings next = to;
    bool good = s.take(next, value);
    std::string why = " is not a possible value";
    try {
        next.options.validate();
    } catch (const std::exception& e) {
        good = false;
        why = ": " + std::string(e.what()).substr(9);  // after "tunekit: "
    }
    if (good) to = next;
    else say(written + "=" + value + why + ", and is not used");
}

template <class Say>
void take_environment(settings& to, const Say& say)
{
    for (const setting& s : all_settings)
        if (const char* const value = std::getenv(variable_of(s).c_str()); value != nullptr && *value != 0)
            take_setting(to, s, value, variable_of(s), say);
}

/// Arguments --NAME=VALUE; the first one is the program's name.
template <class Say>
void take_arguments(settings& to, int argc, char** argv, const Say& say)
{
    for (int k = 1; k < argc; ++k) {
        const std::string_view arg = argv[k];
        const std::size_t equals = arg.find('=');
        bool known = false;
        for (const setting& s : all_settings)
            if (equals != std::string_view::npos && arg.substr(0, equals) == "--" + std::string(s.name)) {
                take_setting(to, s, std::string(arg.substr(equals + 1)), "--" + std::string(s.name), say);
                known = true;
            }
        if (!known) say("'" + std::string(arg) + "' is not an argument, see --kokkos-tools-help");
    }
}

inline void print_settings()
{
    std::printf(
        "tunekit: tunes the kernels of a Kokkos program while it runs. Settings, as environment variables or\n"
        "as --kokkos-tools-args=\"--NAME=VALUE ...\":\n");
    for (const setting& s : all_settings) std::printf("  --%-8s %-32s %s\n", s.name, variable_of(s).c_str(), s.meaning);
}

/// The rank of this process in its MPI program, as its launcher says; else 0.
inline int rank_here()
{
    for (const char* const name :
         {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"})
        if (const char* const value = std::getenv(name))
            if (const auto rank = tunekit::core::number<int>(value)) return *rank;
    return 0;
}

}  // namespace kokkos_tuner
