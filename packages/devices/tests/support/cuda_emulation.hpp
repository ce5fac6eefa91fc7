// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Runs generated CUDA source on the host, one thread at a time, to check its arithmetic.

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tunekit/devices/cuda/session.hpp"
#include "tunekit/processes/build/generated_kernel.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace emulation {

/// The built-in variables that a source reads; the same as in `host_prologue`.
struct block_state {
    struct position {
        unsigned x, y, z;
    };
    position thread, block, block_size, grid_size;
    unsigned char* dynamic;
    void (*barrier)();
    void (*gather)(const void* mine, int bytes, void* all);
    void (*copy)(void* to, const void* from, int bytes, int valid);
    void (*commit)();
    void (*wait)(int left);
    void (*fault)(const char* what);
};

/// In place of a source's own prologue. Warp-level operations gather the operands of all 32 lanes and compute this
/// lane's part of the result, by the definitions in the PTX manual; asynchronous copies happen when they are waited
/// for.
inline constexpr const char* host_prologue = R"(
struct tk_position { unsigned x, y, z; };
struct tk_block {
    tk_position thread, block, block_size, grid_size;
    unsigned char* dynamic;
    void (*barrier)();
    void (*gather)(const void*, int, void*);
    void (*copy)(void*, const void*, int, int);
    void (*commit)();
    void (*wait)(int);
    void (*fault)(const char*);
};
static tk_block* tk_now;
// What the sanitizer of alignment calls at an access that a device would answer with error 716, and that of bounds.
extern "C" __attribute__((visibility("hidden"))) void __ubsan_handle_type_mismatch_v1(void*, void*)
{
    tk_now->fault("a vector access that is not aligned to its size");
}
extern "C" __attribute__((visibility("hidden"))) void __ubsan_handle_out_of_bounds(void*, void*) { __builtin_trap(); }
extern "C" char __start_tk_shared[] __attribute__((weak, visibility("hidden")));
extern "C" char __stop_tk_shared[] __attribute__((weak, visibility("hidden")));
extern "C" void tk_bind(tk_block* b, char** first, char** last)
{
    tk_now = b;
    *first = __start_tk_shared;
    *last = __stop_tk_shared;
}
#define threadIdx (tk_now->thread)
#define blockIdx (tk_now->block)
#define blockDim (tk_now->block_size)
#define gridDim (tk_now->grid_size)
#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static __attribute__((section("tk_shared"), used, aligned(16)))
#define __syncthreads() tk_now->barrier()
#define TK_DYNAMIC_SHARED(name) unsigned char* const name = tk_now->dynamic
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(8) float2 { float x, y; };
typedef unsigned short tk_bf16;
static int tk_lane() { return (int)((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) % 32; }
static float tk_float(unsigned bits) { float f; __builtin_memcpy(&f, &bits, 4); return f; }
template <int bytes> void tk_cp_async(void* to, const void* from, bool valid) { tk_now->copy(to, from, bytes, valid); }
static inline void tk_commit() { tk_now->commit(); }
template <int left> void tk_wait() { tk_now->wait(left); }
static inline void tk_ldmatrix(unsigned (&r)[4], const void* row)
{
    if ((unsigned long)row % 16 != 0) tk_now->fault("ldmatrix: a row that is not aligned to 16 bytes");
    const unsigned* rows[32];
    tk_now->gather(&row, sizeof row, rows);
    for (int i = 0; i < 4; ++i) r[i] = rows[8 * i + tk_lane() / 4][tk_lane() % 4];
}
struct tk_operands { unsigned a[4], b[2]; };
// element(all, row, column, k): the product of A[row][k] and B[k][column].
template <int depth, class Element>
void tk_product(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2], Element element)
{
    tk_operands mine, all[32];
    __builtin_memcpy(mine.a, a, sizeof a);
    __builtin_memcpy(mine.b, b, sizeof b);
    tk_now->gather(&mine, sizeof mine, all);
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < depth; ++k)
            c[i] += element(all, tk_lane() / 4 + i / 2 * 8, tk_lane() % 4 * 2 + i % 2, k);
}
// cvt.rna.tf32.f32: to the nearest of 10 bits of fraction, ties away from zero.
static inline unsigned tk_tf32(unsigned x)
{
    const bool finite = (x & 0x7F800000u) != 0x7F800000u;
    return (finite ? x + 0x1000u : x) & 0xFFFFE000u;
}
static inline void tk_mma_tf32(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    tk_product<8>(c, a, b, [](const tk_operands* all, int row, int column, int k) {
        const unsigned x = all[row % 8 * 4 + k % 4].a[row / 8 + k / 4 * 2], y = all[column * 4 + k % 4].b[k / 4];
        if (((x | y) & 0x1FFFu) != 0) tk_now->fault("mma: an operand that was not rounded to TF32");
        return tk_float(x) * tk_float(y);
    });
}
static inline void tk_mma_bf16(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    tk_product<16>(c, a, b, [](const tk_operands* all, int row, int column, int k) {
        const unsigned x = all[row % 8 * 4 + k % 8 / 2].a[row / 8 + k / 8 * 2];
        const unsigned y = all[column * 4 + k % 8 / 2].b[k / 8];
        return tk_float(k % 2 ? x & 0xFFFF0000u : x << 16) * tk_float(k % 2 ? y & 0xFFFF0000u : y << 16);
    });
}
)";

