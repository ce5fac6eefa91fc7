// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// CUDA without a device: shared objects that export the driver's and NVRTC's functions, for the logic of the host. The
/// compiler returns the text as its machine code; the driver runs what the text says in a line such as
///
///     //run factor=2 n=64 us=5 mode=ok
///
/// y[i] = factor * x[i] for the arguments (x, y), in device time us. Modes: ok, fault (an illegal address, for ever after),
/// hang, wrong (the last element is not written),
/// mapped (its third argument is a tensor map of x as 4 rows of 16, for boxes of 2 by 8, swizzled within 64 bytes), beyond (writes one element too many), refused (does not start).
/// A text with "//newer" is loaded as PTX alone.

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace support {

inline constexpr const char* fake_driver_source = R"c(
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifndef DEVICES
#define DEVICES 1
#endif
typedef unsigned long long address;
struct program { double factor, us; int n; char mode[16]; };
struct tensor_map { address at, sizes[5], strides[4]; unsigned box[5]; int type, swizzle; unsigned rank; };
static double clock_ms;
static int sticky, pending, hangs, begun, current;
int fake_launches, fake_loaded, fake_fills, fake_allocated, fake_shared;
#define READY if (!begun) return 3; if (sticky) return sticky; if (!current) return 201
#ifndef NAME
#define NAME "Fake Device"
#endif
#ifndef MAJOR
#define MAJOR 8
#endif
#ifndef MODE
#define MODE 0
#endif
#ifndef BUSY
#define BUSY 0
#endif
#ifndef INIT
#define INIT 0
#endif
int cuInit(unsigned f) { (void)f; if (INIT) return INIT; if (DEVICES == 0) return 100; begun = 1; return 0; }
int cuGetErrorName(int c, const char** s)
{
    *s = c == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : c == 701 ? "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" : c == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : c == 46 ? "CUDA_ERROR_DEVICE_UNAVAILABLE" : c == 222 ? "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" : c == 805 ? "CUDA_ERROR_MPS_CONNECTION_FAILED" : 0;
    return *s ? 0 : 1;
}
int cuGetErrorString(int c, const char** s) { *s = c == 700 ? "an illegal memory access was encountered" : "as it were"; return 0; }
int cuDriverGetVersion(int* v) { *v = 13000; return 0; }
int cuDeviceGetCount(int* n) { *n = DEVICES; return begun ? 0 : 3; }
int cuDeviceGet(int* d, int k) { *d = 10 + k; return k < DEVICES ? 0 : 101; }
int cuDeviceGetName(char* s, int n, int d) { snprintf(s, (size_t)n, NAME " %d", d - 10); return 0; }
int cuDeviceGetAttribute(int* v, int what, int d)
{
    (void)d;
    switch (what) {
        case 1: *v = 1024; return 0;
        case 8: *v = 49152; return 0;
        case 12: *v = 65536; return 0;
        case 16: *v = 108; return 0;
        case 20: *v = MODE; return 0;
        case 38: *v = 1 << 20; return 0;
        case 75: *v = MAJOR; return 0;
        case 76: *v = 0; return 0;
        case 97: *v = 166912; return 0;
    }
    return 1;
}
int cuDeviceTotalMem_v2(size_t* n, int d) { (void)d; *n = 1ul << 30; return 0; }
int cuDeviceGetPCIBusId(char* s, int n, int d) { snprintf(s, (size_t)n, "0000:%02d:00.0", d); return 0; }
int cuDevicePrimaryCtxRetain(void** c, int d) { if (BUSY) return 46; *c = (void*)(size_t)(d + 1000); return begun ? 0 : 3; }
int cuDevicePrimaryCtxRelease_v2(int d) { (void)d; current = 0; return 0; }
int cuCtxSetCurrent(void* c) { current = c != 0; return 0; }
static int finished(void) { READY; while (hangs) pause(); return sticky = pending; }
int cuCtxSynchronize(void) { return finished(); }
int cuModuleLoadData(void** m, const void* image)
{
    READY;
    if (strstr((const char*)image, "//newer") && !strstr((const char*)image, "//ptx")) return 209;
    if (strstr((const char*)image, "//younger")) return 222;
    const char* at = strstr((const char*)image, "//run ");
    struct program* p = malloc(sizeof *p);
    if (!at || sscanf(at, "//run factor=%lf n=%d us=%lf mode=%15s", &p->factor, &p->n, &p->us, p->mode) != 4) { free(p); return 200; }
    ++fake_loaded;
    *m = p;
    return 0;
}
int cuModuleUnload(void* m) { free(m); --fake_loaded; return sticky; }
int cuModuleGetFunction(void** f, void* m, const char* name) { READY; *f = m; return strcmp(name, "kernel") == 0 ? 0 : 500; }
int cuFuncGetAttribute(int* v, int what, void* f) { (void)what; (void)f; *v = 0; return 1; }
int cuFuncSetAttribute(void* f, int what, int v) { (void)f; fake_shared = v; return what == 8 && v <= 166912 ? 0 : 1; }
struct node { const struct program* p; int threads; const float* x; float* y; };
struct graph { int n; struct node nodes[1024]; };
static struct graph* recording;
int fake_graphs, fake_graph_launches, fake_streams;
static int run(struct node at)
{
    const struct program* p = at.p;
    ++fake_launches;
    clock_ms += 1e-3 * p->us;
    if (!strcmp(p->mode, "refused")) return 701;
    if (!strcmp(p->mode, "fault")) { pending = 700; return 0; }
    if (!strcmp(p->mode, "hang")) { hangs = 1; return 0; }
    const int n = p->n + !strcmp(p->mode, "beyond") - !strcmp(p->mode, "wrong");
    for (int i = 0; i < n && i < at.threads; ++i) at.y[i] = (float)p->factor * (i < p->n ? at.x[i] : 1.0f);
    return 0;
}
int cuLaunchKernel(void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void* stream, void** args, void** extra)
{
    (void)gy; (void)gz; (void)by; (void)bz; (void)extra;
    READY;
    if (shared > 49152 && (int)shared > fake_shared) return 1;
    if (!strcmp(((const struct program*)f)->mode, "mapped")) {
        const struct tensor_map* const m = args[2];
        if (m->at != *(address*)args[0] || *(address*)args[0] % 16 || m->rank != 2 || m->type != 7 || m->swizzle != 2) return 1;
        if (m->sizes[0] != 16 || m->sizes[1] != 4 || m->strides[0] != 64 || m->box[0] != 8 || m->box[1] != 2) return 1;
    }
    const struct node next = {f, (int)(gx * bx), (const float*)(size_t) * (address*)args[0], (float*)(size_t) * (address*)args[1]};
    if (!recording) return run(next);
    if (!stream) return 906;  /* what the default stream may not do beside a recording */
    recording->nodes[recording->n++] = next;
    return 0;
}
int cuStreamCreate(void** s, unsigned f) { (void)f; READY; *s = malloc(1); ++fake_streams; return 0; }
int cuStreamDestroy_v2(void* s) { free(s); --fake_streams; return sticky; }
int cuStreamBeginCapture_v2(void* s, int mode) { READY; if (!s || recording || mode != 1) return 1; recording = calloc(1, sizeof *recording); ++fake_graphs; return 0; }
int cuStreamEndCapture(void* s, void** g) { if (!s || !recording) return 1; *g = recording; recording = 0; return 0; }
int cuGraphInstantiateWithFlags(void** e, void* g, unsigned long long f) { READY; if (!g || f) return 1; *e = g; ++fake_graphs; return 0; }
int cuGraphExecDestroy(void* e) { (void)e; --fake_graphs; return sticky; }
int cuGraphDestroy(void* g) { free(g); --fake_graphs; return sticky; }
int cuGraphLaunch(void* e, void* s)
{
    READY;
    if (!s) return 1;
    ++fake_graph_launches;
    const struct graph* g = e;
    int code = 0;
    for (int k = 0; k < g->n && !code; ++k) code = run(g->nodes[k]);
    return code;
}
#ifndef OLD
int cuTensorMapEncodeTiled(void* to, int type, unsigned rank, void* at, const address* sizes, const address* strides, const unsigned* box,
                           const unsigned* steps, int interleave, int swizzle, int promotion, int fill)
{
    if ((size_t)to % 64 || (size_t)at % 16 || rank < 1 || rank > 5 || interleave || fill || promotion != 2) return 1;
    struct tensor_map m = {(address)(size_t)at, {0}, {0}, {0}, type, swizzle, rank};
    for (unsigned k = 0; k < rank; ++k) {
        if (steps[k] != 1) return 1;
        m.sizes[k] = sizes[k];
        m.box[k] = box[k];
        if (k > 0) m.strides[k - 1] = strides[k - 1];
    }
    memcpy(to, &m, sizeof m);
    return 0;
}
#endif
int cuMemAlloc_v2(address* a, size_t n) { READY; if (n > 1ul << 30) return 2; *a = (address)(size_t)malloc(n); ++fake_allocated; return 0; }
int cuMemFree_v2(address a) { free((void*)(size_t)a); --fake_allocated; return sticky; }
int cuMemcpyHtoD_v2(address to, const void* from, size_t n) { READY; memcpy((void*)(size_t)to, from, n); return 0; }
int cuMemcpyDtoH_v2(void* to, address from, size_t n) { READY; memcpy(to, (void*)(size_t)from, n); return 0; }
int cuMemsetD8Async(address to, unsigned char v, size_t n, void* s) { (void)s; READY; memset((void*)(size_t)to, v, n); ++fake_fills; clock_ms += 1; return 0; }
int cuEventCreate(void** e, unsigned f) { (void)f; READY; *e = calloc(1, sizeof(double)); return 0; }
int cuEventDestroy_v2(void* e) { free(e); return 0; }
int cuEventRecord(void* e, void* s) { (void)s; READY; *(double*)e = clock_ms; return 0; }
int cuEventSynchronize(void* e) { (void)e; return finished(); }
int cuEventElapsedTime(float* ms, void* a, void* b) { READY; *ms = (float)(*(double*)b - *(double*)a); return 0; }
)c";

