// SPDX-License-Identifier: MIT
#include "tunekit/processes/powercap.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

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

TEST_CASE("energy_counter: a counter that is damaged gives no number, and the next run has its own")
{
    const counters of;
    const std::string path = of.at / "intel-rapl:0/energy_uj";
    of.zone("intel-rapl:0", "1000000", "2000000");
    measure::energy_counter energy(of.folder());
    REQUIRE(energy.found());
    const std::string damaged[] = {"-7",
                                   "1e400",
                                   "1.5e6",
                                   "",
                                   "garbage",
                                   "0x10",
                                   "1000001 2",
                                   "18446744073709551616",
                                   std::string(50'000'000, '1')};
    for (const std::string& text : damaged) {
        CAPTURE(text.substr(0, 40));
        of.zone("intel-rapl:0", "1000000", "2000000");
        energy.restart();
        of.zone("intel-rapl:0", text, "2000000");
        CHECK(std::isnan(energy.joules()));
        energy.restart();  // of a run that begins with it
        of.zone("intel-rapl:0", "1500000", "2000000");
        CHECK(std::isnan(energy.joules()));
        energy.restart();
        of.zone("intel-rapl:0", "1750000", "2000000");
        CHECK(energy.joules() == doctest::Approx(0.25));
    }
    of.zone("intel-rapl:0", "5000000", "2000000");
    energy.restart();
    of.zone("intel-rapl:0", "1", "2000000");  // less than it can have begun again
    CHECK(std::isnan(energy.joules()));

    tunekit::io::write_text(path, "1000000\n");
    energy.restart();
    ::unlink(path.c_str());
    CHECK(std::isnan(energy.joules()));
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);  // which nobody writes
    CHECK(std::isnan(energy.joules()));
    ::unlink(path.c_str());
    REQUIRE(::symlink("/dev/zero", path.c_str()) == 0);
    CHECK(std::isnan(energy.joules()));
}
