// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// What may be said of a winner, as every tool has it in its JSON.

#include <nlohmann/json.hpp>

#include "tunekit/tune/verdict.hpp"

namespace programs {

inline nlohmann::ordered_json json_of(const tunekit::verdict& v)
{
    return {{"says", to_text(v.says)},    {"text", to_text(v)},
            {"default_kept", v.kept},     {"finalists", v.finalists},
            {"rounds", v.rounds},         {"rounds_to_separate", v.rounds_to_separate},
            {"confidence", v.confidence}, {"slower_at_least", v.slower_at_least}};
}

}  // namespace programs
