// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// OpenCL's interface, opened at run time. Its few types are declared here, so no OpenCL headers are needed to compile
/// this.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tunekit/devices/library.hpp"

namespace tunekit::measure::detail {

/// Numbers of OpenCL 1.2, as cl.h has them.
enum opencl_number : std::uint32_t {
    cl_profiling = 1U << 1,
    cl_read_write = 1U << 0,
    cl_all_devices = 0xFFFFFFFF,
    cl_platform_version = 0x0901,
    cl_device_type = 0x1000,
    cl_device_units = 0x1002,
    cl_device_group_size = 0x1004,
    cl_device_item_sizes = 0x1005,
    cl_device_cache_bytes = 0x101E,
    cl_device_memory_bytes = 0x101F,
    cl_device_local_bytes = 0x1023,
    cl_device_timer_ns = 0x1025,
    cl_device_name = 0x102B,
    cl_device_driver = 0x102D,
    cl_device_version = 0x102F,
    cl_device_extensions = 0x1030,
    cl_program_binary_sizes = 0x1165,
    cl_program_binaries = 0x1166,
    cl_build_log = 0x1183,
    cl_kernel_name = 0x1190,
    cl_kernel_group_size = 0x11B0,
    cl_kernel_local_bytes = 0x11B2,
    cl_kernel_private_bytes = 0x11B4,
    cl_event_status = 0x11D3,
    cl_event_start = 0x1282,
    cl_event_end = 0x1283,
};

/// The opened library, and those of its functions that measuring needs, under their names without "cl". They return a
/// cl_int, which is 0 for success, or take its address as their last argument. Drivers run threads: where a child will
/// use the library, call nothing before the fork. Move-only.
class opencl_driver {
    device_library library_;  // before the functions, which are found in it

public:
    using handle = void*;  ///< cl_platform_id, cl_device_id, cl_context, ... all are pointers
    using info = int(handle, std::uint32_t, std::size_t, void*, std::size_t*);

    /// Opens `path`, or where that is empty the system's libOpenCL.so.1. Throws no_device.
    explicit opencl_driver(const std::string& path = {})
        : library_(path, {"libOpenCL.so.1"}, "OpenCL",
                   "install a loader and a driver (Debian: ocl-icd-libopencl1 and pocl-opencl-icd), or choose another "
                   "device")
    {
    }

    /// Throws opencl_failure, "<doing>: <name> (<code>)", unless `code` is 0.
    static void check(int code, std::string_view doing)
    {
        if (code != 0) throw opencl_failure(code, doing);
    }

    /// A number that `get` gives for `of`; `text` does the same for a text. Throws opencl_failure.
    template <class T>
    static T number(info* get, handle of, opencl_number what)
    {
        T out{};
        check(get(of, what, sizeof out, &out, nullptr), "asking for a property");
        return out;
    }
    static std::string text(info* get, handle of, opencl_number what)
    {
        std::size_t size = 0;
        check(get(of, what, 0, nullptr, &size), "asking for a property");
        std::string out(size, '\0');
        check(get(of, what, size, out.data(), nullptr), "asking for a property");
        while (!out.empty() && (out.back() == '\0' || out.back() == '\n')) out.pop_back();
        return out;
    }

    int (*platforms)(std::uint32_t, handle*, std::uint32_t*) = library_.find("clGetPlatformIDs");
    info* platform_info = library_.find("clGetPlatformInfo");
    int (*devices)(handle, std::uint64_t, std::uint32_t, handle*, std::uint32_t*) = library_.find("clGetDeviceIDs");
    info* device_info = library_.find("clGetDeviceInfo");
    handle (*create_context)(const std::intptr_t*, std::uint32_t, const handle*,
                             void (*)(const char*, const void*, std::size_t, void*), void*,
                             int*) = library_.find("clCreateContext");
    int (*release_context)(handle) = library_.find("clReleaseContext");
    handle (*create_queue)(handle, handle, std::uint64_t, int*) = library_.find("clCreateCommandQueue");
    int (*release_queue)(handle) = library_.find("clReleaseCommandQueue");
    int (*flush)(handle) = library_.find("clFlush");
    int (*finish)(handle) = library_.find("clFinish");
    handle (*create_buffer)(handle, std::uint64_t, std::size_t, void*, int*) = library_.find("clCreateBuffer");
    int (*release_memory)(handle) = library_.find("clReleaseMemObject");
    int (*write)(handle, handle, std::uint32_t, std::size_t, std::size_t, const void*, std::uint32_t, const handle*,
                 handle*) = library_.find("clEnqueueWriteBuffer");
    int (*read)(handle, handle, std::uint32_t, std::size_t, std::size_t, void*, std::uint32_t, const handle*,
                handle*) = library_.find("clEnqueueReadBuffer");
    int (*fill)(handle, handle, const void*, std::size_t, std::size_t, std::size_t, std::uint32_t, const handle*,
                handle*) = library_.find("clEnqueueFillBuffer");
    handle (*program_of_source)(handle, std::uint32_t, const char**, const std::size_t*,
                                int*) = library_.find("clCreateProgramWithSource");
    handle (*program_of_binary)(handle, std::uint32_t, const handle*, const std::size_t*, const unsigned char**, int*,
                                int*) = library_.find("clCreateProgramWithBinary");
    int (*build)(handle, std::uint32_t, const handle*, const char*, void (*)(handle, void*),
                 void*) = library_.find("clBuildProgram");
    int (*build_info)(handle, handle, std::uint32_t, std::size_t, void*,
                      std::size_t*) = library_.find("clGetProgramBuildInfo");
    info* program_info = library_.find("clGetProgramInfo");
    int (*release_program)(handle) = library_.find("clReleaseProgram");
    handle (*create_kernel)(handle, const char*, int*) = library_.find("clCreateKernel");
    int (*create_kernels)(handle, std::uint32_t, handle*, std::uint32_t*) = library_.find("clCreateKernelsInProgram");
    info* kernel_info = library_.find("clGetKernelInfo");
    int (*kernel_group_info)(handle, handle, std::uint32_t, std::size_t, void*,
                             std::size_t*) = library_.find("clGetKernelWorkGroupInfo");
    int (*release_kernel)(handle) = library_.find("clReleaseKernel");
    int (*set_argument)(handle, std::uint32_t, std::size_t, const void*) = library_.find("clSetKernelArg");
    int (*launch)(handle, handle, std::uint32_t, const std::size_t*, const std::size_t*, const std::size_t*,
                  std::uint32_t, const handle*, handle*) = library_.find("clEnqueueNDRangeKernel");
    int (*wait)(std::uint32_t, const handle*) = library_.find("clWaitForEvents");
    info* event_time = library_.find("clGetEventProfilingInfo");
    info* event_info = library_.find("clGetEventInfo");
    int (*release_event)(handle) = library_.find("clReleaseEvent");
};

}  // namespace tunekit::measure::detail
