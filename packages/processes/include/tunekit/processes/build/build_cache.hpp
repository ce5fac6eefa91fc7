// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A directory of shared objects that were built. Each is named by the digest of all that went into it.

#include <string>
#include <string_view>
#include <vector>

#include "tunekit/processes/build/compiler.hpp"
#include "tunekit/processes/build/source_template.hpp"
#include "tunekit/processes/build/store.hpp"

namespace tunekit::measure {

/// Names built code, whether it is built yet or not, by a directory, the compilers and their flags. A value: kernels in
/// worker processes have a copy and find their code with it, so that only a configuration's index is sent to them.
///
/// A key is a digest of the text, the entry point, the flags, and the compiler's identity.
class build_cache : public store {
public:
    /// Names files in `directory` for these compilers and flags. Throws std::invalid_argument where there is no
    /// compiler.
    build_cache(std::string directory, std::vector<detail::compiler> compilers, std::vector<std::string> flags);

    /// The compiler that `s` asks for. Throws std::invalid_argument where it is not one of builder::options::compilers.
    [[nodiscard]] const detail::compiler& compiler_of(const source& s) const;

    /// The builder's flags, then those of `s`.
    [[nodiscard]] std::vector<std::string> flags_of(const source& s) const;

    /// The key of a source, 32 hexadecimal digits. Throws std::invalid_argument where its compiler is not listed.
    [[nodiscard]] std::string key(const source& s, std::string_view entry) const;

    /// The name of the entry point in a key's shared object.
    [[nodiscard]] static std::string symbol(std::string_view key) { return "tunekit_" + std::string(key); }

private:
    std::vector<detail::compiler> compilers_;
    std::vector<std::string> flags_;
};

}  // namespace tunekit::measure
