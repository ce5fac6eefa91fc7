// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The recorded spaces that a bench was given.

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/scoring/read_recordings.hpp"

namespace programs {

/// All spaces of the comma-separated `folders` whose name contains `only`, by name within each; a folder without one is passed over.
/// What is wrong with them goes to stderr.
inline std::vector<tunekit::scoring::recording> load_spaces(const char* program, const std::string& folders,
                                                            const std::string& only)
{
    std::vector<tunekit::scoring::recording> out;
    for (const auto folder : tunekit::io::split(folders, ',')) {
        const std::string path(folder);
        for (const auto& name : tunekit::scoring::recorded_names(path))
            if (name.find(only) != std::string::npos)
                out.push_back(tunekit::scoring::read_recording(path + '/' + name));
    }
    for (const auto& on : out)
        for (const auto& p : on.problems) std::fprintf(stderr, "%s: %s\n", program, p.text().c_str());
    if (out.empty())
        tunekit::invalid("--spaces \"" + folders + "\" holds no such recorded space, want NAME.params and NAME.csv.gz");
    return out;
}

}  // namespace programs
