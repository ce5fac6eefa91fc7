// SPDX-License-Identifier: MIT
#include "tunekit/devices/cuda/measurer.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "packages/devices/tests/support/doubling.hpp"
#include "packages/devices/tests/support/fake_cuda.hpp"
#include "tunekit/devices/detail/half.hpp"
#include "tunekit/devices/opencl/session.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/in_process.hpp"
#include "tunekit/processes/detail/system/processes.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;
namespace ms = tunekit::measure;
using ms::failure_kind;

namespace {

constexpr int length = 64;

/// y = 2 x, in one of several ways.
auto program()
{
    const tk::space::product space{
        tk::space::parameter<"us">({5, 20, 400}),
        tk::space::parameter<"mode">({"ok", "fault", "hang", "wrong", "beyond", "refused", "bad", "newer", "younger"})};
    return ms::source_template{space, [](const auto& c) {
                                   const std::string mode = tk::get<"mode">(c);
                                   ms::device_source out;
                                   out.text = mode == "bad" ? "//bad"
                                                            : (mode == "newer"     ? "//newer\n"
                                                               : mode == "younger" ? "//younger\n"
                                                                                   : "") +
                                                                  std::string("//run factor=2 n=64 us=") +
                                                                  std::to_string(tk::get<"us">(c)) + " mode=" + mode;
                                   out.launches = {{.grid = {1, 1, 1}, .block = {length + 1, 1, 1}}};
                                   return out;
                               }};
}

struct doubling : support::doubling<ms::cuda_operands> {
    doubling() : support::doubling<ms::cuda_operands>(length) {}
};

struct machine {
    support::fake_library driver{support::fake_driver_source};
    support::fake_library compiler{support::fake_compiler_source};

    [[nodiscard]] ms::nvrtc_builder builder() const
    {
        return ms::nvrtc_builder({.processes = 1, .library = compiler.path()});
    }
};

tk::index with(const auto& space, int us, const char* mode)
{
    auto c = space.at(0);
    tk::get<"us">(c) = us;
    tk::get<"mode">(c) = mode;
    return space.index_of(c).value();
}

}  // namespace

TEST_CASE("the devices are told by a child: this process stays without CUDA")
{
    const support::fake_library driver(support::fake_driver_source, "-DDEVICES=2");
    const auto all = ms::detail::cuda_devices(driver.path());
    REQUIRE(all.size() == 2);
    CHECK(all[1].index == 1);
    CHECK(all[1].name == "Fake Device 1");
    CHECK(all[1].bus == "0000:11:00.0");
    CHECK(all[0].architecture() == "sm_80");
    CHECK(all[0].processors == 108);
    CHECK(all[0].cache_bytes == 1 << 20);
    CHECK(all[0].max_shared_bytes == 166912);
    CHECK(all[0].memory_bytes == 1U << 30);
    CHECK(ms::find_cuda_device(1, driver.path()) == all[1]);
    CHECK_THROWS_WITH_AS(static_cast<void>(ms::find_cuda_device(2, driver.path())),
                         "tunekit: no CUDA device 2: want 0 to 1", ms::no_device);
    CHECK_THROWS(driver.count("fake_launches"));  // never opened here
}

TEST_CASE("no device and no driver are told in one line that says what to do")
{
    const support::fake_library none(support::fake_driver_source, "-DDEVICES=0");
    CHECK_THROWS_WITH_AS(static_cast<void>(ms::detail::cuda_devices(none.path())),
                         "tunekit: no CUDA device: the driver sees none; look at nvidia-smi and CUDA_VISIBLE_DEVICES",
                         ms::no_device);
    try {
        static_cast<void>(ms::detail::cuda_devices("/nowhere/libcuda.so.1"));
        FAIL("there is a driver");
    } catch (const ms::no_device& e) {
        const std::string what = e.what();
        CHECK(what.find("tunekit: no CUDA driver: /nowhere/libcuda.so.1") == 0);
        CHECK(what.find("install NVIDIA's driver") != std::string::npos);
        CHECK(what.find('\n') == std::string::npos);
    }
    const support::fake_library another(support::fake_compiler_source);
    CHECK_THROWS_WITH_AS(static_cast<void>(ms::detail::cuda_devices(another.path())),
                         "tunekit: no CUDA driver of use: it lacks cuInit; install a newer one", ms::no_device);
    const support::fake_library mute("int cuInit(unsigned f) { for (;;); }");
    CHECK_THROWS_AS(static_cast<void>(ms::detail::cuda_devices(mute.path(), 0.2)), ms::no_device);
}

