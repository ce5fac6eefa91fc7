// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The start of a zygote.

#include "tunekit/processes/detail/child.hpp"
#include "tunekit/processes/detail/process.hpp"
#include "tunekit/processes/detail/worker.hpp"

namespace tunekit::measure::detail {

/// A zygote that was started, and the parent's end of the conversation with it.
struct started_zygote {
    descriptor control{};
    child process{};  ///< its process group is left to it: where it is killed, what it forked ends by itself
};

/// Forks the zygote, whose workers measure with `work`. `work` and what it refers to are needed during this call only.
/// `who` is for messages. Throws tunekit::error where this process runs other threads or no child can be forked.
started_zygote fork_zygote(work_ref work, const worker_hold& hold, const char* who);

}  // namespace tunekit::measure::detail
