// SPDX-License-Identifier: MIT
#include "tunekit/tunekit.hpp"

#include <cstdio>

int main()
{
    tunekit::random::philox gen{42};
    std::printf("tunekit %d: %llu\n", TUNEKIT_VERSION, static_cast<unsigned long long>(tunekit::random::uniform_index(100, gen)));
}
