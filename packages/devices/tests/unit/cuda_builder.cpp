// SPDX-License-Identifier: MIT
#include "tunekit/devices/cuda/builder.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "packages/devices/tests/support/fake_cuda.hpp"
#include "tunekit/devices/cuda/cubin.hpp"
#include "tunekit/processes/detail/system/processes.hpp"

namespace ms = tunekit::measure;
using ms::failure_kind;
using ms::nvrtc_builder;
using ms::source;

namespace {

/// The toolkit's NVRTC, or nothing, with a message.
bool toolkit()
{
    try {
        const ms::detail::nvrtc here;
        return true;
    } catch (const ms::no_device& e) {
        MESSAGE("left out: " << e.what());
        return false;
    }
}

const support::fake_library& fake()
{
    static const support::fake_library one(support::fake_compiler_source);
    return one;
}

nvrtc_builder::outcome build_one(nvrtc_builder& pool, const source& s, double seconds = 60)
{
    pool.submit({s}, "kernel", seconds);
    return pool.wait(pool.cache().key(s, "kernel"));
}

/// Two kernels: 4000 bytes of fixed shared memory and 192 threads, and none of both.
constexpr const char* two_kernels =
    "extern \"C\" __global__ void __launch_bounds__(192) kernel(float* y, const float* x) {"
    "  __shared__ float t[1000]; t[threadIdx.x] = x[threadIdx.x]; __syncthreads(); y[threadIdx.x] = t[191 - "
    "threadIdx.x]; }\n"
    "extern \"C\" __global__ void plain(float* y) { extern __shared__ float t[]; t[threadIdx.x] = y[threadIdx.x];"
    "  __syncthreads(); y[threadIdx.x] = t[7]; }\n";

/// Holds 200 sums at a time, and an array that is indexed at run time.
std::string hungry(const char* bounds)
{
    return std::string("extern \"C\" __global__ void ") + bounds +
           " kernel(float* y, const float* x, int n) { float s[200]; for (int i = 0; i < 200; ++i) s[i] = x[i * 32 + "
           "threadIdx.x];"
           " for (int r = 0; r < n; ++r) {\n#pragma unroll\n for (int i = 0; i < 200; ++i) s[i] = s[i] * s[(i + 7) % "
           "200] + x[r]; }\n"
           "#pragma unroll\n for (int i = 0; i < 200; ++i) y[i * 32 + threadIdx.x] = s[i]; }\n";
}

}  // namespace

TEST_CASE("a missing NVRTC is named, with the remedy, in one line")
{
    try {
        const nvrtc_builder pool({.library = "/nowhere/libnvrtc.so"});
        FAIL("there is one");
    } catch (const ms::no_device& e) {
        const std::string what = e.what();
        CHECK(what.find("tunekit: no NVRTC: /nowhere/libnvrtc.so") == 0);
        CHECK(what.find("install the CUDA toolkit (libnvrtc)") != std::string::npos);
        CHECK(what.find('\n') == std::string::npos);
    }
    const support::fake_library driver(support::fake_driver_source);
    CHECK_THROWS_WITH_AS(nvrtc_builder({.library = driver.path()}),
                         "tunekit: no NVRTC of use: it lacks nvrtcVersion; install a newer one", ms::no_device);
}

TEST_CASE("an architecture that the compiler does not know is refused when the builder is made")
{
    for (const char* const wrong : {"sm_70", "compute_80", "80", "", "sm_"})
        CHECK_THROWS_WITH_AS(
            nvrtc_builder({.architecture = wrong, .library = fake().path()}),
            doctest::String("tunekit: nvrtc_builder: NVRTC 1.2 does not compile for '") + wrong +
                "', want one of sm_80, sm_90" +
                (std::string_view(wrong) == "sm_70" ? "; NVRTC 12 compiles for sm_50 to sm_72, NVRTC 11 for sm_35 too"
                                                    : ""),
            std::invalid_argument);
    CHECK_NOTHROW(nvrtc_builder({.architecture = "sm_90a", .library = fake().path()}));
}

