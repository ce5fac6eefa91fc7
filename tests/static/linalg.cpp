// SPDX-License-Identifier: MIT
// What can be fitted by least squares, and what cannot.
#include "tunekit/linalg/levenberg_marquardt.hpp"

namespace static_linalg {

namespace linalg = tunekit::linalg;

struct problem {
    linalg::normal_equations operator()(const linalg::vector&) const;
};
struct value_only {
    double operator()(const linalg::vector&) const;
};
struct remembers {
    linalg::normal_equations operator()(const linalg::vector&);
};
static_assert(linalg::detail::least_squares_problem<problem>);
static_assert(!linalg::detail::least_squares_problem<value_only>);
static_assert(!linalg::detail::least_squares_problem<remembers>);
static_assert(!linalg::detail::least_squares_problem<linalg::vector>);

}  // namespace static_linalg
