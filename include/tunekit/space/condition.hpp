// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A condition on parameters whose types are not known any more.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tunekit::space {

/// A condition on some parameters, known to a grid by their positions. Both pointers are used during construction only.
struct condition {
    std::string text;                ///< what error messages call it
    std::vector<std::size_t> scope;  ///< the positions of the parameters that it depends on
    const void* context = nullptr;
    /// `row`: ordinals by position; those in scope are set.
    bool (*holds)(const void* context, const std::uint16_t* row) = nullptr;
};

}  // namespace tunekit::space
