# SPDX-License-Identifier: MIT
# Readers against mutated texts: 3 s each under the preset sanitize, for hours by hand (docs/building.md). With
# -DTUNEKIT_LIBFUZZER=ON and clang, a program per reader with libFuzzer besides.
option(TUNEKIT_LIBFUZZER "build the readers' fuzz targets for clang's libFuzzer" OFF)
set(fuzz_targets csv t4 autotvm recorded_space log expression space_file command_line text_template winners results choice cubin)
if(CMAKE_CXX_FLAGS_DEBUG MATCHES "fsanitize=address")
    tunekit_program(fuzz REQUIRED SOURCES fuzz/main.cpp fuzz/targets.cpp
        LIBS tunekit_checks CLI11::CLI11 nlohmann_json::nlohmann_json ZLIB::ZLIB)
    add_dependencies(unit_tests fuzz)
    foreach(name IN LISTS fuzz_targets)
        add_test(NAME fuzz/${name} COMMAND fuzz ${name} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${name} --seconds 3)
        set_tests_properties(fuzz/${name} PROPERTIES LABELS sanitize TIMEOUT 300)
    endforeach()
endif()
if(TUNEKIT_LIBFUZZER)
    foreach(name IN LISTS fuzz_targets)
        tunekit_program(fuzz_${name} REQUIRED SOURCES fuzz/targets.cpp
            LIBS tunekit_checks CLI11::CLI11 nlohmann_json::nlohmann_json ZLIB::ZLIB)
        target_compile_definitions(fuzz_${name} PRIVATE TUNEKIT_FUZZ_TARGET="${name}")
        target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer,address,undefined)
        target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer,address,undefined)
    endforeach()
endif()
