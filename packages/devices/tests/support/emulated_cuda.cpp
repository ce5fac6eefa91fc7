// SPDX-License-Identifier: MIT

/// \file
/// CUDA's driver, NVRTC, NVML and cuBLASLt without a device, as one shared object that programs open in place of all four. It
/// compiles a text with the host's compiler and runs each block's threads as fibres.
///
/// It has name expressions, arguments of any number and type, shared memory, fixed and dynamic (inside a function), constant
/// memory, barriers and atomicAdd. It has no headers of CUDA, no warp operations but those of `cuda_emulation.hpp`, and
/// shared memory in templates is the compiler's refusal. A device's illegal address is this process's signal.
///
/// TUNEKIT_EMULATED_DEVICES=NAME,NAME gives it as many devices; what tells which one ran are its registers (24 and its
/// number) and its temperature (41 and its number). On the device TUNEKIT_EMULATED_USED process 4242 computes, and who asks.

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "packages/devices/tests/support/cuda_emulation.hpp"
#include "tunekit/devices/detail/host_run.hpp"
#include "tunekit/processes/files/text.hpp"

namespace {

constexpr const char* more_prologue = R"(
#include <cmath>
#include <cstddef>
#include <cstdint>
#define __constant__ __attribute__((used, visibility("default")))
#define __host__
#define __ldg(at) (*(at))
template <class A, class B> static inline auto min(A a, B b) -> decltype(a + b) { return a < b ? a : b; }
template <class A, class B> static inline auto max(A a, B b) -> decltype(a + b) { return a < b ? b : a; }
template <class T, class V> static inline T atomicAdd(T* at, V by) { const T old = *at; *at = old + (T)by; return old; }
)";

struct compilation {
    std::string text, log, object{};
    std::vector<std::string> names{};
};

struct loaded_module {
    void* handle = nullptr;
    char* first = nullptr;
    char* last = nullptr;
    double (*call)(void**) = nullptr;
};

struct moment {
    double seconds = 0;
};

double seconds_of_device = 0;
int current = 0;  ///< the device

/// The names of the devices.
const std::vector<std::string>& names()
{
    static const std::vector<std::string> all = [] {
        const char* const said = std::getenv("TUNEKIT_EMULATED_DEVICES");
        std::istringstream from(said != nullptr ? said : "Emulated Device");
        std::vector<std::string> out;
        for (std::string one; std::getline(from, one, ',');) out.push_back(one);
        return out;
    }();
    return all;
}

emulation::machine& device()
{
    static emulation::machine one(1);
    return one;
}

