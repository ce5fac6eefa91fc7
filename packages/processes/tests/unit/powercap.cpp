// SPDX-License-Identifier: MIT
#include "tunekit/processes/powercap.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <cmath>
#include <string>

#include "tests/support/temporary_folder.hpp"
#include "tunekit/processes/files/text.hpp"

namespace measure = tunekit::measure;

namespace {

/// A folder that looks like that of Linux: zone K with a counter, whose subzones are not packages.
struct counters {
    support::temporary_folder at;

    void zone(const std::string& name, const std::string& energy, const std::string& range) const
    {
        const std::string folder = at / name;
        ::mkdir(folder.c_str(), 0755);
        tunekit::io::write_text(folder + "/energy_uj", energy + "\n");
        if (!range.empty()) tunekit::io::write_text(folder + "/max_energy_range_uj", range + "\n");
    }
    [[nodiscard]] std::string folder() const { return at / "."; }
};

}  // namespace

TEST_CASE("energy_counter: the joules of all packages since it began, across a counter's end")
{
    const counters of;
    of.zone("intel-rapl:0", "1000000", "262143328850");
    of.zone("intel-rapl:1", "262143000000", "262143328850");
    of.zone("intel-rapl:0:0", "5", "262143328850");  // a part of package 0
    measure::energy_counter energy(of.folder());
    REQUIRE(energy.found());
    CHECK(energy.joules() == 0);
    of.zone("intel-rapl:0", "3500000", "262143328850");
    of.zone("intel-rapl:0:0", "9000000", "262143328850");
    CHECK(energy.joules() == doctest::Approx(2.5));
    of.zone("intel-rapl:1", "671150", "262143328850");  // began again at 0
    CHECK(energy.joules() == doctest::Approx(2.5 + 1.0));
    energy.restart();
    CHECK(energy.joules() == 0);
    of.zone("intel-rapl:0", "3500001", "262143328850");
    CHECK(energy.joules() == doctest::Approx(1e-6));
}

TEST_CASE("energy_counter: no number where there is no counter, one is not a number, or its range is not known")
{
    const counters of;
    CHECK_FALSE(measure::energy_counter(of.folder()).found());
    CHECK(std::isnan(measure::energy_counter(of.folder()).joules()));
    of.zone("intel-rapl:0", "none", "10");
    CHECK_FALSE(measure::energy_counter(of.folder()).found());
    of.zone("intel-rapl:3", "70", "");
    const measure::energy_counter energy(of.folder());
    REQUIRE(energy.found());
    CHECK(energy.joules() == 0);
    of.zone("intel-rapl:3", "60", "");
    CHECK(std::isnan(energy.joules()));
    of.zone("intel-rapl:3", "broken", "");
    CHECK(std::isnan(energy.joules()));
}
