// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// A kernel for the tests of a context: what a configuration takes is written down, and a clock of its own goes on by it.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include "tunekit/online/context.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/space/product.hpp"

namespace support {

/// 10 x 7 configurations.
inline auto tiles()
{
    return tunekit::space::product{tunekit::space::integers<"a">(0, 9), tunekit::space::powers_of_two<"b">(1, 64)};
}
using tiles_space = decltype(tiles());

struct application {
    tiles_space space = tiles();
    tunekit::index untuned = 0;
    double noise = 0;  ///< times are up to so much longer, as a share
    tunekit::random::philox gen{11};
    double time = 0;  ///< of the clock
    std::function<double(tunekit::index)> cost = [this](tunekit::index i) {
        const auto c = space.at(i);
        return 1e-3 *
               (1 + 0.2 * std::abs(tunekit::get<"a">(c) - 7) + 0.3 * std::abs(std::log2(tunekit::get<"b">(c)) - 2));
    };

    application() = default;
    application(const application&) = delete;
    application& operator=(const application&) = delete;

    double draw(tunekit::index i) { return cost(i) * (1 + noise * tunekit::random::uniform_01(gen)); }

    tunekit::index fastest() const
    {
        tunekit::index best = 0;
        for (tunekit::index i = 1; i < space.size(); ++i)
            if (cost(i) < cost(best)) best = i;
        return best;
    }

    /// Its clock, to be a part.
    [[nodiscard]] auto clock()
    {
        return [this] { return time; };
    }

    template <class Parts = tunekit::online::parts<>>
    [[nodiscard]] auto context(tunekit::online::options o = {}, Parts parts = {}) const
    {
        using setup = tunekit::online::setup<tiles_space, Parts>;
        return tunekit::online::context<tiles_space, Parts>(std::make_shared<const setup>(
            setup{.space = space, .untuned = untuned, .options = o, .parts = std::move(parts)}));
    }

    /// n calls by next and report; what they took.
    template <class Context>
    double calls(Context& t, std::uint64_t n)
    {
        double sum = 0;
        for (std::uint64_t k = 0; k < n; ++k) {
            const auto i = *space.index_of(t.next());
            const double took = draw(i);
            sum += took;
            if (t.wants_time()) t.report(took);
        }
        return sum;
    }
};

}  // namespace support
