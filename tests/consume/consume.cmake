# SPDX-License-Identifier: MIT
# Install to a prefix of our own, then build one small program in each way the README names.
if(NOT TUNEKIT_INSTALL)
    return()
endif()
set(work ${CMAKE_CURRENT_BINARY_DIR}/consume)
add_test(NAME consume/install COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${work}/prefix)
set_tests_properties(consume/install PROPERTIES LABELS fast FIXTURES_SETUP installed)

find_program(TUNEKIT_MESON meson DOC "for the tests that consume tunekit by Meson")
find_program(TUNEKIT_PKG_CONFIG pkg-config DOC "for the tests that consume tunekit by pkg-config")
set(ways find_package io cuda compiled without-boost without-eigen mpi-missing add_subdirectory mpi-missing-subdirectory fetch_content include)
if(TUNEKIT_PKG_CONFIG)
    list(APPEND ways pkg-config pkg-config-io pkg-config-cuda)
else()
    message(STATUS "tunekit: consuming by pkg-config is not tested, it needs pkg-config")
endif()
if(TUNEKIT_MESON AND TUNEKIT_PKG_CONFIG)
    list(APPEND ways meson meson-subproject meson-install)
else()
    message(STATUS "tunekit: consuming by Meson is not tested, it needs meson and pkg-config")
endif()
if(MPI_CXX_FOUND)
    list(APPEND ways mpi mpi-subdirectory)
    if(TUNEKIT_PKG_CONFIG)
        list(APPEND ways pkg-config-mpi)
    endif()
else()
    message(STATUS "tunekit: consuming tunekit::mpi is not tested, it needs an MPI")
endif()
foreach(way IN LISTS ways)
    add_test(NAME consume/${way} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/consume/consume.sh ${way} ${PROJECT_SOURCE_DIR} ${work}
        ${CMAKE_CXX_COMPILER})
    set_tests_properties(consume/${way} PROPERTIES LABELS fast TIMEOUT 300)
    if(NOT way MATCHES "^(find_package|include)$")
        set_tests_properties(consume/${way} PROPERTIES LABELS "fast;once")
    endif()
    if(NOT way MATCHES "sub|^include$|install|fetch")
        set_tests_properties(consume/${way} PROPERTIES FIXTURES_REQUIRED installed)
    endif()
endforeach()

# An example of the library's kernels, from the installed copy.
add_test(NAME consume/tuned_kernel COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/consume/consume.sh tuned_kernel ${PROJECT_SOURCE_DIR} ${work}
    ${CMAKE_CXX_COMPILER})
set_tests_properties(consume/tuned_kernel PROPERTIES LABELS slow TIMEOUT 900 FIXTURES_REQUIRED installed)

# What package managers take.
foreach(way IN ITEMS conan vcpkg spack debian debian-root single citation)
    add_test(NAME packages/${way} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/packages.sh ${way} ${PROJECT_SOURCE_DIR} ${work}/packages
        ${CMAKE_CXX_COMPILER})
    set_tests_properties(packages/${way} PROPERTIES LABELS slow TIMEOUT 900 SKIP_RETURN_CODE 77)
endforeach()
if(TUNEKIT_MESON AND TUNEKIT_PKG_CONFIG)
    add_test(NAME packages/meson-tools COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/packages.sh meson-tools ${PROJECT_SOURCE_DIR} ${work}/packages
        ${CMAKE_CXX_COMPILER})
    set_tests_properties(packages/meson-tools PROPERTIES LABELS slow TIMEOUT 3600)
endif()
set_tests_properties(packages/debian packages/debian-root PROPERTIES TIMEOUT 3600 RESOURCE_LOCK tools)  # one build for both
