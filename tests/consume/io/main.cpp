// SPDX-License-Identifier: MIT
// What needs zlib and nlohmann-json: a recording and a log.
#include <cstdio>

#include "tunekit/io/read_log.hpp"
#include "tunekit/io/recorded_space.hpp"
#include "tunekit/study/read_recordings.hpp"
#include "tunekit/version.hpp"

int main()
{
    try {
        (void)tunekit::io::read_recorded_space("nowhere.csv.gz");
    } catch (const tunekit::error& e) {
        std::printf("tunekit %d: %s\n", TUNEKIT_VERSION, e.what());
    }
#ifndef TUNEKIT_RECORDINGS  // tunekit::io has it
#define TUNEKIT_RECORDINGS ""
#endif
    try {
        const auto folder = tunekit::study::recordings_folder(TUNEKIT_RECORDINGS);
        std::printf("recordings: %zu\n", tunekit::study::read_recordings(folder, "gemm_Out").spaces.size());
    } catch (const tunekit::error& e) {
        std::printf("%s\n", e.what());
    }
}
