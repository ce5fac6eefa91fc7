// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Problems in files: the parts that a reader could not use, and where they are.

#include <cstddef>
#include <string>

namespace tunekit::io {

/// One thing that a reader skipped. Everything else in the file was read.
struct problem {
    std::string file;      ///< its path or name
    std::size_t line = 0;  ///< from 1; 0 where it is about the whole file
    std::string field;     ///< column, key or keyword; empty where it is about the whole line
    std::string what;      ///< `<what it is>, want <what>`

    /// `file:line: field: what`, without the parts that are empty.
    [[nodiscard]] std::string text() const;

    friend bool operator==(const problem&, const problem&) = default;
};

}  // namespace tunekit::io
