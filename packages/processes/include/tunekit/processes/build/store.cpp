// SPDX-License-Identifier: MIT
#include "tunekit/processes/build/store.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "tunekit/core/error.hpp"

namespace tunekit::measure {

namespace {

/// The last line of a file, which loaders ignore: its key, and a digest of the bytes before it.
std::string seal_of(std::string_view bytes, std::string_view key, bool shared)
{
    return "\ntunekit " + std::string(key) + ' ' + detail::digest(bytes) + (shared ? " s\n" : " a\n");
}

}  // namespace

std::string store::path(std::string_view key) const { return directory_ + '/' + std::string(key) + kind_; }

std::optional<store::file> store::find(std::string_view key) const
{
    std::optional<std::string> all = detail::bytes_of(path(key));
    const std::size_t seal = seal_of({}, key, false).size();
    if (!all || all->size() <= seal) return std::nullopt;
    const std::string_view bytes = std::string_view(*all).substr(0, all->size() - seal);
    const std::string_view last = std::string_view(*all).substr(bytes.size());
    const bool shared = last.ends_with(" s\n");
    if (last != seal_of(bytes, key, shared)) return std::nullopt;
    all->resize(bytes.size());
    return file{*std::move(all), shared};
}

void store::publish(const file& what, std::string_view key, const std::string& beside) const
{
    detail::write_file(beside, what.bytes + seal_of(what.bytes, key, what.shared));
    if (std::rename(beside.c_str(), path(key).c_str()) == 0) return;
    const int why = errno;
    std::remove(beside.c_str());
    throw error("store: cannot put '" + path(key) + "' in place: " + std::strerror(why) +
                "; remove what is there, or name another directory");
}

}  // namespace tunekit::measure