TEST_CASE("a device newer than all that the compiler knows is compiled for as the newest, and has the PTX")
{
    nvrtc_builder pool({.architecture = "sm_120", .library = fake().path()});
    nvrtc_builder newest({.architecture = "sm_90", .library = fake().path()});
    const std::string key = pool.cache().key({"text"}, "kernel");
    CHECK(key == newest.cache().key({"text"}, "kernel"));
    REQUIRE_FALSE(build_one(pool, {"text"}).failed);
    CHECK(pool.cache().image(key) == ms::detail::cuda_image{.cubin = "text", .ptx = "//ptx\ntext"});
}

TEST_CASE("machine code and PTX are read back as they were written; a file without PTX is machine code alone")
{
    for (const char* const cubin : {"", "cubin", "\nptx 0000000000000003\n"})
        for (const char* const ptx : {"", "ptx", "\nptx 0000000000000009\n"}) {
            const ms::detail::cuda_image one{cubin, ptx};
            CHECK(ms::detail::cuda_image::of(one.text()) == one);
        }
    for (const char* const plain : {"", "plain", "x\nptx 0000000000000003\n", "\nptx 3\n", "\nptx -000000000000001\n"})
        CHECK(ms::detail::cuda_image::of(plain) == ms::detail::cuda_image{plain, {}});
}

TEST_CASE("sources are compiled by a program that is started, as by a fork")
{
    const support::temporary_folder place;
    const std::string program = place / "program", seen = place / "seen";
    // What nvrtc_builder::serve does, by a shell: the mark, the library, from, to, options.
    std::ofstream(program) << "#!/bin/sh\n[ \"$1\" = --tunekit-nvrtc ] || exit 9\necho \"$2 $5 $6\" >>'" << seen
                           << "'\ngrep -q bad \"$3\" && echo 'error: bad' && exit 1\ncat \"$3\" >\"$4\"\n";
    REQUIRE(::chmod(program.c_str(), 0700) == 0);
    nvrtc_builder pool({.architecture = "sm_90", .flags = {"-G"}, .library = fake().path(), .program = program});
    REQUIRE_FALSE(build_one(pool, {"it's $text"}).failed);
    CHECK(pool.cache().cubin(pool.cache().key({"it's $text"}, "kernel")) == "it's $text");
    const auto bad = build_one(pool, {"bad"});
    REQUIRE(bad.failed);
    CHECK(bad.failed->message == "error: bad");
    nvrtc_builder gone({.library = fake().path(), .program = place / "gone"});
    try {
        gone.submit({{"text"}}, "kernel", 60);  // may hear of it already: compilers are served here, too
        static_cast<void>(gone.wait(gone.cache().key({"text"}, "kernel")));
        FAIL("there is such a program");
    } catch (const tunekit::error& e) {
        CHECK(std::string(e.what()).find("tunekit: builder: not even an empty source is compiled any more") == 0);
        CHECK(std::string(e.what()).find("gone: not found") != std::string::npos);
    }
    std::ifstream calls(seen);
    std::string line;
    REQUIRE(std::getline(calls, line));
    CHECK(line == fake().path() + " --gpu-architecture=sm_90 -G");
}

TEST_CASE("a program that was started to compile does, and ends; one that was not goes on")
{
    const support::temporary_folder place;
    const std::string from = place / "from", to = place / "to";
    const auto served = [&](const char* text, const std::string& library) {
        std::ofstream(from) << text;
        ms::child_process child([&] {
            std::vector<std::string> words{"self", "--tunekit-nvrtc", library, from, to, "--gpu-architecture=sm_80"};
            std::vector<char*> argv;
            for (std::string& w : words) argv.push_back(w.data());
            ms::nvrtc_builder::serve(static_cast<int>(argv.size()), argv.data());
            return 77;  // it has returned
        });
        while (!child.advance()) ::usleep(1000);
        return std::pair(WEXITSTATUS(child.status()), child.text());
    };
    CHECK(served("text", fake().path()) == std::pair(0, std::string()));
    std::ifstream file(to, std::ios::binary);
    const std::string built{std::istreambuf_iterator<char>(file), {}};
    CHECK(ms::detail::cuda_image::of(built) == ms::detail::cuda_image{.cubin = "text", .ptx = "//ptx\ntext"});
    const auto bad = served("//bad", fake().path());
    CHECK(bad.first == 1);
    CHECK(bad.second.find("error: identifier \"bad\" is undefined") != std::string::npos);
    const auto none = served("text", "/nowhere/libnvrtc.so");
    CHECK(none.first == 126);
    CHECK(none.second.find("error: tunekit: no NVRTC: /nowhere/libnvrtc.so") == 0);
    for (const char* const other : {"--help", "--tunekit-worker"}) {
        std::string words[] = {"self", other, "a", "b", "c"};
        char* argv[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), words[4].data()};
        ms::nvrtc_builder::serve(5, argv);  // returns
        ms::nvrtc_builder::serve(1, argv);
    }
}

