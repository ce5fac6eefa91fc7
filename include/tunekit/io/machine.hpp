// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A name for the machine that measures.

#include <unistd.h>

#include <fstream>
#include <string>

namespace tunekit::io {

/// The name of this machine: the processor's model and the number of cores online, as the system gives them. It is
/// stored in logs of timings.
[[nodiscard]] inline std::string machine_key()
{
    std::string model = "unknown processor";
    std::ifstream cpus("/proc/cpuinfo");
    for (std::string line; std::getline(cpus, line);) {
        const auto colon = line.find(": ");
        if (colon != std::string::npos && line.rfind("model name", 0) == 0) {
            model = line.substr(colon + 2);
            break;
        }
    }
    return model + ", " + std::to_string(::sysconf(_SC_NPROCESSORS_ONLN)) + " cores";
}

}  // namespace tunekit::io
