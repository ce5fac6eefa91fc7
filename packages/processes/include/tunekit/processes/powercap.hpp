// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Energy, from the counters that Linux has for the packages of a machine.

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/compiled.hpp"
#include "tunekit/core/text.hpp"
#include "tunekit/processes/detail/system/files.hpp"

namespace tunekit::measure {

/// The energy of the machine's packages since `restart`, from `intel-rapl:K/energy_uj` in a folder of powercap, K = 0,
/// 1, ... (AMD's have the same names). Zones inside a package are not added. A counter that has begun again at 0,
/// beyond `max_energy_range_uj`, is continued once; it must be read more often than it does, which is each minute or
/// less.
///
///     tk::measure::energy_counter energy;
///     const auto run = [&] { return tk::measure::reported{1e-3, {energy.joules()}}; };  // what a kernel reports
///
/// It counts what everything on these packages took, idle cores included, so compare runs of a machine that does
/// nothing else. Many systems let only root read the counters.
///
/// Tested against a folder that looks like that of Linux; it has never met a real counter.
///
/// Cost: opens one file for each package.
class energy_counter {
public:
    static constexpr const char* usual = "/sys/class/powercap";  ///< where Linux has them

    /// Begins to count. A `folder` without counters that can be read counts nothing: see `found`.
    explicit energy_counter(std::string folder = usual);

    /// Whether there is a counter that can be read.
    [[nodiscard]] bool found() const noexcept { return !packages_.empty(); }
    /// Counts from here on.
    void restart();
    /// Joules since `restart`, or since it was made; NaN where there is no counter, or one cannot be read any more.
    [[nodiscard]] double joules() const;

private:
    struct package {
        std::string file;
        double range = 0;  // in microjoules; 0: unknown
        double begun = 0;
    };

    std::vector<package> packages_;
};

}  // namespace tunekit::measure

#if TUNEKIT_BODIES || defined(TUNEKIT_PROCESSES_BODIES)
namespace tunekit::measure {

namespace detail {

/// The number in a file of sysfs; empty where it cannot be read.
TUNEKIT_INLINE std::optional<double> number_in_file(const std::string& path)
{
    const int file = system::detail::open_file(path, system::detail::opening::read);
    if (file < 0) return std::nullopt;
    char text[64];
    const std::ptrdiff_t got = system::detail::read_some(file, text, sizeof text);
    system::detail::close_file(file);
    std::string_view word(text, static_cast<std::size_t>(got > 0 ? got : 0));
    while (!word.empty() && (word.back() == '\n' || word.back() == ' ')) word.remove_suffix(1);
    return core::number<double>(word);
}

}  // namespace detail

TUNEKIT_INLINE energy_counter::energy_counter(std::string folder)
{
    for (std::size_t k = 0; k < 64; ++k) {
        const std::string zone = folder + "/intel-rapl:" + std::to_string(k);
        const auto now = detail::number_in_file(zone + "/energy_uj");
        if (!now) continue;
        packages_.push_back(
            {zone + "/energy_uj", detail::number_in_file(zone + "/max_energy_range_uj").value_or(0), *now});
    }
}

TUNEKIT_INLINE void energy_counter::restart()
{
    for (package& p : packages_)
        p.begun = detail::number_in_file(p.file).value_or(std::numeric_limits<double>::quiet_NaN());
}

TUNEKIT_INLINE double energy_counter::joules() const
{
    if (packages_.empty()) return std::numeric_limits<double>::quiet_NaN();
    double sum = 0;
    for (const package& p : packages_) {
        const double now = detail::number_in_file(p.file).value_or(std::numeric_limits<double>::quiet_NaN());
        const double more = now - p.begun;
        sum += more < 0 ? p.range > 0 ? more + p.range : std::numeric_limits<double>::quiet_NaN() : more;
    }
    return 1e-6 * sum;
}

}  // namespace tunekit::measure
#endif  // TUNEKIT_BODIES