bool known(const std::string& option)
{
    const char* const all[] = {"-D",
                               "-I",
                               "-std=",
                               "--std=",
                               "--gpu-architecture=",
                               "--include-path=",
                               "--use_fast_math",
                               "-use_fast_math",
                               "--fmad",
                               "-lineinfo",
                               "--define-macro",
                               "-arch=sm_",
                               "--maxrregcount",
                               "-Xptxas",
                               "-default-device",
                               "--device-as-default-execution-space"};
    return std::any_of(std::begin(all), std::end(all), [&](const char* k) { return option.rfind(k, 0) == 0; });
}

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) { return *major = 13, *minor = 0, 0; }
const char* nvrtcGetErrorString(int code)
{
    return code == 5 ? "NVRTC_ERROR_INVALID_OPTION" : "NVRTC_ERROR_COMPILATION";
}
int nvrtcGetNumSupportedArchs(int* n) { return *n = 1, 0; }
int nvrtcGetSupportedArchs(int* all) { return *all = 90, 0; }
int nvrtcCreateProgram(void** out, const char* text, const char*, int, const char* const*, const char* const*)
{
    *out = new compilation{.text = text, .log = {}};
    return 0;
}
int nvrtcDestroyProgram(void** p)
{
    delete static_cast<compilation*>(*p);
    return *p = nullptr, 0;
}
int nvrtcAddNameExpression(void* p, const char* name)
{
    static_cast<compilation*>(p)->names.emplace_back(name);
    return 0;
}
int nvrtcGetLoweredName(void* p, const char* name, const char** out)
{
    const auto& names = static_cast<compilation*>(p)->names;
    *out = "tunekit_run_kernel";
    return std::find(names.begin(), names.end(), name) != names.end() ? 0 : 10;
}
int nvrtcCompileProgram(void* p, int n, const char* const* options)
{
    auto& of = *static_cast<compilation*>(p);
    std::string flags;
    for (int k = 0; k < n; ++k) {
        const std::string option = options[k];
        if (!known(option)) {
            of.log = "nvrtc: error: unrecognized option '" + option + "' found\n";
            return 5;
        }
        for (const char* const taken : {"-D", "-I", "-std=", "--std=", "--include-path="})
            if (option.rfind(taken, 0) == 0)
                flags += " '" + (taken[2] == 'i' ? "-I" + option.substr(std::strlen(taken)) : option) + '\'';
    }
    const support::temporary_folder folder;
    const std::string from = folder / "kernel.cpp", to = folder / "kernel.so", said = folder / "said";
    static const std::regex dynamic(R"(extern\s+__shared__\s+([\w ]+?)\s+(\w+)\s*\[\s*\]\s*;)");
    std::string text = emulation::host_prologue;
    text += more_prologue;
    text += "#line 1 \"generated\"\n" + std::regex_replace(of.text, dynamic, "$1* const $2 = ($1*)tk_now->dynamic;");
    for (const std::string& name : of.names) text += tunekit::measure::detail::host_call(name, nullptr);
    tunekit::io::write_text(from, text);
    const std::string command =
        "c++ -O1 -w -fPIC -shared" + flags + " -o '" + to + "' '" + from + "' 2>'" + said + '\'';
    const int status = std::system(command.c_str());
    of.log = tunekit::io::read_text(said);
    if (status != 0) return 6;
    of.object = tunekit::io::read_text(to);
    return 0;
}
int nvrtcGetProgramLogSize(void* p, std::size_t* n) { return *n = static_cast<compilation*>(p)->log.size() + 1, 0; }
int nvrtcGetProgramLog(void* p, char* to) { return std::strcpy(to, static_cast<compilation*>(p)->log.c_str()), 0; }
int nvrtcGetCUBINSize(void* p, std::size_t* n) { return *n = static_cast<compilation*>(p)->object.size(), 0; }
int nvrtcGetCUBIN(void* p, char* to)
{
    const std::string& bytes = static_cast<compilation*>(p)->object;
    return std::memcpy(to, bytes.data(), bytes.size()), 0;
}
int nvrtcGetPTXSize(void*, std::size_t* n) { return *n = 6, 0; }
int nvrtcGetPTX(void*, char* to) { return std::strcpy(to, "//ptx"), 0; }

