# SPDX-License-Identifier: MIT
# How tests are declared, in tests/ and beside what they try.
# Labels: fast (what scripts/test runs), slow, sanitize (worth running under sanitizers), threads (the same for the thread
# sanitizer), golden, attack, mpi, opencl, gpu, study, stories; `once` beside `fast`: what a second compiler need not repeat.
if(NOT TARGET doctest::doctest)
    message(FATAL_ERROR "tunekit: tests need doctest: run scripts/needs test, or configure with -DTUNEKIT_BUILD_TESTS=OFF")
endif()
add_library(tunekit_test_main OBJECT tests/support/main.cpp)
target_link_libraries(tunekit_test_main PUBLIC tunekit_checks doctest::doctest)
target_compile_definitions(tunekit_test_main PUBLIC _GLIBCXX_ASSERTIONS)
# The packages' libraries check what they do with the standard library, too, where it costs nobody's measurement.
foreach(package IN LISTS tunekit_packages)
    get_target_property(type tunekit_${package} TYPE)
    if(type STREQUAL STATIC_LIBRARY)
        target_compile_definitions(tunekit_${package} PRIVATE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
    endif()
endforeach()
foreach(target unit_tests thread_tests slow_tests gpu_tests opencl_tests mpi_tests)
    add_custom_target(${target})
endforeach()

# tunekit_test(NAME SOURCE... [LIBS TARGET...]): a doctest program. Unlike examples, a test is not left out for want of a library.
function(tunekit_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBS")
    tunekit_program(${name} REQUIRED SOURCES ${arg_UNPARSED_ARGUMENTS} LIBS tunekit_test_main Boost::headers nlohmann_json::nlohmann_json
        rapidcheck Threads::Threads ZLIB::ZLIB ${arg_LIBS})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endfunction()

# tunekit_thread_test(FLOOR PROGRAM [ARGUMENT...]): a test of the label `threads`.
function(tunekit_thread_test floor program)
    add_dependencies(thread_tests ${program})
    add_test(NAME threads/${floor} COMMAND ${program} ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(threads/${floor} PROPERTIES LABELS threads TIMEOUT 600 FAIL_REGULAR_EXPRESSION "test cases: *0 ")
endfunction()

# tunekit_unit_test(FLOOR FOLDER [LIBS TARGET...] [DEFINITIONS NAME...] [THREADS all|cases [BESIDE FILE...]]): FOLDER/*.cpp as one program, the
# test unit/FLOOR. For the thread sanitizer: a floor that starts threads or processes runs whole (all); of others the cases with `thread` in
# their name, in a program of the files that have such cases and those BESIDE.
function(tunekit_unit_test floor folder)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "LIBS;DEFINITIONS;THREADS;BESIDE")
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
    tunekit_test(test_${floor} ${sources} LIBS ${arg_LIBS})
    target_compile_definitions(test_${floor} PRIVATE ${arg_DEFINITIONS})
    add_dependencies(unit_tests test_${floor})
    add_test(NAME unit/${floor} COMMAND test_${floor} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set(seconds 600)
    if(CMAKE_CXX_FLAGS_DEBUG MATCHES "--coverage")
        set(seconds 3600)  # -O0, and every line is counted
    endif()
    set_tests_properties(unit/${floor} PROPERTIES LABELS "fast;sanitize" TIMEOUT ${seconds})
    if(arg_THREADS STREQUAL all)
        tunekit_thread_test(${floor} test_${floor})
    elseif(arg_THREADS STREQUAL cases)
        set(threaded)
        foreach(source IN LISTS sources)
            file(READ ${source} text)
            if(text MATCHES "TEST_CASE[^{]*thread")
                list(APPEND threaded ${source})
            endif()
        endforeach()
        tunekit_test(threads_${floor} ${threaded} ${arg_BESIDE} LIBS ${arg_LIBS})
        set_target_properties(threads_${floor} PROPERTIES EXCLUDE_FROM_ALL ON)
        tunekit_thread_test(${floor} threads_${floor} --test-case=*thread*)
    endif()
endfunction()

# tunekit_device_tests(gpu|opencl FOLDER [LIBS TARGET...]): FOLDER/*.cpp, a program each, with the label gpu or opencl. What needs a GPU is
# skipped with a message where there is none. What needs a driver of OpenCL, PoCL for one, and the headers of OpenCL runs one after another,
# because the driver's compiler takes its time and the candidates have limits.
find_path(TUNEKIT_OPENCL_HEADERS CL/cl.h DOC "for tests that compare our declarations of OpenCL with its own")
if(NOT TUNEKIT_OPENCL_HEADERS)
    message(STATUS "tunekit: the tests of OpenCL are not built, they need its headers: run scripts/needs opencl")
endif()
function(tunekit_device_tests kind folder)
    if(kind STREQUAL opencl AND NOT TUNEKIT_OPENCL_HEADERS)
        return()
    endif()
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
    foreach(source IN LISTS sources)
        get_filename_component(name ${source} NAME_WE)
        tunekit_test(${kind}_${name} ${source} ${ARGN})
        set_target_properties(${kind}_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
        add_dependencies(${kind}_tests ${kind}_${name})
        add_test(NAME ${kind}/${name} COMMAND ${kind}_${name})
        if(kind STREQUAL gpu)
            set_tests_properties(gpu/${name} PROPERTIES LABELS gpu TIMEOUT 3600 SKIP_REGULAR_EXPRESSION "skipped: tunekit: no ")
        else()
            set_tests_properties(opencl/${name} PROPERTIES LABELS opencl TIMEOUT 600 RUN_SERIAL ON)
        endif()
    endforeach()
endfunction()

# tunekit_script_tests(FILE...): what programs promise at their command line: shell scripts, run with the build directory as their argument.
# The line `# labels: slow` in one replaces the label `fast`.
function(tunekit_script_tests)
    foreach(source IN LISTS ARGN)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
        get_filename_component(name ${source} NAME_WE)
        file(STRINGS ${source} labels REGEX "^# labels: ")
        string(REGEX REPLACE "^# labels: *" "" labels "${labels}")
        string(REPLACE " " ";" labels "${labels}")
        if(NOT labels)
            set(labels fast)
        endif()
        add_test(NAME program/${name} COMMAND sh ${source} ${PROJECT_BINARY_DIR})
        set_tests_properties(program/${name} PROPERTIES LABELS "${labels}" TIMEOUT 600)
    endforeach()
endfunction()

# tunekit_static_tests(NAME FOLDER [LIBS TARGET...]): assertions of the compiler: FOLDER/*.cpp compile or do not.
function(tunekit_static_tests name folder)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "LIBS")
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
    add_library(static_${name} OBJECT ${sources})
    target_link_libraries(static_${name} PRIVATE tunekit_checks ${arg_LIBS})
endfunction()

# The flags with which a script calls the compiler on our headers: `core_flags` for the core, `flags` for the packages, too.
if(NOT TARGET Eigen3::Eigen)
    message(FATAL_ERROR "tunekit: tests need Eigen: run scripts/needs test, or configure with -DTUNEKIT_BUILD_TESTS=OFF")
endif()
set(core_flags -I${PROJECT_SOURCE_DIR}/include)
get_target_property(directories Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
foreach(directory IN LISTS directories)
    list(APPEND core_flags -isystem ${directory})
endforeach()
set(flags ${core_flags})
foreach(package IN LISTS tunekit_packages)
    list(APPEND flags -I${PROJECT_SOURCE_DIR}/packages/${package}/include)
endforeach()

# tunekit_fail_tests(FOLDER FLAG...): FOLDER/*.cpp must not compile with these flags, one mistake each, with the message checked.
function(tunekit_fail_tests folder)
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
    foreach(source IN LISTS sources)
        get_filename_component(name ${source} NAME_WE)
        add_test(NAME fail/${name} COMMAND sh ${PROJECT_SOURCE_DIR}/tests/fail/must_fail.sh ${source} ${CMAKE_CXX_COMPILER} ${ARGN})
        set_tests_properties(fail/${name} PROPERTIES LABELS fast)
    endforeach()
endfunction()
