// SPDX-License-Identifier: MIT
#include "tunekit/processes/build/build_cache.hpp"

#include <utility>

#include "tunekit/core/error.hpp"

namespace tunekit::measure {

build_cache::build_cache(std::string directory, std::vector<detail::compiler> compilers, std::vector<std::string> flags)
    : store(std::move(directory), ".so"), compilers_(std::move(compilers)), flags_(std::move(flags))
{
    require(!compilers_.empty(), "build_cache: no compiler, want one or more");
}

const detail::compiler& build_cache::compiler_of(const source& s) const
{
    if (s.compiler.empty()) return compilers_.front();
    for (const detail::compiler& c : compilers_)
        if (c.name == s.compiler) return c;
    invalid("build_cache: the source asks for the compiler '" + s.compiler +
            "', which is not listed; want it in builder::options::compilers");
}

std::vector<std::string> build_cache::flags_of(const source& s) const
{
    std::vector<std::string> out = flags_;
    out.insert(out.end(), s.flags.begin(), s.flags.end());
    return out;
}

std::string build_cache::key(const source& s, std::string_view entry) const
{
    std::string all;
    all.reserve(s.text.size() + 512);
    detail::add_part(all, "tunekit 2");  // the version of how a text is wrapped and linked
    detail::add_part(all, compiler_of(s).identity);
    for (const std::string& flag : flags_) detail::add_part(all, flag);
    for (const std::string& flag : s.flags) detail::add_part(all, flag);
    detail::add_part(all, entry);
    detail::add_part(all, s.text);
    return detail::digest(all);
}

}  // namespace tunekit::measure
