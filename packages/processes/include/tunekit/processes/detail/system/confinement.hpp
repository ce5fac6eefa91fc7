// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The system calls that are refused to a confined worker.

namespace tunekit::system::detail {

/// From now on the system refuses some calls to this process and its descendants: sockets (except pairs); looking into
/// other processes; namespaces, mounts, modules, keys, clocks and programs of the kernel. Threads and children stay
/// allowed. False, with errno, where the system or the processor has no such filter.
/// Source: seccomp(2).
bool refuse_calls() noexcept;

}  // namespace tunekit::system::detail
