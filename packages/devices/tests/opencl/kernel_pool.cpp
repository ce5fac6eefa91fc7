// SPDX-License-Identifier: MIT
// A kernel of OpenCL C as data, on a driver; PoCL is enough.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "packages/devices/tests/support/kernel_arguments.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/devices/kernel_pool.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/value_product.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;
namespace ms = tunekit::measure;

namespace {

std::string text(const std::string& body)
{
    return "__kernel void scale(__global float* y, __global const float* x, int n)\n{\n    const int i = "
           "get_global_id(0);\n    " +
           body + "\n}\n";
}

ms::measurement ran(ms::kernel_problem what, const char* block = "32")
{
    what.iterations = 3;
    return ms::run_kernel(std::move(what), {{"block_size_x", block}, {"factor", "2"}}, {},
                          {.run_seconds = 60, .build_seconds = 120})
        .measured;
}

}  // namespace

TEST_CASE(
    "each size of a space that does not divide the array is right, and only what computes something else is wrong")
{
    const tk::space::value_product space(
        {{"factor", std::vector<int>{1, 2}}, {"block_size_x", std::vector<int>{7, 16, 64}}}, {});
    auto p = support::scaling(text("if (i < n) y[i] += factor * x[i];"), 1001);
    CHECK(p.language == ms::kernel_language::opencl);
    p.iterations = 2;
    ms::kernel_pool pool(p, space);
    CHECK(pool.measures_time());
    CHECK_FALSE(pool.device().name.empty());
    tk::random::philox gen(1);
    const auto found = tk::tune(space, pool, tk::search::random{}, {.trials = 6}, gen);
    CHECK(found.trials().size() == 6);
    for (const auto& t : found.trials())
        CHECK((t.measured.failed ? ms::to_text(t.measured.failed->kind) : "right") ==
              std::string(space.texts(t.candidate)[0] == "1" ? "wrong_result" : "right"));
}

TEST_CASE("two equal devices of PoCL run a configuration each at a time, and two that differ are refused")
{
    if (ms::find_opencl_device().version.find("PoCL") == std::string::npos) return;
    const tk::space::value_product space(
        {{"factor", std::vector<int>{1, 2}}, {"block_size_x", std::vector<int>{8, 16}}}, {});
    auto p = support::scaling(text("if (i < n) y[i] = factor * x[i];"));
    p.iterations = 2;
    REQUIRE(::setenv("POCL_DEVICES", "basic basic", 1) == 0);
    ms::kernel_pool pool(p, space, {.devices = {0, 1}, .compilers = 2});
    CHECK(pool.workers() == 2);
    tk::random::philox gen(1);
    const auto found = tk::tune(space, pool, tk::search::random{}, {.trials = 4}, gen);
    CHECK(found.trials().size() == 4);
    CHECK(found.failed() == 2);
    REQUIRE(::setenv("POCL_DEVICES", "pthread basic", 1) == 0);
    try {
        static_cast<void>(ms::find_kernel_device(ms::kernel_language::opencl, {.devices = {0, 1}}));
        FAIL("they are taken as equal");
    } catch (const std::invalid_argument& e) {
        CHECK(std::string(e.what()).find(" is pthread-") != std::string::npos);
        CHECK(std::string(e.what()).find(" is basic-") != std::string::npos);
    }
    REQUIRE(::unsetenv("POCL_DEVICES") == 0);
}

TEST_CASE("a fault of a kernel is a failure of that configuration")
{
    const auto kind = [](const ms::measurement& m) { return m.failed ? m.failed->kind : ms::failure_kind::lost; };
    CHECK(kind(ran(support::scaling(text("y[i] = nothing;")))) == ms::failure_kind::build_error);
    CHECK(kind(ran(support::scaling(text("if (i < n - 1) y[i] = factor * x[i];")))) == ms::failure_kind::wrong_result);
    CHECK(kind(ran(support::scaling(text("if (i < n) y[i] = factor * x[i];")), "1000000")) ==
          ms::failure_kind::launch_error);
    CHECK(kind(ran(support::scaling(text("y[((long)i + 1) << 40] = 1;")))) == ms::failure_kind::crash);
}

TEST_CASE("local memory of a launch is the last argument; constant memory is refused, with what to do")
{
    auto p = support::scaling(
        "__kernel void scale(__global float* y, __global const float* x, int n, __local float* part)\n{\n"
        "    const int i = get_global_id(0), own = get_local_id(0);\n    part[own] = i < n ? x[i] : 0;\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n    if (i < n) y[i] = factor * part[own];\n}\n");
    p.shared_bytes = "4 * block_size_x";
    const auto m = ran(p);
    CHECK_MESSAGE(!m.failed, m.failed->message);
    p.constants = {{"weights", {1, 2, 3, 4}}};
    CHECK_THROWS_WITH_AS(static_cast<void>(ran(p)), doctest::Contains("want an argument in __constant memory"),
                         std::invalid_argument);
}

TEST_CASE("PoCL compiles a kernel once, for its work-group, and before it runs")
{
    if (ms::find_opencl_device().version.find("PoCL") == std::string::npos) return;
    const support::temporary_folder kept;
    REQUIRE(::setenv("POCL_CACHE_DIR", (kept / "").c_str(), 1) == 0);
    auto p = support::scaling(text("if (i < n) y[i] = factor * x[i];"));
    const auto compiled = [&] {  // the folders of work-groups for which there is code of this kernel
        std::vector<std::string> out;
        for (const auto& e : std::filesystem::recursive_directory_iterator(kept / ""))
            if (e.path().filename() == "scale.so") out.push_back(e.path().parent_path().filename());
        return out;
    };
    std::vector<std::string> before;
    p.verify = [&](tk::index, const ms::kernel_arrays&) -> std::optional<std::string> {
        before = compiled();
        return std::nullopt;
    };
    const auto m = ran(p);
    CHECK_MESSAGE(!m.failed, m.failed->message);
    CHECK(before.size() == 1);
    CHECK(compiled() == before);
    REQUIRE(before.size() == 1);
    CHECK(before.front().starts_with("32-1-1"));
    CHECK(m.build_seconds > m.run_seconds);  // it was compiled by a compiler, not by its first launch
    REQUIRE(::unsetenv("POCL_CACHE_DIR") == 0);
}
