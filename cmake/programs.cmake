# SPDX-License-Identifier: MIT
# How our own tests, examples and benches are compiled. Nothing here reaches a user's target.

# ccache where it is found; never for code compiled for this very machine (tunekit_native below).
if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(TUNEKIT_CCACHE ccache DOC "compiler cache for our own programs")
    if(TUNEKIT_CCACHE)
        set(CMAKE_CXX_COMPILER_LAUNCHER ${TUNEKIT_CCACHE})
    endif()
endif()
set(CMAKE_CXX_EXTENSIONS OFF)

# Warnings, and no contraction of a * b + c across statements: the same seed gives the same run.
add_library(tunekit_checks INTERFACE)
target_link_libraries(tunekit_checks INTERFACE tunekit)
target_compile_options(tunekit_checks INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow
    -Wold-style-cast -Wdouble-promotion -Wnon-virtual-dtor -Werror -ffp-contract=off)

# tunekit_native(TARGET [flags...]): optimised for the machine that compiles, whatever the build type. Such objects are
# of no use on another machine, so they are never taken from a cache. Later flags win over earlier ones.
# g++ 12 warns of its own AVX-512 intrinsics (GCC bug 105593), which Eigen uses where the machine has them.
set(tunekit_native_flags -O3 -march=native)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    list(APPEND tunekit_native_flags -Wno-maybe-uninitialized -Wno-uninitialized)
endif()
function(tunekit_native target)
    get_target_property(sources ${target} SOURCES)
    set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS ${tunekit_native_flags} ${ARGN})
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "")
endfunction()

# tunekit_kernels(TARGET): a target whose sources are tables of micro-kernels: native, contracting, full vectors.
function(tunekit_kernels target)
    set(flags -ffp-contract=fast)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        list(APPEND flags -mprefer-vector-width=512)
    endif()
    tunekit_native(${target} ${flags})
endfunction()

# What an #include asks for: its pattern, the CMake package, the target to link, the Debian package.
set(tunekit_known_needs
    "^<CLI/"                        CLI11           CLI11::CLI11                    libcli11-dev
    "^<nlohmann/"                   nlohmann_json   nlohmann_json::nlohmann_json    nlohmann-json3-dev
    "^<zlib[.]h>"                   ZLIB            ZLIB::ZLIB                      zlib1g-dev
    "^<benchmark/"                  benchmark       benchmark::benchmark            libbenchmark-dev
    "^<doctest/"                    doctest         doctest::doctest                doctest-dev
    "^<rapidcheck"                  rapidcheck      rapidcheck                      librapidcheck-dev
    "dnnl[.]hpp>"                   dnnl            DNNL::dnnl                      libdnnl-dev
    "^<cblas[.]h>"                  OpenBLAS        tunekit_openblas                libopenblas-dev
    "[</\"]kernel_table[.]hpp[>\"]"  kernel_table    tunekit_kernel_table            -
    "[</\"]names[.]hpp[>\"]"         names           tunekit_names                   -
    "^<omp[.]h>"                    OpenMP          OpenMP::OpenMP_CXX              libomp-dev
    "^<(thread|future|barrier|latch|semaphore)>"  Threads  Threads::Threads         libc6-dev)

