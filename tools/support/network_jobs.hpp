// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The operators of a network, and what runs their configurations: workers on this machine's processors, or a CUDA device.

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "packages/kernels/operators/cuda_tasks.hpp"
#include "packages/kernels/operators/operator_task.hpp"
#include "packages/kernels/operators/pools.hpp"
#include "packages/kernels/table/kernel_table.hpp"
#include "tools/support/network_options.hpp"
#include "tunekit/kernels/covering.hpp"
#include "tunekit/processes/machine.hpp"
#include "tunekit/tune/tune_tasks.hpp"

namespace programs {

/// One operator of the network.
struct network_job {
    std::string name, kind;
    int times = 1;  ///< how often the model calls it
    double flops = 0;
    tunekit::space::any_space space;
    tunekit::index untuned = 0;  ///< the configuration of a library that was never tuned
};

/// All of them, and what runs them: one of the last three.
struct network_jobs {
    std::deque<network_job> all;
    std::vector<operator_task> own;
    std::vector<built_task> built;
    std::shared_ptr<cuda_tasks> cuda;

    /// What the k-th is to begin with: the untuned configuration, then those that cover other shapes of our kernels.
    [[nodiscard]] std::vector<tunekit::index> first_of(std::size_t k) const
    {
        std::vector<tunekit::index> out{all[k].untuned};
        if (own.empty()) return out;
        const int lanes = kernel_table().lanes;  // of the instruction set that it is compiled for
        for (const tunekit::index i : tunekit::kernels::covering(all[k].kind, lanes, all[k].space, all[k].untuned))
            if (i != all[k].untuned) out.push_back(i);
        return out;
    }

    /// The machine that a log belongs to, the device included.
    [[nodiscard]] std::string machine() const
    {
        return to_text(tunekit::this_machine()) + (cuda ? ", " + cuda->device().name : "");
    }
};

/// The operators of the network, with their data and references; only their spaces where only those are wanted.
inline network_jobs jobs_of(const tune_network_options& o)
{
    const auto& net = o.found();
    const maybe_repetition repetition = o.spaces ? maybe_repetition{} : maybe_repetition{o.how().repetition};
    network_jobs out;
    const auto add = [&](const auto& layer, const char* kind, const auto& what) {
        out.all.push_back({.name = std::string(layer.name),
                           .kind = kind,
                           .times = layer.times,
                           .flops = layer.shape.flops(),
                           .space = what.space,
                           .untuned = what.untuned});
    };
    if (o.device == "cuda") {
        if (!o.spaces) out.cuda = std::make_shared<cuda_tasks>();
        const auto add_cuda = [&](const auto& layer, const char* kind) {
            add(layer, kind, on_cuda(out.cuda.get(), layer.shape, o.winograd, repetition));
        };
        for (const auto& layer : net.convolutions) add_cuda(layer, "conv2d");
        for (const auto& layer : net.products) add_cuda(layer, "gemm");
        if (out.cuda) out.cuda->begin();
    } else if (o.templates == "autotvm") {
        for (const auto& layer : net.convolutions)
            add(layer, "conv2d", out.built.emplace_back(x86_task(layer.shape, repetition)));
    } else {
        for (const auto& layer : net.convolutions)
            add(layer, "conv2d", out.own.emplace_back(any_conv2d_task(layer.shape, repetition)));
        for (const auto& layer : net.products)
            add(layer, "gemm", out.own.emplace_back(gemm_task(layer.shape, repetition)));
    }
    return out;
}

/// Runs configurations on a pool of workers. The last comparison is on its first worker, alone.
template <class Pool>
struct on_pool {
    Pool pool;

    [[nodiscard]] std::size_t out() const { return (std::max)(pool.workers(), pool.room()); }
    [[nodiscard]] tunekit::task task(const network_job& j) const
    {
        return {j.name, j.space, j.flops, static_cast<double>(j.times)};
    }
    template <class Run, class Watch>
    void drive(Run& run, std::span<tunekit::task>, Watch&& watch, std::optional<bool> checks)
    {
        tunekit::tune_tasks(run, pool, {.watch = watch, .checks = checks});
    }
    /// The measurer of a round of task k: a new process, but on a device, which takes longer to begin than a round.
    [[nodiscard]] auto alone(std::size_t k)
    {
        if constexpr (requires { pool.alone(0, k, true); }) return pool.alone(0, k, true);
        else return pool.alone(0, k);
    }
};

template <class Pool>
on_pool(Pool) -> on_pool<Pool>;  // that of a device is a reference: the tasks own it

/// What `use` returns when it is called with the one that runs the jobs.
template <class Use>
auto with_runner(const network_jobs& jobs, std::size_t workers, Use&& use)
{
    if (jobs.cuda) return use(on_pool<decltype(jobs.cuda->pool())>{jobs.cuda->pool()});
    if (!jobs.built.empty()) return use(on_pool{pool_of(jobs.built, workers)});
    return use(on_pool{pool_of(jobs.own, workers)});
}

}  // namespace programs
