// SPDX-License-Identifier: MIT
// For clang's libFuzzer: the target that TUNEKIT_FUZZ_TARGET names, with its words. At its end it says how much it read.
#include <algorithm>
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

const fuzz::target& read_here()
{
    const auto readers = fuzz::targets();
    static const auto& found =
        *std::find_if(readers.begin(), readers.end(), [](const auto& t) { return t.name == TUNEKIT_FUZZ_TARGET; });
    return found;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

/// In one of four a word of the reader is put in; else libFuzzer does what it does.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed)
{
    const auto& words = read_here().words;
    const auto word = words[seed / 4 % words.size()];
    if (seed % 4 != 0 || size + word.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
    std::uint8_t* const at = data + seed / 4 / words.size() % (size + 1);
    std::copy_backward(at, data + size, data + size + word.size());
    std::copy(word.begin(), word.end(), at);
    return size + word.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    ++all.inputs;
    all.bytes += size;
    try {
        read_here().read({reinterpret_cast<const char*>(data), size});
    } catch (const tunekit::error&) {
        ++all.refused;
    } catch (const std::invalid_argument&) {
        ++all.refused;
    }
    return 0;
}
