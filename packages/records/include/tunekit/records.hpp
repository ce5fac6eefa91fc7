// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Logs of runs, runs that go on where they stopped, and what earlier runs have shown. For who tunes the same thing
/// twice. Needs nlohmann-json.

#include "tunekit/records/experience.hpp"
#include "tunekit/records/experience_source.hpp"
#include "tunekit/records/json/bounded_json.hpp"
#include "tunekit/records/json/json_fields.hpp"
#include "tunekit/records/json_reading.hpp"
#include "tunekit/records/log.hpp"
#include "tunekit/records/logged.hpp"
#include "tunekit/records/read_experience.hpp"
#include "tunekit/records/read_log.hpp"

#if defined(TUNEKIT_RECORDS_BODIES)  // in one source file of a program that links no library
#include "tunekit/records/records.cpp"
#endif
