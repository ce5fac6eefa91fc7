// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// CUDA's driver interface, opened at run time. Its few types are declared here, so no toolkit is needed to compile
/// this.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "tunekit/devices/library.hpp"

namespace tunekit::measure::detail {

/// The opened driver, and those of its functions that measuring needs, under the names that every driver since CUDA 11
/// exports. They return a CUresult, which is 0 for success. A context does not survive a fork: where a child will use
/// the driver, call nothing before the fork. Move-only.
class cuda_driver {
    device_library library_;  // before the functions, which are found in it

public:
    using device = int;             ///< CUdevice
    using handle = void*;           ///< CUcontext, CUmodule, CUfunction, CUevent or CUstream
    using address = std::uint64_t;  ///< CUdeviceptr: device memory
    enum : int {                    // of CUresult
        invalid_value = 1,
        device_unavailable = 46,
        no_device = 100,
        no_binary_for_device = 209,
        newer_ptx = 222,
        out_of_resources = 701
    };

    /// Opens `path`, or where that is empty the system's libcuda.so.1. Throws no_device.
    explicit cuda_driver(const std::string& path = {})
        : library_(path, {"libcuda.so.1"}, "CUDA driver", "install NVIDIA's driver, or choose another device")
    {
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

    /// The address and size of a module's variable, as cuModuleGetGlobal gives them.
    int module_global(address* at, std::size_t* size, handle module, const char* name) const
    {
        int (*const get)(address*, std::size_t*, handle, const char*) = library_.find("cuModuleGetGlobal_v2");
        return get(at, size, module, name);
    }

    /// What graphs need, since CUDA 11.4.
    struct graph_functions {
        const device_library& library;
        int (*stream_create)(handle*, unsigned) = library.find("cuStreamCreate");
        int (*stream_destroy)(handle) = library.find("cuStreamDestroy_v2");
        int (*begin)(handle, int) = library.find("cuStreamBeginCapture_v2");
        int (*end)(handle, handle*) = library.find("cuStreamEndCapture");
        int (*destroy)(handle) = library.find("cuGraphDestroy");
        int (*make)(handle*, handle, unsigned long long) = library.find("cuGraphInstantiateWithFlags");
        int (*unmake)(handle) = library.find("cuGraphExecDestroy");
        int (*launch)(handle, handle) = library.find("cuGraphLaunch");
    };
    /// Those functions. Throws no_device where the driver is older.
    [[nodiscard]] graph_functions graphs() const { return {.library = library_}; }

    int (*init)(unsigned) = library_.find("cuInit");
    int (*error_name)(int, const char**) = library_.find("cuGetErrorName");
    int (*error_string)(int, const char**) = library_.find("cuGetErrorString");
    int (*driver_version)(int*) = library_.find("cuDriverGetVersion");
    int (*device_count)(int*) = library_.find("cuDeviceGetCount");
    int (*device_get)(device*, int) = library_.find("cuDeviceGet");
    int (*device_name)(char*, int, device) = library_.find("cuDeviceGetName");
    int (*device_attribute)(int*, int, device) = library_.find("cuDeviceGetAttribute");
    int (*device_memory)(std::size_t*, device) = library_.find("cuDeviceTotalMem_v2");
    int (*device_bus)(char*, int, device) = library_.find("cuDeviceGetPCIBusId");
    int (*context_retain)(handle*, device) = library_.find("cuDevicePrimaryCtxRetain");
    int (*context_release)(device) = library_.find("cuDevicePrimaryCtxRelease_v2");
    int (*context_set)(handle) = library_.find("cuCtxSetCurrent");
    int (*context_synchronize)() = library_.find("cuCtxSynchronize");
    int (*module_load)(handle*, const void*) = library_.find("cuModuleLoadData");
    int (*module_unload)(handle) = library_.find("cuModuleUnload");
    int (*module_function)(handle*, handle, const char*) = library_.find("cuModuleGetFunction");
    int (*function_attribute)(int*, int, handle) = library_.find("cuFuncGetAttribute");
    int (*function_set)(handle, int, int) = library_.find("cuFuncSetAttribute");
    int (*launch)(handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle, void**,
                  void**) = library_.find("cuLaunchKernel");
    int (*allocate)(address*, std::size_t) = library_.find("cuMemAlloc_v2");
    int (*release)(address) = library_.find("cuMemFree_v2");
    int (*copy_to)(address, const void*, std::size_t) = library_.find("cuMemcpyHtoD_v2");
    int (*copy_from)(void*, address, std::size_t) = library_.find("cuMemcpyDtoH_v2");
    int (*fill)(address, unsigned char, std::size_t, handle) = library_.find("cuMemsetD8Async");
    int (*event_create)(handle*, unsigned) = library_.find("cuEventCreate");
    int (*event_destroy)(handle) = library_.find("cuEventDestroy_v2");
    int (*event_record)(handle, handle) = library_.find("cuEventRecord");
    int (*event_synchronize)(handle) = library_.find("cuEventSynchronize");
    int (*event_elapsed)(float*, handle, handle) = library_.find("cuEventElapsedTime");
    /// Null before CUDA 12.
    int (*encode_tensor_map)(void*, int, std::uint32_t, void*, const std::uint64_t*, const std::uint64_t*,
                             const std::uint32_t*, const std::uint32_t*, int, int, int,
                             int) = library_.find_newer("cuTensorMapEncodeTiled");
};

}  // namespace tunekit::measure::detail
