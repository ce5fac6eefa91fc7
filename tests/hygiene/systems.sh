#!/bin/sh
# SPDX-License-Identifier: MIT
# systems.sh ROOT: what differs between systems stands in core/detail/{system, numbers}.hpp and in the two folders system/ of processes, and nowhere else: no
# other file asks the compiler for a system or a C library (for a processor it may), includes a header that one system alone
# has, or reads numbers by std::from_chars but in hex: libc++ before 20 reads no doubles. The core includes no header of an operating system or
# of the C library: of the outside, the C++ standard library without what opens files, starts threads or takes signals, and Eigen.
# core/detail/numbers.hpp is the one exception.
set -eu
cd "$1"
files=$(find include packages \( -name '*.hpp' -o -name '*.cpp' \) ! -path 'include/tunekit/core/detail/system.hpp' ! -path 'include/tunekit/core/detail/numbers.hpp' \
    ! -path 'packages/processes/include/*/system/*' ! -path 'packages/*/tests/*' ! -path 'packages/*/examples/*' ! -path 'packages/kernels/operators/*')
bad=0
refuse() {
    # shellcheck disable=SC2086 # file names without blanks
    if grep -nE "$1" $files; then
        echo "$2"
        bad=1
    fi
}
systems='linux|gnu_linux|linux__|APPLE|MACH|FreeBSD|OpenBSD|NetBSD|DragonFly|unix|unix__|ANDROID|BIONIC|CYGWIN|MINGW32|MINGW64|GLIBC|GLIBC_MINOR|UCLIBC|MUSL'
refuse "__($systems)__\b|\b__(APPLE|unix|linux|GLIBC|MINGW32|MINGW64)\b|\b_(WIN32|WIN64|MSC_VER)\b|\bTUNEKIT_ON_[A-Z]+" \
    'these ask for a system: want a function of processes/system/, or what the system can do (TUNEKIT_FORKS)'
refuse '^[ 	]*#[ 	]*include[ 	]*<(windows\.h|io\.h|process\.h|direct\.h|libproc\.h|crt_externs\.h|xlocale\.h|mach/.*|linux/.*|stdio_ext\.h|sched\.h|sys/(prctl|ptrace|signalfd|eventfd|epoll|inotify|syscall|sysinfo|random|event|sysctl|ioctl|locking|statvfs|mount)\.h)>' \
    'one system alone has these, or they differ: want a function of processes/system/'
files_of_all=$files
files=$(find include -name '*.hpp' -o -name '*.cpp' | grep -v '^include/tunekit/core/detail/numbers[.]hpp$')
refuse '^[ 	]*#[ 	]*include[ 	]*<([^>E]*[./]|(c(locale|setjmp|signal|stdlib)|condition_variable|filesystem|fstream|future|iostream|locale|(shared_)?mutex|semaphore|stop_token|thread)>)' \
    'the core asks no system: want a function of packages/processes'
refuse '\b(f(re|d)?open|fork|getenv|mmap|popen|sysconf|tmpfile)\(|std::(raise|rename|signal|system)\(' 'the core opens no file and starts no process: want a function of packages/processes'
files=$files_of_all
# shellcheck disable=SC2086 # file names without blanks
if grep -n 'from_chars(' $files | grep -vE '^(include/tunekit/core/|packages/processes/include/tunekit/processes/machine\.cpp)' | grep -v ', 16)'; then
    echo 'core/text.hpp reads numbers: want core::number or core::leading_number'
    bad=1
fi
exit $bad