TEST_CASE("a device is found by its name, and what prohibits its use is said in one line")
{
    const support::fake_library two(support::fake_driver_source, "-DDEVICES=2 -DNAME='\"NVIDIA A100 MIG 1g.5gb\"'");
    CHECK(ms::find_cuda_device("mig 1G.5gb 1", two.path()).index == 1);
    CHECK_THROWS_WITH_AS(
        static_cast<void>(ms::find_cuda_device("MIG", two.path())),
        "tunekit: no CUDA device \"MIG\": several have that in its name, want one of \"NVIDIA A100 MIG "
        "1g.5gb 0\", \"NVIDIA A100 MIG 1g.5gb 1\", or its number",
        ms::no_device);
    CHECK_THROWS_WITH_AS(static_cast<void>(ms::find_cuda_device("H100", two.path())),
                         doctest::Contains("\"H100\": none has that in its name"), ms::no_device);
    const support::fake_library closed(support::fake_driver_source, "-DMODE=2");
    CHECK(ms::detail::cuda_devices(closed.path()).front().mode == 2);  // told, but not for use
    for (const auto& find : {+[](const std::string& driver) { return ms::find_cuda_device(0, driver); },
                             +[](const std::string& driver) { return ms::find_cuda_device("fake", driver); }})
        CHECK_THROWS_WITH_AS(static_cast<void>(find(closed.path())),
                             "tunekit: no CUDA device 0: the compute mode of Fake Device 0 is prohibited; set another "
                             "with nvidia-smi -c, or choose another device",
                             ms::no_device);
    const support::fake_library mps(support::fake_driver_source, "-DINIT=805");
    CHECK_THROWS_WITH_AS(static_cast<void>(ms::detail::cuda_devices(mps.path())),
                         doctest::Contains("CUDA_ERROR_MPS_CONNECTION_FAILED (805), as it were; MPS is asked for and "
                                           "does not answer: start nvidia-cuda-mps-control"),
                         ms::no_device);
}

TEST_CASE("a device that another process holds alone, and a driver older than the compiler: one line with the remedy")
{
    const support::fake_library busy(support::fake_driver_source, "-DMODE=3 -DBUSY=1");
    const support::fake_library compiler(support::fake_compiler_source);
    const auto what = program();
    doubling on;
    const auto device = ms::find_cuda_device(0, busy.path());
    CHECK(device.mode == 3);
    auto measure =
        ms::cuda_measurer(what, ms::nvrtc_builder({.processes = 1, .library = compiler.path()}), on.data,
                          ms::fixed{.runs = 1}, {.device = device, .driver = busy.path(), .nvml = "/nowhere"});
    const tk::index good = with(what.space, 5, "ok");
    const auto m = measure.measure({&good, 1}, {.run_seconds = 20, .build_seconds = 20}).front();
    REQUIRE(m.failed);
    CHECK(m.failed->kind == failure_kind::launch_error);
    CHECK(m.failed->code == 46);
    CHECK(m.failed->message.find(
              "CUDA_ERROR_DEVICE_UNAVAILABLE (46), as it were; another process holds the device, whose "
              "compute mode is exclusive") != std::string::npos);

    const machine here;
    const auto free = ms::find_cuda_device(0, here.driver.path());
    auto run = ms::cuda_measurer(what, here.builder(), on.data, ms::fixed{.runs = 1},
                                 {.device = free, .driver = here.driver.path(), .nvml = "/nowhere"});
    const tk::index younger = with(what.space, 5, "younger");
    const auto late = run.measure({&younger, 1}, {.run_seconds = 20, .build_seconds = 20}).front();
    REQUIRE(late.failed);
    CHECK(late.failed->code == 222);
    CHECK(late.failed->message.find("the driver is older than NVRTC: update it") != std::string::npos);
    CHECK(run.measure({&good, 1}, {.run_seconds = 20, .build_seconds = 20}).front().ok());
}

