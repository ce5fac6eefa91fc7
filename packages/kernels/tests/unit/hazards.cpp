// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <vector>

#include "support.hpp"
#include "tunekit/kernels/conv2d/blocked.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/random/philox.hpp"

namespace tk = tunekit;
using namespace tk::kernels;

namespace {

constexpr conv2d_shape shape{
    .ci = 4, .height = 7, .width = 7, .co = 8, .kernel_h = 3, .kernel_w = 3, .padding_h = 1, .padding_w = 1};

/// The signal that ends a child which runs the configuration between pages without access, with a second of processor time; 0 where
/// it ends by itself.
int signal_of(const conv2d_config& config)
{
    tk::random::philox gen(29);
    const auto x = uniform_floats(shape.inputs(), gen), w = uniform_floats(shape.weights(), gen);
    const pid_t child = fork();
    if (child == 0) {
        for (const int s : {SIGSEGV, SIGBUS, SIGXCPU, SIGABRT}) std::signal(s, SIG_DFL);
        const rlimit none{0, 0}, second{1, 2};
        setrlimit(RLIMIT_CORE, &none);
        setrlimit(RLIMIT_CPU, &second);
        conv2d_kernel kernel(shape, config, test_table(), w);
        guarded in(kernel.input_size()), out(kernel.output_size());
        kernel.pack_input(x, in.span());
        kernel.run(in.data(), out.data());
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

constexpr conv2d_config sound{
    .mr = 5, .nv = 1, .vl = 4, .ku = 1, .ic_block = 4, .ic_chunk = 1, .pad = padding_mode::copy};

conv2d_config with_edge(edge_mode edge)
{
    auto c = sound;
    c.edge = edge;
    return c;
}

}  // namespace

TEST_CASE(
    "an overrunning edge writes past the end of the output where the row is no multiple of the tile, and only there")
{
    CHECK(signal_of(sound) == 0);
    CHECK(signal_of(with_edge(edge_mode::overlap)) == 0);
    CHECK(signal_of(with_edge(edge_mode::overrun)) != 0);  // 7 = 5 + 2: SIGSEGV, or a sanitizer's exit
    auto fits = with_edge(edge_mode::overrun);
    fits.mr = 1;
    CHECK(signal_of(fits) == 0);
}

TEST_CASE(
    "an overrunning edge without a guard behind it computes the right values inside the output: the store is the only "
    "fault")
{
    tk::random::philox gen(31);
    const auto x = uniform_floats(shape.inputs(), gen), w = uniform_floats(shape.weights(), gen);
    auto config = with_edge(edge_mode::overrun);
    config.pad = padding_mode::clip;
    conv2d_kernel kernel(shape, config, test_table(), w);
    std::vector<float> in(kernel.input_size() + 64), out(kernel.output_size() + 64, 5.0F),
        y(static_cast<std::size_t>(shape.outputs()));
    kernel.pack_input(x, {in.data(), kernel.input_size()});
    kernel.run(in.data(), out.data());
    kernel.unpack_output({out.data(), kernel.output_size()}, y);
    CHECK(relative_error(y, reference_conv2d(shape, x, w)) < 1e-5);
    int damaged = 0;
    for (std::size_t i = kernel.output_size(); i < out.size(); ++i) damaged += out[i] != 5.0F;
    CHECK(damaged == 3 * 4);  // three pixels of one channel block
}

TEST_CASE("with ku = 0 the loop never advances and the run ends by its limit")
{
    auto c = sound;
    c.ku = 0;
    CHECK(signal_of(c) == SIGXCPU);
}
