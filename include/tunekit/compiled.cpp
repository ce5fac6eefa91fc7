// SPDX-License-Identifier: MIT

// The bodies of the core's headers, compiled once: the target tunekit::compiled, or this file, compiled_strategies.cpp and compiled_combined.cpp
// among the sources of a program of which every translation unit is compiled with -DTUNEKIT_COMPILED, with tunekit/processes/compiled.cpp and
// tunekit/records/compiled.cpp where it uses these packages. core/compiled.hpp says which bodies those are.

#if !defined(TUNEKIT_COMPILED)
#error "tunekit: compile all of the program, compiled.cpp too, with -DTUNEKIT_COMPILED"
#endif
#define TUNEKIT_BODIES 1

#include "tunekit/curve/improvements.hpp"
#include "tunekit/measure.hpp"
#include "tunekit/measure/objective.hpp"
#include "tunekit/recipes/combined.hpp"
#include "tunekit/schedule.hpp"
#include "tunekit/screen.hpp"
#include "tunekit/search.hpp"
#include "tunekit/space.hpp"
#include "tunekit/space/expression.hpp"
#include "tunekit/space/value_product.hpp"
#include "tunekit/stats.hpp"
#include "tunekit/surrogate.hpp"
#include "tunekit/tune.hpp"
#include "tunekit/tune/pareto.hpp"
