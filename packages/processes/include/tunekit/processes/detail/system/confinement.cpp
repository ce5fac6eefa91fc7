// SPDX-License-Identifier: MIT
#include "tunekit/processes/detail/system/confinement.hpp"

#include <cerrno>

#include "tunekit/core/detail/system.hpp"

#if TUNEKIT_ON_LINUX
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <cstddef>
#include <cstdint>
#include <iterator>
#endif

namespace tunekit::system::detail {

// The instructions are those of bpf(4), written as numbers because their headers consist of macros.
bool refuse_calls() noexcept
{
#if !TUNEKIT_ON_LINUX
    errno = ENOSYS;
    return false;
#else
#if defined(__x86_64__)
    constexpr std::uint32_t native = 0xC000003E;
#elif defined(__aarch64__)
    constexpr std::uint32_t native = 0xC00000B7;
#else
    constexpr std::uint32_t native = 0;
#endif
    struct instruction {
        std::uint16_t what;
        std::uint8_t if_so;
        std::uint8_t if_not;
        std::uint32_t operand;
    };
    struct program {
        unsigned short length;
        const instruction* first;
    };
    constexpr std::uint16_t load = 0x20, equal = 0x15, at_least = 0x35, any_bit = 0x45, answer = 0x06;
    constexpr std::uint32_t number = 0, architecture = 4, first_argument = 16;  // offsets in struct seccomp_data
    constexpr std::uint32_t allow = 0x7FFF0000, fail = 0x00050000, end = 0x80000000;
    constexpr std::uint32_t new_namespaces = 0x7E020000;  // flags of clone
    constexpr std::uint32_t refused[] = {SYS_socket,
                                         SYS_ptrace,
                                         SYS_process_vm_readv,
                                         SYS_process_vm_writev,
                                         SYS_unshare,
                                         SYS_setns,
                                         SYS_mount,
                                         SYS_umount2,
                                         SYS_pivot_root,
                                         SYS_swapon,
                                         SYS_swapoff,
                                         SYS_reboot,
                                         SYS_sethostname,
                                         SYS_setdomainname,
                                         SYS_settimeofday,
                                         SYS_clock_settime,
                                         SYS_clock_adjtime,
                                         SYS_adjtimex,
                                         SYS_init_module,
                                         SYS_finit_module,
                                         SYS_delete_module,
                                         SYS_kexec_load,
                                         SYS_add_key,
                                         SYS_request_key,
                                         SYS_keyctl,
                                         SYS_bpf,
                                         SYS_userfaultfd,
                                         SYS_open_by_handle_at,
                                         425,   // io_uring_setup, which would open sockets, too; one number everywhere
                                         428,   // open_tree
                                         429,   // move_mount
                                         430,   // fsopen
                                         438};  // pidfd_getfd
    constexpr std::uint32_t clone3 = 435;       // no filter sees its flags; the C library then uses clone
    if (native == 0) {
        errno = ENOSYS;
        return false;
    }
    constexpr std::size_t most = 13 + 2 * std::size(refused);
    instruction all[most];
    std::size_t n = 0;
    const auto put = [&](instruction one) { all[n++] = one; };
    const auto unless = [&](std::uint16_t what, std::uint32_t operand, std::uint32_t then) {
        put({what, 0, 1, operand});
        put({answer, 0, 0, then});
    };
    put({load, 0, 0, architecture});
    put({equal, 1, 0, native});
    put({answer, 0, 0, end});
    put({load, 0, 0, number});
    for (const std::uint32_t call : refused) unless(equal, call, fail | EACCES);
    unless(equal, clone3, fail | ENOSYS);
    unless(at_least, 0x40000000, fail | ENOSYS);  // x86's other numbers for the same calls
    put({equal, 0, 3, SYS_clone});
    put({load, 0, 0, first_argument});
    unless(any_bit, new_namespaces, fail | EACCES);
    put({answer, 0, 0, allow});
    const program filter{static_cast<unsigned short>(n), all};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, 2, &filter, 0, 0) == 0;
#endif
}

}  // namespace tunekit::system::detail
