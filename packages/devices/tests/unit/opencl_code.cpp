// SPDX-License-Identifier: MIT
#include "tunekit/devices/detail/launch_builder.hpp"
#include "tunekit/devices/detail/opencl_run.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

namespace ms = tunekit::measure;

TEST_CASE("a built program reads back as it was written, whatever its binary holds, and no other text is one")
{
    const ms::detail::opencl_code code{.kernels = {{"one", {256, 4096, 16}}, {"two", {1, 0, 0}}},
                                       .binary = std::string("\n\nkernel x 1 2 3\0end", 21)};
    CHECK(ms::detail::parse_opencl_code(code.text()) == code);
    for (const char* const wrong :
         {"", "\n", "\nbinary", "kernel", "kernel one 1 2 3", "kernel one 1 2 3\n", "kernel one 1 2\n\nbinary",
          "kernel one 1 2 many\n\nbinary", "module one 1 2 3\n\nbinary"})
        CHECK_MESSAGE(!ms::detail::parse_opencl_code(wrong), std::string(wrong));
    const std::string whole = code.text();
    const std::size_t head = whole.size() - code.binary.size();
    for (std::size_t n = 0; n < head; ++n) CHECK_FALSE(ms::detail::parse_opencl_code(whole.substr(0, n)));
}

TEST_CASE("a program may be its text with the options, of a driver that keeps what it compiled of a text")
{
    for (const char* const options : {"", "-DA=1 -I."}) {
        const ms::detail::opencl_code code{
            .kernels = {{"one", {256, 0, 0}}}, .binary = "__kernel void one(void) {}\n", .options = options};
        CHECK(ms::detail::parse_opencl_code(code.text()) == code);
        const std::string whole = code.text();
        for (std::size_t n = 0; n < whole.find("__kernel"); ++n)
            CHECK_FALSE(ms::detail::parse_opencl_code(whole.substr(0, n)));
    }
    CHECK_FALSE(ms::detail::parse_opencl_code("text \n\n__kernel"));                            // of no kernel
    CHECK_FALSE(ms::detail::parse_opencl_code("kernel one 1 2 3\ntext \nkernel x 1 2 3\n\n"));  // the options end it
}

TEST_CASE("the launch that a compiler prepares, and the order that it gets, read back as they were written")
{
    const ms::detail::opencl_launch launch{
        .entry = "scale",
        .block = {32, 4, 1},
        .shared_bytes = 128,
        .arguments = {{.array = 4096}, {.value = {0, 255, 16}}, {.array = 1}, {.value = {7}}}};
    CHECK(launch.text() == "scale 32 4 1 128 a4096 v00ff10 a1 v07");
    CHECK(ms::detail::opencl_launch::of(launch.text()) == launch);
    CHECK(ms::detail::opencl_launch::of("none 1 1 1 0") == ms::detail::opencl_launch{.entry = "none"});
    const ms::detail::launch_order order{.key = "0123", .options = "", .launch = launch.text(), .text = "a\n\nb"};
    const auto read = ms::detail::launch_order::of(order.bytes());
    CHECK(read.key == order.key);
    CHECK(read.options.empty());
    CHECK(read.launch == order.launch);
    CHECK(read.text == order.text);
}

TEST_CASE("what an OpenCL device cannot start is known without asking it, in OpenCL's words")
{
    const ms::opencl_device on{.threads = 256, .block = {256, 256, 64}, .shared_bytes = 32768};
    const ms::device_source::launch plain{.entry = "f", .grid = {10, 10, 10}, .block = {16, 16, 1}};
    CHECK_FALSE(ms::detail::exceeds(plain, std::nullopt, on));
    CHECK(ms::detail::exceeds(plain, ms::detail::opencl_resources{.max_threads = 128}, on) ==
          "f: work-items per work-group are 256, want at most 128");
    CHECK(ms::detail::exceeds({.entry = "f", .block = {16, 17, 1}}, std::nullopt, on) ==
          "f: work-items per work-group are 272, want at most 256");
    CHECK(ms::detail::exceeds({.entry = "f", .block = {1, 1, 65}}, std::nullopt, on) ==
          "f: work-items in one direction are 65, want at most 64");
    CHECK(ms::detail::exceeds({.entry = "f", .grid = {0, 1, 1}}, std::nullopt, on) ==
          "f: an empty grid or work-group, want >= 1 each way");
    CHECK_FALSE(ms::detail::exceeds({.shared_bytes = 768}, ms::detail::opencl_resources{256, 32000, 0}, on));
    CHECK(ms::detail::exceeds({.entry = "f", .shared_bytes = 769}, ms::detail::opencl_resources{256, 32000, 0}, on) ==
          "f: bytes of local memory are 32769, want at most 32768");
}

TEST_CASE("what the child says of a device is understood, and nothing else")
{
    const std::string line =
        "device 1 16 256 256 256 64 32768 4194304 8589934592 80 1\tSome GPU (rev 2)\tOpenCL 3.0, driver 1";
    const auto d = ms::detail::parse_opencl_device(line);
    REQUIRE(d);
    CHECK(*d == ms::opencl_device{.index = 1,
                                  .units = 16,
                                  .threads = 256,
                                  .block = {256, 256, 64},
                                  .shared_bytes = 32768,
                                  .cache_bytes = 4194304,
                                  .memory_bytes = 8589934592,
                                  .timer_ns = 80,
                                  .half = true,
                                  .name = "Some GPU (rev 2)",
                                  .version = "OpenCL 3.0, driver 1"});
    for (std::size_t n = 0; n < line.find("Some"); ++n) CHECK_FALSE(ms::detail::parse_opencl_device(line.substr(0, n)));
    CHECK_FALSE(ms::detail::parse_opencl_device("warning: something"));
}

TEST_CASE("settings of a device's timing that are out of range are refused by name")
{
    CHECK_THROWS_WITH_AS(ms::detail::opencl_session(0, {}, {.max_launches = 0}),
                         "tunekit: device_timing: max_launches is 0, want >= 1", std::invalid_argument);
    CHECK_THROWS_AS(ms::detail::opencl_session(0, {}, {.min_seconds = -1}), std::invalid_argument);
    CHECK_THROWS_AS(ms::detail::opencl_session(0, {}, {.lead_below = -1}), std::invalid_argument);
}
