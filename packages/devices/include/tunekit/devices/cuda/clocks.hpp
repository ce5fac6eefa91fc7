// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The clock rates at which a device ran, and the reasons for lower ones, as NVML reports them.

#include <unistd.h>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>

#include "tunekit/devices/library.hpp"
#include "tunekit/processes/build/child_process.hpp"

namespace tunekit::measure {

/// The clock rates and the throttling seen on a device during a run. They are read right after a candidate, so that an
/// idle device does not hide them.
struct cuda_conditions {
    unsigned samples = 0;               ///< readings so far; 0: nothing is known
    unsigned min_mhz = 0, max_mhz = 0;  ///< lowest and highest clock rate of the multiprocessors
    unsigned long long held_back = 0;   ///< all of NVML's reasons for lower clocks that were seen, as its bits

    /// Adds a reading: a clock rate and NVML's reasons at that moment.
    void add(unsigned mhz, unsigned long long reasons) noexcept
    {
        min_mhz = samples == 0 || mhz < min_mhz ? mhz : min_mhz;
        max_mhz = mhz > max_mhz ? mhz : max_mhz;
        held_back |= reasons;
        ++samples;
    }
    /// Adds all readings of another one.
    void add(const cuda_conditions& other) noexcept
    {
        if (other.samples == 0) return;
        add(other.min_mhz, other.held_back);
        add(other.max_mhz, other.held_back);
        samples += other.samples - 2;
    }

    /// Whether heat, power or the board held the device back. Idling and a chosen clock do not count.
    [[nodiscard]] bool throttled() const noexcept { return (held_back & 0xECU) != 0; }

    /// The conditions in one line, such as "1410 to 1980 MHz, held back by: power cap".
    [[nodiscard]] std::string text() const
    {
        if (samples == 0) return "clocks not observed";
        std::string out = std::to_string(min_mhz) + " to " + std::to_string(max_mhz) + " MHz";
        constexpr std::pair<unsigned, const char*> reasons[] = {{0x04, "power cap"},
                                                                {0x08, "hardware slowdown"},
                                                                {0x20, "heat (software)"},
                                                                {0x40, "heat (hardware)"},
                                                                {0x80, "power brake"}};
        const char* before = ", held back by: ";
        for (const auto& [bit, name] : reasons)
            if ((held_back & bit) != 0) {
                out += before;
                out += name;
                before = ", ";
            }
        return out;
    }

    friend bool operator==(const cuda_conditions&, const cuda_conditions&) = default;
};

namespace detail {

/// What NVML says at one moment; NaN for what it does not tell.
struct cuda_reading {
    double mhz = std::numeric_limits<double>::quiet_NaN();         ///< clock rate of the multiprocessors
    double memory_mhz = std::numeric_limits<double>::quiet_NaN();  ///< clock rate of the memory
    double celsius = std::numeric_limits<double>::quiet_NaN();
    double watts = std::numeric_limits<double>::quiet_NaN();
    double joules = std::numeric_limits<double>::quiet_NaN();  ///< since the driver was loaded
    unsigned long long held_back = 0;                          ///< the reasons for lower clocks, as NVML's bits
};

/// NVML with a device; it begins both. Throws no_device where there is no NVML; the device is null where NVML has none.
struct nvml_device {
    device_library nvml;
    void* at = nullptr;  ///< an nvmlDevice_t
    nvml_device(const std::string& bus, const std::string& library)
        : nvml(library, {"libnvidia-ml.so.1"}, "NVML", "install NVIDIA's driver")
    {
        int (*const init)() = nvml.find("nvmlInit_v2");
        int (*const find)(const char*, void**) = nvml.find("nvmlDeviceGetHandleByPciBusId_v2");
        if (init() != 0 || find(bus.c_str(), &at) != 0) at = nullptr;
    }
};

/// NVML on one device, in a process of its own: nvmlInit starts a thread, and this process has to fork workers. It
/// reads nothing where there is no NVML, or where that does not answer. Move-only.
class cuda_clocks {
public:
    /// Forks the process, which opens the device with a bus identity, cuda_device::bus. `library` is libnvidia-ml;
    /// empty: the system's. It does not throw where that is missing; tunekit::error where no process can be forked.
    explicit cuda_clocks(const std::string& bus, const std::string& library = {})
        : reader_([&] { return tell(bus, library); })
    {
    }

    /// Adds the present clock rate and reasons; nothing where NVML does not give them.
    void look(cuda_conditions& to)
    {
        if (const cuda_reading now = read(); !std::isnan(now.mhz))
            to.add(static_cast<unsigned>(now.mhz), now.held_back);
    }

