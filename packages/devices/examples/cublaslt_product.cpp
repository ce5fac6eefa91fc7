// SPDX-License-Identifier: MIT

// Tunes one product of matrices over the algorithms that cuBLASLt offers for it, the library's first choice first.
//
//     cublaslt_product [M N K [HEADER]]       C = A B of floats, M x K times K x N; 1024 each if nothing is said
//
// Each algorithm runs in a worker, which may crash, is checked against a product on the host, and is timed by the
// device's events. At the end the fastest and the first choice run side by side: the first choice stays unless another
// is shown to be faster. The header has the winner for this version of the library and this device. The build needs no
// CUDA. Without a device or the library the program says so and ends with status 3.

#include <unistd.h>

#include <array>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tunekit/devices/cuda/session.hpp"
#include "tunekit/devices/measurer.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/until_confident.hpp"
#include "tunekit/processes/build/child_process.hpp"
#include "tunekit/processes/files/text.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/space/product.hpp"
#include "tunekit/tune/last_comparison.hpp"
#include "tunekit/tune/tune.hpp"

namespace tk = tunekit;

namespace {

constexpr std::size_t workspace = std::size_t{32} << 20;  // the most that an algorithm may use
constexpr int most = 64;                                  // algorithms that the library is asked for

/// cublasLtMatmulHeuristicResult_t: the library restores `algorithm` in any process, of its own version.
struct offer {
    std::array<std::uint64_t, 8> algorithm;
    std::size_t workspace;
    int state;
    float waves;
    int reserved[4];
};
static_assert(sizeof(offer) == 96);

/// The functions of cuBLASLt that this needs, as cublasLt.h declares them.
struct cublaslt {
    tk::measure::device_library library{{},
                                        {"libcublasLt.so.13", "libcublasLt.so.12"},
                                        "cuBLASLt",
                                        "install it, and name its folder in LD_LIBRARY_PATH"};
    std::size_t (*version)() = library.find("cublasLtGetVersion");
    int (*create)(void**) = library.find("cublasLtCreate");
    int (*description)(void**, int, int) = library.find("cublasLtMatmulDescCreate");
    int (*layout)(void**, int, std::uint64_t, std::uint64_t, std::int64_t) = library.find("cublasLtMatrixLayoutCreate");
    int (*preference)(void**) = library.find("cublasLtMatmulPreferenceCreate");
    int (*prefer)(void*, int, const void*, std::size_t) = library.find("cublasLtMatmulPreferenceSetAttribute");
    int (*offers)(void*, void*, void*, void*, void*, void*, void*, int, offer*,
                  int*) = library.find("cublasLtMatmulAlgoGetHeuristic");
    int (*run)(void*, void*, const void*, const void*, void*, const void*, void*, const void*, const void*, void*,
               void*, void*, const void*, void*, std::size_t, void*) = library.find("cublasLtMatmul");
};

void check(int status, const char* doing)
{
    if (status != 0)
        throw tk::measure::candidate_error({.kind = tk::measure::failure_kind::launch_error,
                                            .code = status,
                                            .message = doing + (": cublasStatus " + std::to_string(status))});
}

struct sizes {
    std::size_t m = 1024, n = 1024, k = 1024;
};

/// A product in a process that has begun CUDA; what it makes lives as long as the process.
class product {
public:
    product(const cublaslt& with, const sizes& of) : with_(&with)
    {
        constexpr int compute_32f = 68, float_32 = 0, max_workspace_bytes = 1;  // of cublas_api.h, library_types.h
        check(with.create(&handle_), "cublasLtCreate");
        check(with.description(&what_, compute_32f, float_32), "cublasLtMatmulDescCreate");
        const std::pair<std::size_t, std::size_t> shapes[] = {{of.m, of.k}, {of.k, of.n}, {of.m, of.n}};
        for (std::size_t i = 0; i < 3; ++i)  // by columns, as BLAS has them
            check(with.layout(&layouts_[i], float_32, shapes[i].first, shapes[i].second,
                              static_cast<std::int64_t>(shapes[i].first)),
                  "cublasLtMatrixLayoutCreate");
        check(with.preference(&wants_), "cublasLtMatmulPreferenceCreate");
        check(with.prefer(wants_, max_workspace_bytes, &workspace, sizeof workspace), "max_workspace_bytes");
    }
    /// What the library offers, its first choice first.
    [[nodiscard]] std::vector<offer> offers() const
    {
        std::vector<offer> out(most);
        int n = 0;
        check(with_->offers(handle_, what_, layouts_[0], layouts_[1], layouts_[2], layouts_[2], wants_, most,
                            out.data(), &n),
              "cublasLtMatmulAlgoGetHeuristic");
        out.resize(static_cast<std::size_t>(n));
        std::erase_if(out, [](const offer& o) { return o.state != 0; });
        return out;
    }
    void run(const offer& by, const float* a, const float* b, float* c, void* scratch) const
    {
        const float one = 1, zero = 0;
        check(with_->run(handle_, what_, &one, a, layouts_[0], b, layouts_[1], &zero, c, layouts_[2], c, layouts_[2],
                         by.algorithm.data(), scratch, by.workspace, nullptr),
              "cublasLtMatmul");
    }

private:
    const cublaslt* with_;
    void *handle_ = nullptr, *what_ = nullptr, *wants_ = nullptr;
    std::array<void*, 3> layouts_{};
};

/// Asks the library in a child, so that this process stays without CUDA and can fork workers.
std::vector<offer> offers_of(const cublaslt& with, const sizes& of, int device)
{
    tk::measure::child_process child([&] {
        tk::measure::cuda_session gpu(device);
        static_cast<void>(gpu.allocate(1));  // begins CUDA
        for (const offer& o : product(with, of).offers()) {
            for (const std::uint64_t word : o.algorithm) ::dprintf(1, "%" PRIx64 " ", word);
            ::dprintf(1, "%zx\n", o.workspace);
        }
        return 0;
    });
    const bool ended = child.await(60);
    const std::string text = child.text();
    if (!ended || child.status() != 0)
        throw tk::error("cuBLASLt offers nothing: " + (ended ? text.substr(0, text.find('\n')) : "no answer in 60 s"));
    std::vector<offer> out;
    for (const char* at = text.c_str(); *at != '\0'; ++at) {  // each line ends where its last number does
        offer& o = out.emplace_back();
        char* end = nullptr;
        for (std::uint64_t& word : o.algorithm) word = std::strtoull(at, &end, 16), at = end;
        o.workspace = std::strtoull(at, &end, 16), at = end;
    }
    if (out.empty()) throw tk::error("cuBLASLt offers no algorithm for this product");
    return out;
}

/// A header with an algorithm as cublasLtMatmul takes it.
std::string header_of(const offer& o, const std::string& said)
{
    std::string out = "// " + said + "\n#pragma once\n#include <cublasLt.h>\n" +
                      "inline constexpr cublasLtMatmulAlgo_t product_algorithm = {{";
    for (const std::uint64_t word : o.algorithm) out += std::to_string(word) + "ULL, ";
    return out + "}};\ninline constexpr size_t product_workspace = " + std::to_string(o.workspace) + ";\n";
}

void tune(const sizes& of, const char* header)
{
    const auto device = tk::measure::find_cuda_device();
    const cublaslt lt;
    const std::vector<offer> all = offers_of(lt, of, device.index);

    std::vector<float> a(of.m * of.k), b(of.k * of.n), want(of.m * of.n);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2;
    for (std::size_t j = 0; j < of.n; ++j)
        for (std::size_t l = 0; l < of.k; ++l)
            for (std::size_t i = 0; i < of.m; ++i) want[j * of.m + i] += a[l * of.m + i] * b[j * of.k + l];
    tk::measure::cuda_operands data;
    data.output(std::span<const float>(want), {.absolute = 1e-3});  // small integers: exact in any order of sums
    data.input(std::span<const float>(a));
    data.input(std::span<const float>(b));

    std::vector<int> numbers(all.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    const tk::space::product space{tk::space::parameter<"algorithm">(numbers)};
    tk::measure::cuda_session gpu(device.index);
    std::optional<product> made;  // in the worker, which a crash replaces
    void* scratch = nullptr;
    const auto kernel = [&](const auto& config) {
        if (!made) {
            scratch = reinterpret_cast<void*>(static_cast<std::uintptr_t>(gpu.allocate(workspace)));
            made.emplace(lt, of);
        }
        return [&, series = tk::measure::launch_series{},
                o = &all[static_cast<std::size_t>(tk::get<"algorithm">(config))], c = data.device<float>(gpu, 0),
                x = data.device<float>(gpu, 1), y = data.device<float>(gpu, 2)](std::uint64_t) mutable {
            return series(gpu, [&] { made->run(*o, x, y, c, scratch); });
        };
    };
    auto measure =
        tk::measure::isolated(space, tk::measure::timed{kernel, tk::measure::until_confident{}, data.check(gpu)},
                              tk::measure::device_isolation());
    tk::random::philox gen(1);
    auto found = tk::tune(space, measure, tk::search::grid{}, {}, gen, {.baseline = space.at(0)});
    const tk::final_race on(found, found.baseline(), tk::forever, 4, 30);  // seconds, to tell two apart
    auto race = tk::race_of(
        found, on,
        [&]() -> auto& {
            measure.renew();
            return measure;
        },
        {.run_seconds = 10}, tk::measure::wall_clock{});
    found.conclude(tk::concluded(found, std::move(race), found.baseline()));
    for (const auto& t : found.trials())
        if (t.measured.failed)
            std::printf("algorithm %d: %s\n", static_cast<int>(t.candidate), t.measured.failed->message.c_str());
        else std::printf("algorithm %d: %.2f us\n", static_cast<int>(t.candidate), 1e6 * t.measured.cost);
    const std::string said = device.name + ", cuBLASLt " + std::to_string(lt.version()) + ", " + std::to_string(of.m) +
                             " x " + std::to_string(of.k) + " x " + std::to_string(of.n) + ": " + tk::to_text(found);
    std::puts(said.c_str());
    if (!found.found()) throw tk::error("no algorithm works");
    if (header != nullptr) tk::io::write_text(header, header_of(all[found.best_index()], said));
}

}  // namespace

int main(int argc, char** argv)
{
    try {
        sizes of;
        std::size_t* const each[] = {&of.m, &of.n, &of.k};
        if (argc != 1 && argc != 4 && argc != 5) tk::invalid("cublaslt_product, want M N K and a header, or nothing");
        for (int i = 1; i < 4 && argc > 1; ++i)
            if ((*each[i - 1] = std::strtoull(argv[i], nullptr, 10)) == 0 || *each[i - 1] > 65536)
                tk::invalid(std::string("size '") + argv[i] + "', want 1 to 65536");
        tune(of, argc > 4 ? argv[4] : nullptr);
    } catch (const tk::measure::no_device& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 3;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 2;
    }
    return 0;
}
