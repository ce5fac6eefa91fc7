// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The errors of OpenCL: no device, and calls that failed.

#include <string>
#include <string_view>
#include <utility>

#include "tunekit/devices/library.hpp"
#include "tunekit/measure/concepts.hpp"

namespace tunekit::measure {

/// The error that there is no OpenCL here, or no such device. tunekit's programs then end with status 3.
struct no_opencl : no_device {
    using no_device::no_device;  ///< takes the message: what is missing, and the remedy
};

namespace detail {

/// The name of an error code that a candidate may meet; "OpenCL error" for any other.
[[nodiscard]] constexpr const char* opencl_name(int code) noexcept
{
    constexpr std::pair<int, const char*> names[] = {{-1, "CL_DEVICE_NOT_FOUND"},
                                                     {-2, "CL_DEVICE_NOT_AVAILABLE"},
                                                     {-3, "CL_COMPILER_NOT_AVAILABLE"},
                                                     {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
                                                     {-5, "CL_OUT_OF_RESOURCES"},
                                                     {-6, "CL_OUT_OF_HOST_MEMORY"},
                                                     {-11, "CL_BUILD_PROGRAM_FAILURE"},
                                                     {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
                                                     {-30, "CL_INVALID_VALUE"},
                                                     {-42, "CL_INVALID_BINARY"},
                                                     {-43, "CL_INVALID_BUILD_OPTIONS"},
                                                     {-44, "CL_INVALID_PROGRAM"},
                                                     {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
                                                     {-46, "CL_INVALID_KERNEL_NAME"},
                                                     {-49, "CL_INVALID_ARG_INDEX"},
                                                     {-50, "CL_INVALID_ARG_VALUE"},
                                                     {-51, "CL_INVALID_ARG_SIZE"},
                                                     {-52, "CL_INVALID_KERNEL_ARGS"},
                                                     {-54, "CL_INVALID_WORK_GROUP_SIZE"},
                                                     {-55, "CL_INVALID_WORK_ITEM_SIZE"},
                                                     {-61, "CL_INVALID_BUFFER_SIZE"},
                                                     {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
                                                     {-1001, "CL_PLATFORM_NOT_FOUND_KHR"}};
    for (const auto& [number, name] : names)
        if (number == code) return name;
    return "OpenCL error";
}

}  // namespace detail

/// The error of a call that failed. For a candidate it is the failure out_of_memory or launch_error, with the cl_int.
struct opencl_failure : candidate_error {
    /// A cl_int that is not 0, and what was being done. Codes -4 and -6 are out_of_memory.
    opencl_failure(int code, std::string_view doing)
        : candidate_error(
              {.kind = code == -4 || code == -6 ? failure_kind::out_of_memory : failure_kind::launch_error,
               .code = code,
               .message = std::string(doing) + ": " + detail::opencl_name(code) + " (" + std::to_string(code) + ')'})
    {
    }
};

}  // namespace tunekit::measure
