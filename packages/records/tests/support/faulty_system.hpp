// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The system calls and the allocations of this program, one of which can be made to fail. faulty_system.cpp defines them in
/// the place of the C library's, so that headers are tested as they are.

#include <functional>

namespace faulty {

enum class call { open, lock, read, write, short_write, sync, cut, allocate, allocate_on, none };

/// While it lives, the n-th of these calls (from 1) fails, with EIO where there is an errno; a `short_write` writes half,
/// and of `allocate_on` all later ones fail, too.
class nth {
public:
    nth(call which, int n);
    nth(const nth&) = delete;
    nth& operator=(const nth&) = delete;
    ~nth();
    [[nodiscard]] static bool came();  ///< whether it was reached
};

/// While it lives, `f` happens before the first lock is taken.
class before_lock {
public:
    explicit before_lock(std::function<void()> f);
    before_lock(const before_lock&) = delete;
    before_lock& operator=(const before_lock&) = delete;
    ~before_lock();
};

/// Ends this process, as SIGKILL would, before the n-th call of any kind but allocations.
void die_at(int n);

}  // namespace faulty