/// The threads of a block as fibres. One warp after another runs until a barrier, its lanes one after another until
/// they need each other; the order is drawn anew each time. Shared memory is NaN when a block starts. An operation that a
/// device would refuse, or leaves open, is a std::logic_error.
class machine {
public:
    explicit machine(std::uint64_t seed) : gen_(seed)
    {
        state_.barrier = [] { self().yield(status::at_barrier); };
        state_.gather = [](const void* mine, int bytes, void* all) { self().gather(mine, bytes, all); };
        state_.fault = [](const char* what) {
            self().fault_ = what;
            self().yield(status::done);  // and never comes back: the processor may trap at what follows
        };
        state_.copy = [](void* to, const void* from, int bytes, int valid) {
            const auto size = static_cast<std::uintptr_t>(bytes);
            if (reinterpret_cast<std::uintptr_t>(to) % size != 0 || reinterpret_cast<std::uintptr_t>(from) % size != 0)
                self().state_.fault("an asynchronous copy that is not aligned to its size");
            self().now().pending.back().push_back({to, from, static_cast<std::size_t>(bytes), valid != 0});
        };
        state_.commit = [] { self().now().pending.emplace_back(); };
        state_.wait = [](int left) { self().arrive(static_cast<std::size_t>(left)); };
    }
    machine(const machine&) = delete;
    machine& operator=(const machine&) = delete;
    ~machine()
    {
        if (stacks_ != nullptr) ::munmap(stacks_, most_threads * stack_bytes);
    }

    [[nodiscard]] block_state& state() { return state_; }

    /// Runs `body` for every thread of every block.
    void run(const tunekit::measure::device_source::launch& l, std::pair<char*, char*> shared,
             const std::function<void()>& body)
    {
        const auto position = [](const auto& p) {
            return block_state::position{static_cast<unsigned>(p[0]), static_cast<unsigned>(p[1]),
                                         static_cast<unsigned>(p[2])};
        };
        if (l.threads() < 1 || l.threads() > most_threads) throw std::logic_error("emulation: threads per block");
        state_.grid_size = position(l.grid);
        state_.block_size = position(l.block);
        std::vector<unsigned char> dynamic(static_cast<std::size_t>(l.shared_bytes) + 4096, 0xFF);
        void* at = dynamic.data();
        std::size_t room = dynamic.size();
        state_.dynamic = static_cast<unsigned char*>(std::align(128, 1, at, room));
        const auto& g = state_.grid_size;
        for (unsigned z = 0; z < g.z; ++z)
            for (unsigned y = 0; y < g.y; ++y)
                for (unsigned x = 0; x < g.x; ++x) {
                    state_.block = {x, y, z};
                    std::fill(dynamic.begin(), dynamic.end(), static_cast<unsigned char>(0xFF));
                    std::fill(shared.first, shared.second, static_cast<char>(-1));
                    block(body);
                }
    }

private:
    enum class status { ready, at_barrier, at_warp, done };
    struct copying {
        void* to;
        const void* from;
        std::size_t bytes;
        bool valid;
    };
    struct fibre {
        ucontext_t context{};
        status where = status::ready;
        block_state::position thread{};
        std::vector<std::vector<copying>> pending{1};  // by group; the last is not committed
    };

    static constexpr std::size_t stack_bytes = 128 * 1024;
    static constexpr std::int64_t most_threads = 1024;

    static machine*& current()
    {
        static machine* one = nullptr;
        return one;
    }
    static machine& self() { return *current(); }
    fibre& now() { return fibres_[now_]; }

    void yield(status s)
    {
        now().where = s;
        ::swapcontext(&now().context, &scheduler_);
    }

    void gather(const void* mine, int bytes, void* all)
    {
        const auto size = static_cast<std::size_t>(bytes);
        auto& slots = warps_[now_ / 32];
        slots.resize(32 * size);
        std::memcpy(slots.data() + now_ % 32 * size, mine, size);
        yield(status::at_warp);
        std::memcpy(all, slots.data(), 32 * size);
        yield(status::at_warp);
    }

    /// Makes all copies but those of the last `left` committed groups.
    void arrive(std::size_t left)
    {
        auto& groups = now().pending;
        while (groups.size() > left + 1) {
            for (const copying& c : groups.front()) {
                if (c.valid) std::memcpy(c.to, c.from, c.bytes);
                else std::memset(c.to, 0, c.bytes);
            }
            groups.erase(groups.begin());
        }
    }

    static void enter()
    {
        (*self().body_)();
        self().yield(status::done);
    }

