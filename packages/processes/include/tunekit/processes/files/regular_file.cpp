// SPDX-License-Identifier: MIT
#include "tunekit/processes/files/regular_file.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <new>

namespace tunekit::io {

namespace detail {

regular_file::regular_file(const std::string& path, system::detail::opening how, const std::string& what)
{
    if (const auto there = system::detail::state_of(path)) refuse_others(*there, what);
    fd_ = system::detail::open_file(path, how);
    if (fd_ < 0) {
        const int why = errno;
        if (why == EEXIST && !system::detail::state_of(path))
            throw error(what + ": is a link to nothing; remove it, or name another file");
        if (why == EEXIST)
            throw error(what + ": exists already; resume it (.resume = true, or --resume), or name another file");
        throw error(what + ": cannot be opened for " + (how == system::detail::opening::read ? "reading" : "writing") +
                    ": " + std::strerror(why) +
                    (why == EMFILE ? "; want a higher limit of open files (ulimit -n)" : ""));
    }
    try {
        leave_standard_streams(what);
        refuse_others(state(what), what);
    } catch (...) {
        system::detail::close_file(fd_);
        throw;
    }
}

regular_file::~regular_file()
{
    if (fd_ >= 0) system::detail::close_file(fd_);
}

system::detail::file_state regular_file::state(const std::string& what) const
{
    const auto found = system::detail::state_of(fd_);
    if (!found) throw error(what + ": cannot be looked at: " + std::strerror(errno));
    return *found;
}

std::string regular_file::text(const std::string& what) const
{
    const auto size = static_cast<std::size_t>(state(what).size);
    std::string out;
    try {
        out.resize(size + 1);  // one more, so that the last read finds the end
        for (std::size_t at = 0;;) {
            if (at == out.size()) out.resize(2 * at);
            const std::ptrdiff_t got = system::detail::read_some(fd_, out.data() + at, out.size() - at);
            if (got < 0) throw error(what + ": cannot be read: " + std::strerror(errno) + "; nothing was changed");
            if (got == 0) {
                out.resize(at);
                return out;
            }
            at += static_cast<std::size_t>(got);
        }
    } catch (const std::bad_alloc&) {
        throw error(what + ": there is no memory for its " + std::to_string(size) + " bytes; nothing was changed");
    }
}

void regular_file::leave_standard_streams(const std::string& what)
{
    if (fd_ > 2) return;
    const int above = system::detail::above_streams(fd_);
    if (above < 0) throw error(what + ": cannot be opened: " + std::strerror(errno));
    system::detail::close_file(std::exchange(fd_, above));
}

void regular_file::refuse_others(const system::detail::file_state& s, const std::string& what, bool links)
{
    using kind = system::detail::file_state::kind;
    if (s.is == kind::file || (links && s.is == kind::link)) return;
    const char* is = s.is == kind::folder ? "a folder" : s.is == kind::pipe ? "a pipe" : "a device";
    throw error(what + ": is " + is + ", want a regular file");
}

}  // namespace detail

std::string read_regular_file(const std::string& path, const std::string& what)
{
    return detail::regular_file(path, system::detail::opening::read, what).text(what);
}

}  // namespace tunekit::io