int cuInit(unsigned) { return 0; }
int cuGetErrorName(int code, const char** out)
{
    return *out = code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR", 0;
}
int cuGetErrorString(int, const char** out) { return *out = "as the emulation has it", 0; }
int cuDriverGetVersion(int* v) { return *v = 13000, 0; }
int cuDeviceGetCount(int* n) { return *n = static_cast<int>(names().size()), 0; }
int cuDeviceGet(int* d, int k) { return *d = k, static_cast<std::size_t>(k) < names().size() ? 0 : 101; }
int cuDeviceGetName(char* to, int n, int d)
{
    return std::snprintf(to, static_cast<std::size_t>(n), "%s", names()[static_cast<std::size_t>(d)].c_str()), 0;
}
int cuDeviceGetAttribute(int* v, int what, int)
{
    constexpr std::pair<int, int> all[] = {{1, 1024},   {8, 49152}, {12, 65536}, {16, 4},
                                           {38, 65536}, {75, 9},    {76, 0},     {97, 101376}};
    for (const auto& [key, value] : all)
        if (key == what) return *v = value, 0;
    return *v = 0, 0;
}
int cuDeviceTotalMem_v2(std::size_t* n, int) { return *n = std::size_t{1} << 30, 0; }
int cuDeviceGetPCIBusId(char* to, int n, int d)
{
    return std::snprintf(to, static_cast<std::size_t>(n), "0000:%02d:00.0", d), 0;
}
int cuDevicePrimaryCtxRetain(void** c, int d) { return *c = &seconds_of_device, current = d, 0; }
int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
int cuCtxSetCurrent(void*) { return 0; }
int cuCtxSynchronize() { return 0; }
int cuModuleLoadData(void** out, const void* image)
{
    const auto* const bytes = static_cast<const unsigned char*>(image);
    std::uint64_t sections = 0;
    std::uint16_t size = 0, count = 0;
    std::memcpy(&sections, bytes + 40, sizeof sections);  // the table of sections is the end of the file
    std::memcpy(&size, bytes + 58, sizeof size);
    std::memcpy(&count, bytes + 60, sizeof count);
    const support::temporary_folder folder;
    const std::string path = folder / "module.so";
    tunekit::io::write_text(path, std::string(static_cast<const char*>(image), sections + std::size_t{size} * count));
    auto* const m = new loaded_module{.handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)};
    if (m->handle == nullptr) return delete m, 200;
    void* const bind = ::dlsym(m->handle, "tk_bind");
    reinterpret_cast<void (*)(emulation::block_state*, char**, char**)>(bind)(&device().state(), &m->first, &m->last);
    return *out = m, 0;
}
int cuModuleUnload(void* p)
{
    auto* const m = static_cast<loaded_module*>(p);
    ::dlclose(m->handle);
    return delete m, 0;
}
int cuModuleGetFunction(void** out, void* p, const char* name)
{
    auto* const m = static_cast<loaded_module*>(p);
    m->call = reinterpret_cast<double (*)(void**)>(::dlsym(m->handle, name));
    return *out = m, m->call != nullptr ? 0 : 500;
}
int cuModuleGetGlobal_v2(std::uint64_t* at, std::size_t* size, void* p, const char* name)
{
    void* const found = ::dlsym(static_cast<loaded_module*>(p)->handle, name);
    *at = reinterpret_cast<std::uintptr_t>(found);
    *size = 65536;  // which a shared object does not tell
    return found != nullptr ? 0 : 500;
}
int cuFuncGetAttribute(int* v, int what, void*)
{
    constexpr int number_of_registers = 4;
    return *v = 24 + current, what == number_of_registers ? 0 : 1;
}
int cuFuncSetAttribute(void*, int, int) { return 0; }
int cuLaunchKernel(void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void*, void** arguments, void**)
{
    auto* const m = static_cast<loaded_module*>(f);
    const tunekit::measure::wall_clock now;
    const double start = now();
    try {
        device().run({.entry = "", .grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared_bytes = shared},
                     {m->first, m->last}, [&] { static_cast<void>(m->call(arguments)); });
    } catch (const std::exception&) {
        return 700;
    }
    seconds_of_device += now() - start;
    return 0;
}
int cuMemAlloc_v2(std::uint64_t* at, std::size_t n)
{
    *at = reinterpret_cast<std::uintptr_t>(std::malloc(n));
    return *at != 0 ? 0 : 2;
}
int cuMemFree_v2(std::uint64_t at) { return std::free(reinterpret_cast<void*>(at)), 0; }
int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t n)
{
    return std::memcpy(reinterpret_cast<void*>(to), from, n), 0;
}
int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t n)
{
    return std::memcpy(to, reinterpret_cast<const void*>(from), n), 0;
}
int cuMemsetD8Async(std::uint64_t to, unsigned char v, std::size_t n, void*)
{
    return std::memset(reinterpret_cast<void*>(to), v, n), 0;
}
// NVML: a device whose counter is one joule further at each look.
int nvmlInit_v2() { return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** out)
{
    return current = std::atoi(bus + 5), *out = &seconds_of_device, 0;
}
struct computing_process {
    unsigned id;
    unsigned long long memory;
    unsigned part, part_of_part;
};
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* n, computing_process* all)
{
    const char* const used = std::getenv("TUNEKIT_EMULATED_USED");
    if (used == nullptr || std::atoi(used) != current) return *n = 0, 0;
    all[0] = {4242, 1 << 20, ~0U, ~0U};
    all[1] = {static_cast<unsigned>(::getppid()), 1 << 20, ~0U, ~0U};
    return *n = 2, 0;
}
int nvmlDeviceGetClockInfo(void*, int what, unsigned* mhz) { return *mhz = what == 1 ? 1500 : 2600, 0; }
int nvmlDeviceGetTemperature(void*, int, unsigned* celsius)
{
    return *celsius = 41U + static_cast<unsigned>(current), 0;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) { return *milliwatts = 50000, 0; }
int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules)
{
    static unsigned long long looks = 0;
    return *millijoules = 1000 * ++looks, 0;
}

