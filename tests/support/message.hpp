// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What an exception says.

#include <exception>
#include <string>

namespace support {

/// The message of what `f` throws; empty where it throws nothing.
template <class F>
[[nodiscard]] std::string message(const F& f)
{
    try {
        f();
    } catch (const std::exception& e) {
        return e.what();
    }
    return {};
}

}  // namespace support
