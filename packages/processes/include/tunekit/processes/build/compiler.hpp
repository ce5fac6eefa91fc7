// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The compilers of this machine for generated source, and the identity of a build.

#include "tunekit/processes/detail/needs_forks.hpp"  // first: it says what is wanted where a system forks nothing

#include <string>

#include "tunekit/processes/detail/own_files.hpp"

namespace tunekit::measure {

namespace detail {

/// A compiler that was found on this machine.
struct compiler {
    std::string name;      ///< the name that was asked for
    std::string path;      ///< the program that is started
    std::string identity;  ///< a digest; two compilers or kinds of processor have the same one only by chance

    friend bool operator==(const compiler&, const compiler&) = default;
};

/// The path of the program that a name would start; else empty.
std::string find_program(const std::string& name);

/// Finds the compiler `name`: a path, or a name to look up in PATH. Nothing is started. Its identity is made from its
/// path, its size, its time of change, and the kind of processor. Throws tunekit::error where there is no such program.
[[nodiscard]] compiler find_compiler(const std::string& name);

}  // namespace detail
}  // namespace tunekit::measure
