// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/system/memory.hpp"

#include "tunekit/core/detail/system.hpp"

#if TUNEKIT_ON_WINDOWS
// As <windows.h> declares them, whose macros are not for those who include this library.
extern "C" {
__declspec(dllimport) void* __stdcall VirtualAlloc(void*, std::size_t, unsigned long, unsigned long);
__declspec(dllimport) int __stdcall VirtualFree(void*, std::size_t, unsigned long);
__declspec(dllimport) int __stdcall VirtualProtect(void*, std::size_t, unsigned long, unsigned long*);
}
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace tunekit::system::detail {

std::size_t page_bytes() noexcept
{
#if TUNEKIT_ON_WINDOWS
    return 4096;
#else
    return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
#endif
}

void* map_pages(std::size_t bytes) noexcept
{
#if TUNEKIT_ON_WINDOWS
    return ::VirtualAlloc(nullptr, bytes, 0x3000, 0x01);  // MEM_RESERVE | MEM_COMMIT, PAGE_NOACCESS
#else
    void* const at = ::mmap(nullptr, bytes, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? nullptr : at;
#endif
}

void unmap_pages(void* at, std::size_t bytes) noexcept
{
#if TUNEKIT_ON_WINDOWS
    (void)bytes;
    ::VirtualFree(at, 0, 0x8000);  // MEM_RELEASE
#else
    ::munmap(at, bytes);
#endif
}

bool protect_pages(void* at, std::size_t bytes, access allowed) noexcept
{
#if TUNEKIT_ON_WINDOWS
    constexpr unsigned long codes[] = {0x01, 0x02, 0x04};  // PAGE_NOACCESS, PAGE_READONLY, PAGE_READWRITE
    unsigned long before = 0;
    return ::VirtualProtect(at, bytes, codes[static_cast<int>(allowed)], &before) != 0;
#else
    constexpr int codes[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE};
    return ::mprotect(at, bytes, codes[static_cast<int>(allowed)]) == 0;
#endif
}

void prefer_large_pages(void* at, std::size_t bytes) noexcept
{
#if TUNEKIT_ON_LINUX
    (void)::madvise(at, bytes, MADV_HUGEPAGE);
#else
    (void)at, (void)bytes;
#endif
}

std::size_t last_cache_bytes() noexcept
{
#if defined(_SC_LEVEL3_CACHE_SIZE)
    const long bytes = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
    return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
#else
    return 0;
#endif
}

}  // namespace tunekit::system::detail
