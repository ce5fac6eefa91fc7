// SPDX-License-Identifier: MIT
// What needs zlib and nlohmann-json, and a package that stands on another: a recording, a log, and the recordings that are installed.
#include <cstdio>

#include "tunekit/formats/recorded_space.hpp"
#include "tunekit/records/read_log.hpp"
#include "tunekit/scoring/read_recordings.hpp"
#include "tunekit/version.hpp"

int main()
{
    try {
        (void)tunekit::io::read_recorded_space("nowhere.csv.gz");
    } catch (const tunekit::error& e) {
        std::printf("tunekit %d: %s\n", TUNEKIT_VERSION, e.what());
    }
#ifndef TUNEKIT_RECORDINGS  // tunekit::scoring has it
#define TUNEKIT_RECORDINGS ""
#endif
    try {
        const auto folder = tunekit::scoring::recordings_folder(TUNEKIT_RECORDINGS);
        std::printf("recordings: %zu\n", tunekit::scoring::read_recordings(folder, "gemm_Out").size());
    } catch (const tunekit::error& e) {
        std::printf("%s\n", e.what());
    }
}
