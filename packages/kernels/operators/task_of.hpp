// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "packages/kernels/operators/operator_case.hpp"
#include "packages/kernels/operators/operator_task.hpp"
#include "tunekit/core/error.hpp"
#include "tunekit/kernels/buffer.hpp"
#include "tunekit/kernels/reference.hpp"
#include "tunekit/measure/clocks.hpp"
#include "tunekit/measure/timed.hpp"
#include "tunekit/processes/worker_task.hpp"

namespace programs {

/// A kernel in this process, on copies of its operands' data.
template <class Operator>
class planned {
public:
    planned(const operator_case<Operator>& on, tunekit::index which)
        : input_(on.left().size()),
          output_(Operator::max_output(on.shape())),
          kernel_(on.shape(), on.space().at(which), on.left(), on.right(),
                  std::span<float>(input_.data(), input_.size()))
    {
        run();
        std::vector<float> y(on.reference().size());
        kernel_.unpack({output_.data(), kernel_.output_size()}, y);
        if (!(tunekit::kernels::relative_error(y, on.reference()) < 1e-4))
            throw tunekit::error("a planned configuration computes something else");
    }
    void run() { kernel_.run(output_.data()); }

private:
    tunekit::kernels::buffer<> input_, output_;
    Operator kernel_;
};

template <class Operator>
operator_task task_of(const typename Operator::shape_type& shape, const maybe_repetition& repetition)
{
    namespace measure = tunekit::measure;
    const auto on = std::make_shared<operator_case<Operator>>(shape);
    operator_task out{.space = on->space(), .untuned = on->default_index()};
    if (!repetition) return out;
    out.worker = [data = on->data(), how = *repetition] {
        const auto own = std::make_shared<operator_case<Operator>>(data);
        return measure::any_worker_task(measure::worker_task{
            own->space(),
            measure::timed{[own, kernel = own->kernel()](const auto& config) { return kernel(config); }, how,
                           own->check(), measure::thread_clock{}},
            own->canaries()});
    };
    out.plan = [on](tunekit::index which) -> std::function<void()> {
        const auto p = std::make_shared<planned<Operator>>(*on, which);
        return [p] { p->run(); };
    };
    return out;
}

}  // namespace programs
