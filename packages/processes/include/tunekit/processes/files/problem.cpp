// SPDX-License-Identifier: MIT
#include "tunekit/processes/files/problem.hpp"

namespace tunekit::io {

std::string problem::text() const
{
    std::string out = file;
    if (line != 0) out += ':' + std::to_string(line);
    out += ": ";
    if (!field.empty()) out += field + ": ";
    return out += what;
}

}  // namespace tunekit::io
