// SPDX-License-Identifier: MIT

// Forecasts a learning curve: how good will a random search be after 50 more trials?
//
// Prints the forecast at every 25th trial beside what came. Any curve that rises and saturates will do: tuning, training,
// coverage.

#include <algorithm>
#include <cstdio>
#include <span>
#include <vector>

#include "tunekit/curve/belief.hpp"
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"

namespace curve = tunekit::curve;

int main()
{
    tunekit::random::philox gen{3};
    const double peak = 100e9, flops = 231e6;  // FLOP/s of the device, FLOP of the operator
    std::vector<double> best;
    for (double top = 0; best.size() < 250;) {
        const double u = tunekit::random::uniform_01(gen);
        best.push_back(top = std::max(top, peak * (0.1 + 0.7 * u * u * u)));
    }
    const curve::belief<> belief{{.scale_by_distinct = true}};  // plateaus are no evidence: count distinct values only
    std::puts("trial  GFLOP/s now   in 50 trials   came   EI in GFLOP/s   saves in ms   from");
    for (std::size_t n = 25; n + 50 <= best.size(); n += 25) {
        const auto seen = std::span<const double>(best).first(n);
        const curve::forecast next = belief.predict(seen, static_cast<double>(n) + 50, peak, gen);
        std::printf("%5zu  %11.1f   %5.1f +- %4.1f  %5.1f   %13.2f   %11.4f   %s\n", n, next.last / 1e9,
                    next.mean / 1e9, next.sd / 1e9, best[n + 49] / 1e9, next.expected_improvement / 1e9,
                    1e3 * curve::latency_reduction(next, flops),
                    next.basis == curve::basis::posterior ? "posterior" : "fallback");
    }
}
