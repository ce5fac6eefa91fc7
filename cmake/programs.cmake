# SPDX-License-Identifier: MIT
# How our own tests, tools, examples and benches are compiled. Nothing here reaches a user's target.

# ccache where it is found and works, whatever the checkout's place; never for code compiled for this very machine (tunekit_measured below).
# Without a home folder that can be written it has no place for its cache, and then it compiles nothing.
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(TUNEKIT_CCACHE ccache DOC "compiler cache for our own programs")
    if(TUNEKIT_CCACHE)
        set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${TUNEKIT_CCACHE})
        file(WRITE ${PROJECT_BINARY_DIR}/CMakeFiles/cached.cpp "int cached;\n")
        execute_process(COMMAND ${launcher} ${CMAKE_CXX_COMPILER} -c cached.cpp -o cached.o
            WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/CMakeFiles RESULT_VARIABLE refused ERROR_VARIABLE why OUTPUT_QUIET
            ERROR_STRIP_TRAILING_WHITESPACE)
        if(refused)
            message(STATUS "tunekit: compiled without ccache, which does not work here (${why}); CCACHE_DIR may name a folder for it")
        else()
            set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
        endif()
    endif()
endif()
set(CMAKE_CXX_EXTENSIONS OFF)

# Warnings, which are errors in the presets of CI alone, and no contraction of a * b + c across statements: the same seed gives the same
# run. Our own headers are included by their path from the root: "tools/support/names.hpp", "tests/support/answers.hpp".
add_library(tunekit_checks INTERFACE)
target_link_libraries(tunekit_checks INTERFACE tunekit)
target_compile_options(tunekit_checks INTERFACE "-iquote${PROJECT_SOURCE_DIR}")
target_compile_options(tunekit_checks INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow
    -Wold-style-cast -Wdouble-promotion -Wnon-virtual-dtor -ffp-contract=off)
# Header-only, so that every test sees the headers as most users do; the packages' programs have their bodies compiled once.
option(TUNEKIT_COMPILED "our own programs link tunekit::compiled" OFF)
if(TUNEKIT_COMPILED)
    target_link_libraries(tunekit_checks INTERFACE tunekit_compiled)
endif()

# tunekit_native(TARGET [flags...]): optimised for the machine that compiles, whatever the build type, or for the architecture that
# TUNEKIT_ARCHITECTURE names; "portable" is for every one of its kind. Later flags win over earlier ones.
# g++ 12 warns of its own AVX-512 intrinsics (GCC bug 105593), which Eigen uses where the machine has them.
set(TUNEKIT_ARCHITECTURE native CACHE STRING "-march of benches and micro-kernels, as haswell for AVX2; portable: programs run anywhere")
set(tunekit_native_flags -O3)
if(NOT TUNEKIT_ARCHITECTURE STREQUAL portable)
    list(APPEND tunekit_native_flags -march=${TUNEKIT_ARCHITECTURE})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    list(APPEND tunekit_native_flags -Wno-maybe-uninitialized -Wno-uninitialized)
endif()
function(tunekit_native target)
    get_target_property(sources ${target} SOURCES)
    set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS ${tunekit_native_flags} ${ARGN})
    tunekit_measured(${target})
endfunction()

# tunekit_measured(TARGET): one of the target `native`, all that is compiled with these flags (tests/machines/levels.sh). Objects for this very
# machine are of no use on another, so they are never taken from a cache.
add_custom_target(native)
function(tunekit_measured target)
    add_dependencies(native ${target})
    if(TUNEKIT_ARCHITECTURE STREQUAL native)
        set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "")
    endif()
endfunction()

# tunekit_kernels(TARGET): a target whose sources are tables of micro-kernels: native, contracting, full vectors.
function(tunekit_kernels target)
    set(flags -ffp-contract=fast)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        list(APPEND flags -mprefer-vector-width=512)
    endif()
    tunekit_native(${target} ${flags})
endfunction()

# Libraries that some of our programs stand on, each where it is installed; `scripts/needs test bench` installs them all.
if(POLICY CMP0167)
    cmake_policy(SET CMP0167 NEW)  # Boost's own package file: newer CMakes have no FindBoost
