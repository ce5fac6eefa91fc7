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
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tunekit/devices/cuda/session.hpp"
#include "tunekit/devices/detail/half.hpp"
#include "tunekit/devices/detail/tensor_map.hpp"
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
    unsigned rank;  ///< in its cluster
    void (*meet)();
    unsigned (*address)(const void* shared);
    void (*barrier_init)(unsigned at, int arrivals);
    void (*barrier_expect)(unsigned at, int bytes);
    void (*barrier_arrive)(unsigned at, unsigned rank);
    void (*barrier_wait)(unsigned at, unsigned parity);
    void (*copy_box)(unsigned to, const void* map, unsigned barrier, const int* from, int mask);
    void (*product)(float* sums, int columns, unsigned long long a, unsigned long long b, int type);
    void (*product_commit)();
    void (*product_wait)(int left);
};

/// A tensor map as the host has it: of three directions.
struct map_image {
    const unsigned char* at;
    std::int64_t sizes[3], strides[3];  // in bytes, the first that of an element
    int box[3], swizzle, tf32;
    unsigned char rest[48];
};
static_assert(sizeof(map_image) == 128);

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
    unsigned rank;
    void (*meet)();
    unsigned (*address)(const void*);
    void (*barrier_init)(unsigned, int);
    void (*barrier_expect)(unsigned, int);
    void (*barrier_arrive)(unsigned, unsigned);
    void (*barrier_wait)(unsigned, unsigned);
    void (*copy_box)(unsigned, const void*, unsigned, const int*, int);
    void (*product)(float*, int, unsigned long long, unsigned long long, int);
    void (*product_commit)();
    void (*product_wait)(int);
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
#define __cluster_dims__(...)
#define __grid_constant__
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
// To the nearest, ties to even, of a finite number.
static inline unsigned short tk_nearest_bf16(float x)
{
    unsigned bits;
    __builtin_memcpy(&bits, &x, 4);
    return (unsigned short)((bits + 0x7FFFu + (bits >> 16 & 1)) >> 16);
}
static inline float tk_half(unsigned short h)
{
    const unsigned fraction = h & 0x3FFu, exponent = h >> 10 & 31;
    const float size = exponent == 0 ? fraction / 16777216.0f : tk_float((exponent + 112) << 23 | fraction << 13);
    return h & 0x8000 ? -size : size;
}
static inline unsigned short tk_nearest_fp16(float x)  // by search: halves of one sign are in order
{
    const float size = x < 0 ? -x : x;
    unsigned low = 0, high = 0x7BFF;
    while (high - low > 1) (tk_half((low + high) / 2) <= size ? low : high) = (low + high) / 2;
    const float down = size - tk_half(low), up = tk_half(high) - size;
    const unsigned nearest = down < up || (down == up && low % 2 == 0) ? low : high;
    return (unsigned short)(nearest | (x < 0 ? 0x8000 : 0));
}
static inline void tk_mma_fp16(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    tk_product<16>(c, a, b, [](const tk_operands* all, int row, int column, int k) {
        const unsigned x = all[row % 8 * 4 + k % 8 / 2].a[row / 8 + k / 8 * 2];
        const unsigned y = all[column * 4 + k % 8 / 2].b[k / 8];
        return tk_half(k % 2 ? x >> 16 : x) * tk_half(k % 2 ? y >> 16 : y);
    });
}
struct tk_tensor_map { unsigned long long opaque[16]; };
static unsigned tk_shared(const void* p) { return tk_now->address(p); }
static int tk_uniform(int x) { return x; }
static unsigned tk_rank() { return tk_now->rank; }
static void tk_meet_cluster() { tk_now->meet(); }
static void tk_barrier_init(unsigned at, int n) { tk_now->barrier_init(at, n); }
static void tk_barriers_ready() {}
static void tk_barrier_expect(unsigned at, int n) { tk_now->barrier_expect(at, n); }
static void tk_barrier_arrive(unsigned at, unsigned rank) { tk_now->barrier_arrive(at, rank); }
static void tk_barrier_wait(unsigned at, unsigned parity) { tk_now->barrier_wait(at, parity); }
static void tk_copy(unsigned to, const void* map, unsigned barrier, int x, int y, int z, int mask = 0)
{
    const int from[3] = {x, y, z};
    tk_now->copy_box(to, map, barrier, from, mask ? mask : 1 << tk_now->rank);
}
template <int n> void tk_registers_dec() { static_assert(n >= 24 && n <= 256 && n % 8 == 0, ""); }
template <int n> void tk_registers_inc() { static_assert(n >= 24 && n <= 256 && n % 8 == 0, ""); }
static void tk_wgmma_fence() {}
static void tk_wgmma_commit() { tk_now->product_commit(); }
template <int left> void tk_wgmma_wait() { tk_now->product_wait(left); }
template <int n> void tk_wgmma_tf32(float (&c)[n], unsigned long long a, unsigned long long b) { tk_now->product(c, 2 * n, a, b, 0); }
template <int n> void tk_wgmma_bf16(float (&c)[n], unsigned long long a, unsigned long long b) { tk_now->product(c, 2 * n, a, b, 1); }
template <int n> void tk_wgmma_f16(float (&c)[n], unsigned long long a, unsigned long long b) { tk_now->product(c, 2 * n, a, b, 2); }
static void tk_store(float* to, float x, float y) { *(float2*)to = {x, y}; }
static void tk_store_one(float* to, float x) { *to = x; }
static void tk_store_one_bf16(unsigned short* to, float x) { *to = tk_nearest_bf16(x); }
static void tk_store_one_f16(unsigned short* to, float x) { *to = tk_nearest_fp16(x); }
static void tk_store_bf16(unsigned short* to, float x, float y) { *(unsigned*)to = tk_nearest_bf16(x) | tk_nearest_bf16(y) << 16; }
static void tk_store_f16(unsigned short* to, float x, float y) { *(unsigned*)to = tk_nearest_fp16(x) | tk_nearest_fp16(y) << 16; }
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
        state_.meet = [] { self().yield(status::at_cluster); };
        state_.address = [](const void* p) {
            return origin + static_cast<unsigned>(static_cast<const unsigned char*>(p) - self().state_.dynamic);
        };
        state_.barrier_init = [](unsigned at, int n) {
            self().own().barriers[at] = {.arrivals = n, .missing = n, .bytes = 0, .phase = 0};
        };
        state_.barrier_expect = [](unsigned at, int bytes) { self().count(self().own(), at, 1, bytes); };
        state_.barrier_arrive = [](unsigned at, unsigned rank) { self().count(self().blocks_[rank], at, 1, 0); };
        state_.barrier_wait = [](unsigned at, unsigned parity) {
            while (self().barrier(self().own(), at).phase % 2 == parity) self().yield(status::polling);
            ++self().progress_;
        };
        state_.copy_box = [](unsigned to, const void* map, unsigned barrier, const int* from, int mask) {
            for (unsigned r = 0; r < self().blocks_.size(); ++r)
                if (mask >> r & 1)
                    self().boxes_.push_back(
                        {r, to, barrier, *static_cast<const map_image*>(map), {from[0], from[1], from[2]}});
        };
        state_.product = [](float* c, int n, unsigned long long a, unsigned long long b, int type) {
            self().now().products.back().push_back({c, n, a, b, type});
        };
        state_.product_commit = [] { self().now().products.emplace_back(); };
        state_.product_wait = [](int left) {
            self().multiply(static_cast<std::size_t>(left));
            int none = 0, all[32];
            self().gather(&none, sizeof none, all);  // the warp waits as one
        };
    }
    machine(const machine&) = delete;
    machine& operator=(const machine&) = delete;
    ~machine()
    {
        if (stacks_ != nullptr) ::munmap(stacks_, most_threads * stack_bytes);
    }

    [[nodiscard]] block_state& state() { return state_; }

    /// Runs `body` for every thread of every block, `cluster` neighbours at a time.
    void run(const tunekit::measure::device_source::launch& l, std::pair<char*, char*> shared,
             const std::function<void()>& body, unsigned cluster = 1)
    {
        if (l.grid[0] % cluster != 0) throw std::logic_error("emulation: a grid of broken clusters");
        const auto position = [](const auto& p) {
            return block_state::position{static_cast<unsigned>(p[0]), static_cast<unsigned>(p[1]),
                                         static_cast<unsigned>(p[2])};
        };
        if (l.threads() < 1 || l.threads() > most_threads) throw std::logic_error("emulation: threads per block");
        state_.grid_size = position(l.grid);
        state_.block_size = position(l.block);
        shared_bytes_ = static_cast<std::size_t>(l.shared_bytes);
        std::vector<std::vector<unsigned char>> dynamic(cluster, std::vector<unsigned char>(shared_bytes_ + 4096));
        const auto& g = state_.grid_size;
        for (unsigned z = 0; z < g.z; ++z)
            for (unsigned y = 0; y < g.y; ++y)
                for (unsigned x = 0; x < g.x; x += cluster) {
                    blocks_.assign(cluster, {});
                    for (unsigned r = 0; r < cluster; ++r) {
                        std::fill(dynamic[r].begin(), dynamic[r].end(), static_cast<unsigned char>(0xFF));
                        void* at = dynamic[r].data();
                        std::size_t room = dynamic[r].size();
                        blocks_[r].dynamic = static_cast<unsigned char*>(std::align(1024, 1, at, room));
                        blocks_[r].place = {x + r, y, z};
                    }
                    std::fill(shared.first, shared.second, static_cast<char>(-1));
                    block(body);
                }
    }

