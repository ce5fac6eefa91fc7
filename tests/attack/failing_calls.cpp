// SPDX-License-Identifier: MIT
// A library for LD_PRELOAD that makes calls of one program fail, its own processes included, and its clock jump:
//   TUNEKIT_FAULT_IN=NAME      the program, by its file's name; others are left alone
//   TUNEKIT_FAULT=N:ERRNO      the N-th call (from 1) fails with that number; N+: all from there on
//   TUNEKIT_FAULT_COUNT=FILE   8 bytes, in which all processes count these calls together
//   TUNEKIT_CLOCK=N:SECONDS    from the N-th look of a process at the monotonic clock on it is so many seconds off, once
//   TUNEKIT_TIME=SECONDS       the time of day is so many seconds off; with SECONDS,BACK it is so and back in turn, at each look
// The calls are those that a full or broken disk refuses: open for writing, write, mkdir, rename, fsync, ftruncate, and flock.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct settings {
    std::uint64_t nth = 0;  // 0: none
    bool all_later = false;
    int why = 0;
    std::atomic<std::uint64_t>* count = nullptr;
    std::uint64_t look = 0;
    long jump = 0;
    long off[2] = {};  // of the time of day
};

/// The text of a variable; empty where there is none.
const char* text_of(const char* variable)
{
    const char* const found = std::getenv(variable);
    return found == nullptr ? "" : found;
}

const settings& of_this()
{
    static const settings set = [] {
        settings out;
        if (std::strcmp(text_of("TUNEKIT_FAULT_IN"), program_invocation_short_name) != 0) return out;
        char* end = nullptr;
        out.nth = std::strtoull(text_of("TUNEKIT_FAULT"), &end, 10);
        out.all_later = *end == '+';
        if (out.all_later) ++end;
        if (*end == ':') out.why = std::atoi(end + 1);
        out.look = std::strtoull(text_of("TUNEKIT_CLOCK"), &end, 10);
        if (*end == ':') out.jump = std::atol(end + 1);
        out.off[0] = out.off[1] = std::strtol(text_of("TUNEKIT_TIME"), &end, 10);
        if (*end == ',') out.off[1] = std::atol(end + 1);
        const auto fd =
            static_cast<int>(::syscall(SYS_openat, AT_FDCWD, text_of("TUNEKIT_FAULT_COUNT"), O_RDWR | O_CLOEXEC, 0));
        if (fd < 0) return out;
        void* const shared = ::mmap(nullptr, 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        ::syscall(SYS_close, fd);
        if (shared != MAP_FAILED) out.count = static_cast<std::atomic<std::uint64_t>*>(shared);
        return out;
    }();
    return set;
}

/// Counts a call, and says whether it fails; then errno says why. Locks fail for want of locks alone, and nothing else does.
bool refused(bool is_lock = false)
{
    const settings& set = of_this();
    if (set.count == nullptr) return false;
    const std::uint64_t n = ++*set.count;
    if (set.nth == 0 || (set.all_later ? n < set.nth : n != set.nth)) return false;
    if (is_lock != (set.why == ENOLCK)) return false;
    errno = set.why;
    return true;
}

/// The C library's function of that name.
template <class F>
F* next(const char* name)
{
    return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

bool writes(int flags) { return (flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0; }

bool is_file(int fd)
{
    struct stat s{};
    return ::fstat(fd, &s) == 0 && S_ISREG(s.st_mode);
}

/// Whether a path is a device, which no disk refuses.
bool is_device(const char* path) { return std::strncmp(path, "/dev/", 5) == 0 || std::strncmp(path, "/proc/", 6) == 0; }

/// What `open` does, whose mode is in `rest` where the flags make a file.
int opened(const char* path, int flags, va_list rest)
{
    const int mode = (flags & O_CREAT) != 0 ? va_arg(rest, int) : 0;
    if (writes(flags) && !is_device(path) && refused()) return -1;
    return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const int fd = opened(path, flags, rest);
    va_end(rest);
    return fd;
}

int open64(const char* path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const int fd = opened(path, flags, rest);
    va_end(rest);
    return fd;
}

std::FILE* fopen(const char* path, const char* how)
{
    if (std::strpbrk(how, "wa+") != nullptr && !is_device(path) && refused()) return nullptr;
    return next<std::FILE*(const char*, const char*)>("fopen")(path, how);
}

ssize_t write(int fd, const void* from, std::size_t n)
{
    if (fd > STDERR_FILENO && is_file(fd) && refused()) return -1;  // what it says is heard
    return ::syscall(SYS_write, fd, from, n);
}

int mkdir(const char* path, mode_t mode) noexcept
{
    if (refused()) return -1;
    return static_cast<int>(::syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}

char* mkdtemp(char* name) noexcept
{
    if (refused()) return nullptr;
    return next<char*(char*)>("mkdtemp")(name);
}

int rename(const char* from, const char* to) noexcept
{
    if (refused()) return -1;
    return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int fsync(int fd)
{
    if (is_file(fd) && refused()) return -1;
    return static_cast<int>(::syscall(SYS_fsync, fd));
}

int fdatasync(int fd)
{
    if (is_file(fd) && refused()) return -1;
    return static_cast<int>(::syscall(SYS_fdatasync, fd));
}

int ftruncate(int fd, off_t size) noexcept
{
    if (is_file(fd) && refused()) return -1;
    return static_cast<int>(::syscall(SYS_ftruncate, fd, size));
}

int flock(int fd, int how) noexcept
{
    if (refused(true)) return -1;
    return static_cast<int>(::syscall(SYS_flock, fd, how));
}

time_t time(time_t* at) noexcept
{
    static std::atomic<std::size_t> looks{0};
    timespec now{};
    ::syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
    const time_t out = now.tv_sec + of_this().off[looks++ % 2];
    if (at != nullptr) *at = out;
    return out;
}

int clock_gettime(clockid_t clock, timespec* at) noexcept
{
    static std::atomic<std::uint64_t> looks{0}, looks_at_day{0};
    const int out = static_cast<int>(::syscall(SYS_clock_gettime, clock, at));
    const settings& set = of_this();
    if (clock == CLOCK_MONOTONIC && set.look != 0 && ++looks >= set.look) at->tv_sec += set.jump;
    if (clock == CLOCK_REALTIME) at->tv_sec += set.off[looks_at_day++ % 2];
    return out;
}

}  // extern "C"
