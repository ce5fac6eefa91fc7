# SPDX-License-Identifier: MIT
# tunekit::compiled: tunekit::tunekit with its bodies compiled once, in the project that links it and with its flags, and only there: bodies have
# Eigen in them, whose objects for different instruction sets do not go together. tunekit_compiled_root is the core's include path.
if(NOT TARGET tunekit::compiled)
    file(GLOB sources ${tunekit_compiled_root}/tunekit/compiled*.cpp)
    add_library(tunekit_compiled STATIC EXCLUDE_FROM_ALL ${sources})
    add_library(tunekit::compiled ALIAS tunekit_compiled)
    target_compile_definitions(tunekit_compiled PUBLIC TUNEKIT_COMPILED)
    target_link_libraries(tunekit_compiled PUBLIC tunekit::tunekit)
endif()
