// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/file_writer.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/detail/system/files.hpp"
#include "tunekit/processes/files/regular_file.hpp"

namespace tunekit::io::detail {

int write_whole(int fd, std::string_view text) noexcept
{
    while (!text.empty()) {
        const std::ptrdiff_t n = system::detail::write_some(fd, text.data(), text.size());
        if (n <= 0) return n == 0 ? ENOSPC : errno;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return 0;
}

namespace {

constexpr std::string_view hex = "0123456789abcdef", after = ".new";

/// PLACE.RANDOM.new, the file beside `place` in which its next text is written: a name that nobody can have prepared.
/// `tries` are those that were taken.
std::string name_beside(const std::string& place, std::uint64_t tries)
{
    std::uint64_t x = 0;
    if (!system::detail::unguessable(x))  // such systems have just started, or have no such numbers
        x = static_cast<std::uint64_t>(system::detail::process_number()) << 32 ^
            static_cast<std::uint64_t>(std::clock()) ^ tries << 48;
    std::string out = place + '.';
    for (int shift = 60; shift >= 0; shift -= 4) out += hex[x >> shift & 15U];
    return out += after;
}

/// Removes such files of `owner` in a folder whose writers were killed: those older than a minute that nobody holds. (A
/// younger one may be made and not locked yet.) Where a file system has no locks they are older than an hour.
void remove_left(const std::string& folder, std::uint64_t owner)
{
    constexpr std::size_t tail = 1 + 16 + after.size();
    system::detail::each_name_in(folder, [&](const std::string& name) {
        const std::size_t dot = name.size() - tail;
        if (name.size() <= tail || !name.ends_with(after) || name[dot] != '.' ||
            name.find_first_not_of(hex, dot + 1) != dot + 17)
            return;
        const std::string left = folder + name;
        const auto state = system::detail::state_of_name(left);
        const auto age = state ? std::time(nullptr) - state->changed : 0;
        if (age <= 60 || !state->is_file() || state->owner != owner) return;
        const int file = system::detail::open_file(left, system::detail::opening::read);
        const auto lock = file < 0 ? system::detail::locking::failed : system::detail::lock_file(file);
        if (file >= 0) system::detail::close_file(file);
        if (lock == system::detail::locking::held || (lock == system::detail::locking::failed && age > 3600))
            (void)std::remove(left.c_str());
    });
}

}  // namespace

void write_file(const std::string& path, std::string_view text)
{
    const auto was = system::detail::state_of_name(path);
    if (was) regular_file::refuse_others(*was, path, true);
    const bool replaces = was && was->is_file();  // a link gives way, and what it leads to stays
    std::string made;
    int fd = -1;
    for (std::uint64_t tries = 0; tries < 10 && fd < 0; ++tries) {
        made = name_beside(path, tries);
        fd = system::detail::open_file(made, system::detail::opening::write_new, replaces ? was->mode : 0666);
        if (fd < 0 && errno != EEXIST) break;
    }
    if (fd < 0) throw error(path + ": cannot be written: " + std::strerror(errno));
    (void)system::detail::lock_file(fd);  // so that nobody takes it for one that was left
    if (const auto ours = system::detail::state_of(fd)) remove_left(system::detail::folder_of(path), ours->owner);
    int why = replaces && !system::detail::permit_file(fd, was->mode) ? errno : 0;
    if (why == 0) why = write_whole(fd, text);
    if (why == 0 && !system::detail::flush_whole_file(fd)) why = errno;
    if (!system::detail::close_file(fd) && why == 0) why = errno;
    if (why == 0) why = system::detail::replace_file(made, path);
    if (why == 0) return system::detail::flush_folder_of(path);
    (void)std::remove(made.c_str());
    throw error(path + ": cannot be replaced, is as it was: " + std::strerror(why));
}

}  // namespace tunekit::io::detail
