// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Energy, from the counters that Linux has for the packages of a machine.

#include <string>
#include <vector>

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
