// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Names of code for a device, whether it is built yet or not.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tunekit/core/error.hpp"
#include "tunekit/devices/detail/headers.hpp"
#include "tunekit/processes/build/compiler.hpp"
#include "tunekit/processes/build/source_template.hpp"
#include "tunekit/processes/build/store.hpp"
#include "tunekit/processes/system/own_files.hpp"

namespace tunekit::measure::detail {

/// The files in the directory of a builder. A value: kernels in worker processes have a copy and find their code with
/// it. A key is a digest of the text, the entry point, the options, the compiler's identity, and the contents of the
/// headers that the text includes from the folders of the options, read once per cache.
class code_cache : public store {
public:
    /// `kind` is the end of its files' names, such as ".cubin". `compiler` is a text that identifies the compiler:
    /// compilers that make different code have different ones.
    code_cache(std::string directory, std::string kind, std::string compiler, std::vector<std::string> options)
        : store(std::move(directory), kind),
          kind_(std::move(kind)),
          compiler_(std::move(compiler)),
          options_(std::move(options))
    {
    }

    /// The compiler's options for `s`: the builder's, then those of `s`.
    [[nodiscard]] std::vector<std::string> options_of(const source& s) const
    {
        std::vector<std::string> out = options_;
        out.insert(out.end(), s.flags.begin(), s.flags.end());
        return out;
    }

    /// The key of a source, 32 hexadecimal digits. Throws std::invalid_argument where the source asks for a compiler.
    [[nodiscard]] std::string key(const source& s, std::string_view entry) const
    {
        require(s.compiler.empty(), "builder: the source asks for the compiler '" + s.compiler + "', want none");
        std::string all;
        all.reserve(s.text.size() + 512);
        add_part(all, "tunekit code 1");
        add_part(all, kind_);
        add_part(all, compiler_);
        const std::vector<std::string> options = options_of(s);
        for (const std::string& option : options) add_part(all, option);
        for (const std::string& name : s.names) add_part(all, name);
        add_part(all, entry);
        add_part(all, s.text);
        if (const std::string headers = headers_.of(s.text, include_folders(options)); !headers.empty())
            add_part(all, headers);
        return digest(all);
    }

    /// The code of a key; empty where its file is missing, incomplete or another user's.
    [[nodiscard]] std::string code(std::string_view key) const
    {
        auto there = find(key);
        return there ? std::move(there->bytes) : std::string();
    }

private:
    std::string kind_;
    std::string compiler_;
    std::vector<std::string> options_;
    header_digests headers_{};
};

}  // namespace tunekit::measure::detail
