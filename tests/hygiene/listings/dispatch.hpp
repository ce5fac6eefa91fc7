// SPDX-License-Identifier: MIT
#pragma once

// What the listings of docs/dispatch.md speak of.

#include <cstdint>
#include <string>

#include "tunekit/dispatch/fit.hpp"
#include "tunekit/dispatch/from_log.hpp"
#include "tunekit/dispatch/header.hpp"
#include "tunekit/dispatch/load.hpp"
#include "tunekit/dispatch/picker.hpp"
#include "tunekit/dispatch/results_file.hpp"
#include "tunekit/processes/machine.hpp"
#include "tunekit/records/read_log.hpp"

namespace tk = tunekit;

namespace dispatch {

inline constexpr std::uint64_t fingerprint = 1;
inline constexpr tk::index built_in = 0;
inline const tk::dispatch::choice chosen{};
inline void log(const std::string&) {}

}  // namespace dispatch
