// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "packages/kernels/operators/noise.hpp"
#include "packages/kernels/operators/product_tasks.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/kernels/buffer.hpp"
#include "tunekit/kernels/gemm/gemm.hpp"
#include "tunekit/kernels/gemm/space.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/measure/verify.hpp"
#include "tunekit/processes/guarded_buffer.hpp"
#include "tunekit/processes/worker_task.hpp"

namespace programs {

/// The nearest number of a type to noise in [-1, 1); bytes take all values.
template <class T>
tunekit::kernels::buffer<T> noise_of(std::int64_t n, std::uint64_t which)
{
    tunekit::kernels::buffer<T> out(static_cast<std::size_t>(n));
    const std::vector<float> from = noise(n, which);
    for (std::size_t i = 0; i < from.size(); ++i) {
        if constexpr (std::is_same_v<T, tunekit::kernels::bfloat16>)
            out[i] = tunekit::kernels::bfloat16::nearest(from[i]);
        else if constexpr (std::is_same_v<T, std::uint8_t>) out[i] = static_cast<T>(127.5F * (from[i] + 1));
        else if constexpr (std::is_same_v<T, std::int8_t>) out[i] = static_cast<T>(std::floor(128 * from[i]));
        else out[i] = static_cast<T>(from[i]);
    }
    return out;
}

/// What all configurations of a product have in common.
template <class Format>
struct product_data {
    tunekit::kernels::gemm_shape shape;
    const tunekit::kernels::product_table<Format>& table;
    packing how;
    tunekit::kernels::buffer<typename Format::left> a;
    tunekit::kernels::buffer<typename Format::right> b;
    std::vector<typename Format::sum> reference;
    tunekit::measure::tolerance within{};

    product_data(const tunekit::kernels::gemm_shape& s, const tunekit::kernels::product_table<Format>& t, packing p)
        : shape(s),
          table(t),
          how(p),
          a(noise_of<typename Format::left>(std::int64_t{s.batch} * s.m * s.k, 1)),
          b(noise_of<typename Format::right>(std::int64_t{s.batch} * s.k * s.n, 2)),
          reference(tunekit::kernels::reference_gemm<Format>(s, {a.data(), a.size()}, {b.data(), b.size()}))
    {
        double largest = 0;
        for (const auto r : reference) largest = (std::max)(largest, std::fabs(static_cast<double>(r)));
        using sum = typename Format::sum;
        within.absolute = std::is_integral_v<sum> ? 0 : (sizeof(sum) == 8 ? 1e-12 : 1e-5) * largest;
    }
    [[nodiscard]] auto space() const { return tunekit::kernels::gemm_space(shape, table); }
};

/// A configuration's kernel, ready to run.
template <class Format>
class planned_product {
public:
    planned_product(const product_data<Format>& on, const tunekit::kernels::gemm_config& config)
        : on_(&on), kernel_(on.shape, config, on.table)
    {
        ahead_ = on.how == packing::ahead && config.pack_b;
        if (ahead_) kernel_.pack(on.b.data());
    }
    void run(typename Format::sum* c)
    {
        if (ahead_) kernel_.run(on_->a.data(), c);
        else kernel_.run(on_->a.data(), on_->b.data(), c);
    }

private:
    const product_data<Format>* on_;
    tunekit::kernels::gemm_kernel<Format> kernel_;
    bool ahead_ = false;
};

/// A product with a buffer of its own for C.
template <class Format>
struct product_case {
    using sum = typename Format::sum;

    std::shared_ptr<const product_data<Format>> data;
    tunekit::measure::guarded_buffer<sum> c;
    std::optional<planned_product<Format>> planned{};

    explicit product_case(std::shared_ptr<const product_data<Format>> d) : data(std::move(d)), c(data->reference.size())
    {
    }
    [[nodiscard]] auto kernel()
    {
        return [this](const auto& config) {
            planned.reset();
            planned.emplace(*data, tunekit::kernels::config_of<tunekit::kernels::gemm_config>(config));
            return [this] { planned->run(c.span().data()); };
        };
    }
    [[nodiscard]] auto check() const { return tunekit::measure::matches<sum>{c.span(), data->reference, data->within}; }
};

template <class Format>
operator_task product_task_of(const tunekit::kernels::gemm_shape& shape,
                              const tunekit::kernels::product_table<Format>& table, packing how,
                              const maybe_repetition& repetition)
{
    namespace measure = tunekit::measure;
    const auto data = std::make_shared<const product_data<Format>>(shape, table, how);
    const auto space = data->space();
    const auto untuned = index_of(space, tunekit::kernels::default_config(shape, table)).value();
    operator_task out{.space = space, .untuned = untuned};
    if (!repetition) return out;
    out.worker = [data, repeat = *repetition] {
        const auto own = std::make_shared<product_case<Format>>(data);
        return measure::any_worker_task(measure::worker_task{
            own->data->space(),
            measure::timed{[own, kernel = own->kernel()](const auto& config) { return kernel(config); }, repeat,
                           own->check(), measure::thread_clock{}},
            std::vector<measure::canary>{own->c.canary()}});
    };
    out.plan = [data, space](tunekit::index which) -> std::function<void()> {
        const auto own = std::make_shared<product_case<Format>>(data);
        const auto run = own->kernel()(space.at(which));
        run();
        if (const auto fault = own->check()()) throw tunekit::error(*fault);
        return [own, run] { run(); };
    };
    return out;
}

}  // namespace programs