private:
    enum class status { ready, polling, at_barrier, at_cluster, at_warp, done };
    static constexpr unsigned origin = 1024;  // where a block's dynamic shared memory begins
    struct transaction_barrier {
        int arrivals, missing, bytes;
        unsigned phase;
    };
    struct running_block {
        block_state::position place{};
        unsigned char* dynamic = nullptr;
        std::map<unsigned, transaction_barrier> barriers{};
    };
    struct box {
        unsigned rank, to, barrier;
        map_image map;
        int from[3];
    };
    struct product_of_step {
        float* sums;
        int columns;
        std::uint64_t a, b;
        int type;
    };
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
        std::vector<std::vector<product_of_step>> products{1};
        std::size_t block = 0;
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
        const std::size_t one = std::size_t{size.x} * size.y * size.z, n = one * blocks_.size();
        if (n > most_threads || (blocks_.size() > 1 && one % 32 != 0))
            throw std::logic_error("emulation: threads per cluster");
        if (stacks_ == nullptr) {
            stacks_ = ::mmap(nullptr, most_threads * stack_bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (stacks_ == MAP_FAILED) throw std::bad_alloc();
        }
        fibres_.assign(n, {});
        warps_.assign((n + 31) / 32, {});
        for (std::size_t i = 0; i < n; ++i) {
            fibre& f = fibres_[i];
            const auto t = static_cast<unsigned>(i % one);
            f.block = i / one;
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
            for (std::size_t k = 0; k < boxes_.size();) {  // copies arrive late and in any order
                if (tunekit::random::uniform_index(2, gen_) == 0) {
                    ++k;
                    continue;
                }
                arrive(boxes_[k]);
                boxes_.erase(boxes_.begin() + static_cast<std::ptrdiff_t>(k));
            }
        } while (release());
        if (!boxes_.empty()) throw std::logic_error("emulation: a block ends before its copies");
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
                state_.rank = static_cast<unsigned>(fibres_[i].block);
                state_.block = own().place;
                state_.dynamic = own().dynamic;
                in_thread_ = true;
                ::swapcontext(&scheduler_, &fibres_[i].context);
                in_thread_ = false;
                if (!fault_.empty()) throw std::logic_error("emulation: " + std::exchange(fault_, {}));
            }
            std::size_t at_warp = 0;
            for (const std::size_t i : lanes) at_warp += fibres_[i].where == status::at_warp;
            if (at_warp == 0) return;
            if (at_warp != lanes.size()) throw std::logic_error("emulation: a warp waits for lanes at a barrier");
            for (const std::size_t i : lanes) fibres_[i].where = status::ready;
        }
    }

    /// Lets those continue who may: threads of a block or cluster that are all at its barrier, and who polls. False
    /// where all threads are done.
    bool release()
    {
        const auto all = [&](status where, std::size_t block, bool any_block) {
            return std::all_of(fibres_.begin(), fibres_.end(), [&](const fibre& f) {
                return (!any_block && f.block != block) || f.where == where || f.where == status::done;
            });
        };
        bool any = false;
        const auto free = [&](status where, std::size_t block, bool any_block) {
            for (fibre& f : fibres_)
                if (f.where == where && (any_block || f.block == block)) {
                    f.where = status::ready;
                    any = true;
                }
        };
        for (std::size_t b = 0; b < blocks_.size(); ++b)
            if (all(status::at_barrier, b, false)) free(status::at_barrier, b, false);
        if (all(status::at_cluster, 0, true)) free(status::at_cluster, 0, true);
        if (!any && boxes_.empty() && progress_ == seen_ &&
            std::any_of(fibres_.begin(), fibres_.end(), [](const fibre& f) { return f.where != status::done; }))
            throw std::logic_error("emulation: threads wait for each other");
        seen_ = progress_;
        free(status::polling, 0, true);
        return any || !boxes_.empty();
    }

    running_block& own() { return blocks_[now().block]; }

    /// Ends a thread, or what a copy does, with what a device would refuse.
    void refuse(const char* what)
    {
        if (in_thread_) state_.fault(what);
        throw std::logic_error(std::string("emulation: ") + what);
    }

    transaction_barrier& barrier(running_block& of, unsigned at)
    {
        const auto found = of.barriers.find(at);
        if (found == of.barriers.end()) refuse("an address that is no barrier");
        return found->second;
    }

    /// Arrivals at a barrier, and bytes that it waits for or that have come.
    void count(running_block& of, unsigned at, int arrivals, int bytes)
    {
        transaction_barrier& b = barrier(of, at);
        b.missing -= arrivals;
        b.bytes += bytes;
        ++progress_;
        if (b.missing < 0) refuse("too many arrivals at a barrier");
        if (b.missing != 0 || b.bytes != 0) return;
        ++b.phase;
        b.missing = b.arrivals;
    }

    /// 16-byte parts are exchanged by three bits of their address, two or one.
    static unsigned swizzled(unsigned at, unsigned width) { return at ^ ((at >> 7 & (width / 16 - 1)) << 4); }

    void arrive(const box& b)
    {
        const map_image& m = b.map;
        running_block& to = blocks_[b.rank];
        const auto element = static_cast<std::size_t>(m.strides[0]);
        const unsigned width = static_cast<unsigned>(m.box[0]) * static_cast<unsigned>(element);
        if (b.to % 1024 != 0) refuse("a box that begins inside of a pattern");
        unsigned offset = b.to;
        for (int z = 0; z < m.box[2]; ++z)
            for (int y = 0; y < m.box[1]; ++y)
                for (int x = 0; x < m.box[0]; ++x, offset += static_cast<unsigned>(element)) {
                    const std::int64_t at[3] = {b.from[0] + x, b.from[1] + y, b.from[2] + z};
                    bool inside = true;
                    const unsigned char* from = m.at;
                    for (int d = 0; d < 3; ++d) {
                        inside = inside && at[d] >= 0 && at[d] < m.sizes[d];
                        from += at[d] * m.strides[d];
                    }
                    std::uint32_t value = 0;
                    if (inside) std::memcpy(&value, from, element);
                    if (m.tf32 != 0) value = (value + 0x1000U) & 0xFFFFE000U;
                    const std::size_t place = swizzled(offset, static_cast<unsigned>(m.swizzle)) - origin;
                    if (place + element > shared_bytes_) refuse("a box beyond shared memory");
                    std::memcpy(to.dynamic + place, &value, element);
                }
        count(to, b.barrier, 0, -static_cast<int>(width) * m.box[1] * m.box[2]);
    }

    /// An element of a matrix that a descriptor tells, rows along k.
    /// Source: the PTX ISA, matrix descriptor format and canonical layouts of wgmma.
    float element(std::uint64_t matrix, int row, int k, int type)
    {
        const auto field = [&](int first) { return static_cast<unsigned>(matrix >> first & 0x3FFF) << 4; };
        const unsigned mode = static_cast<unsigned>(matrix >> 62), width = mode == 1 ? 128 : mode == 2 ? 64 : 32;
        if (mode == 0 || (matrix >> 49 & 7) != 0) refuse("a layout that is not known");
        const unsigned bytes = type == 0 ? 4 : 2, r = static_cast<unsigned>(row);
        const unsigned at = field(0) + r / 8 * field(32) + r % 8 * width + static_cast<unsigned>(k) * bytes;
        const std::size_t place = swizzled(at, width) - origin;
        if (place + bytes > shared_bytes_) refuse("a matrix beyond shared memory");
        std::uint32_t bits = 0;
        std::memcpy(&bits, own().dynamic + place, bytes);
        float out = 0;
        if (type == 2) return tunekit::measure::detail::float_of(static_cast<std::uint16_t>(bits));
        if (type == 1) bits <<= 16;
        if (type == 0 && (bits & 0x1FFFU) != 0) refuse("wgmma: an operand not rounded");
        std::memcpy(&out, &bits, 4);
        return out;
    }

    /// This thread's part of all products but those of the last `left` groups.
    void multiply(std::size_t left)
    {
        auto& groups = now().products;
        const int lane = static_cast<int>(now_ % 32), warp = static_cast<int>(now_ / 32 % 4);
        while (groups.size() > left + 1) {
            for (const product_of_step& p : groups.front())
                for (int i = 0; i < p.columns / 2; ++i)
                    for (int k = 0; k < (p.type == 0 ? 8 : 16); ++k)
                        p.sums[i] += element(p.a, warp * 16 + lane / 4 + i / 2 % 2 * 8, k, p.type) *
                                     element(p.b, i / 4 * 8 + lane % 4 * 2 + i % 2, k, p.type);
            groups.erase(groups.begin());
        }
    }

    tunekit::random::philox gen_;
    block_state state_{};
    std::vector<fibre> fibres_;
    std::vector<std::vector<unsigned char>> warps_;
    std::size_t now_ = 0;
    ucontext_t scheduler_{};
    const std::function<void()>* body_ = nullptr;
    void* stacks_ = nullptr;
    std::vector<running_block> blocks_;  ///< of the cluster that runs
    std::vector<box> boxes_;             ///< copies that have not arrived
    std::size_t shared_bytes_ = 0;
    std::uint64_t progress_ = 0, seen_ = 0;
    bool in_thread_ = false;
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
                if (source_.maps.size() == 2) {
                    const map_image a = image(source_.maps[0], pointers), b = image(source_.maps[1], pointers);
                    auto* const f = code_.front().function<void(void*, void*, void*, map_image, map_image)>(l.entry);
                    const bool pairs = source_.text.find("__cluster_dims__(2") != std::string::npos;
                    m.run(l, {first, last}, [&] { f(pointers[0], pointers[1], pointers[2], a, b); }, pairs ? 2 : 1);
                } else if (pointers.size() == 3) {
                    auto* const f = code_.front().function<void(void*, void*, void*)>(l.entry);
                    m.run(l, {first, last}, [&] { f(pointers[0], pointers[1], pointers[2]); });
                } else {
                    auto* const f = code_.front().function<void(void*, void*, void*, void*)>(l.entry);
                    m.run(l, {first, last}, [&] { f(pointers[0], pointers[1], pointers[2], pointers[3]); });
                }
            }
    }

private:
    static map_image image(const tunekit::measure::device_source::tensor_map& m, const std::vector<void*>& pointers)
    {
        if (const auto why = tunekit::measure::detail::refused(m)) throw std::logic_error("emulation: " + *why);
        if (m.sizes.size() != 3) throw std::logic_error("emulation: a tensor map of other than three directions");
        map_image out{};
        out.at = static_cast<const unsigned char*>(pointers.at(m.argument));
        out.swizzle = m.swizzle_bytes;
        out.tf32 = m.type == tunekit::measure::device_source::tensor_map::element::tf32;
        for (std::size_t d = 0; d < 3; ++d) {
            out.sizes[d] = m.sizes[d];
            out.strides[d] = d == 0 ? m.element_bytes() : m.strides[d - 1];
            out.box[d] = static_cast<int>(m.box[d]);
        }
        return out;
    }

    tunekit::measure::device_source source_;
    support::temporary_folder folder_;
    std::vector<tunekit::measure::loaded_code> code_;
};

}  // namespace emulation