TEST_CASE("the driver of the toolkit's own stub has every function that is asked for")
{
    constexpr const char* stub = "/usr/local/cuda/lib64/stubs/libcuda.so";
    if (::access(stub, R_OK) != 0) {
        MESSAGE("left out: no " << stub);
        return;
    }
    const ms::detail::cuda_driver driver(stub);
    CHECK((driver.event_elapsed != nullptr));
    CHECK_THROWS_AS(static_cast<void>(ms::detail::cuda_devices(stub)), ms::no_device);
}

TEST_CASE("good configurations are built, checked and timed by the device's clock; each fault is one failed trial")
{
    const machine here;
    const auto what = program();
    doubling on;
    const auto device = ms::find_cuda_device(0, here.driver.path());
    auto measure = ms::cuda_measurer(what, here.builder(), on.data, ms::fixed{.runs = 6},
                                     {.device = device, .driver = here.driver.path(), .nvml = "/nowhere/nvml.so"});
    const auto one = [&](int us, const char* mode) {
        const tk::index which = with(what.space, us, mode);
        return measure.measure({&which, 1}, {.run_seconds = 1, .build_seconds = 5}).front();
    };
    const auto good = one(5, "ok");
    REQUIRE(good.ok());
    CHECK(good.cost == doctest::Approx(5e-6).epsilon(1e-4));
    CHECK(good.build_seconds > 0);
    CHECK(one(400, "ok").cost == doctest::Approx(400e-6).epsilon(1e-4));
    for (int round = 0; round < 2; ++round) {
        const auto fault = one(5, "fault");
        REQUIRE(fault.failed);
        CHECK(fault.failed->kind == failure_kind::launch_error);
        CHECK(fault.failed->code == 700);
        CHECK(fault.failed->message ==
              "running the kernel: CUDA_ERROR_ILLEGAL_ADDRESS (700), an illegal memory access was encountered");
        CHECK(one(20, "ok").ok());  // a new worker, which knows nothing of it
    }
    CHECK(one(5, "newer").ok());  // its machine code is for other devices: the driver takes the PTX
    const auto hang = one(5, "hang");
    REQUIRE(hang.failed);
    CHECK(hang.failed->kind == failure_kind::run_timeout);
    CHECK(one(20, "ok").ok());
    const auto wrong = one(5, "wrong");
    REQUIRE(wrong.failed);
    CHECK(wrong.failed->kind == failure_kind::wrong_result);
    CHECK(wrong.failed->message.find("output 0: element 63 is ") == 0);  // the poison
    const auto beyond = one(5, "beyond");
    REQUIRE(beyond.failed);
    CHECK(beyond.failed->kind == failure_kind::wrong_result);
    CHECK(beyond.failed->message == "output 0: wrote past its end, first at byte 0 after it");
    const auto refused = one(5, "refused");
    REQUIRE(refused.failed);
    CHECK(refused.failed->kind == failure_kind::launch_error);
    CHECK(refused.failed->code == 701);
    const auto bad = one(5, "bad");
    REQUIRE(bad.failed);
    CHECK(bad.failed->kind == failure_kind::build_error);
    CHECK(bad.failed->message == "generated(2): error: identifier \"bad\" is undefined");
    CHECK(one(5, "ok").cost == doctest::Approx(5e-6).epsilon(1e-4));
    CHECK(measure.running().conditions().text() == "clocks not observed");
    CHECK_THROWS(here.driver.count("fake_launches"));  // the driver was opened in workers alone
}

