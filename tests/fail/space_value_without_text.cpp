// expect: a value has no text
// first lines: a value has no text: write std::string to_text
// SPDX-License-Identifier: MIT
#include "tunekit/space/product.hpp"

struct tile {
    int x = 0;
    friend bool operator==(const tile&, const tile&) = default;
};

int main() { const tunekit::space::product space{tunekit::space::parameter<"tile">({tile{1}, tile{2}})}; }
