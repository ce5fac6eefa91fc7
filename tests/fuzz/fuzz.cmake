# SPDX-License-Identifier: MIT
# Readers against mutated texts: 3 s each under the preset sanitize, for hours by hand (docs/building.md). Without sanitizers,
# `cmake --build --preset release --target fuzz`, the same program reads many times as much. With -DTUNEKIT_LIBFUZZER=ON and
# clang, a program per reader with libFuzzer besides.
option(TUNEKIT_LIBFUZZER "build the readers' fuzz targets for clang's libFuzzer" OFF)
set(fuzz_targets csv t4 autotvm recorded_space log expression space_file command_line text_template winners results choice cubin measurement trajectories served
    readings)
set(fuzz_libs tunekit::formats tunekit::dispatch tunekit::online tunekit::devices tunekit::scoring tunekit::report CLI11::CLI11 nlohmann_json::nlohmann_json)
tunekit_program(fuzz SOURCES fuzz/main.cpp fuzz/targets.cpp LIBS ${fuzz_libs})
if(TARGET fuzz)
    set_target_properties(fuzz PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
if(CMAKE_CXX_FLAGS_DEBUG MATCHES "fsanitize=address")
    if(NOT TARGET fuzz)
        message(FATAL_ERROR "tunekit: the sanitizers' tests need fuzz: run scripts/needs test")
    endif()
    add_dependencies(unit_tests fuzz)
    foreach(name IN LISTS fuzz_targets)
        add_test(NAME fuzz/${name} COMMAND fuzz ${name} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${name} --seconds 3)
        set_tests_properties(fuzz/${name} PROPERTIES LABELS sanitize TIMEOUT 300)
    endforeach()
endif()
if(TUNEKIT_LIBFUZZER)
    foreach(name IN LISTS fuzz_targets)
        tunekit_program(fuzz_${name} REQUIRED SOURCES fuzz/targets.cpp
            LIBS ${fuzz_libs})
        target_compile_definitions(fuzz_${name} PRIVATE TUNEKIT_FUZZ_TARGET="${name}")
        target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer,address,undefined)
        target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer,address,undefined)
    endforeach()
endif()