TEST_CASE("a pool builds while the device runs, and refuses what the device cannot start")
{
    const machine here;
    const support::fake_library nvml(support::fake_clocks_source);
    const tk::space::product space{tk::space::parameter<"mode">({"ok", "fault", "bad", "none"}),
                                   tk::space::parameter<"threads">({length + 1, 2048})};
    const ms::source_template what{space, [](const auto& c) {
                                       const std::string mode = tk::get<"mode">(c);
                                       if (mode == "none") throw std::invalid_argument("no such kernel");
                                       ms::device_source out;
                                       out.text = mode == "bad" ? "//bad" : "//run factor=2 n=64 us=5 mode=" + mode;
                                       out.launches = {{.grid = {1, 1, 1}, .block = {tk::get<"threads">(c), 1, 1}}};
                                       return out;
                                   }};
    doubling on;
    auto device = ms::find_cuda_device(0, here.driver.path());
    device.bus = "0000:65:00.0";
    auto pool = ms::cuda_pool(what, here.builder(), on.data, ms::fixed{.runs = 2},
                              {.device = device, .driver = here.driver.path(), .nvml = nvml.path()});
    CHECK(pool.workers() == 1);
    CHECK(pool.room() == 2);
    std::vector<ms::measurement> got(space.size());
    tk::index out = 0;
    for (std::size_t in = 0; in < got.size();) {
        for (; out < got.size() && pool.room() > 0; ++out)
            pool.submit(
                {.ticket = tk::ticket{out}, .candidate = out, .limits = {.run_seconds = 20, .build_seconds = 20}});
        for (tk::answer& a : pool.collect(20)) {
            REQUIRE(a.measured);
            got[static_cast<std::size_t>(a.ticket)] = std::move(*a.measured);
            ++in;
        }
    }
    for (tk::index i = 0; i < got.size(); ++i) {
        const auto c = space.at(i);
        const std::string mode = tk::get<"mode">(c);
        const auto& m = got[i];
        CAPTURE(mode);
        CHECK(m.ok() == (mode == "ok" && tk::get<"threads">(c) < 2048));
        if (m.ok()) CHECK(m.cost == doctest::Approx(5e-6).epsilon(1e-4));
        else if (mode == "bad") CHECK(m.failed->kind == failure_kind::build_error);
        else if (mode == "none") CHECK(m.failed->message == "threw: no such kernel");
        else CHECK(m.failed->code == (tk::get<"threads">(c) == 2048 ? 701 : 700));
    }
    const unsigned ran = pool.running().conditions().samples;
    CHECK(ran >= 2);
    const tk::index good = space.index_of(space.at(0)).value();
    const std::vector<tk::index> again{good, got.size() - 1, good};
    const auto alone = pool.alone(0).measure(again, {.run_seconds = 20, .build_seconds = 20});
    CHECK(alone.front().ok());
    CHECK(alone.back().ok());
    CHECK(alone[1].failed->kind == failure_kind::invalid);
    CHECK(pool.running().conditions().samples == ran + 2);
    CHECK(pool.running().conditions().max_mhz == 1755);
}

TEST_CASE("a flush is outside the timed window, and a warm run is launched until it is long enough")
{
    const machine here;
    const auto what = program();
    for (const auto state : {ms::cache::warm, ms::cache::cold}) {
        doubling on;
        auto pool = here.builder();
        const tk::index which = with(what.space, 5, "ok");
        pool.submit({what.source_of(what.space.at(which))}, what.entry, 5);
        REQUIRE_FALSE(pool.wait(pool.cache().key(what.source_of(what.space.at(which)), what.entry)).failed);
        const support::fake_library driver(support::fake_driver_source);
        {
            ms::cuda_session gpu(0, driver.path(), {.state = state, .min_seconds = 51e-6});
            auto measure = ms::in_process(what.space, ms::timed{ms::cuda_kernel(what, pool.cache(), on.data, gpu),
                                                                ms::fixed{.runs = 4}, on.data.check(gpu)});
            const auto m = measure.measure({&which, 1}, {}).front();
            REQUIRE(m.ok());
            CHECK(m.cost == doctest::Approx(5e-6).epsilon(1e-4));
            const int runs = 1 + 3 + 4;  // checked, warm-up, timed
            if (state == ms::cache::warm) {
                CHECK(driver.count("fake_fills") == 2);                       // the poison
                CHECK(driver.count("fake_launches") == 1 + (runs - 1) * 12);  // one to keep the device busy, and 11
            } else {
                CHECK(driver.count("fake_fills") == 2 + runs);
                CHECK(driver.count("fake_launches") == runs);
            }
            CHECK(driver.count("fake_loaded") == 0);
        }
        CHECK(driver.count("fake_allocated") == 0);
    }
}

