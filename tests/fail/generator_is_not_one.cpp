// expect: unsigned_integral
// SPDX-License-Identifier: MIT
#include "tunekit/random/uniform.hpp"

struct not_a_generator {
    double operator()();
};

double draw(not_a_generator& gen) { return tunekit::random::uniform_01(gen); }