int cuEventCreate(void** out, unsigned) { return *out = new moment, 0; }
int cuEventDestroy_v2(void* e) { return delete static_cast<moment*>(e), 0; }
int cuEventRecord(void* e, void*) { return static_cast<moment*>(e)->seconds = seconds_of_device, 0; }
int cuEventSynchronize(void*) { return 0; }
int cuEventElapsedTime(float* ms, void* a, void* b)
{
    *ms = static_cast<float>(1e3 * (static_cast<moment*>(b)->seconds - static_cast<moment*>(a)->seconds));
    return 0;
}

// cuBLASLt: products of floats by columns, of which six algorithms are offered. Their times on the device are made up: 1 is
// the fastest, or 0 of products with as many rows as columns; 2 is wrong, 3 crashes, 4 is refused without its workspace, and
// 5 is said not to be supported.
struct offered_algorithm {
    std::uint64_t algorithm[8];
    std::size_t workspace;
    int state;
    float waves;
    int reserved[4];
};
struct layout_of {
    std::uint64_t rows, columns;
};
std::size_t cublasLtGetVersion() { return 130000; }
int cublasLtCreate(void** out) { return *out = &seconds_of_device, 0; }
int cublasLtMatmulDescCreate(void** out, int compute, int scale)
{
    return *out = &seconds_of_device, compute == 68 && scale == 0 ? 0 : 15;
}
int cublasLtMatrixLayoutCreate(void** out, int type, std::uint64_t rows, std::uint64_t columns, std::int64_t ld)
{
    static layout_of all[16];
    static std::size_t used = 0;
    *out = &(all[used++ % 16] = {rows, columns});
    return type == 0 && ld == static_cast<std::int64_t>(rows) ? 0 : 7;
}
int cublasLtMatmulPreferenceCreate(void** out) { return *out = &seconds_of_device, 0; }
int cublasLtMatmulPreferenceSetAttribute(void*, int what, const void*, std::size_t size)
{
    return what == 1 && size == 8 ? 0 : 7;
}
int cublasLtMatmulAlgoGetHeuristic(void*, void*, void*, void*, void*, void*, void*, int most, offered_algorithm* out,
                                   int* n)
{
    for (*n = 0; *n < most && *n < 6; ++*n)
        out[*n] = {.algorithm = {static_cast<std::uint64_t>(*n), 0xABCDEF0123456789U},
                   .workspace = *n == 4 ? std::size_t{4096} : 0,
                   .state = *n == 5 ? 15 : 0,
                   .waves = 1,
                   .reserved = {}};
    return 0;
}
int cublasLtMatmul(void*, void*, const void* alpha, const void* a, void* a_of, const void* b, void* b_of,
                   const void* beta, const void*, void*, void* d, void* d_of, const void* algorithm, void* workspace,
                   std::size_t workspace_size, void*)
{
    const auto *of_a = static_cast<layout_of*>(a_of), *of_b = static_cast<layout_of*>(b_of);
    const auto* const of = static_cast<layout_of*>(d_of);
    const auto *x = static_cast<const float*>(a), *y = static_cast<const float*>(b);
    std::uint64_t which[2] = {};
    std::memcpy(which, algorithm, sizeof which);
    if (which[0] > 4 || which[1] != 0xABCDEF0123456789U) return 15;
    if (of_a->columns != of_b->rows || of->rows != of_a->rows || of->columns != of_b->columns) return 7;
    if (which[0] == 3) std::abort();
    if (which[0] == 4 && (workspace == nullptr || workspace_size < 4096)) return 7;
    const bool square = of->rows == of->columns;
    constexpr double times[] = {300e-6, 100e-6, 50e-6, 1e-6, 200e-6};
    seconds_of_device += which[0] == 0 && square ? 60e-6 : times[which[0]];
    for (std::uint64_t j = 0; j < of->columns; ++j)
        for (std::uint64_t i = 0; i < of->rows; ++i) {
            double sum = which[0] == 2 && i == 1 ? 1 : 0;
            for (std::uint64_t l = 0; l < of_a->columns; ++l)
                sum += static_cast<double>(x[l * of->rows + i]) * static_cast<double>(y[j * of_b->rows + l]);
            float& to = static_cast<float*>(d)[j * of->rows + i];
            to = *static_cast<const float*>(alpha) * static_cast<float>(sum);
            if (*static_cast<const float*>(beta) != 0) return 7;
        }
    return 0;
}

}  // extern "C"
