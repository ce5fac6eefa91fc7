// SPDX-License-Identifier: MIT

// All of the package's library in one file, for programs that are compiled by hand: one more source file, or included
// by tunekit/records.hpp where TUNEKIT_RECORDS_BODIES is defined.
#include "tunekit/records/detail/cost_reading.cpp"
#include "tunekit/records/detail/fitted_sources.cpp"
#include "tunekit/records/detail/seen_sources.cpp"
#include "tunekit/records/detail/source_views.cpp"
#include "tunekit/records/detail/weigh_sources.cpp"
#include "tunekit/records/experience.cpp"
#include "tunekit/records/experience_source.cpp"
#include "tunekit/records/json/bounded_json.cpp"
#include "tunekit/records/json/json_fields.cpp"
#include "tunekit/records/json_reading.cpp"
#include "tunekit/records/log.cpp"
#include "tunekit/records/logged.cpp"
#include "tunekit/records/read_experience.cpp"
#include "tunekit/records/read_log.cpp"