endif()
foreach(package Boost CLI11 nlohmann_json ZLIB benchmark doctest rapidcheck OpenBLAS OpenMP Threads)
    find_package(${package} QUIET)
endforeach()
# Whichever MPI the system calls its own; -DMPI_CXX_COMPILER=mpicxx.mpich -DMPIEXEC_EXECUTABLE=/usr/bin/mpiexec.mpich for another.
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI QUIET COMPONENTS CXX)
if(OpenBLAS_FOUND AND NOT TARGET OpenBLAS::OpenBLAS)
    add_library(OpenBLAS::OpenBLAS INTERFACE IMPORTED)
    target_link_libraries(OpenBLAS::OpenBLAS INTERFACE ${OpenBLAS_LIBRARIES})
    target_include_directories(OpenBLAS::OpenBLAS INTERFACE ${OpenBLAS_INCLUDE_DIRS})
endif()
# Debian's package file of oneDNN ends the run where the headers of OpenCL are missing, which nothing here needs.
find_library(TUNEKIT_DNNL dnnl)
find_path(TUNEKIT_DNNL_HEADERS dnnl.hpp)
mark_as_advanced(TUNEKIT_DNNL TUNEKIT_DNNL_HEADERS)
if(TUNEKIT_DNNL AND TUNEKIT_DNNL_HEADERS AND NOT TARGET DNNL::dnnl)
    add_library(DNNL::dnnl INTERFACE IMPORTED)
    target_link_libraries(DNNL::dnnl INTERFACE ${TUNEKIT_DNNL})
    target_include_directories(DNNL::dnnl INTERFACE ${TUNEKIT_DNNL_HEADERS})
endif()

# tunekit_program(NAME [REQUIRED] SOURCES FILE... [LIBS TARGET...]): a program of ours. Where a library is not installed: no target and one
# line that says so, an error if REQUIRED.
function(tunekit_program name)
    cmake_parse_arguments(PARSE_ARGV 1 arg REQUIRED "" "SOURCES;LIBS")
    tunekit_missing(missing ${arg_LIBS})
    list(JOIN missing " " missing)
    if(missing AND arg_REQUIRED)
        message(FATAL_ERROR "tunekit: ${name} needs ${missing}: run scripts/needs test, or configure with -DTUNEKIT_BUILD_TESTS=OFF")
    elseif(missing)
        message(STATUS "tunekit: ${name} is not built, it needs ${missing}")
        return()
    endif()
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE tunekit_checks ${arg_LIBS} ${CMAKE_DL_LIBS})
endfunction()

# tunekit_examples(FOLDER): every *.cpp of the folder is a program in build/.../examples and a part of the target `examples`; where it is
# quick it is a test as well, `example/NAME`. Variables of the caller say more about NAME: libs_NAME, what it is linked to beyond the core;
# test_arguments_NAME; `tested_elsewhere`, those that a script runs instead; `opencl_tests`, those that need a driver of OpenCL.
if(TUNEKIT_BUILD_EXAMPLES)
    add_custom_target(examples)
endif()
function(tunekit_examples folder)
    if(NOT TUNEKIT_BUILD_EXAMPLES)
        return()
    endif()
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
    foreach(source IN LISTS sources)
        get_filename_component(name ${source} NAME_WE)
        tunekit_program(${name} SOURCES ${source} LIBS ${libs_${name}})
        if(TARGET ${name})
            tunekit_example(${name})
        endif()
    endforeach()
endfunction()

# tunekit_example(NAME): the target NAME as one of the examples.
function(tunekit_example name)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
    add_dependencies(examples ${name})
    if(TUNEKIT_BUILD_TESTS AND NOT name IN_LIST tested_elsewhere)
        add_test(NAME example/${name} COMMAND ${name} ${test_arguments_${name}})
        set_tests_properties(example/${name} PROPERTIES LABELS fast TIMEOUT 120 SKIP_RETURN_CODE 3)  # 3: no device
        if(name IN_LIST opencl_tests)
            set_tests_properties(example/${name} PROPERTIES LABELS opencl)
        endif()
    endif()
endfunction()
