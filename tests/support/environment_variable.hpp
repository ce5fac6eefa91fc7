// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace support {

/// An environment variable for one test; then it is again what it was before. Children see it.
class environment_variable {
public:
    environment_variable(const char* name, const std::string& value) : name_(name)
    {
        if (const char* const before = std::getenv(name)) before_ = before;
        ::setenv(name, value.c_str(), 1);
    }
    ~environment_variable()
    {
        if (before_) ::setenv(name_, before_->c_str(), 1);
        else ::unsetenv(name_);
    }
    environment_variable(const environment_variable&) = delete;
    environment_variable& operator=(const environment_variable&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_{};
};

}  // namespace support