/// NVML, for the device "0000:65:00.0" and others whose bus begins with 0. The true one starts a thread, too.
inline constexpr const char* fake_clocks_source = R"c(
#include <pthread.h>
#include <unistd.h>
static int device;
static void* forever(void* p) { (void)p; for (;;) pause(); }
int nvmlInit_v2(void) { pthread_t thread; return pthread_create(&thread, 0, forever, 0); }
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** d) { *d = &device; return bus[0] == '0' ? 0 : 6; }
int nvmlDeviceGetClockInfo(void* d, int what, unsigned* mhz) { *mhz = what == 1 ? 1755 : 1; return d != &device; }
int nvmlDeviceGetPowerUsage(void* d, unsigned* milliwatts) { *milliwatts = 71500; return d != &device; }
int nvmlDeviceGetTemperature(void* d, int sensor, unsigned* celsius) { *celsius = 3; return d == &device; }
int nvmlDeviceGetCurrentClocksThrottleReasons(void* d, unsigned long long* why)
{
    *why = 8;
    return d != &device;
}
)c";

inline constexpr const char* fake_compiler_source = R"c(
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct program { char* text; const char* log; };
int nvrtcVersion(int* a, int* b) { *a = 1; *b = 2; return 0; }
const char* nvrtcGetErrorString(int c) { return c == 6 ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR unknown"; }
int nvrtcGetNumSupportedArchs(int* n) { *n = 2; return 0; }
int nvrtcGetSupportedArchs(int* a) { a[0] = 80; a[1] = 90; return 0; }
int nvrtcCreateProgram(void** p, const char* s, const char* name, int n, const char* const* h, const char* const* i)
{
    (void)name; (void)n; (void)h; (void)i;
    struct program* out = malloc(sizeof *out);
    out->text = strdup(s);
    out->log = "";
    *p = out;
    return 0;
}
int nvrtcDestroyProgram(void** p) { struct program* out = *p; free(out->text); free(out); *p = 0; return 0; }
/* Version 13 begins CUDA where there is a driver, which starts a thread. */
static void* forever(void* p) { (void)p; for (;;) pause(); }
int nvrtcCompileProgram(void* p, int n, const char* const* o)
{
    struct program* of = p;
    const char* const seen = getenv("CUDA_VISIBLE_DEVICES");
    pthread_t thread;
    if ((!seen || strcmp(seen, "-1")) && pthread_create(&thread, 0, forever, 0)) return 11;
    if (n < 1 || strncmp(o[0], "--gpu-architecture=sm_", 22)) { of->log = "nothing to compile for"; return 5; }
    if (strstr(of->text, "//slow")) for (;;) pause();
    if (strstr(of->text, "//crash")) abort();
    if (strstr(of->text, "//missing")) { of->log = "generated(1): catastrophic error: could not open source file \"a.h\"\n"; return 6; }
    if (strstr(of->text, "//bad")) { of->log = "generated(1): warning: first\ngenerated(2): error: identifier \"bad\" is undefined\n"; return 6; }
    return 0;
}
int nvrtcGetProgramLogSize(void* p, size_t* n) { *n = strlen(((struct program*)p)->log) + 1; return 0; }
int nvrtcGetProgramLog(void* p, char* to) { strcpy(to, ((struct program*)p)->log); return 0; }
int nvrtcGetCUBINSize(void* p, size_t* n) { *n = strlen(((struct program*)p)->text); return 0; }
int nvrtcGetPTXSize(void* p, size_t* n) { *n = strlen(((struct program*)p)->text) + 7; return 0; }
int nvrtcGetPTX(void* p, char* to) { sprintf(to, "//ptx\n%s", ((struct program*)p)->text); return 0; }
int nvrtcGetCUBIN(void* p, char* to) { memcpy(to, ((struct program*)p)->text, strlen(((struct program*)p)->text)); return 0; }
)c";

/// A library made of C text by this machine's compiler, for the time of a test.
class fake_library {
public:
    explicit fake_library(const char* text, const std::string& flags = {}) : path_(place_ / "library.so")
    {
        const std::string source = place_ / "library.c";
        std::FILE* const file = std::fopen(source.c_str(), "w");
        if (file == nullptr || std::fputs(text, file) < 0 || std::fclose(file) != 0)
            throw std::runtime_error("no file " + source);
        const std::string command = "cc -w -shared -fPIC " + flags + " -o '" + path_ + "' '" + source + "'";
        if (std::system(command.c_str()) != 0) throw std::runtime_error("does not compile: " + command);
    }
    [[nodiscard]] const std::string& path() const { return path_; }

    /// The integer `name` of the library, as this process has it.
    int count(const char* name) const
    {
        void* const handle = dlopen(path_.c_str(), RTLD_NOW | RTLD_NOLOAD);
        const void* const at = handle != nullptr ? dlsym(handle, name) : nullptr;
        if (at == nullptr) throw std::runtime_error(std::string("no ") + name);
        const int value = *static_cast<const int*>(at);
        dlclose(handle);
        return value;
    }

private:
    temporary_folder place_;
    std::string path_;
};

}  // namespace support
