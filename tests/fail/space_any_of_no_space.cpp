// expect: (counted|search_space)
// SPDX-License-Identifier: MIT
#include "tunekit/space/any_space.hpp"

struct not_a_space {
    [[nodiscard]] int size() const { return 1; }
};

int main() { const tunekit::space::any_space space{not_a_space{}}; }
