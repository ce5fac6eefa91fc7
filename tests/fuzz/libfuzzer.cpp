// SPDX-License-Identifier: MIT
// For clang's libFuzzer: the target that TUNEKIT_FUZZ_TARGET names.
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "tests/fuzz/targets.hpp"
#include "tunekit/core/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    for (const auto& t : fuzz::targets())
        if (t.name == TUNEKIT_FUZZ_TARGET) try {
                t.read({reinterpret_cast<const char*>(data), size});
            } catch (const tunekit::error&) {
            } catch (const std::invalid_argument&) {
            }
    return 0;
}
