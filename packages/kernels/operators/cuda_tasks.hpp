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
#include "packages/kernels/operators/operator_task.hpp"
#include "tunekit/devices/cuda/measurer.hpp"
#include "tunekit/kernels/autotvm/cuda_source.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/space/any_space.hpp"

namespace programs {

/// A device with the tasks that are run on it. Add tasks, then begin; then use the pool.
class cuda_tasks {
public:
    /// Libraries by path, or the system's. Throws tunekit::measure::no_device where there is no driver, device or NVRTC.
    explicit cuda_tasks(const std::string& driver = {}, const std::string& compiler = {})
        : device_(tunekit::measure::find_cuda_device(0, driver)),
          compilers_({.architecture = device_.architecture(), .library = compiler}),
          gpu_(std::make_shared<tunekit::measure::cuda_session>(device_.index, driver)),
          watch_(device_.bus, "")
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
        work_.push_back(ms::worker_task{what.space, ms::detail::device_runs<ms::detail::cuda_run>(
                                                        what, compilers_.cache(), *on, std::move(repeat), gpu_)});
        may_.emplace_back(what, compilers_.cache(), ms::detail::cuda_rule(device_));
        sources_.push_back(
            {.source_of = [what](tunekit::index i) { return what.source_of(what.space.at(i)); }, .entry = what.entry});
        tasks_.push_back(
            {.data = on, .runs = [what, on, cache = compilers_.cache()](ms::cuda_session& gpu, const auto& ours) {
                 std::vector<contestant> field;
                 for (const auto& [name, i] : ours) {
                     const auto c = what.space.at(i);
                     const ms::detail::cuda_image image = cache.image(cache.key(what.source_of(c), what.entry));
                     const auto run = std::make_shared<ms::detail::cuda_run>(gpu, image, what.text(c), *on);
                     field.push_back({name, [run, turn = std::uint64_t{0}]() mutable { return (*run)(turn++); }});
                 }
                 return field;
             }});
        return tasks_.size() - 1;
    }

    /// Forks the worker: no task is added after this.
    void begin()
    {
        namespace ms = tunekit::measure;
        pool_.emplace(ms::detail::device_pool(std::move(sources_), std::move(compilers_), std::move(may_),
                                              std::move(work_), watch_, ms::device_isolation().memory_bytes));
    }

    /// Builds the configurations of all tasks while the device runs one of them. The tasks must outlive it.
    [[nodiscard]] auto& pool() { return *pool_; }

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
            std::vector<contestant> field = tasks_[k].runs(*gpu_, ours);
            for (auto& c : others(*gpu_, *tasks_[k].data)) field.push_back(std::move(c));
            std::vector<std::vector<double>> seen(field.size());
            std::vector<bool> good(field.size());
            for (std::size_t i = 0; i < field.size(); ++i) {
                tasks_[k].data->poison(*gpu_);
                static_cast<void>(field[i].seconds());
                good[i] = !tasks_[k].data->wrong(*gpu_);
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
    [[nodiscard]] tunekit::measure::cuda_conditions conditions() const { return watch_.seen(); }

private:
    struct task {
        std::shared_ptr<tunekit::measure::cuda_operands> data;
        std::function<std::vector<contestant>(tunekit::measure::cuda_session&,
                                              const std::vector<std::pair<std::string, tunekit::index>>&)>
            runs;
    };

    tunekit::measure::cuda_device device_;
    tunekit::measure::nvrtc_builder compilers_;
    std::shared_ptr<tunekit::measure::cuda_session> gpu_;
    tunekit::measure::detail::cuda_watch watch_;
    std::vector<task> tasks_;
    std::vector<operator_source> sources_;
    std::vector<tunekit::measure::detail::admission> may_;
    std::vector<tunekit::measure::any_worker_task> work_;
    std::optional<tunekit::measure::pipeline<
        operator_source, tunekit::measure::detail::admitted_workers<tunekit::measure::detail::cuda_watch>,
        tunekit::measure::nvrtc_builder>>
        pool_;
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
    if (tunekit::kernels::detail::has_dense_large_cuda(s)) return use(at::dense_large_cuda_template(s), operands, want);
    return use(at::batched_gemm_cuda_template(s), operands, want);
}

}  // namespace programs
