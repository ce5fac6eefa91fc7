// SPDX-License-Identifier: MIT
// For clang's libFuzzer: the target that TUNEKIT_FUZZ_TARGET names. At its end it says how much it read.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>

#include "tests/fuzz/targets.hpp"
#include "tunekit/core/error.hpp"

namespace {

struct tally {
    unsigned long long inputs = 0, bytes = 0, refused = 0;
    ~tally() { std::fprintf(stderr, "%llu inputs of %llu bytes, %llu of them refused\n", inputs, bytes, refused); }
} all;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    ++all.inputs;
    all.bytes += size;
    for (const auto& t : fuzz::targets())
        if (t.name == TUNEKIT_FUZZ_TARGET) try {
                t.read({reinterpret_cast<const char*>(data), size});
            } catch (const tunekit::error&) {
                ++all.refused;
            } catch (const std::invalid_argument&) {
                ++all.refused;
            }
    return 0;
}
