// SPDX-License-Identifier: MIT

// The runs of the strategies without a model over any product, compiled once: see tunekit/compiled.cpp.

#if !defined(TUNEKIT_COMPILED)
#error "tunekit: compile all of the program, compiled_strategies.cpp too, with -DTUNEKIT_COMPILED"
#endif

// first what the runs are of: clang wants it whole where a run is named
#include "tunekit/search/annealing.hpp"
#include "tunekit/search/genetic.hpp"
#include "tunekit/search/grid.hpp"
#include "tunekit/search/hill_climb.hpp"
#include "tunekit/search/random.hpp"
#include "tunekit/space/product.hpp"

#undef TUNEKIT_ELSEWHERE
#define TUNEKIT_ELSEWHERE
#include "tunekit/tune/tune.hpp"
