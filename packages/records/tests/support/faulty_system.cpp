// SPDX-License-Identifier: MIT
#include "packages/records/tests/support/faulty_system.hpp"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace {

faulty::call failing = faulty::call::none;
int left = 0;
bool reached = false;
int to_live = 0;  // calls until this process dies; 0: for ever
std::function<void()>* at_lock = nullptr;

bool fails(faulty::call which)
{
    if (which != failing || left <= 0 || --left != 0) return false;
    reached = true;
    return true;
}

/// Whether this allocation fails.
bool no_memory()
{
    if (failing == faulty::call::allocate_on && reached) return true;
    return fails(faulty::call::allocate) || fails(faulty::call::allocate_on);
}

/// Whether the call of this kind fails now.
bool refused(faulty::call which)
{
    if (to_live > 0 && --to_live == 0) ::kill(::getpid(), SIGKILL);
    if (!fails(which)) return false;
    errno = EIO;
    return true;
}

}  // namespace

namespace faulty {

nth::nth(call which, int n)
{
    left = n;
    reached = false;
    failing = which;
}
nth::~nth() { failing = call::none; }
bool nth::came() { return reached; }

before_lock::before_lock(std::function<void()> f) { at_lock = new std::function<void()>(std::move(f)); }
before_lock::~before_lock() { delete std::exchange(at_lock, nullptr); }

void die_at(int n) { to_live = n; }

}  // namespace faulty

extern "C" {

int open(const char* path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const int mode =
        (flags & 0100) != 0 ? va_arg(rest, int) : 0;  // O_CREAT, whose header would declare this function otherwise
    va_end(rest);
    if (refused(faulty::call::open)) return -1;
    return static_cast<int>(::syscall(SYS_openat, -100, path, flags, mode));  // AT_FDCWD
}

int flock(int fd, int how)
{
    if (at_lock != nullptr && *at_lock) std::exchange(*at_lock, nullptr)();
    if (refused(faulty::call::lock)) return -1;
    return static_cast<int>(::syscall(SYS_flock, fd, how));
}

ssize_t read(int fd, void* to, std::size_t n)
{
    if (refused(faulty::call::read)) return -1;
    return ::syscall(SYS_read, fd, to, n);
}

ssize_t write(int fd, const void* from, std::size_t n)
{
    if (refused(faulty::call::write)) return -1;
    return ::syscall(SYS_write, fd, from, fails(faulty::call::short_write) ? n / 2 : n);
}

int fsync(int fd)
{
    if (refused(faulty::call::sync)) return -1;
    return static_cast<int>(::syscall(SYS_fsync, fd));
}

int fdatasync(int fd)
{
    if (refused(faulty::call::sync)) return -1;
    return static_cast<int>(::syscall(SYS_fdatasync, fd));
}

int ftruncate(int fd, off_t size) noexcept
{
    if (refused(faulty::call::cut)) return -1;
    return static_cast<int>(::syscall(SYS_ftruncate, fd, size));
}

}  // extern "C"

void* operator new(std::size_t n)
{
    if (no_memory()) throw std::bad_alloc();
    void* p = std::malloc(n == 0 ? 1 : n);
    if (p == nullptr) throw std::bad_alloc();
    return p;
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
