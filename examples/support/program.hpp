// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// How programs begin and end: version, wrong input, folders.

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "tunekit/core/error.hpp"
#include "tunekit/version.hpp"

namespace programs {

inline std::string version_text()
{
    return std::to_string(TUNEKIT_VERSION_MAJOR) + '.' + std::to_string(TUNEKIT_VERSION_MINOR) + '.' + std::to_string(TUNEKIT_VERSION_PATCH);
}

/// Parses, calls `run`, and returns the exit status: 2 after one line where the input is wrong or something cannot be had.
template <class Run>
int run_program(CLI::App& app, int argc, char** argv, Run&& run)
{
    app.set_version_flag("--version", app.get_name() + " (tunekit) " + version_text());
    try {
        app.parse(argc, argv);
        std::forward<Run>(run)();
        return 0;
    } catch (const CLI::Success& e) {
        return app.exit(e);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), e.what());
        return 2;
    }
}

/// Makes the folder where it is missing. Throws std::invalid_argument where it cannot be written; `option` named it.
inline void make_folder(const std::string& option, const std::string& path)
{
    if (::mkdir(path.c_str(), 0777) != 0 && ::access(path.c_str(), W_OK) != 0)
        tunekit::invalid(option + " \"" + path + "\" cannot be written, want a folder that can");
}

}  // namespace programs
