// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The operators of a network on one CUDA device: AutoTVM's templates, their data and references, one pool of compilers
/// and one worker process for all of them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "packages/kernels/operators/child.hpp"
#include "packages/kernels/operators/noise.hpp"
#include "tunekit/devices/cuda/measurer.hpp"
#include "tunekit/kernels/autotvm/cuda_source.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/space/any_space.hpp"

namespace programs {

/// Refers to a pool that several measurers share.
class lent_pool {
public:
    explicit lent_pool(tunekit::measure::nvrtc_builder& to) : to_(&to) {}
    [[nodiscard]] const auto& cache() const { return to_->cache(); }
    void submit(const std::vector<tunekit::measure::source>& sources, std::string_view entry, double seconds)
    {
        to_->submit(sources, entry, seconds);
    }
    [[nodiscard]] auto wait(const std::string& key) { return to_->wait(key); }
    void advance() { to_->advance(); }

private:
    tunekit::measure::nvrtc_builder* to_;
};

/// A device with the tasks that are run on it. Add tasks, then begin; then measure.
class cuda_tasks {
public:
    using measurement = tunekit::measure::measurement;
    using limits = tunekit::measure::limits;

    /// Libraries by path, or the system's. Throws tunekit::measure::no_cuda where there is no driver, device or NVRTC.
    explicit cuda_tasks(const std::string& driver = {}, const std::string& compiler = {})
        : device_(tunekit::measure::find_cuda_device(0, driver)),
          pool_({.architecture = device_.architecture(), .library = compiler}),
          gpu_(device_.index, driver)
    {
    }

    [[nodiscard]] const tunekit::measure::cuda_device& device() const { return device_; }

    /// Adds a template with its operands and the result they lead to; its number. `repeat` is a repetition policy.
    template <class Template, class Repetition>
    std::size_t add(Template what, const std::vector<std::vector<float>>& operands, const std::vector<float>& want,
                    Repetition repeat)
    {
        const auto on = std::make_shared<tunekit::measure::cuda_operands>();
        for (const auto& x : operands) on->input(std::span<const float>(x));
        wanted(*on, want);
        return add(std::move(what), on, std::move(repeat));
    }

    /// For `add`: the output of operands of any type, within 1e-4 of its largest element.
    static void wanted(tunekit::measure::cuda_operands& on, const std::vector<float>& want)
    {
        double largest = 0;
        for (const float x : want) largest = (std::max)(largest, std::fabs(static_cast<double>(x)));
        on.output(std::span<const float>(want), {.absolute = 1e-4 * largest});
    }

    /// The same with operands of one's own.
    template <class Template, class Repetition>
    std::size_t add(Template what, const std::shared_ptr<tunekit::measure::cuda_operands>& on, Repetition repeat)
    {
        namespace ms = tunekit::measure;
        const std::size_t k = tasks_.size();
        ms::timed how{ms::cuda_kernel(what, pool_.cache(), *on, gpu_), std::move(repeat),
                      ms::cuda_check{on.get(), &gpu_}};
        const auto here = std::make_shared<decltype(how)>(std::move(how));
        auto runs = std::make_shared<decltype(ms::generated(what, lent_pool(pool_), admitted(what, k)))>(
            ms::generated(what, lent_pool(pool_), admitted(what, k)));
        tasks_.push_back(
            {.data = on,
             .runs =
                 [what, on, cache = pool_.cache()](ms::cuda_session& gpu, const auto& ours) {
                     std::vector<contestant> field;
                     for (const auto& [name, i] : ours) {
                         const auto c = what.space.at(i);
                         const ms::cuda_image image = cache.image(cache.key(what.source_of(c), what.entry));
                         const auto run = std::make_shared<ms::cuda_run>(gpu, image, what.text(c), *on);
                         field.push_back({name, [run, turn = std::uint64_t{0}]() mutable { return (*run)(turn++); }});
                     }
                     return field;
                 },
             .run = [on, here, space = what.space](tunekit::index i,
                                                   const limits& l) { return (*here)(space.at(i), l); },
             .measure = [runs](std::span<const tunekit::index> batch, const limits& l,
                               const receiver& each) { runs->measure(batch, l, each); },
             .conditions = [runs] { return runs->running().conditions(); }});
        return k;
    }