# tunekit_includes(OUT FILE...): every <header> and "header" that the files and our own headers behind them include.
function(tunekit_includes out)
    set(todo ${ARGN})
    set(seen)
    set(found)
    while(todo)
        list(POP_FRONT todo file)
        if(file IN_LIST seen)
            continue()
        endif()
        list(APPEND seen ${file})
        get_property(known GLOBAL PROPERTY tunekit_includes_of_${file} SET)
        if(NOT known)
            file(STRINGS ${file} lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]")
            list(TRANSFORM lines REPLACE "^[ \t]*#[ \t]*include[ \t]*([<\"][^>\"]*[>\"]).*" "\\1")
            set_property(GLOBAL PROPERTY tunekit_includes_of_${file} "${lines}")
        endif()
        get_property(lines GLOBAL PROPERTY tunekit_includes_of_${file})
        get_filename_component(here ${file} DIRECTORY)
        foreach(name IN LISTS lines)
            list(APPEND found ${name})
            if(NOT name MATCHES "^\"(.*)\"$")
                continue()
            endif()
            foreach(base ${here} ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/examples ${PROJECT_SOURCE_DIR}/tests)
                if(EXISTS ${base}/${CMAKE_MATCH_1})
                    get_filename_component(path ${base}/${CMAKE_MATCH_1} ABSOLUTE)
                    list(APPEND todo ${path})
                    break()
                endif()
            endforeach()
        endforeach()
    endwhile()
    list(REMOVE_DUPLICATES found)
    set(${out} "${found}" PARENT_SCOPE)
endfunction()

# tunekit_needs(LINK MISSING FILE...): the targets that the files must be linked to, and the Debian packages of those
# that are not installed.
function(tunekit_needs link missing)
    tunekit_includes(headers ${ARGN})
    set(targets)
    set(absent)
    set(known ${tunekit_known_needs})
    while(known)
        list(POP_FRONT known pattern name target package)
        set(hits ${headers})
        list(FILTER hits INCLUDE REGEX "${pattern}")
        if(NOT hits)
            continue()
        endif()
        if(name STREQUAL dnnl AND NOT TARGET ${target})
            # Debian's package configuration ends the run where the headers of OpenCL are missing, which nothing here needs.
            find_library(TUNEKIT_DNNL dnnl)
            find_path(TUNEKIT_DNNL_HEADERS dnnl.hpp)
            mark_as_advanced(TUNEKIT_DNNL TUNEKIT_DNNL_HEADERS)
            if(TUNEKIT_DNNL AND TUNEKIT_DNNL_HEADERS)
                add_library(${target} INTERFACE IMPORTED GLOBAL)
                set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES ${TUNEKIT_DNNL}
                    INTERFACE_INCLUDE_DIRECTORIES ${TUNEKIT_DNNL_HEADERS})
            endif()
        elseif(NOT TARGET ${target})
            find_package(${name} QUIET)
        endif()
        if(name STREQUAL OpenBLAS AND OpenBLAS_FOUND AND NOT TARGET ${target})
            add_library(${target} INTERFACE IMPORTED GLOBAL)
            set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${OpenBLAS_LIBRARIES}"
                INTERFACE_INCLUDE_DIRECTORIES "${OpenBLAS_INCLUDE_DIRS}")
        endif()
        if(TARGET ${target})
            list(APPEND targets ${target})
        else()
            list(APPEND absent ${package})
        endif()
    endwhile()
    if("<dlfcn.h>" IN_LIST headers)
        list(APPEND targets ${CMAKE_DL_LIBS})
    endif()
    set(${link} "${targets}" PARENT_SCOPE)
    set(${missing} "${absent}" PARENT_SCOPE)
endfunction()

# tunekit_program(NAME SOURCE...): a program of ours, linked to what its sources include; where something of that is not
# installed, one status line instead and no target.
function(tunekit_program name)
    set(sources)
    foreach(source IN LISTS ARGN)
        get_filename_component(path ${source} ABSOLUTE)
        list(APPEND sources ${path})
    endforeach()
    tunekit_needs(link missing ${sources})
    if(missing)
        list(JOIN missing " " missing)
        message(STATUS "tunekit: ${name} is not built, it needs ${missing}")
        return()
    endif()
    add_executable(${name} ${sources})
    target_link_libraries(${name} PRIVATE tunekit_checks ${link})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/examples)
endfunction()

include(${PROJECT_SOURCE_DIR}/examples/support/kernel_table.cmake)
include(${PROJECT_SOURCE_DIR}/examples/support/names.cmake)
