// SPDX-License-Identifier: MIT

// The runs of `recipes::combined()` over any product, compiled once: see tunekit/compiled.cpp.

#if !defined(TUNEKIT_COMPILED)
#error "tunekit: compile all of the program, compiled_combined.cpp too, with -DTUNEKIT_COMPILED"
#endif

// first what is instantiated elsewhere, and the space, which clang wants whole where a run is named
#include "tunekit/space/product.hpp"
#include "tunekit/tune/tune.hpp"

#undef TUNEKIT_ELSEWHERE
#define TUNEKIT_ELSEWHERE
#include "tunekit/recipes/combined.hpp"