TEST_CASE("each source is compiled once, in a process of its own; failures are kept with the compiler's words")
{
    const support::temporary_folder place;
    const int threads = tunekit::system::detail::thread_count();
    nvrtc_builder pool({.directory = place / "cache", .processes = 2, .library = fake().path()});
    CHECK(pool.version() == "1.2");
    const auto good = build_one(pool, {"text"});
    CHECK_FALSE(good.failed);
    CHECK(good.seconds > 0);
    CHECK(pool.cache().cubin(pool.cache().key({"text"}, "kernel")) == "text");
    CHECK(build_one(pool, {"text"}) == nvrtc_builder::outcome{});
    CHECK(pool.started() == 1);
    CHECK(tunekit::system::detail::thread_count() == threads);  // the library starts one where it compiles

    const auto bad = build_one(pool, {"//bad"});
    REQUIRE(bad.failed);
    CHECK(bad.failed->kind == failure_kind::build_error);
    CHECK(bad.failed->message == "generated(2): error: identifier \"bad\" is undefined");
    CHECK(build_one(pool, {"//bad"}).failed);
    CHECK(pool.started() == 2);

    const auto late = build_one(pool, {"//slow"}, 0.1);
    REQUIRE(late.failed);
    CHECK(late.failed->kind == failure_kind::build_timeout);
    CHECK(build_one(pool, {"//slow"}, 0.05).failed);
    CHECK(pool.started() == 3);
    CHECK(build_one(pool, {"//slow"}, 0.2).failed);  // a longer limit is another try
    CHECK(pool.started() == 4);

    const auto crash = build_one(pool, {"//crash"});
    REQUIRE(crash.failed);
    CHECK(crash.failed->kind == failure_kind::build_error);
    CHECK(crash.failed->message == "the compiler said nothing; the compiler was ended by signal 6");
    CHECK_FALSE(build_one(pool, {"another"}).failed);

    nvrtc_builder later({.directory = place / "cache", .library = fake().path()});
    CHECK(build_one(later, {"text"}) == nvrtc_builder::outcome{});
    CHECK(later.started() == 0);
}

TEST_CASE("keys differ in text, flags, architecture and entry point; a compiler cannot be asked for")
{
    const support::temporary_folder place;
    const auto key = [&](const char* architecture, const source& s, const char* entry = "kernel") {
        const nvrtc_builder pool(
            {.architecture = architecture, .directory = place / "cache", .library = fake().path()});
        return pool.cache().key(s, entry);
    };
    const std::string base = key("sm_80", {"a"});
    CHECK(base.size() == 32);
    CHECK(key("sm_80", {"a"}) == base);
    CHECK(key("sm_90", {"a"}) != base);
    CHECK(key("sm_80", {"b"}) != base);
    CHECK(key("sm_80", {"a"}, "other") != base);
    CHECK(key("sm_80", {.text = "a", .flags = {"-G"}}) != base);
    CHECK_THROWS_AS(key("sm_80", {.text = "a", .compiler = "g++"}), std::invalid_argument);
}

