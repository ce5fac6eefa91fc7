// SPDX-License-Identifier: MIT
// What a candidate spoils for those behind it in the same worker.
#include "tunekit/processes/isolated.hpp"

#include <doctest/doctest.h>

#include <unistd.h>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

#include "tests/support/isolation.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/fixed.hpp"
#include "tunekit/measure/timed.hpp"

namespace tk = tunekit;
namespace measure = tk::measure;
using support::no_zombie, support::plain;
using four = support::numbered<int, 4>;

namespace {

/// Configuration 0 spoils what the worker keeps between candidates; 1 crashes where it was spoilt; 2 always crashes; 3
/// never.
struct spoilt {
    std::unique_ptr<int> shared = std::make_unique<int>(1);
    int* runs;  // in shared memory: runs of each configuration

    void operator()(int c)
    {
        runs[c] = runs[c] + 1;
        if (c == 0) *shared = 0;
        if (c == 2 || (c == 1 && *shared == 0)) std::abort();
    }
};

}  // namespace

TEST_CASE("isolated: silent damage before an innocent successor leaves that one's record valid")
{
    measure::guarded_buffer<int> runs(4);
    auto measurer = measure::isolated(four{}, measure::timed{spoilt{.runs = runs.data()},
                                                             measure::fixed{.runs = 3, .batch = 1},
                                                             measure::no_check{},
                                                             measure::wall_clock{},
                                                             {.min_steps = 0}});
    const auto m = measurer.measure(std::vector<tk::index>{0, 1, 3, 2, 3, 1}, {});
    CHECK(m[0].ok());
    CHECK(m[1].ok());
    CHECK(m[2].ok());
    CHECK(m[3].failed->code == SIGABRT);
    CHECK(m[4].ok());
    CHECK(m[5].ok());
    CHECK(runs.span()[2] == 2);  // the suspect once more, in a fresh worker
    CHECK(measurer.measure(std::vector<tk::index>{2}, {}).front() != m[0]);
    CHECK(runs.span()[2] == 2);  // and never again
}

namespace {

/// Configuration 0 writes past the end of a block of the heap, over what the allocator keeps of the block behind it,
/// and nobody notices; 1 frees that block and takes another, as any innocent kernel may, which ends a damaged process.
struct heap_user {
    static constexpr std::size_t block = 984;  // what is freed stays as it is, for the next block of this size...
    static constexpr std::size_t enough = 64;  // ...once there is no longer a store of those that were freed before
    unsigned char* first = nullptr;            // of two neighbours
    unsigned char* second = nullptr;
    std::vector<unsigned char*> blocks;
    int* worker;  // in shared memory: the process that last ran each configuration

    explicit heap_user(int* processes) : worker(processes)
    {
        blocks.push_back(take());
        while (blocks.size() < 1000 && second == nullptr) {
            unsigned char* const before = blocks.back();
            blocks.push_back(take());
            if (blocks.size() < enough || blocks.back() <= before) continue;
            if (blocks.back() - before >= 2 * static_cast<std::ptrdiff_t>(block)) continue;
            first = before;
            second = blocks.back();
        }
    }

    static unsigned char* take() { return static_cast<unsigned char*>(std::malloc(block)); }

    void operator()(int c)
    {
        worker[c] = ::getpid();
        if (c == 0) damage();
        if (c == 1) {
            std::free(second);
            second = take();
        }
    }

    TUNEKIT_TEST_AS_IS void damage() const
    {
        unsigned char* volatile at = first;
        for (unsigned char* p = at + block; p < second; ++p) *p = 0x5A;
    }
};

}  // namespace

TEST_CASE("isolated: a heap damaged in silence costs the innocent successor a second try and nothing else")
{
    measure::guarded_buffer<int> worker(4);
    const heap_user kernel(worker.data());
    if (!plain && kernel.second == nullptr) return;  // a sanitizer's allocator, with blocks where it likes
    REQUIRE(kernel.second != nullptr);
    auto measurer = measure::isolated(four{}, measure::timed{kernel,
                                                             measure::fixed{.runs = 3, .batch = 1},
                                                             measure::no_check{},
                                                             measure::wall_clock{},
                                                             {.min_steps = 0}});
    const auto m = measurer.measure(std::vector<tk::index>{1, 0, 3}, {});
    for (const auto& one : m) CHECK(one.ok());
    CHECK(worker.span()[0] == worker.span()[1]);
    const int damaged = worker.span()[0];
    CHECK(worker.span()[3] == damaged);
    const auto innocent = measurer.measure(std::vector<tk::index>{1}, {}).front();
    CHECK(innocent.ok());
    CHECK(innocent.runs == 3);
    CHECK(innocent.batches.size() == 3);
    if (plain) CHECK(worker.span()[1] != damaged);  // which ended under it
    CHECK(no_zombie());
    for (unsigned char* const one : kernel.blocks) std::free(one);
}

TEST_CASE("isolated: a fault in a fresh worker is not repeated")
{
    measure::guarded_buffer<int> runs(4);
    auto measurer =
        measure::isolated(four{}, measure::timed{spoilt{.runs = runs.data()}, measure::fixed{.runs = 3, .batch = 1}});
    CHECK(measurer.measure(std::vector<tk::index>{2}, {}).front().failed);
    CHECK(runs.span()[2] == 1);
}

TEST_CASE("isolated: a worker that ends between two candidates is nobody's fault")
{
    measure::guarded_buffer<int> worker(1);
    auto measurer = measure::isolated(four{}, measure::timed{[pid = worker.data()](int) {
                                                                 *pid = ::getpid();
                                                                 return 1.0;
                                                             },
                                                             measure::fixed{.runs = 1, .batch = 1}});
    int first = 0;
    do {  // a busy machine may replace a new worker after its first candidate: its keeper has not slept yet
        CHECK(measurer.measure(std::vector<tk::index>{0}, {}).front().ok());
        first = *worker.data();
    } while (::kill(first, 0) != 0);
    CHECK(::kill(first, SIGKILL) == 0);
    const auto m = measurer.measure(std::vector<tk::index>{1, 2}, {});
    CHECK(m[0].ok());
    CHECK(m[1].ok());
    CHECK(*worker.data() != first);
}