    /// What NVML says now.
    [[nodiscard]] cuda_reading read()
    {
        cuda_reading now;
        if (asked_ == 0 && !said("\nready", 10)) return now;
        reader_.signal(SIGUSR1);
        const std::string number = '\n' + std::to_string(++asked_) + ' ';
        if (!said(number, 1)) return now;
        const std::string text = reader_.text();
        std::sscanf(text.c_str() + text.rfind(number) + number.size(), "%lf %lf %lf %lf %lf %llu", &now.mhz,
                    &now.memory_mhz, &now.celsius, &now.watts, &now.joules, &now.held_back);
        return now;
    }

private:
    /// Whether it says `what`, and the rest of that line, within `seconds`. Where it does not, it is not asked again.
    bool said(const std::string& what, double seconds)
    {
        const auto heard = [&] {
            const std::string text = reader_.text();
            const std::size_t at = text.rfind(what);
            return at != std::string::npos && text.find('\n', at + what.size()) != std::string::npos;
        };
        silent_ = silent_ || !reader_.await(seconds, heard) || !heard();
        return !silent_;
    }

    /// The child: a line that it is ready, then one with number and reading for each SIGUSR1.
    static int tell(const std::string& bus, const std::string& library)
    {
        sigset_t questions;
        sigemptyset(&questions);
        sigaddset(&questions, SIGUSR1);
        ::sigprocmask(SIG_BLOCK, &questions, nullptr);
        const nvml_device on(bus, library);
        const device_library& nvml = on.nvml;
        void* const device = on.at;
        int (*const clock)(void*, int, unsigned*) = nvml.find_newer("nvmlDeviceGetClockInfo");
        int (*const heat)(void*, int, unsigned*) = nvml.find_newer("nvmlDeviceGetTemperature");
        int (*const power)(void*, unsigned*) = nvml.find_newer("nvmlDeviceGetPowerUsage");
        int (*const energy)(void*, unsigned long long*) = nvml.find_newer("nvmlDeviceGetTotalEnergyConsumption");
        int (*reasons)(void*, unsigned long long*) = nvml.find_newer("nvmlDeviceGetCurrentClocksThrottleReasons");
        if (reasons == nullptr) reasons = nvml.find_newer("nvmlDeviceGetCurrentClocksEventReasons");
        if (device == nullptr) return 1;
        ::dprintf(1, "\nready\n");
        constexpr double unknown = cuda_reading{}.joules;
        const auto asked = [device]<class N>(double unit, int (*f)(void*, N*)) {
            N n = 0;
            return f != nullptr && f(device, &n) == 0 ? unit * static_cast<double>(n) : unknown;
        };
        const auto asked_of = [device](int (*f)(void*, int, unsigned*), int what) {
            unsigned n = 0;
            return f != nullptr && f(device, what, &n) == 0 ? n : unknown;
        };
        constexpr int multiprocessors = 1, memory = 2, sensor = 0;  // NVML_CLOCK_SM, NVML_CLOCK_MEM
        int which = 0;
        for (unsigned k = 1; ::sigwait(&questions, &which) == 0; ++k) {
            unsigned long long why = 0;
            if (reasons == nullptr || reasons(device, &why) != 0) why = 0;
            ::dprintf(1, "\n%u %.0f %.0f %.0f %.3f %.3f %llu\n", k, asked_of(clock, multiprocessors),
                      asked_of(clock, memory), asked_of(heat, sensor), asked(1e-3, power), asked(1e-3, energy), why);
        }
        return 1;
    }

    child_process reader_;
    unsigned asked_ = 0;
    bool silent_ = false;
};

/// The numbers of the processes that compute on a device beside this one, as NVML knows them; empty where there are
/// none, where NVML does not tell, and for parts of a device (MIG), whose own processes it does not tell apart.
[[nodiscard]] inline std::string others_on(const std::string& bus, const std::string& library)
{
    struct process {  // nvmlProcessInfo_t since CUDA 11
        unsigned id;
        unsigned long long memory;
        unsigned part, part_of_part;
    };
    child_process asked([&, own = static_cast<unsigned>(::getpid())] {
        const nvml_device on(bus, library);
        int (*list)(void*, unsigned*, process*) = on.nvml.find_newer("nvmlDeviceGetComputeRunningProcesses_v3");
        if (list == nullptr) list = on.nvml.find_newer("nvmlDeviceGetComputeRunningProcesses_v2");
        process all[64] = {};
        unsigned n = 64;
        if (on.at == nullptr || list == nullptr || list(on.at, &n, all) != 0) return 1;
        const char* before = "";
        for (unsigned k = 0; k < n; ++k)
            if (all[k].id != own && all[k].part == ~0U) {  // which is the whole device
                ::dprintf(1, "%s%u", before, all[k].id);
                before = ", ";
            }
        return 0;
    });
    return asked.await(10) && asked.status() == 0 ? asked.text() : std::string();
}

}  // namespace detail
}  // namespace tunekit::measure
