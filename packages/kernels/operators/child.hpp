// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tunekit/core/error.hpp"
#include "tunekit/processes/build/child_process.hpp"

namespace programs {

/// What a child process left behind.
struct child_answer {
    int status = 0;    ///< as waitpid gives it
    std::string text;  ///< what it wrote to its standard output and error
};

/// `work()`, which gives an exit status, in a child process that may crash: the parent goes on, and needs no library that `work` opens.
/// Throws tunekit::error where no process can be forked, and, naming `what`, where it has not ended after `seconds`; then it is killed.
template <class Work>
[[nodiscard]] child_answer in_child(const std::string& what, double seconds, Work&& work)
{
    tunekit::measure::child_process child(work);
    if (!child.await(seconds)) throw tunekit::error(what + ": the child has not ended in time");
    return {child.status(), child.text()};
}

}  // namespace programs
