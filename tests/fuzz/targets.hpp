// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What is fuzzed: a function per reader, which reads a text and checks what must hold of anything that is read.

#include <span>
#include <string_view>

namespace fuzz {

struct target {
    std::string_view name;  ///< of its folder in corpus/, too
    /// Throws what the reader throws by design; anything that should not be ends the program with a line.
    void (*read)(std::string_view text);
    std::span<const std::string_view> words;  ///< what the mutator puts in besides bytes
};

[[nodiscard]] std::span<const target> targets();

}  // namespace fuzz
