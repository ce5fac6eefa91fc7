# SPDX-License-Identifier: MIT
# tunekit::compiled: tunekit::tunekit whose bodies are compiled once, in the project that links it and with its flags, and only there:
# what is installed stays independent of the architecture.
if(NOT TARGET tunekit::compiled)
    add_library(tunekit_compiled STATIC EXCLUDE_FROM_ALL ${tunekit_compiled_source})
    add_library(tunekit::compiled ALIAS tunekit_compiled)
    target_compile_definitions(tunekit_compiled PUBLIC TUNEKIT_COMPILED)
    target_link_libraries(tunekit_compiled PUBLIC tunekit::tunekit)
endif()
