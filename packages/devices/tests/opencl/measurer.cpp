// SPDX-License-Identifier: MIT
// What a driver of OpenCL makes of good and bad kernels; PoCL, which runs on any processor, is enough.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "packages/devices/tests/support/doubling.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/devices/kernel_file.hpp"
#include "tunekit/devices/opencl/measurer.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
namespace ms = tunekit::measure;
using ms::failure_kind;
using driver = ms::detail::opencl_driver;

// What opencl_driver declares is what cl.h declares.
static_assert(ms::detail::cl_profiling == CL_QUEUE_PROFILING_ENABLE && ms::detail::cl_read_write == CL_MEM_READ_WRITE);
static_assert(ms::detail::cl_all_devices == CL_DEVICE_TYPE_ALL);
static_assert(ms::detail::cl_platform_version == CL_PLATFORM_VERSION && ms::detail::cl_device_name == CL_DEVICE_NAME);
static_assert(ms::detail::cl_device_units == CL_DEVICE_MAX_COMPUTE_UNITS);
static_assert(ms::detail::cl_device_group_size == CL_DEVICE_MAX_WORK_GROUP_SIZE);
static_assert(ms::detail::cl_device_item_sizes == CL_DEVICE_MAX_WORK_ITEM_SIZES);
static_assert(ms::detail::cl_device_cache_bytes == CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
static_assert(ms::detail::cl_device_memory_bytes == CL_DEVICE_GLOBAL_MEM_SIZE);
static_assert(ms::detail::cl_device_local_bytes == CL_DEVICE_LOCAL_MEM_SIZE);
static_assert(ms::detail::cl_device_timer_ns == CL_DEVICE_PROFILING_TIMER_RESOLUTION);
static_assert(ms::detail::cl_device_driver == CL_DRIVER_VERSION && ms::detail::cl_device_version == CL_DEVICE_VERSION);
static_assert(ms::detail::cl_program_binary_sizes == CL_PROGRAM_BINARY_SIZES);
static_assert(ms::detail::cl_program_binaries == CL_PROGRAM_BINARIES);
static_assert(ms::detail::cl_build_log == CL_PROGRAM_BUILD_LOG);
static_assert(ms::detail::cl_kernel_name == CL_KERNEL_FUNCTION_NAME);
static_assert(ms::detail::cl_kernel_group_size == CL_KERNEL_WORK_GROUP_SIZE);
static_assert(ms::detail::cl_kernel_local_bytes == CL_KERNEL_LOCAL_MEM_SIZE);
static_assert(ms::detail::cl_kernel_private_bytes == CL_KERNEL_PRIVATE_MEM_SIZE);
static_assert(ms::detail::cl_event_start == CL_PROFILING_COMMAND_START);
static_assert(ms::detail::cl_event_end == CL_PROFILING_COMMAND_END);

namespace {

constexpr int length = 4096;

/// y = 2 x, in one of several ways.
auto program()
{
    const tk::space::product space{tk::space::parameter<"items">({16, 64}),
                                   tk::space::parameter<"mode">({"right", "wrong", "beyond", "outside", "divides",
                                                                 "hangs", "bad", "wide", "greedy", "lent", "unnamed"})};
    return ms::source_template{
        space, [](const auto& c) {
            const std::string mode = tk::get<"mode">(c);
            const int items = tk::get<"items">(c);
            const bool lent = mode == "lent";
            ms::device_source out;
            out.text = "__kernel void twice(__global const float* x, __global float* y";
            if (lent) out.text += ", __local float* part";
            out.text += ") {\n  const int i = get_global_id(0), own = get_local_id(0);\n";
            if (mode == "greedy") out.text += "  __local float part[1 << 26];\n";
            if (lent || mode == "greedy")
                out.text +=
                    "  part[own] = x[i];\n  barrier(CLK_LOCAL_MEM_FENCE);\n  y[i] = 2 * part[own];\n  return;\n";
            if (mode == "outside") out.text += "  y[((long)i + 1) << 40] = 1;\n";
            if (mode == "divides")
                out.text += "  const int zero = (int)(x[i] - x[i]);\n  y[i] = (float)(i / zero);\n  return;\n";
            if (mode == "hangs") out.text += "  volatile __global const float* v = x;\n  while (v[i] > -1) ;\n";
            if (mode == "bad") out.text += "  undeclared = 1;\n";
            if (mode == "beyond") out.text += "  if (i == 0) y[4096] = 1;\n";
            out.text += mode == "wrong" ? "  if (i == 4000) return;\n" : "";
            out.text += "  y[i] = 2 * x[i];\n}\n";
            const std::int64_t wide = mode == "wide" ? std::int64_t{1} << 20 : items;
            out.launches = {{.entry = mode == "unnamed" ? "kernel" : "twice",
                             .grid = {mode == "wide" ? 1 : length / items, 1, 1},
                             .block = {wide, 1, 1},
                             .shared_bytes = lent ? 4 * items : 0}};
            return out;
        }};
}

struct doubling : support::doubling<ms::opencl_operands> {
    doubling() : support::doubling<ms::opencl_operands>(length) {}
};

/// Whether the driver is NVIDIA's, which says some things otherwise than PoCL.
bool nvidia(const ms::opencl_device& device) { return device.name.find("NVIDIA") != std::string::npos; }

}  // namespace

TEST_CASE("the library has what is asked for, as its headers declare it")
{
    const driver cl;
    CHECK((cl.platforms != nullptr));
    static_assert(sizeof(cl_int) == sizeof(int) && sizeof(cl_uint) == 4 && sizeof(cl_bitfield) == 8);
    static_assert(std::is_pointer_v<cl_mem> && sizeof(cl_mem) == sizeof(driver::handle));
}

TEST_CASE("no loader, no platform and no such device are told in one line that says what to do")
{
    try {
        static_cast<void>(ms::detail::opencl_devices("/nowhere/libOpenCL.so.1"));
        FAIL("there is a library");
    } catch (const ms::no_device& e) {
        const std::string what = e.what();
        CHECK(what.find("tunekit: no OpenCL: /nowhere/libOpenCL.so.1") == 0);
        CHECK(what.find("install a loader and a driver") != std::string::npos);
        CHECK(what.find('\n') == std::string::npos);
    }
    const support::temporary_folder empty;
    {
        const support::environment_variable none("OCL_ICD_VENDORS", empty / "");
        CHECK_THROWS_WITH_AS(
            static_cast<void>(ms::detail::opencl_devices()),
            "tunekit: no OpenCL platform: the loader finds no driver; install one (Debian: pocl-opencl-icd runs on any "
            "processor), or look at OCL_ICD_VENDORS",
            ms::no_device);
    }
    const auto all = ms::detail::opencl_devices();
    REQUIRE(!all.empty());
    CHECK(all[0] == ms::find_opencl_device(0));
    CHECK(all[0].threads >= 1);
    CHECK(all[0].shared_bytes >= 32 << 10);  // what OpenCL 1.2 wants of a device
    CHECK_THROWS_WITH_AS(static_cast<void>(ms::find_opencl_device(99)),
                         ("tunekit: no OpenCL device 99: want 0 to " + std::to_string(all.size() - 1)).c_str(),
                         ms::no_device);
    CHECK_THROWS_AS(ms::opencl_builder({}), std::invalid_argument);
    if (all.size() == 1) CHECK(ms::find_opencl_device(all[0].name.substr(1, 4)) == all[0]);
    CHECK_THROWS_WITH_AS(
        static_cast<void>(ms::find_opencl_device("no such name")),
        doctest::Contains(("\"no such name\": none has that in its name, want one of \"" + all[0].name + '"').c_str()),
        ms::no_device);
}

TEST_CASE("good configurations are built, checked and timed by events; each fault is one failed trial of one line")
{
    const auto what = program();
    doubling on;
    const auto device = ms::find_opencl_device();
    auto measure = ms::opencl_measurer(what, ms::opencl_builder({.device = device}), on.data, ms::fixed{.runs = 3},
                                       {.device = device});
    const auto config = [&](int items, const char* mode) {
        auto c = what.space.at(0);
        tk::get<"items">(c) = items;
        tk::get<"mode">(c) = mode;
        return c;
    };
    const auto one = [&](int items, const char* mode, double seconds = 20) {
        const tk::index which = what.space.index_of(config(items, mode)).value();
        auto m = measure.measure({&which, 1}, {.run_seconds = seconds, .build_seconds = 60}).front();
        if (m.failed) CHECK(m.failed->message.find('\n') == std::string::npos);
        return m;
    };
    // What the driver said of the built kernel.
    const auto local_bytes = [&](int items, const char* mode) {
        const auto& cache = measure.building().cache();
        const auto built =
            ms::detail::parse_opencl_code(cache.code(cache.key(what.source_of(config(items, mode)), what.entry)));
        REQUIRE(built);
        return built->kernels.at("twice").shared_bytes;
    };
    const auto right = one(64, "right");
    REQUIRE_MESSAGE(right.ok(), right.failed->message);
    CHECK(right.cost > 0);
    CHECK(right.cost < 1);  // 16 KiB
    CHECK(right.build_seconds > 0);
    CHECK_MESSAGE(one(16, "lent").ok(), "local memory of the launch's size");

    const auto bad = one(64, "bad");
    REQUIRE(bad.failed);
    CHECK(bad.failed->kind == failure_kind::build_error);
    CHECK(bad.failed->message.find("error:") < 100);  // after a place, with some compilers
    CHECK(bad.failed->message.find("use of undeclared identifier 'undeclared'") != std::string::npos);
    CHECK(bad.runs == 0);

    const auto wide = one(64, "wide");
    REQUIRE(wide.failed);
    CHECK(wide.failed->kind == failure_kind::launch_error);
    CHECK(wide.failed->code == CL_OUT_OF_RESOURCES);
    CHECK(wide.failed->message.find("twice: work-items in one direction are 1048576, want at most ") == 0);
    const auto greedy = one(64, "greedy");
    REQUIRE(greedy.failed);
    if (nvidia(device)) {  // whose compiler refuses it first
        CHECK(greedy.failed->kind == failure_kind::build_error);
        CHECK(greedy.failed->message.find("uses too much shared data") != std::string::npos);
    } else if (local_bytes(64, "greedy") == 0) {  // PoCL 5 says that it takes none, and aborts when it runs
        CHECK(greedy.failed->kind == failure_kind::crash);
        CHECK(greedy.failed->code == SIGABRT);
    } else {
        CHECK(local_bytes(64, "greedy") == 268435456);
        CHECK(greedy.failed->kind == failure_kind::launch_error);
        CHECK(greedy.failed->message ==
              "twice: bytes of local memory are 268435456, want at most " + std::to_string(device.shared_bytes));
    }

    const auto unnamed = one(64, "unnamed");
    REQUIRE(unnamed.failed);
    CHECK(unnamed.failed->kind == failure_kind::launch_error);
    CHECK(unnamed.failed->message == "the program has no kernel 'kernel', want the entry of each launch");
    const auto wrong = one(64, "wrong");
    REQUIRE(wrong.failed);
    CHECK(wrong.failed->kind == failure_kind::wrong_result);
    CHECK(wrong.failed->message.find("output 0: element 4000 is ") == 0);  // the poison
    const auto beyond = one(64, "beyond");
    REQUIRE(beyond.failed);
    CHECK(beyond.failed->kind == failure_kind::wrong_result);
    CHECK(beyond.failed->message == "output 0: wrote past its end, first at byte 0 after it");
    const auto outside = one(64, "outside");
    REQUIRE(outside.failed);
    CHECK((outside.failed->kind == failure_kind::crash || outside.failed->kind == failure_kind::launch_error));
    CHECK(one(16, "right").ok());  // a new worker, which knows nothing of it
    // A driver may stop at it, take the process with it, or go on with some number.
    const auto divides = one(64, "divides");
    REQUIRE(divides.failed);
    CHECK((divides.failed->kind == failure_kind::crash || divides.failed->kind == failure_kind::launch_error ||
           divides.failed->kind == failure_kind::wrong_result));
    const auto hangs = one(64, "hangs", 3);
    REQUIRE(hangs.failed);
    CHECK(hangs.failed->kind == failure_kind::run_timeout);
    CHECK(one(64, "right").ok());
}

TEST_CASE("what takes too long to build is a failure of its own, and what was built is not built again")
{
    const auto what = program();
    const auto device = ms::find_opencl_device();
    const support::temporary_folder folder;
    auto c = what.space.at(0);
    const ms::source source = what.source_of(c);
    {
        ms::opencl_builder pool({.device = device, .directory = folder / "cache"});
        pool.submit({source}, what.entry, 1e-3);
        const auto late = pool.wait(pool.cache().key(source, what.entry));
        REQUIRE(late.failed);
        CHECK(late.failed->kind == failure_kind::build_timeout);
        pool.submit({source}, what.entry, 60);
        CHECK_FALSE(pool.wait(pool.cache().key(source, what.entry)).failed);
        const auto built = ms::detail::parse_opencl_code(pool.cache().code(pool.cache().key(source, what.entry)));
        REQUIRE(built);
        REQUIRE(built->kernels.count("twice") == 1);
        CHECK(built->kernels.at("twice").max_threads >= 64);
        CHECK(built->kernels.at("twice").shared_bytes == (nvidia(device) ? 1 : 0));  // NVIDIA's says 1 for none
    }
    ms::opencl_builder again({.device = device, .directory = folder / "cache"});
    again.submit({source}, what.entry, 60);
    CHECK_FALSE(again.wait(again.cache().key(source, what.entry)).failed);
    CHECK(again.started() == 0);
    ms::opencl_builder other({.device = device, .flags = {"-cl-fast-relaxed-math"}, .directory = folder / "cache"});
    CHECK(other.cache().key(source, what.entry) != again.cache().key(source, what.entry));
}

TEST_CASE("runs between which the cache is emptied are timed one by one")
{
    const auto what = program();
    const auto device = ms::find_opencl_device();
    doubling on;
    auto measure =
        ms::opencl_measurer(what, ms::opencl_builder({.device = device}), on.data, ms::fixed{.runs = 2},
                            {.device = device, .timing = {.state = ms::cache::cold, .flush_bytes = 1 << 20}});
    const tk::index first = 0;
    const auto m = measure.measure({&first, 1}, {.run_seconds = 20, .build_seconds = 60}).front();
    REQUIRE_MESSAGE(m.ok(), m.failed->message);
    CHECK(m.cost > 0);
}

TEST_CASE("a kernel file with the parameters as macros, in half precision; its errors name the file and the line")
{
    const support::temporary_folder folder;
    const std::string file = folder / "twice.cl";
    tk::io::write_text(file,
                       "__kernel void twice(__global const half* x, __global half* y)\n"
                       "{\n"
                       "    const int i = (int)get_global_id(0) * step;\n"
                       "    for (int k = i; k < i + step; ++k) vstore_half(2 * vload_half(k, x), k, y);\n"
                       "#if broken\n"
                       "    undeclared();\n"
                       "#endif\n"
                       "}\n");
    const tk::space::product space{tk::space::parameter<"step">({1, 4}), tk::space::parameter<"broken">({false, true})};
    const auto twice = ms::kernel_file(file, space, [](const auto& c) {
        return std::vector<ms::device_source::launch>{
            {.entry = "twice", .grid = {4096 / 64 / tk::get<"step">(c), 1, 1}, .block = {64, 1, 1}}};
    });
    std::vector<float> x(4096), want(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = 0.25F * static_cast<float>(i);
        want[i] = 2 * x[i];
    }
    ms::opencl_operands data;
    data.input_half(x);
    data.output_half(want, {});
    const auto device = ms::find_opencl_device();
    auto measure = ms::opencl_measurer(twice, ms::opencl_builder({.device = device}), data, ms::fixed{.runs = 2},
                                       {.device = device});
    for (const int step : {1, 4})
        for (const bool broken : {false, true}) {
            auto c = space.at(0);
            tk::get<"step">(c) = step;
            tk::get<"broken">(c) = broken;
            const tk::index which = space.index_of(c).value();
            const auto m = measure.measure({&which, 1}, {.run_seconds = 20, .build_seconds = 60}).front();
            CHECK_MESSAGE(m.failed.has_value() == broken, (m.failed ? m.failed->message : std::string()));
            const char* const named = nvidia(device) ? "undeclared" : "twice.cl:6";  // NVIDIA's compiler ignores #line
            if (m.failed) CHECK_MESSAGE(m.failed->message.find(named) != std::string::npos, m.failed->message);
        }
}
