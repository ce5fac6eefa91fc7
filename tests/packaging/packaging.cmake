# SPDX-License-Identifier: MIT
# What package managers take.
if(NOT TUNEKIT_INSTALL)
    return()
endif()
set(work ${CMAKE_CURRENT_BINARY_DIR}/packaging)
foreach(way IN ITEMS conan vcpkg spack debian debian-root single citation)
    add_test(NAME packaging/${way} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/packaging/packaging.sh ${way} ${PROJECT_SOURCE_DIR} ${work}
        ${CMAKE_CXX_COMPILER})
    set_tests_properties(packaging/${way} PROPERTIES LABELS slow TIMEOUT 900 SKIP_RETURN_CODE 77)
endforeach()
if(TUNEKIT_MESON AND TUNEKIT_PKG_CONFIG)
    add_test(NAME packaging/meson-tools COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/packaging/packaging.sh meson-tools ${PROJECT_SOURCE_DIR} ${work}
        ${CMAKE_CXX_COMPILER})
    set_tests_properties(packaging/meson-tools PROPERTIES LABELS slow TIMEOUT 3600)
endif()
set_tests_properties(packaging/debian packaging/debian-root PROPERTIES TIMEOUT 3600 RESOURCE_LOCK tools)  # one build for both