TEST_CASE("launches recorded in a CUDA graph: each timing launches one, results are checked, failures stay failures")
{
    const machine here;
    const auto what = program();
    for (const char* const mode : {"ok", "wrong", "fault"}) {
        doubling on;
        auto pool = here.builder();
        const tk::index which = with(what.space, 5, mode);
        pool.submit({what.source_of(what.space.at(which))}, what.entry, 5);
        REQUIRE_FALSE(pool.wait(pool.cache().key(what.source_of(what.space.at(which)), what.entry)).failed);
        const support::fake_library driver(support::fake_driver_source);
        {
            ms::cuda_session gpu(0, driver.path(), {.min_seconds = 51e-6, .graph = true});
            auto measure = ms::in_process(what.space, ms::timed{ms::cuda_kernel(what, pool.cache(), on.data, gpu),
                                                                ms::fixed{.runs = 4}, on.data.check(gpu)});
            const auto m = measure.measure({&which, 1}, {}).front();
            CHECK(m.ok() == (mode == std::string("ok")));
            if (m.ok()) {
                CHECK(m.cost == doctest::Approx(5e-6).epsilon(1e-4));
                CHECK(driver.count("fake_graph_launches") == 8);  // checked, three of warm-up, four timed
                CHECK(driver.count("fake_launches") ==
                      1 + (8 - 1) * 12);  // one outside to keep the device busy, and 11
            }
            CHECK(driver.count("fake_graphs") == 0);
            CHECK(driver.count("fake_streams") == 1);
        }
        CHECK(driver.count("fake_streams") == 0);
    }
    CHECK_THROWS_AS(ms::detail::opencl_session(0, "", {.graph = true}), std::invalid_argument);
}

TEST_CASE("a run that is timed alone follows a launch that is not, unless it is long: no wait for a launch is timed")
{
    const machine here;
    const auto what = program();
    auto pool = here.builder();
    const tk::index which = with(what.space, 400, "ok");  // longer than min_seconds
    pool.submit({what.source_of(what.space.at(which))}, what.entry, 5);
    REQUIRE_FALSE(pool.wait(pool.cache().key(what.source_of(what.space.at(which)), what.entry)).failed);
    for (const double lead_below : {1e-3, 1e-4}) {
        doubling on;
        const support::fake_library driver(support::fake_driver_source);
        ms::cuda_session gpu(0, driver.path(), {.lead_below = lead_below});
        auto measure = ms::in_process(what.space, ms::timed{ms::cuda_kernel(what, pool.cache(), on.data, gpu),
                                                            ms::fixed{.runs = 4}, on.data.check(gpu)});
        const auto m = measure.measure({&which, 1}, {}).front();
        REQUIRE(m.ok());
        CHECK(m.cost == doctest::Approx(400e-6).epsilon(1e-4));
        const int runs = 1 + 3 + 4;  // checked, warm-up, timed
        CHECK(driver.count("fake_launches") == (lead_below > 400e-6 ? 1 + 2 * (runs - 1) : runs));
    }
}

TEST_CASE("what a device cannot start is known without asking it")
{
    const ms::cuda_device on{.max_shared_bytes = 100000};
    const ms::device_source::launch plain{.grid = {10, 10, 10}, .block = {32, 8, 4}};
    CHECK_FALSE(ms::detail::exceeds(plain, std::nullopt, on));
    CHECK_FALSE(
        ms::detail::exceeds(plain, ms::cuda_resources{.registers = 64}, on));  // 1024 threads of 64: all there are
    CHECK(ms::detail::exceeds(plain, ms::cuda_resources{.registers = 65}, on) ==
          "kernel: registers per block are 73728, want at most 65536");
    CHECK_FALSE(ms::detail::exceeds({.block = {96, 1, 1}}, ms::cuda_resources{.registers = 255}, on));
    CHECK(ms::detail::exceeds({.block = {32, 8, 5}}, std::nullopt, on) ==
          "kernel: threads per block are 1280, want at most 1024");
    CHECK(ms::detail::exceeds({.block = {1, 1, 65}}, std::nullopt, on) ==
          "kernel: threads in one direction are 65, want at most 64");
    CHECK(ms::detail::exceeds({.grid = {1, 65536, 1}}, std::nullopt, on) ==
          "kernel: blocks in one direction are 65536, want at most 65535");
    CHECK(ms::detail::exceeds({.grid = {0, 1, 1}}, std::nullopt, on));
    CHECK(ms::detail::exceeds(plain, ms::cuda_resources{.registers = 8, .max_threads = 512}, on) ==
          "kernel: threads per block by its launch bounds are 1024, want at most 512");
    CHECK_FALSE(
        ms::detail::exceeds({.shared_bytes = 60000}, ms::cuda_resources{.registers = 8, .shared_bytes = 40000}, on));
    CHECK(ms::detail::exceeds({.shared_bytes = 60001}, ms::cuda_resources{.registers = 8, .shared_bytes = 40000}, on) ==
          "kernel: bytes of shared memory are 100001, want at most 100000");
    CHECK(ms::detail::exceeds({}, ms::cuda_resources{.registers = 8, .shared_bytes = 49153},
                              on));  // fixed: no asking for more
}

