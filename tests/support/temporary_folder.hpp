// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A folder for the files of one test.

#include <filesystem>
#include <random>
#include <string>

namespace support {

/// It is empty when made, and is removed with its content at the end.
class temporary_folder {
public:
    temporary_folder()
    {
        std::random_device dice;
        do path_ = (std::filesystem::temp_directory_path() / ("tunekit-" + std::to_string(dice()))).string();
        while (!std::filesystem::create_directory(path_));
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    ~temporary_folder() { std::filesystem::remove_all(path_); }

    [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + '/' + name; }

private:
    std::string path_;
};

}  // namespace support