    /// Forks the worker.
    void begin()
    {
        auto work = [this](tunekit::index which, const limits& l) {
            return tasks_[which >> shift].run(which & mask, l);
        };
        worker_.emplace(work, tunekit::measure::device_isolation());
    }

    /// A streaming measurer of one task. The tasks must outlive it.
    struct measurer {
        cuda_tasks* all;
        std::size_t k;

        [[nodiscard]] std::vector<measurement> measure(std::span<const tunekit::index> batch, const limits& l)
        {
            return tunekit::measure::detail::collected(*this, batch, l);
        }
        template <class Each>
        void measure(std::span<const tunekit::index> batch, const limits& l, Each&& each)
        {
            all->tasks_[k].measure(batch, l, std::ref(each));
        }
    };

    /// Task k as a measurer: it builds a batch, and reads the limits when a run begins.
    [[nodiscard]] measurer alone(std::size_t k) { return {this, k}; }

    /// Something that is timed: seconds of one run on the device.
    struct contestant {
        std::string name;
        std::function<double()> seconds;
    };
    using peers =
        std::function<std::vector<contestant>(tunekit::measure::cuda_session&, tunekit::measure::cuda_operands&)>;

    /// Configurations of task k and what `others` makes, in `rounds` interleaved rounds of a child process: median seconds by
    /// name. Each is checked first; a peer whose result is wrong is left out. Throws tunekit::error where the child fails.
    [[nodiscard]] std::vector<std::pair<std::string, double>> contest(
        std::size_t k, const std::vector<std::pair<std::string, tunekit::index>>& ours, const peers& others, int rounds,
        double seconds = 300)
    {
        const child_answer child = in_child("contest", seconds, [&] {
            std::vector<contestant> field = tasks_[k].runs(gpu_, ours);
            for (auto& c : others(gpu_, *tasks_[k].data)) field.push_back(std::move(c));
            std::vector<std::vector<double>> seen(field.size());
            std::vector<bool> good(field.size());
            for (std::size_t i = 0; i < field.size(); ++i) {
                tasks_[k].data->poison(gpu_);
                static_cast<void>(field[i].seconds());
                good[i] = !tasks_[k].data->wrong(gpu_);
            }
            for (int r = 0; r < rounds; ++r)
                for (std::size_t i = 0; i < field.size(); ++i)
                    if (good[i]) seen[i].push_back(field[i].seconds());
            for (std::size_t i = 0; i < field.size(); ++i) {
                if (!good[i]) continue;
                const auto middle = seen[i].begin() + static_cast<std::ptrdiff_t>(seen[i].size() / 2);
                std::nth_element(seen[i].begin(), middle, seen[i].end());
                ::dprintf(1, "median %s %.9g\n", field[i].name.c_str(), *middle);
            }
            return 0;
        });
        std::vector<std::pair<std::string, double>> out;
        std::istringstream lines(child.text);
        std::string word, name;
        double median = 0;
        while (lines >> word)
            if (word == "median" && lines >> name >> median) out.emplace_back(name, median);
        if (child.status != 0 || out.empty())
            throw tunekit::error("contest: " + (child.text.empty() ? "no answer" : child.text));
        return out;
    }

    /// Clocks and throttling over all tasks.
    [[nodiscard]] tunekit::measure::cuda_conditions conditions() const
    {
        tunekit::measure::cuda_conditions out;
        for (const auto& t : tasks_) out.add(t.conditions());
        return out;
    }

private:
    using receiver = std::function<void(measurement)>;

    static constexpr unsigned shift = 48;  // tasks above, configurations below: the largest space has 7e8
    static constexpr tunekit::index mask = (tunekit::index{1} << shift) - 1;

    struct task {
        std::shared_ptr<tunekit::measure::cuda_operands> data;
        std::function<std::vector<contestant>(tunekit::measure::cuda_session&,
                                              const std::vector<std::pair<std::string, tunekit::index>>&)>
            runs;
        std::function<measurement(tunekit::index, const limits&)> run;  // in the worker
        std::function<void(std::span<const tunekit::index>, const limits&, const receiver&)> measure;
        std::function<tunekit::measure::cuda_conditions()> conditions;
    };

