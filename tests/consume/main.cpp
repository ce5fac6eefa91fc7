// SPDX-License-Identifier: MIT
#include <cstdio>

#include "tunekit/linalg/levenberg_marquardt.hpp"  // stands on Eigen
#include "tunekit/random/philox.hpp"
#include "tunekit/random/uniform.hpp"
#include "tunekit/version.hpp"

int main()
{
    tunekit::random::philox gen{42};
    std::printf("tunekit %d: %llu\n", TUNEKIT_VERSION,
                static_cast<unsigned long long>(tunekit::random::uniform_index(100, gen)));
}
