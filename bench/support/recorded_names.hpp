// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Which recorded spaces a folder has.

#include <dirent.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tunekit/core/error.hpp"

namespace programs {

/// Their names, sorted: what stands before `.params`. Throws std::invalid_argument where `path` is no folder.
inline std::vector<std::string> recorded_names(const std::string& path)
{
    DIR* folder = opendir(path.c_str());
    if (folder == nullptr) tunekit::invalid("--spaces \"" + path + "\" is no folder, want one with recorded spaces");
    std::vector<std::string> out;
    while (const dirent* entry = readdir(folder)) {
        const std::string_view file = entry->d_name;
        if (file.ends_with(".params")) out.emplace_back(file.substr(0, file.size() - 7));
    }
    closedir(folder);
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace programs
