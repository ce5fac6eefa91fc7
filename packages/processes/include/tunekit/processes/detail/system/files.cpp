// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/system/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include "tunekit/core/detail/system.hpp"

#if TUNEKIT_ON_WINDOWS
#include <io.h>
#include <process.h>
#include <sys/locking.h>
#include <filesystem>
#else
#include <dirent.h>
#include <sys/file.h>
#include <sys/random.h>
#include <unistd.h>
#endif
#if TUNEKIT_ON_APPLE
#include <sys/mount.h>
#elif TUNEKIT_ON_LINUX
#include <sys/statvfs.h>
#endif

namespace tunekit::system::detail {

namespace {

template <class Stat>
file_state state_from(const Stat& s) noexcept
{
    file_state out{.size = static_cast<std::uint64_t>(s.st_size),
                   .mode = s.st_mode & 0777U,
                   .changed = static_cast<std::int64_t>(s.st_mtime)};
    out.is = S_ISREG(s.st_mode)    ? file_state::kind::file
             : S_ISDIR(s.st_mode)  ? file_state::kind::folder
             : S_ISFIFO(s.st_mode) ? file_state::kind::pipe
                                   : file_state::kind::device;
#if !TUNEKIT_ON_WINDOWS
    if (S_ISLNK(s.st_mode)) out.is = file_state::kind::link;
    out.owner = s.st_uid;
    out.device = static_cast<std::uint64_t>(s.st_dev);
    out.number = static_cast<std::uint64_t>(s.st_ino);
#endif
    return out;
}

#if TUNEKIT_ON_WINDOWS
/// Locks of a part of a file keep others from reading it, so they are on a byte behind what a file may hold.
bool lock_byte(int fd, int how) noexcept
{
    constexpr long beyond = 0x7fff0000;
    const bool locked = ::_lseek(fd, beyond, SEEK_SET) == beyond && ::_locking(fd, how, 1) == 0;
    const int why = errno;
    ::_lseek(fd, 0, SEEK_SET);
    errno = why;
    return locked;
}
#endif

}  // namespace

std::optional<file_state> state_of(const std::string& path) noexcept
{
#if TUNEKIT_ON_WINDOWS
    struct _stat64 s{};
    if (::_stat64(path.c_str(), &s) != 0) return std::nullopt;
#else
    struct stat s{};
    if (::stat(path.c_str(), &s) != 0) return std::nullopt;
#endif
    return state_from(s);
}

std::optional<file_state> state_of(int fd) noexcept
{
#if TUNEKIT_ON_WINDOWS
    struct _stat64 s{};
    if (::_fstat64(fd, &s) != 0) return std::nullopt;
#else
    struct stat s{};
    if (::fstat(fd, &s) != 0) return std::nullopt;
#endif
    return state_from(s);
}

std::optional<file_state> state_of_name(const std::string& path) noexcept
{
#if TUNEKIT_ON_WINDOWS
    return state_of(path);
#else
    struct stat s{};
    if (::lstat(path.c_str(), &s) != 0) return std::nullopt;
    return state_from(s);
#endif
}

int open_file(const std::string& path, opening how, unsigned mode) noexcept
{
#if TUNEKIT_ON_WINDOWS
    constexpr int always = _O_BINARY | _O_NOINHERIT, append = _O_RDWR | _O_APPEND | _O_CREAT;
    constexpr int flags[] = {_O_RDONLY, append, append | _O_EXCL, _O_WRONLY | _O_CREAT | _O_EXCL};
    (void)mode;  // a file is written by its owner or by nobody
    return ::_open(path.c_str(), flags[static_cast<int>(how)] | always, _S_IREAD | _S_IWRITE);
#else
    constexpr int always = O_CLOEXEC | O_NOCTTY | O_NONBLOCK, append = O_RDWR | O_APPEND | O_CREAT;
    constexpr int flags[] = {O_RDONLY, append, append | O_EXCL, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW};
    return ::open(path.c_str(), flags[static_cast<int>(how)] | always, static_cast<mode_t>(mode));
#endif
}

bool close_file(int fd) noexcept
{
#if TUNEKIT_ON_WINDOWS
    return ::_close(fd) == 0;
#else
    return ::close(fd) == 0;
#endif
}

int above_streams(int fd) noexcept
{
#if TUNEKIT_ON_WINDOWS
    const int next = ::_dup(fd);
    const int out = next < 0 || next > 2 ? next : above_streams(next);
    if (out != next) ::_close(next);
    return out;
#else
    return ::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
#endif
}

std::ptrdiff_t read_some(int fd, char* to, std::size_t room) noexcept
{
#if TUNEKIT_ON_WINDOWS
    return ::_read(fd, to, static_cast<unsigned>(room < 0x40000000 ? room : 0x40000000));
#else
    ssize_t got = ::read(fd, to, room);
    while (got < 0 && errno == EINTR) got = ::read(fd, to, room);
    return got;
#endif
}

std::ptrdiff_t write_some(int fd, const char* from, std::size_t size) noexcept
{
#if TUNEKIT_ON_WINDOWS
    return ::_write(fd, from, static_cast<unsigned>(size < 0x40000000 ? size : 0x40000000));
#else
    ssize_t put = ::write(fd, from, size);
    while (put < 0 && errno == EINTR) put = ::write(fd, from, size);
    return put;
#endif
}

bool cut_file(int fd, std::size_t size) noexcept
{
#if TUNEKIT_ON_WINDOWS
    return ::_chsize_s(fd, static_cast<long long>(size)) == 0;
#else
    return ::ftruncate(fd, static_cast<off_t>(size)) == 0;
#endif
}

bool permit_file(int fd, unsigned mode) noexcept
{
#if TUNEKIT_ON_WINDOWS
    (void)fd, (void)mode;
    return true;
#else
    return ::fchmod(fd, static_cast<mode_t>(mode)) == 0;
#endif
}

bool flush_to_disk(int fd) noexcept
{
#if TUNEKIT_ON_WINDOWS
    return ::_commit(fd) == 0;
#elif TUNEKIT_ON_APPLE
    return ::fcntl(fd, F_FULLFSYNC) == 0 || ::fsync(fd) == 0;  // fsync(2) leaves it in the drive's cache there
#else
    return ::fdatasync(fd) == 0;
#endif
}

bool flush_whole_file(int fd) noexcept
{
#if TUNEKIT_ON_LINUX
    return ::fsync(fd) == 0;
#else
    return flush_to_disk(fd);
#endif
}

locking lock_file(int fd) noexcept
{
#if TUNEKIT_ON_WINDOWS
    return lock_byte(fd, _LK_NBLCK) ? locking::held : locking::busy;  // it fails for no other reason here
#else
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return locking::held;
    return errno == EWOULDBLOCK ? locking::busy : locking::failed;
#endif
}

std::string folder_of(const std::string& path)
{
#if TUNEKIT_ON_WINDOWS
    const std::size_t slash = path.find_last_of("/\\");
#else
    const std::size_t slash = path.rfind('/');
#endif
    return slash == std::string::npos ? "./" : path.substr(0, slash + 1);
}

void list_names_in(const std::string& folder, void* self, void (*with)(void* self, const std::string& name))
{
#if TUNEKIT_ON_WINDOWS
    std::error_code why;
    for (const auto& one : std::filesystem::directory_iterator(folder, why)) with(self, one.path().filename().string());
#else
    DIR* const open = ::opendir(folder.c_str());
    if (open == nullptr) return;
    while (const dirent* const one = ::readdir(open)) with(self, one->d_name);
    ::closedir(open);
#endif
}

int lock_folder_of(const std::string& path, int patience)
{
#if TUNEKIT_ON_WINDOWS
    int fd = open_file(path + ".lock", opening::append);
#else
    int fd = ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
#endif
    if (fd < 0) return -1;
    locking now = lock_file(fd);
    for (; now == locking::busy && patience > 0;
         --patience) {  // in steps, as a lock that is waited for can hold up for ever
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        now = lock_file(fd);
    }
    if (now != locking::held) close_file(std::exchange(fd, -1));
    return fd;
}

void flush_folder_of(const std::string& path)
{
#if TUNEKIT_ON_WINDOWS
    (void)path;  // NTFS logs names
#else
    const int fd = ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    ::fsync(fd);
    ::close(fd);
#endif
}

int replace_file(const std::string& from, const std::string& to)
{
#if TUNEKIT_ON_WINDOWS
    std::error_code why;
    std::filesystem::rename(from, to, why);  // std::rename does not replace
    return why ? why.default_error_condition().value() : 0;
#else
    return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
#endif
}

std::string absolute_path(const std::string& path)
{
#if TUNEKIT_ON_WINDOWS
    char* const place = ::_fullpath(nullptr, path.c_str(), 0);
    std::string out = place == nullptr ? path : std::string(place);
    std::free(place);
    return out;
#else
    if (path.starts_with('/')) return path;
    char* const folder = ::getcwd(nullptr, 0);
    std::string out = (folder == nullptr ? std::string(".") : std::string(folder)) + '/' + path;
    std::free(folder);
    return out;
#endif
}

#if !TUNEKIT_ON_WINDOWS
std::string time_of_change(const struct stat& s)
{
#if TUNEKIT_ON_APPLE
    const timespec at = s.st_mtimespec;
#else
    const timespec at = s.st_mtim;
#endif
    return std::to_string(at.tv_sec) + '.' + std::to_string(at.tv_nsec);
}

bool runs_nothing(const std::string& path) noexcept
{
#if TUNEKIT_ON_APPLE
    struct statfs s{};
    return ::statfs(path.c_str(), &s) == 0 && (s.f_flags & MNT_NOEXEC) != 0;
#else
    struct statvfs s{};
    return ::statvfs(path.c_str(), &s) == 0 && (s.f_flag & ST_NOEXEC) != 0;
#endif
}
#endif

bool unguessable(std::uint64_t& out) noexcept
{
#if TUNEKIT_ON_LINUX
    return ::getrandom(&out, sizeof out, GRND_NONBLOCK) == sizeof out;
#elif TUNEKIT_ON_APPLE
    return ::getentropy(&out, sizeof out) == 0;
#else
    (void)out;
    return false;
#endif
}

int process_number() noexcept
{
#if TUNEKIT_ON_WINDOWS
    return ::_getpid();
#else
    return static_cast<int>(::getpid());
#endif
}

}  // namespace tunekit::system::detail
