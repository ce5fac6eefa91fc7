// SPDX-License-Identifier: MIT
#pragma once

// Parts that fit, declared only: each test breaks one of them.

#include <cstddef>
#include <span>
#include <vector>

#include "tunekit/measure/concepts.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/schedule/concepts.hpp"
#include "tunekit/space/product.hpp"

namespace tk = tunekit;
using batch = std::span<const tk::index>;
using answers = std::span<const tk::measure::measurement>;

struct good_measurer {
    std::vector<tk::measure::measurement> measure(batch, const tk::measure::limits&);
};

struct good_strategy {
    struct state {};
    template <class Space>
    state start(const Space&) const;
    template <class Space, class G>
    std::vector<tk::index> propose(state&, const Space&, std::size_t, G&) const;
    template <class Space, class G>
    void observe(state&, const Space&, batch, answers, G&) const;
};

struct good_schedule {
    struct state {};
    state start(std::span<const tk::schedule::task_view>, const tk::schedule::run_shape&) const;
    template <class G>
    std::size_t select(state&, std::span<const tk::schedule::task_view>, G&) const;
    void update(state&, std::size_t, const tk::schedule::slot&) const;
};

const tk::space::product some_space{tk::space::integers<"x">(0, 99)};