TEST_CASE("what is refused does not reach the device, and more shared memory is asked for")
{
    const machine here;
    const tk::space::product space{tk::space::parameter<"shared">({0, 60000, 200000})};
    const ms::source_template what{space, [](const auto& c) {
                                       ms::device_source out;
                                       out.text = "//run factor=2 n=64 us=5 mode=ok";
                                       out.launches = {{.block = {length, 1, 1}, .shared_bytes = tk::get<"shared">(c)}};
                                       return out;
                                   }};
    doubling on;
    const auto device = ms::find_cuda_device(0, here.driver.path());
    auto measure = ms::cuda_measurer(what, here.builder(), on.data, ms::fixed{.runs = 3},
                                     {.device = device, .driver = here.driver.path(), .nvml = "/nowhere/nvml.so"});
    const std::vector<tk::index> all{0, 1, 2};
    const auto m = measure.measure(all, {});
    CHECK(m[0].ok());
    CHECK(m[1].ok());
    REQUIRE(m[2].failed);
    CHECK(m[2].failed->kind == failure_kind::launch_error);
    CHECK(m[2].failed->code == 701);
    CHECK(m[2].failed->message == "kernel: bytes of shared memory are 200000, want at most 166912");
    CHECK(m[2].runs == 0);
    CHECK(m[2].run_seconds == 0);
}

TEST_CASE("a tensor map of an operand comes behind the operands, and what the driver would not make is refused before")
{
    using map = ms::device_source::tensor_map;
    const map good{.sizes = {16, 4}, .strides = {64}, .box = {8, 2}, .swizzle_bytes = 64};
    const tk::space::product space{tk::space::parameter<"stride">({64, 72})};
    const ms::source_template what{space, [good](const auto& c) {
                                       ms::device_source out;
                                       out.text = "//run factor=2 n=64 us=5 mode=mapped";
                                       out.launches = {{.block = {length, 1, 1}}};
                                       out.maps = {good};
                                       out.maps[0].strides[0] = tk::get<"stride">(c);
                                       return out;
                                   }};
    const machine old;
    const support::fake_library hopper(support::fake_driver_source, "-DMAJOR=9");
    const support::fake_library before(support::fake_driver_source, "-DMAJOR=9 -DOLD");
    const auto measured = [&](const std::string& driver) {
        doubling on;
        auto measure = ms::cuda_measurer(what, old.builder(), on.data, ms::fixed{.runs = 3},
                                         {.device = ms::find_cuda_device(0, driver), .driver = driver, .nvml = "/no"});
        return measure.measure(std::vector<tk::index>{0, 1}, {});
    };
    const auto m = measured(hopper.path());
    CHECK_MESSAGE(m[0].ok(), (m[0].failed ? m[0].failed->message : ""));
    REQUIRE(m[1].failed);
    CHECK(m[1].failed->code == 701);
    CHECK(m[1].failed->message ==
          "tensor map of argument 0: a stride in bytes is 72, want a multiple of 16 below 2^40");
    CHECK(m[1].runs == 0);
    const auto eight = measured(old.driver.path());
    REQUIRE(eight[0].failed);
    CHECK(eight[0].failed->message == "tensor maps want compute capability 9.0, not 8.x");
    const auto eleven = measured(before.path());
    REQUIRE(eleven[0].failed);
    CHECK(eleven[0].failed->message == "the driver knows no tensor maps, want that of CUDA 12 or later");

    ms::device_source told{.text = "text", .prepare = {{.entry = "pack"}}, .scratch_floats = 5, .maps = {good}};
    told.launches = {{.grid = {2, 3, 1}, .block = {64, 1, 1}, .shared_bytes = 100}};
    CHECK(told.with_launches() ==
          "text\n// once before: pack, grid 1 1 1, block 1 1 1, dynamic shared memory 0 bytes\n"
          "// launch: kernel, grid 2 3 1, block 64 1 1, dynamic shared memory 100 bytes\n// scratch memory: 5 floats\n"
          "// tensor map of argument 0: type 7, sizes 16 4, strides 64, box 8 2, swizzled within 64 bytes\n");
    CHECK_FALSE(ms::detail::refused(good));
    const auto with = [&](auto change) {
        map other = good;
        change(other);
        return ms::detail::refused(other).value_or("");
    };
    CHECK(with([](map& x) { x.sizes = {}; }) == "tensor map of argument 0: directions are 0, want 1 to 5");
    CHECK(with([](map& x) { x.strides = {}; }).find("strides are 0, want one less than sizes") != std::string::npos);
    CHECK(with([](map& x) { x.sizes[1] = 0; }).find("a size is 0, want 1 to 2^32") != std::string::npos);
    CHECK(with([](map& x) { x.box[1] = 257; }).find("a side of the box is 257, want 1 to 256") != std::string::npos);
    CHECK(with([](map& x) { x.box[0] = 6; }).find("bytes is 24, want a multiple of 16") != std::string::npos);
    CHECK(with([](map& x) { x.swizzle_bytes = 16; }).find("are 16, want 0, 32, 64 or 128") != std::string::npos);
    CHECK(with([](map& x) { x.swizzle_bytes = 16 * 2, x.box[0] = 16; }).find("no more than are swizzled") !=
          std::string::npos);
}

