// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// CUDA's libraries, opened at first use. Programs that include this also start on machines without them.

#include <string>
#include <utility>

#include "tunekit/devices/library.hpp"
#include "tunekit/measure/concepts.hpp"

namespace tunekit::measure {

/// The error that there is no CUDA here, or no such device. tunekit's programs then end with status 3.
struct no_cuda : no_device {
    using no_device::no_device;  ///< takes the message: what is missing, and the remedy
};

/// The error of a driver or runtime call that failed. For a candidate it is the failure out_of_memory or launch_error,
/// with the code.
struct cuda_failure : candidate_error {
    /// A CUresult or cudaError that is not 0, and one line about the call. Code 2 is out_of_memory.
    cuda_failure(int code, std::string what)
        : candidate_error({.kind = code == 2 ? failure_kind::out_of_memory : failure_kind::launch_error,
                           .code = code,
                           .message = std::move(what)})
    {
    }
};

/// A shared library of CUDA.
using cuda_library = device_library<no_cuda>;

}  // namespace tunekit::measure