    /// The share of the one worker that is task k's.
    struct share {
        cuda_tasks* all;
        std::size_t k;
        std::vector<measurement> measure(std::span<const tunekit::index> batch, const limits& l)
        {
            std::vector<tunekit::index> shifted;
            for (const tunekit::index i : batch) shifted.push_back((tunekit::index{k} << shift) | i);
            return all->worker_.value().measure(shifted, l);
        }
    };

    template <class Template>
    auto admitted(const Template& what, std::size_t k)
    {
        return tunekit::measure::cuda_admitted(what, pool_.cache(), device_, share{this, k});
    }

    tunekit::measure::cuda_device device_;
    tunekit::measure::nvrtc_builder pool_;
    tunekit::measure::cuda_session gpu_;
    std::vector<task> tasks_;
    std::optional<tunekit::measure::isolated_measurer> worker_;
};

/// A configuration that nobody tuned: of 256 draws the valid one whose block is nearest to 128 threads; where that leaves
/// several, the first.
template <class Template>
tunekit::index untuned_cuda(const Template& what)
{
    tunekit::random::philox gen(1);
    tunekit::index best = 0;
    double least = HUGE_VAL;
    for (const tunekit::index i : what.space.sample(256, gen)) {
        try {
            const auto source = what.text(what.space.at(i));
            double threads = 1;
            for (const auto& l : source.launches)
                threads =
                    l.entry == what.entry || source.launches.size() == 1 ? static_cast<double>(l.threads()) : threads;
            const double off = std::fabs(std::log2(threads / 128));
            if (off < least) {
                least = off;
                best = i;
            }
        } catch (const std::invalid_argument&) {
            continue;  // what static checks refuse
        }
    }
    return best;
}

/// Calls `use(template, operands, wanted)` for a convolution; where `winograd`, for Winograd's template if it applies.
template <class Use>
auto with_cuda_template(const tunekit::kernels::conv2d_shape& s, bool winograd, bool data, Use&& use)
{
    namespace at = tunekit::kernels::autotvm;
    std::vector<std::vector<float>> operands;
    std::vector<float> want;
    if (data) {
        operands = {noise(s.inputs(), 1), noise(s.weights(), 2)};
        want = tunekit::kernels::reference_conv2d(s, operands[0], operands[1]);
    }
    const bool applies =
        s.stride_h == 1 && s.stride_w == 1 && s.kernel_h == s.kernel_w && s.kernel_h > 2 && s.kernel_h < 8;
    if (winograd && applies) return use(at::winograd_cuda_template(s), operands, want);
    return use(at::conv2d_cuda_template(s), operands, want);
}

/// The same for a product: B lies transposed, as the templates have it.
template <class Use>
auto with_cuda_template(const tunekit::kernels::gemm_shape& s, bool, bool data, Use&& use)
{
    namespace at = tunekit::kernels::autotvm;
    std::vector<std::vector<float>> operands;
    std::vector<float> want;
    if (data) {
        operands = {noise(std::int64_t{s.batch} * s.m * s.k, 1), noise(std::int64_t{s.batch} * s.k * s.n, 2)};
        want = tunekit::kernels::reference_gemm(s, operands[0], operands[1]);
        const auto batch = static_cast<std::size_t>(s.batch), k = static_cast<std::size_t>(s.k),
                   n = static_cast<std::size_t>(s.n);
        std::vector<float> turned(operands[1].size());
        for (std::size_t b = 0; b < batch; ++b)
            for (std::size_t i = 0; i < k; ++i)
                for (std::size_t j = 0; j < n; ++j) turned[(b * n + j) * k + i] = operands[1][(b * k + i) * n + j];
        operands[1] = std::move(turned);
    }
    if (s.batch == 1 && s.m < 32) return use(at::dense_small_cuda_template(s), operands, want);
    if (at::has_dense_large_cuda(s)) return use(at::dense_large_cuda_template(s), operands, want);
    return use(at::batched_gemm_cuda_template(s), operands, want);
}

}  // namespace programs