TEST_CASE("NVRTC compiles for sm_80 and sm_90, and the cubin tells what a kernel takes, as ptxas does")
{
    if (!toolkit()) return;
    for (const char* const architecture : {"sm_80", "sm_90"}) {
        nvrtc_builder pool({.architecture = architecture, .flags = {"--std=c++17", "--ptxas-options=-v"}});
        const auto resources = [&](const source& s, const char* kernel) {
            const auto built = build_one(pool, s);
            REQUIRE_MESSAGE(!built.failed, built.failed->message);
            const auto found = pool.cache().resources(pool.cache().key(s, "kernel"), kernel);
            REQUIRE(found);
            return *found;
        };
        // "Used 17 registers" and "4000 bytes smem" in the compiler's own report of the kernel.
        const auto reported = [&](const source& s, const char* kernel, const char* before, const char* after) {
            const std::string log = pool.tools().compiler().compile(s.text, pool.cache().options_of(s)).log;
            const std::size_t from = log.find(std::string("entry function '") + kernel + '\'');
            REQUIRE(from != std::string::npos);
            const std::string part = log.substr(from, log.find("entry function", from + 5) - from);
            const std::size_t end = part.find(after);
            if (end == std::string::npos) return 0;
            const std::size_t start = part.find_last_not_of("0123456789", end - 1) + 1;
            CHECK(part.substr(0, start).ends_with(before));
            return std::stoi(part.substr(start, end - start));
        };
        const source both{two_kernels};
        const auto first = resources(both, "kernel");
        CHECK(first.shared_bytes == 4000);
        CHECK(first.max_threads == 192);
        CHECK(first.local_bytes == 0);
        CHECK(first.registers == reported(both, "kernel", "Used ", " registers"));
        const auto second = resources(both, "plain");
        CHECK(second.shared_bytes == 0);
        CHECK(second.max_threads == 0);
        CHECK(second.registers == reported(both, "plain", "Used ", " registers"));

        const source roomy{hungry("__launch_bounds__(32)")};
        const auto wide = resources(roomy, "kernel");
        CHECK(wide.registers > 128);
        CHECK(wide.registers == reported(roomy, "kernel", "Used ", " registers"));
        const source squeezed{hungry("__launch_bounds__(1024)")};
        const auto spilt = resources(squeezed, "kernel");
        CHECK(spilt.registers <= 64);
        CHECK(spilt.max_threads == 1024);
        CHECK(spilt.local_bytes > 0);
        CHECK(spilt.local_bytes == static_cast<std::size_t>(reported(squeezed, "kernel", "", " bytes stack frame")));
        CHECK_FALSE(pool.cache().resources(pool.cache().key(both, "kernel"), "absent"));
    }
}

TEST_CASE("NVRTC's own errors and time-outs are failures")
{
    if (!toolkit()) return;
    nvrtc_builder pool;
    const auto bad = build_one(pool, {"extern \"C\" __global__ void kernel(float* y) { y[0] = nothing; }"});
    REQUIRE(bad.failed);
    CHECK(bad.failed->kind == failure_kind::build_error);
    CHECK(bad.failed->message.find("generated(1): error: identifier \"nothing\" is undefined") == 0);
    CHECK(bad.failed->message.find('\n') == std::string::npos);
    const auto late = build_one(pool, {hungry("")}, 1e-3);
    REQUIRE(late.failed);
    CHECK(late.failed->kind == failure_kind::build_timeout);
    CHECK_FALSE(build_one(pool, {hungry("")}, 60).failed);
}

TEST_CASE("the cubin's reader survives what is no cubin, and every truncation of one")
{
    CHECK(ms::detail::cubin_kernels("").empty());
    CHECK(ms::detail::cubin_kernels(std::string(200, '\x7f')).empty());
    CHECK_FALSE(ms::detail::cubin_resources("/nowhere/file.cubin", "kernel"));
    if (!toolkit()) return;
    nvrtc_builder pool;
    const source both{two_kernels};
    REQUIRE_FALSE(build_one(pool, both).failed);
    const std::string whole = pool.cache().cubin(pool.cache().key(both, "kernel"));
    REQUIRE(ms::detail::cubin_kernels(whole).size() == 2);
    for (std::size_t n = 0; n < whole.size(); n += 13) {
        const std::string part = whole.substr(0, n);  // a block of its own: a sanitizer sees what lies beyond
        CHECK(ms::detail::cubin_kernels(part).size() <= 2);
    }
    std::string damaged = whole;
    for (std::size_t at = 0; at < whole.size(); at += 7) {
        damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
        static_cast<void>(ms::detail::cubin_kernels(damaged));
        damaged[at] = whole[at];
    }
    CHECK(ms::detail::cubin_kernels(damaged).size() == 2);
}
