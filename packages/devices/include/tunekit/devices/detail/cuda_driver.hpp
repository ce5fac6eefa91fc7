// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// CUDA's driver interface, opened at run time. Its few types are declared here, so no toolkit is needed to compile this.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "tunekit/devices/cuda/library.hpp"

namespace tunekit::measure::detail {

/// The opened driver, and those of its functions that measuring needs, under the names that every driver since CUDA 11
/// exports. They return a CUresult, which is 0 for success. A context does not survive a fork: where a child will use the
/// driver, call nothing before the fork. Move-only.
class cuda_driver {
public:
    using device = int;             ///< CUdevice
    using handle = void*;           ///< CUcontext, CUmodule, CUfunction, CUevent or CUstream
    using address = std::uint64_t;  ///< CUdeviceptr: device memory
    enum : int { no_device = 100, no_binary_for_device = 209, out_of_resources = 701 };  // of CUresult

    /// Opens `path`, or where that is empty the system's libcuda.so.1. Throws no_cuda.
    explicit cuda_driver(const std::string& path = {})
        : library_(path, {"libcuda.so.1"}, "CUDA driver", "install NVIDIA's driver, or choose another device")
    {
        library_.find(init, "cuInit");
        library_.find(error_name, "cuGetErrorName");
        library_.find(error_string, "cuGetErrorString");
        library_.find(driver_version, "cuDriverGetVersion");
        library_.find(device_count, "cuDeviceGetCount");
        library_.find(device_get, "cuDeviceGet");
        library_.find(device_name, "cuDeviceGetName");
        library_.find(device_attribute, "cuDeviceGetAttribute");
        library_.find(device_memory, "cuDeviceTotalMem_v2");
        library_.find(device_bus, "cuDeviceGetPCIBusId");
        library_.find(context_retain, "cuDevicePrimaryCtxRetain");
        library_.find(context_release, "cuDevicePrimaryCtxRelease_v2");
        library_.find(context_set, "cuCtxSetCurrent");
        library_.find(context_synchronize, "cuCtxSynchronize");
        library_.find(module_load, "cuModuleLoadData");
        library_.find(module_unload, "cuModuleUnload");
        library_.find(module_function, "cuModuleGetFunction");
        library_.find(function_attribute, "cuFuncGetAttribute");
        library_.find(function_set, "cuFuncSetAttribute");
        library_.find(launch, "cuLaunchKernel");
        library_.find(allocate, "cuMemAlloc_v2");
        library_.find(release, "cuMemFree_v2");
        library_.find(copy_to, "cuMemcpyHtoD_v2");
        library_.find(copy_from, "cuMemcpyDtoH_v2");
        library_.find(fill, "cuMemsetD8Async");
        library_.find(event_create, "cuEventCreate");
        library_.find(event_destroy, "cuEventDestroy_v2");
        library_.find(event_record, "cuEventRecord");
        library_.find(event_synchronize, "cuEventSynchronize");
        library_.find(event_elapsed, "cuEventElapsedTime");
    }

    /// "<doing>: <name> (<code>), <text>".
    [[nodiscard]] std::string told(int code, std::string_view doing) const
    {
        const char* name = nullptr;
        const char* text = nullptr;
        if (error_name(code, &name) != 0 || name == nullptr) name = "CUDA error of an unknown name";
        if (error_string(code, &text) != 0 || text == nullptr) text = "no text";
        return std::string(doing) + ": " + name + " (" + std::to_string(code) + "), " + text;
    }

    /// Throws cuda_failure with `told(code, doing)` unless `code` is 0.
    void check(int code, std::string_view doing) const
    {
        if (code != 0) throw cuda_failure(code, told(code, doing));
    }

    int (*init)(unsigned) = nullptr;
    int (*error_name)(int, const char**) = nullptr;
    int (*error_string)(int, const char**) = nullptr;
    int (*driver_version)(int*) = nullptr;
    int (*device_count)(int*) = nullptr;
    int (*device_get)(device*, int) = nullptr;
    int (*device_name)(char*, int, device) = nullptr;
    int (*device_attribute)(int*, int, device) = nullptr;
    int (*device_memory)(std::size_t*, device) = nullptr;
    int (*device_bus)(char*, int, device) = nullptr;
    int (*context_retain)(handle*, device) = nullptr;
    int (*context_release)(device) = nullptr;
    int (*context_set)(handle) = nullptr;
    int (*context_synchronize)() = nullptr;
    int (*module_load)(handle*, const void*) = nullptr;
    int (*module_unload)(handle) = nullptr;
    int (*module_function)(handle*, handle, const char*) = nullptr;
    int (*function_attribute)(int*, int, handle) = nullptr;
    int (*function_set)(handle, int, int) = nullptr;
    int (*launch)(handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle, void**,
                  void**) = nullptr;
    int (*allocate)(address*, std::size_t) = nullptr;
    int (*release)(address) = nullptr;
    int (*copy_to)(address, const void*, std::size_t) = nullptr;
    int (*copy_from)(void*, address, std::size_t) = nullptr;
    int (*fill)(address, unsigned char, std::size_t, handle) = nullptr;
    int (*event_create)(handle*, unsigned) = nullptr;
    int (*event_destroy)(handle) = nullptr;
    int (*event_record)(handle, handle) = nullptr;
    int (*event_synchronize)(handle) = nullptr;
    int (*event_elapsed)(float*, handle, handle) = nullptr;

private:
    cuda_library library_;
};

}  // namespace tunekit::measure::detail
