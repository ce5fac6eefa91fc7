# SPDX-License-Identifier: MIT
# Same seed, same run: golden/NAME.cpp prints what an algorithm proposes; g++ and clang++, unoptimised and at -O3, print
# the same under one instruction-set flag. For baseline x86-64 that is golden/NAME.txt, for x86-64-v3 and -v4 golden/NAME.v3.txt
# where it differs. What is compared with those texts holds for C libraries that compute
# exp, log, pow and erfc alike: tests/machines/targets.sh compares other systems, with golden/NAME.musl.txt for the lines that differ with musl.
find_program(TUNEKIT_GXX g++)
find_program(TUNEKIT_CLANGXX clang++)
file(GLOB sources CONFIGURE_DEPENDS golden/*.cpp)
foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME_WE)
    if(NOT TUNEKIT_GXX OR NOT TUNEKIT_CLANGXX)
        message(STATUS "tunekit: golden/${name} is not tested, it needs g++ and clang++")
        continue()
    endif()
    foreach(set baseline v3 v4)
        add_test(NAME golden/${name}/${set} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/golden/compare.sh ${source} ${set}
            ${CMAKE_CURRENT_BINARY_DIR}/golden ${TUNEKIT_GXX} ${TUNEKIT_CLANGXX} ${flags} -iquote ${PROJECT_SOURCE_DIR}
            ${PROJECT_SOURCE_DIR}/tools/support/names.cpp)
        set_tests_properties(golden/${name}/${set} PROPERTIES LABELS golden TIMEOUT 900 SKIP_RETURN_CODE 77)
    endforeach()
endforeach()