TEST_CASE("a bfloat16 is the nearest to a float, among two the even one")
{
    using ms::detail::bfloat16_of, ms::detail::float_of_bfloat16;
    CHECK(bfloat16_of(0x1.01p0F) == 0x3F80);    // in the middle
    CHECK(bfloat16_of(0x1.03p0F) == 0x3F82);    // in the middle, too
    CHECK(bfloat16_of(0x1.0102p0F) == 0x3F81);  // above it
    CHECK(bfloat16_of(-0x1.FFp0F) == 0xC000);   // carries into the exponent
    for (const int bits : {0x0000, 0x3F81, 0xC2FE, 0x0080})
        CHECK(bfloat16_of(float_of_bfloat16(static_cast<std::uint16_t>(bits))) == bits);
}

TEST_CASE("reasons for lower clocks are told in words")
{
    ms::cuda_conditions seen;
    CHECK_FALSE(seen.throttled());
    seen.add(1500, 0x1);  // idle
    CHECK_FALSE(seen.throttled());
    seen.add(1410, 0x4 | 0x40);
    seen.add(1980, 0);
    CHECK(seen.throttled());
    CHECK(seen.text() == "1410 to 1980 MHz, held back by: power cap, heat (hardware)");
    ms::cuda_conditions all;
    all.add(seen);
    all.add({});
    CHECK(all == seen);
    const support::fake_library nvml(support::fake_clocks_source);
    ms::cuda_conditions now;
    const int threads = tk::system::detail::thread_count();
    ms::detail::cuda_clocks clocks("0000:65:00.0", nvml.path());
    clocks.look(now);
    clocks.look(now);
    CHECK(now.samples == 2);
    CHECK(tk::system::detail::thread_count() == threads);
    CHECK(now.text() == "1755 to 1755 MHz, held back by: hardware slowdown");
    const ms::detail::cuda_reading all_of_it = clocks.read();
    CHECK(all_of_it.memory_mhz == 1);
    CHECK(all_of_it.watts == 71.5);
    CHECK(std::isnan(all_of_it.celsius));  // which it refuses
    CHECK(std::isnan(all_of_it.joules));   // whose function it does not have
    for (auto [bus, library] : {std::pair{"none", nvml.path()}, {"0000:65:00.0", std::string("/nowhere/nvml.so")}}) {
        ms::cuda_conditions none;
        ms::detail::cuda_clocks blind(bus, library);
        blind.look(none);
        blind.look(none);
        CHECK(none.samples == 0);
    }
}