    void block(const std::function<void()>& body)
    {
        body_ = &body;
        current() = this;
        const auto& size = state_.block_size;
        const std::size_t n = std::size_t{size.x} * size.y * size.z;
        if (stacks_ == nullptr) {
            stacks_ = ::mmap(nullptr, most_threads * stack_bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (stacks_ == MAP_FAILED) throw std::bad_alloc();
        }
        fibres_.assign(n, {});
        warps_.assign((n + 31) / 32, {});
        for (std::size_t i = 0; i < n; ++i) {
            fibre& f = fibres_[i];
            const auto t = static_cast<unsigned>(i);
            f.thread = {t % size.x, t / size.x % size.y, t / size.x / size.y};
            ::getcontext(&f.context);
            f.context.uc_stack.ss_sp = static_cast<char*>(stacks_) + i * stack_bytes;
            f.context.uc_stack.ss_size = stack_bytes;
            f.context.uc_link = nullptr;
            ::makecontext(&f.context, &machine::enter, 0);
        }
        std::vector<std::size_t> warps(warps_.size());
        std::iota(warps.begin(), warps.end(), std::size_t{0});
        do {
            shuffle(warps);
            for (const std::size_t w : warps) run_warp(w);
        } while (release());
    }

    void shuffle(std::vector<std::size_t>& v)
    {
        for (std::size_t i = v.size(); i > 1; --i) std::swap(v[i - 1], v[tunekit::random::uniform_index(i, gen_)]);
    }

    /// Runs a warp until all its lanes are at a barrier of the block or done.
    void run_warp(std::size_t w)
    {
        std::vector<std::size_t> lanes((std::min)(fibres_.size() - 32 * w, std::size_t{32}));
        std::iota(lanes.begin(), lanes.end(), 32 * w);
        for (;;) {
            shuffle(lanes);
            for (const std::size_t i : lanes) {
                if (fibres_[i].where != status::ready) continue;
                now_ = i;
                state_.thread = fibres_[i].thread;
                ::swapcontext(&scheduler_, &fibres_[i].context);
                if (!fault_.empty()) throw std::logic_error("emulation: " + std::exchange(fault_, {}));
            }
            std::size_t at_warp = 0;
            for (const std::size_t i : lanes) at_warp += fibres_[i].where == status::at_warp;
            if (at_warp == 0) return;
            if (at_warp != lanes.size()) throw std::logic_error("emulation: a warp waits for lanes at a barrier");
            for (const std::size_t i : lanes) fibres_[i].where = status::ready;
        }
    }

    /// Lets the threads at the block's barrier continue. False where all threads are done.
    bool release()
    {
        bool any = false;
        for (fibre& f : fibres_) {
            if (f.where != status::at_barrier) continue;
            f.where = status::ready;
            any = true;
        }
        return any;
    }

    tunekit::random::philox gen_;
    block_state state_{};
    std::vector<fibre> fibres_;
    std::vector<std::vector<unsigned char>> warps_;
    std::size_t now_ = 0;
    ucontext_t scheduler_{};
    const std::function<void()>* body_ = nullptr;
    void* stacks_ = nullptr;
    std::string fault_;  ///< of the thread that ran last
};

/// A source, compiled for the host. An index outside an array of known size ends the program.
class program {
public:
    explicit program(tunekit::measure::device_source s) : source_(std::move(s))
    {
        const std::string from = folder_ / "kernel.cpp", to = folder_ / "kernel.so";
        std::ofstream(from) << host_prologue << source_.text;
        const std::string command =
            "c++ -std=c++17 -O1 -w -fPIC -shared -ffp-contract=off -fsanitize=bounds,alignment -o " + to + " " + from;
        if (std::system(command.c_str()) != 0)
            throw std::runtime_error("emulation: the source does not compile:\n" + source_.text);
        code_.emplace_back(to);
    }

    /// Prepares and launches: `pointers` are the operands, the result and the scratch memory where there is any.
    void run(const std::vector<void*>& pointers, std::uint64_t seed = 1)
    {
        machine m(seed);
        char *first = nullptr, *last = nullptr;
        code_.front().function<void(block_state*, char**, char**)>("tk_bind")(&m.state(), &first, &last);
        for (const auto* part : {&source_.prepare, &source_.launches})
            for (const auto& l : *part) {
                if (pointers.size() == 3) {
                    auto* const f = code_.front().function<void(void*, void*, void*)>(l.entry);
                    m.run(l, {first, last}, [&] { f(pointers[0], pointers[1], pointers[2]); });
                } else {
                    auto* const f = code_.front().function<void(void*, void*, void*, void*)>(l.entry);
                    m.run(l, {first, last}, [&] { f(pointers[0], pointers[1], pointers[2], pointers[3]); });
                }
            }
    }

private:
    tunekit::measure::device_source source_;
    support::temporary_folder folder_;
    std::vector<tunekit::measure::loaded_code> code_;
};

}  // namespace emulation
