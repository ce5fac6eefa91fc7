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

/// PLACE.RANDOM.new, the file beside `place` in which its next text is written. What writers that were killed left
/// there is removed after an hour: no write takes that long.
class new_beside {
public:
    explicit new_beside(const std::string& place) : before_(place + '.') { remove_left(); }

    /// A name that nobody can have prepared; `tries` are those that were taken.
    [[nodiscard]] std::string name(std::uint64_t tries) const
    {
        std::uint64_t x = 0;
        if (!system::detail::unguessable(x))  // such systems have just started, or have no such numbers
            x = static_cast<std::uint64_t>(system::detail::process_number()) << 32 ^
                static_cast<std::uint64_t>(std::clock()) ^ tries << 48;
        std::string out = before_;
        for (int shift = 60; shift >= 0; shift -= 4) out += hex[x >> shift & 15U];
        return out += after;
    }

private:
    static constexpr std::string_view hex = "0123456789abcdef", after = ".new";

    void remove_left() const
    {
        const std::string folder = system::detail::folder_of(before_);
        const std::string_view base =
            before_.starts_with(folder) ? std::string_view(before_).substr(folder.size()) : std::string_view(before_);
        system::detail::each_name_in(folder, [&](std::string_view name) {
            if (name.size() != base.size() + 16 + after.size() || !name.starts_with(base) || !name.ends_with(after) ||
                name.substr(base.size(), 16).find_first_not_of(hex) != std::string_view::npos)
                return;
            const std::string left = folder + std::string(name);
            const auto state = system::detail::state_of(left);
            if (state && state->is == system::detail::file_state::kind::file &&
                state->changed + 3600 < std::time(nullptr))
                (void)std::remove(left.c_str());
        });
    }

    std::string before_;
};

/// Writes to what is there and is no regular file, such as a device or a pipe.
void write_through(const std::string& path, std::string_view text)
{
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) throw error(path + ": cannot be opened, want a writable file");
    const bool whole = text.empty() || std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (std::fclose(file) != 0 || !whole) throw error(path + ": cannot be written in full, want room on the disk");
}

}  // namespace

void write_file(const std::string& path, std::string_view text)
{
    using kind = system::detail::file_state::kind;
    const auto was = system::detail::state_of(path);
    if (was && was->is != kind::file && was->is != kind::folder) return write_through(path, text);
    const std::string place = was ? system::detail::real_path(path) : path;
    const new_beside beside(place);
    std::string made;
    int fd = -1;
    for (std::uint64_t tries = 0; tries < 10 && fd < 0; ++tries) {
        made = beside.name(tries);
        fd = system::detail::open_file(made, system::detail::opening::write_new, was ? was->mode : 0666);
        if (fd < 0 && errno != EEXIST) break;
    }
    if (fd < 0) throw error(path + ": cannot be written: " + std::strerror(errno));
    int why = was && !system::detail::permit_file(fd, was->mode) ? errno : 0;
    if (why == 0) why = write_whole(fd, text);
    if (why == 0 && !system::detail::flush_whole_file(fd)) why = errno;
    if (!system::detail::close_file(fd) && why == 0) why = errno;
    if (why == 0) why = system::detail::replace_file(made, place);
    if (why == 0) return system::detail::flush_folder_of(place);
    (void)std::remove(made.c_str());
    throw error(path + ": cannot be replaced, is as it was: " + std::strerror(why));
}

}  // namespace tunekit::io::detail
