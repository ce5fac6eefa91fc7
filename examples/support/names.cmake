# SPDX-License-Identifier: MIT
# tunekit_names: the strategies and schedules that programs know by name, instantiated once. Whatever includes <names.hpp> is
# linked to it.
add_library(tunekit_names STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/names.cpp)
target_include_directories(tunekit_names PUBLIC ${PROJECT_SOURCE_DIR}/examples)
target_link_libraries(tunekit_names PUBLIC tunekit PRIVATE tunekit_checks)
target_compile_options(tunekit_names PRIVATE -O2)
