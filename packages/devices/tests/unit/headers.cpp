// SPDX-License-Identifier: MIT
// What generated code includes is a part of its key.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "packages/devices/tests/support/fake_cuda.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tunekit/devices/cuda/builder.hpp"
#include "tunekit/processes/files/text.hpp"

namespace ms = tunekit::measure;

namespace {

/// The key of a text, in a builder that has read nothing yet.
std::string key(const std::string& text, std::vector<std::string> options)
{
    return ms::detail::code_cache("/nowhere", ".code", "a compiler", std::move(options)).key({text}, "kernel");
}

}  // namespace

TEST_CASE("lines that include, and options that name folders, in all their forms")
{
    CHECK(ms::detail::included_names(
              "#include <a.h>\n  # include \"b/c.h\" // d\n#include MACRO\n#includes <e>\n#include <f\n"
              "x #include <g>\r\n#include <h>") == std::vector<std::string>{"a.h", "b/c.h", "h"});
    CHECK(ms::detail::include_folders({"-O2", "-I/a", "-I", "/b", "-I /c", "--include-path=/d", "-I"}) ==
          std::vector<std::string>{"/a", "/b", "/c", "/d"});
}

TEST_CASE("a changed header changes the key, whoever includes it; others do not")
{
    const support::temporary_folder folder;
    const std::vector<std::string> options{"-I" + folder / ""};
    const auto write = [&](const char* name, const char* text) { tunekit::io::write_text(folder / name, text); };
    write("first.h", "#include \"second.h\"\n");
    write("second.h", "#include <first.h>\n#define two 2\n");
    write("other.h", "#define other 1\n");
    const std::string text = "#include <first.h>\n#include <missing.h>\n", plain = "int x;\n";
    const std::string before = key(text, options), alone = key(plain, options);
    CHECK(key(text, options) == before);
    CHECK(before != key(text, {}));
    write("other.h", "#define other 2\n");
    CHECK(key(text, options) == before);
    write("second.h", "#include <first.h>\n#define two 3\n");
    CHECK(key(text, options) != before);
    CHECK(key(plain, options) == alone);
    const std::string without = key(text, options);
    write("missing.h", "");
    CHECK(key(text, options) != without);
}

TEST_CASE("the toolkit's headers are found beside NVRTC, those of one's own are named, and a missing one is said to be")
{
    const support::fake_library compiler(support::fake_compiler_source);
    const support::temporary_folder folder;
    ms::nvrtc_builder own({.includes = {folder / ""}, .processes = 1, .library = compiler.path()});
    CHECK(own.cache().options_of({}).back() == "--include-path=" + folder / "");
    ms::source missing{"//missing"};
    own.submit({missing}, "kernel", 60);
    const auto built = own.wait(own.cache().key(missing, "kernel"));
    REQUIRE(built.failed);
    CHECK(built.failed->message ==
          "generated(1): catastrophic error: could not open source file \"a.h\"; headers are looked for in the toolkit "
          "beside NVRTC, name others in nvrtc_builder::options::includes");
    try {
        ms::nvrtc_builder pool({.architecture = "sm_90", .processes = 1});
        if (ms::detail::nvrtc().include_folders().empty()) {
            MESSAGE("left out: no headers of CUDA");
            return;
        }
        const ms::source uses{
            "#include <cuda_fp16.h>\n#include <mma.h>\n#include <cuda/std/cstdint>\n"
            "extern \"C\" __global__ void kernel(__half* y, cuda::std::uint32_t n) { y[threadIdx.x] = __float2half(n); "
            "}\n"};
        pool.submit({uses}, "kernel", 120);
        const auto good = pool.wait(pool.cache().key(uses, "kernel"));
        CHECK_MESSAGE(!good.failed, good.failed->message);
    } catch (const ms::no_device& e) {
        MESSAGE("left out: " << e.what());
    }
}
